// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes the place of rtl/mbarrier/muster_mb_word.sv where a proof is of the pipeline around it: an update
// makes any word of any other, completes phases and is refused as it likes, differently every time that it is
// asked.
// What the pipeline relies on is kept: one lane is not split, what is refused or only asks leaves the
// word as it was, and the verdict is that of which the answer is made. (mb_word proves what the unit does.)
module muster_mb_word
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter bit EnDrop   = 1'b1,
  parameter bit EnRefuse = 1'b1
) (
  input  mb_word_t    word_i,
  input  mb_class_t   class_i,
  input  mb_amount_t  amount_i,
  input  logic        several_i,
  input  logic        phase_i,
  input  fault_e      cause_i,
  output mb_word_t    word_o,
  output logic        write_o,
  output logic        completed_o,
  output logic        passed_o,
  output fault_e      cause_o,
  output logic        split_o,
  output mb_verdict_t verdict_o
);

  mb_word_t any_word;  // driven by nobody, as these
  logic     any_bad, any_exhausted, any_zero, any_completion, any_pass;
  logic     updates, bad, hopeless, may_split, must_split, refused;

  assign updates    = class_i.arrives || class_i.adds || class_i.tx;
  assign bad        = EnRefuse && updates && any_bad;
  assign hopeless   = cause_i != FaultNone || (EnRefuse && updates && any_exhausted);
  assign may_split  = EnRefuse && several_i && updates && !hopeless;
  assign must_split = may_split && any_zero;
  assign refused    = bad || hopeless;
  assign split_o    = bad ? may_split : must_split;
  assign verdict_o  = '{bad: bad, hopeless: hopeless, may_split: may_split, must_split: must_split};

  assign completed_o = class_i.tests && any_completion && !refused && !split_o;
  assign passed_o = class_i.waits && any_pass;
  assign write_o  = !class_i.waits && !refused && !split_o;
  assign cause_o  = (cause_i != FaultNone) ? cause_i : refused ? FaultBadArriveCount : FaultNone;
  assign word_o   = (refused || class_i.waits) ? word_i : any_word;

endmodule
