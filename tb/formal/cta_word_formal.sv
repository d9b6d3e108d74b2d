// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of the state words, in cta_formal: any B2R and R2B, of either slot and with any word, may be
// presented in any cycle. There are no arrivals, and no lifecycle operation is on its way.
module cta_word_formal
  import muster_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned WarpSize = 32,
  parameter int unsigned NumCtas  = 2,
  localparam int unsigned CtaW    = $clog2(NumCtas),
  localparam int unsigned SlotW   = 2 * $clog2(NumWarps) + 3,  // of the roster's slot, without what it owes
  localparam int unsigned OwedW   = $clog2(NumBars * (NumWarps - 1) + 1)
) (
  input logic      clk_i,
  input logic      started_i,
  input cta_t      follow_i,
  input logic [NumBars-1:0] stands_i,  // the unit's memories hold this entry of the table of cta_props
  input logic      issue_valid_i,
  input issue_t    issue_i,
  input logic      lc_valid_i,      // a lifecycle operation or an exit
  input commit_t   commit_i,
  input logic      response_valid_i,
  input response_t response_i
);

  cta_word_props #(.NumWarps(NumWarps), .WarpSize(WarpSize)) u_words (
    .clk_i, .commit_i, .response_valid_i, .response_i
  );

  logic quiet;  // nothing is between the commit and the memories

  assign quiet = !u_cta.u_count.valid_q && !u_cta.release_busy && !u_cta.g_warps.u_warps.g_results.u_results.write_q;

  always_ff @(posedge clk_i) begin
    assume (!lc_valid_i && (!issue_valid_i || issue_i.op >= OpB2rBar));
    if (!started_i) assume (!u_words.reads_q && !u_cta.g_warps.u_warps.g_results.u_results.write_q);
  end

  // The memories hold what the table does: after R2B, again a state from which cta_formal begins.
  for (genvar b = 0; b < NumBars; b++) begin : g_stored
    always_ff @(posedge clk_i) begin
      if (u_props.looks) L03_stored: assert (stands_i[b]);
    end
  end

  // What restores owe, in the roster: it is paid a cycle before the commit. In the first cycle it is no more
  // than R2B.BAR can have counted.
  logic [NumCtas-1:0]            owes;
  logic [NumCtas-1:0][OwedW-1:0] owed;
  wcount_t                       counted;

  for (genvar c = 0; c < NumCtas; c++) begin : g_owed
    assign {owes[c], owed[c]} = u_cta.u_check.u_roster.u_slots.mem[c][SlotW+:OwedW+1];
    always_ff @(posedge clk_i) assume (started_i || owes[c] == (owed[c] != '0));
  end

  always_comb begin
    counted = '0;
    for (int b = 0; b < NumBars; b++) begin
      if (u_props.table_q[b].expected == '0) counted = counted + u_props.table_q[b].arrived;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (started_i || !u_props.resident_q || (u_props.owed_q <= counted &&
            wcount_t'(owed[follow_i[CtaW-1:0]]) == u_props.owed_q));
    if (u_props.looks && quiet) L05_owed: assert (wcount_t'(owed[follow_i[CtaW-1:0]]) == u_props.owed_q);
  end

  // The copies, in the first cycle.
  for (genvar w = 0; w < NumWarps; w++) begin : g_copy
    kind_e      kind, there;
    bar_t       bar, wait_bar, where;
    logic       reduces, apart, hidden, stands;
    logic [7:0] result;

    assign {kind, bar, reduces, apart, wait_bar} = u_cta.g_warps.u_warps.u_records.mem[w];
    assign result              = u_cta.g_warps.u_warps.g_results.u_results.results_q[w];
    assign hidden              = u_props.waits_q[w] && !u_props.apart_q[w] && reduces;

    always_comb begin
      where = '0;
      there = KindIdle;
      for (int b = 0; b < NumBars; b++) begin
        if (u_props.table_q[b].waiting[w]) begin
          where = bar_t'(b);
          there = u_props.table_q[b].kind;
        end
      end
    end

    assign stands = u_words.copy_q[w].kind == kind && u_words.copy_q[w].bar == bar &&
                    u_words.copy_q[w].value == ((kind == KindIdle || hidden) ? '0 : 12'(result)) &&
                    (!u_props.waits_q[w] || (wait_bar == where && apart == u_props.apart_q[w]));
    always_ff @(posedge clk_i) begin
      if (!started_i && u_props.resident_q && u_props.live_q[w]) begin
        assume (!bad_warp(u_words.copy_word(u_words.copy_q[w], 1'b0, 1'b0, '0), u_props.size_q, $clog2(WarpSize)));
        assume (stands && (!u_props.waits_q[w] || u_props.apart_q[w] || (reduces == is_reduction(there) &&
                (!reduces || (kind == there && bar == where)))));
      end
      if (u_props.looks && quiet && u_props.live_q[w]) L04_stored: assert (stands);
    end
  end

endmodule
