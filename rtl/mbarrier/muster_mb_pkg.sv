// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The types that pass from stage to stage inside the mbarrier scope.
package muster_mb_pkg;

  import muster_pkg::*;

  localparam int unsigned TotalW = 25;  // 32 lanes x (2^20 - 1)

  // Does a lone expect-tx test for completion? The PTX text leaves it open (9.7.13.15.5.1).
  localparam bit ExpectTxTests = 1'b1;

  typedef logic [5:0]        nlanes_t;  // 0 to 32
  typedef logic [TotalW-1:0] total_t;

  // What an operation does to the word, in this order.
  typedef struct packed {
    logic inits;        // replaces it
    logic invalidates;
    logic drops;        // expected goes down
    logic tx;           // tx-count goes up or down
    logic adds;         // pending goes up
    logic arrives;      // pending goes down
    logic tests;        // the completion test
    logic no_complete;  // the completion test must not hold
    logic reports;      // the report of its phase
    logic waits;        // only asks
  } mb_class_t;

  function automatic mb_class_t class_of(mb_op_e op);
    mb_class_t c;
    c             = '0;
    c.inits       = op == MbInit;
    c.invalidates = op == MbInval;
    c.drops       = op inside {MbArriveDrop, MbArriveDropNoComplete, MbArriveDropExpectTx};
    c.tx          = op inside {MbArriveExpectTx, MbArriveDropExpectTx, MbExpectTx, MbCompleteTx};
    c.adds        = op == MbCopyArrive;
    c.arrives     = c.drops || op inside {MbArrive, MbArriveNoComplete, MbArriveExpectTx};
    c.tests       = c.arrives || op == MbCompleteTx || (ExpectTxTests && op == MbExpectTx);
    c.no_complete = op inside {MbArriveNoComplete, MbArriveDropNoComplete};
    c.reports     = op == MbReportOn;
    c.waits       = op inside {MbTestWait, MbTestWaitParity, MbTryWait, MbTryWaitParity};
    return c;
  endfunction

  // By how much, for all lanes of an update together.
  typedef struct packed {
    mb_count_t   pending;       // added to the negated counts; init: what they become
    logic        pending_over;  // more than they can hold
    logic [21:0] tx;            // signed, added to the negated tx-count
    logic        tx_over;
  } mb_amount_t;

  // A step is one update: of a whole group, or of one of its lanes.
  typedef struct packed {
    mb_class_t  kind;
    mb_amount_t amount;
    logic [7:0] value;    // of a report
    logic       several;  // it is of more than one lane
  } mb_step_t;

  // What a step comes to if it is accepted and completes no phase; and whether it is and does.
  typedef struct packed {
    mb_word_t word;
    logic     completes;   // the completion test holds
    logic     passed;      // waits: the phase asked about has completed
    // Refused beforehand, exhausted, nothing pending or expected, or an operand too large.
    logic     hopeless;
    logic     exhausted;
    logic     wrong_layout;
    // Less is pending or expected; or more would be pending than the word can hold.
    logic     beyond;
    logic     adds;        // more would be pending than the word can hold
    logic     tx_bad;
    logic     no_complete; // but the completion test holds
    logic     several;     // lanes, which may be split if they are refused
    // Lanes that must be split if they are accepted: each may be the one that completes.
    logic     any_lane;
  } mb_sums_t;

  function automatic logic is_refused(mb_sums_t s);
    return s.hopeless || s.beyond || s.tx_bad || s.no_complete || s.wrong_layout;
  endfunction

  // Not possible for all lanes together, if the step is refused, and if it is accepted.
  function automatic logic splits_refused(mb_sums_t s);
    return s.several && !s.exhausted;
  endfunction

  function automatic logic splits_accepted(mb_sums_t s);
    return s.any_lane;
  endfunction

  // Of n lanes, whose operands add up to the total.
  function automatic mb_amount_t amount_of(mb_op_e op, nlanes_t n, total_t total);
    mb_amount_t  a;
    mb_class_t   c;
    logic        by_lanes;
    logic [21:0] sum;
    c        = class_of(op);
    by_lanes = c.adds || (c.arrives && c.tx);  // a count of 1 each
    sum      = c.inits || (c.tx && op != MbCompleteTx) ? -total[21:0] : total[21:0];
    a        = '0;
    if (c.arrives || c.adds || c.inits) begin
      a.pending      = c.adds ? -20'(n) : by_lanes ? 20'(n) : sum[19:0];
      a.pending_over = !by_lanes && total[TotalW-1:20] != '0;
    end
    if (c.tx) begin
      a.tx      = sum;
      a.tx_over = total[TotalW-1:21] != '0;
    end
    return a;
  endfunction

  function automatic mb_step_t step_of(mb_op_e op, nlanes_t n, total_t total);
    return '{kind: class_of(op), amount: amount_of(op, n, total), value: total[7:0],
             several: n > 6'd1};
  endfunction

  // Whether a word is of layout v1. `layouts`: the unit has EnReport.
  function automatic logic is_v1(mb_word_t word, bit layouts);
    return layouts && word.zero;
  endfunction

  // A word whose phase completes.
  function automatic mb_word_t next_phase(mb_word_t word, bit layouts);
    mb_word_t    next;
    mb_word_v1_t v1;
    if (is_v1(word, layouts)) begin
      v1             = mb_word_v1_t'(word);
      v1.phase       = !v1.phase;
      v1.conditional = v1.conditional ^ (v1.report == '0);
      v1.last        = v1.report;
      v1.report      = '0;
      v1.pending     = v1.expected;
      return mb_word_t'(v1);
    end
    next         = word;
    next.phase   = !word.phase;
    next.pending = word.expected;
    return next;
  endfunction

  // A word without the bits that have no meaning.
  function automatic mb_word_t without_stray(mb_word_t word, bit layouts);
    mb_word_t    plain;
    mb_word_v1_t v1;
    if (is_v1(word, layouts)) begin
      v1      = mb_word_v1_t'(word);
      v1.zero = 1'b0;
      v1.lock = 1'b0;
      v1.none = '0;
      return mb_word_t'(v1);
    end
    plain      = word;
    plain.lock = 1'b0;
    plain.zero = 1'b0;
    return plain;
  endfunction

  // The first fault of a request that does not depend on the word. addr_bits: the width of a byte
  // address in a CTA's shared memory. layouts: an init may name layout v1.
  function automatic fault_e judge(mb_source_e source, mb_group_t group, int unsigned addr_bits,
                                   bit layouts);
    mb_class_t c;
    logic      zero, above;
    c     = class_of(group.op);
    zero  = group.operand == '0;
    above = group.operand[31:20] != '0;
    if (source == MbRemote && (group.has_token || c.no_complete || !(c.arrives || c.tx))) begin
      return FaultRemoteNotAllowed;
    end
    if (group.place.addr[2:0] != '0 || (group.place.addr >> addr_bits) != '0) begin
      return FaultBadAddress;
    end
    if (c.inits && (zero || above || (layouts && group.phase && group.operand[19:9] != '0))) begin
      return FaultBadInitCount;
    end
    if (c.arrives && !c.tx && (zero || above)) return FaultBadArriveCount;
    if (c.tx && above) return FaultTxOverflow;
    return FaultNone;
  endfunction

  // A register result, unless it is refused or parks.
  function automatic logic responds(mb_source_e source, mb_group_t group);
    mb_class_t c;
    c = class_of(group.op);
    return source == MbWarp && (c.waits || (c.arrives && group.has_token));
  endfunction

  function automatic logic is_try_wait(mb_op_e op);
    return op inside {MbTryWait, MbTryWaitParity};
  endfunction

  // A wait that parks if the phase asked about has not completed, and the slot of its warp is free.
  function automatic logic may_park(mb_source_e source, mb_group_t group);
    return source == MbWarp && is_try_wait(group.op) && group.whole &&
           !(group.has_hint && group.operand == '0);
  endfunction

  // Whether a stage of the pipeline takes another operation. Whether the write stage lets the
  // operation after it move on is known late in a cycle. So each stage derives its answer for both
  // cases from that of the stage after it.
  typedef struct packed {
    logic moves;
    logic stays;
  } mb_ready_t;

  function automatic mb_ready_t either_way(logic ready);
    return '{moves: ready, stays: ready};
  endfunction

  // A request on its way, or its remaining lanes.
  typedef struct packed {
    mb_source_e source;
    mb_group_t  group;
    fault_e     cause;  // refused beforehand
  } mb_request_t;

endpackage
