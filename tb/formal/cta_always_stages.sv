// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the named barriers without bound: the lemmas of the stages. An operation in a stage has
// the fields with which it was accepted, its operands wait for it, and a place for its response.
module cta_always_stages
  import muster_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  localparam int unsigned WarpW   = $clog2(NumWarps)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                in_check_i,  // an operation of the issue port is in this stage
  input logic                in_count_i,
  input logic [NumWarps-1:0] parked_i     // their operation is in drain
);

  // One place for a response: an operation with one has it from its choice on.
  logic [2:0] places;

  assign places = 3'(u_cta.u_report.g_responses.u_response.credits_q) +
                  3'(u_cta.u_report.g_responses.u_response.u_fifo.filled_q) +
                  3'(in_check_i && (is_read(u_cta.u_check.group_q.op) || u_cta.u_check.group_q.answers)) +
                  3'(in_count_i && (is_read(u_cta.u_count.group_q.op) || u_cta.u_count.group_q.answers)) +
                  3'(u_cta.u_report.g_responses.reads);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L64_places:  assert (places == 3'd1);
      L65_answers: assert ((in_check_i || !u_cta.u_check.valid_q || !u_cta.u_check.group_q.answers) &&
                           (in_count_i || !u_cta.u_count.valid_q || !u_cta.u_count.group_q.answers));
    end
  end

  group_t   chk, cnt;
  member_t  chk_m;
  checked_t cnt_m;
  pending_t chk_p, cnt_p;

  assign chk   = u_cta.u_check.group_q;
  assign chk_m = u_cta.u_check.members_q[0];
  assign cnt   = u_cta.u_count.group_q;
  assign cnt_m = u_cta.u_count.members_q[0];
  assign chk_p = g_slot[0].u_slot.u_props.pending_q[chk_m.warp[WarpW-1:0]];
  assign cnt_p = g_slot[0].u_slot.u_props.pending_q[cnt_m.warp[WarpW-1:0]];

  function automatic logic agrees(group_t g, logic idle, warp_t warp, pending_t o);
    return g.op == group_of(o.op, 1'b1) && g.answers == (o.op == OpArrivePhase) && g.cta == o.cta && g.bar == o.bar && g.expected == o.count[11:5] &&
           g.ragged == (o.count[4:0] != '0) && g.kind == kind_of(o.op) && idle == o.idle && warp == o.warp;
  endfunction

  for (genvar w = 0; w < NumWarps; w++) begin : g_busy
    logic      here, ahead;
    pending_t  o;
    operands_t operands;
    logic [5:0] sum;

    assign here     = in_check_i && chk_m.warp[WarpW-1:0] == WarpW'(w);
    assign ahead    = in_count_i && cnt_m.warp[WarpW-1:0] == WarpW'(w);
    assign o        = g_slot[0].u_slot.u_props.pending_q[w];
    assign operands = u_cta.g_port[0].u_port.u_operands.u_operands.mem[w];
    assign sum      = 6'(operands.word[4:0]) + 6'(operands.word[20:16]);
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L50_busy:     assert (u_cta.busy[w] == (here || ahead || parked_i[w]) &&
                              2'(here) + 2'(ahead) + 2'(parked_i[w]) <= 2'd1);
        L59_same:     assert (!u_cta.busy[w] || g_slot[1].u_slot.u_props.pending_q[w] == o);
        L51_operands: assert (!u_cta.busy[w] || ((o.op > OpRedPopc || sum == (o.op == OpRedAnd ? o.lanes - o.hits : o.hits)) &&
                              (o.op != OpWait || operands.word[0] == o.word[0]) &&
                              o.lanes <= 6'd4 && o.hits <= o.lanes && (o.op <= OpArrivePhase ||
                              o.op inside {OpB2rBar, OpB2rWarp, OpB2rResult, OpWait})));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L18_member: assert ((!u_cta.u_check.valid_q || chk_m.valid) && (!u_cta.u_count.valid_q || cnt_m.valid));
      L52_check: assert (!in_check_i || (agrees(chk, chk_m.idle, chk_m.warp, chk_p) &&
                         chk_m.waits == !(chk_p.op inside {OpArrive, OpArrivePhase})));
      L53_count: assert (!in_count_i || (agrees(cnt, cnt_m.idle, cnt_m.warp, cnt_p) &&
                         cnt_m.waits == (cnt_p.op inside {OpSync, OpRedAnd, OpRedOr, OpRedPopc, OpWait})));
      L66_due:   assert (u_cta.u_count.u_completion.stored_due_q[0] == (u_cta.u_count.stored_q.arrived == u_cta.u_count.last_q));
      L67_due:   assert (!u_cta.u_count.forward_q || !u_cta.u_count.valid_q || !(cnt.op inside {GroupArrive, GroupExit}) ||
                         u_cta.u_count.u_completion.left_due_q[0] == (u_cta.u_count.ahead_q.arrived == u_cta.u_count.last_q));
      L58_read:  assert (!in_count_i || (!u_cta.g_port[0].u_port.u_operands.u_operands.collides_q[0] &&
                         u_cta.g_port[0].u_port.u_operands.u_operands.raddr_q[0] == cnt_m.warp[WarpW-1:0]));
    end
  end

endmodule
