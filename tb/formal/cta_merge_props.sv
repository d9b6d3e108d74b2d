// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Named barriers at several ports: which operations commit in one cycle. The properties of cta_props
// (u_props in the same module), which carries the operations out one by one in port order, show that their
// effect is the same.
module cta_merge_props
  import muster_pkg::*;
  import muster_cta_pkg::kind_of;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumIssue = 2,
  localparam int unsigned WarpW   = $clog2(NumWarps)
) (
  input logic    clk_i,
  input commit_t commit_i
);

  for (genvar p = 1; p < NumIssue; p++) begin : g_port
    pending_t first, other;
    logic     both, both_q, split;  // both commit; what completes is told, and what opens the next generation

    assign first = u_props.pending_q[commit_i.warp[0][WarpW-1:0]];
    assign other = u_props.pending_q[commit_i.warp[p][WarpW-1:0]];
    assign both  = u_props.due.ours[0] && u_props.due.ours[p];
    assign split = u_props.due.complete && u_props.due.ours == NumIssue'(1) && u_props.late_q.changes &&
                   u_props.late_q.ours[p] && u_props.late_q.bar == u_props.due.bar;
    always_ff @(posedge clk_i) both_q <= both;
    always_ff @(posedge clk_i) begin
      if (u_props.looks) begin
        // 9. Only arrivals that agree in CTA, entry, count and kind commit together.
        P09_merged: assert (!(commit_i.valid[0] && commit_i.valid[p]) ||
                            (first.cta == other.cta && first.bar == other.bar &&
                             first.count[11:5] == other.count[11:5] &&
                             kind_of(first.op) == kind_of(other.op) && first.op <= OpRedPopc &&
                             other.op <= OpRedPopc));
        C09_completes: cover (both && u_props.due.complete && u_props.due.kind == KindSync &&
                              u_props.due.release_set == '1);
        C09_reduces:   cover (both && u_props.due.complete && u_props.due.kind == KindPopc &&
                              u_props.due.release_set == '1 && u_props.due.value == 12'd7);
        C09_stays:     cover (both && u_props.due.word.arrived == 7'd2);
        C09_splits:    cover (split);
        C09_forwarded: cover (both_q && both && u_props.due.complete && u_props.due.release_set == '1 &&
                              u_props.due.kind == KindAnd);
      end
    end
  end

endmodule
