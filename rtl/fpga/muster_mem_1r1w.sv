// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The array of rtl/common/muster_mem_1r1w.sv as a block RAM of an FPGA.
//
// The enable of a block RAM goes to the mask of each bit, which is far. An address bit is near: in
// an array that leaves half of a block RAM free, a word that is not enabled goes to that half,
// which is never read. In other arrays the enable needs no logic.
module muster_mem_1r1w #(
  parameter int unsigned  Depth = 16,
  parameter int unsigned  Width = 8,
  localparam int unsigned AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o  // of the address in the cycle before
);

  if (AddrW < 8) begin : g_spare
    (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem[2**(AddrW+1)];

    always_ff @(posedge clk_i) begin
      rdata_o               <= mem[{1'b0, raddr_i}];
      mem[{!we_i, waddr_i}] <= wdata_i;
    end
  end else begin : g_full
    (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem[Depth];

    always_ff @(posedge clk_i) begin
      rdata_o <= mem[raddr_i];
      if (we_i) mem[waddr_i] <= wdata_i;
    end
  end

endmodule
