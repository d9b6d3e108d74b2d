// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The update stage holds an operation and its word, and updates the word in one cycle for all lanes
// together. If that is not possible as a single update, it goes lane by lane until one completes the
// phase, and then tries the remaining lanes together again. No other operation comes between the lanes
// of a group.
//
// It is known late in a cycle that a group is split. So the next operation is accepted regardless,
// and waits in a register in front of the stage if that is not free.
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

  input  logic        valid_i,    // accepted if ready
  output logic        ready_o,
  input  mb_request_t request_i,
  input  mb_word_t    word_i,
  input  logic        ahead_i,    // its word is that of the operation ahead, when that leaves
  input  nlanes_t     lanes_i,
  input  total_t      total_i,

  output logic        waits_o,    // an operation waits in front of the stage,
  output logic        waits_holds_o,  // and its word is held
  output mb_request_t waiting_o,

  output logic        valid_o,    // an update
  input  logic        ready_i,
  input  logic        credit_i,   // there is a place for one more response
  output logic        last_o,     // ... after which no lane of the operation is left
  output logic        spend_o,    // a place is needed for a response of what is left
  output mb_request_t request_o,  // its lanes; the cause if it is refused
  output mb_word_t    found_o,    // the word before,
  output mb_word_t    word_o,     // and afterwards
  output logic        write_o,
  output logic        completed_o,
  output logic        passed_o,

  output logic        free_o,     // the stage takes the next one in this cycle, if there is one
  output logic        full_o,     // an operation is here,
  output logic        holds_o,    // and its word
  output logic        splits_o    // it goes lane by lane
);

  typedef struct packed {
    mb_request_t request;
    mb_word_t    word;
    logic        ahead;
    nlanes_t     lanes;
    total_t      total;
  } next_t;

  next_t       offered, next;
  logic        next_valid;
  logic        valid_q, several_q;
  mb_request_t request_q;
  mb_word_t    word_q;
  mb_class_t   class_q;
  mb_amount_t  amount_q;
  fault_e      cause;
  logic        split, several_left, answers, take;
  mb_verdict_t verdict;

  assign offered   = '{request: request_i, word: word_i, ahead: ahead_i, lanes: lanes_i, total: total_i};
  assign waiting_o = next.request;
  assign waits_holds_o = waits_o && next.request.cause == FaultNone;

  assign take   = next_valid && free_o;

  muster_mb_word #(.EnDrop(EnDrop), .EnRefuse(EnFaults || EnLanes)) u_word (
    .word_i (word_q), .class_i (class_q), .amount_i (amount_q),
    .several_i (several_q), .phase_i (request_q.group.phase), .cause_i (request_q.cause),
    .word_o, .write_o, .completed_o, .passed_o, .cause_o (cause), .split_o (split),
    .verdict_o (verdict)
  );

  // The stage keeps an operation that is split, or of which lanes are left; a refused one has none.
  assign free_o = !valid_q ||
                  (ready_i && !(verdict.bad ? verdict.may_split :
                                verdict.must_split || (several_left && !verdict.hopeless)));

  assign answers = responds(request_q.source, request_q.group);
  assign valid_o = valid_q && !split && (last_o || !answers || credit_i);
  assign spend_o = valid_o && ready_i && !last_o && answers;
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
    assign several_left = single_q && rest != '0;
    assign partly  = several_left && write_o;
    assign last_o  = !partly;
    assign splits_o = valid_q && single_q;

    muster_skid #(.data_t(next_t)) u_next (
      .clk_i, .rst_ni,
      .valid_i, .ready_o, .data_i (offered),
      .valid_o (next_valid), .ready_i (free_o), .data_o (next), .full_o (waits_o)
    );

    always_comb begin
      request_o = request_q;
      request_o.cause = cause;
      if (partly) request_o.group.lanes = request_q.group.lanes & ~rest;
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        request_q <= next.request;
        single_q  <= 1'b0;
        several_q <= next.lanes > 6'd1;
        lanes_q   <= next.lanes;
        total_q   <= next.total;
        amount_q  <= amount_of(next.request.group.op, next.lanes, next.total);
      end else if (split) begin
        single_q  <= 1'b1;
        several_q <= 1'b0;
        amount_q  <= amount_of(request_q.group.op, 6'd1, TotalW'(operand));
      end else if (valid_o && ready_i) begin
        request_q.group.lanes <= rest;
        lanes_q               <= fewer;
        total_q               <= less;
        if (completed_o) begin
          single_q  <= fewer == 6'd1;
          several_q <= fewer > 6'd1;
          amount_q  <= amount_of(request_q.group.op, fewer, less);
        end
      end
    end
  end else begin : g_lane
    assign several_left = 1'b0;
    assign last_o     = 1'b1;
    assign splits_o   = 1'b0;
    assign several_q  = 1'b0;
    assign next       = offered;
    assign next_valid = valid_i;
    assign ready_o    = free_o;
    assign waits_o    = 1'b0;

    always_comb begin
      request_o = request_q;
      request_o.cause = cause;
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        request_q <= next.request;
        amount_q  <= amount_of(next.request.group.op, next.lanes, next.total);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (free_o) begin
      valid_q <= next_valid;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      word_q  <= next.ahead ? word_o : next.word;
      class_q <= class_of(next.request.group.op);
    end else if (EnLanes && valid_o && ready_i) begin
      word_q  <= word_o;
    end
  end

endmodule
