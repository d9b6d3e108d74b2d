// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which update enters the pipeline of atomics: one of the core's warps, which is drained, or one
// of another CTA. The two take turns, but for the halves of 128 bits, which follow each other.
module muster_atomics_turn
  import muster_atomics_pkg::*;
#(
  parameter bit En128 = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       issue_valid_i,
  output logic       issue_ready_o,
  input  at_update_t issue_i,
  input  logic       remote_valid_i,
  output logic       remote_ready_o,
  input  at_update_t remote_i,

  output logic       valid_o,
  input  logic       ready_i,
  output at_update_t update_o
);

  logic remote, remote_q, halved_q;  // the one that entered last; its upper half is still to come

  assign remote         = halved_q ? remote_q : remote_valid_i && !(issue_valid_i && remote_q);
  assign valid_o        = remote ? remote_valid_i : issue_valid_i;
  assign update_o       = remote ? remote_i : issue_i;
  assign issue_ready_o  = ready_i && !remote;
  assign remote_ready_o = ready_i && remote;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      remote_q <= 1'b0;
      halved_q <= 1'b0;
    end else if (valid_o && ready_i) begin
      remote_q <= remote;
      halved_q <= En128 && update_o.size == At128 && !update_o.upper;
    end
  end

endmodule
