// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clusterlaunchcontrol.try_cancel (PTX 9.7.13.17): a cluster that has not been launched is taken
// from the scheduler's queue, and the response goes to the requesting CTA, or to each of its
// cluster: 16 bytes into shared memory, then a complete_tx of them. One request at a time, in turns
// of the units. While a response is written to a slot, the slot does not end; to one that has
// ended, or is about to, nothing is written.
module muster_cluster_cancel
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumUnits    = Cfg.NumUnits,
  localparam int unsigned NumCtas     = Cfg.NumCtas,
  localparam int unsigned NumClusters = Cfg.NumClusters,
  localparam int unsigned NumRanks    = Cfg.NumRanks,
  localparam int unsigned CtaW     = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned UnitW    = (NumUnits > 1) ? $clog2(NumUnits) : 1,
  localparam int unsigned ClusterW = (NumClusters > 1) ? $clog2(NumClusters) : 1,
  localparam int unsigned RankW    = $clog2(NumRanks),
  localparam int unsigned PlaceW   = ClusterW + RankW
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic      [NumUnits-1:0] valid_i,           // a request, held until ready
  output logic      [NumUnits-1:0] ready_o,
  input  cancel_t   [NumUnits-1:0] cancel_i,

  input  logic                     open_i,            // another cluster takes the slot of life_i
  input  logic                     end_valid_i,       // the end of its CTA slot is presented
  input  cluster_life_t            life_i,
  input  logic [NumUnits-1:0][NumCtas-1:0] resident_i,  // CTA slots that are taken
  // A response is written to the CTA slot of life_i.
  output logic                     slot_written_o,
  // The slot of a CTA is looked up: it must not be taken by another one.
  output logic                     slot_lookup_o,
  input  logic [NumClusters-1:0][NumRanks-1:0] members_i,  // CTAs of each cluster
  input  logic [NumClusters-1:0][NumRanks-1:0] present_i,  // those that are there
  output logic        [PlaceW-1:0] find_o,            // the directory: {cluster, rank}
  input  logic         [UnitW-1:0] find_unit_i,       // a cycle later
  input  cta_t                     find_cta_i,

  output logic                     take_valid_o,      // the next cluster is asked for, until ready
  input  logic                     take_ready_i,
  input  cancel_response_t         take_i,            // with ready
  output logic      [NumUnits-1:0] write_valid_o,     // the response is to be written, until ready
  input  logic      [NumUnits-1:0] write_ready_i,
  output cancel_write_t            write_o,
  output logic      [NumUnits-1:0] complete_valid_o,  // it has been: complete_tx, until ready
  input  logic      [NumUnits-1:0] complete_ready_i,
  output mb_async_t                complete_o,
  // A pulse: a CTA that the response is for is not there.
  output logic                     lost_valid_o,
  output remote_lost_t             lost_o,
  output logic                     active_o
);

