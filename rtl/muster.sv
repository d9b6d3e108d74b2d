// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Muster: the barrier unit of a GPU core. Only wiring: a room for each scope of rendezvous, named as
// in the README's picture. rtl/README.md has the ports, the tie-offs and the latencies.
module muster
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 1,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnState  = 1'b1,
  parameter bit          EnFaults = 1'b1,
  parameter bit          EnDrain  = 1'b1,
  parameter bit          EnLanes  = 1'b1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic   [NumIssue-1:0] issue_valid_i,
  output logic   [NumIssue-1:0] issue_ready_o,
  input  issue_t [NumIssue-1:0] issue_i,
  output logic   [NumWarps-1:0] busy_o,

  input  logic                  lifecycle_valid_i,
  output logic                  lifecycle_ready_o,
  input  lifecycle_t            lifecycle_i,
  input  logic   [NumWarps-1:0] lifecycle_warps_i,

  output logic   [NumWarps-1:0] fence_req_o,
  input  logic   [NumWarps-1:0] fence_ack_i,

  output logic   [NumWarps-1:0] release_o,
  output release_t              release_info_o,

  output logic                  response_valid_o,
  input  logic                  response_ready_i,
  output response_t             response_o,

  output logic   [NumIssue:0]   fault_valid_o,
  output fault_t [NumIssue:0]   fault_o,

  output commit_t               commit_o,

  input  cta_t                  census_cta_i,
  input  bar_t                  census_bar_i,
  output bar_word_t             census_word_o,
  input  warp_t                 census_warp_i,
  output census_t               census_warp_o
);

`include "muster_assert.svh"

  muster_cta #(
    .NumWarps(NumWarps), .NumCtas(NumCtas), .NumIssue(NumIssue), .EnReduce(EnReduce),
    .EnState(EnState), .EnFaults(EnFaults), .EnDrain(EnDrain), .EnLanes(EnLanes)
  ) u_cta (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i, .busy_o,
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i, .lifecycle_warps_i,
    .fence_req_o, .fence_ack_i,
    .release_o, .release_info_o,
    .response_valid_o, .response_ready_i, .response_o,
    .fault_valid_o, .fault_o,
    .commit_o,
    .census_cta_i, .census_bar_i, .census_word_o, .census_warp_i, .census_warp_o
  );

  // -------------------------------------------------------------------------------------------
  // What the unit relies on, and what it promises
  // -------------------------------------------------------------------------------------------

  if (NumWarps < 4 || NumWarps > MaxWarps) begin : g_bad_warps
    $error("NumWarps must be 4 to 64");
  end
  if (NumCtas < 1 || NumCtas > MaxCtas) begin : g_bad_ctas
    $error("NumCtas must be 1 to 32");
  end
  if (!(NumIssue inside {1, 2, 4})) begin : g_bad_issue
    $error("NumIssue must be 1, 2 or 4");
  end
  if (EnState && !EnReduce) begin : g_bad_state
    $error("EnState needs EnReduce: a state word holds a reduction's result");
  end

`ifndef SYNTHESIS
  logic same_warp;  // two ports carry one warp
  always_comb begin
    same_warp = 1'b0;
    for (int p = 0; p < NumIssue; p++) begin
      for (int q = 0; q < p; q++) begin
        same_warp = same_warp || (issue_valid_i[p] && issue_valid_i[q] &&
                                  issue_i[p].warp == issue_i[q].warp);
      end
    end
  end
`endif

  `MUSTER_ASSERT(OneWarpPerPort, !same_warp, "two issue ports carry the same warp in one cycle")
  `MUSTER_ASSERT(DrainIsBusy, (fence_req_o & ~busy_o) == '0,
                 "a drain is requested for a warp without an operation")

endmodule
