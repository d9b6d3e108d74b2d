// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain of one issue port (PTX 9.7.13.1: when the barrier completes, prior memory
// accesses of the thread are performed). A barrier operation whose warp has no access outstanding
// passes at once. Any other is parked, a place per warp, and its drain is requested; acknowledged,
// it goes before what arrives at the port, which waits for at most one operation of each other
// warp: nothing more is parked meanwhile. So a warp in drain blocks no other.
//
// Parked operations that are acknowledged leave in batches: group after group of eight warps, those
// of the group that are acknowledged by its turn, lowest first. So each waits for at most one
// operation of every other warp, two of those of its own group, and for a cycle per group.
module muster_port_drain
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  request_t            request_i,
  input  logic                outstanding_i,  // its warp has an access outstanding: it is parked
  input  logic [NumWarps-1:0] park_warp_i,  // the warp for which an operation is parked now
  output logic                passes_o,     // one that is not parked is taken
  // There is a place for a response; 1 if ready_i takes account of it.
  input  logic                credit_i,

  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic                valid_o,
  input  logic                ready_i,
  output request_t            request_o,    // drained
  output logic                responds_o    // it has a response
);

  localparam int unsigned Span   = (NumWarps < 8) ? NumWarps : 8;
  localparam int unsigned Groups = (NumWarps + Span - 1) / Span;
  localparam int unsigned SpanW  = $clog2(Span);
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1;

  logic [NumWarps-1:0]         drained;           // acknowledged, not yet in a batch
  logic [Groups-1:0][Span-1:0] groups, leave;     // the same by groups; those that form a batch
  logic [Span-1:0]             batch_q, batch_d;  // acknowledged, of the group in turn
  logic [GroupW-1:0]           turn_q, next_q;    // that group, and the next one

  // The next of the batch, with its operation read from the parking memory.
  logic             any, load, pick_valid_q, pick_load, pick_take;
  logic [SpanW-1:0] first;
  logic [WarpW-1:0] pick_q, pick_d;

  localparam int unsigned ParkedW = $bits(request_t) - $bits(group_e) - WarpW;
  logic [ParkedW-1:0] picked;
  request_t           picked_request;

  muster_first #(.Width(Span)) u_first (.bits_i (batch_q), .any_o (any), .index_o (first));

  assign load      = !any;
  assign pick_load = any && (!pick_valid_q || pick_take);
  assign pick_d    = pick_load ? WarpW'({turn_q, first}) : pick_q;

  // A place is written while an operation of its warp is offered, parked or not: the warp has no
  // other. Nothing is picked in the cycle in which it is parked.
  muster_parking #(.NumWarps(NumWarps), .data_t(logic [ParkedW-1:0])) u_parking (
    .clk_i, .rst_ni,
    .write_i (valid_i), .warp_i (request_i.warp[WarpW-1:0]), .data_i (ParkedW'(request_i >> WarpW)),
    .park_i (park_warp_i), .fence_req_o, .fence_ack_i,
    .drained_o (drained), .leave_i (NumWarps'(leave)), .read_warp_i (pick_d), .data_o (picked)
  );

  assign groups = (Groups * Span)'(drained);

  always_comb begin
    batch_d = batch_q;
    leave   = '0;
    if (pick_load) batch_d[first] = 1'b0;
    if (load) begin
      batch_d       = groups[next_q];
      leave[next_q] = '1;
    end
  end

  assign picked_request = request_t'({GroupArrive, picked, pick_q});
  assign pick_take  = pick_valid_q && ready_i && (credit_i || !picked_request.answers);
  assign valid_o    = pick_valid_q || (valid_i && !outstanding_i);
  assign request_o  = pick_valid_q ? picked_request : request_i;
  assign responds_o = has_response(request_o.op, request_o.answers);
  assign passes_o   = ready_i && !pick_valid_q &&
                      (credit_i || !has_response(request_i.op, request_i.answers));
  assign ready_o    = outstanding_i || passes_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      batch_q      <= '0;
      turn_q       <= '0;
      next_q       <= '0;
      pick_valid_q <= 1'b0;
    end else begin
      batch_q      <= batch_d;
      pick_valid_q <= pick_load || (pick_valid_q && !pick_take);
      if (load) begin
        turn_q <= next_q;
        next_q <= (32'(next_q) == Groups - 1) ? '0 : next_q + GroupW'(1);
      end
    end
  end

  always_ff @(posedge clk_i) pick_q <= pick_d;

endmodule
