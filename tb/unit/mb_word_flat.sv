// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The word update with a port per field.
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
  output logic        split_o,
  output logic        bad_o,
  output logic        hopeless_o,
  output logic        may_split_o,
  output logic        must_split_o
);

  mb_op_e op;
  fault_e cause;
  logic   alike;  // whatever the number of lanes

  assign op      = mb_op_e'(op_i);
  assign alike   = op inside {MbInit, MbInval};
  assign cause_o = cause;

  muster_mb_word u_word (
    .word_i, .class_i (class_of(op)),
    .amount_i (amount_of(op, lanes_i, TotalW'(operand_i) * (alike ? 1 : TotalW'(lanes_i)))),
    .several_i (lanes_i > 1), .phase_i, .cause_i (fault_e'(cause_i)),
    .word_o, .write_o, .completed_o, .passed_o, .cause_o (cause), .split_o,
    .verdict_o ({bad_o, hopeless_o, may_split_o, must_split_o})
  );

endmodule
