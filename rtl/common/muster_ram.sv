// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A memory whose read data come a cycle after the address. Contents are undefined until written.
// A read port with Forward reads the new value of a word that is written in the same cycle. At any
// other port the result of that read is undefined, and its user must not depend on it. Each read
// port has an array of its own (muster_mem_1r1w), which a technology may replace by a macro.
module muster_ram #(
  parameter int unsigned        Depth    = 16,
  parameter int unsigned        Width    = 8,
  parameter int unsigned        NumRead  = 1,
  parameter logic [NumRead-1:0] Forward  = '1,
  localparam int unsigned       AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                          clk_i,
  input  logic                          we_i,
  input  logic [AddrW-1:0]              waddr_i,
  input  logic [Width-1:0]              wdata_i,
  input  logic [NumRead-1:0][AddrW-1:0] raddr_i,
  output logic [NumRead-1:0][Width-1:0] rdata_o  // of the address in the cycle before
);

  logic [NumRead-1:0][Width-1:0] stored;  // what the arrays give

  for (genvar r = 0; r < NumRead; r++) begin : g_array
    muster_mem_1r1w #(.Depth(Depth), .Width(Width)) u_mem (
      .clk_i,
      .we_i, .waddr_i, .wdata_i,
      .raddr_i (raddr_i[r]), .rdata_o (stored[r])
    );
  end

  for (genvar r = 0; r < NumRead; r++) begin : g_read
    if (Forward[r]) begin : g_forward
      logic [Width-1:0] written_q;
      logic             hit_q, hit;

      assign hit = we_i && (waddr_i == raddr_i[r]);

      always_ff @(posedge clk_i) begin
        written_q <= wdata_i;
        hit_q     <= hit;
      end

      assign rdata_o[r] = hit_q ? written_q : stored[r];
    end else begin : g_plain
      assign rdata_o[r] = stored[r];
    end
  end

endmodule
