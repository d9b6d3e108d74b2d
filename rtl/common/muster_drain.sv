// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain in front of a block: an operation enters when its warp's earlier memory accesses
// are performed (PTX 9.7.13.3, 9.7.13.15.13). An operation that need not wait for that, or whose
// warp has no access outstanding, passes at once. Any other is parked, in a place per warp, and its
// drain is requested. Drained operations go before one from the port, in turns of the warps. The
// next operation of a warp that is here waits at the port. Operations leave from a register.
//
//     cycle        0          1          2            3
//     place        drained    is picked  -
//     memory       -          is read    its content
//     register     -          -          is free      the operation
//
// Rotates: the places are examined in rotation, one per cycle, and the one after is picked when the
// operation is in the register: then no address depends on ready_i, and no arbiter is needed.
// Otherwise the next drained place in turn is picked in each cycle.
module muster_drain
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter type         data_t   = logic,  // an operation without its warp
  parameter bit          Rotates  = 1'b0,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic                releasing_i,  // it waits for the drain of its warp
  input  warp_t               warp_i,
  input  data_t               data_i,

  output logic [NumWarps-1:0] busy_o,       // warps with an operation here
  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic                valid_o,
  input  logic                ready_i,
  output warp_t               warp_o,
  output data_t               data_o
);

  logic [NumWarps-1:0] parked, drained, chosen, park_warp;
  logic [WarpW-1:0]    warp, pick_q, pick_d;
  logic                offered, park, pass, pick, pick_valid_q, free, valid_q;
  warp_t               warp_q;
  data_t               picked, data_q;

  assign warp    = warp_i[WarpW-1:0];
  assign offered = valid_i && !parked[warp] && !drained[warp] && !(pick_valid_q && pick_q == warp);
  assign park    = offered && releasing_i && !fence_ack_i[warp];
  assign pass    = offered && !park;
  assign free    = !valid_q || ready_i;
  assign ready_o = park || (pass && free && !pick_valid_q);

  always_comb begin
    park_warp       = '0;
    park_warp[warp] = park;
  end

  // An operation that passes is written, too, and is not read: whether it is parked is known later.
  muster_parking #(.NumWarps(NumWarps), .data_t(data_t)) u_parking (
    .clk_i, .rst_ni,
    .write_i (offered), .warp_i (warp), .data_i, .park_i (park_warp), .fence_req_o (parked),
    .fence_ack_i, .drained_o (drained), .leave_i (pick ? chosen : '0), .read_warp_i (pick_d),
    .data_o (picked)
  );

  if (Rotates) begin : g_rotation
    logic [WarpW-1:0] look_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        look_q <= '0;
      end else if (pick || !drained[look_q]) begin
        look_q <= (32'(look_q) == NumWarps - 1) ? '0 : look_q + WarpW'(1);
      end
    end

    always_comb begin
      chosen         = '0;
      chosen[look_q] = 1'b1;
    end

    assign pick   = drained[look_q] && !pick_valid_q;
    assign pick_d = pick_valid_q ? pick_q : look_q;
  end else begin : g_turn
    muster_rr_arbiter #(.NumReq(NumWarps)) u_turn (
      .clk_i, .rst_ni, .req_i (drained), .advance_i (pick), .gnt_o (chosen)
    );

    assign pick = drained != '0 && (!pick_valid_q || free);

    always_comb begin
      pick_d = pick_q;
      for (int w = 0; w < NumWarps; w++) begin
        if (pick && chosen[w]) pick_d = WarpW'(w);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pick_valid_q <= 1'b0;
      valid_q      <= 1'b0;
    end else begin
      pick_valid_q <= pick || (pick_valid_q && !free);
      if (free) valid_q <= pick_valid_q || pass;
    end
  end

  always_ff @(posedge clk_i) begin
    pick_q <= pick_d;
    if (free) begin
      warp_q <= pick_valid_q ? warp_t'(pick_q) : warp_i;
      data_q <= pick_valid_q ? picked : data_i;
    end
  end

  assign valid_o     = valid_q;
  assign warp_o      = warp_q;
  assign data_o      = data_q;
  assign fence_req_o = parked;

  always_comb begin
    busy_o = parked | drained;
    if (pick_valid_q) busy_o[pick_q] = 1'b1;
    if (valid_q) busy_o[warp_q[WarpW-1:0]] = 1'b1;
  end

endmodule
