// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The sums of a step, and why it may be refused, as a function of the word and the step. All lanes
// of a step have one operand. Either the outcome is that of the lanes one by one with no completion
// before the last, or the lanes must be split.
//
// The word holds arrivals negated, so an arrival adds, and nothing is pending when the sum is 0
// modulo 2^20. That is detected in parallel with the adders, without their carries: a + b = 0
// exactly when a ^ b = (a | b) << 1. A step that replaces the word finds 0.
//
// With EnReport the word may be of layout v1, whose counts of arrivals have nine bits: they become
// counts modulo 2^20 before the sums, and are cut again after them.
module muster_mb_look
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam bit EnRefuse = Cfg.EnFaults || Cfg.EnLanes  // off: nothing is refused or split
) (
  input  mb_word_t word_i,
  input  mb_step_t step_i,
  input  logic     phase_i,    // waits: the phase, or parity, asked about; or the layout
  input  mb_asks_e asks_i,     // waits
  input  logic     refused_i,  // whatever the word is
  output mb_sums_t sums_o
);

  function automatic logic adds_to_zero(mb_count_t a, mb_count_t b);
    return (a ^ b) == mb_count_t'((a | b) << 1);
  endfunction

  function automatic mb_count_t of_nine(logic [8:0] negated);
    return {{11{negated != '0}}, negated};
  endfunction

  mb_class_t   kind;
  mb_amount_t  amount;
  mb_word_v1_t other;  // the word, if it is of layout v1
  logic        v1, leaves_v1;

  assign kind      = step_i.kind;
  assign amount    = step_i.amount;
  assign other     = mb_word_v1_t'(word_i);
  assign v1        = is_v1(word_i, Cfg.EnReport);
  assign leaves_v1 = v1 || (Cfg.EnReport && kind.inits && phase_i);

  // Pending arrivals.
  mb_count_t pending_before, pending;
  logic      pending_carry, pending_zero, was_zero;

  assign pending_before = v1 ? of_nine(other.pending) : word_i.pending;
  assign was_zero       = v1 ? other.pending == '0 : word_i.pending == '0;
  assign pending_zero   = adds_to_zero(pending_before, amount.pending);
  assign {pending_carry, pending} = 21'(pending_before) + 21'(amount.pending);

  // Expected arrivals.
  mb_count_t expected_before, expected, change;
  logic      expected_zero, drop_carry, drop_zero;

  assign expected_before = v1 ? of_nine(other.expected) : word_i.expected;
  assign expected_zero   = v1 ? other.expected == '0 : word_i.expected == '0;
  assign change          = kind.inits || kind.drops ? amount.pending : '0;

  assign drop_zero = adds_to_zero(expected_before, change);
  assign {drop_carry, expected} = 21'(expected_before) + 21'(change);

  // Transactions.
  logic [22:0] tx_before, tx_change, tx;
  logic        tx_low_zero, tx_zero;

  assign tx_before   = {{2{word_i.tx[20]}}, word_i.tx};
  assign tx_change   = {amount.tx[21], amount.tx};
  assign tx          = tx_before + tx_change;
  assign tx_low_zero = adds_to_zero(tx_before[19:0], tx_change[19:0]);
  assign tx_zero     = (tx_before ^ tx_change) == 23'((tx_before | tx_change) << 1);

  // The sum of negated counts goes beyond 0: more than is pending, or expected. If arrivals are
  // added, it must.
  logic beyond, beyond_nine, drop_beyond, exhausted;

  assign beyond      = (kind.arrives && pending_carry && !pending_zero) ||
                       (kind.adds && !was_zero && (!pending_carry || pending_zero)) ||
                       (kind.adds && v1 && !was_zero && beyond_nine);
  assign beyond_nine = pending[19:9] != '1 || pending[8:0] == '0;
  assign drop_beyond = kind.drops && drop_carry && !drop_zero;
  assign exhausted = (kind.arrives || kind.adds || kind.tx || (Cfg.EnReport && kind.reports)) &&
                     was_zero && expected_zero && word_i.tx == '0;

  // Reports, and the phase that a wait asks about.
  mb_report_t  report;
  mb_word_v1_t left_v1;
  logic        current;

  assign report  = kind.reports ? '{pred: 1'b1, value: step_i.value} : '0;
  assign left_v1 = '{phase: word_i.phase, conditional: other.conditional,
                     report: other.report | report, pending: pending[8:0], tx: tx[20:0],
                     last: other.last, expected: expected[8:0], v1: 1'b1, default: '0};
  assign current = !Cfg.EnReport             ? word_i.phase :
                   asks_i == AsksLayout      ? !v1 :
                   asks_i == AsksConditional ? (v1 ? other.conditional : word_i.phase) :
                                               word_i.phase;

  always_comb begin
    sums_o           = '0;
    sums_o.word      = '{phase: word_i.phase, pending: pending, tx: tx[20:0], expected: expected,
                         default: '0};
    if (leaves_v1) sums_o.word = mb_word_t'(left_v1);
    sums_o.completes = kind.tests && pending_zero && tx_zero;
    sums_o.passed    = kind.waits && phase_i != current;
    sums_o.hopeless  = refused_i;
    if (EnRefuse) begin
      sums_o.exhausted   = exhausted;
      sums_o.wrong_layout = Cfg.EnReport && kind.reports && !v1;
      sums_o.hopeless    = refused_i || exhausted ||
                           (kind.arrives && (was_zero || amount.pending_over)) ||
                           (kind.drops && expected_zero);
      sums_o.beyond      = beyond || drop_beyond;
      sums_o.adds        = kind.adds;
      sums_o.tx_bad      = kind.tx && (amount.tx_over ||
                           !(tx[22:20] == 3'b000 || (tx[22:20] == 3'b111 && !tx_low_zero)));
      sums_o.no_complete = kind.no_complete && pending_zero && tx_zero;
      sums_o.several     = step_i.several && !refused_i;
      sums_o.any_lane    = sums_o.several && was_zero && kind.tx && kind.tests;
    end
  end

endmodule
