// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The hub of barrier.cluster: for each cluster a mask of the CTAs that are there, and of those that
// have arrived in the phase that runs. The units' news come one per cycle, in turns. When each CTA
// of the cluster has arrived or is gone, the phase completes, and all units hear of it.
module muster_cluster_hub
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumUnits    = Cfg.NumUnits,
  localparam int unsigned NumClusters = Cfg.NumClusters,
  localparam int unsigned NumRanks    = Cfg.NumRanks,
  localparam int unsigned ClusterW = (NumClusters > 1) ? $clog2(NumClusters) : 1,
  localparam int unsigned RankW    = $clog2(NumRanks)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic      [NumUnits-1:0] news_valid_i,
  output logic      [NumUnits-1:0] news_ready_o,
  input  cta_news_t [NumUnits-1:0] news_i,
  output logic                     news_valid_o,   // for the grids, a cycle later
  output cta_news_t                news_o,

  input  logic                     open_i,         // a cluster takes its slot
  input  logic                     launch_i,       // a CTA of it is there
  input  cluster_life_t            life_i,
  input  logic                     leaves_i,       // the end of this CTA is presented
  input  cta_rank_t                leaver_i,
  output logic [NumClusters-1:0][NumRanks-1:0] members_o,   // CTAs of each cluster
  output logic [NumClusters-1:0][NumRanks-1:0] present_o,   // those that are there
  output logic [NumClusters-1:0][NumRanks-1:0] launched_o,  // those that have been there
  // Those that are there, and whose end is not presented.
  output logic [NumClusters-1:0][NumRanks-1:0] reachable_o,

  // A pulse: a phase of this cluster is complete.
  output logic                     phase_complete_o,
  output cluster_t                 cluster_o
);

  typedef logic [NumRanks-1:0] ranks_t;  // a bit per CTA of a cluster

  logic      [NumUnits-1:0]    chosen;
  cta_news_t                   next, news_q;
  logic                        valid_q, completes_q;
  cluster_t                    cluster_q;
  ranks_t    [NumClusters-1:0] members_q, launched_q, gone_q, arrived_q,
                               leaving_q;
  logic      [ClusterW-1:0]    c;
  ranks_t                      rank, arrived, gone;
  logic                        completes;

  muster_rr_arbiter #(.NumReq(NumUnits)) u_turn (
    .clk_i, .rst_ni, .req_i (news_valid_i), .advance_i (1'b1), .gnt_o (chosen)
  );
  assign news_ready_o = chosen;

  always_comb begin
    next = '0;
    for (int u = 0; u < NumUnits; u++) begin
      if (chosen[u]) next = news_i[u];
    end
  end

  assign c         = news_q.cluster[ClusterW-1:0];
  assign rank      = ranks_t'(1) << news_q.rank[RankW-1:0];
  assign arrived   = arrived_q[c] | (news_q.arrived ? rank : '0);
  assign gone      = gone_q[c] | (news_q.gone ? rank : '0);
  assign completes = valid_q && (arrived | gone) == members_q[c] && (arrived & ~gone) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= 1'b0;
      completes_q <= 1'b0;
      members_q   <= '0;
      launched_q  <= '0;
      gone_q      <= '0;
      arrived_q   <= '0;
      leaving_q   <= '0;
    end else begin
      valid_q     <= news_valid_i != '0;
      completes_q <= completes;
      if (valid_q) begin
        arrived_q[c] <= completes ? '0 : arrived;
        gone_q[c]    <= gone;
      end
      if (open_i) begin
        members_q[life_i.cluster[ClusterW-1:0]]  <= ranks_t'((33'd1 << life_i.size[5:0]) - 33'd1);
        launched_q[life_i.cluster[ClusterW-1:0]] <= '0;
        gone_q[life_i.cluster[ClusterW-1:0]]     <= '0;
        arrived_q[life_i.cluster[ClusterW-1:0]]  <= '0;
        leaving_q[life_i.cluster[ClusterW-1:0]]  <= '0;
      end
      if (leaves_i) leaving_q[leaver_i.cluster[ClusterW-1:0]][leaver_i.rank[RankW-1:0]] <= 1'b1;
      if (launch_i) launched_q[life_i.cluster[ClusterW-1:0]][life_i.rank[RankW-1:0]] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    news_q    <= next;
    cluster_q <= news_q.cluster;
  end

  assign news_valid_o     = valid_q;
  assign news_o           = news_q;
  assign phase_complete_o = completes_q;
  assign cluster_o        = cluster_q;
  assign members_o        = members_q;
  assign present_o        = launched_q & ~gone_q;
  assign launched_o       = launched_q;
  assign reachable_o      = launched_q & ~gone_q & ~leaving_q;

endmodule
