// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One memory array with a write port and a read port; all arrays of the unit are this module. A
// technology puts its own in this place: a macro, or what its tools make a macro of.
//
// Contents are undefined until written, and so is what is read while the same word is written.
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

  // no_rw_check: tools need not keep what a read during a write of the same word yields.
  (* no_rw_check *) logic [Width-1:0] mem[Depth];

  always_ff @(posedge clk_i) begin
    rdata_o <= mem[raddr_i];
    if (we_i) mem[waddr_i] <= wdata_i;
  end

endmodule
