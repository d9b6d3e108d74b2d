// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Knows which lanes of a unit's warps have arrived at barrier.cluster, and which wait, there or at
// griddepcontrol.wait.
//
//   cycle    0         1          2        3          4     5       6          7
//   request  accepted  lanes are  judged,  its CTA    news  at the  completes  release_o, of
//                      read       written  counts it        hub                the last arrival
//                                          go, fault
module muster_cluster_count
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumCtas  = Cfg.NumCtas,
  localparam int unsigned WarpW = $clog2(NumWarps),
  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,         // a request, held until ready
  output logic                ready_o,
  input  cluster_request_t    request_i,
  output logic [NumWarps-1:0] busy_o,          // warps with a request here

  // A CTA of this unit comes or goes: no request is accepted.
  input  logic                life_valid_i,
  output logic                life_ready_o,    // none is under way
  input  logic                launch_i,  // with ready, unless it is refused: which of the two it is
  input  logic                end_i,
  input  cluster_life_t       life_i,
  output logic [NumCtas-1:0]  resident_o,
  output logic [NumCtas-1:0]  news_settled_o,  // the hub has heard all news of the slot
  // The hub has not heard all news of the cluster of life_i.
  output logic                news_pending_o,
  output cta_rank_t           cta_rank_o,      // the CTA in the slot of life_i

  input  logic                phase_complete_i,  // a phase of this cluster is complete
  input  cluster_t            cluster_i,
  input  grids_t              performed_i,       // grids that await no other grid

  output logic                news_valid_o,
  input  logic                news_ready_i,
  output cta_news_t           news_o,

  output logic                go_valid_o,      // pulses: see the page
  output cluster_go_t         go_o,
  output logic [NumWarps-1:0] release_o,
  output logic [NumWarps-1:0] grid_release_o,
  output logic                fault_valid_o,
  output cluster_fault_t      fault_o,
  output logic                active_o
);

  logic  [NumCtas-1:0] completing, phase;
  grid_t [NumCtas-1:0] grid;

  // -------------------------------------------------------------------------------------------
  // Judge: the lanes of the warp are here
  // -------------------------------------------------------------------------------------------

  logic                valid_q, acts_q, commits, waits, joins, parts;
  logic                exists;
  // Of the request: the memory has a word of its warp; its CTA is here; the phase that runs there.
  logic                has_word_q, resident_q, phase_q;
  cluster_request_t    request_q;
  logic [WarpW-1:0]    warp;
  logic [CtaW-1:0]     cta;
  warp_phase_t         word, word_next;
  fault_e              misuse;
  lanes_t              culprits, go;
  logic [NumWarps-1:0] known_q, known_d;    // the memory has a word of the warp
  logic [NumWarps-1:0] waits_q, waits_d;    // lanes of the warp wait for a phase
  logic [NumWarps-1:0] grids_q, grids_d;    // lanes of the warp wait for grids
  logic [NumWarps-1:0] warps_q[NumCtas];   // warps of each CTA that have made a request

  logic [WarpW-1:0]    next_warp;
  logic [CtaW-1:0]     next_cta;

  assign ready_o   = !life_valid_i;
  assign warp      = request_q.warp[WarpW-1:0];
  assign cta       = request_q.cta[CtaW-1:0];
  assign next_warp = request_i.warp[WarpW-1:0];
  assign next_cta  = request_i.cta[CtaW-1:0];
  assign exists    = 32'(request_i.cta) < NumCtas;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      acts_q  <= 1'b0;
    end else begin
      valid_q <= valid_i && ready_o;
      acts_q  <= valid_i && ready_o && request_i.lanes != '0;
    end
  end

  // Looked up as the request is accepted: until it is judged no CTA comes or goes, and its warp has
  // no other request.
  always_ff @(posedge clk_i) begin
    request_q  <= request_i;
    has_word_q <= known_q[next_warp];
    resident_q <= exists && resident_o[next_cta];
    phase_q    <= phase[next_cta] ^ completing[next_cta];
  end

  // A warp is busy until its word is written, so its next request reads it later.
  muster_ram #(.Depth(NumWarps), .Width($bits(warp_phase_t)), .Forward(1'b0)) u_words (
    .clk_i,
    .we_i (commits), .waddr_i (warp), .wdata_i (word_next),
    .raddr_i (next_warp), .rdata_o (word)
  );

  assign commits = acts_q && resident_q && misuse == FaultNone;

  muster_cluster_lanes u_lanes (
    .request_i (request_q), .known_i (has_word_q), .word_i (word), .phase_i (phase_q),
    .word_o (word_next), .fault_o (misuse), .culprits_o (culprits), .go_o (go),
    .lane_waits_o (waits), .warp_arrived_o (joins), .warp_left_o (parts)
  );

  // -------------------------------------------------------------------------------------------
  // Who waits, and who is released
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] release_d, grid_release_d, waits_now;
  // Warps whose phase completes, whose grid may go on, whose CTA ends.
  logic [NumWarps-1:0] completed, performed, ended;

  always_comb begin
    completed = '0;
    performed = '0;
    ended     = '0;
    for (int s = 0; s < NumCtas; s++) begin
      if (completing[s]) completed = completed | warps_q[s];
      if (performed_i[grid[s]]) performed = performed | warps_q[s];
      if (end_i && 32'(life_i.cta) == s) ended = warps_q[s];
    end
  end

  // A request that is judged in the cycle in which its phase completes belongs to that phase.
  assign waits_now      = waits_q | ((commits && waits) ? NumWarps'(1) << warp : '0);
  assign release_d      = waits_now & completed & ~ended;
  assign grid_release_d = grids_q & performed & ~ended;

  always_comb begin
    known_d = known_q & ~ended;
    waits_d = waits_now & ~release_d & ~ended;
    grids_d = grids_q & ~grid_release_d & ~ended;
    if (commits) begin
      known_d[warp] = !(request_q.op == ClExit && request_q.live == '0);
      if (request_q.op == ClGridWait) grids_d[warp] = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q        <= '0;
      waits_q        <= '0;
      grids_q        <= '0;
      release_o      <= '0;
      grid_release_o <= '0;
    end else begin
      known_q        <= known_d;
      waits_q        <= waits_d;
      grids_q        <= grids_d;
      release_o      <= release_d;
      grid_release_o <= grid_release_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      warps_q <= '{default: '0};
    end else begin
      if (commits) warps_q[cta][warp] <= !(request_q.op == ClExit && request_q.live == '0);
      if (end_i) warps_q[life_i.cta[CtaW-1:0]] <= '0;
    end
  end

  // -------------------------------------------------------------------------------------------
  // Count: the CTA
  // -------------------------------------------------------------------------------------------

  logic            update_q, joins_q, parts_q, leaves_q, triggers_q;
  logic [CtaW-1:0] update_cta_q;
  logic            go_valid_q, fault_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      update_q      <= 1'b0;
      go_valid_q    <= 1'b0;
      fault_valid_q <= 1'b0;
    end else begin
      update_q      <= commits;
      go_valid_q    <= commits && go != '0;
      fault_valid_q <= acts_q && !commits;
    end
  end

  always_ff @(posedge clk_i) begin
    update_cta_q <= cta;
    joins_q      <= joins;
    parts_q      <= parts && !completing[cta];  // then no arrival is counted any more
    leaves_q     <= request_q.op == ClExit && request_q.live == '0;
    triggers_q   <= request_q.op == ClTrigger;
    go_o         <= '{warp: request_q.warp, lanes: go};
    fault_o      <= '{cause: resident_q ? misuse : FaultCtaNotResident, warp: request_q.warp,
                      cta: request_q.cta, lanes: resident_q ? culprits : request_q.lanes};
  end

  assign go_valid_o    = go_valid_q;
  assign fault_valid_o = fault_valid_q;

  muster_cluster_ctas #(.Cfg(Cfg)) u_ctas (
    .clk_i, .rst_ni,
    .launch_i, .end_i, .life_i, .resident_o, .news_settled_o, .news_pending_o,
    .cta_rank_o,
    .phase_complete_i, .cluster_i, .completing_o (completing), .phase_o (phase), .grid_o (grid),
    .update_i (update_q), .cta_i (update_cta_q), .warp_arrived_i (joins_q), .warp_left_i (parts_q),
    .warp_exit_i (leaves_q), .trigger_i (triggers_q),
    .news_valid_o, .news_ready_i, .news_o
  );

  assign life_ready_o = !valid_q;

  always_comb begin
    busy_o = '0;
    if (valid_q) busy_o[warp] = 1'b1;
  end

  // A request in the first stage shows in busy_o. When lanes go on, their request is in the second
  // one.
  assign active_o = update_q || news_valid_o || fault_valid_q || release_o != '0 ||
                    grid_release_o != '0 || grid_release_d != '0;

endmodule
