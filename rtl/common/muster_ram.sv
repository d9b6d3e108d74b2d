// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A memory whose read data come a cycle after the address. Contents are undefined until written.
// A read port with Forward reads the new value of a word that is written in the same cycle. At any
// other port the result of that read is undefined, and its user must not depend on it. Several write
// ports write the same data, at different addresses; with one, the memory fits a block RAM.
module muster_ram #(
  parameter int unsigned        Depth    = 16,
  parameter int unsigned        Width    = 8,
  parameter int unsigned        NumWrite = 1,
  parameter int unsigned        NumRead  = 1,
  parameter logic [NumRead-1:0] Forward  = '1,
  localparam int unsigned       AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                           clk_i,
  input  logic [NumWrite-1:0]            we_i,
  input  logic [NumWrite-1:0][AddrW-1:0] waddr_i,
  input  logic [Width-1:0]               wdata_i,
  input  logic [NumRead-1:0][AddrW-1:0]  raddr_i,
  output logic [NumRead-1:0][Width-1:0]  rdata_o  // of the address in the cycle before
);

  // The enable of a block RAM goes to the mask of each bit, which is far. An address bit is near:
  // in a memory that leaves half of a block RAM free, a word that is not enabled goes to that half,
  // which is never read. Elsewhere this needs no logic.
  localparam bit          Spare = (NumWrite == 1) && (AddrW < 8);
  localparam int unsigned RowW  = AddrW + 32'(Spare);

  // Tools need not keep what a read during a write of the same word yields.
  if (Spare) begin : g_mem
    (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem [2**RowW];

    always_ff @(posedge clk_i) mem[{!we_i[0], waddr_i[0]}] <= wdata_i;
  end else if (NumWrite == 1) begin : g_mem
    (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem [Depth];

    always_ff @(posedge clk_i) begin
      if (we_i[0]) mem[waddr_i[0]] <= wdata_i;
    end
  end else begin : g_mem
    (* no_rw_check *) logic [Width-1:0] mem [Depth];

    always_ff @(posedge clk_i) begin
      for (int w = 0; w < NumWrite; w++) begin
        if (we_i[w]) mem[waddr_i[w]] <= wdata_i;
      end
    end
  end

  for (genvar r = 0; r < NumRead; r++) begin : g_read
    logic [Width-1:0] stored_q;

    always_ff @(posedge clk_i) stored_q <= g_mem.mem[RowW'(raddr_i[r])];

    if (Forward[r]) begin : g_forward
      logic [Width-1:0] written_q;
      logic             hit_q, hit;

      always_comb begin
        hit = 1'b0;
        for (int w = 0; w < NumWrite; w++) hit = hit || (we_i[w] && waddr_i[w] == raddr_i[r]);
      end

      always_ff @(posedge clk_i) begin
        written_q <= wdata_i;
        hit_q     <= hit;
      end

      assign rdata_o[r] = hit_q ? written_q : stored_q;
    end else begin : g_plain
      assign rdata_o[r] = stored_q;
    end
  end

endmodule
