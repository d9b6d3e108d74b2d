// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain of releasing groups (PTX 9.7.13.15.13: the warp's earlier accesses are
// performed). A group that does not release, or whose warp has no access outstanding, passes at
// once. Any other group is parked, in a slot per warp, and its drain is requested. The slots are
// examined in rotation, one per cycle; a drained group goes before one from the port. The next
// group of a parked warp waits at the port. Groups leave from a register.
//
//     cycle    1          2            3
//     slot     drained    is picked    -
//     memory   -          is read      its group
//     register -          -            is free     the group
//
// The slot after it is picked when the group is in the register: then no address depends on
// ready_i.
module muster_mb_drain
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  mb_group_t           group_i,

  output logic [NumWarps-1:0] busy_o,       // warps with a group here
  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic                valid_o,
  input  logic                ready_i,
  output mb_group_t           group_o,
  output logic                needs_place_o  // the group may need a place for a response
);

  // What is not known of a parked group: it releases, and its place is its warp's.
  typedef struct packed {
    mb_op_e      op;
    mb_place_t   place;
    lanes_t      lanes;
    logic [31:0] operand;
    logic        phase;
    logic        has_token;
    logic        has_hint;
    logic        whole;
  } parked_t;

  logic [NumWarps-1:0] parked_q, parked_d;    // in drain
  logic [NumWarps-1:0] drained_q, drained_d;  // acknowledged
  logic [WarpW-1:0]    warp, look_q, pick_q, pick_d;
  logic                offered, park, pass, pick_valid_q, pick, free, valid_q;
  parked_t             parking, picked;
  mb_group_t           group_q, group_d;
  logic                responds_q;

  assign warp    = group_i.warp[WarpW-1:0];
  assign offered = valid_i && !parked_q[warp] && !drained_q[warp] &&
                   !(pick_valid_q && pick_q == warp);
  assign park    = offered && group_i.releasing && !fence_ack_i[warp];
  assign pass    = offered && !park;
  assign free    = !valid_q || ready_i;

  assign pick   = drained_q[look_q] && !pick_valid_q;
  assign pick_d = pick_valid_q ? pick_q : look_q;

  assign parking = '{op: group_i.op, place: group_i.place, lanes: group_i.lanes,
                     operand: group_i.operand,
                     phase: group_i.phase, has_token: group_i.has_token, has_hint: group_i.has_hint,
                     whole: group_i.whole};

  // A group that passes is written, too, and is not read: whether the group is parked is known
  // later.
  muster_ram #(.Depth(NumWarps), .Width($bits(parked_t)), .Forward(1'b0)) u_parking (
    .clk_i,
    .we_i (offered), .waddr_i (warp), .wdata_i (parking),
    .raddr_i (pick_d), .rdata_o (picked)
  );

  always_comb begin
    parked_d  = parked_q & ~fence_ack_i;
    drained_d = drained_q | (parked_q & fence_ack_i);
    if (park) parked_d[warp] = 1'b1;
    if (pick) drained_d[look_q] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      parked_q     <= '0;
      drained_q    <= '0;
      look_q       <= '0;
      pick_valid_q <= 1'b0;
      valid_q      <= 1'b0;
    end else begin
      parked_q     <= parked_d;
      drained_q    <= drained_d;
      pick_valid_q <= pick || (pick_valid_q && !free);
      if (free) valid_q <= pick_valid_q || pass;
      if (pick || !drained_q[look_q]) begin
        look_q <= (32'(look_q) == NumWarps - 1) ? '0 : look_q + WarpW'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    pick_q <= pick_d;
    if (free) begin
      group_q    <= group_d;
      responds_q <= responds(MbWarp, group_d);
    end
  end

  always_comb begin
    group_d = group_i;
    if (pick_valid_q) begin
      group_d = '{op: picked.op, place: picked.place, warp: warp_t'(pick_q), lanes: picked.lanes,
                  operand: picked.operand, phase: picked.phase, has_token: picked.has_token,
                  has_hint: picked.has_hint, whole: picked.whole, releasing: 1'b1};
    end
  end

  assign valid_o       = valid_q;
  assign group_o       = group_q;
  assign needs_place_o = responds_q;
  assign ready_o       = offered && (park || (free && !pick_valid_q));
  assign fence_req_o   = parked_q;

  always_comb begin
    busy_o = parked_q | drained_q;
    if (pick_valid_q) busy_o[pick_q] = 1'b1;
    if (valid_q) busy_o[group_q.warp[WarpW-1:0]] = 1'b1;
  end

endmodule
