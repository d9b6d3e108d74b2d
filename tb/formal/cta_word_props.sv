// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The state words of one CTA slot at one port: the answers of B2R are right, and R2B restores what a B2R
// gave. The entries are in the table of cta_props (u_props in the same module); the warps' copies are here, a
// cycle after the commits.
module cta_word_props
  import muster_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned WarpSize = 32,
  localparam int unsigned WarpW   = $clog2(NumWarps)
) (
  input logic      clk_i,
  input commit_t   commit_i,
  input logic      response_valid_i,
  input response_t response_i
);

  typedef struct packed {
    kind_e  kind;
    bar_t   bar;
    value_t value;  // 0 while the warp waits for it
  } copy_t;

  copy_t [NumWarps-1:0] copy_q, copy_d;

  function automatic bar_word_t word_of(bar_t b);
    return '{zero: '0, phase: u_props.table_q[b].phase, kind: u_props.table_q[b].kind, expected: u_props.table_q[b].expected,
             arrived: u_props.table_q[b].arrived, value: u_props.table_q[b].value};
  endfunction

  function automatic warp_word_t copy_word(copy_t copy, logic waiting, logic apart, bar_t bar);
    return '{zero: '0, apart: waiting && apart, waiting: waiting, wait_bar: waiting ? bar : '0, kind: copy.kind, bar: copy.bar,
             value: copy.value};
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The operation, as it commits and a cycle later
  // ---------------------------------------------------------------------------------------------

  pending_t         o, o_q;
  logic [WarpW-1:0] w_q;
  warp_word_t       o_word, word_q;
  bar_word_t        found_q;       // the entry before
  logic [NumWarps-1:0] there_q;      // who may be restored where the word says: ...
  bar_t             where, where_q;  // the warp waits
  logic             waiting_q, apart_q, done;

  assign o      = u_props.pending_q[commit_i.warp[0][WarpW-1:0]];
  assign o_word = o.word;

  always_comb begin
    where = '0;
    for (int b = 0; b < NumBars; b++) begin
      if (u_props.table_q[b].waiting[o.warp[WarpW-1:0]]) where = bar_t'(b);
    end
  end

  always_ff @(posedge clk_i) begin
    o_q       <= o;
    found_q   <= word_of(o.bar);
    where_q   <= where;
    waiting_q <= u_props.waits_q[o.warp[WarpW-1:0]];
    apart_q   <= u_props.apart_q[o.warp[WarpW-1:0]];
    // The warps that wait at that entry; none if it counts to all live warps and the CTA owes none.
    there_q   <= (u_props.table_q[o_word.wait_bar].expected == '0 && u_props.owed_q == '0) ? '0 :
                 u_props.table_q[o_word.wait_bar].waiting & ~u_props.apart_q;
  end

  assign w_q    = o_q.warp[WarpW-1:0];
  assign word_q = o_q.word;
  assign done   = u_props.late_q.ours[0] && !o_q.idle && u_props.late_q.cause[0] == FaultNone;

  // ---------------------------------------------------------------------------------------------
  // The copies
  // ---------------------------------------------------------------------------------------------

  always_comb begin
    copy_d = copy_q;
    if (done && waits_of(o_q.op) && o_q.op != OpSync) begin
      copy_d[w_q] = '{kind: kind_of(o_q.op), bar: o_q.bar, value: '0};
    end
    if (done && o_q.op == OpR2bWarp) begin
      copy_d[w_q] = '{kind: word_q.kind, bar: word_q.bar, value: word_q.value};
    end
    for (int i = 0; i < NumWarps; i++) begin
      if (u_props.late_q.complete && is_reduction(u_props.late_q.kind) && u_props.late_q.release_set[i] &&
          !u_props.apart_q[i]) begin
        copy_d[i].value = u_props.late_q.value;
      end
    end
  end

  always_ff @(posedge clk_i) copy_q <= copy_d;

  // ---------------------------------------------------------------------------------------------
  // The answers
  // ---------------------------------------------------------------------------------------------

  logic       reads_q, own_value;
  op_e        op_q;
  response_t  response_q;
  warp_word_t now;  // the warp's word

  assign now       = copy_word(copy_q[w_q], waiting_q, apart_q, where_q);
  assign own_value = o_q.op == OpB2rResult;

  always_ff @(posedge clk_i) begin
    reads_q    <= done && o_q.op inside {OpB2rBar, OpB2rWarp, OpB2rResult};
    op_q       <= o_q.op;
    response_q <= '{warp: o_q.warp,
                    data: (o_q.op == OpB2rBar) ? found_q : !own_value ? now :
                          (now.kind == KindPopc) ? 32'(now.value) : '0,
                    pred: own_value && now.kind inside {KindAnd, KindOr} && now.value[0]};
  end

  // R2B of a word that B2R would give: of an entry, into an idle one; of a live warp, which waits there if
  // the word says so.
  logic [NumBars-1:0]  same_bar;
  logic [NumWarps-1:0] same_warp;
  bar_word_t           bars_q [NumBars];  // the entries before
  logic                named, again_bar, again_warp, again_q, refused_q;

  always_comb begin
    for (int b = 0; b < NumBars; b++) same_bar[b] = bars_q[b] == o_q.word;
    for (int i = 0; i < NumWarps; i++) begin
      same_warp[i] = u_props.live_q[i] && (!word_q.waiting || word_q.apart || there_q[i]) &&
                     o_q.word == copy_word(copy_q[i], word_q.waiting, word_q.apart, word_q.wait_bar);
    end
  end

  assign named      = u_props.late_q.ours[0] && !o_q.idle;
  assign again_bar  = named && o_q.op == OpR2bBar && same_bar != '0 && found_q.kind == KindIdle;
  assign again_warp = named && o_q.op == OpR2bWarp && same_warp != '0 &&
                      (word_q.waiting || word_q.wait_bar == '0);

  initial {again_q, refused_q} = '0;
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < NumBars; b++) bars_q[b] <= word_of(bar_t'(b));
    again_q   <= again_bar || again_warp;
    refused_q <= u_props.late_q.ours[0] && u_props.late_q.cause[0] == FaultBadStateWord;
  end

  always_ff @(posedge clk_i) begin
    if (u_props.looks) begin
      // 10. B2R answers two cycles after its commit: BAR, the state word of the entry;
      P10_answer: assert (!reads_q || (response_valid_i && response_i.warp == response_q.warp));
      C10_answer: cover (reads_q && op_q == OpB2rBar && response_q.data[18:12] == 7'd3);
      // 11. WARP, that of the warp: whether it waits and where, kind, entry and result of its latest
      //     reduction; RESULT, that result.
      P11_word:   assert (!reads_q || (response_i.data == response_q.data &&
                                       response_i.pred == response_q.pred));
      C11_word:   cover (reads_q && op_q == OpB2rWarp && response_q.data[23] && response_q.data[11:0] == 12'd5);
      // 12. A word that B2R gives is not refused as an impossible one: that of any entry into an idle one,
      //     that of any warp on behalf of any, unless the warp waits with all and none is owed. (What is then there is P06, P10 and P11.)
      P12_taken: assert (!(again_q && u_props.fault_valid_i[0]) ||
                         u_props.fault_i[0].cause != FaultBadStateWord);
      C12_apart: cover (again_warp && done && word_q.apart && word_q.value == 12'd5);
      C12_value: cover (again_bar && done && o_q.word[28:0] == {KindPopc, 7'd3, 7'd2, 12'd7});
      C12_waits: cover (again_warp && done && word_q.waiting && word_q.value == 12'd5);
      // 13. A refused word changes nothing: no entry is written. (That entries, copies and who waits are as
      //     before, P06 and P11 show for what comes after.) A state word releases no warp.
      P13_refused:  assert (!refused_q || !commit_i.entry_valid);
      P13_releases: assert (!u_props.released || u_props.due.complete);
      C13_refused:  cover (refused_q && u_props.waits_q != '0);
      // 5 to 8, of cta_props: R2B.BAR leaves the word that it writes, and an impossible word is refused.
      C05_written: cover (u_props.due.changes && u_props.due.word.arrived == 7'd2);
      C06_written: cover (u_props.due.changes && u_props.due.word == '0);
      C07_fault:   cover (u_props.due.cause[0] == FaultBadStateWord && u_props.waits_q == '0);
      C08_cause:   cover (u_props.due.cause[0] == FaultWarpWaiting);
    end
  end

  // Every entry and every copy has a word that R2B takes.
  for (genvar b = 0; b < NumBars; b++) begin : g_bar
    always_ff @(posedge clk_i) begin
      if (u_props.looks) begin
        L01_entry: assert (!bad_bar(word_of(bar_t'(b)), u_props.size_q, u_props.alive_q, $clog2(WarpSize)));
      end
    end
  end
  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    always_ff @(posedge clk_i) begin
      if (u_props.looks && u_props.live_q[w]) begin
        L02_copy: assert (!bad_warp(copy_word(copy_q[w], 1'b0, 1'b0, '0), u_props.size_q, $clog2(WarpSize)));
      end
    end
  end

endmodule
