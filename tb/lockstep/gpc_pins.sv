// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A GPC with a port for each signal: those of muster_gpc that stand for several in one struct are taken apart. The ports
// have the names of the blocks' own, which the C++ side reads and writes.
module gpc_pins
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_warp_pkg::*;
  import muster_cluster_pkg::*;
  import muster_gpc_pkg::*;
#(
  parameter int unsigned NumUnits     = 4,
  parameter int unsigned LanesPerBeat = 8,
  parameter int unsigned NumClusters  = 8,
  parameter int unsigned NumGrids     = 2,
  parameter muster_cfg_t Cfg          = '0,
  localparam int unsigned Beats = Cfg.WarpSize / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [NumUnits-1:0][Cfg.NumIssue-1:0] issue_valid_i,
  output logic [NumUnits-1:0][Cfg.NumIssue-1:0] issue_ready_o,
  input  issue_t [NumUnits-1:0][Cfg.NumIssue-1:0] issue_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] busy_o,
  output logic [NumUnits-1:0] idle_o,
  input  logic [NumUnits-1:0] lifecycle_valid_i,
  output logic [NumUnits-1:0] lifecycle_ready_o,
  input  lifecycle_t [NumUnits-1:0] lifecycle_i,
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] lifecycle_warps_i,
  input  logic [NumUnits-1:0] exit_valid_i,
  output logic [NumUnits-1:0] exit_ready_o,
  input  exit_t [NumUnits-1:0] exit_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] fence_req_o,
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] fence_ack_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] release_o,
  output release_t [NumUnits-1:0] release_info_o,
  output logic [NumUnits-1:0] response_valid_o,
  input  logic [NumUnits-1:0] response_ready_i,
  output response_t [NumUnits-1:0] response_o,
  output logic [NumUnits-1:0][Cfg.NumIssue+1:0] fault_valid_o,
  output fault_t [NumUnits-1:0][Cfg.NumIssue+1:0] fault_o,
  output commit_t [NumUnits-1:0] commit_o,
  output mb_commit_t [NumUnits-1:0] mb_commit_o,
  input  cta_t [NumUnits-1:0] debug_cta_i,
  input  bar_t [NumUnits-1:0] debug_bar_i,
  output bar_word_t [NumUnits-1:0] debug_word_o,
  input  warp_t [NumUnits-1:0] debug_warp_i,
  output debug_warp_t [NumUnits-1:0] debug_warp_o,
  input  logic [NumUnits-1:0] mb_issue_valid_i,
  output logic [NumUnits-1:0] mb_issue_ready_o,
  input  mb_group_t [NumUnits-1:0] mb_issue_i,
  input  logic [NumUnits-1:0] mb_async_valid_i,
  output logic [NumUnits-1:0] mb_async_ready_o,
  input  mb_async_t [NumUnits-1:0] mb_async_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_busy_o,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_fence_req_o,
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_fence_ack_i,
  output logic [NumUnits-1:0] smem_read_valid_o,
  input  logic [NumUnits-1:0] smem_read_ready_i,
  output mb_place_t [NumUnits-1:0] smem_read_place_o,
  input  logic [NumUnits-1:0] smem_rdata_valid_i,
  input  mb_word_t [NumUnits-1:0] smem_rdata_i,
  output logic [NumUnits-1:0] smem_write_valid_o,
  input  logic [NumUnits-1:0] smem_write_ready_i,
  output mb_place_t [NumUnits-1:0] smem_write_place_o,
  output mb_word_t [NumUnits-1:0] smem_write_data_o,
  output logic [NumUnits-1:0][MbHeld-1:0] smem_held_valid_o,
  output mb_place_t [NumUnits-1:0][MbHeld-1:0] smem_held_place_o,
  input  logic [NumUnits-1:0] smem_yield_i,
  output logic [NumUnits-1:0] mb_response_valid_o,
  input  logic [NumUnits-1:0] mb_response_ready_i,
  output mb_response_t [NumUnits-1:0] mb_response_o,
  input  logic [NumUnits-1:0][31:0] mb_stopped_ns_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_wake_o,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_expire_o,
  output logic [NumUnits-1:0] mb_fault_valid_o,
  output mb_fault_t [NumUnits-1:0] mb_fault_o,
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] warp_clear_i,
  input  logic [NumUnits-1:0] warp_valid_i,
  output logic [NumUnits-1:0] warp_ready_o,
  input  warp_request_t [NumUnits-1:0] warp_i,
  input  logic [NumUnits-1:0][BeatW-1:0] warp_beat_i,
  input  logic [NumUnits-1:0] warp_last_i,
  input  logic [NumUnits-1:0][LanesPerBeat-1:0][63:0] warp_values_i,
  output logic [NumUnits-1:0] answer_valid_o,
  output warp_answer_t [NumUnits-1:0] answer_o,
  output warp_group_t [NumUnits-1:0] group_o,
  output logic [NumUnits-1:0][63:0] value_o,
  output logic [NumUnits-1:0] arrival_valid_o,
  input  logic [NumUnits-1:0] arrival_ready_i,
  output warp_arrival_t [NumUnits-1:0] arrival_o,
  output logic [NumUnits-1:0] warp_fault_valid_o,
  output warp_fault_t [NumUnits-1:0] warp_fault_o,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] warp_open_o,
  input  logic cluster_life_valid_i,
  output logic cluster_life_ready_o,
  input  cluster_life_t cluster_life_i,
  output fault_e cluster_life_fault_o,
  input  logic [NumUnits-1:0] cluster_valid_i,
  output logic [NumUnits-1:0] cluster_ready_o,
  input  cluster_request_t [NumUnits-1:0] cluster_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_busy_o,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_fence_req_o,
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_fence_ack_i,
  output logic [NumUnits-1:0] go_valid_o,
  output cluster_go_t [NumUnits-1:0] go_o,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_release_o,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] grid_release_o,
  output logic [NumUnits-1:0] cluster_fault_valid_o,
  output cluster_fault_t [NumUnits-1:0] cluster_fault_o,
  output logic [NumGrids-1:0] grid_launch_o,
  output logic [NumGrids-1:0] grid_flush_o,
  input  logic [NumGrids-1:0] grid_flushed_i,
  input  logic [NumUnits-1:0] send_valid_i,
  output logic [NumUnits-1:0] send_ready_o,
  input  remote_send_t [NumUnits-1:0] send_i,
  output remote_from_t [NumUnits-1:0] remote_from_o,
  output logic [NumUnits-1:0] lost_valid_o,
  output remote_lost_t [NumUnits-1:0] lost_o,
  input  logic [NumUnits-1:0] cancel_valid_i,
  output logic [NumUnits-1:0] cancel_ready_o,
  input  cancel_t [NumUnits-1:0] cancel_i,
  output logic cancel_take_valid_o,
  input  logic cancel_take_ready_i,
  input  cancel_response_t cancel_take_i,
  output logic [NumUnits-1:0] cancel_write_valid_o,
  input  logic [NumUnits-1:0] cancel_write_ready_i,
  output cancel_write_t cancel_write_o,
  output logic cancel_lost_valid_o,
  output remote_lost_t cancel_lost_o
);

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

endmodule
