// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes the place of rtl/mbarrier/muster_mb_look.sv where a proof is of the pipeline around it: a step
// makes any word of any other, completes phases and is refused as it likes, differently every time that it is
// asked.
// What the pipeline relies on is kept: one lane is not split, what was refused beforehand is refused, and
// what only asks leaves the word as it was. (mb_word proves what the unit does.)
module muster_mb_look
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter muster_cfg_t Cfg
) (
  input  mb_word_t word_i,
  input  mb_step_t step_i,
  input  logic     phase_i,
  input  mb_asks_e asks_i,
  input  logic     refused_i,
  output mb_sums_t sums_o
);

  mb_sums_t any;  // not driven
  logic     updates;

  assign updates = step_i.kind.arrives || step_i.kind.adds || step_i.kind.tx;

  always_comb begin
    sums_o           = '0;
    sums_o.word      = step_i.kind.waits ? word_i : any.word;
    sums_o.completes = step_i.kind.tests && any.completes;
    sums_o.passed    = step_i.kind.waits && any.passed;
    sums_o.beyond    = (Cfg.EnFaults || Cfg.EnLanes) && updates && any.beyond;
    sums_o.exhausted = (Cfg.EnFaults || Cfg.EnLanes) && updates && any.exhausted;
    sums_o.hopeless  = refused_i || sums_o.exhausted;
    sums_o.several   = (Cfg.EnFaults || Cfg.EnLanes) && step_i.several && updates && !refused_i;
    sums_o.any_lane  = sums_o.several && any.any_lane;
  end

endmodule
