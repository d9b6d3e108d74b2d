// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The network through which warps reach mbarriers and values of other CTAs of their cluster (PTX
// 9.7.13.15: arrive, expect-tx and complete-tx on shared::cluster; atomics there): a crossbar with
// a stage at each sender and at each target, and a directory that knows on which unit, and in
// which slot, a CTA runs. There is no deadlock: a stage at a sender waits for a stage at a target,
// which waits for nothing but the unit. An operation whose CTA is not there, or is about to end,
// while it waits at its sender is lost.
//
// Whether a CTA is there is asked of registers, by its cluster and rank, while the directory is
// read. The directory is always asked for the operation that comes next: so no address depends on
// whether the one ahead moves on. One that does not move on keeps what the directory answered.
//
//   cycle    0           1                2
//   send_i   accepted    place is read    remote_valid_o
//                        has its turn
module muster_cluster_network
  import muster_pkg::*;
  import muster_atomics_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumUnits    = Cfg.NumUnits,
  localparam int unsigned NumClusters = Cfg.NumClusters,
  localparam int unsigned NumRanks    = Cfg.NumRanks,
  localparam int unsigned UnitW    = (NumUnits > 1) ? $clog2(NumUnits) : 1,
  localparam int unsigned ClusterW = (NumClusters > 1) ? $clog2(NumClusters) : 1,
  localparam int unsigned RankW    = $clog2(NumRanks),
  localparam int unsigned PlaceW   = ClusterW + RankW
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic                        launch_i,         // a CTA is there
  input  cluster_life_t               life_i,
  // CTAs of each cluster to which operations are passed on.
  input  logic [NumClusters-1:0][NumRanks-1:0] reachable_i,
  // An operation that has been passed on to the CTA slot of life_i.
  output logic                        slot_target_o,
  // An operation of the cluster of life_i at its sender.
  output logic                        cluster_sender_o,

  // An operation leaves the unit; held until ready.
  input  logic         [NumUnits-1:0] send_valid_i,
  output logic         [NumUnits-1:0] send_ready_o,
  input  remote_send_t [NumUnits-1:0] send_i,
  output logic         [NumUnits-1:0] remote_valid_o,  // it comes to the unit; held until ready
  input  logic         [NumUnits-1:0] remote_ready_i,
  output mb_remote_t   [NumUnits-1:0] remote_o,
  output at_remote_t   [NumUnits-1:0] atomic_o,
  output remote_from_t [NumUnits-1:0] from_o,          // the sender of the operation
  output logic         [NumUnits-1:0] lost_valid_o,    // a pulse: an operation of the unit is lost
  output remote_lost_t [NumUnits-1:0] lost_o,

  input  logic         [PlaceW-1:0]   find_i,          // the directory, for others: {cluster, rank}
  output logic         [UnitW-1:0]    find_unit_o,     // a cycle later: where that CTA runs
  output cta_t                        find_cta_o,
  output logic                        active_o
);

