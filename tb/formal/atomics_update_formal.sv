// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of an update, for all words, operations, places and operands; and that lanes whose
// operands are folded come to what they come to one by one. By induction over the number of lanes,
// the latter covers any number.
module atomics_update_formal
  import muster_pkg::*;
  import muster_atomics_pkg::*;
(
  input logic        clk_i,
  input at_op_e      op_i,
  input at_size_e    size_i,
  input logic        is_signed_i,
  input logic  [2:0] byte_i,     // of the word, at which the value begins
  input logic [63:0] word_i,
  input logic [63:0] operand_i,
  input logic [63:0] second_i,   // of another lane
  input logic [63:0] compare_i,
  input logic        other_i,
  input logic [63:0] other_word_i
);

  // PTX ISA 9.7.13.5: "inc(r, s) = (r >= s) ? 0 : r+1; dec(r, s) = (r==0 || r > s) ? s : r-1;
  // exch(r, s) = s; cas(r,s,t) = (r == s) ? t : r". Here t is the operand, and s of cas is apart.
  function automatic logic [63:0] value_of(logic [63:0] r, logic [63:0] s, logic [63:0] compared);
    logic less;  // s is less than r
    less = is_signed_i ? (size_i == At64 ? $signed(s) < $signed(r) :
                                           $signed(s[31:0]) < $signed(r[31:0])) : s < r;
    unique case (op_i)
      AtAdd:   return r + s;
      AtInc:   return r >= s ? 64'd0 : r + 64'd1;
      AtDec:   return (r == '0 || r > s) ? s : r - 64'd1;
      AtMin:   return less ? s : r;
      AtMax:   return less ? r : s;
      AtAnd:   return r & s;
      AtOr:    return r | s;
      AtXor:   return r ^ s;
      AtExch:  return s;
      default: return r == compared ? s : r;
    endcase
  endfunction

  // The word after an update whose operands are from bit 0 on.
  function automatic logic [63:0] word_after(logic [63:0] word, logic [63:0] s,
                                             logic [63:0] compared);
    logic [63:0] mask, place;
    mask  = size_i == At64 ? '1 : size_i == At32 ? 64'hffff_ffff : 64'hffff;
    place = mask << {byte_i, 3'd0};
    return (word & ~place) |
           ((value_of((word >> {byte_i, 3'd0}) & mask, s & mask, compared & mask) & mask)
            << {byte_i, 3'd0});
  endfunction

  at_update_t  update, folded;
  at_step_t    step;
  logic        low_carry, high_carry, folds, unused_swaps;
  logic [63:0] word, next_word, expected;

  always_comb begin
    update           = '0;
    update.op        = op_i;
    update.size      = size_i;
    update.is_signed = is_signed_i;
    update.place     = '{cta: '0, addr: {29'd0, byte_i}};
    update.operand   = operand_i << {byte_i, 3'd0};
    update.compare   = compare_i << {byte_i, 3'd0};
    folded           = update;
    folded.operand   = fold_of(op_i, size_i, is_signed_i, operand_i, second_i);
  end

  assign step = step_of(update);

  // A sum of 64 bits has settled, and its carry too.
  muster_atomics_update u_update (
    .step_i (step), .high_carry_i (step.slow ? low_carry : step.carry), .low_carry_o (low_carry),
    .high_carry_o (high_carry), .wide_carry_i (high_carry), .also_i (1'b1), .swaps_o (unused_swaps),
    .word_i, .word_o (word), .other_i, .other_word_i, .next_word_o (next_word)
  );

  logic begun = 1'b0;

  always_ff @(posedge clk_i) begun <= 1'b1;

  assign expected = word_after(word_i, operand_i, compare_i);
  assign folds    = op_i inside {AtAdd, AtMin, AtMax, AtAnd, AtOr, AtXor};

  always_ff @(posedge clk_i) begin
    // The contract of whoever asks.
    assume (op_i <= AtCas);
    assume (size_i inside {At16, At32, At64});
    assume (size_i != At16 || op_i inside {AtExch, AtCas});
    assume (size_i == At32 || !(op_i inside {AtInc, AtDec}));
    assume (!is_signed_i || op_i inside {AtMin, AtMax});
    assume (!is_misplaced(update, 3));

    // 1. An update makes of the word what the text says, and leaves all other bytes.
    P01_update: assert (!begun || word == expected);

    // 2. The update behind gets that word, or its own.
    P02_next: assert (!begun || next_word == (other_i ? other_word_i : expected));

    // 3. Lanes whose operands are folded come to what they come to one by one.
    P03_folded: assert (!begun || !folds || word_after(word_i, folded.operand, '0) ==
                                  word_after(expected, second_i, '0));

    C01_update: cover (begun && op_i == AtMin && is_signed_i && size_i == At64 && word == operand_i &&
                       word_i != operand_i);
    C02_next:   cover (begun && !other_i && op_i == AtDec && byte_i == 3'd4 && next_word != word_i);
    C03_folded: cover (begun && op_i == AtMax && is_signed_i && folded.operand == second_i &&
                       second_i != operand_i);
  end

endmodule
