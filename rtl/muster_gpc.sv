// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The barrier units of a GPC, with the warp scope of each and the cluster scope of all. Wiring:
// what leaves a unit for another one, and completions of clusterlaunchcontrol, stay inside; every
// other port is that of the block that it belongs to, and described on its page (README.md,
// mbarrier/, warp/, cluster/).
module muster_gpc
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_warp_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits     = 4,
  // These three and WarpSize of each unit; the rest of Cfg is that of muster.
  parameter int unsigned NumWarps     = 32,
  parameter int unsigned NumCtas      = 8,
  parameter int unsigned NumIssue     = 2,
  parameter int unsigned LanesPerBeat = 8,
  parameter int unsigned NumClusters  = 8,
  parameter int unsigned NumGrids     = 2,
  parameter int unsigned SmemBytes    = 262144,
  /* verilator lint_off WIDTHCONCAT */  // a parameter has a width
  parameter muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: 32, SmemBytes: SmemBytes,
    MbResponses: 8, ClockPeriodPs: 1000, WaitLimitNs: 4000, default: 1'b1
  },
  /* verilator lint_on WIDTHCONCAT */
  localparam int unsigned Beats = Cfg.WarpSize / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic clk_i,                                         // the only clock, rising edge
  input  logic rst_ni,                                        // active low; asserted at any time

  // The barriers of the cores, and their mbarriers: ports of muster, per unit
  // An operation is presented at the port, and held until ready.
  input  logic [NumUnits-1:0][Cfg.NumIssue-1:0] issue_valid_i,
  output logic [NumUnits-1:0][Cfg.NumIssue-1:0] issue_ready_o,  // it is accepted
  input  issue_t [NumUnits-1:0][Cfg.NumIssue-1:0] issue_i,    // one barrier operation of a warp
  // Warps with an operation between acceptance and commit.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] busy_o,
  output logic [NumUnits-1:0] idle_o,                         // this cycle needs no clock edge
  // The CTA scheduler presents an operation, held until ready.
  input  logic [NumUnits-1:0] lifecycle_valid_i,
  output logic [NumUnits-1:0] lifecycle_ready_o,  // it has passed the checks, and commits next
  input  lifecycle_t [NumUnits-1:0] lifecycle_i,              // launch, open, join, suspend or end
  // Launch: the warps that become live.
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] lifecycle_warps_i,
  input  logic [NumUnits-1:0] exit_valid_i,                   // lanes exit; held until ready
  output logic [NumUnits-1:0] exit_ready_o,  // the exit has passed the checks, and commits next
  input  exit_t [NumUnits-1:0] exit_i,                        // the warp and its lanes
  // Perform what the warp has accessed until now.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] fence_req_o,
  // Done; without a request: nothing is outstanding.
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] fence_ack_i,
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] release_o,    // a pulse: these warps may run again
  output release_t [NumUnits-1:0] release_info_o,  // the barrier of the release, and its result
  output logic [NumUnits-1:0] response_valid_o,               // a response; held until ready
  input  logic [NumUnits-1:0] response_ready_i,               // it is taken
  output response_t [NumUnits-1:0] response_o,  // what a B2R, or an arrival with its phase, reads
  // A pulse: an operation was refused; issue ports, lifecycle, exit.
  output logic [NumUnits-1:0][Cfg.NumIssue+1:0] fault_valid_o,
  output fault_t [NumUnits-1:0][Cfg.NumIssue+1:0] fault_o,    // its cause, and whose it was
