// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cluster scope of a GPC: where CTAs wait for each other, and how they reach each other's
// mbarriers. Wiring, and the checks of what comes and goes. README.md has the ports and what the
// cores do.
module muster_cluster
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits    = 4,
  parameter int unsigned NumWarps    = 32,
  parameter int unsigned NumCtas     = 8,
  parameter int unsigned NumClusters = 8,
  parameter int unsigned NumGrids    = 2
) (
  input  logic                              clk_i,              // the only clock, rising edge
  input  logic                              rst_ni,             // active low; asserted at any time

  // A grid, cluster or CTA comes or goes; held until ready.
  input  logic                              life_valid_i,
  output logic                              life_ready_o,       // it is carried out, or refused
  input  cluster_life_t                     life_i,             // which
  output fault_e                            life_fault_o,       // with ready: why it is refused

  // A request of a warp; held until ready.
  input  logic             [NumUnits-1:0]   request_valid_i,
  output logic             [NumUnits-1:0]   request_ready_o,    // it is accepted
  input  cluster_request_t [NumUnits-1:0]   request_i,  // barrier.cluster, griddepcontrol, an exit
  // Warps with a request between acceptance and commit.
  output logic [NumUnits-1:0][NumWarps-1:0] busy_o,
  // Perform what the warp has accessed until now.
  output logic [NumUnits-1:0][NumWarps-1:0] fence_req_o,
  // done; without a request: nothing is outstanding.
  input  logic [NumUnits-1:0][NumWarps-1:0] fence_ack_i,
  output logic             [NumUnits-1:0]   go_valid_o,  // a pulse: lanes of a wait need not wait
  output cluster_go_t      [NumUnits-1:0]   go_o,               // which
  // A pulse: lanes that wait at barrier.cluster go on.
  output logic [NumUnits-1:0][NumWarps-1:0] release_o,
  // A pulse: lanes that wait at griddepcontrol.wait go on.
  output logic [NumUnits-1:0][NumWarps-1:0] grid_release_o,
  output logic             [NumUnits-1:0]   fault_valid_o,      // a pulse: a request was refused
  output cluster_fault_t   [NumUnits-1:0]   fault_o,            // why, and whose it was

  output logic             [NumGrids-1:0]   launch_o,  // dependents of the grid may be launched
  output logic             [NumGrids-1:0]   flush_o,  // all CTAs of the grid have completed
  // What the CTAs of the grid wrote is visible.
  input  logic             [NumGrids-1:0]   flushed_i,

  // An operation on another CTA's mbarrier; held until ready.
  input  logic             [NumUnits-1:0]   send_valid_i,
  output logic             [NumUnits-1:0]   send_ready_o,       // it is accepted
  input  remote_send_t     [NumUnits-1:0]   send_i,             // the operation, and the CTA
  // An operation of another CTA; held until ready.
  output logic             [NumUnits-1:0]   remote_valid_o,
  input  logic             [NumUnits-1:0]   remote_ready_i,     // it is taken
  output mb_remote_t       [NumUnits-1:0]   remote_o,           // for mb_remote_i of the unit
  output remote_from_t     [NumUnits-1:0]   remote_from_o,      // the sender of the operation
  // A pulse: an operation of the unit is lost.
  output logic             [NumUnits-1:0]   lost_valid_o,
  output remote_lost_t     [NumUnits-1:0]   lost_o,  // whose it was, and where it should have gone

  // clusterlaunchcontrol.try_cancel; held until ready.
  input  logic             [NumUnits-1:0]   cancel_valid_i,
  output logic             [NumUnits-1:0]   cancel_ready_o,     // it is accepted
  input  cancel_t          [NumUnits-1:0]   cancel_i,  // whose it is, and where the response goes
  // The next cluster is not to be launched; until ready.
  output logic                              take_valid_o,
  input  logic                              take_ready_i,       // the scheduler answers
  input  cancel_response_t                  take_i,             // the response
  // The response is to be written; until ready.
  output logic             [NumUnits-1:0]   write_valid_o,
  input  logic             [NumUnits-1:0]   write_ready_i,      // it is written
  output cancel_write_t                     write_o,            // where, and the 16 bytes
  // Its mbarrier hears of it; until ready.
  output logic             [NumUnits-1:0]   complete_valid_o,
  input  logic             [NumUnits-1:0]   complete_ready_i,   // it is taken
  output mb_async_t                         complete_o,         // for mb_async_i of the unit
  // A pulse: a CTA that the response is for is not there.
  output logic                              cancel_lost_valid_o,
  output remote_lost_t                      cancel_lost_o,      // which
  output logic                              active_o  // something is presented or on its way
);

