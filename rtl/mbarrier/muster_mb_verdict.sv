// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The verdict on a step whose sums and signs are known (muster_mb_look), as a function: accepted, refused,
// or to be split; and the word that it leaves. Either the outcome is that of the lanes one by one with no
// completion before the last, or the lanes must be split.
module muster_mb_verdict
  import muster_pkg::*;
  import muster_mb_pkg::*;
(
  input  mb_word_t found_i,  // the word before
  input  mb_sums_t sums_i,
  input  logic     waits_i,  // only asks
  input  fault_e   cause_i,  // refused already, for all lanes

  output mb_word_t word_o,       // the word afterwards, but for lock and zero if it is not written
  output logic     write_o,      // the word changes, or may
  output logic     completed_o,  // a phase completed
  output logic     refused_o,
  output fault_e   cause_o,      // refused, and the same for each lane
  output logic     split_o       // not possible for all lanes together
);

  logic beyond, drop_beyond;

  // The sum of negated counts goes beyond 0: more than is pending, or expected.
  assign beyond      = sums_i.carry && !sums_i.zero;
  assign drop_beyond = sums_i.drop_carry && !sums_i.drop_zero;

  assign refused_o = (beyond ? sums_i.arrives : sums_i.adds) || drop_beyond || sums_i.bad || sums_i.hopeless;
  assign split_o   = refused_o ? sums_i.several : sums_i.any_lane;

  always_comb begin
    cause_o = cause_i;
    if (cause_i == FaultNone) begin
      if (sums_i.exhausted) begin
        cause_o = FaultWordExhausted;
      end else if (sums_i.count_bad || (sums_i.arrives && beyond) || drop_beyond) begin
        cause_o = FaultBadArriveCount;
      end else if (sums_i.tx_bad) begin
        cause_o = FaultTxOverflow;
      end else if (sums_i.adds && !beyond) begin
        cause_o = FaultPendingOverflow;
      end else if (sums_i.no_complete) begin
        cause_o = FaultNocompleteCompleted;
      end
    end
  end

  assign completed_o = sums_i.completes && !refused_o && !split_o;
  assign write_o     = !waits_i && !refused_o && !split_o;

  always_comb begin
    word_o = sums_i.word;
    if (sums_i.completes) begin
      word_o.phase   = !sums_i.word.phase;
      word_o.pending = sums_i.word.expected;
    end
    if (refused_o || waits_i) word_o = found_i;
    word_o.lock = 1'b0;
    word_o.zero = 1'b0;
  end

endmodule
