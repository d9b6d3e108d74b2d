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

  /* verilator lint_off PINCONNECTEMPTY */  // what such a core leaves open
  muster #(
    .NumWarps(NumWarps), .NumCtas(NumBlocks), .NumIssue(1), .EnReduce(1'b0), .EnState(1'b0),
    .EnFaults(1'b0), .EnDrain(1'b0), .EnLanes(1'b0), .EnJoin(1'b1), .EnMbarrier(1'b0)
  ) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue), .busy_o (),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle), .lifecycle_warps_i ('0),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .fence_req_o (), .fence_ack_i ('1),
    .release_o (released), .release_info_o (),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (), .fault_o (), .commit_o (),
    .debug_cta_i ('0), .debug_bar_i ('0), .debug_word_o (), .debug_warp_i ('0), .debug_warp_o (),
    .mb_issue_valid_i (1'b0), .mb_issue_ready_o (), .mb_issue_i ('0),
    .mb_async_valid_i (1'b0), .mb_async_ready_o (), .mb_async_i ('0),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o (), .mb_fence_req_o (), .mb_fence_ack_i ('1),
    .smem_read_valid_o (), .smem_read_ready_i (1'b0), .smem_read_place_o (),
    .smem_rdata_valid_i (1'b0), .smem_rdata_i ('0),
    .smem_write_valid_o (), .smem_write_ready_i (1'b0), .smem_write_place_o (),
    .smem_write_data_o (), .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (), .mb_response_ready_i (1'b1), .mb_response_o (),
    .mb_stopped_ns_i ('0), .mb_wake_o (), .mb_expire_o (),
    .mb_fault_valid_o (), .mb_fault_o (), .mb_commit_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign opens_o     = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcOpen);
  assign joins_o     = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcJoin);
  assign exits_o     = exit_valid && exit_ready;
  assign join_warp_o = lifecycle.warp;

endmodule
