// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A GPC with a port per field. The pins of each block are variables of its own u_fields, which the C++ side reads and
// writes (gpc.vlt). The outputs of this module are what crosses inside: at the ports of the units, and at those of the
// cluster scope.
module gpc_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_warp_pkg::*;
  import muster_cluster_pkg::*;
  import muster_gpc_pkg::*;
#(
  parameter int unsigned NumUnits = 4,
  parameter int unsigned LanesPerBeat = 8,
  parameter int unsigned NumClusters = 8,
  parameter int unsigned NumGrids = 2,
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
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        async_valid_o      [NumUnits],
  output logic        async_ready_o      [NumUnits],
  output logic [3:0]  async_op_o         [NumUnits],
  output logic [4:0]  async_cta_o        [NumUnits],
  output logic [31:0] async_addr_o       [NumUnits],
  output logic [31:0] async_operand_o    [NumUnits],
  output logic        remote_valid_o     [NumUnits],
  output logic        remote_ready_o     [NumUnits],
  output logic [3:0]  remote_op_o        [NumUnits],
  output logic [4:0]  remote_cta_o       [NumUnits],
  output logic [31:0] remote_addr_o      [NumUnits],
  output logic [31:0] remote_lanes_o     [NumUnits],
  output logic [31:0] remote_operand_o   [NumUnits],
  output logic        remote_has_token_o [NumUnits],
  output logic        network_ready_o    [NumUnits],  // what the cluster scope sees of the units' ready
  output logic        complete_ready_o   [NumUnits]
);

  localparam int unsigned Beats = WarpSize / LanesPerBeat;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;

  logic [NumUnits-1:0][NumIssue-1:0] issue_valid_i, issue_ready_o;
  issue_t [NumUnits-1:0][NumIssue-1:0] issue_i;
  logic [NumUnits-1:0][NumWarps-1:0] busy_o, lifecycle_warps_i, fence_req_o, fence_ack_i, release_o, mb_busy_o,
                                     mb_fence_req_o, mb_fence_ack_i, mb_wake_o, mb_expire_o, warp_clear_i,
                                     warp_open_o, cluster_busy_o, cluster_fence_req_o, cluster_fence_ack_i,
                                     cluster_release_o, grid_release_o;
  logic [NumUnits-1:0] idle_o, lifecycle_valid_i, lifecycle_ready_o, exit_valid_i, exit_ready_o, response_valid_o,
                       response_ready_i, mb_issue_valid_i, mb_issue_ready_o, mb_async_valid_i, mb_async_ready_o,
                       smem_read_valid_o, smem_read_ready_i, smem_rdata_valid_i, smem_write_valid_o,
                       smem_write_ready_i, smem_yield_i, mb_response_valid_o, mb_response_ready_i, mb_fault_valid_o,
                       warp_valid_i, warp_ready_o, warp_last_i, answer_valid_o, arrival_valid_o, arrival_ready_i,
                       warp_fault_valid_o, cluster_valid_i, cluster_ready_o, go_valid_o, cluster_fault_valid_o,
                       send_valid_i, send_ready_o, lost_valid_o, cancel_valid_i, cancel_ready_o, cancel_write_valid_o,
                       cancel_write_ready_i;
  lifecycle_t [NumUnits-1:0] lifecycle_i;
  exit_t [NumUnits-1:0] exit_i;
  release_t [NumUnits-1:0] release_info_o;
  response_t [NumUnits-1:0] response_o;
  logic [NumUnits-1:0][NumIssue+1:0] fault_valid_o;
  fault_t [NumUnits-1:0][NumIssue+1:0] fault_o;
  commit_t [NumUnits-1:0] commit_o;
  mb_commit_t [NumUnits-1:0] mb_commit_o;
  cta_t [NumUnits-1:0] debug_cta_i;
  bar_t [NumUnits-1:0] debug_bar_i;
  bar_word_t [NumUnits-1:0] debug_word_o;
  warp_t [NumUnits-1:0] debug_warp_i;
  debug_warp_t [NumUnits-1:0] debug_warp_o;
  mb_group_t [NumUnits-1:0] mb_issue_i;
  mb_async_t [NumUnits-1:0] mb_async_i;
  mb_place_t [NumUnits-1:0] smem_read_place_o, smem_write_place_o;
  mb_word_t [NumUnits-1:0] smem_rdata_i, smem_write_data_o;
  logic [NumUnits-1:0][MbHeld-1:0] smem_held_valid_o;
  mb_place_t [NumUnits-1:0][MbHeld-1:0] smem_held_place_o;
  mb_response_t [NumUnits-1:0] mb_response_o;
  logic [NumUnits-1:0][31:0] mb_stopped_ns_i;
  mb_fault_t [NumUnits-1:0] mb_fault_o;
  warp_request_t [NumUnits-1:0] warp_i;
  logic [NumUnits-1:0][BeatW-1:0] warp_beat_i;
  logic [NumUnits-1:0][LanesPerBeat-1:0][63:0] warp_values_i;
  warp_answer_t [NumUnits-1:0] answer_o;
  warp_group_t [NumUnits-1:0] group_o;
  logic [NumUnits-1:0][63:0] value_o;
  warp_arrival_t [NumUnits-1:0] arrival_o;
  warp_fault_t [NumUnits-1:0] warp_fault_o;
  logic cluster_life_valid_i, cluster_life_ready_o, cancel_take_valid_o, cancel_take_ready_i, cancel_lost_valid_o;
  cluster_life_t cluster_life_i;
  fault_e cluster_life_fault_o;
  cluster_request_t [NumUnits-1:0] cluster_i;
  cluster_go_t [NumUnits-1:0] go_o;
  cluster_fault_t [NumUnits-1:0] cluster_fault_o;
  logic [NumGrids-1:0] grid_launch_o, grid_flush_o, grid_flushed_i;
  remote_send_t [NumUnits-1:0] send_i;
  remote_from_t [NumUnits-1:0] remote_from_o;
  remote_lost_t [NumUnits-1:0] lost_o;
  cancel_t [NumUnits-1:0] cancel_i;
  cancel_response_t cancel_take_i;
  cancel_write_t cancel_write_o;
  remote_lost_t cancel_lost_o;

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: WarpSize,
    EnReduce: EnReduce != 0, EnResult: EnResult != 0, EnState: EnState != 0, EnFaults: EnFaults != 0, EnDrain: EnDrain != 0,
    EnLanes: EnLanes != 0, EnSplit: EnSplit != 0, EnJoin: EnJoin != 0, EnLifecycle: EnLifecycle != 0,
    EnMbarrier: EnMbarrier != 0, EnMbDrop: EnMbDrop != 0, EnMbLimit: EnMbLimit != 0, SmemBytes: SmemBytes,
    MbResponses: MbResponses, ClockPeriodPs: ClockPeriodPs, WaitLimitNs: WaitLimitNs
  };

  cta_req_t     [NumUnits-1:0] cta_req_i;
  cta_rsp_t     [NumUnits-1:0] cta_rsp_o;
  mb_req_t      [NumUnits-1:0] mb_req_i;
  mb_rsp_t      [NumUnits-1:0] mb_rsp_o;
  smem_req_t    [NumUnits-1:0] smem_req_o;
  smem_rsp_t    [NumUnits-1:0] smem_rsp_i;
  warp_req_t    [NumUnits-1:0] warp_req_i;
  warp_rsp_t    [NumUnits-1:0] warp_rsp_o;
  cluster_req_t [NumUnits-1:0] cluster_req_i;
  cluster_rsp_t [NumUnits-1:0] cluster_rsp_o;
  debug_req_t   [NumUnits-1:0] debug_req_i;
  debug_rsp_t   [NumUnits-1:0] debug_rsp_o;
  scheduler_req_t              scheduler_req_i;
  scheduler_rsp_t              scheduler_rsp_o;

  for (genvar u = 0; u < NumUnits; u++) begin : g_bundles
    assign cta_req_i[u] = '{
      lifecycle_valid: lifecycle_valid_i[u], lifecycle: lifecycle_i[u], exit_valid: exit_valid_i[u], exit: exit_i[u],
      response_ready: response_ready_i[u]
    };
    assign {lifecycle_ready_o[u], exit_ready_o[u], release_info_o[u], response_valid_o[u], response_o[u]} = cta_rsp_o[u];
    assign mb_req_i[u] = '{
      issue_valid: mb_issue_valid_i[u], issue: mb_issue_i[u], async_valid: mb_async_valid_i[u], async: mb_async_i[u],
      response_ready: mb_response_ready_i[u], stopped_ns: mb_stopped_ns_i[u]
    };
    assign {mb_issue_ready_o[u], mb_async_ready_o[u], mb_response_valid_o[u], mb_response_o[u], mb_fault_valid_o[u],
            mb_fault_o[u]} = mb_rsp_o[u];
    assign {smem_read_valid_o[u], smem_read_place_o[u], smem_write_valid_o[u], smem_write_place_o[u],
            smem_write_data_o[u], smem_held_valid_o[u], smem_held_place_o[u]} = smem_req_o[u];
    assign smem_rsp_i[u] = '{
      read_ready: smem_read_ready_i[u], rdata_valid: smem_rdata_valid_i[u], rdata: smem_rdata_i[u],
      write_ready: smem_write_ready_i[u], yield: smem_yield_i[u]
    };
    assign warp_req_i[u] = '{
      valid: warp_valid_i[u], request: warp_i[u], beat: 5'(warp_beat_i[u]), last: warp_last_i[u],
      arrival_ready: arrival_ready_i[u]
    };
    assign {warp_ready_o[u], answer_valid_o[u], answer_o[u], group_o[u], value_o[u], arrival_valid_o[u], arrival_o[u],
            warp_fault_valid_o[u], warp_fault_o[u]} = warp_rsp_o[u];
    assign cluster_req_i[u] = '{
      request_valid: cluster_valid_i[u], request: cluster_i[u], send_valid: send_valid_i[u], send: send_i[u],
      cancel_valid: cancel_valid_i[u], cancel: cancel_i[u], write_ready: cancel_write_ready_i[u]
    };
    assign {cluster_ready_o[u], go_valid_o[u], go_o[u], cluster_fault_valid_o[u], cluster_fault_o[u], send_ready_o[u],
            remote_from_o[u], lost_valid_o[u], lost_o[u], cancel_ready_o[u], cancel_write_valid_o[u]} = cluster_rsp_o[u];
    assign debug_req_i[u] = '{cta: debug_cta_i[u], bar: debug_bar_i[u], warp: debug_warp_i[u]};
    assign {commit_o[u], mb_commit_o[u], debug_word_o[u], debug_warp_o[u]} = debug_rsp_o[u];
  end

  assign scheduler_req_i = '{
    life_valid: cluster_life_valid_i, life: cluster_life_i, take_ready: cancel_take_ready_i, take: cancel_take_i
  };
  assign {cluster_life_ready_o, cluster_life_fault_o, cancel_take_valid_o, cancel_write_o, cancel_lost_valid_o,
          cancel_lost_o} = scheduler_rsp_o;

  muster_gpc #(
    .NumUnits(NumUnits), .LanesPerBeat(LanesPerBeat), .NumClusters(NumClusters), .NumGrids(NumGrids), .Cfg(Cfg)
  ) u_gpc (.*);

  for (genvar u = 0; u < NumUnits; u++) begin : g_unit
    muster_fields #(.NumWarps(NumWarps), .NumIssue(NumIssue)) u_unit (
      .unit_issue_valid (issue_valid_i[u]), .unit_issue_ready (issue_ready_o[u]), .unit_issue (issue_i[u]),
      .unit_busy (busy_o[u]), .unit_idle (idle_o[u]), .unit_lifecycle_valid (lifecycle_valid_i[u]),
      .unit_lifecycle_ready (lifecycle_ready_o[u]), .unit_lifecycle (lifecycle_i[u]),
      .unit_lifecycle_warps (lifecycle_warps_i[u]), .unit_exit_valid (exit_valid_i[u]),
      .unit_exit_ready (exit_ready_o[u]), .unit_exit (exit_i[u]), .unit_fence_req (fence_req_o[u]),
      .unit_fence_ack (fence_ack_i[u]), .unit_release (release_o[u]), .unit_release_info (release_info_o[u]),
      .unit_response_valid (response_valid_o[u]), .unit_response_ready (response_ready_i[u]),
      .unit_response (response_o[u]), .unit_fault_valid (fault_valid_o[u]), .unit_fault (fault_o[u]),
      .unit_commit (commit_o[u]), .unit_mb_commit (mb_commit_o[u]), .unit_debug_cta (debug_cta_i[u]),
      .unit_debug_bar (debug_bar_i[u]), .unit_debug_word (debug_word_o[u]), .unit_debug_warp_no (debug_warp_i[u]),
      .unit_debug_warp (debug_warp_o[u]), .unit_mb_issue_valid (mb_issue_valid_i[u]),
      .unit_mb_issue_ready (mb_issue_ready_o[u]), .unit_mb_issue (mb_issue_i[u]),
      .unit_mb_async_valid (mb_async_valid_i[u]), .unit_mb_async_ready (mb_async_ready_o[u]),
      .unit_mb_async (mb_async_i[u]), .unit_mb_remote_valid (), .unit_mb_remote_ready (1'b0), .unit_mb_remote (),
      .unit_mb_busy (mb_busy_o[u]), .unit_mb_fence_req (mb_fence_req_o[u]), .unit_mb_fence_ack (mb_fence_ack_i[u]),
      .unit_smem_read_valid (smem_read_valid_o[u]), .unit_smem_read_ready (smem_read_ready_i[u]),
      .unit_smem_read_place (smem_read_place_o[u]), .unit_smem_rdata_valid (smem_rdata_valid_i[u]),
      .unit_smem_rdata (smem_rdata_i[u]), .unit_smem_write_valid (smem_write_valid_o[u]),
      .unit_smem_write_ready (smem_write_ready_i[u]), .unit_smem_write_place (smem_write_place_o[u]),
      .unit_smem_write_data (smem_write_data_o[u]), .unit_smem_held_valid (smem_held_valid_o[u]),
      .unit_smem_held_place (smem_held_place_o[u]), .unit_smem_yield (smem_yield_i[u]),
      .unit_mb_response_valid (mb_response_valid_o[u]), .unit_mb_response_ready (mb_response_ready_i[u]),
      .unit_mb_response (mb_response_o[u]), .unit_mb_stopped_ns (mb_stopped_ns_i[u]), .unit_mb_wake (mb_wake_o[u]),
      .unit_mb_expire (mb_expire_o[u]), .unit_mb_fault_valid (mb_fault_valid_o[u]), .unit_mb_fault (mb_fault_o[u])
    );

    warp_fields #(.NumWarps(NumWarps), .LanesPerBeat(LanesPerBeat), .BeatW(BeatW)) u_warp (
      .scope_clear (warp_clear_i[u]), .scope_valid (warp_valid_i[u]), .scope_ready (warp_ready_o[u]),
      .scope_request (warp_i[u]), .scope_beat (warp_beat_i[u]), .scope_last (warp_last_i[u]),
      .scope_values (warp_values_i[u]), .scope_answer_valid (answer_valid_o[u]), .scope_answer (answer_o[u]),
      .scope_group (group_o[u]), .scope_value (value_o[u]), .scope_arrival_valid (arrival_valid_o[u]),
      .scope_arrival_ready (arrival_ready_i[u]), .scope_arrival (arrival_o[u]), .scope_busy (),
      .scope_fault_valid (warp_fault_valid_o[u]), .scope_fault (warp_fault_o[u]), .scope_open (warp_open_o[u]),
      .scope_active (u_gpc.g_unit[u].u_unit.u_warp.active_o)
    );

    assign async_valid_o[u] = u_gpc.g_unit[u].u_unit.u_muster.mb_async_valid_i;
    assign async_ready_o[u] = u_gpc.g_unit[u].u_unit.u_muster.mb_async_ready_o;
    assign {async_op_o[u], async_cta_o[u], async_addr_o[u], async_operand_o[u]} =
        u_gpc.g_unit[u].u_unit.u_muster.mb_async_i;
    assign remote_valid_o[u] = u_gpc.g_unit[u].u_unit.u_muster.mb_remote_valid_i;
    assign remote_ready_o[u] = u_gpc.g_unit[u].u_unit.u_muster.mb_remote_ready_o;
    assign {remote_op_o[u], remote_cta_o[u], remote_addr_o[u], remote_lanes_o[u], remote_operand_o[u],
            remote_has_token_o[u]} = u_gpc.g_unit[u].u_unit.u_muster.mb_remote_i;
    assign network_ready_o[u]  = u_gpc.u_cluster.remote_ready_i[u];
    assign complete_ready_o[u] = u_gpc.u_cluster.complete_ready_i[u];
  end

  cluster_fields #(.NumUnits(NumUnits), .NumWarps(NumWarps), .NumGrids(NumGrids)) u_cluster (
    .scope_life_valid (cluster_life_valid_i), .scope_life_ready (cluster_life_ready_o),
    .scope_life (cluster_life_i), .scope_life_fault (cluster_life_fault_o), .scope_request_valid (cluster_valid_i),
    .scope_request_ready (cluster_ready_o), .scope_request (cluster_i), .scope_busy (cluster_busy_o),
    .scope_fence_req (cluster_fence_req_o), .scope_fence_ack (cluster_fence_ack_i), .scope_go_valid (go_valid_o),
    .scope_go (go_o), .scope_release (cluster_release_o), .scope_grid_release (grid_release_o),
    .scope_fault_valid (cluster_fault_valid_o), .scope_fault (cluster_fault_o), .scope_launch (grid_launch_o),
    .scope_flush (grid_flush_o), .scope_flushed (grid_flushed_i), .scope_send_valid (send_valid_i),
    .scope_send_ready (send_ready_o), .scope_send (send_i), .scope_remote_valid (u_gpc.u_cluster.remote_valid_o),
    .scope_remote_ready (), .scope_remote (u_gpc.u_cluster.remote_o), .scope_remote_from (remote_from_o),
    .scope_lost_valid (lost_valid_o), .scope_lost (lost_o), .scope_cancel_valid (cancel_valid_i),
    .scope_cancel_ready (cancel_ready_o), .scope_cancel (cancel_i), .scope_take_valid (cancel_take_valid_o),
    .scope_take_ready (cancel_take_ready_i), .scope_take (cancel_take_i), .scope_write_valid (cancel_write_valid_o),
    .scope_write_ready (cancel_write_ready_i), .scope_write (cancel_write_o),
    .scope_complete_valid (u_gpc.u_cluster.complete_valid_o), .scope_complete_ready (),
    .scope_complete (u_gpc.u_cluster.complete_o), .scope_cancel_lost_valid (cancel_lost_valid_o),
    .scope_cancel_lost (cancel_lost_o), .scope_active (u_gpc.u_cluster.active_o)
  );

endmodule
