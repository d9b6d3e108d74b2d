// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The update of an mbarrier word (muster_mb_look and muster_mb_verdict) meets its contract: its outputs are those that the
// specification (mb_spec_pkg) gives, in plain integers.
//
// The operands have been checked before: counts are 1 to 2^20-1, bytes at most that.
module mb_word_props
  import muster_pkg::*;
  import muster_mb_pkg::*;
  import mb_spec_pkg::*;
#(
  parameter bit EnRefuse = 1'b1,
  parameter bit EnReport = 1'b1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,   // an update is asked for
  input mb_op_e     op_i,
  input nlanes_t    lanes_i,
  input total_t     total_i,   // of the lanes' operands
  input mb_word_t   word_i,
  input logic       phase_i,
  input mb_asks_e   asks_i,
  input fault_e     before_i,  // refused already
  input mb_word_t   word_o,
  input logic       write_o,
  input logic       completed_o,
  input logic       passed_o,
  input fault_e     cause_o,
  input logic       split_o
);

  always_ff @(posedge clk_i) begin
    automatic mb_update_t one     = '0;
    automatic mb_object_t found   = object_of(word_i, EnReport);
    automatic mb_object_t left    = object_of(word_o, EnReport);
    automatic logic       several = lanes_i > 6'd1;
    automatic logic       refused = cause_o != FaultNone;
    if (valid_i) begin
      one = update_of(op_i, number_t'(lanes_i), number_t'(total_i), word_i, phase_i, asks_i, EnReport);
    end
    if (rst_ni && valid_i && before_i == FaultNone && (EnRefuse || one.cause == FaultNone)) begin
      // 1. One lane is never asked to come again; several are only if they would be refused together,
      //    or one before the last may complete the phase: nothing is pending, and bytes come or go.
      P01_split: assert (!split_o || (several && (one.cause != FaultNone ||
                         (found.pending == 0 && brings_tx(op_i)))));

      // 2. An update is refused exactly when the specification refuses it, for the cause that comes
      //    first. What is refused for several lanes together is asked again, unless it is exhausted,
      //    which each of them finds.
      P02_cause: assert (split_o || cause_o == one.cause);

      // 3. An accepted update leaves the word that the specification leaves, in every bit.
      P03_word: assert (split_o || refused || !write_o || word_o == one.word);
      P04_write: assert (split_o || write_o == one.written);

      // 5. A phase completes exactly when the completion test holds.
      P05_completes: assert (split_o || completed_o == one.completed);

      // 6. A wait is answered true exactly if the phase asked about is not the current one; or the
      //    layout asked about is that of the word.
      P06_passed: assert (passed_o == one.passed);

      C01_completes: cover (completed_o && left.pending == 7);
      C02_split: cover (split_o && one.cause == FaultBadArriveCount);
      C03_drop:  cover (is_drop(op_i) && completed_o && word_o == {1'b1, 63'b0});
      C04_cause: cover (cause_o == FaultNocompleteCompleted);
      C05_many:  cover (several && !refused && !split_o && op_i == MbArriveDropExpectTx);
      C06_passed: cover (passed_o);
      C08_held_back: cover (completed_o && left.v1 && left.conditional == found.conditional);
    end

    if (rst_ni && valid_i && (before_i != FaultNone || refused || split_o)) begin
      // 7. An update that is refused or split changes nothing and completes nothing.
      P07_nothing: assert (!write_o && !completed_o && (split_o || word_o == word_i));
      C07_nothing: cover (before_i == FaultBadAddress);
    end
  end

endmodule
