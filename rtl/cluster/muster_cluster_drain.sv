// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain of barrier.cluster.arrive (PTX 9.7.13.3: the accesses before it are complete and
// visible after the wait). An arrival that releases, whose warp has an access outstanding, is
// parked in a slot per warp, and its drain is requested; any other request passes at once. Drained
// arrivals go before requests from the port, in turns. The next request of a warp that is here
// waits at the port. Requests leave from a register.
module muster_cluster_drain
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  cluster_request_t    request_i,

  output logic [NumWarps-1:0] busy_o,       // warps with a request here
  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic                valid_o,
  input  logic                ready_i,
  output cluster_request_t    request_o
);

  // What is not known of a parked arrival.
  typedef struct packed {
    cta_t   cta;
    lanes_t lanes;
    lanes_t live;
  } parked_t;

  logic [NumWarps-1:0] parked_q, parked_d;    // in drain
  logic [NumWarps-1:0] drained_q, drained_d;  // acknowledged
  logic [NumWarps-1:0] chosen;
  logic [WarpW-1:0]    warp, pick_q, pick_d;
  logic                offered, park, pass, pick, pick_valid_q, free, valid_q;
  parked_t             picked;
  cluster_request_t    request_q;

  assign warp    = request_i.warp[WarpW-1:0];
  assign offered = valid_i && !parked_q[warp] && !drained_q[warp] &&
                   !(pick_valid_q && pick_q == warp);
  assign park    = offered && request_i.op == ClArrive && request_i.lanes != '0 &&
                   !fence_ack_i[warp];
  assign pass    = offered && !park;
  assign free    = !valid_q || ready_i;
  assign pick    = drained_q != '0 && (!pick_valid_q || free);
  assign ready_o = park || (pass && free && !pick_valid_q);

  muster_rr_arbiter #(.NumReq(NumWarps)) u_turn (
    .clk_i, .rst_ni, .req_i (drained_q), .advance_i (pick), .gnt_o (chosen)
  );

  always_comb begin
    pick_d = pick_q;
    for (int w = 0; w < NumWarps; w++) begin
      if (pick && chosen[w]) pick_d = WarpW'(w);
    end
  end

  muster_ram #(.Depth(NumWarps), .Width($bits(parked_t)), .Forward(1'b0)) u_parked (
    .clk_i,
    .we_i (park), .waddr_i (warp),
    .wdata_i ({request_i.cta, request_i.lanes, request_i.live}),
    .raddr_i (pick_d), .rdata_o (picked)
  );

  always_comb begin
    parked_d  = parked_q & ~fence_ack_i;
    drained_d = drained_q | (parked_q & fence_ack_i);
    if (park) parked_d[warp] = 1'b1;
    if (pick) drained_d      = drained_d & ~chosen;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      parked_q     <= '0;
      drained_q    <= '0;
      pick_valid_q <= 1'b0;
      valid_q      <= 1'b0;
    end else begin
      parked_q     <= parked_d;
      drained_q    <= drained_d;
      pick_valid_q <= pick || (pick_valid_q && !free);
      if (free) valid_q <= pick_valid_q || pass;
    end
  end

  always_ff @(posedge clk_i) begin
    pick_q <= pick_d;
    if (free) begin
      request_q <= request_i;
      if (pick_valid_q) begin
        request_q <= '{op: ClArrive, warp: warp_t'(pick_q), cta: picked.cta, lanes: picked.lanes,
                       live: picked.live};
      end
    end
  end

  assign valid_o     = valid_q;
  assign request_o   = request_q;
  assign fence_req_o = parked_q;

  always_comb begin
    busy_o = parked_q | drained_q;
    if (pick_valid_q) busy_o[pick_q] = 1'b1;
    if (valid_q) busy_o[request_q.warp[WarpW-1:0]] = 1'b1;
  end

endmodule
