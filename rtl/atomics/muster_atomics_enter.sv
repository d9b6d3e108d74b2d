// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What enters the pipeline of atomics: updates of the core's warps, behind their drain, and those
// of other CTAs in turns with these.
module muster_atomics_enter
  import muster_atomics_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          EnDrain  = 1'b1,
  parameter bit          En128    = 1'b0,
  parameter bit          EnRemote = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                issue_valid_i,
  output logic                issue_ready_o,
  input  at_update_t          issue_i,
  input  logic                remote_valid_i,
  output logic                remote_ready_o,
  input  at_update_t          remote_i,
  output logic [NumWarps-1:0] fence_req_o,
  input  logic [NumWarps-1:0] fence_ack_i,

  output logic                valid_o,
  input  logic                ready_i,
  output at_update_t          update_o
);

`include "muster_assert.svh"

  localparam int unsigned WarpW = $clog2(NumWarps);

  logic drained_valid, drained_ready;

  if (EnDrain) begin : g_drain
    muster_atomics_drain #(.NumWarps(NumWarps)) u_drain (
      .clk_i, .rst_ni, .valid_i (issue_valid_i), .ready_o (issue_ready_o),
      .releasing_i (issue_i.releasing), .warp_i (issue_i.warp[WarpW-1:0]),
      .fence_req_o, .fence_ack_i, .valid_o (drained_valid), .ready_i (drained_ready)
    );
  end else begin : g_no_drain
    assign issue_ready_o = drained_ready;
    assign drained_valid = issue_valid_i;
    assign fence_req_o   = '0;
  end

  if (EnRemote) begin : g_remote
    muster_atomics_turn #(.En128(En128)) u_turn (
      .clk_i, .rst_ni,
      .issue_valid_i (drained_valid), .issue_ready_o (drained_ready), .issue_i,
      .remote_valid_i, .remote_ready_o, .remote_i, .valid_o, .ready_i, .update_o
    );
  end else begin : g_no_remote
    always_comb begin
      update_o           = issue_i;
      update_o.from      = '0;
      update_o.completes = 1'b0;
    end
    assign valid_o        = drained_valid;
    assign drained_ready  = ready_i;
    assign remote_ready_o = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // What the block relies on
  // ---------------------------------------------------------------------------------------------

  `MUSTER_ASSERT_HELD(IssueHeld, issue_valid_i, issue_ready_o, issue_i,
                      "an update at the port changes before it is accepted")
  `MUSTER_ASSERT_HELD(RemoteHeld, remote_valid_i, remote_ready_o, remote_i,
                      "an update of another CTA changes before it is accepted")
  `MUSTER_ASSERT(IssueIsOwn, !EnRemote || !issue_valid_i || (issue_i.from == '0 &&
                                                             !issue_i.completes),
                 "an update of the core's warps names another CTA, or an operation that follows")
  `MUSTER_ASSERT(RemoteIsOfAnother, !remote_valid_i || (remote_i.from.remote &&
                                                        !remote_i.releasing),
                 "an update of another CTA does not say so, or has not been drained")

`ifndef SYNTHESIS
  // Of the core's warps, and of other CTAs.
  at_update_t [1:0] updates;
  logic       [1:0] presented, accepted;

  assign updates   = {remote_i, issue_i};
  assign presented = {remote_valid_i, issue_valid_i};
  assign accepted  = presented & {remote_ready_o, issue_ready_o};

  for (genvar p = 0; p < 2; p++) begin : g_halves
    logic       lower_q, lower;  // the latest one was a lower half
    at_update_t last_q, at;

    assign at    = updates[p];
    assign lower = at.size == At128 && !at.upper;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) lower_q <= 1'b0;
      else if (accepted[p]) lower_q <= lower;
    end

    always_ff @(posedge clk_i) begin
      if (accepted[p]) last_q <= at;
    end

    `MUSTER_ASSERT(UpperFollows, !presented[p] || (lower_q ?
                   at.size == At128 && at.upper && at.op == last_q.op && !at.releasing &&
                   at.place == last_q.place && at.warp == last_q.warp && at.lane == last_q.lane :
                   !at.upper),
                   "the halves of 128 bits do not follow each other")
  end
`endif

endmodule
