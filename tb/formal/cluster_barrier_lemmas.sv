// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of barrier.cluster without bound: the lemmas that relate the words of the warps, the counts of the CTAs and
// the masks of the hub to what the checker knows of each lane. The units, the hub and the checker are in the module around
// this one. A phase is complete for the checker as soon as the last lane has arrived; the hub completes it some cycles later.
module cluster_barrier_lemmas
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits = 2,
  parameter int unsigned NumWarps = 2,
  parameter int unsigned Boots    = 4  // the last step of the launches
) (
  input logic clk_i,
  input logic rst_ni
);

  typedef logic [NumUnits-1:0][NumWarps-1:0][1:0] all_t;

  // What the checker has.
  all_t                live_q, arrived_q, waiting_q, passed_q, due_q, held_q, held, due;
  logic [NumUnits-1:0][NumWarps-1:0] released;
  logic [NumUnits-1:0] valid_q, waits_q, faults_q;
  logic [2:0]          step_q;

  assign {live_q, arrived_q, waiting_q, passed_q, due_q, held_q, held, due} =
    {cluster_barrier_formal.live_q, cluster_barrier_formal.arrived_q, cluster_barrier_formal.waiting_q,
     cluster_barrier_formal.passed_q, cluster_barrier_formal.due_q, cluster_barrier_formal.held_q,
     cluster_barrier_formal.held, cluster_barrier_formal.due};
  assign {released, valid_q, waits_q, faults_q, step_q} =
    {cluster_barrier_formal.released, cluster_barrier_formal.valid_q, cluster_barrier_formal.waits_q,
     cluster_barrier_formal.faults_q, cluster_barrier_formal.step_q};

  all_t                arrived, waiting, passed;  // as the units have it
  logic                closing;                   // all live lanes have arrived in the phase of the units
  logic                runs;                      // all CTAs are there
  logic [NumUnits-1:0] told, gone, phase;

  assign closing = live_q != '0 && (live_q & ~arrived) == '0;
  assign runs    = 32'(step_q) == Boots;

  for (genvar u = 0; u < NumUnits; u++) begin : g_unit_of
    logic [1:0] complete, left;  // warps that are, as the words say; that have lanes
    logic       news_arrived, news_gone, leaves, joins, parts;

    assign phase[u] = g_unit[u].u_count.u_ctas.phase_q[0];
    assign told[u]  = g_unit[u].u_count.u_ctas.told_q[0];
    assign gone[u]  = g_unit[u].u_count.u_ctas.left_q[0] == '0;
    assign news_arrived = u_hub.valid_q && u_hub.news_q.arrived && u_hub.news_q.rank == rank_t'(u);
    assign news_gone    = u_hub.valid_q && u_hub.news_q.gone && u_hub.news_q.rank == rank_t'(u);
    assign leaves       = g_unit[u].u_count.update_q && g_unit[u].u_count.leaves_q;
    assign joins        = g_unit[u].u_count.update_q && g_unit[u].u_count.joins_q;
    assign parts        = g_unit[u].u_count.update_q && g_unit[u].u_count.parts_q;

    for (genvar w = 0; w < NumWarps; w++) begin : g_warp_of
      warp_phase_t word;
      logic        known;

      assign word  = warp_phase_t'(g_unit[u].u_count.u_words.mem[w]);
      assign known = g_unit[u].u_count.known_q[w];
      assign arrived[u][w] = (known && word.phase == phase[u]) ? word.arrived[1:0] : '0;
      assign waiting[u][w] = arrived[u][w] & word.flag[1:0];
      assign passed[u][w]  = !known ? '0 : (word.phase == phase[u]) ? word.flag[1:0] & ~word.arrived[1:0] :
                                           word.flag[1:0] ^ word.arrived[1:0];

      always_ff @(posedge clk_i) begin
        if (rst_ni && runs) begin
          L01_few:     assert (!known || (word.arrived[31:2] == '0 && word.flag[31:2] == '0));
          L02_here:    assert (((arrived[u][w] | passed[u][w]) & ~live_q[u][w]) == '0);
          L03_known:   assert (known == g_unit[u].u_count.warps_q[0][w] && (!known || live_q[u][w] != '0));
          L04_waits:   assert (g_unit[u].u_count.waits_q[w] == (waiting[u][w] != '0));
          L05_arrived: assert (arrived_q[u][w] == (closing ? '0 : arrived[u][w]));
          L06_waiting: assert (waiting_q[u][w] == (closing ? '0 : waiting[u][w]));
          L07_passed:  assert (passed_q[u][w] == (closing ? arrived[u][w] & ~waiting[u][w] : passed[u][w]));
          L08_held:    assert (held[u][w] == (released[u][w] ? due[u][w] : waiting[u][w]));
          L09_due:     assert (released[u][w] || due[u][w] == (closing ? waiting[u][w] : '0));
          L10_looked:  assert (!g_unit[u].u_count.valid_q || 32'(g_unit[u].u_count.warp) != w ||
                               (g_unit[u].u_count.has_word_q == known && g_unit[u].u_count.phase_q == phase[u]));
        end
      end
    end

    always_comb begin
      complete = '0;
      left     = '0;
      for (int w = 0; w < NumWarps; w++) begin
        complete = complete + 2'(live_q[u][w] != '0 && (live_q[u][w] & ~arrived[u][w]) == '0);
        left     = left + 2'(live_q[u][w] != '0);
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L20_place: assert (32'(step_q) <= 2 + u || (g_unit[u].u_count.u_ctas.resident_q[0] &&
                           g_unit[u].u_count.u_ctas.place_q[0] == {6'd0, 4'(u), 3'd0}));
        L21_boots: assert (runs || ({g_unit[u].u_count.valid_q, g_unit[u].u_count.acts_q, g_unit[u].u_count.update_q} == '0 &&
                           {g_unit[u].u_count.known_q, g_unit[u].u_count.warps_q[0], g_unit[u].u_count.waits_q, told[u],
                            g_unit[u].u_count.u_ctas.arrived_q[0], g_unit[u].u_count.u_ctas.gone_q[0],
                            g_unit[u].u_count.u_ctas.triggered_q[0], g_unit[u].u_count.u_ctas.signalled_q[0], phase[u],
                            released[u]} == '0));
        L22_fresh: assert (runs || 32'(step_q) <= 2 + u || (g_unit[u].u_count.u_ctas.left_q[0] == wcount_t'(NumWarps) &&
                                                           g_unit[u].u_count.u_ctas.complete_q[0] == '0));
      end
      if (rst_ni && runs) begin
        L23_left:     assert (g_unit[u].u_count.u_ctas.left_q[0] == wcount_t'(left) + wcount_t'(leaves));
        L24_complete: assert (g_unit[u].u_count.u_ctas.complete_q[0] + wcount_t'(joins) ==
                              wcount_t'(complete) + wcount_t'(parts));
        // What the hub knows, or will.
        L25_told:  assert (told[u] ? g_unit[u].u_count.u_ctas.complete_q[0] == g_unit[u].u_count.u_ctas.left_q[0] :
                           (gone[u] || g_unit[u].u_count.u_ctas.complete_q[0] != g_unit[u].u_count.u_ctas.left_q[0]));
        L26_heard: assert (3'(told[u] && !u_hub.completes_q) == 3'(g_unit[u].u_count.u_ctas.arrived_q[0]) +
                           3'(news_arrived) + 3'(u_hub.arrived_q[0][u]));
        L27_gone:  assert (3'(gone[u]) == 3'(g_unit[u].u_count.u_ctas.gone_q[0]) + 3'(news_gone) + 3'(u_hub.gone_q[0][u]));
        L28_last:  assert (g_unit[u].u_count.u_ctas.triggered_q[0] == g_unit[u].u_count.u_ctas.gone_q[0] &&
                           g_unit[u].u_count.u_ctas.signalled_q[0] == gone[u]);
        L29_acts:  assert (g_unit[u].u_count.acts_q == (g_unit[u].u_count.valid_q && g_unit[u].u_count.request_q.lanes != '0) &&
                           (!g_unit[u].u_count.valid_q || (g_unit[u].u_count.resident_q && g_unit[u].u_count.request_q.cta == '0)));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L30_boots: assert (runs || (live_q == '1 && {arrived_q, waiting_q, passed_q, due_q, held_q, valid_q, waits_q, faults_q,
                                                  u_hub.valid_q, u_hub.completes_q, u_hub.arrived_q, u_hub.gone_q} == '0));
      L31_members: assert (step_q < 3'd2 || u_hub.members_q[0] == 16'((1 << NumUnits) - 1));
      L32_ranks:   assert (((u_hub.arrived_q[0] | u_hub.gone_q[0]) & ~16'((1 << NumUnits) - 1)) == '0);
      L33_rank:    assert (!u_hub.valid_q || (32'(u_hub.news_q.rank) < NumUnits && u_hub.news_q.cluster == '0));
      L34_steps:   assert (32'(step_q) <= Boots && step_q != '0);
      L35_phase:   assert (!runs || phase == '0 || phase == '1);
      // The hub completes a phase only if it is complete.
      L36_closing: assert (!u_hub.completes_q ||
                           ((closing || live_q == '0) && u_hub.arrived_q[0] == '0 && u_hub.cluster_q == '0));
      L38_rests:   assert (!runs || (u_hub.arrived_q[0] | u_hub.gone_q[0]) != u_hub.members_q[0] ||
                           (u_hub.arrived_q[0] & ~u_hub.gone_q[0]) == '0);
      L37_answers: assert ((waits_q & faults_q) == '0);
    end
  end

endmodule
