// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the named barriers without bound: the lemmas of the drain. Each parked operation is in
// exactly one place, with the fields with which it was accepted.
module cta_always_drain
  import muster_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,  // eight at most: one group
  localparam int unsigned WarpW   = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic [NumWarps-1:0] parked_o  // an operation of the warp is here
);

  logic [NumWarps-1:0]              asked, acknowledged, batch, picked;
  logic [NumWarps-1:0][$bits(request_t)-$bits(group_e)-WarpW-1:0] kept;
  logic                             reads_it;  // what was parked, and there where it was picked

  assign asked        = u_cta.g_port[0].u_port.g_drain.u_drain.u_parking.parked_q;
  assign acknowledged = u_cta.g_port[0].u_port.g_drain.u_drain.u_parking.drained_q;
  assign batch        = u_cta.g_port[0].u_port.g_drain.u_drain.batch_q;
  assign kept         = u_cta.g_port[0].u_port.g_drain.u_drain.u_parking.u_parking.mem;
  assign reads_it     = !u_cta.g_port[0].u_port.g_drain.u_drain.u_parking.u_parking.collides_q[0] &&
                        u_cta.g_port[0].u_port.g_drain.u_drain.u_parking.u_parking.raddr_q[0] ==
                        u_cta.g_port[0].u_port.g_drain.u_drain.pick_q;
  assign parked_o     = asked | acknowledged | batch | picked;

  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    pending_t o;
    request_t request;

    assign picked[w] = u_cta.g_port[0].u_port.g_drain.u_drain.pick_valid_q &&
                       u_cta.g_port[0].u_port.g_drain.u_drain.pick_q == WarpW'(w);
    assign o         = g_slot[0].u_slot.u_props.pending_q[w];
    assign request   = {GroupArrive, kept[w], WarpW'(w)};
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L60_once: assert (3'(asked[w]) + 3'(acknowledged[w]) + 3'(batch[w]) + 3'(picked[w]) <= 3'd1);
        L61_kept: assert (!parked_o[w] || (o.op <= OpArrivePhase && request == request_t'{
                          op: GroupArrive, kind: kind_of(o.op), answers: o.op == OpArrivePhase,
                          waits: !(o.op inside {OpArrive, OpArrivePhase}), cta: o.cta, bar: o.bar, expected: o.count[11:5],
                          ragged: o.count[4:0] != '0, idle: o.idle, warp: o.warp}));
      end
    end
  end

  logic [6:0] taken_q;  // in the latest seven cycles an operation was taken from here

  always_ff @(posedge clk_i) begin
    taken_q <= {taken_q[5:0], u_cta.g_port[0].u_port.g_drain.u_drain.pick_take};
    if (rst_ni) begin
      L62_read: assert (picked == '0 || reads_it);
      L63_turn: assert ({u_cta.g_port[0].u_port.g_drain.u_drain.turn_q,
                         u_cta.g_port[0].u_port.g_drain.u_drain.next_q} == '0);
      // Four in a row, of which the last completes the entry: it was taken four cycles ago.
      C02_drained: cover (g_slot[0].u_slot.u_props.looks && taken_q[6:3] == '1 &&
                          g_slot[0].u_slot.u_props.due.complete &&
                          g_slot[0].u_slot.u_props.due.release_set == '1);
    end
  end

endmodule
