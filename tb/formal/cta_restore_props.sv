// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Save then restore is the identity, in the unit's own registers and memories: if R2B writes the word that
// B2R gave for an entry or a warp of the slot followed into any slot with as many warps, the state there is
// that of the original. The unit is u_cta in the same module. No lifecycle operation is on its way.
module cta_restore_props
  import muster_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumCtas  = 2,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = $clog2(NumCtas),
  localparam int unsigned EntryW  = CtaW + $bits(bar_t),
  localparam int unsigned ValueW  = WarpW + 6,
  localparam int unsigned SlotW   = 2 * WarpW + 3,  // of the roster's slot: resident, to join, live warps, size;
  localparam int unsigned OwedW   = $clog2(NumBars * (NumWarps - 1) + 1)  // above it, what it owes
) (
  input logic      clk_i,
  input cta_t      follow_i,
  input commit_t   commit_i,
  input logic      response_valid_i,
  input response_t response_i,
  input logic      fault_valid_i
);

  // All that the unit keeps of an entry but who waits there, and of a warp; 0 what nothing depends on.
  typedef struct packed {
    logic              phase;
    kind_e             kind;
    logic [WarpW:0]    expected;
    logic [WarpW-1:0]  arrived;
    logic [ValueW-1:0] sum;
  } kept_bar_t;

  typedef struct packed {
    logic              waiting;
    logic              apart;
    logic              reduces;   // the warp waits for its reduction
    bar_t              wait_bar;
    kind_e             kind;
    bar_t              bar;
    logic [ValueW-1:0] result;
  } kept_warp_t;

  kept_bar_t [NumCtas*NumBars-1:0] bars;
  kept_warp_t [NumWarps-1:0]       warps;

  for (genvar e = 0; e < NumCtas * NumBars; e++) begin : g_bar
    logic [ValueW-1:0] sum;

    assign sum = u_cta.u_release.g_reduce.u_values.mem[e];
    assign {bars[e].phase, bars[e].kind, bars[e].expected, bars[e].arrived} = u_cta.u_count.u_counts.mem[e];
    assign bars[e].sum = (bars[e].kind == KindPopc) ? sum :
                         (bars[e].kind inside {KindAnd, KindOr}) ? ValueW'(sum[0]) : '0;
  end

  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    logic       reduces, apart;
    bar_t       wait_bar;
    logic [6:0] reduction;

    assign {reduction, reduces, apart, wait_bar} = u_cta.g_warps.u_warps.u_records.mem[w];
    assign warps[w].waiting    = u_cta.waiting[w];
    assign warps[w].apart      = u_cta.waiting[w] && apart;
    assign warps[w].reduces    = u_cta.waiting[w] && !warps[w].apart && reduces;
    assign warps[w].wait_bar   = u_cta.waiting[w] ? wait_bar : '0;
    assign {warps[w].kind, warps[w].bar} = reduction;
    assign warps[w].result     = (warps[w].kind == KindIdle || warps[w].reduces) ? '0 :
                                 u_cta.g_warps.u_warps.g_results.u_results.results_q[w];
  end

  // ---------------------------------------------------------------------------------------------
  // The save: an operation commits, its entry and warp are looked at, its answer comes
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic       bar;   // of an entry
    logic       warp;  // of a warp
    kept_bar_t  kept_bar;   // B2R.WARP: where the warp waits
    kept_warp_t kept_warp;
  } save_t;

  pending_t         o, o_q;
  save_t            reads_q, saved_q;
  logic             commits, commits_q;
  logic [31:0]      word_q;  // of the save
  bar_t             read_bar;
  kept_warp_t       kept_warp;

  assign o         = u_props.pending_q[commit_i.warp[0][WarpW-1:0]];
  assign commits   = commit_i.valid[0] && !o.idle && 32'(o.cta) < NumCtas && 32'(o.warp) < NumWarps;
  assign kept_warp = warps[o_q.warp[WarpW-1:0]];
  assign read_bar  = (o_q.op == OpB2rWarp) ? kept_warp.wait_bar : o_q.bar;

  initial {commits_q, reads_q.bar, reads_q.warp, saved_q.bar, saved_q.warp} = '0;
  always_ff @(posedge clk_i) begin
    commits_q <= commits && o.cta == follow_i && u_props.resident_q;
    o_q       <= o;
    reads_q   <= '{bar: commits_q && o_q.op == OpB2rBar, warp: commits_q && o_q.op == OpB2rWarp,
                   kept_bar: bars[{follow_i[CtaW-1:0], read_bar}], kept_warp: kept_warp};
    if (response_valid_i && (reads_q.bar || reads_q.warp)) begin
      saved_q <= reads_q;
      word_q  <= response_i.data;
    end
  end

  // The state word of such an entry.
  function automatic bar_word_t shown(kept_bar_t kept);
    return '{zero: '0, phase: kept.phase, kind: kept.kind, expected: wcount_t'(kept.expected), arrived: wcount_t'(kept.arrived),
             value: (kept.kind == KindAnd) ? 12'(!kept.sum[0]) : 12'(kept.sum)};
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The restore: an operation with that word commits, and in the third cycle after it all is there
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    save_t               save;
    logic [31:0]         word;
    cta_t                cta;
    warp_t               warp;
    bar_t                bar;      // R2B.WARP: where the warp will wait
    logic [NumWarps-1:0] waiters;  // who waits there, and will
    bar_t                latest;   // of the slot: the entry of the latest count-0 arrival
  } restore_t;

  warp_word_t          o_word;
  bar_t                bar;
  logic [EntryW-1:0]   row;
  logic                fits;
  logic [NumCtas-1:0]  owes_q;  // before the operation that commits: the roster has paid already
  restore_t            restore_q, restore_2q, due_q;
  logic [NumWarps-1:0] self;

  assign o_word = o.word;
  assign bar    = (o.op == OpR2bWarp) ? o_word.wait_bar : o.bar;
  assign row    = {o.cta[CtaW-1:0], bar};
  assign self   = NumWarps'(1) << o.warp;
  // A live warp that does not wait, in a slot of that size and with so many live warps.
  assign fits   = commits && o.word == word_q && !u_cta.waiting[o.warp[WarpW-1:0]] &&
                  u_cta.u_check.u_roster.u_places.mem[o.warp[WarpW-1:0]][32+:CtaW+1] == {1'b1, o.cta[CtaW-1:0]} &&
                  u_cta.u_check.u_roster.u_slots.mem[o.cta[CtaW-1:0]][SlotW-1:0] ==
                  u_cta.u_check.u_roster.u_slots.mem[follow_i[CtaW-1:0]][SlotW-1:0];

  for (genvar c = 0; c < NumCtas; c++) begin : g_owes
    always_ff @(posedge clk_i) owes_q[c] <= u_cta.u_check.u_roster.u_slots.mem[c][SlotW+OwedW];
  end

  initial {restore_q.save.bar, restore_q.save.warp, restore_2q.save.bar, restore_2q.save.warp,
           due_q.save.bar, due_q.save.warp} = '0;
  always_ff @(posedge clk_i) begin
    restore_q <= '{save: saved_q, word: o.word, cta: o.cta, warp: o.warp, bar: bar,
                   waiters: u_cta.u_release.u_waiters.mem[row] | (o_word.waiting ? self : '0),
                   latest: u_cta.u_check.u_latest.mem[o.cta[CtaW-1:0]]};
    restore_q.save.bar  <= saved_q.bar && fits && o.op == OpR2bBar && bars[row].kind == KindIdle;
    restore_q.save.warp <= saved_q.warp && fits && o.op == OpR2bWarp &&
                           (!o_word.waiting || o_word.apart || (bars[row].kind == saved_q.kept_bar.kind &&
                            (bars[row].expected != '0 || owes_q[o.cta[CtaW-1:0]])));
    restore_2q <= restore_q;
    due_q      <= restore_2q;
  end

  always_ff @(posedge clk_i) begin
    L05_word: assert (!saved_q.bar || word_q == shown(saved_q.kept_bar));
    L06_word: assert (!due_q.save.bar || due_q.word == shown(due_q.save.kept_bar));
    L07_word: assert (!due_q.save.bar || due_q.word == shown(bars[{due_q.cta[CtaW-1:0], due_q.bar}]));
    // 14. Save then restore is the identity, of an entry: the word that B2R.BAR has answered is taken by an idle
    //     entry of any slot that has as many warps, and that is then what the saved one was; where all live
    //     warps are waited for, it is the one that an exit looks at.
    P14_taken: assert (!restore_2q.save.bar || !fault_valid_i);
    P14_entry: assert (!due_q.save.bar || bars[{due_q.cta[CtaW-1:0], due_q.bar}] == due_q.save.kept_bar);
    P14_latest: assert (!due_q.save.bar || u_cta.u_check.u_latest.mem[due_q.cta[CtaW-1:0]] ==
                        ((due_q.save.kept_bar.kind != KindIdle && due_q.save.kept_bar.expected == '0) ?
                         due_q.bar : due_q.latest));
    C14_entry: cover (due_q.save.bar && due_q.cta != follow_i && due_q.save.kept_bar.kind == KindAnd &&
                      due_q.save.kept_bar.arrived == WarpW'(2));

    // 15. The same of a warp: the word that B2R.WARP has answered is taken on behalf of any live warp that does
    //     not wait, once the entry where the saved one waits is restored (and, if it counts to all, owes a warp). Then that warp waits there, as the
    //     only one more, or not, and its place, its latest reduction and the result are those of the saved one.
    P15_taken: assert (!restore_2q.save.warp || !fault_valid_i);
    P15_warp:  assert (!due_q.save.warp || warps[due_q.warp[WarpW-1:0]] == due_q.save.kept_warp);
    P15_waits: assert (!(due_q.save.warp && due_q.save.kept_warp.waiting) ||
                       u_cta.u_release.u_waiters.mem[{due_q.cta[CtaW-1:0], due_q.bar}] == due_q.waiters);
    C15_warp:  cover (due_q.save.warp && due_q.cta != follow_i && due_q.save.kept_warp.reduces &&
                      due_q.waiters == NumWarps'(12));
    C15_value: cover (due_q.save.warp && due_q.save.kept_warp.result == ValueW'(5));
  end

endmodule
