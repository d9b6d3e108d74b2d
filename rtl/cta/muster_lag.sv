// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Connects the count stage with the release stage: by a register, or, in a unit that needs none, by wires.
// It also tells how long after an update no group that waits for it may go: the released warps still count
// as waiting in the cycle of their release.
//
//   cycle     0        1         2
//   Lag       count    release   release_o
//             busy_o is high in cycles 1 and 2; of cycle 0, the count stage tells
module muster_lag
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumIssue = 1,
  parameter bit          Lag      = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   valid_i,    // a group is in the count stage
  input  outcome_t               outcome_i,  // what comes of it
  input  effect_t [NumIssue-1:0] effects_i,
  input  logic    [NumWarps-1:0] warps_i,

  output logic                   busy_o,
  output outcome_t               outcome_o,  // the same in the release stage
  output effect_t [NumIssue-1:0] effects_o,
  output logic    [NumWarps-1:0] warps_o
);

  logic [1:0] counted_q;  // a group was in the count stage: a cycle ago, and two

  assign busy_o = (counted_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counted_q <= '0;
    end else begin
      counted_q <= {counted_q[0], valid_i};
    end
  end

  if (Lag) begin : g_lag
    // A clock edge in reset clears these, since no group is in the count stage.
    always_ff @(posedge clk_i) begin
      outcome_o <= outcome_i;
      effects_o <= effects_i;
      warps_o   <= warps_i;
    end
  end else begin : g_no_lag
    assign outcome_o = outcome_i;
    assign effects_o = effects_i;
    assign warps_o   = warps_i;
  end

endmodule
