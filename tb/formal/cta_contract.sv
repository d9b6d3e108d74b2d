// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the named barriers: the contracts of muster_cta's ports (rtl/README.md), as assumptions.
// What is presented stays, two ports carry no warp at once, and there is nothing where nothing is configured.
module cta_contract
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumIssue = 1,
  parameter int unsigned WarpSize = 32,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnState  = 1'b0,
  parameter bit          EnSplit  = 1'b1,
  parameter bit          EnJoin   = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  started_i,  // it is not the first cycle, nor reset
  input  logic   [NumIssue-1:0] issue_valid_i,
  input  logic   [NumIssue-1:0] issue_ready_i,
  input  issue_t [NumIssue-1:0] issue_i,
  input  logic                  lc_valid_i,
  input  logic                  lc_ready_i,
  input  lifecycle_t            lifecycle_i,
  input  logic   [NumWarps-1:0] lifecycle_warps_i,
  input  logic                  exit_valid_i,
  input  logic                  exit_ready_i,
  input  exit_t                 exit_i,
  output logic                  lc_held_o,    // presented in the cycle before, and not taken
  output logic                  exit_held_o
);

  logic   [NumIssue-1:0] issue_held_q;
  issue_t [NumIssue-1:0] issue_q;
  logic                  lc_held_q, exit_held_q;
  lifecycle_t            lifecycle_q;
  logic   [NumWarps-1:0] lc_warps_q;
  exit_t                 exit_q;

  always_ff @(posedge clk_i) begin
    issue_held_q <= issue_valid_i & ~issue_ready_i;
    issue_q      <= issue_i;
    lc_held_q    <= lc_valid_i && !lc_ready_i;
    lifecycle_q  <= lifecycle_i;
    lc_warps_q   <= lifecycle_warps_i;
    exit_held_q  <= exit_valid_i && !exit_ready_i;
    exit_q       <= exit_i;
  end

  assign lc_held_o   = lc_held_q;
  assign exit_held_o = exit_held_q;

  for (genvar p = 0; p < NumIssue; p++) begin : g_port
    always_ff @(posedge clk_i) begin
      assume (!issue_held_q[p] || !started_i || (issue_valid_i[p] && issue_i[p] == issue_q[p]));
      assume (issue_i[p].op inside {OpSync, OpArrive} ||
              (EnReduce && issue_i[p].op inside {OpRedAnd, OpRedOr, OpRedPopc, OpB2rBar, OpB2rWarp, OpB2rResult}) ||
              (EnState && issue_i[p].op inside {OpR2bBar, OpR2bWarp}) ||
              (EnSplit && issue_i[p].op inside {OpArrivePhase, OpWait, OpB2rBar}));
      // Sums of 32 lanes are hard, and told apart from these nowhere.
      assume (issue_i[p].lanes < ((NumIssue > 1) ? 32'd4 : 32'd16));
    end
    for (genvar q = 0; q < p; q++) begin : g_other
      always_ff @(posedge clk_i) begin
        assume (!(issue_valid_i[p] && issue_valid_i[q]) ||
                issue_i[p].warp[$clog2(NumWarps)-1:0] != issue_i[q].warp[$clog2(NumWarps)-1:0]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    assume (!lc_held_q || !started_i ||
            (lc_valid_i && lifecycle_i == lifecycle_q && lifecycle_warps_i == lc_warps_q));
    assume (!exit_held_q || !started_i || (exit_valid_i && exit_i == exit_q));
    assume (lifecycle_i.op inside {LcLaunch, LcSuspend, LcEnd} ||
            (EnJoin && lifecycle_i.op inside {LcOpen, LcJoin}));
    assume ((exit_i.lanes >> WarpSize) == '0);
  end

endmodule