`include "muster_assert.svh"

  typedef logic [NumRanks-1:0] ranks_t;  // a bit per CTA of a cluster

  typedef enum logic [2:0] {Idle, Judge, Take, Choose, Find, Write, Complete} state_e;

  state_e              state_q, state_d;
  cancel_t             cancel_q, next;
  unit_t               from_q, from;  // whose it is
  cancel_response_t    response_q;
  ranks_t              left_q, left_d, here, absent, own, asked;  // CTAs that it is still for
  logic                any_left, any_absent;
  logic    [RankW-1:0] rank_q, first, first_absent, lost;
  logic [NumUnits-1:0] chosen, unit;
  logic [ClusterW-1:0] cluster;
  logic                exists;
  logic                stale_q;       // another cluster has taken the slot of the request's
  logic                found_q;       // the directory has just answered
  // The CTA slot: a later launch may change what the directory answers.
  logic    [UnitW-1:0] unit_q, to_unit;
  cta_t                cta_q, to_cta;
  logic                ends;          // it has ended, or is about to

  muster_rr_arbiter #(.NumReq(NumUnits)) u_turn (
    .clk_i, .rst_ni, .req_i (valid_i), .advance_i (state_q == Idle && valid_i != '0),
    .gnt_o (chosen)
  );

  always_comb begin
    next = '0;
    from = '0;
    for (int u = 0; u < NumUnits; u++) begin
      if (chosen[u]) {next, from} = {cancel_i[u], unit_t'(u)};
    end
  end

  assign cluster = cancel_q.cluster[ClusterW-1:0];
  assign exists  = 32'(cancel_q.cluster) < NumClusters;
  assign own     = ranks_t'(1) << cancel_q.rank[RankW-1:0];
  assign asked   = (cancel_q.multicast ? members_i[cluster] : '0) | own;
  assign here    = (exists && !stale_q) ? present_i[cluster] : '0;
  assign to_unit = found_q ? find_unit_i : unit_q;
  assign to_cta  = found_q ? find_cta_i : cta_q;
  assign ends    = found_q && (!resident_i[find_unit_i][find_cta_i[CtaW-1:0]] ||
                               (end_valid_i && find_unit_i == life_i.unit[UnitW-1:0] &&
                                find_cta_i == life_i.cta));
  assign absent  = ((state_q == Judge) ? asked : left_q) & ~here;

  muster_first #(.Width(NumRanks)) u_first (.bits_i (left_q), .any_o (any_left), .index_o (first));
  muster_first #(.Width(NumRanks)) u_absent (
    .bits_i (absent), .any_o (any_absent), .index_o (first_absent)
  );

  always_comb begin
    state_d      = state_q;
    left_d       = left_q;
    lost_valid_o = 1'b0;
    unique case (state_q)
      Idle: if (valid_i != '0) state_d = Judge;
      Judge: begin
        left_d       = asked;
        lost_valid_o = any_absent;
        state_d      = any_absent ? Idle : Take;
      end
      Take: if (take_ready_i) state_d = Choose;
      Choose: begin
        if (any_absent) begin  // it has gone since
          lost_valid_o         = 1'b1;
          left_d[first_absent] = 1'b0;
        end else begin
          left_d[first] = 1'b0;
          state_d       = any_left ? Find : Idle;
        end
      end
      Find: state_d = Write;
      Write: begin
        lost_valid_o = ends;
        if (ends) state_d = Choose;
        else if ((write_ready_i & unit) != '0) state_d = Complete;
      end
      Complete: if ((complete_ready_i & unit) != '0) state_d = Choose;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      stale_q <= 1'b0;
      found_q <= 1'b0;
    end else begin
      state_q <= state_d;
      stale_q <= state_q != Idle && (stale_q || (open_i && life_i.cluster == cancel_q.cluster));
      found_q <= state_q == Find;
    end
  end

  always_ff @(posedge clk_i) begin
    left_q <= left_d;
    if (state_q == Idle) {cancel_q, from_q} <= {next, from};
    if (state_q == Take) response_q <= take_i;
    if (state_q == Choose) rank_q <= first;
    {unit_q, cta_q} <= {to_unit, to_cta};
  end

  assign find_o  = {cluster, rank_q};
  assign ready_o = (state_q == Idle) ? chosen : '0;
  assign unit    = NumUnits'(1) << to_unit;

  assign take_valid_o     = state_q == Take;
  // An end comes two cycles after it is presented at the earliest. So it need not wait for what the
  // directory has just answered: it is either presented now, or shown already, and then the
  // response is lost.
  assign slot_written_o   = ((state_q == Write && !found_q) || state_q == Complete) &&
                            unit_q == life_i.unit[UnitW-1:0] && cta_q == life_i.cta;
  assign slot_lookup_o    = state_q inside {Choose, Find};
  assign write_valid_o    = (state_q == Write && !ends) ? unit : '0;
  assign write_o          = '{place: '{cta: to_cta, addr: cancel_q.addr}, data: response_q};
  assign complete_valid_o = (state_q == Complete) ? unit : '0;
  assign complete_o       = '{op: MbCompleteTx, place: '{cta: to_cta, addr: cancel_q.mbar},
                              operand: 32'd16};
  assign lost             = (state_q == Write) ? rank_q : first_absent;
  assign lost_o           = '{unit: from_q, warp: cancel_q.warp, lanes: '0,
                              cluster: cancel_q.cluster,
                              rank: rank_t'(lost),
                              addr: cancel_q.addr};
  assign active_o         = state_q != Idle || valid_i != '0;

  for (genvar u = 0; u < NumUnits; u++) begin : g_rank
    `MUSTER_ASSERT(CancelRank, !valid_i[u] || 32'(cancel_i[u].rank) < NumRanks,
                   "a request to cancel names a rank that no cluster has")
  end

endmodule
