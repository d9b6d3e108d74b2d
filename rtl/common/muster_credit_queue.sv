// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A queue of responses with credits. A credit is a place in the queue. An operation with a response
// spends one before it is carried out, so its response finds a place. The credit is returned when
// the response is taken, or when the operation gives none after all. With Late, whether there is a
// response is known late in its cycle (muster_fifo), and a credit without one is returned a cycle
// later, too.
module muster_credit_queue #(
  parameter type         data_t = logic,
  parameter int unsigned Depth  = 4,
  parameter bit          Late   = 1'b0,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic  clk_i,
  input  logic  rst_ni,

  output logic  credit_o,  // there is a credit
  output logic  spare_o,   // there is another one besides
  input  logic  spend_i,
  input  logic  refund_i,  // an operation that has spent a credit gives no response

  input  logic  offer_i,   // Late: a response may come with this cycle
  input  logic  valid_i,   // a response comes
  input  data_t data_i,

  output logic  valid_o,
  input  logic  ready_i,
  output data_t data_o
);

`include "muster_assert.svh"

  logic [CountW-1:0] credits_q, spent, unspent;
  logic              refund;

  muster_fifo #(.data_t(data_t), .Depth(Depth), .Late(Late)) u_fifo (
    .clk_i, .rst_ni, .offer_i, .valid_i, .data_i, .valid_o, .ready_i, .data_o
  );

  if (Late) begin : g_late
    logic refund_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        refund_q <= 1'b0;
      end else begin
        refund_q <= refund_i;
      end
    end

    assign refund = refund_q;
  end else begin : g_at_once
    assign refund = refund_i;
  end

  // Whether a credit is spent is known late in a cycle, so both results are prepared.
  assign unspent = credits_q + CountW'(valid_o && ready_i) + CountW'(refund);
  assign spent   = unspent - CountW'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credits_q <= CountW'(Depth);
      credit_o  <= 1'b1;
      spare_o   <= Depth > 1;
    end else begin
      credits_q <= spend_i ? spent : unspent;
      credit_o  <= spend_i ? spent != '0 : unspent != '0;
      spare_o   <= spend_i ? (spent >> 1) != '0 : (unspent >> 1) != '0;
    end
  end

  `MUSTER_ASSERT(HasCredit, !spend_i || credit_o, "a credit is spent that there is not")

endmodule
