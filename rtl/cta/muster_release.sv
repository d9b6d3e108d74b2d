// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The last stage holds the warps that wait at each entry and the value of its reduction, and makes
// the release when the entry completes. Both memories are read and written here one update after
// the counts, which alone decide; so neither memory is on the path of that decision.
//
// The value of POPC is the number of true lanes. For OR it is one bit that says if some lane was
// true; for AND, if some lane was false. So the value starts from zero whatever the kind.
//
// What the last generation has left in an idle entry is ignored: no warp waits at one. With EnSplit
// one may, so there the completion clears the entry's waiting warps, and so does what clears the
// entry.
module muster_release
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumCtas  = Cfg.NumCtas,
  localparam int unsigned NumIssue = Cfg.NumIssue,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned EntryW  = $clog2(NumCtas * NumBars),
  localparam int unsigned ValueW  = WarpW + 6
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [EntryW-1:0]      next_entry_i,  // the entry of the outcome in the next cycle
  input  outcome_t               outcome_i,
  input  effect_t [NumIssue-1:0] effects_i,
  input  logic [NumWarps-1:0]    warps_i,      // that arrive to wait, are written, or cleared
  input  reset_step_t            reset_step_i,

  input  logic [EntryW-1:0]      debug_entry_i,  // an entry to look at
  input  bar_word_t              debug_counts_i,  // (its counts, a cycle later)
  output bar_word_t              debug_word_o,  // its state word, a cycle later

  output logic                   warps_wait_o,  // these warps begin to wait at the outcome's entry
  output bar_word_t              old_word_o,   // the entry's state word before the update
  output bar_word_t              new_word_o,   // the entry's state word after the update

  output logic [NumWarps-1:0]    release_o,    // the released warps, a cycle later
  output release_t               release_info_o
);

  logic [EntryW-1:0] entry;
  assign entry = EntryW'({outcome_i.cta, outcome_i.bar});

  // -------------------------------------------------------------------------------------------
  // The waiting warps
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] stored, waiters, waiters_d;
  logic                waiters_write, clears;
  warp_word_t          warp_word;

  assign warp_word = outcome_i.word;

  // R2B.WARP of a warp that does not wait leaves the waiters as they are.
  assign warps_wait_o  = (outcome_i.op == GroupArrive) ||
                         (Cfg.EnSplit && outcome_i.op == GroupWait) ||
                         (Cfg.EnState && outcome_i.op == GroupWriteWarp && warp_word.waiting);
  assign waiters       = (!Cfg.EnSplit && outcome_i.idle) ? '0 : stored;
  assign clears        = Cfg.EnSplit && (outcome_i.complete ||
                                     (outcome_i.valid && outcome_i.op == GroupClear));
  assign waiters_d     = clears ? '0 : waiters | warps_i;
  // An exit that completes nothing writes what is there: so it need not be known whether one does.
  assign waiters_write = (Cfg.EnSplit && outcome_i.valid && outcome_i.op == GroupClear) ||
                         (outcome_i.accepted && !outcome_i.passed &&
                          (warps_wait_o || (Cfg.EnState && outcome_i.op == GroupWriteBar) ||
                           (Cfg.EnSplit && outcome_i.op == GroupExit)));

  logic reset_clears;

  assign reset_clears = Cfg.EnSplit && reset_step_i.entry_clear;

  muster_ram #(.Depth(NumCtas * NumBars), .Width(NumWarps)) u_waiters (
    .clk_i,
    .we_i (waiters_write || reset_clears),
    .waddr_i (reset_clears ? EntryW'({reset_step_i.cta, reset_step_i.bar}) : entry),
    .wdata_i (reset_clears ? '0 : waiters_d),
    .raddr_i (next_entry_i), .rdata_o (stored)
  );

  // -------------------------------------------------------------------------------------------
  // The value of the reduction
  // -------------------------------------------------------------------------------------------

  logic [ValueW-1:0] value, value_new;  // of the entry, before and after
  logic [ValueW-1:0] debug;

  if (Cfg.EnReduce) begin : g_reduce
    // Ports whose lanes are added up already.
    localparam int unsigned Span   = (NumIssue > 2) ? 2 : 1;
    localparam int unsigned Groups = NumIssue / Span;

    logic [Groups-1:0][6:0] hits;  // true (AND: false) lanes that count
    logic [ValueW-1:0]      kept, total, increment;
    bar_word_t              bar_word;
    logic                   arrives, writes, sums, some;

    assign bar_word = outcome_i.word;
    assign arrives  = (outcome_i.op == GroupArrive);
    assign writes   = Cfg.EnState && (outcome_i.op == GroupWriteBar);

    assign value = outcome_i.idle ? '0 : kept;
    assign sums  = (outcome_i.kind == KindPopc);

    // The members are added up while the memory is read, whose data are late.
    always_comb begin
      hits = '0;
      for (int m = 0; m < NumIssue; m++) begin
        if (effects_i[m].counts) hits[m / Span] = effects_i[m].hits;
      end
      total = '0;
      some  = value[0];
      for (int g = 0; g < Groups; g++) begin
        total = total + ValueW'(hits[g]);
        some  = some || (hits[g] != '0);
      end
      increment = (arrives && sums) ? total : '0;
      if (writes) begin
        increment    = bar_word.value[ValueW-1:0];
        increment[0] = bar_word.value[0] ^ (bar_word.kind == KindAnd);
      end
      value_new = value + increment;
      if (arrives && (outcome_i.kind inside {KindAnd, KindOr})) value_new[0] = some;
    end

    muster_ram #(
      .Depth(NumCtas * NumBars), .Width(ValueW), .NumRead(2), .Forward(2'b01)
    ) u_values (
      .clk_i,
      .we_i (outcome_i.accepted && (arrives || writes)), .waddr_i (entry), .wdata_i (value_new),
      .raddr_i ({debug_entry_i, next_entry_i}), .rdata_o ({debug, kept})
    );
  end else begin : g_no_reduce
    assign value     = '0;
    assign value_new = '0;
    assign debug    = '0;
  end

  // A value as a state word, or the release, shows it.
  function automatic value_t shown(kind_e kind, logic [ValueW-1:0] sum);
    unique case (kind)
      KindPopc: return value_t'(sum);
      KindAnd:  return value_t'(!sum[0]);
      KindOr:   return value_t'(sum[0]);
      default:  return '0;
    endcase
  endfunction

  always_comb begin
    old_word_o       = outcome_i.found;
    old_word_o.value = shown(outcome_i.found.kind, value);
    new_word_o       = outcome_i.left;
    new_word_o.value = (outcome_i.op == GroupArrive) ? shown(outcome_i.kind, value_new)
                                                        : outcome_i.word[11:0];
    if (outcome_i.complete) new_word_o.value = '0;
    debug_word_o       = debug_counts_i;
    debug_word_o.value = shown(debug_counts_i.kind, debug);
  end

  // -------------------------------------------------------------------------------------------
  // The release
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] release_q;
  release_t            release_info_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      release_q <= '0;
    end else begin
      release_q <= (waiters & {NumWarps{outcome_i.complete}}) |
                   (warps_i & {NumWarps{outcome_i.complete || outcome_i.passed}});
    end
  end

  // Without a release its value is the one that R2B.WARP gives to a warp.
  always_ff @(posedge clk_i) begin
    release_info_q <= '{
      cta:   outcome_i.cta,
      bar:   outcome_i.bar,
      kind:  outcome_i.kind,
      value: shown(outcome_i.kind, value_new)
    };
    if (Cfg.EnState && outcome_i.op == GroupWriteWarp) release_info_q.value <= warp_word.value;
  end

  assign release_o      = release_q;
  assign release_info_o = release_info_q;

endmodule
