// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain of releasing groups (PTX 9.7.13.15.13: what the warp accessed before is
// performed). A group that does not release, or whose warp has no access outstanding, passes at
// once. Any other is parked, a place per warp, and its drain is requested. The places are looked
// at in turn, one in a cycle; what is drained goes before what comes from the port. The next
// group of a parked warp waits at the port. What goes on leaves from a register.
module muster_mb_drain
  import muster_pkg::*;
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
  output mb_group_t           group_o
);

  logic [NumWarps-1:0] parked_q, parked_d;    // in drain
  logic [NumWarps-1:0] drained_q, drained_d;  // acknowledged
  logic [WarpW-1:0]    warp, look_q, pick_q, pick_d;
  logic                offered, park, pass, pick_valid_q, pick, free, valid_q;
  mb_group_t           picked, group_q;

  assign warp    = group_i.warp[WarpW-1:0];
  assign offered = valid_i && !parked_q[warp] && !drained_q[warp] &&
                   !(pick_valid_q && pick_q == warp);
  assign park    = offered && group_i.releasing && !fence_ack_i[warp];
  assign pass    = offered && !park;
  assign free    = !valid_q || ready_i;

  assign pick   = drained_q[look_q] && (!pick_valid_q || free);
  assign pick_d = pick ? look_q : pick_q;

  muster_ram #(.Depth(NumWarps), .Width($bits(mb_group_t)), .Forward(1'b0)) u_parking (
    .clk_i,
    .we_i (park), .waddr_i (warp), .wdata_i (group_i),
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
    if (free) group_q <= pick_valid_q ? picked : group_i;
  end

  assign valid_o     = valid_q;
  assign group_o     = group_q;
  assign ready_o     = offered && (park || (free && !pick_valid_q));
  assign fence_req_o = parked_q;

  always_comb begin
    busy_o = parked_q | drained_q;
    if (pick_valid_q) busy_o[pick_q] = 1'b1;
    if (valid_q) busy_o[group_q.warp[WarpW-1:0]] = 1'b1;
  end

endmodule
