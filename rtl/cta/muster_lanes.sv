// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The live lanes of each warp, a word per warp. A launch makes all lanes of its warps live at once:
// a warp's word counts only from its first exit on.
module muster_lanes
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                launch_i,     // all lanes of these warps are live
  input  logic [NumWarps-1:0] warps_i,
  input  logic                exit_i,       // these lanes of the warp exit
  input  logic [WarpW-1:0]    warp_i,
  input  lanes_t              lanes_i,
  input  logic [WarpW-1:0]    next_warp_i,  // the warp in the next cycle
  output logic                last_o        // none is left behind these
);

  logic [NumWarps-1:0] partial_q, partial_d;  // some lane has exited
  lanes_t              stored, left;

  assign left   = (partial_q[warp_i] ? stored : '1) & ~lanes_i;
  assign last_o = (left == '0);

  muster_ram #(.Depth(NumWarps), .Width(WarpSize), .Forward(1'b0)) u_lanes (
    .clk_i,
    .we_i (exit_i), .waddr_i (warp_i), .wdata_i (left),
    .raddr_i (next_warp_i), .rdata_o (stored)
  );

  always_comb begin
    partial_d = partial_q;
    if (launch_i) partial_d = partial_q & ~warps_i;
    if (exit_i) partial_d[warp_i] = 1'b1;
  end

  always_ff @(posedge clk_i) partial_q <= partial_d;

endmodule
