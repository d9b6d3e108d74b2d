// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of an update (mb_step): all words, all operations, all operands. Besides the update itself, they
// show that lanes together have the effect of lanes one by one. Three instances update all lanes, the first
// lane, and the rest on the word that the first leaves. By induction over the number of lanes, this covers
// any number.
module mb_word_formal
  import muster_pkg::*;
  import muster_mb_pkg::*;
  import mb_spec_pkg::*;
(
  input logic      clk_i,
  input mb_op_e    op_i,
  input nlanes_t   lanes_i,
  input mb_count_t operand_i,
  input total_t    less_i,  // of all lanes but one
  input mb_word_t  word_i,
  input logic      phase_i,
  input mb_asks_e  asks_i,
  input fault_e    before_i
);

  typedef struct packed {
    mb_word_t word;
    logic     write;
    logic     completed;
    logic     passed;
    fault_e   cause;
    logic     split;
  } answer_t;

  logic    rst_n = 1'b0;
  nlanes_t fewer;
  total_t  total;
  answer_t all, first, rest;

  always_ff @(posedge clk_i) rst_n <= 1'b1;

  assign fewer = lanes_i - 6'd1;
  assign total = less_i + total_t'(operand_i);

  mb_step u_all (
    .op_i, .lanes_i (lanes_i), .total_i (total), .word_i, .phase_i, .asks_i, .before_i,
    .word_o (all.word), .write_o (all.write), .completed_o (all.completed), .passed_o (all.passed),
    .cause_o (all.cause), .refused_o (), .split_o (all.split)
  );

  mb_step u_first (
    .op_i, .lanes_i (6'd1), .total_i (total_t'(operand_i)), .word_i, .phase_i, .asks_i, .before_i,
    .word_o (first.word), .write_o (first.write), .completed_o (first.completed), .passed_o (first.passed),
    .cause_o (first.cause), .refused_o (), .split_o (first.split)
  );

  mb_step u_rest (
    .op_i, .lanes_i (fewer), .total_i (less_i), .word_i (first.word), .phase_i, .asks_i, .before_i,
    .word_o (rest.word), .write_o (rest.write), .completed_o (rest.completed), .passed_o (rest.passed),
    .cause_o (rest.cause), .refused_o (), .split_o (rest.split)
  );

  mb_word_props u_props (
    .clk_i, .rst_ni (rst_n), .valid_i (1'b1), .op_i, .lanes_i, .total_i (total), .word_i, .phase_i,
    .asks_i, .before_i, .word_o (all.word), .write_o (all.write), .completed_o (all.completed),
    .passed_o (all.passed), .cause_o (all.cause), .split_o (all.split)
  );

  logic updates, merged;

  assign updates = is_arrival(op_i) || brings_tx(op_i) || op_i == MbCopyArrive;
  assign merged  = updates && lanes_i > 6'd1 && before_i == FaultNone && !all.split;

  always_ff @(posedge clk_i) begin
    // The contract of whoever asks. The total of the lanes but one is any number that it can be.
    assume (op_i != MbInit || !phase_i || operand_i[19:9] == '0);  // layout v1
    assume (lanes_i >= 6'd1 && lanes_i <= 6'd32);
    assume ((lanes_i == 6'd1) ? less_i == '0 : less_i >= total_t'(operand_i));
    assume (operand_i != '0 || less_i == '0);
    assume (lanes_i != 6'd2 || less_i == total_t'(operand_i));
    assume (less_i <= 25'd31 * 25'h0F_FFFF);
    assume (operand_i != '0 || !(op_i == MbInit || (is_arrival(op_i) && !brings_tx(op_i))));
    assume (updates || lanes_i == 6'd1);

    // 8. Lanes that are updated together come to what the first and then the rest come to, and no
    //    phase completes before the last.
    P08_together: assert (!(rst_n && merged && all.cause == FaultNone) ||
                          (first.cause == FaultNone && !first.completed && !first.split &&
                           rest.cause == FaultNone && !rest.split && rest.word == all.word &&
                           rest.completed == all.completed));

    // 9. Lanes that are refused together are refused one by one, each for that cause.
    P09_refused: assert (!(rst_n && merged && all.cause != FaultNone) || first.cause == all.cause);

    C08_together: cover (rst_n && merged && all.completed && lanes_i == 6'd32 && op_i == MbArriveExpectTx);
    C09_refused:  cover (rst_n && merged && all.cause == FaultWordExhausted);
  end

endmodule
