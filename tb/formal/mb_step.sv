// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A step in both stages of muster_mb_update at once: its sums (muster_mb_look) and the verdict on them
// (muster_mb_verdict).
module mb_step
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter bit EnReport = 1'b1
) (
  input  mb_op_e   op_i,
  input  nlanes_t  lanes_i,
  input  total_t   total_i,  // of the lanes' operands
  input  mb_word_t word_i,
  input  logic     phase_i,
  input  mb_asks_e asks_i,
  input  fault_e   before_i,  // refused already
  output mb_word_t word_o,
  output logic     write_o,
  output logic     completed_o,
  output logic     passed_o,
  output fault_e   cause_o,
  output logic     refused_o,
  output logic     split_o
);

  mb_step_t step;
  mb_sums_t sums;
  mb_word_t found, left;

  assign step  = step_of(op_i, lanes_i, total_i);
  assign found = (step.kind.inits || step.kind.invalidates) ? '0 : word_i;  // the word is replaced

  localparam muster_cfg_t Cfg = '{
    NumWarps: 32, NumCtas: 8, NumIssue: 1, WarpSize: 32, SmemBytes: 262144, MbResponses: 2,
    ClockPeriodPs: 1000, WaitLimitNs: 4000, EnReport: EnReport, default: 1'b1  // all others
  };

  muster_mb_look #(.Cfg(Cfg)) u_look (.word_i (found), .step_i (step), .phase_i, .asks_i, .refused_i (before_i != FaultNone), .sums_o (sums));

  muster_mb_verdict #(.EnReport(EnReport)) u_verdict (
    .old_word_i (word_i), .sums_i (sums), .waits_i (step.kind.waits), .cause_i (before_i),
    .word_o (left), .write_o, .completed_o, .cause_o, .split_o
  );

  assign word_o   = write_o ? left : word_i;  // in memory
  assign passed_o = sums.passed;
  assign refused_o = is_refused(sums);

endmodule
