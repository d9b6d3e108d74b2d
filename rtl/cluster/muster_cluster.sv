// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cluster scope of a GPC: where CTAs wait for each other, and how they reach each other's
// mbarriers and values. Wiring. README.md has the ports and what the cores do. Below this module
// there is only Cfg.
module muster_cluster
  import muster_pkg::*;
  import muster_atomics_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits    = 4,
  parameter int unsigned NumWarps    = 32,
  parameter int unsigned NumCtas     = 8,
  parameter int unsigned NumClusters = 8,
  parameter int unsigned NumGrids    = 2,
  parameter int unsigned NumRanks    = 16,    // CTAs of a cluster, at most
  parameter bit          EnAtomics   = 1'b1,  // the units have atomics
  // What the block is made of: the parameters, but for illegal values, which are refused below.
  /* verilator lint_off WIDTHCONCAT */  // a parameter has a width
  localparam cluster_cfg_t Cfg = NearestCluster('{
    NumUnits: NumUnits, NumWarps: NumWarps, NumCtas: NumCtas, NumClusters: NumClusters,
    NumRanks: NumRanks, NumGrids: NumGrids
  })
  /* verilator lint_on WIDTHCONCAT */
) (
  input  logic                                      clk_i,  // the only clock, rising edge
  input  logic                                      rst_ni,  // active low; asserted at any time

  // A grid, cluster or CTA comes or goes; held until ready.
  input  logic                                      life_valid_i,
  output logic                                      life_ready_o,  // it is carried out, or refused
  input  cluster_life_t                             life_i,               // which
  output fault_e                                    life_fault_o,  // with ready: why it is refused

  // A request of a warp; held until ready.
  input  logic [Cfg.NumUnits-1:0]                   request_valid_i,
  output logic [Cfg.NumUnits-1:0]                   request_ready_o,      // it is accepted
  // barrier.cluster, griddepcontrol, an exit.
  input  cluster_request_t [Cfg.NumUnits-1:0]       request_i,
  // Warps with a request between acceptance and commit.
  output logic [Cfg.NumUnits-1:0][Cfg.NumWarps-1:0] busy_o,
  // Perform what the warp has accessed until now.
  output logic [Cfg.NumUnits-1:0][Cfg.NumWarps-1:0] fence_req_o,
  // Done; without a request: nothing is outstanding.
  input  logic [Cfg.NumUnits-1:0][Cfg.NumWarps-1:0] fence_ack_i,
  // A pulse: lanes of a wait need not wait.
  output logic [Cfg.NumUnits-1:0]                   go_valid_o,
  output cluster_go_t [Cfg.NumUnits-1:0]            go_o,                 // which
  // A pulse: lanes that wait at barrier.cluster go on.
  output logic [Cfg.NumUnits-1:0][Cfg.NumWarps-1:0] release_o,
  // A pulse: lanes that wait at griddepcontrol.wait go on.
  output logic [Cfg.NumUnits-1:0][Cfg.NumWarps-1:0] grid_release_o,
  // A pulse: a request was refused.
  output logic [Cfg.NumUnits-1:0]                   fault_valid_o,
  output cluster_fault_t [Cfg.NumUnits-1:0]         fault_o,              // why, and whose it was

  // Dependents of the grid may be launched.
  output logic [Cfg.NumGrids-1:0]                   launch_o,
  output logic [Cfg.NumGrids-1:0]                   flush_o,  // all CTAs of the grid have completed
  // What the CTAs of the grid wrote is visible.
  input  logic [Cfg.NumGrids-1:0]                   flushed_i,

  // An operation on another CTA's mbarrier, or an update there; held until ready.
  input  logic [Cfg.NumUnits-1:0]                   send_valid_i,
  output logic [Cfg.NumUnits-1:0]                   send_ready_o,         // it is accepted
  input  remote_send_t [Cfg.NumUnits-1:0]           send_i,  // the operation, and the CTA
  // An operation of another CTA; held until ready.
  output logic [Cfg.NumUnits-1:0]                   remote_valid_o,
  input  logic [Cfg.NumUnits-1:0]                   remote_ready_i,       // it is taken
  output mb_remote_t [Cfg.NumUnits-1:0]             remote_o,  // for mb_remote_i of the unit
  // For the atomics, before that.
  output at_remote_t [Cfg.NumUnits-1:0]             remote_atomic_o,
  output remote_from_t [Cfg.NumUnits-1:0]           remote_from_o,  // the sender of the operation
  // A pulse: an operation of the unit is lost.
  output logic [Cfg.NumUnits-1:0]                   lost_valid_o,
  // Whose it was, and where it should have gone.
  output remote_lost_t [Cfg.NumUnits-1:0]           lost_o,

  // An answer of the unit's atomics to a warp of another unit; held until ready.
  input  logic [Cfg.NumUnits-1:0]                   answer_valid_i,
  output logic [Cfg.NumUnits-1:0]                   answer_ready_o,       // it is accepted
  input  at_response_t [Cfg.NumUnits-1:0]           answer_i,             // to whom, and the word
  // An answer to a warp of this unit; held until ready.
  output logic [Cfg.NumUnits-1:0]                   reply_valid_o,
  input  logic [Cfg.NumUnits-1:0]                   reply_ready_i,        // it is taken
  output at_response_t [Cfg.NumUnits-1:0]           reply_o,              // the answer

  // clusterlaunchcontrol.try_cancel; held until ready.
  input  logic [Cfg.NumUnits-1:0]                   cancel_valid_i,
  output logic [Cfg.NumUnits-1:0]                   cancel_ready_o,       // it is accepted
  // Whose it is, and where the response goes.
  input  cancel_t [Cfg.NumUnits-1:0]                cancel_i,
  // The next cluster is not to be launched; until ready.
  output logic                                      take_valid_o,
  input  logic                                      take_ready_i,         // the scheduler answers
  input  cancel_response_t                          take_i,               // the response
  // The response is to be written; until ready.
  output logic [Cfg.NumUnits-1:0]                   write_valid_o,
  input  logic [Cfg.NumUnits-1:0]                   write_ready_i,        // it is written
  output cancel_write_t                             write_o,              // where, and the 16 bytes
  // Its mbarrier hears of it; until ready.
  output logic [Cfg.NumUnits-1:0]                   complete_valid_o,
  input  logic [Cfg.NumUnits-1:0]                   complete_ready_i,     // it is taken
  output mb_async_t                                 complete_o,  // for mb_async_i of the unit
  // A pulse: a CTA that the response is for is not there.
  output logic                                      cancel_lost_valid_o,
  output remote_lost_t                              cancel_lost_o,        // which
  // Something is presented or on its way.
  output logic                                      active_o
);

