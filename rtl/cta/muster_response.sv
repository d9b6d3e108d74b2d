// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The response port. An operation with a response is chosen only if there is a credit for it, which
// is a place in this queue. It spends the credit when it is chosen. The credit is returned when the
// response is taken, or when the operation gives none (it was refused, or no lane took part).
module muster_response
  import muster_pkg::*;
#(
  parameter int unsigned Depth = 1,  // a power of two
  localparam int unsigned PlaceW = $clog2(Depth),
  localparam int unsigned CountW = $clog2(Depth + 1)
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

`include "muster_assert.svh"

  logic [CountW-1:0]     credits_q, credits, filled_q, remaining;  // credits: if none is spent
  logic                  pop;

  assign credit_o   = (credits_q != '0);
  assign valid_o    = (filled_q != '0);
  assign pop        = valid_o && ready_i;
  assign remaining  = filled_q - CountW'(pop);
  assign credits    = credits_q + CountW'(pop) + CountW'(refund_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q  <= '0;
      credits_q <= CountW'(Depth);
    end else begin
      filled_q  <= remaining + CountW'(valid_i);
      credits_q <= spend_i ? credits - CountW'(1) : credits;  // whether it is, is known late
    end
  end

  if (Depth == 1) begin : g_one
    always_ff @(posedge clk_i) begin
      if (valid_i) response_o <= response_i;
    end
  end else begin : g_queue
    // The places of the oldest response, and of the next one to come.
    logic [PlaceW-1:0] first_q, first, last_q;

    assign first = first_q + PlaceW'(pop);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        first_q <= '0;
        last_q  <= '0;
      end else begin
        first_q <= first;
        last_q  <= last_q + PlaceW'(valid_i);
      end
    end

    muster_ram #(.Depth(Depth), .Width($bits(response_t))) u_queue (
      .clk_i,
      .we_i (valid_i), .waddr_i (last_q), .wdata_i (response_i), .raddr_i (first),
      .rdata_o (response_o)
    );
  end

  `MUSTER_ASSERT(HasPlace, !valid_i || remaining < CountW'(Depth), "a response finds no place")
  `MUSTER_ASSERT(HasCredit, !spend_i || credits_q != '0, "a credit is spent that there is not")

endmodule
