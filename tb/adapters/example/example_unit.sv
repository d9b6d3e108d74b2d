// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A small barrier unit in the style of public GPU cores, for the tests of tb/adapters: right, or wrong in one of
// the ways of example_pkg. One model holds them all, because a model costs more to compile than to run, and this
// unit is itself a test's object: no hardware comes of it.
module example_unit
  import example_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 2,
  parameter int unsigned NumBars  = 8,
  parameter int unsigned NumWords = 2,  // mbarriers of a CTA
  parameter int unsigned Lanes    = 4
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic [3:0]                           fault_i,

  input  logic                                 open_valid_i,
  input  logic                                 join_valid_i,
  input  logic [$clog2(NumCtas)-1:0]           life_cta_i,
  input  logic [$clog2(NumWarps)-1:0]          life_warp_i,
  input  logic [$clog2(NumWarps):0]            life_size_i,

  input  logic                                 valid_i,
  output logic                                 ready_o,
  input  logic [3:0]                           op_i,
  input  logic [$clog2(NumCtas)-1:0]           cta_i,
  input  logic [$clog2(NumWarps)-1:0]          warp_i,
  input  logic [$clog2(NumBars)-1:0]           bar_i,  // or the word
  input  logic [5:0]                           count_i,
  input  logic [Lanes-1:0]                     lanes_i,
  input  logic [9:0]                           operand_i,

  input  logic                                 tx_valid_i,
  output logic                                 tx_ready_o,
  input  logic                                 tx_arrive_i,
  input  logic [$clog2(NumCtas)-1:0]           tx_cta_i,
  input  logic [$clog2(NumWords)-1:0]          tx_word_i,
  input  logic [9:0]                           tx_bytes_i,

  output logic [NumWarps-1:0]                  release_o,
  output logic [5:0]                           result_o,
  output logic                                 answer_valid_o,
  output logic                                 answer_phase_o,
  output logic                                 refused_o,

  output logic [NumCtas*NumWords-1:0]          phase_o,
  output logic [NumCtas*NumWords-1:0][4:0]     pending_o,
  output logic [NumCtas*NumWords-1:0][11:0]    bytes_o
);

  op_e                 op;
  fault_e              fault;
  logic                at_word, mb_ready, named_answer, named_phase, mb_answer, mb_phase;
  logic [NumWarps-1:0] named_release, mb_release;

  assign op      = op_e'(op_i);
  assign fault   = fault_e'(fault_i);
  assign at_word = op >= OpInit;

  example_named #(
    .NumWarps(NumWarps),
    .NumCtas(NumCtas),
    .NumBars(NumBars),
    .Lanes(Lanes)
  ) u_named (
    .clk_i,
    .rst_ni,
    .fault_i(fault),
    .open_valid_i,
    .join_valid_i,
    .life_cta_i,
    .life_warp_i,
    .life_size_i,
    .valid_i(valid_i && !at_word),
    .op_i(op),
    .cta_i,
    .warp_i,
    .bar_i,
    .count_i,
    .lanes_i,
    .preds_i(operand_i[Lanes-1:0]),
    .release_o(named_release),
    .result_o,
    .answer_valid_o(named_answer),
    .answer_phase_o(named_phase),
    .refused_o
  );

  example_mbarrier #(
    .NumWarps(NumWarps),
    .NumWords(NumCtas * NumWords)
  ) u_mbarrier (
    .clk_i,
    .rst_ni,
    .fault_i(fault),
    .valid_i(valid_i && at_word),
    .ready_o(mb_ready),
    .op_i(op),
    .warp_i,
    .word_i({cta_i, bar_i[$clog2(NumWords)-1:0]}),
    .operand_i,
    .tx_valid_i,
    .tx_ready_o,
    .tx_arrive_i,
    .tx_word_i({tx_cta_i, tx_word_i}),
    .tx_bytes_i,
    .release_o(mb_release),
    .answer_valid_o(mb_answer),
    .answer_phase_o(mb_phase),
    .phase_o,
    .pending_o,
    .bytes_o
  );

  assign ready_o        = !at_word || mb_ready;
  assign release_o      = named_release | mb_release;
  assign answer_valid_o = named_answer || mb_answer;
  assign answer_phase_o = mb_answer ? mb_phase : named_phase;

endmodule