`ifdef MUSTER_OBSERVE
  output commit_t [NumUnits-1:0] commit_o,  // operations that commit, entries that change
  output mb_commit_t [NumUnits-1:0] mb_commit_o,              // mbarrier operations that commit
  input  cta_t [NumUnits-1:0] debug_cta_i,                    // the entry to read: its CTA slot
  input  bar_t [NumUnits-1:0] debug_bar_i,                    // the entry to read: its barrier
  output bar_word_t [NumUnits-1:0] debug_word_o,              // a cycle later: its state word
  input  warp_t [NumUnits-1:0] debug_warp_i,                  // the warp to read
  // A cycle later: where it is, and whether it waits.
  output debug_warp_t [NumUnits-1:0] debug_warp_o,
`endif
  // A group of lanes of a warp is presented, held until ready.
  input  logic [NumUnits-1:0] mb_issue_valid_i,
  output logic [NumUnits-1:0] mb_issue_ready_o,               // it is accepted
  // One mbarrier operation of lanes that name one word.
  input  mb_group_t [NumUnits-1:0] mb_issue_i,
  // A copy engine presents an operation, held until ready.
  input  logic [NumUnits-1:0] mb_async_valid_i,
  output logic [NumUnits-1:0] mb_async_ready_o,               // it is accepted
  input  mb_async_t [NumUnits-1:0] mb_async_i,                // complete_tx, or an arrive-on
  // Warps with a group between acceptance and commit.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_busy_o,
  // As fence_req_o, of groups that release.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_fence_req_o,
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_fence_ack_i,  // as fence_ack_i
  output logic [NumUnits-1:0] smem_read_valid_o,              // a word is to be read
  input  logic [NumUnits-1:0] smem_read_ready_i,              // the bank grants it
  output mb_place_t [NumUnits-1:0] smem_read_place_o,         // its CTA slot and byte address
  input  logic [NumUnits-1:0] smem_rdata_valid_i,  // the word that was granted, in a later cycle
  input  mb_word_t [NumUnits-1:0] smem_rdata_i,  // that word, which stays until the next grant
  output logic [NumUnits-1:0] smem_write_valid_o,             // a word is to be written
  input  logic [NumUnits-1:0] smem_write_ready_i,             // the bank grants it: the commit
  output mb_place_t [NumUnits-1:0] smem_write_place_o,        // its CTA slot and byte address
  output mb_word_t [NumUnits-1:0] smem_write_data_o,          // the word
  // A word between its read and its write: no store reaches it.
  output logic [NumUnits-1:0][MbHeld-1:0] smem_held_valid_o,
  output mb_place_t [NumUnits-1:0][MbHeld-1:0] smem_held_place_o,  // its CTA slot and byte address
  input  logic [NumUnits-1:0] smem_yield_i,                   // a store waits for one: read no more
  output logic [NumUnits-1:0] mb_response_valid_o,            // a response; held until ready
  input  logic [NumUnits-1:0] mb_response_ready_i,            // it is taken
  output mb_response_t [NumUnits-1:0] mb_response_o,          // a token, or the answer of a wait
  // Nanoseconds for which the clock stood still before this edge.
  input  logic [NumUnits-1:0][31:0] mb_stopped_ns_i,
  // A pulse: parked waits are answered true.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_wake_o,
  // A pulse: parked waits are answered false.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] mb_expire_o,
  output logic [NumUnits-1:0] mb_fault_valid_o,               // a pulse: an operation was refused
  output mb_fault_t [NumUnits-1:0] mb_fault_o,                // its cause, and whose it was

  // Their lanes: ports of muster_warp
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] warp_clear_i,  // the warp's groups are forgotten
  input  logic [NumUnits-1:0] warp_valid_i,  // a request of lanes, held until ready
  output logic [NumUnits-1:0] warp_ready_o,                   // it is accepted
  input  warp_request_t [NumUnits-1:0] warp_i,                // a collective, a gather, an exit
  input  logic [NumUnits-1:0][BeatW-1:0] warp_beat_i,         // which lanes the values are of
  input  logic [NumUnits-1:0] warp_last_i,                    // the last beat of the request
  input  logic [NumUnits-1:0][LanesPerBeat-1:0][63:0] warp_values_i,  // the values of the beat
  output logic [NumUnits-1:0] answer_valid_o,                 // a pulse: lanes go on
  output warp_answer_t [NumUnits-1:0] answer_o,               // which, and with what result
  output warp_group_t [NumUnits-1:0] group_o,  // with the answer of WarpRead: the group
  output logic [NumUnits-1:0][63:0] value_o,  // with the answer of WarpRead: the value of a lane
  // All lanes of a warp have come to barriers, held until ready.
  output logic [NumUnits-1:0] arrival_valid_o,
  // The core presents it at an issue port, or to the cluster.
  input  logic [NumUnits-1:0] arrival_ready_i,
  output warp_arrival_t [NumUnits-1:0] arrival_o,             // the barrier, and the lanes
  output logic [NumUnits-1:0] warp_fault_valid_o,  // a pulse: a request of lanes was refused
  output warp_fault_t [NumUnits-1:0] warp_fault_o,            // its cause, and whose it was
  // Lanes of the warp wait in the warp scope.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] warp_open_o,

  // Their clusters: ports of muster_cluster
  input  logic cluster_life_valid_i,  // a grid, cluster or CTA comes or goes; held until ready
  output logic cluster_life_ready_o,                          // it is carried out, or refused
  input  cluster_life_t cluster_life_i,                       // which
  output fault_e cluster_life_fault_o,                        // with ready: why it is refused
  input  logic [NumUnits-1:0] cluster_valid_i,  // a request of a warp; held until ready
  output logic [NumUnits-1:0] cluster_ready_o,                // it is accepted
  input  cluster_request_t [NumUnits-1:0] cluster_i,  // barrier.cluster, griddepcontrol, an exit
  // Warps with a request between acceptance and commit.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_busy_o,
  // Perform what the warp has accessed until now.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_fence_req_o,
  // Done; without a request: nothing is outstanding.
  input  logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_fence_ack_i,
  output logic [NumUnits-1:0] go_valid_o,  // a pulse: lanes of a wait need not wait
  output cluster_go_t [NumUnits-1:0] go_o,                    // which
  // A pulse: lanes that wait at barrier.cluster go on.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] cluster_release_o,
  // A pulse: lanes that wait at griddepcontrol.wait go on.
  output logic [NumUnits-1:0][Cfg.NumWarps-1:0] grid_release_o,
  output logic [NumUnits-1:0] cluster_fault_valid_o,          // a pulse: a request was refused
  output cluster_fault_t [NumUnits-1:0] cluster_fault_o,      // why, and whose it was
  output logic [NumGrids-1:0] grid_launch_o,  // dependents of the grid may be launched
  output logic [NumGrids-1:0] grid_flush_o,                   // all CTAs of the grid have completed
  input  logic [NumGrids-1:0] grid_flushed_i,  // what the CTAs of the grid wrote is visible
  // An operation on another CTA's mbarrier; held until ready.
  input  logic [NumUnits-1:0] send_valid_i,
  output logic [NumUnits-1:0] send_ready_o,                   // it is accepted
  input  remote_send_t [NumUnits-1:0] send_i,                 // the operation, and the CTA
  output remote_from_t [NumUnits-1:0] remote_from_o,  // the sender of the operation in mb_remote_i
  output logic [NumUnits-1:0] lost_valid_o,  // a pulse: an operation of the unit is lost
  output remote_lost_t [NumUnits-1:0] lost_o,  // whose it was, and where it should have gone
  input  logic [NumUnits-1:0] cancel_valid_i,  // clusterlaunchcontrol.try_cancel; held until ready
  output logic [NumUnits-1:0] cancel_ready_o,                 // it is accepted
  input  cancel_t [NumUnits-1:0] cancel_i,  // whose it is, and where the response goes
  output logic cancel_take_valid_o,  // the next cluster is not to be launched; until ready
  input  logic cancel_take_ready_i,                           // the scheduler answers
  input  cancel_response_t cancel_take_i,                     // the response
  output logic [NumUnits-1:0] cancel_write_valid_o,  // the response is to be written; until ready
  input  logic [NumUnits-1:0] cancel_write_ready_i,           // it is written
  output cancel_write_t cancel_write_o,                       // where, and the 16 bytes
  output logic cancel_lost_valid_o,  // a pulse: a CTA that the response is for is not there
  output remote_lost_t cancel_lost_o                          // which
);

  logic       [NumUnits-1:0] remote_valid, remote_ready, complete_valid, complete_ready,
                             warp_active;
  mb_remote_t [NumUnits-1:0] remote;
  mb_async_t                 complete;
  logic       [NumUnits-1:0] unit_idle;
  logic                      cluster_active;

  for (genvar u = 0; u < NumUnits; u++) begin : g_unit
    logic      async_valid, async_ready;
    mb_async_t async;

    muster_async_mux u_async (
      .clk_i, .rst_ni,
      .response_valid_i (complete_valid[u]), .response_ready_o (complete_ready[u]),
      .response_i (complete),
      .engine_valid_i (mb_async_valid_i[u]), .engine_ready_o (mb_async_ready_o[u]),
      .engine_i (mb_async_i[u]),
      .valid_o (async_valid), .ready_i (async_ready), .async_o (async)
    );

    muster #(.Cfg(Cfg)) u_muster (
      .clk_i, .rst_ni,
