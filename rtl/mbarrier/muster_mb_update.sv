// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The update stage: an operation and its word, updated in one cycle for all its lanes together.
// Where that is no single update, it goes lane by lane until one turns the phase, and then tries
// the rest together again. Nothing comes between the lanes of a group.
module muster_mb_update
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter bit EnDrop   = 1'b1,
  parameter bit EnLanes  = 1'b1,  // off: a group is one lane
  parameter bit EnFaults = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,    // taken when the stage is free
  output logic        free_o,
  input  mb_request_t request_i,
  input  mb_word_t    word_i,
  input  nlanes_t     lanes_i,
  input  total_t      total_i,

  output logic        valid_o,    // an update
  input  logic        ready_i,
  output logic        last_o,     // ... behind which nothing of the operation is left
  output mb_request_t request_o,  // its lanes; the cause if it is refused
  output mb_word_t    found_o,    // the word before,
  output mb_word_t    word_o,     // and afterwards
  output logic        write_o,
  output logic        turned_o,
  output logic        passed_o,

  output logic        full_o,     // an operation is here,
  output logic        holds_o,    // and its word
  output logic        splits_o    // it goes lane by lane
);

  logic        valid_q, several_q;
  mb_request_t request_q;
  mb_word_t    word_q;
  mb_class_t   class_q;
  mb_amount_t  amount_q;
  fault_e      cause;
  logic        split, take;

  assign free_o = !valid_q || (valid_o && ready_i && last_o);
  assign take   = valid_i && free_o;

  muster_mb_word #(.EnDrop(EnDrop), .EnRefuse(EnFaults || EnLanes)) u_word (
    .word_i (word_q), .class_i (class_q), .amount_i (amount_q),
    .several_i (several_q), .phase_i (request_q.group.phase), .cause_i (request_q.cause),
    .word_o, .write_o, .turned_o, .passed_o, .cause_o (cause), .split_o (split)
  );

  assign valid_o = valid_q && !split;
  assign found_o = word_q;
  assign full_o  = valid_q;
  assign holds_o = valid_q && request_q.cause == FaultNone;

  if (EnLanes) begin : g_lanes
    logic      single_q, partly;
    nlanes_t   lanes_q, fewer;
    total_t    total_q, less;
    lanes_t    rest;
    mb_count_t operand;

    // An operand that does not fit has been refused already.
    assign operand = request_q.group.operand[19:0];
    assign rest    = request_q.group.lanes & (request_q.group.lanes - 1);
    assign fewer   = lanes_q - 6'd1;
    assign less    = total_q - TotalW'(operand);
    assign partly  = single_q && write_o && rest != '0;
    assign last_o  = !partly;

    assign splits_o = valid_q && single_q;

    always_comb begin
      request_o = request_q;
      request_o.cause = cause;
      if (partly) request_o.group.lanes = request_q.group.lanes & ~rest;
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        request_q <= request_i;
        single_q  <= 1'b0;
        several_q <= lanes_i > 6'd1;
        lanes_q   <= lanes_i;
        total_q   <= total_i;
        amount_q  <= amount_of(request_i.group.op, lanes_i, total_i);
      end else if (split) begin
        single_q  <= 1'b1;
        several_q <= 1'b0;
        amount_q  <= amount_of(request_q.group.op, 6'd1, TotalW'(operand));
      end else if (valid_o && ready_i) begin
        request_q.group.lanes <= rest;
        lanes_q               <= fewer;
        total_q               <= less;
        if (turned_o) begin
          single_q  <= fewer == 6'd1;
          several_q <= fewer > 6'd1;
          amount_q  <= amount_of(request_q.group.op, fewer, less);
        end
      end
    end
  end else begin : g_lane
    assign last_o    = 1'b1;
    assign splits_o = 1'b0;
    assign several_q = 1'b0;

    always_comb begin
      request_o = request_q;
      request_o.cause = cause;
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        request_q <= request_i;
        amount_q  <= amount_of(request_i.group.op, lanes_i, total_i);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (free_o) begin
      valid_q <= valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      word_q  <= word_i;
      class_q <= class_of(request_i.group.op);
    end else if (EnLanes && valid_o && ready_i) begin
      word_q  <= word_o;
    end
  end

endmodule
