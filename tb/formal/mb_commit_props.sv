// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Each commit of the pipeline of a bank (muster_mb_pipe) is the update that the specification defines for
// the word that it found: mb_word_props in every commit of a simulation.
module mb_commit_props
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter int unsigned SmemBytes = 262144,
  parameter bit          EnLanes   = 1'b1,
  parameter bit          EnFaults  = 1'b1,
  parameter bit          EnReport  = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        commit_i,
  input mb_request_t request_i,
  input mb_word_t    found_i,
  input mb_word_t    word_i,
  input logic        written_i,
  input logic        completed_i,
  input logic        passed_i
);

  mb_class_t class_of_op;
  nlanes_t   lanes;
  fault_e    earlier;

  assign class_of_op = class_of(request_i.group.op);
  assign earlier     = EnFaults ? judge(request_i.source, request_i.group, $clog2(SmemBytes), EnReport) : FaultNone;

  // Lanes that are refused are refused for what the first of them is.
  always_comb begin
    lanes = 6'd1;
    if (EnLanes && commit_i && request_i.cause == FaultNone &&
        (class_of_op.arrives || class_of_op.tx || class_of_op.adds)) begin
      lanes = 6'($countones(request_i.group.lanes));
    end
  end

  mb_word_props #(.EnRefuse(EnFaults || EnLanes), .EnReport(EnReport)) u_word_props (
    .clk_i, .rst_ni, .valid_i (commit_i), .op_i (request_i.group.op), .lanes_i (lanes),
    .total_i (total_t'(lanes) * total_t'(request_i.group.operand[19:0])), .word_i (found_i),
    .phase_i (request_i.group.phase), .asks_i (request_i.group.asks), .before_i (earlier), .word_o (written_i ? word_i : found_i),
    .write_o (written_i), .completed_o (completed_i), .passed_o (passed_i), .cause_o (request_i.cause),
    .split_o (1'b0)
  );

endmodule
