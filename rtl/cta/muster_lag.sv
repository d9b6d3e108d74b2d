// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Connects the count stage with the release stage: by a register, or, in a unit that needs none, by
// wires. It also tells how long after an update no group that waits for it may go: the released
// warps still count as waiting in the cycle of their release.
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
    // What acts by itself is reset: the edge that follows may be the first one after the reset.
    typedef struct packed {
      logic                  valid, waits, accepted, complete, passed;
      logic   [NumIssue-1:0] counts;
      fault_e [NumIssue-1:0] cause;
    } acts_t;

    acts_t                  acts, acts_q;
    outcome_t               outcome_q;
    effect_t [NumIssue-1:0] effects_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        acts_q <= '0;
      end else begin
        acts_q <= acts;
      end
    end

    always_ff @(posedge clk_i) begin
      outcome_q <= outcome_i;
      effects_q <= effects_i;
      warps_o   <= warps_i;
    end

    always_comb begin
      acts.valid    = outcome_i.valid;
      acts.waits    = outcome_i.waits;
      acts.accepted = outcome_i.accepted;
      acts.complete = outcome_i.complete;
      acts.passed   = outcome_i.passed;

      outcome_o          = outcome_q;
      outcome_o.valid    = acts_q.valid;
      outcome_o.waits    = acts_q.waits;
      outcome_o.accepted = acts_q.accepted;
      outcome_o.complete = acts_q.complete;
      outcome_o.passed   = acts_q.passed;

      effects_o = effects_q;
      for (int m = 0; m < NumIssue; m++) begin
        acts.counts[m]      = effects_i[m].counts;
        acts.cause[m]       = effects_i[m].cause;
        effects_o[m].counts = acts_q.counts[m];
        effects_o[m].cause  = acts_q.cause[m];
      end
    end
  end else begin : g_no_lag
    assign outcome_o = outcome_i;
    assign effects_o = effects_i;
    assign warps_o   = warps_i;
  end

endmodule
