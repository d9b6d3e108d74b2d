// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain of one issue port (PTX 9.7.13.1: when the barrier completes, prior memory
// accesses of the thread are performed). A barrier operation whose warp has no access outstanding
// passes at once. Any other is parked, a place per warp, and its drain is requested; acknowledged,
// it takes turns with what arrives at the port. So a warp in drain blocks no other.
//
// Parked operations that are acknowledged leave in batches: all of one batch before any of the
// next. None is overtaken by more than NumWarps - 1 others twice.
module muster_drain
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  issue_t              issue_i,

  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic                valid_o,
  input  logic                ready_i,
  output issue_t              issue_o       // drained
);

  logic [NumWarps-1:0] parked_q, parked_d;    // in drain
  logic [NumWarps-1:0] drained_q, drained_d;  // acknowledged, of the next batch
  logic [NumWarps-1:0] batch_q, batch_d;      // acknowledged, of this batch

  logic [WarpW-1:0] warp;
  logic             drains, park, pass;

  assign warp   = issue_i.warp[WarpW-1:0];
  assign drains = issue_i.op inside {OpSync, OpArrive, OpRedAnd, OpRedOr, OpRedPopc};
  assign park   = valid_i && drains && !fence_ack_i[warp];
  assign pass   = valid_i && !park;

  // The next of the batch, with its operation read from the parking memory.
  logic             first_any, pick_valid_q, pick_valid_d, pick_load, pick_take;
  logic [WarpW-1:0] first_index, pick_q, pick_d;
  issue_t           picked;

  muster_first #(.Width(NumWarps)) u_first (
    .bits_i (batch_q), .any_o (first_any), .index_o (first_index)
  );

  assign pick_load    = first_any && (!pick_valid_q || pick_take);
  assign pick_valid_d = pick_load || (pick_valid_q && !pick_take);
  assign pick_d       = pick_load ? first_index : pick_q;

  muster_ram #(.Depth(NumWarps), .Width($bits(issue_t)), .Forward(1'b0)) u_parking (
    .clk_i,
    .we_i (park && ready_o), .waddr_i (warp), .wdata_i (issue_i),
    .raddr_i (pick_d), .rdata_o (picked)
  );

  always_comb begin
    parked_d  = parked_q & ~fence_ack_i;
    drained_d = drained_q | (parked_q & fence_ack_i);
    batch_d   = batch_q;
    if (park && ready_o) parked_d[warp] = 1'b1;
    if (pick_load) batch_d[first_index] = 1'b0;
    if (batch_q == '0) begin
      batch_d   = drained_q;
      drained_d = parked_q & fence_ack_i;
    end
  end

  // Parked and passing operations take turns.
  logic turn_q;  // the parked one's
  assign pick_take = pick_valid_q && ready_i && (turn_q || !pass);
  assign valid_o   = pass || pick_valid_q;
  assign issue_o   = (pick_valid_q && (turn_q || !pass)) ? picked : issue_i;
  assign ready_o   = park || (ready_i && pass && !(pick_valid_q && turn_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      parked_q     <= '0;
      drained_q    <= '0;
      batch_q      <= '0;
      pick_valid_q <= 1'b0;
      turn_q       <= 1'b0;
    end else begin
      parked_q     <= parked_d;
      drained_q    <= drained_d;
      batch_q      <= batch_d;
      pick_valid_q <= pick_valid_d;
      if (valid_o && ready_i) turn_q <= !pick_take;
    end
  end

  always_ff @(posedge clk_i) pick_q <= pick_d;

  assign fence_req_o = parked_q;

endmodule
