// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which CTA slots are resident. The lifecycle port shows what is asked for; whether it is refused
// is known when the operation's outcome is reported, in step with `commit_o.entry_valid` of the
// same operation. So no other operation has its outcome in that cycle.
//
//   cycle   0                     1                   1 + Delay
//           lifecycle accepted    commit_lifecycle_i  refused_i, launched_o or ended_o
module muster_axil_slots
  import muster_pkg::*;
#(
  parameter int unsigned NumCtas = 8,
  parameter int unsigned Delay   = 2  // cycles from commit to report: 1 or 2
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               lifecycle_valid_i,
  input  logic               lifecycle_ready_i,
  input  lifecycle_t         lifecycle_i,
  input  logic               commit_lifecycle_i,
  input  logic               refused_i,

  output logic               launched_o,  // a pulse: a CTA takes a slot
  output logic               ended_o,     // a pulse: a CTA leaves its slot
  output cta_t               cta_o,       // the slot
  output logic [MaxCtas-1:0] resident_o   // from the cycle after these pulses on
);

  logic [Delay-1:0]   commit_q;
  logic [MaxCtas-1:0] resident_q;
  lifecycle_e         op_q;
  cta_t               cta_q;
  logic               done;

  assign done       = commit_q[Delay-1] && !refused_i;
  assign launched_o = done && (op_q inside {LcLaunch, LcOpen});
  assign ended_o     = done && (op_q inside {LcSuspend, LcEnd});
  assign cta_o      = cta_q;
  assign resident_o = resident_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      commit_q   <= '0;
      resident_q <= '0;
    end else begin
      commit_q <= Delay'({commit_q, commit_lifecycle_i});
      for (int c = 0; c < NumCtas; c++) begin
        if (cta_q == cta_t'(c)) resident_q[c] <= (resident_q[c] || launched_o) && !ended_o;
      end
    end
  end

  // The next operation is accepted later than the outcome of this one.
  always_ff @(posedge clk_i) begin
    if (lifecycle_valid_i && lifecycle_ready_i) begin
      op_q  <= lifecycle_i.op;
      cta_q <= lifecycle_i.cta;
    end
  end

endmodule
