// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An update of a word.
module mb_word_flat
  import muster_pkg::*;
  import muster_mb_pkg::*;
(
  input  logic [63:0] word_i,
  input  logic [3:0]  op_i,
  input  logic [5:0]  lanes_i,
  input  logic [19:0] operand_i,
  input  logic        phase_i,
  input  logic [4:0]  cause_i,

  output logic [63:0] word_o,
  output logic        write_o,
  output logic        completed_o,
  output logic        passed_o,
  output logic [4:0]  cause_o,
  output logic        refused_o,
  output logic        split_o
);

  mb_op_e op;
  fault_e cause;
  logic   alike;  // whatever the number of lanes

  assign op      = mb_op_e'(op_i);
  assign alike   = op inside {MbInit, MbInval};
  assign cause_o = cause;

  mb_step #(.EnReport(1'b0)) u_step (
    .op_i (op), .lanes_i, .total_i (TotalW'(operand_i) * (alike ? 1 : TotalW'(lanes_i))), .word_i, .phase_i,
    .asks_i (AsksPrimary),
    .before_i (fault_e'(cause_i)),
    .word_o, .write_o, .completed_o, .passed_o, .cause_o (cause), .refused_o, .split_o
  );

endmodule
