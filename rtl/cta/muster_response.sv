// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The response port. An operation with a response is chosen only against a credit, a place in this
// queue; it spends the credit when it is chosen, and the credit comes back when the response is
// taken, or when the operation gives none (refused, or no lane took part).
module muster_response
  import muster_pkg::*;
#(
  parameter int unsigned Depth = 2
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  output logic      credit_o,   // there is one more place
  input  logic      spend_i,
  input  logic      refund_i,

  input  logic      valid_i,
  input  response_t response_i,

  output logic      valid_o,
  input  logic      ready_i,
  output response_t response_o
);

  localparam int unsigned PtrW = $clog2(Depth);

  response_t [Depth-1:0] queue_q;
  logic [PtrW-1:0]       head_q, tail_q;
  logic [PtrW:0]         places_q, places_d, filled_q, filled_d;
  logic                  pop;

  assign credit_o   = (places_q != '0);
  assign valid_o    = (filled_q != '0);
  assign response_o = queue_q[head_q];
  assign pop        = valid_o && ready_i;

  always_comb begin
    places_d = places_q + (PtrW+1)'(pop) + (PtrW+1)'(refund_i) - (PtrW+1)'(spend_i);
    filled_d = filled_q + (PtrW+1)'(valid_i) - (PtrW+1)'(pop);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q   <= '0;
      tail_q   <= '0;
      filled_q <= '0;
      places_q <= (PtrW+1)'(Depth);
    end else begin
      if (pop) head_q <= head_q + PtrW'(1);
      if (valid_i) tail_q <= tail_q + PtrW'(1);
      filled_q <= filled_d;
      places_q <= places_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) queue_q[tail_q] <= response_i;
  end

endmodule