`include "muster_assert.svh"

  localparam int unsigned UnitW    = (NumUnits > 1) ? $clog2(NumUnits) : 1;
  localparam int unsigned CtaW     = (NumCtas > 1) ? $clog2(NumCtas) : 1;
  localparam int unsigned ClusterW = (NumClusters > 1) ? $clog2(NumClusters) : 1;
  localparam int unsigned PlaceW   = ClusterW + $bits(rank_t);

  // -------------------------------------------------------------------------------------------
  // What comes and goes
  // -------------------------------------------------------------------------------------------

  logic                                of_cta, slot_exists, legal, legal_q, shown_q, agrees,
                                       hub_ready, units_ready;
  // An end is presented; it, or a launch, waits.
  logic                                leaves_q, held;
  logic                                reaches, crosses, writes, finds;
  logic                                begins, opens, launches, ends;  // a grid; a cluster; a CTA
  logic   [NumUnits-1:0]               addressed_d, addressed_q, settled, unit_ready, tells;
  logic   [NumUnits-1:0][NumCtas-1:0]  resident, unit_settled;
  ranks_t [NumClusters-1:0]            members, present, launched;
  grids_t                              runs, performed;
  cta_news_t                           grid_news;
  logic                                grid_news_valid;
  logic   [UnitW-1:0]                  unit;
  logic   [CtaW-1:0]                   cta;
  logic   [ClusterW-1:0]               cluster;

  assign unit        = life_i.unit[UnitW-1:0];
  assign cta         = life_i.cta[CtaW-1:0];
  assign cluster     = life_i.cluster[ClusterW-1:0];
  assign of_cta      = life_i.op inside {ClLaunch, ClEnd};
  assign slot_exists = 32'(life_i.unit) < NumUnits && 32'(life_i.cta) < NumCtas;

  // In the first cycle: whether there are such slots, and the size is one; of a CTA, also what
  // changes with other life-cycle operations only. (A grid is not over before all its CTAs have
  // been launched.)
  always_comb begin
    unique case (life_i.op)
      ClGrid:   legal = 32'(life_i.grid) < NumGrids && life_i.size != '0;
      ClOpen:   legal = 32'(life_i.cluster) < NumClusters && life_i.size != '0 &&
                        life_i.size <= MaxRanks;
      ClLaunch: legal = slot_exists && !resident[unit][cta] && 32'(life_i.cluster) < NumClusters &&
                        members[cluster][life_i.rank] && !launched[cluster][life_i.rank] &&
                        life_i.size != '0 && life_i.size <= NumWarps && runs[life_i.grid];
      default:  legal = slot_exists && resident[unit][cta];
    endcase
    for (int u = 0; u < NumUnits; u++) begin
      addressed_d[u] = of_cta && slot_exists && 32'(life_i.unit) == u;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shown_q     <= 1'b0;
      leaves_q    <= 1'b0;
      addressed_q <= '0;
    end else begin
      shown_q     <= life_valid_i && !life_ready_o && !held;
      leaves_q    <= life_valid_i && !life_ready_o && life_i.op == ClEnd;
      addressed_q <= (life_valid_i && !life_ready_o && !held) ? addressed_d : '0;
    end
  end

  always_ff @(posedge clk_i) legal_q <= legal;

  // Then: whether the grid's or the cluster's slot is free. What is asked of the hub waits until
  // the hub has heard what the units know; what is asked of a unit, until it has no request under
  // way. Nothing reaches the next CTA in a slot: an end waits until what is on its way to the CTA
  // has come there, a launch while the slot of a response is looked up, and a cluster's slot is
  // opened when no operation names it any more. The requests of the unit go on meanwhile.
  assign held = (life_i.op == ClEnd && (reaches || writes)) || (life_i.op == ClLaunch && finds);

  always_comb begin
    agrees = 1'b1;
    if (life_i.op == ClGrid) agrees = !runs[life_i.grid];
    if (life_i.op == ClOpen) agrees = present[cluster] == '0;
    hub_ready    = life_i.op != ClOpen ||
                   (tells == '0 && !(grid_news_valid && grid_news.cluster == life_i.cluster) &&
                    !(agrees && crosses));
    units_ready  = (addressed_q & ~(unit_ready & settled)) == '0;
    life_ready_o = shown_q && hub_ready && units_ready && !held;
    life_fault_o = FaultNone;
    if (!legal_q || !agrees) begin
      life_fault_o = (life_i.op == ClEnd) ? FaultCtaNotResident : FaultBadLaunch;
    end
  end

  assign begins   = shown_q && life_i.op == ClGrid && legal_q && agrees;
  assign opens    = shown_q && life_i.op == ClOpen && legal_q && agrees && hub_ready;
  assign launches = shown_q && life_i.op == ClLaunch && legal_q && units_ready && !held;
  assign ends     = shown_q && life_i.op == ClEnd && legal_q && units_ready && !held;

  always_comb begin
    for (int u = 0; u < NumUnits; u++) settled[u] = unit_settled[u][cta];
  end

  // -------------------------------------------------------------------------------------------
  // barrier.cluster: the units, then the hub
  // -------------------------------------------------------------------------------------------

  logic      [NumUnits-1:0]               valid, ready, news_valid, news_ready, counts;
  logic      [NumUnits-1:0][NumWarps-1:0] draining, counting;
  cluster_request_t [NumUnits-1:0]        request;
  cta_news_t [NumUnits-1:0]               news;
  logic                                   completes;
  cluster_t                               completed;

  for (genvar u = 0; u < NumUnits; u++) begin : g_unit
    muster_cluster_drain #(.NumWarps(NumWarps)) u_drain (
      .clk_i, .rst_ni,
      .valid_i (request_valid_i[u]), .ready_o (request_ready_o[u]), .request_i (request_i[u]),
      .busy_o (draining[u]), .fence_req_o (fence_req_o[u]), .fence_ack_i (fence_ack_i[u]),
      .valid_o (valid[u]), .ready_i (ready[u]), .request_o (request[u])
    );
    muster_cluster_count #(.NumWarps(NumWarps), .NumCtas(NumCtas)) u_count (
      .clk_i, .rst_ni,
      .valid_i (valid[u]), .ready_o (ready[u]), .request_i (request[u]), .busy_o (counting[u]),
      .life_valid_i (addressed_q[u]), .life_ready_o (unit_ready[u]),
      .launch_i (launches && addressed_q[u]),
      .end_i (ends && addressed_q[u]), .life_i,
      .resident_o (resident[u]), .news_settled_o (unit_settled[u]), .news_pending_o (tells[u]),
      .phase_complete_i (completes), .cluster_i (completed), .performed_i (performed),
      .news_valid_o (news_valid[u]), .news_ready_i (news_ready[u]), .news_o (news[u]),
      .go_valid_o (go_valid_o[u]), .go_o (go_o[u]),
      .release_o (release_o[u]), .grid_release_o (grid_release_o[u]),
      .fault_valid_o (fault_valid_o[u]), .fault_o (fault_o[u]), .active_o (counts[u])
    );
  end

  muster_cluster_hub #(.NumUnits(NumUnits), .NumClusters(NumClusters)) u_hub (
    .clk_i, .rst_ni,
    .news_valid_i (news_valid), .news_ready_o (news_ready), .news_i (news),
    .news_valid_o (grid_news_valid), .news_o (grid_news),
    .open_i (opens), .launch_i (launches), .life_i,
    .members_o (members), .present_o (present), .launched_o (launched),
    .phase_complete_o (completes), .cluster_o (completed)
  );

  assign busy_o = draining | counting;

  // -------------------------------------------------------------------------------------------
  // griddepcontrol, the network, clusterlaunchcontrol
  // -------------------------------------------------------------------------------------------

  logic [PlaceW-1:0] find;
  logic [UnitW-1:0]  find_unit;
  cta_t              find_cta;
  logic              sends, cancels;

  muster_cluster_grid #(.NumGrids(NumGrids)) u_grid (
    .clk_i, .rst_ni,
    .open_i (begins), .life_i, .running_o (runs),
    .news_valid_i (grid_news_valid), .news_i (grid_news),
    .launch_o, .flush_o, .flushed_i, .performed_o (performed)
  );

  muster_cluster_network #(
    .NumUnits(NumUnits), .NumCtas(NumCtas), .NumClusters(NumClusters)
  ) u_network (
    .clk_i, .rst_ni,
    .launch_i (launches), .end_valid_i (leaves_q), .life_i, .present_i (present),
    .resident_i (resident), .slot_target_o (reaches), .cluster_sender_o (crosses),
    .send_valid_i, .send_ready_o, .send_i, .remote_valid_o, .remote_ready_i, .remote_o,
    .from_o (remote_from_o), .lost_valid_o, .lost_o,
    .find_i (find), .find_unit_o (find_unit), .find_cta_o (find_cta), .active_o (sends)
  );

  muster_cluster_cancel #(
    .NumUnits(NumUnits), .NumCtas(NumCtas), .NumClusters(NumClusters)
  ) u_cancel (
    .clk_i, .rst_ni,
    .open_i (opens), .end_valid_i (leaves_q), .life_i, .resident_i (resident),
    .slot_written_o (writes),
    .slot_lookup_o (finds), .valid_i (cancel_valid_i), .ready_o (cancel_ready_o), .cancel_i,
    .members_i (members), .present_i (present),
    .find_o (find), .find_unit_i (find_unit), .find_cta_i (find_cta),
    .take_valid_o, .take_ready_i, .take_i, .write_valid_o, .write_ready_i, .write_o,
    .complete_valid_o, .complete_ready_i, .complete_o,
    .lost_valid_o (cancel_lost_valid_o), .lost_o (cancel_lost_o), .active_o (cancels)
  );

  assign active_o = life_valid_i || request_valid_i != '0 || busy_o != '0 || counts != '0 ||
                    grid_news_valid ||
                    completes || sends || cancels || (flush_o & flushed_i) != '0;

  // -------------------------------------------------------------------------------------------
  // What the block relies on
  // -------------------------------------------------------------------------------------------

  if (NumUnits < 1 || NumUnits > MaxUnits) begin : g_bad_units
    $error("NumUnits must be 1 to 16");
  end
  if (NumWarps < 4 || NumWarps > MaxWarps) begin : g_bad_warps
    $error("NumWarps must be 4 to 64");
  end
  if (NumCtas < 1 || NumCtas > MaxCtas) begin : g_bad_ctas
    $error("NumCtas must be 1 to 32");
  end
  if (NumClusters < 1 || NumClusters > MaxClusters) begin : g_bad_clusters
    $error("NumClusters must be 1 to 64");
  end
  if (NumGrids < 1 || NumGrids > MaxGrids) begin : g_bad_grids
    $error("NumGrids must be 1 to 8");
  end

  `MUSTER_ASSERT_HELD(LifeHeld, life_valid_i, life_ready_o, life_i,
                      "what comes or goes changes before it is accepted")
  // By hand: a $stable of an element of an array does not compile in Verilator 5.006.
  for (genvar u = 0; u < NumUnits; u++) begin : g_held
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
      {request_q, send_q, cancel_q} <= {request_i[u], send_i[u], cancel_i[u]};
    end
`endif
    `MUSTER_ASSERT(RequestHeld, !held_q[2] || (request_valid_i[u] && request_i[u] == request_q),
                   "a request changes before it is accepted")
    `MUSTER_ASSERT(SendHeld, !held_q[1] || (send_valid_i[u] && send_i[u] == send_q),
                   "an operation changes before the network accepts it")
    `MUSTER_ASSERT(CancelHeld, !held_q[0] || (cancel_valid_i[u] && cancel_i[u] == cancel_q),
                   "a request to cancel changes before it is accepted")
    `MUSTER_ASSERT(LanesAreLive, !request_valid_i[u] || ((request_i[u].op == ClExit) ?
                   (request_i[u].lanes & request_i[u].live) == '0 :
                   (request_i[u].lanes & ~request_i[u].live) == '0),
                   "a request has lanes that are not live, or an exit has lanes that are left")
  end

endmodule
