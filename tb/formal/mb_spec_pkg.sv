// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The specification of an update of an mbarrier word, from rtl/mbarrier/README.md, in plain integers: counts
// are not negated, and faults are checked in order of precedence. Proofs and simulations compare the unit
// with it.
package mb_spec_pkg;

  import muster_pkg::*;
  import muster_mb_pkg::ExpectTxTests;

  typedef logic signed [31:0] number_t;

  localparam number_t Most = 32'sd1048575;  // 2^20 - 1

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
                                           mb_word_t word, logic phase);
    mb_update_t u;
    number_t    pending, expected, tx, arrivals;
    logic       tests, no_complete;
    u           = '{cause: FaultNone, word: word, completed: 1'b0, passed: 1'b0, written: 1'b0};
    pending     = number_of(word.pending);
    expected    = number_of(word.expected);
    tx          = -number_t'(signed'(word.tx));
    tests       = is_arrival(op) || op == MbCompleteTx || (ExpectTxTests && op == MbExpectTx);
    no_complete = op inside {MbArriveNoComplete, MbArriveDropNoComplete};
    arrivals    = !is_arrival(op) ? 32'sd0 : brings_tx(op) ? lanes : total;

    if (is_wait(op)) begin
      u.passed = phase != word.phase;
      return u;
    end
    if (op == MbInit || op == MbInval) begin
      u.word          = '0;
      u.word.pending  = (op == MbInit) ? -total[19:0] : '0;
      u.word.expected = u.word.pending;
      u.written       = 1'b1;
      return u;
    end

    if (pending == 0 && expected == 0 && tx == 0) begin
      u.cause = FaultWordExhausted;
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
    if (op == MbCopyArrive && pending + lanes > Most) begin
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
    u.word    = '{phase: word.phase ^ u.completed, pending: -pending[19:0], lock: 1'b0, tx: -tx[20:0],
                  expected: -expected[19:0], zero: 1'b0};
    return u;
  endfunction

endpackage
