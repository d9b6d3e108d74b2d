// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A memory with one write port and read ports whose data come a cycle after the address. A word
// that is written in the cycle of its read is read new. Contents are undefined until written.
module muster_ram #(
  parameter int unsigned Depth   = 16,
  parameter int unsigned Width   = 8,
  parameter int unsigned NumRead = 1,
  localparam int unsigned AddrW  = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                          clk_i,
  input  logic                          we_i,
  input  logic [AddrW-1:0]              waddr_i,
  input  logic [Width-1:0]              wdata_i,
  input  logic [NumRead-1:0][AddrW-1:0] raddr_i,
  output logic [NumRead-1:0][Width-1:0] rdata_o  // of the address in the cycle before
);

  logic [Width-1:0]              mem [Depth];
  logic [Width-1:0]              written_q;
  logic [NumRead-1:0][Width-1:0] stored_q;
  logic [NumRead-1:0]            hit_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    written_q <= wdata_i;
    for (int r = 0; r < NumRead; r++) begin
      stored_q[r] <= mem[raddr_i[r]];
      hit_q[r]    <= we_i && (waddr_i == raddr_i[r]);
    end
  end

  always_comb begin
    for (int r = 0; r < NumRead; r++) rdata_o[r] = hit_q[r] ? written_q : stored_q[r];
  end

endmodule
