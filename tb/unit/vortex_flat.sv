// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Vortex, as a core of that kind has them, with what the test counts.
module vortex_flat
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps   = 8,
  parameter int unsigned NumThreads = 4,
  parameter int unsigned EndsCount  = 1,
  localparam int unsigned WarpW     = $clog2(NumWarps),
  localparam int unsigned SizeW     = $clog2(NumWarps + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  cta_fire_i,
  input  logic      [WarpW-1:0] cta_wid_i,
  input  logic      [WarpW-1:0] cta_id_i,
  input  logic      [SizeW-1:0] cta_size_i,
  output logic                  cta_hold_o,
  input  logic      [WarpW-1:0] wid_i,
  input  logic                  tmc_valid_i,
  input  logic [NumThreads-1:0] tmc_tmask_i,
  input  logic                  bar_valid_i,
  input  logic            [3:0] bar_id_i,
  input  logic                  bar_is_sync_i,
  input  logic                  bar_is_arrive_i,
  input  logic                  bar_is_global_i,
  input  logic      [SizeW-1:0] bar_size_m1_i,
  output logic                  unlock_valid_o,
  output logic   [NumWarps-1:0] unlock_mask_o,
  output logic   [NumWarps-1:0] refused_o,

  output logic                  opens_o,  // accepted in this cycle
  output logic                  joins_o,
  output logic                  ends_o,
  output logic                  exits_o,
  output warp_t                 join_warp_o
);

  logic                issue_valid, issue_ready, lifecycle_valid, lifecycle_ready, exit_valid, exit_ready;
  issue_t              issue;
  lifecycle_t          lifecycle;
  exit_t               leaving;
  logic [NumWarps-1:0] released;
  logic          [2:0] fault_valid;  // issue port, lifecycle port, exit port
  fault_t        [2:0] fault;

  muster_vortex #(
    .NumWarps(NumWarps), .NumThreads(NumThreads), .EndsCount(EndsCount != 0)
  ) u_vortex (
    .clk_i, .rst_ni,
    .cta_fire_i, .cta_wid_i, .cta_id_i, .cta_size_i, .cta_hold_o,
    .wid_i, .tmc_valid_i, .tmc_tmask_i, .bar_valid_i, .bar_id_i, .bar_is_sync_i, .bar_is_arrive_i,
    .bar_is_global_i, .bar_size_m1_i,
    .unlock_valid_o, .unlock_mask_o, .refused_o,
    .issue_valid_o (issue_valid), .issue_ready_i (issue_ready), .issue_o (issue),
    .lifecycle_valid_o (lifecycle_valid), .lifecycle_ready_i (lifecycle_ready),
    .lifecycle_o (lifecycle),
    .exit_valid_o (exit_valid), .exit_ready_i (exit_ready), .exit_o (leaving),
    .release_i (released), .fault_valid_i (fault_valid[0]), .fault_i (fault[0])
  );

  /* verilator lint_off PINCONNECTEMPTY */  // what such a core leaves open
  muster #(
    .NumWarps(NumWarps), .NumCtas(NumWarps), .NumIssue(1), .EnReduce(1'b0), .EnState(1'b0),
    .EnFaults(1'b1), .EnDrain(1'b0), .EnLanes(1'b0), .EnJoin(1'b1), .EnMbarrier(1'b0)
  ) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue), .busy_o (),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle), .lifecycle_warps_i ('0),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .fence_req_o (), .fence_ack_i ('1),
    .release_o (released), .release_info_o (),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (fault_valid), .fault_o (fault), .commit_o (),
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
  assign ends_o      = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcEnd);
  assign exits_o     = exit_valid && exit_ready;
  assign join_warp_o = lifecycle.warp;

endmodule
