// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Grids, clusters and CTAs come and go: whether an operation of the life port is legal, and when it
// may be carried out.
//
//   cycle    0             1
//            legal?        its slot is free? nothing on its way to the slot?
//            addressed_o   ready, unless it must wait; then one of the pulses, unless it is refused
//
// What is asked of the hub waits until the hub has heard what the units know; what is asked of a
// unit, until it has no request under way. Nothing reaches the next CTA in a slot: an end waits
// until what is on its way to the CTA has come there, a launch while the slot of a response is
// looked up, and a cluster's slot is opened when no operation names it any more. The requests of
// the unit go on meanwhile.
module muster_cluster_life
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumUnits    = Cfg.NumUnits,
  localparam int unsigned NumCtas     = Cfg.NumCtas,
  localparam int unsigned NumClusters = Cfg.NumClusters,
  localparam int unsigned NumRanks    = Cfg.NumRanks,
  localparam int unsigned UnitW    = (NumUnits > 1) ? $clog2(NumUnits) : 1,
  localparam int unsigned CtaW     = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned ClusterW = (NumClusters > 1) ? $clog2(NumClusters) : 1,
  localparam int unsigned RankW    = $clog2(NumRanks)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     life_valid_i,
  output logic                     life_ready_o,
  input  cluster_life_t            life_i,
  output fault_e                   life_fault_o,      // with ready: why it is refused

  // Which slots are taken.
  input  logic [NumUnits-1:0][NumCtas-1:0] resident_i,
  input  logic [NumClusters-1:0][NumRanks-1:0] members_i,   // CTAs of each cluster,
  input  logic [NumClusters-1:0][NumRanks-1:0] present_i,   // those that are there,
  input  logic [NumClusters-1:0][NumRanks-1:0] launched_i,  // and those that have been there
  input  grids_t                   running_i,

  // What is on its way to the slots that life_i names.
  input  logic                     slot_target_i,     // an operation of the network to the CTA
  input  logic                     slot_written_i,    // a response to the CTA
  input  logic                     slot_lookup_i,     // the slot of a CTA is looked up
  input  logic                     cluster_sender_i,  // an operation of the cluster at its sender
  input  logic [NumUnits-1:0][NumCtas-1:0] news_settled_i,  // no news of the slot
  input  logic      [NumUnits-1:0] news_pending_i,    // news of the cluster in a unit,
  input  logic                     news_valid_i,      // and in the hub
  input  cta_news_t                news_i,
  input  logic      [NumUnits-1:0] unit_ready_i,      // the unit has no request under way
  input  cta_rank_t [NumUnits-1:0] cta_rank_i,        // the CTA in the slot of the unit

  output logic      [NumUnits-1:0] addressed_o,       // a CTA of the unit comes or goes
  output logic                     end_valid_o,       // a legal end is presented
  // That of this CTA is: from the next cycle on nothing is passed on to it.
  output logic                     leaves_o,
  output cta_rank_t                leaver_o,
  // Pulses: a grid takes its slot, a cluster, a CTA; a CTA leaves it.
  output logic                     grid_open_o,
  output logic                     cluster_open_o,
  output logic                     launch_o,
  output logic                     end_o
);

  logic                of_cta, slot_exists, legal, legal_q, shown_q, agrees, hub_ready, units_ready,
                       held, end_valid_q;
  logic [NumUnits-1:0] addressed_d, addressed_q, settled;
  logic [UnitW-1:0]    unit;
  logic [CtaW-1:0]     cta;
  logic [ClusterW-1:0] cluster;
  logic [RankW-1:0]    rank;

  assign unit        = life_i.unit[UnitW-1:0];
  assign cta         = life_i.cta[CtaW-1:0];
  assign cluster     = life_i.cluster[ClusterW-1:0];
  assign rank        = life_i.rank[RankW-1:0];
  assign of_cta      = life_i.op inside {ClLaunch, ClEnd};
  assign slot_exists = 32'(life_i.unit) < NumUnits && 32'(life_i.cta) < NumCtas;

  // In the first cycle: whether there are such slots, and the size is one; of a CTA, also what
  // changes with other life-cycle operations only. (A grid is not over before all its CTAs have
  // been launched.)
  always_comb begin
    unique case (life_i.op)
      ClGrid:   legal = 32'(life_i.grid) < Cfg.NumGrids && life_i.size != '0;
      ClOpen:   legal = 32'(life_i.cluster) < NumClusters && life_i.size != '0 &&
                        life_i.size <= NumRanks;
      ClLaunch: legal = slot_exists && !resident_i[unit][cta] &&
                        32'(life_i.cluster) < NumClusters &&
                        32'(life_i.rank) < NumRanks && members_i[cluster][rank] &&
                        !launched_i[cluster][rank] &&
                        life_i.size != '0 && life_i.size <= Cfg.NumWarps && running_i[life_i.grid];
      default:  legal = slot_exists && resident_i[unit][cta];
    endcase
    for (int u = 0; u < NumUnits; u++) begin
      addressed_d[u] = of_cta && slot_exists && 32'(life_i.unit) == u;
      settled[u]     = news_settled_i[u][cta];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shown_q     <= 1'b0;
      end_valid_q <= 1'b0;
      addressed_q <= '0;
    end else begin
      shown_q     <= life_valid_i && !life_ready_o && !held;
      end_valid_q <= life_valid_i && !life_ready_o && life_i.op == ClEnd;
      addressed_q <= (life_valid_i && !life_ready_o && !held) ? addressed_d : '0;
    end
  end

  always_ff @(posedge clk_i) legal_q <= legal;

  // Then: whether the grid's or the cluster's slot is free, and what the operation waits for.
  assign held = (life_i.op == ClEnd && (slot_target_i || slot_written_i)) ||
                (life_i.op == ClLaunch && slot_lookup_i);

  always_comb begin
    agrees = 1'b1;
    if (life_i.op == ClGrid) agrees = !running_i[life_i.grid];
    if (life_i.op == ClOpen) agrees = present_i[cluster] == '0;
    hub_ready    = life_i.op != ClOpen ||
                   (news_pending_i == '0 && !(news_valid_i && news_i.cluster == life_i.cluster) &&
                    !(agrees && cluster_sender_i));
    units_ready  = (addressed_q & ~(unit_ready_i & settled)) == '0;
    life_ready_o = shown_q && hub_ready && units_ready && !held;
    life_fault_o = FaultNone;
    if (!legal_q || !agrees) begin
      life_fault_o = (life_i.op == ClEnd) ? FaultCtaNotResident : FaultBadLaunch;
    end
  end

  assign addressed_o    = addressed_q;
  assign end_valid_o    = end_valid_q && legal_q;
  assign leaves_o       = life_valid_i && life_i.op == ClEnd && legal && leaver_o.is_member;
  assign leaver_o       = cta_rank_i[unit];
  assign grid_open_o    = shown_q && life_i.op == ClGrid && legal_q && agrees;
  assign cluster_open_o = shown_q && life_i.op == ClOpen && legal_q && agrees && hub_ready;
  assign launch_o       = shown_q && life_i.op == ClLaunch && legal_q && units_ready && !held;
  assign end_o          = shown_q && life_i.op == ClEnd && legal_q && units_ready && !held;

endmodule
