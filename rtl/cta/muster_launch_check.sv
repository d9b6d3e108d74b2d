// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of a launch: counts the warps that its walk has entered, and compares them with the
// size. An open has the size alone.
module muster_launch_check
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  localparam int unsigned WarpW   = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [NumWarps-1:0] warps_i,     // that the launch names; held while it is under way
  input  wcount_t             size_i,      // likewise
  input  logic                open_i,      // it is an open
  input  cta_t                cta_i,
  input  logic                resident_i,  // the slot is taken
  input  warp_t               warp_i,      // that the walk has reached
  input  logic                step_i,      // the walk leaves that warp
  input  logic                done_i,      // the launch has passed the checks

  output logic                warp_chosen_o,  // the launch names that warp: a cycle later
  output logic [WarpW-1:0]    last_o,         // warps entered (open: the size), less one
  output logic                bad_o           // the launch is refused: a cycle later
);

  logic [WarpW:0] entered_nq, entered;  // inverted: see exceeds()

  assign entered = ~entered_nq;
  assign last_o  = WarpW'((open_i ? size_i[WarpW:0] : entered) - (WarpW + 1)'(1));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entered_nq <= '1;
    end else if (done_i) begin
      entered_nq <= '1;
    end else if (step_i && warp_chosen_o) begin
      entered_nq <= entered_nq - (WarpW + 1)'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    warp_chosen_o <= (32'(warp_i) < NumWarps) && warps_i[warp_i[WarpW-1:0]];
    bad_o         <= resident_i || (32'(cta_i) >= NumCtas) || (32'(size_i) > NumWarps) ||
                     (open_i ? (size_i == '0)
                              : (entered == '0) ||
                                !exceeds({size_i, 1'b1}, {wcount_t'(entered), 1'b0}));  // too many
  end

endmodule
