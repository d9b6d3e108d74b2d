// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For proofs of the pipeline around it: an update that makes of the word anything, which the proof
// gives it.
module muster_atomics_update
  import muster_atomics_pkg::*;
(
  input  at_step_t    step_i,
  input  logic        high_carry_i,
  output logic        low_carry_o,
  output logic        high_carry_o,
  input  logic        wide_carry_i,
  input  logic        also_i,
  output logic        swaps_o,
  input  logic [63:0] word_i,
  output logic [63:0] word_o,
  input  logic        other_i,
  input  logic [63:0] other_word_i,
  output logic [63:0] next_word_o
);

  assign swaps_o      = also_i;
  assign low_carry_o  = high_carry_i;
  assign high_carry_o = wide_carry_i;
  assign word_o       = {word_i[62:0], word_i[63]} ^ step_i.operand;
  assign next_word_o  = other_i ? other_word_i : word_o;

endmodule
