// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a core of a GPC has: a barrier unit, atomics and a warp scope beside it, and an arbiter
// before the unit's async port, which copy engines and responses of clusterlaunchcontrol share.
// Wiring; muster_gpc has the ports, and the cluster scope that these cores have in common.
module muster_gpc_unit
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_atomics_pkg::*;
  import muster_cluster_pkg::*;
  import muster_gpc_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  parameter bit          EnAtomics    = 1'b1,
  parameter int unsigned Floats       = 3,
  parameter bit          En128        = 1'b1,
  parameter int unsigned LanesPerBeat = 8,
  // But for illegal values, which the blocks below refuse.
  localparam muster_cfg_t Legal    = Nearest(Cfg),
  localparam int unsigned NumWarps = Legal.NumWarps,
  localparam int unsigned NumIssue = Legal.NumIssue,
  localparam int unsigned Lanes    = PowerWithin(LanesPerBeat, 1, Legal.WarpSize),
  localparam int unsigned Beats    = Legal.WarpSize / Lanes,
  localparam int unsigned BeatW    = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  output logic                  idle_o,  // but for the cluster scope
  input  logic                  mb_clk_i,
  output logic                  mb_idle_o,

  input  logic   [NumIssue-1:0] issue_valid_i,
  output logic   [NumIssue-1:0] issue_ready_o,
  input  issue_t [NumIssue-1:0] issue_i,
  input  cta_req_t              cta_req_i,
  output cta_rsp_t              cta_rsp_o,
  input  logic [NumWarps-1:0]   lifecycle_warps_i,
  output logic [NumWarps-1:0]   busy_o,
  output logic [NumWarps-1:0]   fence_req_o,
  input  logic [NumWarps-1:0]   fence_ack_i,
  output logic [NumWarps-1:0]   release_o,
  output logic   [NumIssue+1:0] fault_valid_o,
  output fault_t [NumIssue+1:0] fault_o,
`ifdef MUSTER_OBSERVE
  input  debug_req_t            debug_req_i,
  output debug_rsp_t            debug_rsp_o,
`endif

  input  mb_req_t               mb_req_i,
  output mb_rsp_t               mb_rsp_o,
  output logic [NumWarps-1:0]   mb_busy_o,
  output logic [NumWarps-1:0]   mb_fence_req_o,
  input  logic [NumWarps-1:0]   mb_fence_ack_i,
  output logic [NumWarps-1:0]   mb_wake_o,
  output logic [NumWarps-1:0]   mb_expire_o,
  output smem_req_t             smem_req_o,
  input  smem_rsp_t             smem_rsp_i,

  input  at_req_t               at_req_i,
  output at_rsp_t               at_rsp_o,
  output logic [NumWarps-1:0]   at_busy_o,
  output logic [NumWarps-1:0]   at_fence_req_o,
  input  logic [NumWarps-1:0]   at_fence_ack_i,
  output at_smem_req_t          at_smem_req_o,
  input  smem_rsp_t             at_smem_rsp_i,

  input  warp_req_t             warp_req_i,
  output warp_rsp_t             warp_rsp_o,
  input  logic [Lanes-1:0][63:0] warp_values_i,
  input  logic [NumWarps-1:0]   warp_clear_i,
  output logic [NumWarps-1:0]   warp_open_o,

  // From the cluster scope: warps that are busy there, operations of other CTAs, answers of
  // atomics, and completions of responses of clusterlaunchcontrol.
  input  logic [NumWarps-1:0]   cluster_busy_i,
  input  logic                  remote_valid_i,
  output logic                  remote_ready_o,
  input  mb_remote_t            remote_i,
  input  at_remote_t            remote_atomic_i,
  input  remote_from_t          remote_from_i,
  output logic                  answer_valid_o,
  input  logic                  answer_ready_i,
  output at_response_t          answer_o,
  input  logic                  complete_valid_i,
  output logic                  complete_ready_o,
  input  mb_async_t             complete_i
);

  logic      async_valid, async_ready, unit_idle, atomics_active, warp_active;
  mb_async_t async;

  logic       mb_remote_valid, mb_remote_ready;
  mb_remote_t mb_remote;

  muster_async_mux u_async (
    .clk_i, .rst_ni,
    .response_valid_i (complete_valid_i), .response_ready_o (complete_ready_o),
    .response_i (complete_i),
    .engine_valid_i (mb_req_i.async_valid), .engine_ready_o (mb_rsp_o.async_ready),
    .engine_i (mb_req_i.async),
    .valid_o (async_valid), .ready_i (async_ready), .async_o (async)
  );

  muster #(.Cfg(Cfg)) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i, .busy_o, .idle_o (unit_idle),
    .mb_clk_i, .mb_idle_o,
    .lifecycle_valid_i (cta_req_i.lifecycle_valid), .lifecycle_ready_o (cta_rsp_o.lifecycle_ready),
    .lifecycle_i (cta_req_i.lifecycle), .lifecycle_warps_i,
    .exit_valid_i (cta_req_i.exit_valid), .exit_ready_o (cta_rsp_o.exit_ready),
    .exit_i (cta_req_i.exit),
    .fence_req_o, .fence_ack_i, .release_o, .release_info_o (cta_rsp_o.release_info),
    .response_valid_o (cta_rsp_o.response_valid), .response_ready_i (cta_req_i.response_ready),
    .response_o (cta_rsp_o.response), .fault_valid_o, .fault_o,
