// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Adds the floating-point numbers of an update while it waits in the write stage: one, or the two
// of a pair, the lower one first and the other one a cycle behind it.
module muster_atomics_sums
  import muster_atomics_pkg::*;
#(
  parameter int unsigned Floats = 3  // as of muster_atomics, not 0
) (
  input  logic        clk_i,
  input  logic        begins_i,     // the update is in write from the next cycle on
  input  at_step_t    step_i,
  input  logic [63:0] word_i,
  output logic [63:0] sum_o,
  output logic  [3:0] summed_o,     // quarters of the word that have their sum in this cycle
  output logic        all_summed_o  // no other one follows
);

  localparam logic [3:0] Last = 4'(AtFloatSteps - 1);

  logic [3:0] age_q;  // cycles for which the update is in write
  logic       is_due, second_is_due;

  assign is_due        = step_i.floats && age_q == Last;
  assign second_is_due = step_i.paired && age_q == Last + 4'd1;
  // All quarters take the sum: those without a number have no meaning, and the second of a pair has
  // its own a cycle later.
  assign summed_o      = {4{is_due}} | {4{second_is_due}} & 4'b1010;
  assign all_summed_o  = step_i.paired ? second_is_due : is_due;

  always_ff @(posedge clk_i) age_q <= begins_i ? '0 : age_q + 4'(age_q != '1);

  muster_atomics_float #(.Floats(Floats)) u_float (
    .clk_i, .format_i (step_i.format),
    .quarter_i ({step_i.upper, step_i.paired ? age_q[0] : |(step_i.quarters & 4'b1010)}),
    .a_i (word_i), .b_i (step_i.operand), .sum_o
  );

endmodule
