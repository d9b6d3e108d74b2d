// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The specification of an update of an mbarrier word, from rtl/mbarrier/README.md, in plain integers: counts
// are not negated, and faults are checked in order of precedence. Proofs and simulations compare the unit
// with it.
package mb_spec_pkg;

  import muster_pkg::*;
  import muster_mb_pkg::ExpectTxTests;

  typedef logic signed [31:0] number_t;

  localparam number_t Most   = 32'sd1048575;  // 2^20 - 1
  localparam number_t MostV1 = 32'sd511;      // 2^9 - 1

  // What a word says, with counts that are not negated.
  typedef struct packed {
    logic       v1;
    logic       phase;
    number_t    pending;
    number_t    expected;
    number_t    tx;
    logic       conditional;  // of layout v1
    logic [8:0] report;
    logic [8:0] last;
  } mb_object_t;

  typedef struct packed {
    fault_e   cause;
    mb_word_t word;
    logic     completed;
    logic     passed;
    logic     written;
  } mb_update_t;

  function automatic number_t number_of(mb_count_t negated);
    return (negated == '0) ? 32'sd0 : 32'sd1048576 - number_t'({12'b0, negated});
  endfunction

  function automatic number_t number_of_nine(logic [8:0] negated);
    return (negated == '0) ? 32'sd0 : 32'sd512 - number_t'({23'b0, negated});
  endfunction

  // Bits as rtl/mbarrier/README.md has them.
  function automatic mb_object_t object_of(mb_word_t word, bit layouts);
    mb_object_t  o;
    logic [63:0] bits;
    bits    = word;
    o       = '0;
    o.v1    = layouts && bits[0];
    o.phase = bits[63];
    o.tx    = -number_t'(signed'(bits[41:21]));
    if (o.v1) begin
      o.pending     = number_of_nine(bits[51:43]);
      o.expected    = number_of_nine(bits[9:1]);
      o.conditional = bits[62];
      o.report      = bits[61:53];
      o.last        = bits[20:12];
    end else begin
      o.pending  = number_of(bits[62:43]);
      o.expected = number_of(bits[20:1]);
    end
    return o;
  endfunction

  function automatic mb_word_t word_of(mb_object_t o);
    number_t pending, expected, tx;
    pending  = -o.pending;
    expected = -o.expected;
    tx       = -o.tx;
    return o.v1 ? {o.phase, o.conditional, o.report, 1'b0, pending[8:0], 1'b0, tx[20:0], o.last, 2'b00, expected[8:0], 1'b1} :
                  {o.phase, pending[19:0], 1'b0, tx[20:0], expected[19:0], 1'b0};
  endfunction

  function automatic logic is_wait(mb_op_e op);
    return op inside {MbTestWait, MbTestWaitParity, MbTryWait, MbTryWaitParity};
  endfunction

  function automatic logic is_drop(mb_op_e op);
    return op inside {MbArriveDrop, MbArriveDropNoComplete, MbArriveDropExpectTx};
  endfunction

  function automatic logic is_arrival(mb_op_e op);
    return is_drop(op) || op inside {MbArrive, MbArriveNoComplete, MbArriveExpectTx};
  endfunction

  function automatic logic brings_tx(mb_op_e op);
    return op inside {MbArriveExpectTx, MbArriveDropExpectTx, MbExpectTx, MbCompleteTx};
  endfunction

  // Lanes together, which is as one by one if none before the last completes the phase: `lanes` of them,
  // whose operands add up to `total`. Faults are those of one lane.
  function automatic mb_update_t update_of(mb_op_e op, number_t lanes, number_t total,
                                           mb_word_t word, logic phase, mb_asks_e asks,
                                           bit layouts);
    mb_update_t u;
    mb_object_t o;
    number_t    pending, expected, tx, arrivals;
    logic       tests, no_complete;
    u           = '{cause: FaultNone, word: word, completed: 1'b0, passed: 1'b0, written: 1'b0};
    o           = object_of(word, layouts);
    pending     = o.pending;
    expected    = o.expected;
    tx          = o.tx;
    tests       = is_arrival(op) || op == MbCompleteTx || (ExpectTxTests && op == MbExpectTx);
    no_complete = op inside {MbArriveNoComplete, MbArriveDropNoComplete};
    arrivals    = !is_arrival(op) ? 32'sd0 : brings_tx(op) ? lanes : total;

    if (is_wait(op)) begin
      u.passed = !layouts                          ? phase != o.phase :
                 asks == AsksLayout                ? phase == o.v1 :
                 asks == AsksConditional && o.v1   ? phase != o.conditional :
                                                     phase != o.phase;
      return u;
    end
    if (op == MbInit || op == MbInval) begin
      o          = '0;
      o.v1       = layouts && op == MbInit && phase;
      o.pending  = (op == MbInit) ? total : 32'sd0;
      o.expected = o.pending;
      u.word     = word_of(o);
      u.written  = 1'b1;
      return u;
    end

    if (pending == 0 && expected == 0 && tx == 0) begin
      u.cause = FaultWordExhausted;
      return u;
    end
    if (layouts && op == MbReportOn) begin
      u.cause   = o.v1 ? FaultNone : FaultWrongLayout;
      u.written = o.v1;
      o.report  = o.report | {1'b1, total[7:0]};
      if (o.v1) u.word = word_of(o);
      return u;
    end
    if (arrivals > pending || (is_drop(op) && arrivals > expected)) begin
      u.cause = FaultBadArriveCount;
      return u;
    end
    if (brings_tx(op)) tx = (op == MbCompleteTx) ? tx - total : tx + total;
    if (brings_tx(op) && (tx > Most || tx < -Most)) begin
      u.cause = FaultTxOverflow;
      return u;
    end
    if (op == MbCopyArrive && pending + lanes > (o.v1 ? MostV1 : Most)) begin
      u.cause = FaultPendingOverflow;
      return u;
    end

    pending = pending - arrivals;
    if (op == MbCopyArrive) pending = pending + lanes;
    if (is_drop(op)) expected = expected - arrivals;
    u.completed = tests && pending == 0 && tx == 0;
    if (no_complete && u.completed) begin
      u.cause  = FaultNocompleteCompleted;
      u.completed = 1'b0;
      return u;
    end
    if (u.completed) pending = expected;
    u.written = 1'b1;
    o.pending  = pending;
    o.expected = expected;
    o.tx       = tx;
    if (u.completed) begin
      o.phase       = !o.phase;
      o.conditional = o.conditional ^ (o.report == '0);
      o.last        = o.report;
      o.report      = '0;
    end
    u.word = word_of(o);
    return u;
  endfunction

endpackage