`ifdef MUSTER_OBSERVE
    .commit_o (debug_rsp_o.commit), .mb_commit_o (debug_rsp_o.mb_commit),
    .debug_cta_i (debug_req_i.cta), .debug_bar_i (debug_req_i.bar),
    .debug_word_o (debug_rsp_o.word), .debug_warp_i (debug_req_i.warp),
    .debug_warp_o (debug_rsp_o.warp),
`endif
    .mb_issue_valid_i (mb_req_i.issue_valid), .mb_issue_ready_o (mb_rsp_o.issue_ready),
    .mb_issue_i (mb_req_i.issue),
    .mb_async_valid_i (async_valid), .mb_async_ready_o (async_ready), .mb_async_i (async),
    .mb_remote_valid_i (mb_remote_valid), .mb_remote_ready_o (mb_remote_ready),
    .mb_remote_i (mb_remote),
    .mb_busy_o, .mb_fence_req_o, .mb_fence_ack_i,
    .smem_read_valid_o (smem_req_o.read_valid), .smem_read_ready_i (smem_rsp_i.read_ready),
    .smem_read_place_o (smem_req_o.read_place), .smem_rdata_valid_i (smem_rsp_i.rdata_valid),
    .smem_rdata_i (smem_rsp_i.rdata),
    .smem_write_valid_o (smem_req_o.write_valid), .smem_write_ready_i (smem_rsp_i.write_ready),
    .smem_write_place_o (smem_req_o.write_place), .smem_write_data_o (smem_req_o.write_data),
    .smem_held_valid_o (smem_req_o.held_valid), .smem_held_place_o (smem_req_o.held_place),
    .smem_yield_i (smem_rsp_i.yield),
    .mb_response_valid_o (mb_rsp_o.response_valid),
    .mb_response_ready_i (mb_req_i.response_ready), .mb_response_o (mb_rsp_o.response),
    .mb_stopped_ns_i (mb_req_i.stopped_ns), .mb_wake_o, .mb_wake_report_o (mb_rsp_o.wake_report),
    .mb_expire_o,
    .mb_fault_valid_o (mb_rsp_o.fault_valid), .mb_fault_o (mb_rsp_o.fault)
  );

  if (EnAtomics) begin : g_atomics
    logic         update_valid, update_ready, response_valid, at_busy, at_pending, at_active;
    at_update_t   update;
    at_response_t response;

    muster_remote_split #(.SmemBytes(Legal.SmemBytes)) u_split (
      .clk_i, .rst_ni,
      .valid_i (remote_valid_i), .ready_o (remote_ready_o), .remote_i, .atomic_i (remote_atomic_i),
      .unit_i (remote_from_i.unit), .warp_i (remote_from_i.warp),
      .update_valid_o (update_valid), .update_ready_i (update_ready), .update_o (update),
      .commit_i (at_rsp_o.commit),
      .mb_valid_o (mb_remote_valid), .mb_ready_i (mb_remote_ready), .mb_o (mb_remote),
      .pending_o (at_pending)
    );

    muster_atomics #(
      .Cfg(Cfg), .Floats(Floats), .En128(En128), .EnRemote(1'b1)
    ) u_atomics (
      .clk_i, .rst_ni,
      .issue_valid_i (at_req_i.issue_valid), .issue_ready_o (at_rsp_o.issue_ready),
      .issue_i (at_req_i.issue),
      .remote_valid_i (update_valid), .remote_ready_o (update_ready), .remote_i (update),
      .busy_o (at_busy_o), .remote_busy_o (at_busy), .active_o (at_active),
      .fence_req_o (at_fence_req_o), .fence_ack_i (at_fence_ack_i),
      .smem_read_valid_o (at_smem_req_o.read_valid),
      .smem_read_ready_i (at_smem_rsp_i.read_ready),
      .smem_read_place_o (at_smem_req_o.read_place),
      .smem_rdata_valid_i (at_smem_rsp_i.rdata_valid), .smem_rdata_i (at_smem_rsp_i.rdata),
      .smem_write_valid_o (at_smem_req_o.write_valid),
      .smem_write_ready_i (at_smem_rsp_i.write_ready),
      .smem_write_place_o (at_smem_req_o.write_place),
      .smem_write_data_o (at_smem_req_o.write_data),
      .smem_held_valid_o (at_smem_req_o.held_valid),
      .smem_held_place_o (at_smem_req_o.held_place), .smem_yield_i (at_smem_rsp_i.yield),
      .response_valid_o (response_valid),
      .response_ready_i (response.from.remote ? answer_ready_i : at_req_i.response_ready),
      .response_o (response),
      .fault_valid_o (at_rsp_o.fault_valid), .fault_o (at_rsp_o.fault),
      .commit_o (at_rsp_o.commit)
    );

    assign at_rsp_o.response_valid = response_valid && !response.from.remote;
    assign at_rsp_o.response       = response;
    assign at_rsp_o.remote_busy    = at_busy || at_pending;
    assign answer_valid_o          = response_valid && response.from.remote;
    assign answer_o                = response;
    assign atomics_active          = at_active || at_pending;
  end else begin : g_no_atomics
    assign at_rsp_o       = '0;
    assign at_busy_o      = '0;
    assign at_fence_req_o = '0;
    assign at_smem_req_o  = '0;
    assign answer_valid_o = 1'b0;
    assign answer_o       = '0;
    assign mb_remote_valid = remote_valid_i;
    assign remote_ready_o  = mb_remote_ready;
    assign mb_remote       = remote_i;
    assign atomics_active = 1'b0;
  end

  muster_warp #(
    .NumWarps(NumWarps), .WarpSize(Legal.WarpSize), .LanesPerBeat(LanesPerBeat)
  ) u_warp (
    .clk_i, .rst_ni, .clear_i (warp_clear_i),
    .valid_i (warp_req_i.valid), .ready_o (warp_rsp_o.ready), .request_i (warp_req_i.request),
    .beat_i (warp_req_i.beat[BeatW-1:0]), .last_i (warp_req_i.last), .values_i (warp_values_i),
    .answer_valid_o (warp_rsp_o.answer_valid), .answer_o (warp_rsp_o.answer),
    .group_o (warp_rsp_o.group), .value_o (warp_rsp_o.value),
    .arrival_valid_o (warp_rsp_o.arrival_valid), .arrival_ready_i (warp_req_i.arrival_ready),
    .arrival_o (warp_rsp_o.arrival), .busy_i (busy_o | cluster_busy_i),
    .fault_valid_o (warp_rsp_o.fault_valid), .fault_o (warp_rsp_o.fault),
    .open_o (warp_open_o), .active_o (warp_active)
  );

  assign idle_o = unit_idle && !atomics_active && !warp_active && warp_clear_i == '0;

endmodule