`ifdef MUSTER_OBSERVE
      .commit_o (commit_o[u]), .mb_commit_o (mb_commit_o[u]),
      .debug_cta_i (debug_cta_i[u]), .debug_bar_i (debug_bar_i[u]), .debug_word_o (debug_word_o[u]),
      .debug_warp_i (debug_warp_i[u]), .debug_warp_o (debug_warp_o[u]),
`endif
      .issue_valid_i (issue_valid_i[u]), .issue_ready_o (issue_ready_o[u]), .issue_i (issue_i[u]),
      .busy_o (busy_o[u]), .idle_o (unit_idle[u]), .lifecycle_valid_i (lifecycle_valid_i[u]),
      .lifecycle_ready_o (lifecycle_ready_o[u]), .lifecycle_i (lifecycle_i[u]),
      .lifecycle_warps_i (lifecycle_warps_i[u]), .exit_valid_i (exit_valid_i[u]),
      .exit_ready_o (exit_ready_o[u]),
      .exit_i (exit_i[u]), .fence_req_o (fence_req_o[u]), .fence_ack_i (fence_ack_i[u]),
      .release_o (release_o[u]),
      .release_info_o (release_info_o[u]), .response_valid_o (response_valid_o[u]),
      .response_ready_i (response_ready_i[u]), .response_o (response_o[u]),
      .fault_valid_o (fault_valid_o[u]),
      .fault_o (fault_o[u]), .mb_issue_valid_i (mb_issue_valid_i[u]),
      .mb_issue_ready_o (mb_issue_ready_o[u]),
      .mb_issue_i (mb_issue_i[u]), .mb_busy_o (mb_busy_o[u]), .mb_fence_req_o (mb_fence_req_o[u]),
      .mb_fence_ack_i (mb_fence_ack_i[u]), .smem_read_valid_o (smem_read_valid_o[u]),
      .smem_read_ready_i (smem_read_ready_i[u]), .smem_read_place_o (smem_read_place_o[u]),
      .smem_rdata_valid_i (smem_rdata_valid_i[u]), .smem_rdata_i (smem_rdata_i[u]),
      .smem_write_valid_o (smem_write_valid_o[u]), .smem_write_ready_i (smem_write_ready_i[u]),
      .smem_write_place_o (smem_write_place_o[u]), .smem_write_data_o (smem_write_data_o[u]),
      .smem_held_valid_o (smem_held_valid_o[u]), .smem_held_place_o (smem_held_place_o[u]),
      .smem_yield_i (smem_yield_i[u]), .mb_response_valid_o (mb_response_valid_o[u]),
      .mb_response_ready_i (mb_response_ready_i[u]), .mb_response_o (mb_response_o[u]),
      .mb_stopped_ns_i (mb_stopped_ns_i[u]), .mb_wake_o (mb_wake_o[u]),
      .mb_expire_o (mb_expire_o[u]),
      .mb_fault_valid_o (mb_fault_valid_o[u]), .mb_fault_o (mb_fault_o[u]),
      .mb_async_valid_i (async_valid),
      .mb_async_ready_o (async_ready), .mb_async_i (async), .mb_remote_valid_i (remote_valid[u]),
      .mb_remote_ready_o (remote_ready[u]), .mb_remote_i (remote[u])
    );

    muster_warp #(
      .NumWarps(Cfg.NumWarps), .WarpSize(Cfg.WarpSize), .LanesPerBeat(LanesPerBeat)
    ) u_warp (
      .clk_i, .rst_ni, .clear_i (warp_clear_i[u]),
      .valid_i (warp_valid_i[u]), .ready_o (warp_ready_o[u]), .request_i (warp_i[u]),
      .beat_i (warp_beat_i[u]), .last_i (warp_last_i[u]), .values_i (warp_values_i[u]),
      .answer_valid_o (answer_valid_o[u]), .answer_o (answer_o[u]), .group_o (group_o[u]),
      .value_o (value_o[u]),
      .arrival_valid_o (arrival_valid_o[u]), .arrival_ready_i (arrival_ready_i[u]),
      .arrival_o (arrival_o[u]), .busy_i (busy_o[u] | cluster_busy_o[u]),
      .fault_valid_o (warp_fault_valid_o[u]), .fault_o (warp_fault_o[u]),
      .open_o (warp_open_o[u]), .active_o (warp_active[u])
    );

    assign idle_o[u] = unit_idle[u] && !warp_active[u] && warp_clear_i[u] == '0 && !cluster_active;
  end

  muster_cluster #(
    .NumUnits(NumUnits), .NumWarps(Cfg.NumWarps), .NumCtas(Cfg.NumCtas), .NumClusters(NumClusters),
    .NumGrids(NumGrids)
  ) u_cluster (
    .clk_i, .rst_ni,
    .life_valid_i (cluster_life_valid_i), .life_ready_o (cluster_life_ready_o),
    .life_i (cluster_life_i),
    .life_fault_o (cluster_life_fault_o), .request_valid_i (cluster_valid_i),
    .request_ready_o (cluster_ready_o),
    .request_i (cluster_i), .busy_o (cluster_busy_o), .fence_req_o (cluster_fence_req_o),
    .fence_ack_i (cluster_fence_ack_i), .go_valid_o, .go_o, .release_o (cluster_release_o),
    .grid_release_o,
    .fault_valid_o (cluster_fault_valid_o), .fault_o (cluster_fault_o), .launch_o (grid_launch_o),
    .flush_o (grid_flush_o), .flushed_i (grid_flushed_i), .send_valid_i, .send_ready_o, .send_i,
    .remote_from_o,
    .lost_valid_o, .lost_o, .cancel_valid_i, .cancel_ready_o, .cancel_i,
    .take_valid_o (cancel_take_valid_o),
    .take_ready_i (cancel_take_ready_i), .take_i (cancel_take_i),
    .write_valid_o (cancel_write_valid_o),
    .write_ready_i (cancel_write_ready_i), .write_o (cancel_write_o), .cancel_lost_valid_o,
    .cancel_lost_o,
    .remote_valid_o (remote_valid), .remote_ready_i (remote_ready), .remote_o (remote),
    .complete_valid_o (complete_valid), .complete_ready_i (complete_ready), .complete_o (complete),
    .active_o (cluster_active)
  );

endmodule