`include "muster_assert.svh"

  typedef struct packed {
    logic [UnitW-1:0] unit;
    cta_t             cta;
  } place_t;

  typedef struct packed {
    remote_from_t from;
    mb_remote_t   remote;
    at_remote_t   atomic;
  } flit_t;

  // -------------------------------------------------------------------------------------------
  // The senders, and the directory
  // -------------------------------------------------------------------------------------------

  logic         [NumUnits-1:0]             skid_valid, skid_ready, valid_q, taken, here, drop,
                                           names;
  remote_send_t [NumUnits-1:0]             skid, send_q;
  logic         [NumUnits:0][PlaceW-1:0]   look;
  place_t       [NumUnits:0]               found;  // what the directory answers
  place_t       [NumUnits-1:0]             place;  // of the operation at the sender
  logic         [NumUnits-1:0][UnitW-1:0]  target;
  flit_t        [NumUnits-1:0]             flit, arrived;

  for (genvar u = 0; u < NumUnits; u++) begin : g_sender
    remote_send_t sent;
    logic         fresh_q;  // the operation has come with this cycle
    place_t       kept_q;

    // The bit that a rank of sixteen never has costs nothing.
    always_comb begin
      sent      = send_i[u];
      sent.rank = rank_t'(send_i[u].rank[RankW-1:0]);
    end
    `MUSTER_ASSERT(SendRank, !send_valid_i[u] || 32'(send_i[u].rank) < NumRanks,
                   "an operation names a rank that no cluster has")

    muster_skid #(.data_t(remote_send_t)) u_skid (
      .clk_i, .rst_ni, .valid_i (send_valid_i[u]), .ready_o (send_ready_o[u]), .data_i (sent),
      .valid_o (skid_valid[u]), .ready_i (skid_ready[u]), .data_o (skid[u])
    );
    muster_stage #(.data_t(remote_send_t)) u_stage (
      .clk_i, .rst_ni, .valid_i (skid_valid[u]), .ready_o (skid_ready[u]), .data_i (skid[u]),
      .valid_o (valid_q[u]), .ready_i (taken[u] || drop[u]), .data_o (send_q[u])
    );

    always_ff @(posedge clk_i) begin
      fresh_q <= skid_ready[u];
      kept_q  <= place[u];
    end

    assign look[u]        = {skid[u].cluster[ClusterW-1:0], skid[u].rank[RankW-1:0]};
    assign place[u]       = fresh_q ? found[u] : kept_q;
    assign here[u]        = 32'(send_q[u].cluster) < NumClusters &&
                            reachable_i[send_q[u].cluster[ClusterW-1:0]]
                                       [send_q[u].rank[RankW-1:0]];
    assign names[u]       = (skid_valid[u] && skid[u].cluster == life_i.cluster) ||
                            (valid_q[u] && send_q[u].cluster == life_i.cluster);
    assign drop[u]        = valid_q[u] && !here[u];
    assign flit[u].from   = '{unit: unit_t'(u), warp: send_q[u].warp};
    assign flit[u].remote = '{op: send_q[u].op, place: '{cta: place[u].cta, addr: send_q[u].addr},
                              lanes: send_q[u].lanes, operand: send_q[u].operand,
                              has_token: send_q[u].has_token};
    assign flit[u].atomic = send_q[u].atomic;
    assign target[u]      = place[u].unit;
  end

  assign look[NumUnits] = find_i;
  assign find_unit_o    = found[NumUnits].unit;
  assign find_cta_o     = found[NumUnits].cta;

  muster_ram #(
    .Depth(1 << PlaceW), .Width($bits(place_t)), .NumRead(NumUnits + 1), .Forward('1)
  ) u_directory (
    .clk_i,
    .we_i (launch_i), .waddr_i ({life_i.cluster[ClusterW-1:0], life_i.rank[RankW-1:0]}),
    .wdata_i ({life_i.unit[UnitW-1:0], life_i.cta}),
    .raddr_i (look), .rdata_o (found)
  );

  // -------------------------------------------------------------------------------------------
  // The crossbar, and the targets
  // -------------------------------------------------------------------------------------------

  muster_cluster_crossbar #(.NumUnits(NumUnits), .data_t(flit_t)) u_crossbar (
    .clk_i, .rst_ni,
    .valid_i (valid_q & here), .ready_o (taken), .target_i (target), .data_i (flit),
    .valid_o (remote_valid_o), .ready_i (remote_ready_i), .data_o (arrived)
  );

  for (genvar t = 0; t < NumUnits; t++) begin : g_target
    assign remote_o[t] = arrived[t].remote;
    assign atomic_o[t] = arrived[t].atomic;
    assign from_o[t]   = arrived[t].from;
  end

  always_comb begin
    for (int u = 0; u < NumUnits; u++) begin
      lost_o[u] = '{unit: unit_t'(u), warp: send_q[u].warp, lanes: send_q[u].lanes,
                    cluster: send_q[u].cluster,
                    rank: send_q[u].rank, addr: send_q[u].addr};
      if (send_q[u].atomic.valid) begin
        lost_o[u].lanes = lanes_t'(1) << send_q[u].atomic.lane;
        lost_o[u].addr  = send_q[u].atomic.addr;
      end
    end
  end

  always_comb begin
    slot_target_o = 1'b0;
    for (int t = 0; t < NumUnits; t++) begin
      if (32'(life_i.unit) == t) begin
        slot_target_o = remote_valid_o[t] && remote_o[t].place.cta == life_i.cta;
      end
    end
  end

  assign cluster_sender_o = names != '0;
  assign lost_valid_o     = drop;
  assign active_o         = skid_valid != '0 || valid_q != '0 || remote_valid_o != '0;

endmodule
