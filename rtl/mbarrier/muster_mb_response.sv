// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The response port. A place in the queue is reserved for a response before its operation enters
// the pipeline. It is free again when the response is taken, or when the operation gives none after
// all.
module muster_mb_response
  import muster_pkg::*;
#(
  parameter int unsigned Depth = 4,
  localparam int unsigned CountW = $clog2(Depth + 1),
  localparam int unsigned IndexW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  output logic         credit_o,  // there is one more place,
  output logic         spare_o,   // and another one besides
  input  logic         spend_i,
  input  logic         refund_i,

  input  logic         offer_i,    // a response that has a place may come with this cycle,
  input  logic         valid_i,    // and does
  input  mb_response_t response_i,

  output logic         valid_o,
  input  logic         ready_i,
  output mb_response_t response_o
);

  // Filled: and written, so that it can be read.
  logic [CountW-1:0] credits_q, credits_d, spent, unspent, filled_q;
  logic [IndexW-1:0] head_q, head_d, tail_q, tail;
  logic              pop, valid_q, refund_q;

  function automatic logic [IndexW-1:0] next(logic [IndexW-1:0] index);
    return (32'(index) == Depth - 1) ? '0 : index + IndexW'(1);
  endfunction

  assign valid_o  = filled_q != '0;
  assign pop      = valid_o && ready_i;
  assign head_d   = pop ? next(head_q) : head_q;
  // Whether a response comes is known late in its cycle.
  assign tail     = valid_q ? next(tail_q) : tail_q;

  muster_ram #(.Depth(Depth), .Width($bits(mb_response_t)), .Forward(1'b0)) u_queue (
    .clk_i,
    .we_i (offer_i), .waddr_i (tail), .wdata_i (response_i),
    .raddr_i (head_d), .rdata_o (response_o)
  );

  // spend_i is known late in the cycle, so both results are prepared.
  assign unspent   = credits_q + CountW'(pop) + CountW'(refund_q);
  assign spent     = unspent - CountW'(1);
  assign credits_d = spend_i ? spent : unspent;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q  <= '0;
      valid_q   <= 1'b0;
      refund_q  <= 1'b0;
      credits_q <= CountW'(Depth);
      credit_o  <= 1'b1;
      spare_o   <= Depth > 1;
      head_q    <= '0;
      tail_q    <= '0;
    end else begin
      valid_q   <= valid_i;
      refund_q  <= refund_i;
      filled_q  <= filled_q + CountW'(valid_q) - CountW'(pop);
      credits_q <= credits_d;
      credit_o  <= spend_i ? spent != '0 : unspent != '0;
      spare_o   <= spend_i ? (spent >> 1) != '0 : (unspent >> 1) != '0;
      head_q    <= head_d;
      tail_q    <= tail;
    end
  end

endmodule
