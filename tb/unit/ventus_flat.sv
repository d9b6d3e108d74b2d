// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Ventus, as a core of that kind has them, with what the test counts.
module ventus_flat
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps  = 8,
  parameter int unsigned NumBlocks = 8,
  parameter int unsigned WfIdWidth = 3,
  localparam int unsigned WarpW    = $clog2(NumWarps),
  localparam int unsigned BlockW   = (NumBlocks > 1) ? $clog2(NumBlocks) : 1,
  localparam int unsigned SizeW    = $clog2(NumWarps + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        warp_req_valid_i,
  input  logic            [WarpW-1:0] warp_req_wid_i,
  input  logic [BlockW+WfIdWidth-1:0] warp_req_wf_tag_i,
  input  logic            [SizeW-1:0] warp_req_wf_count_i,
  input  logic                        warp_control_valid_i,
  input  logic            [WarpW-1:0] warp_control_wid_i,
  input  logic                        warp_control_simt_stack_op_i,
  output logic         [NumWarps-1:0] warp_bar_data_o,
  output logic        [NumBlocks-1:0] wg_end_o,

  output logic                        opens_o,  // accepted in this cycle
  output logic                        joins_o,
  output logic                        exits_o,
  output warp_t                       join_warp_o
);

`include "muster_assert.svh"

  logic                issue_valid, issue_ready, lifecycle_valid, lifecycle_ready, exit_valid, exit_ready;
  issue_t              issue;
  lifecycle_t          lifecycle;
  exit_t               leaving;
  logic [NumWarps-1:0] released;

  muster_ventus #(.NumWarps(NumWarps), .NumBlocks(NumBlocks), .WfIdWidth(WfIdWidth)) u_ventus (
    .clk_i, .rst_ni,
    .warp_req_valid_i, .warp_req_wid_i, .warp_req_wf_tag_i, .warp_req_wf_count_i,
    .warp_control_valid_i, .warp_control_wid_i, .warp_control_simt_stack_op_i,
    .warp_bar_data_o, .wg_end_o,
    .issue_valid_o (issue_valid), .issue_ready_i (issue_ready), .issue_o (issue),
    .lifecycle_valid_o (lifecycle_valid), .lifecycle_ready_i (lifecycle_ready),
    .lifecycle_o (lifecycle),
    .exit_valid_o (exit_valid), .exit_ready_i (exit_ready), .exit_o (leaving),
    .release_i (released)
  );

  /* verilator lint_off PINCONNECTEMPTY */  // what this core leaves open
  named_unit #(.NumWarps(NumWarps), .NumCtas(NumBlocks), .EnFaults(1'b0)) u_unit (
    .clk_i, .rst_ni,
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue), .busy_o (),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .release_o (released), .release_info_o (), .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (), .fault_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  `MUSTER_ASSERT(Syncs, !issue_valid || issue.op == OpSync, "a warp of this core does nothing but wait for all")

  assign opens_o     = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcOpen);
  assign joins_o     = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcJoin);
  assign exits_o     = exit_valid && exit_ready;
  assign join_warp_o = lifecycle.warp;

endmodule
