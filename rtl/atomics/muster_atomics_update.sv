// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What an update makes of a word, without state. Late is only the carry of the sum, which compares:
// for both of its values it is prepared whether the operand is taken. The halves of the sum have
// carries of their own, which registers outside keep. For a sum of 64 bits the carry of the lower
// half is that into the upper one a cycle later; another cycle later the carry of the upper half
// says how 64 bits compare.
module muster_atomics_update
  import muster_atomics_pkg::*;
(
  input  at_step_t    step_i,
  input  logic        high_carry_i,  // into the upper half of the sum
  output logic        low_carry_o,   // out of the lower half
  output logic        high_carry_o,  // out of the upper half
  input  logic        wide_carry_i,  // that, a cycle later: out of 64 bits
  input  logic        also_i,        // AtCas: the other half of the value, if any, is as wanted
  output logic        swaps_o,
  input  logic [63:0] word_i,
  output logic [63:0] word_o,

  // The word of the update behind: what this one leaves, or another.
  input  logic        other_i,
  input  logic [63:0] other_word_i,
  output logic [63:0] next_word_o
);

  // ---------------------------------------------------------------------------------------------
  // The sum, and one more or less
  // ---------------------------------------------------------------------------------------------

  logic [32:0] low, high;
  logic [31:0] half, next;
  logic [63:0] sum;

  assign low   = {1'b0, word_i[31:0]} + {1'b0, step_i.addend[31:0]} + 33'(step_i.carry);
  assign high  = {1'b0, word_i[63:32]} + {1'b0, step_i.addend[63:32]} + 33'(high_carry_i);
  assign sum   = {high[31:0], low[31:0]};

  assign low_carry_o  = low[32];
  assign high_carry_o = high[32];

  assign half = step_i.upper ? word_i[63:32] : word_i[31:0];
  assign next = half + {{31{step_i.down}}, 1'b1};

  // ---------------------------------------------------------------------------------------------
  // What is taken
  // ---------------------------------------------------------------------------------------------

  logic        opposite, below_takes, swaps, if_carry, if_none, wide_takes;
  logic  [3:0] same;  // quarters that are as AtCas wants them
  logic  [3:0] carry, on_carry, on_none, takes, takes_next;
  logic [63:0] taken, left, left_next;

  // Signed values are in the opposite order if their signs differ.
  assign opposite = step_i.is_signed &&
                    (step_i.upper ? word_i[63] ^ step_i.operand[63] :
                                    word_i[31] ^ step_i.operand[31]);
  // Without a carry the word is below the operand, which AtMax takes then.
  assign below_takes = step_i.largest ^ opposite;

  always_comb begin
    for (int q = 0; q < 4; q++) same[q] = word_i[16*q +: 16] == step_i.addend[16*q +: 16];
  end

  assign swaps    = step_i.swaps && (same | ~step_i.quarters) == '1 && also_i;
  assign swaps_o  = swaps;
  assign if_none  = step_i.takes || swaps || (step_i.selects && below_takes) ||
                    (step_i.down && half == '0);
  assign if_carry = step_i.takes || swaps || (step_i.selects && !below_takes) || step_i.steps;

  always_comb begin
    unique case (step_i.gate)
      2'd0:    taken = step_i.operand;
      2'd1:    taken = word_i & step_i.operand;
      2'd2:    taken = word_i | step_i.operand;
      default: taken = word_i ^ step_i.operand;
    endcase
  end

  assign wide_takes = wide_carry_i ? if_carry : if_none;

  // For the update behind this is done again beside it, since the carry is late.
  always_comb begin
    for (int q = 0; q < 4; q++) begin
      carry[q]      = q >= 2 ? high[32] : low[32];
      on_carry[q]   = step_i.quarters[q] && (step_i.wide ? wide_takes : if_carry);
      on_none[q]    = step_i.quarters[q] && (step_i.wide ? wide_takes : if_none);
      takes[q]      = carry[q] ? on_carry[q] : on_none[q];
      takes_next[q] = carry[q] ? on_carry[q] && !other_i : on_none[q] && !other_i;
      left[16*q +: 16] = !step_i.quarters[q] ? word_i[16*q +: 16] :
                         step_i.adds         ? sum[16*q +: 16] :
                         step_i.steps        ? next[16*(q%2) +: 16] : word_i[16*q +: 16];
      left_next[16*q +: 16]   = other_i ? other_word_i[16*q +: 16] : left[16*q +: 16];
      word_o[16*q +: 16]      = takes[q] ? taken[16*q +: 16] : left[16*q +: 16];
      next_word_o[16*q +: 16] = takes_next[q] ? taken[16*q +: 16] : left_next[16*q +: 16];
    end
  end

endmodule
