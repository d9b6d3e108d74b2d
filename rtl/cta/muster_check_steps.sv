// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decides how long a group stays in the check stage. A lifecycle operation, an exit, and any
// operation of a waiting warp stays until the stages ahead are empty: then it is settled which
// warps wait, and which entry took the latest all-warps arrival. Lifecycle operations and R2B,
// which are rare, then take three more cycles for their checks. Those of an exit, two cycles, need
// not wait until then. A step of a walk takes one cycle more.
//
//   cycle    0          1             2        3
//            settled    step_o        exit     rare
//                       a step goes   goes     goes
module muster_check_steps
  import muster_cta_pkg::*;
#(
  parameter bit EnState = 1'b1
) (
  input  logic   clk_i,
  input  logic   rst_ni,

  input  logic   roster_ready_i,  // the walk after reset is over
  input  logic   load_i,          // the next group comes in at this clock edge
  input  group_e next_op_i,       // the operation of the next group, if there is one
  input  logic   warp_waits_i,    // the warp of a member of the next group may be waiting
  input  logic   valid_i,         // a group is here
  input  group_e op_i,
  input  logic   ready_i,         // the next stage takes it
  input  logic   later_stage_i,   // a group is in a later stage

  output logic   go_o,            // it goes on
  output logic   step_o,          // a step of a walk is here for the second cycle
  output logic   judged_o,        // one with slow checks has passed the time for them, and goes
  output logic   exit_judged_o,   // likewise an exit
  output logic   checks_wait_o    // an operation with slow checks would have to wait here
);

`include "muster_assert.svh"

  logic rare;  // of the next group: a lifecycle operation, not a step or an exit, or R2B
  logic exit_q, clear_q, rare_q;
  logic stays_q;             // it is rare, or a member's warp waited when it was chosen
  logic settled;             // no group ahead can change what is checked here
  logic changed_q;           // the roster, or an entry as a whole, has just changed: read it again
                             // (the steps of a walk do not disturb each other)
  logic [2:0] judging_q;     // cycles that the slow checks have had, of three

  assign rare = ends_walk(next_op_i) || (EnState && is_write(next_op_i));

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      stays_q <= rare || (warp_waits_i && !is_lifecycle(next_op_i));
      clear_q <= (next_op_i == GroupClear);
      exit_q  <= (next_op_i == GroupExit);
      rare_q  <= rare;
    end
  end

  assign settled       = !changed_q && !(later_stage_i && stays_q);
  assign step_o        = clear_q && judging_q[0];
  assign judged_o      = judging_q[2] && !exit_q;
  assign exit_judged_o = judging_q[1] && exit_q && !later_stage_i;
  assign go_o          = valid_i && ready_i && (exit_q ? exit_judged_o : rare_q ? judged_o :
                                                (settled && (judging_q[0] || !clear_q)));
  assign checks_wait_o = valid_i ? !(rare_q || exit_q) : later_stage_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      changed_q <= 1'b1;
      judging_q <= '0;
    end else begin
      changed_q <= !roster_ready_i ||
                   (go_o && (is_lifecycle(op_i) || (EnState && is_write(op_i))) &&
                    !(is_launch(op_i) && is_launch(next_op_i)));
      judging_q <= (valid_i && settled && !go_o) ? {judging_q[1:0], 1'b1} : '0;
    end
  end

  `MUSTER_ASSERT(JudgedGoes, !(judged_o && rare_q) && !exit_judged_o || go_o,
                 "an operation stays after its checks")

endmodule