`include "muster_assert.svh"

  `MUSTER_LEGAL(NumUnits == Cfg.NumUnits, "NumUnits must be 1 to 16")
  `MUSTER_LEGAL(NumWarps == Cfg.NumWarps, "NumWarps must be 4 to 64")
  `MUSTER_LEGAL(NumCtas == Cfg.NumCtas, "NumCtas must be 1 to 32")
  `MUSTER_LEGAL(NumClusters == Cfg.NumClusters, "NumClusters must be 1 to 64")
  `MUSTER_LEGAL(NumRanks == Cfg.NumRanks, "NumRanks must be 16 or 32")
  `MUSTER_LEGAL(NumGrids == Cfg.NumGrids, "NumGrids must be 1 to 8")

  localparam int unsigned UnitW    = (Cfg.NumUnits > 1) ? $clog2(Cfg.NumUnits) : 1;
  localparam int unsigned ClusterW = (Cfg.NumClusters > 1) ? $clog2(Cfg.NumClusters) : 1;
  localparam int unsigned PlaceW   = ClusterW + $clog2(Cfg.NumRanks);

  // -------------------------------------------------------------------------------------------
  // Grids, clusters and CTAs come and go
  // -------------------------------------------------------------------------------------------

  logic      grid_open, cluster_open, launch, end_valid, ends, leaves, grid_news_valid;
  logic      [Cfg.NumUnits-1:0] addressed, unit_ready, news_pending;
  logic      [Cfg.NumUnits-1:0][Cfg.NumCtas-1:0] resident, news_settled;
  logic      [Cfg.NumClusters-1:0][Cfg.NumRanks-1:0] members, present, launched, reachable;
  cta_rank_t [Cfg.NumUnits-1:0] cta_rank;
  cta_rank_t leaver;
  grids_t    running, performed;
  cta_news_t grid_news;
  logic      slot_target, slot_written, slot_lookup, cluster_sender;

  muster_cluster_life #(.Cfg(Cfg)) u_life (
    .clk_i, .rst_ni,
    .life_valid_i, .life_ready_o, .life_i, .life_fault_o, .resident_i (resident),
    .members_i (members), .present_i (present), .launched_i (launched), .running_i (running),
    .slot_target_i (slot_target), .slot_written_i (slot_written), .slot_lookup_i (slot_lookup),
    .cluster_sender_i (cluster_sender), .news_settled_i (news_settled),
    .news_pending_i (news_pending), .news_valid_i (grid_news_valid), .news_i (grid_news),
    .unit_ready_i (unit_ready), .cta_rank_i (cta_rank), .addressed_o (addressed),
    .end_valid_o (end_valid), .leaves_o (leaves), .leaver_o (leaver),
    .grid_open_o (grid_open), .cluster_open_o (cluster_open), .launch_o (launch), .end_o (ends)
  );

  // -------------------------------------------------------------------------------------------
  // barrier.cluster: the units, then the hub
  // -------------------------------------------------------------------------------------------

  // A request without its warp.
  typedef struct packed {
    cluster_op_e op;
    cta_t        cta;
    lanes_t      lanes;
    lanes_t      live;
  } drained_t;

  logic      [Cfg.NumUnits-1:0] valid, ready, news_valid, news_ready, counts;
  logic      [Cfg.NumUnits-1:0][Cfg.NumWarps-1:0] draining, counting;
  cta_news_t [Cfg.NumUnits-1:0] news;
  cluster_t  completed;
  logic      completes, sends, cancels, replies;

  for (genvar u = 0; u < Cfg.NumUnits; u++) begin : g_unit
    drained_t         offered, drained;
    warp_t            warp;
    cluster_request_t request;

    assign offered = '{op: request_i[u].op, cta: request_i[u].cta, lanes: request_i[u].lanes,
                       live: request_i[u].live};
    assign request = '{op: drained.op, warp: warp, cta: drained.cta, lanes: drained.lanes,
                       live: drained.live};

    muster_drain #(.NumWarps(Cfg.NumWarps), .data_t(drained_t)) u_drain (
      .clk_i, .rst_ni,
      .valid_i (request_valid_i[u]), .ready_o (request_ready_o[u]),
      .releasing_i (request_i[u].op == ClArrive && request_i[u].lanes != '0),
      .warp_i (request_i[u].warp), .data_i (offered),
      .busy_o (draining[u]), .fence_req_o (fence_req_o[u]), .fence_ack_i (fence_ack_i[u]),
      .valid_o (valid[u]), .ready_i (ready[u]), .warp_o (warp), .data_o (drained)
    );
    muster_cluster_count #(.Cfg(Cfg)) u_count (
      .clk_i, .rst_ni,
      .valid_i (valid[u]), .ready_o (ready[u]), .request_i (request), .busy_o (counting[u]),
      .life_valid_i (addressed[u]), .life_ready_o (unit_ready[u]),
      .launch_i (launch && addressed[u]), .end_i (ends && addressed[u]), .life_i,
      .resident_o (resident[u]), .news_settled_o (news_settled[u]),
      .news_pending_o (news_pending[u]), .cta_rank_o (cta_rank[u]),
      .phase_complete_i (completes), .cluster_i (completed), .performed_i (performed),
      .news_valid_o (news_valid[u]), .news_ready_i (news_ready[u]), .news_o (news[u]),
      .go_valid_o (go_valid_o[u]), .go_o (go_o[u]),
      .release_o (release_o[u]), .grid_release_o (grid_release_o[u]),
      .fault_valid_o (fault_valid_o[u]), .fault_o (fault_o[u]), .active_o (counts[u])
    );
  end

  muster_cluster_hub #(.Cfg(Cfg)) u_hub (
    .clk_i, .rst_ni, .news_valid_i (news_valid), .news_ready_o (news_ready), .news_i (news),
    .news_valid_o (grid_news_valid), .news_o (grid_news),
    .open_i (cluster_open), .launch_i (launch), .life_i, .leaves_i (leaves), .leaver_i (leaver),
    .members_o (members), .present_o (present), .launched_o (launched), .reachable_o (reachable),
    .phase_complete_o (completes), .cluster_o (completed)
  );

  assign busy_o = draining | counting;

  // -------------------------------------------------------------------------------------------
  // griddepcontrol, the network, clusterlaunchcontrol
  // -------------------------------------------------------------------------------------------

  logic [PlaceW-1:0] find;
  logic [UnitW-1:0]  find_unit;
  cta_t              find_cta;

  remote_send_t [Cfg.NumUnits-1:0] sent;

  muster_cluster_grid #(.Cfg(Cfg)) u_grid (
    .clk_i, .rst_ni,
    .open_i (grid_open), .life_i, .running_o (running),
    .news_valid_i (grid_news_valid), .news_i (grid_news),
    .launch_o, .flush_o, .flushed_i, .performed_o (performed)
  );

  muster_cluster_network #(.Cfg(Cfg)) u_network (
    .clk_i, .rst_ni, .launch_i (launch), .life_i, .reachable_i (reachable),
    .slot_target_o (slot_target), .cluster_sender_o (cluster_sender),
    .send_valid_i, .send_ready_o, .send_i (sent), .remote_valid_o, .remote_ready_i, .remote_o,
    .atomic_o (remote_atomic_o), .from_o (remote_from_o), .lost_valid_o, .lost_o,
    .find_i (find), .find_unit_o (find_unit), .find_cta_o (find_cta), .active_o (sends)
  );

  if (EnAtomics) begin : g_atomics
    logic [Cfg.NumUnits-1:0][UnitW-1:0] asker;

    for (genvar u = 0; u < Cfg.NumUnits; u++) begin : g_asker
      assign asker[u] = answer_i[u].from.unit[UnitW-1:0];
    end
    assign sent = send_i;

    muster_cluster_crossbar #(.NumUnits(Cfg.NumUnits), .data_t(at_response_t)) u_answers (
      .clk_i, .rst_ni, .valid_i (answer_valid_i), .ready_o (answer_ready_o), .target_i (asker),
      .data_i (answer_i), .valid_o (reply_valid_o), .ready_i (reply_ready_i), .data_o (reply_o)
    );
    assign replies = answer_valid_i != '0 || reply_valid_o != '0;
  end else begin : g_no_atomics
    always_comb begin
      sent = send_i;
      for (int u = 0; u < Cfg.NumUnits; u++) sent[u].atomic = '0;
    end
    assign answer_ready_o = '0;
    assign reply_valid_o  = '0;
    assign reply_o        = '0;
    assign replies        = 1'b0;
  end

  muster_cluster_cancel #(.Cfg(Cfg)) u_cancel (
    .clk_i, .rst_ni,
    .open_i (cluster_open), .end_valid_i (end_valid), .life_i, .resident_i (resident),
    .slot_written_o (slot_written), .slot_lookup_o (slot_lookup),
    .valid_i (cancel_valid_i), .ready_o (cancel_ready_o), .cancel_i,
    .members_i (members), .present_i (present),
    .find_o (find), .find_unit_i (find_unit), .find_cta_i (find_cta),
    .take_valid_o, .take_ready_i, .take_i, .write_valid_o, .write_ready_i, .write_o,
    .complete_valid_o, .complete_ready_i, .complete_o,
    .lost_valid_o (cancel_lost_valid_o), .lost_o (cancel_lost_o), .active_o (cancels)
  );

  assign active_o = life_valid_i || request_valid_i != '0 || busy_o != '0 || counts != '0 ||
                    grid_news_valid || completes || sends || cancels || replies ||
                    (flush_o & flushed_i) != '0;

  // -------------------------------------------------------------------------------------------
  // What the block relies on
  // -------------------------------------------------------------------------------------------

  `MUSTER_ASSERT_HELD(LifeHeld, life_valid_i, life_ready_o, life_i,
                      "what comes or goes changes before it is accepted")
  // By hand: a $stable of an element of an array does not compile in Verilator 5.006.
  for (genvar u = 0; u < Cfg.NumUnits; u++) begin : g_held
