// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTAs of a unit, as the cluster scope knows them: how many warps are left, and how many of
// these have arrived with all their lanes. When a CTA is complete, has exited, or triggers the
// launch of dependents, the hub hears of it once.
module muster_cluster_ctas
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumCtas = Cfg.NumCtas,
  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned RankW = $clog2(Cfg.NumRanks)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 launch_i,       // a CTA takes its slot
  input  logic                 end_i,          // it leaves the slot
  input  cluster_life_t        life_i,
  output logic [NumCtas-1:0]   resident_o,
  output logic [NumCtas-1:0]   news_settled_o,  // the hub has heard all news of the slot
  // It has not heard all news of the cluster of life_i.
  output logic                 news_pending_o,
  output cta_rank_t            cta_rank_o,     // the CTA in the slot of life_i

  input  logic                 phase_complete_i,  // a phase of this cluster is complete
  input  cluster_t             cluster_i,
  output logic [NumCtas-1:0]   completing_o,      // the CTAs whose phase is complete by that
  output logic [NumCtas-1:0]   phase_o,           // the phase that runs
  output grid_t [NumCtas-1:0]  grid_o,

  input  logic                 update_i,        // one of the following, of this CTA:
  input  logic [CtaW-1:0]      cta_i,
  input  logic                 warp_arrived_i,  // all live lanes of a warp have arrived now
  input  logic                 warp_left_i,     // no longer, since it exits
  input  logic                 warp_exit_i,     // a warp exits
  input  logic                 trigger_i,       // launch_dependents

  // News of one of the CTAs; other news may take its place.
  output logic                 news_valid_o,
  input  logic                 news_ready_i,
  output cta_news_t            news_o
);

  // What does not change during the life of a CTA.
  typedef struct packed {
    cluster_t         cluster;
    logic [RankW-1:0] rank;
    grid_t            grid;
  } place_t;

  place_t              place_q [NumCtas];
  wcount_t             left_q [NumCtas];      // warps that have not exited
  // Of these, those that have arrived in the phase that runs.
  wcount_t             complete_q [NumCtas];
  wcount_t             left, complete;        // of the CTA that is updated
  logic  [NumCtas-1:0] resident_q, resident_d, phase_q;
  // The hub knows, or will, that all have arrived in this phase.
  logic  [NumCtas-1:0] told_q, told_d;
  // The hub knows, or will, that all have executed launch_dependents.
  logic  [NumCtas-1:0] signalled_q, signalled_d;
  logic  [NumCtas-1:0] arrived_q, arrived_d;      // news that the hub has not heard
  logic  [NumCtas-1:0] gone_q, gone_d;
  logic  [NumCtas-1:0] member_q;                  // the hub has not heard that it is gone
  logic  [NumCtas-1:0] triggered_q, triggered_d;
  logic  [NumCtas-1:0] due, chosen, heard, taken;
  logic  [CtaW-1:0]    life_cta;
  logic                arrives, exits, triggers;  // the CTA that is updated, or ends

  assign life_cta = life_i.cta[CtaW-1:0];

  always_comb begin
    for (int s = 0; s < NumCtas; s++) begin
      completing_o[s] = phase_complete_i && resident_q[s] && place_q[s].cluster == cluster_i;
    end
  end

  // A warp that is counted in the cycle in which the phase completes belongs to the phase that
  // ends.
  assign left     = left_q[cta_i] - wcount_t'(warp_exit_i);
  assign complete = complete_q[cta_i] + wcount_t'(warp_arrived_i) - wcount_t'(warp_left_i);
  assign arrives  = update_i && complete == left && !told_q[cta_i] && !completing_o[cta_i];
  assign exits    = update_i && warp_exit_i && left == '0;
  assign triggers = update_i && trigger_i;

  always_comb begin
    resident_d  = resident_q;
    taken       = '0;
    told_d      = told_q & ~completing_o;
    signalled_d = signalled_q;
    arrived_d   = arrived_q & ~heard;
    gone_d      = gone_q & ~heard;
    triggered_d = triggered_q & ~heard;
    if (arrives) {told_d[cta_i], arrived_d[cta_i]} = '1;
    if (exits) gone_d[cta_i] = 1'b1;
    if ((exits || triggers) && !signalled_q[cta_i]) {signalled_d[cta_i], triggered_d[cta_i]} = '1;
    if (end_i) begin
      resident_d[life_cta] = 1'b0;
      if (left_q[life_cta] != '0) begin
        gone_d[life_cta] = 1'b1;
        if (!signalled_q[life_cta]) {signalled_d[life_cta], triggered_d[life_cta]} = '1;
      end
    end
    if (launch_i) begin
      {resident_d[life_cta], taken[life_cta]} = '1;
      {told_d[life_cta], signalled_d[life_cta]} = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      resident_q  <= '0;
      phase_q     <= '0;
      told_q      <= '0;
      signalled_q <= '0;
      arrived_q   <= '0;
      gone_q      <= '0;
      triggered_q <= '0;
      member_q    <= '0;
    end else begin
      resident_q  <= resident_d;
      phase_q     <= phase_q ^ completing_o;
      told_q      <= told_d;
      signalled_q <= signalled_d;
      arrived_q   <= arrived_d;
      gone_q      <= gone_d;
      triggered_q <= triggered_d;
      member_q    <= (member_q & ~(heard & gone_q)) | taken;
    end
  end

  always_ff @(posedge clk_i) begin
    if (launch_i) begin
      place_q[life_cta] <= '{cluster: life_i.cluster, rank: life_i.rank[RankW-1:0],
                              grid: life_i.grid};
    end
    if (update_i) left_q[cta_i] <= left;
    if (launch_i) left_q[life_cta] <= wcount_t'(life_i.size);
    if (update_i) complete_q[cta_i] <= complete;
    for (int s = 0; s < NumCtas; s++) begin
      if (completing_o[s]) complete_q[s] <= '0;
    end
    if (launch_i) complete_q[life_cta] <= '0;
  end

  // -------------------------------------------------------------------------------------------
  // News, slot by slot in turns
  // -------------------------------------------------------------------------------------------

  assign due   = arrived_q | gone_q | triggered_q;
  assign heard = news_ready_i ? chosen : '0;

  muster_rr_arbiter #(.NumReq(NumCtas)) u_turn (
    .clk_i, .rst_ni, .req_i (due), .advance_i (news_ready_i), .gnt_o (chosen)
  );

  always_comb begin
    news_o           = '0;
    news_o.arrived   = (arrived_q & chosen) != '0;
    news_o.gone      = (gone_q & chosen) != '0;
    news_o.triggered = (triggered_q & chosen) != '0;
    news_pending_o   = 1'b0;
    for (int s = 0; s < NumCtas; s++) begin
      if (chosen[s]) begin
        news_o.cluster = place_q[s].cluster;
        news_o.rank    = rank_t'(place_q[s].rank);
        news_o.grid    = place_q[s].grid;
      end
      news_pending_o = news_pending_o || (due[s] && place_q[s].cluster == life_i.cluster);
      grid_o[s]      = place_q[s].grid;
    end
  end

  assign news_valid_o   = due != '0;
  assign resident_o     = resident_q;
  assign news_settled_o = ~due;
  assign phase_o        = phase_q;
  assign cta_rank_o     = '{is_member: member_q[life_cta], cluster: place_q[life_cta].cluster,
                            rank: rank_t'(place_q[life_cta].rank)};

endmodule
