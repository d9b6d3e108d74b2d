// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What follows from the sums of a step (muster_mb_look), as a function: the word that it leaves, or
// the cause for which it is refused.
module muster_mb_verdict
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter bit EnReport  // of the unit
) (
  input  mb_word_t old_word_i,  // the word before
  input  mb_sums_t sums_i,
  input  logic     waits_i,  // only asks
  input  fault_e   cause_i,  // refused already, for all lanes

  output mb_word_t word_o,       // the word afterwards, but for lock and zero if it is not written
  output logic     write_o,      // the word changes, or may
  output logic     completed_o,  // a phase completed
  output fault_e   cause_o,      // refused, and the same for each lane
  output logic     split_o       // not possible for all lanes together
);

  logic refused;

  assign refused = is_refused(sums_i);
  assign split_o = refused ? splits_refused(sums_i) : splits_accepted(sums_i);

  always_comb begin
    cause_o = cause_i;
    if (cause_i == FaultNone) begin
      if (sums_i.exhausted) begin
        cause_o = FaultWordExhausted;
      end else if (sums_i.wrong_layout) begin
        cause_o = FaultWrongLayout;
      end else if (sums_i.hopeless || (sums_i.beyond && !sums_i.adds)) begin
        cause_o = FaultBadArriveCount;
      end else if (sums_i.tx_bad) begin
        cause_o = FaultTxOverflow;
      end else if (sums_i.beyond) begin
        cause_o = FaultPendingOverflow;
      end else if (sums_i.no_complete) begin
        cause_o = FaultNocompleteCompleted;
      end
    end
  end

  assign completed_o = sums_i.completes && !refused && !split_o;
  assign write_o     = !waits_i && !refused && !split_o;

  always_comb begin
    word_o = sums_i.completes ? next_phase(sums_i.word, EnReport) : sums_i.word;
    if (refused) word_o = old_word_i;  // a wait has added nothing
    word_o.lock = 1'b0;
    word_o.zero = is_v1(word_o, EnReport);
  end

endmodule
