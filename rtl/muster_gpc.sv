// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The barrier units of a GPC, with the atomics and the warp scope of each and the cluster scope of
// all. Wiring: what leaves a unit for another one, and completions of clusterlaunchcontrol, stay
// inside; every other port is that of the block that it belongs to, and described on its page
// (README.md, mbarrier/, atomics/, warp/, cluster/). muster_gpc_pkg has the fields of _req_i and
// _rsp_o.
module muster_gpc
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_atomics_pkg::*;
  import muster_cluster_pkg::*;
  import muster_gpc_pkg::*;
#(
  parameter int unsigned NumUnits     = 4,
  // These three and WarpSize of each unit; the rest of Cfg is that of muster.
  parameter int unsigned NumWarps     = 32,
  parameter int unsigned NumCtas      = 8,
  parameter int unsigned NumIssue     = 2,
  parameter bit          EnAtomics    = 1'b1,
  parameter int unsigned Floats       = 3,     // of the atomics, as En128
  parameter bit          En128        = 1'b1,
  parameter int unsigned LanesPerBeat = 8,
  parameter int unsigned NumClusters  = 8,
  parameter int unsigned NumGrids     = 2,
  parameter int unsigned NumRanks     = 16,    // CTAs of a cluster, at most
  parameter int unsigned SmemBytes    = 262144,
  /* verilator lint_off WIDTHCONCAT */  // a parameter has a width
  parameter muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: 32, SmemBytes: SmemBytes,
    MbResponses: 8, EnReport: 1'b0, ClockPeriodPs: 1000, WaitLimitNs: 4000, default: 1'b1
  },
  /* verilator lint_on WIDTHCONCAT */
  // But for illegal values, which the blocks below refuse.
  localparam muster_cfg_t Legal    = Nearest(Cfg),
  localparam int unsigned Units    = Within(NumUnits, 1, MaxUnits),
  localparam int unsigned Grids    = Within(NumGrids, 1, MaxGrids),
  localparam int unsigned Lanes    = PowerWithin(LanesPerBeat, 1, Legal.WarpSize)
) (
  input  logic                 clk_i,   // rising edge; mb_clk_i is in phase
  input  logic                 rst_ni,  // active low; asserted at any time
  output logic  [Units-1:0] idle_o,  // this cycle needs no clock edge
  // The clock of each mbarrier block: clk_i, but for edges that mb_idle_o lets one leave out.
  input  logic  [Units-1:0] mb_clk_i,
  output logic  [Units-1:0] mb_idle_o,

  // The named barriers of each core.
  input  logic   [Units-1:0][Legal.NumIssue-1:0] issue_valid_i,
  output logic   [Units-1:0][Legal.NumIssue-1:0] issue_ready_o,
  input  issue_t [Units-1:0][Legal.NumIssue-1:0] issue_i,
  input  cta_req_t [Units-1:0] cta_req_i,  // operations of the CTA scheduler, and exits
  output cta_rsp_t [Units-1:0] cta_rsp_o,  // what goes with a release, and responses
  input  logic   [Units-1:0][Legal.NumWarps-1:0] lifecycle_warps_i,
  output logic   [Units-1:0][Legal.NumWarps-1:0] busy_o,
  output logic   [Units-1:0][Legal.NumWarps-1:0] fence_req_o,
  input  logic   [Units-1:0][Legal.NumWarps-1:0] fence_ack_i,
  output logic   [Units-1:0][Legal.NumWarps-1:0] release_o,
  output logic   [Units-1:0][Legal.NumIssue+1:0] fault_valid_o,
  output fault_t [Units-1:0][Legal.NumIssue+1:0] fault_o,
`ifdef MUSTER_OBSERVE
  input  debug_req_t [Units-1:0] debug_req_i,  // what to read
  output debug_rsp_t [Units-1:0] debug_rsp_o,  // what commits, and what was read
`endif

  // The mbarriers of each core, and its bank of shared memory.
  input  mb_req_t [Units-1:0] mb_req_i,  // operations of warps and copy engines
  output mb_rsp_t [Units-1:0] mb_rsp_o,  // responses and faults
  output logic [Units-1:0][Legal.NumWarps-1:0] mb_busy_o,
  output logic [Units-1:0][Legal.NumWarps-1:0] mb_fence_req_o,
  input  logic [Units-1:0][Legal.NumWarps-1:0] mb_fence_ack_i,
  output logic [Units-1:0][Legal.NumWarps-1:0] mb_wake_o,
  output logic [Units-1:0][Legal.NumWarps-1:0] mb_expire_o,
  output smem_req_t [Units-1:0] smem_req_o,
  input  smem_rsp_t [Units-1:0] smem_rsp_i,

  // The atomics of each core, and their port at the bank.
  input  at_req_t [Units-1:0] at_req_i,  // updates of warps
  output at_rsp_t [Units-1:0] at_rsp_o,  // answers and faults
  output logic [Units-1:0][Legal.NumWarps-1:0] at_busy_o,
  output logic [Units-1:0][Legal.NumWarps-1:0] at_fence_req_o,
  input  logic [Units-1:0][Legal.NumWarps-1:0] at_fence_ack_i,
  output at_smem_req_t [Units-1:0] at_smem_req_o,
  input  smem_rsp_t    [Units-1:0] at_smem_rsp_i,

  // The lanes of each core's warps.
  input  warp_req_t [Units-1:0] warp_req_i,  // collectives, gathers, exits
  output warp_rsp_t [Units-1:0] warp_rsp_o,  // answers, arrivals and faults
  input  logic [Units-1:0][Lanes-1:0][63:0] warp_values_i,
  input  logic [Units-1:0][Legal.NumWarps-1:0] warp_clear_i,
  output logic [Units-1:0][Legal.NumWarps-1:0] warp_open_o,

  // The cluster scope: for each core, and for the CTA scheduler.
  input  cluster_req_t [Units-1:0] cluster_req_i,  // requests of warps, for other CTAs as well
  output cluster_rsp_t [Units-1:0] cluster_rsp_o,  // lanes that go on, faults, what was lost
  output logic [Units-1:0][Legal.NumWarps-1:0] cluster_busy_o,
  output logic [Units-1:0][Legal.NumWarps-1:0] cluster_fence_req_o,
  input  logic [Units-1:0][Legal.NumWarps-1:0] cluster_fence_ack_i,
  output logic [Units-1:0][Legal.NumWarps-1:0] cluster_release_o,
  output logic [Units-1:0][Legal.NumWarps-1:0] grid_release_o,
  input  scheduler_req_t scheduler_req_i,  // grids, clusters and CTAs come and go
  output scheduler_rsp_t scheduler_rsp_o,  // clusters that are cancelled
  output logic [Grids-1:0] grid_launch_o,
  output logic [Grids-1:0] grid_flush_o,
  input  logic [Grids-1:0] grid_flushed_i
);

  logic       [Units-1:0] remote_valid, remote_ready, complete_valid, complete_ready, unit_idle;
  mb_remote_t [Units-1:0] remote;
  mb_async_t                 complete;
  logic                      cluster_active;

  logic         [Units-1:0] answer_valid, answer_ready, reply_valid, reply_ready;
  at_remote_t   [Units-1:0] remote_atomic;
  at_response_t [Units-1:0] answer, reply;

  // The ports of the cluster scope that are in _req_i and _rsp_o, by port and not by unit.
  logic             [Units-1:0] request_valid, request_ready, go_valid, cluster_fault_valid,
                                   send_valid, send_ready, lost_valid, cancel_valid, cancel_ready,
                                   write_valid, write_ready;
  cluster_request_t [Units-1:0] request;
  cluster_go_t      [Units-1:0] go;
  cluster_fault_t   [Units-1:0] cluster_fault;
  remote_send_t     [Units-1:0] send;
  remote_from_t     [Units-1:0] remote_from;
  remote_lost_t     [Units-1:0] lost;
  cancel_t          [Units-1:0] cancel;

  for (genvar u = 0; u < Units; u++) begin : g_unit
    muster_gpc_unit #(
      .Cfg(Cfg), .EnAtomics(EnAtomics), .Floats(Floats), .En128(En128),
      .LanesPerBeat(LanesPerBeat)
    ) u_unit (
      .clk_i, .rst_ni, .idle_o (unit_idle[u]),
      .mb_clk_i (mb_clk_i[u]), .mb_idle_o (mb_idle_o[u]),
      .issue_valid_i (issue_valid_i[u]), .issue_ready_o (issue_ready_o[u]), .issue_i (issue_i[u]),
      .cta_req_i (cta_req_i[u]), .cta_rsp_o (cta_rsp_o[u]),
      .lifecycle_warps_i (lifecycle_warps_i[u]), .busy_o (busy_o[u]),
      .fence_req_o (fence_req_o[u]), .fence_ack_i (fence_ack_i[u]), .release_o (release_o[u]),
      .fault_valid_o (fault_valid_o[u]), .fault_o (fault_o[u]),
`ifdef MUSTER_OBSERVE
      .debug_req_i (debug_req_i[u]), .debug_rsp_o (debug_rsp_o[u]),
`endif
      .mb_req_i (mb_req_i[u]), .mb_rsp_o (mb_rsp_o[u]), .mb_busy_o (mb_busy_o[u]),
      .mb_fence_req_o (mb_fence_req_o[u]), .mb_fence_ack_i (mb_fence_ack_i[u]),
      .mb_wake_o (mb_wake_o[u]), .mb_expire_o (mb_expire_o[u]),
      .smem_req_o (smem_req_o[u]), .smem_rsp_i (smem_rsp_i[u]),
      .at_req_i (at_req_i[u]), .at_rsp_o (at_rsp_o[u]), .at_busy_o (at_busy_o[u]),
      .at_fence_req_o (at_fence_req_o[u]), .at_fence_ack_i (at_fence_ack_i[u]),
      .at_smem_req_o (at_smem_req_o[u]), .at_smem_rsp_i (at_smem_rsp_i[u]),
      .warp_req_i (warp_req_i[u]), .warp_rsp_o (warp_rsp_o[u]), .warp_values_i (warp_values_i[u]),
      .warp_clear_i (warp_clear_i[u]), .warp_open_o (warp_open_o[u]),
      .cluster_busy_i (cluster_busy_o[u]),
      .remote_valid_i (remote_valid[u]), .remote_ready_o (remote_ready[u]), .remote_i (remote[u]),
      .remote_atomic_i (remote_atomic[u]), .remote_from_i (remote_from[u]),
      .answer_valid_o (answer_valid[u]), .answer_ready_i (answer_ready[u]), .answer_o (answer[u]),
      .complete_valid_i (complete_valid[u]), .complete_ready_o (complete_ready[u]),
      .complete_i (complete)
    );

    assign request_valid[u] = cluster_req_i[u].request_valid;
    assign request[u]       = cluster_req_i[u].request;
    assign send_valid[u]    = cluster_req_i[u].send_valid;
    assign send[u]          = cluster_req_i[u].send;
    assign cancel_valid[u]  = cluster_req_i[u].cancel_valid;
    assign cancel[u]        = cluster_req_i[u].cancel;
    assign reply_ready[u]   = cluster_req_i[u].reply_ready;
    assign write_ready[u]   = cluster_req_i[u].write_ready;
    assign cluster_rsp_o[u] = '{
      request_ready: request_ready[u], go_valid: go_valid[u], go: go[u],
      fault_valid: cluster_fault_valid[u], fault: cluster_fault[u],
      send_ready: send_ready[u], remote_from: remote_from[u],
      lost_valid: lost_valid[u], lost: lost[u],
      reply_valid: reply_valid[u], reply: reply[u],
      cancel_ready: cancel_ready[u], write_valid: write_valid[u]
    };

    assign idle_o[u] = unit_idle[u] && !cluster_active;
  end

  muster_cluster #(
    .NumUnits(NumUnits), .NumWarps(Legal.NumWarps), .NumCtas(Legal.NumCtas),
    .NumClusters(NumClusters), .NumGrids(NumGrids), .NumRanks(NumRanks), .EnAtomics(EnAtomics)
  ) u_cluster (
    .clk_i, .rst_ni,
    .life_valid_i (scheduler_req_i.life_valid), .life_ready_o (scheduler_rsp_o.life_ready),
    .life_i (scheduler_req_i.life), .life_fault_o (scheduler_rsp_o.life_fault),
    .request_valid_i (request_valid), .request_ready_o (request_ready), .request_i (request),
    .busy_o (cluster_busy_o), .fence_req_o (cluster_fence_req_o),
    .fence_ack_i (cluster_fence_ack_i), .go_valid_o (go_valid), .go_o (go),
    .release_o (cluster_release_o), .grid_release_o,
    .fault_valid_o (cluster_fault_valid), .fault_o (cluster_fault),
    .launch_o (grid_launch_o), .flush_o (grid_flush_o), .flushed_i (grid_flushed_i),
    .send_valid_i (send_valid), .send_ready_o (send_ready), .send_i (send),
    .remote_valid_o (remote_valid), .remote_ready_i (remote_ready), .remote_o (remote),
    .remote_atomic_o (remote_atomic), .remote_from_o (remote_from),
    .answer_valid_i (answer_valid), .answer_ready_o (answer_ready), .answer_i (answer),
    .reply_valid_o (reply_valid), .reply_ready_i (reply_ready), .reply_o (reply),
    .lost_valid_o (lost_valid), .lost_o (lost),
    .cancel_valid_i (cancel_valid), .cancel_ready_o (cancel_ready), .cancel_i (cancel),
    .take_valid_o (scheduler_rsp_o.take_valid), .take_ready_i (scheduler_req_i.take_ready),
    .take_i (scheduler_req_i.take),
    .write_valid_o (write_valid), .write_ready_i (write_ready), .write_o (scheduler_rsp_o.write),
    .complete_valid_o (complete_valid), .complete_ready_i (complete_ready),
    .complete_o (complete),
    .cancel_lost_valid_o (scheduler_rsp_o.lost_valid), .cancel_lost_o (scheduler_rsp_o.lost),
    .active_o (cluster_active)
  );

endmodule
