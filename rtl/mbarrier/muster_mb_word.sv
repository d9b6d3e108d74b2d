// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One update of an mbarrier word, as a function: the new word, whether its phase completes, or why the
// update is refused. All lanes of an update have one operand. Either the outcome is that of the lanes
// one by one with no completion before the last, or the lanes must be split.
//
// The word holds arrivals negated, so an arrival adds, and nothing is pending when the sum is 0
// modulo 2^20. That is detected in parallel with the adders, without their carries: a + b = 0 exactly
// when a ^ b = (a | b) << 1.
module muster_mb_word
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter bit EnDrop   = 1'b1,  // off: there is no arrive_drop
  parameter bit EnRefuse = 1'b1   // off: nothing is refused or split
) (
  input  mb_word_t   word_i,
  input  mb_class_t  class_i,
  input  mb_amount_t amount_i,
  input  logic       several_i,  // more than one lane
  input  logic       phase_i,    // waits: the phase, or parity, asked about
  input  fault_e     cause_i,    // refused already, for all lanes

  output mb_word_t   word_o,
  output logic       write_o,    // the word changes, or may
  output logic       completed_o, // a phase completed
  output logic       passed_o,   // waits: the phase asked about has completed
  output fault_e     cause_o,    // refused, and the same for each lane
  output logic       split_o,    // refused for all lanes together: ask again for one
  output mb_verdict_t verdict_o
);

  function automatic logic adds_to_zero(mb_count_t a, mb_count_t b);
    return (a ^ b) == mb_count_t'((a | b) << 1);
  endfunction


  // Pending arrivals.
  mb_count_t pending;
  logic      pending_carry, pending_zero, was_zero, arrive_bad, add_bad;

  assign was_zero     = word_i.pending == '0;
  assign pending_zero = adds_to_zero(word_i.pending, amount_i.pending);
  assign {pending_carry, pending} = 21'(word_i.pending) + 21'(amount_i.pending);
  assign arrive_bad   = class_i.arrives &&
                        (was_zero || amount_i.pending_over || (pending_carry && !pending_zero));
  assign add_bad      = class_i.adds && !was_zero && (!pending_carry || pending_zero);

  // Expected arrivals.
  mb_count_t expected;
  logic      expected_zero, drop_bad;

  assign expected_zero = word_i.expected == '0;

  if (EnDrop) begin : g_drop
    mb_count_t dropped;
    logic      carry, zero;

    assign dropped  = class_i.drops ? amount_i.pending : '0;
    assign zero     = adds_to_zero(word_i.expected, dropped);
    assign {carry, expected} = 21'(word_i.expected) + 21'(dropped);
    assign drop_bad = class_i.drops && (expected_zero || (carry && !zero));
  end else begin : g_no_drop
    assign expected = word_i.expected;
    assign drop_bad = 1'b0;
  end

  // Transactions.
  logic [22:0] tx;
  logic        tx_low_zero, tx_zero, tx_bad;

  assign tx          = {{2{word_i.tx[20]}}, word_i.tx} + {amount_i.tx[21], amount_i.tx};
  assign tx_low_zero = adds_to_zero(word_i.tx[19:0], amount_i.tx[19:0]);
  assign tx_zero     = tx_low_zero && tx[22:20] == '0;
  assign tx_bad      = class_i.tx && (amount_i.tx_over ||
                       !(tx[22:20] == 3'b000 || (tx[22:20] == 3'b111 && !tx_low_zero)));

  // The verdict.
  logic updates, exhausted, completes, bad, hopeless, may_split, must_split, refused;

  assign updates   = class_i.arrives || class_i.adds || class_i.tx;
  assign exhausted = was_zero && expected_zero && word_i.tx == '0;
  assign completes = class_i.tests && pending_zero && tx_zero;

  always_comb begin
    cause_o = cause_i;
    if (EnRefuse && cause_i == FaultNone && updates) begin
      if (exhausted) begin
        cause_o = FaultWordExhausted;
      end else if (arrive_bad || drop_bad) begin
        cause_o = FaultBadArriveCount;
      end else if (tx_bad) begin
        cause_o = FaultTxOverflow;
      end else if (add_bad) begin
        cause_o = FaultPendingOverflow;
      end else if (class_i.no_complete && completes) begin
        cause_o = FaultNocompleteCompleted;
      end
    end
  end

  // The same without the order. Without arrivals any lane may be the one that completes, and the
  // last one only if it is alone.
  assign bad        = EnRefuse && (arrive_bad || drop_bad || tx_bad || add_bad ||
                                   (class_i.no_complete && completes));
  assign hopeless   = cause_i != FaultNone || (EnRefuse && updates && exhausted);
  assign may_split  = EnRefuse && several_i && updates && !hopeless;
  assign must_split = may_split && was_zero && class_i.tx && class_i.tests;
  assign refused    = bad || hopeless;
  assign split_o    = bad ? may_split : must_split;
  assign verdict_o  = '{bad: bad, hopeless: hopeless, may_split: may_split, must_split: must_split};

  assign completed_o = completes && !refused && !split_o;
  assign passed_o = class_i.waits && phase_i != word_i.phase;
  assign write_o  = !class_i.waits && !refused && !split_o;

  // As it was, where nothing is written.
  always_comb begin
    word_o = '{
      phase:    word_i.phase ^ completes,
      pending:  completes ? expected : pending,
      lock:     word_i.lock && class_i.waits,
      tx:       tx[20:0],
      expected: expected,
      zero:     word_i.zero && class_i.waits
    };
    if (class_i.inits || class_i.invalidates) begin
      word_o          = '0;
      word_o.pending  = class_i.inits ? amount_i.pending : '0;
      word_o.expected = word_o.pending;
    end
    if (refused) word_o = word_i;
  end

endmodule
