// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit with a port per field, so that the C++ side sees names and never struct offsets. Vectors
// over warps are 64 bits wide in every configuration. Numbers only: the feature switches are
// integers here, as tools pass them on a command line.
module muster_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 2,
  parameter int unsigned WarpSize = 32,
  parameter int unsigned EnReduce = 1,
  parameter int unsigned EnResult = 1,
  parameter int unsigned EnState  = 1,
  parameter int unsigned EnFaults = 1,
  parameter int unsigned EnDrain  = 1,
  parameter int unsigned EnLanes  = 1,
  parameter int unsigned EnSplit  = 1,
  parameter int unsigned EnJoin   = 1,
  parameter int unsigned EnLifecycle = 1,
  parameter int unsigned EnMbarrier    = 1,
  parameter int unsigned EnMbDrop      = 1,
  parameter int unsigned EnMbLimit     = 1,
  parameter int unsigned SmemBytes     = 262144,
  parameter int unsigned MbResponses   = 8,
  parameter int unsigned ClockPeriodPs = 1000,
  parameter int unsigned WaitLimitNs   = 4000
) (
  input  logic                clk_i,
  input  logic                rst_ni,

`include "muster_ports.svh"
);

  logic [NumIssue-1:0] unit_issue_valid, unit_issue_ready;
  issue_t [NumIssue-1:0] unit_issue;
  logic [NumWarps-1:0] unit_busy, unit_lifecycle_warps, unit_fence_req, unit_fence_ack, unit_release, unit_mb_busy,
                       unit_mb_fence_req, unit_mb_fence_ack, unit_mb_wake, unit_mb_expire;
  logic unit_idle, unit_lifecycle_valid, unit_lifecycle_ready, unit_exit_valid, unit_exit_ready, unit_response_valid,
        unit_response_ready, unit_mb_issue_valid, unit_mb_issue_ready, unit_mb_async_valid, unit_mb_async_ready,
        unit_mb_remote_valid, unit_mb_remote_ready, unit_smem_read_valid, unit_smem_read_ready, unit_smem_rdata_valid,
        unit_smem_write_valid, unit_smem_write_ready, unit_smem_yield, unit_mb_response_valid, unit_mb_response_ready,
        unit_mb_fault_valid;
  lifecycle_t unit_lifecycle;
  exit_t unit_exit;
  release_t unit_release_info;
  response_t unit_response;
  logic [NumIssue+1:0] unit_fault_valid;
  fault_t [NumIssue+1:0] unit_fault;
  commit_t unit_commit;
  mb_commit_t unit_mb_commit;
  cta_t unit_debug_cta;
  bar_t unit_debug_bar;
  bar_word_t unit_debug_word;
  warp_t unit_debug_warp_no;
  debug_warp_t unit_debug_warp;
  mb_group_t unit_mb_issue;
  mb_async_t unit_mb_async;
  mb_remote_t unit_mb_remote;
  mb_place_t unit_smem_read_place, unit_smem_write_place;
  mb_word_t unit_smem_rdata, unit_smem_write_data;
  logic [MbHeld-1:0] unit_smem_held_valid;
  mb_place_t [MbHeld-1:0] unit_smem_held_place;
  mb_response_t unit_mb_response;
  logic [31:0] unit_mb_stopped_ns;
  mb_fault_t unit_mb_fault;

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: WarpSize,
    EnReduce: EnReduce != 0, EnResult: EnResult != 0, EnState: EnState != 0, EnFaults: EnFaults != 0, EnDrain: EnDrain != 0,
    EnLanes: EnLanes != 0, EnSplit: EnSplit != 0, EnJoin: EnJoin != 0, EnLifecycle: EnLifecycle != 0,
    EnMbarrier: EnMbarrier != 0, EnMbDrop: EnMbDrop != 0, EnMbLimit: EnMbLimit != 0, SmemBytes: SmemBytes,
    MbResponses: MbResponses, ClockPeriodPs: ClockPeriodPs, WaitLimitNs: WaitLimitNs
  };

  muster_fields #(.NumWarps(NumWarps), .NumIssue(NumIssue)) u_fields (.*);

  muster #(.Cfg(Cfg)) u_muster (
    .clk_i, .rst_ni, .issue_valid_i (unit_issue_valid), .issue_ready_o (unit_issue_ready), .issue_i (unit_issue),
    .busy_o (unit_busy), .idle_o (unit_idle), .lifecycle_valid_i (unit_lifecycle_valid),
    .lifecycle_ready_o (unit_lifecycle_ready), .lifecycle_i (unit_lifecycle),
    .lifecycle_warps_i (unit_lifecycle_warps), .exit_valid_i (unit_exit_valid), .exit_ready_o (unit_exit_ready),
    .exit_i (unit_exit), .fence_req_o (unit_fence_req), .fence_ack_i (unit_fence_ack), .release_o (unit_release),
    .release_info_o (unit_release_info), .response_valid_o (unit_response_valid),
    .response_ready_i (unit_response_ready), .response_o (unit_response), .fault_valid_o (unit_fault_valid),
    .fault_o (unit_fault), .commit_o (unit_commit), .mb_commit_o (unit_mb_commit), .debug_cta_i (unit_debug_cta),
    .debug_bar_i (unit_debug_bar), .debug_word_o (unit_debug_word), .debug_warp_i (unit_debug_warp_no),
    .debug_warp_o (unit_debug_warp), .mb_issue_valid_i (unit_mb_issue_valid), .mb_issue_ready_o (unit_mb_issue_ready),
    .mb_issue_i (unit_mb_issue), .mb_async_valid_i (unit_mb_async_valid), .mb_async_ready_o (unit_mb_async_ready),
    .mb_async_i (unit_mb_async), .mb_remote_valid_i (unit_mb_remote_valid), .mb_remote_ready_o (unit_mb_remote_ready),
    .mb_remote_i (unit_mb_remote), .mb_busy_o (unit_mb_busy), .mb_fence_req_o (unit_mb_fence_req),
    .mb_fence_ack_i (unit_mb_fence_ack), .smem_read_valid_o (unit_smem_read_valid),
    .smem_read_ready_i (unit_smem_read_ready), .smem_read_place_o (unit_smem_read_place),
    .smem_rdata_valid_i (unit_smem_rdata_valid), .smem_rdata_i (unit_smem_rdata),
    .smem_write_valid_o (unit_smem_write_valid), .smem_write_ready_i (unit_smem_write_ready),
    .smem_write_place_o (unit_smem_write_place), .smem_write_data_o (unit_smem_write_data),
    .smem_held_valid_o (unit_smem_held_valid), .smem_held_place_o (unit_smem_held_place),
    .smem_yield_i (unit_smem_yield), .mb_response_valid_o (unit_mb_response_valid),
    .mb_response_ready_i (unit_mb_response_ready), .mb_response_o (unit_mb_response),
    .mb_stopped_ns_i (unit_mb_stopped_ns), .mb_wake_o (unit_mb_wake), .mb_expire_o (unit_mb_expire),
    .mb_fault_valid_o (unit_mb_fault_valid), .mb_fault_o (unit_mb_fault)
  );

endmodule
