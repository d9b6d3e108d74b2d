// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The network through which warps reach mbarriers and values of other CTAs of their cluster (PTX
// 9.7.13.15: arrive, expect-tx and complete-tx on shared::cluster; atomics there): a crossbar with
// a stage at each sender and at each target, and a directory that knows on which unit, and in
// which slot, a CTA runs. There is no deadlock: a stage at a sender waits for a stage at a target,
// which waits for nothing but the unit. An operation whose CTA is not there, or is about to end,
// while it waits at its sender is lost.
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

  typedef struct packed {
    logic [UnitW-1:0] unit;
    cta_t             cta;
  } place_t;

  // -------------------------------------------------------------------------------------------
  // The senders, and the directory
  // -------------------------------------------------------------------------------------------

  logic         [NumUnits-1:0]             valid, taken, names, sends;
  logic         [NumUnits:0][PlaceW-1:0]   look;
  place_t       [NumUnits:0]               found;  // what the directory answers
  logic         [NumUnits-1:0][UnitW-1:0]  target;
  remote_flit_t [NumUnits-1:0]             flit, arrived;

  for (genvar u = 0; u < NumUnits; u++) begin : g_sender
    muster_cluster_sender #(.Cfg(Cfg)) u_sender (
      .clk_i, .rst_ni, .unit_i (unit_t'(u)), .reachable_i,
      .cluster_i (life_i.cluster), .names_o (names[u]),
      .send_valid_i (send_valid_i[u]), .send_ready_o (send_ready_o[u]), .send_i (send_i[u]),
      .look_o (look[u]), .found_unit_i (found[u].unit), .found_cta_i (found[u].cta),
      .valid_o (valid[u]), .taken_i (taken[u]), .target_o (target[u]), .flit_o (flit[u]),
      .lost_valid_o (lost_valid_o[u]), .lost_o (lost_o[u]), .active_o (sends[u])
    );
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

  muster_cluster_crossbar #(.NumUnits(NumUnits), .data_t(remote_flit_t)) u_crossbar (
    .clk_i, .rst_ni,
    .valid_i (valid), .ready_o (taken), .target_i (target), .data_i (flit),
    .valid_o (remote_valid_o), .ready_i (remote_ready_i), .data_o (arrived)
  );

  for (genvar t = 0; t < NumUnits; t++) begin : g_target
    assign remote_o[t] = arrived[t].remote;
    assign atomic_o[t] = arrived[t].atomic;
    assign from_o[t]   = arrived[t].from;
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
  assign active_o         = sends != '0 || remote_valid_o != '0;

endmodule