`ifndef SYNTHESIS
    logic [2:0]       held_q;  // presented in the cycle before, and not accepted
    cluster_request_t request_q;
    remote_send_t     send_q;
    cancel_t          cancel_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        held_q <= '0;
      end else begin
        held_q <= {request_valid_i[u] && !request_ready_o[u], send_valid_i[u] && !send_ready_o[u],
                   cancel_valid_i[u] && !cancel_ready_o[u]};
      end
    end

    always_ff @(posedge clk_i) begin
      {request_q, cancel_q} <= {request_i[u], cancel_i[u]};
      if (send_valid_i[u]) send_q <= send_i[u];
    end
`endif
    `MUSTER_ASSERT(RequestHeld, !held_q[2] || (request_valid_i[u] && request_i[u] == request_q),
                   "a request changes before it is accepted")
    `MUSTER_ASSERT(SendHeld, !held_q[1] || (send_valid_i[u] && send_i[u] == send_q),
                   "an operation changes before the network accepts it")
    `MUSTER_ASSERT(SendHas, !send_valid_i[u] || EnAtomics || !send_i[u].atomic.valid,
                   "an update is sent, and there are no atomics")
    `MUSTER_ASSERT(CancelHeld, !held_q[0] || (cancel_valid_i[u] && cancel_i[u] == cancel_q),
                   "a request to cancel changes before it is accepted")
    `MUSTER_ASSERT(LanesAreLive, !request_valid_i[u] || ((request_i[u].op == ClExit) ?
                   (request_i[u].lanes & request_i[u].live) == '0 :
                   (request_i[u].lanes & ~request_i[u].live) == '0),
                   "a request has lanes that are not live, or an exit has lanes that are left")
  end

endmodule
