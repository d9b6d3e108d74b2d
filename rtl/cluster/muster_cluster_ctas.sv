// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTAs of a unit, as the cluster scope knows them: how many warps are left, and how many of these have arrived with all
// their lanes. When a CTA is complete, has exited, or triggers the launch of dependents, the hub hears of it once.
module muster_cluster_ctas
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumCtas = 8,
  localparam int unsigned CtaW = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 launch_i,       // a CTA takes its slot
  input  logic                 end_i,          // it leaves the slot
  input  cluster_life_t        life_i,
  output logic [NumCtas-1:0]   resident_o,
  output logic [NumCtas-1:0]   settled_o,      // the hub has heard all news of the slot
  output logic                 tells_o,        // it has not heard all news of the cluster of life_i

  input  logic                 completes_i,    // a phase of this cluster is complete
  input  cluster_t             cluster_i,
  output logic [NumCtas-1:0]   completing_o,   // ... and so is that of these CTAs
  output logic [NumCtas-1:0]   phase_o,        // the phase that runs
  output grid_t [NumCtas-1:0]  grid_o,

  input  logic                 update_i,       // one of the following, of this CTA:
  input  logic [CtaW-1:0]      cta_i,
  input  logic                 joins_i,        // all live lanes of a warp have arrived now
  input  logic                 parts_i,        // no longer, since it exits
  input  logic                 leaves_i,       // a warp exits
  input  logic                 triggers_i,     // launch_dependents

  output logic                 news_valid_o,   // news of one of the CTAs; other news may take its place
  input  logic                 news_ready_i,
  output cta_news_t            news_o
);

  typedef struct packed {
    cluster_t cluster;
    rank_t    rank;
    grid_t    grid;
    wcount_t  left;       // warps that have not exited
    wcount_t  complete;   // of these, those that have arrived in the phase that runs
    logic     phase;
    logic     told;       // the hub knows, or will, that all have arrived
    logic     triggered;
  } slot_t;

  slot_t [NumCtas-1:0] slots_q, slots_d;
  logic  [NumCtas-1:0] resident_q, resident_d;
  logic  [NumCtas-1:0] arrived_q, arrived_d;      // news that the hub has not heard
  logic  [NumCtas-1:0] gone_q, gone_d;
  logic  [NumCtas-1:0] triggered_q, triggered_d;
  logic  [NumCtas-1:0] due, chosen;

  always_comb begin
    for (int s = 0; s < NumCtas; s++) begin
      completing_o[s] = completes_i && resident_q[s] && slots_q[s].cluster == cluster_i;
    end
  end

  always_comb begin
    slots_d     = slots_q;
    resident_d  = resident_q;
    arrived_d   = arrived_q;
    gone_d      = gone_q;
    triggered_d = triggered_q;
    for (int s = 0; s < NumCtas; s++) begin
      if (news_ready_i && chosen[s]) {arrived_d[s], gone_d[s], triggered_d[s]} = '0;
      if (update_i && 32'(cta_i) == s) begin
        slots_d[s].left     = slots_q[s].left - wcount_t'(leaves_i);
        slots_d[s].complete = slots_q[s].complete + wcount_t'(joins_i) - wcount_t'(parts_i);
        if (triggers_i && !slots_q[s].triggered) {slots_d[s].triggered, triggered_d[s]} = '1;
      end
      if (end_i && 32'(life_i.cta) == s) begin
        slots_d[s].left = '0;
        resident_d[s]   = 1'b0;
      end
      if (completing_o[s]) begin  // a warp that is counted in this cycle belongs to the phase that ends
        slots_d[s].complete = '0;
        slots_d[s].phase    = !slots_q[s].phase;
        slots_d[s].told     = 1'b0;
      end else if (slots_d[s].left != '0 && slots_d[s].complete == slots_d[s].left && !slots_q[s].told) begin
        slots_d[s].told = 1'b1;
        arrived_d[s]    = 1'b1;
      end
      if (slots_d[s].left == '0 && slots_q[s].left != '0) begin
        gone_d[s] = 1'b1;
        if (!slots_d[s].triggered) {slots_d[s].triggered, triggered_d[s]} = '1;
      end
      if (launch_i && 32'(life_i.cta) == s) begin
        slots_d[s] = '{cluster: life_i.cluster, rank: life_i.rank, grid: life_i.grid,
                       left: wcount_t'(life_i.size), default: '0};
        resident_d[s] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      resident_q  <= '0;
      arrived_q   <= '0;
      gone_q      <= '0;
      triggered_q <= '0;
      slots_q     <= '0;
    end else begin
      resident_q  <= resident_d;
      arrived_q   <= arrived_d;
      gone_q      <= gone_d;
      triggered_q <= triggered_d;
      slots_q     <= slots_d;
    end
  end

  // -------------------------------------------------------------------------------------------
  // News, slot by slot in turns
  // -------------------------------------------------------------------------------------------

  assign due = arrived_q | gone_q | triggered_q;

  muster_rr_arbiter #(.NumReq(NumCtas)) u_turn (
    .clk_i, .rst_ni, .req_i (due), .advance_i (news_ready_i), .gnt_o (chosen)
  );

  always_comb begin
    news_o = '0;
    for (int s = 0; s < NumCtas; s++) begin
      if (chosen[s]) begin
        news_o = '{arrived: arrived_q[s], gone: gone_q[s], triggered: triggered_q[s],
                   cluster: slots_q[s].cluster, rank: slots_q[s].rank, grid: slots_q[s].grid};
      end
    end
  end

  always_comb begin
    tells_o = 1'b0;
    for (int s = 0; s < NumCtas; s++) tells_o = tells_o || (due[s] && slots_q[s].cluster == life_i.cluster);
  end

  assign news_valid_o = due != '0;
  assign resident_o   = resident_q;
  assign settled_o    = ~due;

  always_comb begin
    for (int s = 0; s < NumCtas; s++) begin
      phase_o[s] = slots_q[s].phase;
      grid_o[s]  = slots_q[s].grid;
    end
  end

endmodule
