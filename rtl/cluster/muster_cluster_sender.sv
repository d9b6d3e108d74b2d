// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit's end of the network: what the unit sends waits here for its turn at its target, or is
// lost.
//
// Whether a CTA is there is asked of registers, by its cluster and rank, while the directory is
// read. The directory is always asked for the operation that comes next: so no address depends on
// whether the one ahead moves on. One that does not move on keeps what the directory answered.
module muster_cluster_sender
  import muster_pkg::*;
  import muster_atomics_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumClusters = Cfg.NumClusters,
  localparam int unsigned NumRanks    = Cfg.NumRanks,
  localparam int unsigned UnitW    = (Cfg.NumUnits > 1) ? $clog2(Cfg.NumUnits) : 1,
  localparam int unsigned ClusterW = (NumClusters > 1) ? $clog2(NumClusters) : 1,
  localparam int unsigned RankW    = $clog2(NumRanks),
  localparam int unsigned PlaceW   = ClusterW + RankW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  unit_t             unit_i,        // which one this is

  // CTAs of each cluster to which operations are passed on.
  input  logic [NumClusters-1:0][NumRanks-1:0] reachable_i,
  input  cluster_t          cluster_i,
  output logic              names_o,       // an operation here names that cluster

  input  logic              send_valid_i,  // an operation of the unit; held until ready
  output logic              send_ready_o,
  input  remote_send_t      send_i,

  output logic [PlaceW-1:0] look_o,        // the directory: {cluster, rank}
  input  logic [UnitW-1:0]  found_unit_i,  // a cycle later: where that CTA runs
  input  cta_t              found_cta_i,

  output logic              valid_o,       // for the crossbar
  input  logic              taken_i,
  output logic [UnitW-1:0]  target_o,
  output remote_flit_t      flit_o,
  output logic              lost_valid_o,  // a pulse: an operation is lost
  output remote_lost_t      lost_o,
  output logic              active_o
);

`include "muster_assert.svh"

  logic             skid_valid, skid_ready, valid_q, here, drop;
  remote_send_t     sent, skid, send_q;
  logic             fresh_q;  // the operation has come with this cycle
  logic [UnitW-1:0] unit, unit_q;
  cta_t             cta, cta_q;

  // The bit that a rank of sixteen never has costs nothing.
  always_comb begin
    sent      = send_i;
    sent.rank = rank_t'(send_i.rank[RankW-1:0]);
  end
  `MUSTER_ASSERT(SendRank, !send_valid_i || 32'(send_i.rank) < NumRanks,
                 "an operation names a rank that no cluster has")

  muster_skid #(.data_t(remote_send_t)) u_skid (
    .clk_i, .rst_ni, .valid_i (send_valid_i), .ready_o (send_ready_o), .data_i (sent),
    .valid_o (skid_valid), .ready_i (skid_ready), .data_o (skid)
  );
  muster_stage #(.data_t(remote_send_t)) u_stage (
    .clk_i, .rst_ni, .valid_i (skid_valid), .ready_o (skid_ready), .data_i (skid),
    .valid_o (valid_q), .ready_i (taken_i || drop), .data_o (send_q)
  );

  always_ff @(posedge clk_i) begin
    fresh_q         <= skid_ready;
    {unit_q, cta_q} <= {unit, cta};
  end

  assign look_o      = {skid.cluster[ClusterW-1:0], skid.rank[RankW-1:0]};
  assign {unit, cta} = fresh_q ? {found_unit_i, found_cta_i} : {unit_q, cta_q};
  assign here        = 32'(send_q.cluster) < NumClusters &&
                       reachable_i[send_q.cluster[ClusterW-1:0]][send_q.rank[RankW-1:0]];
  assign drop        = valid_q && !here;

  assign valid_o       = valid_q && here;
  assign target_o      = unit;
  assign flit_o.from   = '{unit: unit_i, warp: send_q.warp};
  assign flit_o.remote = '{op: send_q.op, place: '{cta: cta, addr: send_q.addr},
                           lanes: send_q.lanes, operand: send_q.operand,
                           has_token: send_q.has_token};
  assign flit_o.atomic = send_q.atomic;

  always_comb begin
    lost_o = '{unit: unit_i, warp: send_q.warp, lanes: send_q.lanes, cluster: send_q.cluster,
               rank: send_q.rank, addr: send_q.addr};
    if (send_q.atomic.valid) begin
      lost_o.lanes = lanes_t'(1) << send_q.atomic.lane;
      lost_o.addr  = send_q.atomic.addr;
    end
  end

  assign lost_valid_o = drop;
  assign names_o      = (skid_valid && skid.cluster == cluster_i) ||
                        (valid_q && send_q.cluster == cluster_i);
  assign active_o     = skid_valid || valid_q;

endmodule
