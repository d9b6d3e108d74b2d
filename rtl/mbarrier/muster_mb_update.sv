// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The rear of the mbarrier pipeline: look adds up a step and judges it, and write commits it. So
// the loop from an update of a word to the next update of that word is one addition, from sums that
// are in registers, and whether the step is refused is known early in the cycle in which it may
// stop those after it.
//
//     cycle   1        2        3        4
//     data    A        B        C
//     look             A        B        C
//     write                     A        B
//     bank                      A        B
//
// A step is that of a whole group, or that of a lane (muster_mb_lanes).
module muster_mb_update
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter muster_cfg_t Cfg
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,
  output mb_ready_t   ready_o,
  input  mb_request_t request_i,
  input  logic        from_ahead_i,   // the operation finds what the one ahead leaves,
  input  mb_word_t    word_i,         // or else this word
  input  nlanes_t     lanes_i,
  input  total_t      total_i,

  output logic        look_moves_o,   // look may move on to write in this cycle: see mb_ready_t
  output logic        look_valid_o,   // look has an operation,
  output logic        look_holds_o,   // and holds its word
  output logic        look_go_o,      // the operation moves on to write
  output mb_request_t look_o,
  output logic        write_valid_o,  // write has an operation,
  output logic        write_holds_o,  // and holds its word
  output logic        write_go_o,     // the operation is done after this cycle,
  output mb_word_t    new_word_o,     // and then leaves this word

  input  logic        credit_i,       // there is a place for one more response
  output logic        may_split_o,    // it may be needed here
  output logic        credit_spend_o,  // the place is used

  output logic        bank_valid_o,   // new_word_o is to be written
  input  logic        bank_ready_i,

  output logic        commit_o,
  output mb_request_t request_o,      // its lanes; the cause if it is refused
  output logic        responds_o,     // it gives a response, if it is not refused and does not park
  output logic        refused_o,
  output mb_word_t    old_word_o,     // the word before
  output logic        written_o,      // it becomes new_word_o
  output logic        completed_o,
  output logic        phase_passed_o,
  output logic        may_park_o      // it is a wait, and parks if it can
);

`include "muster_assert.svh"

  // Look.
  logic        look_valid_q, look_go, take, free;
  mb_request_t look_q;
  mb_word_t    word_q;  // that has come with the operation
  mb_step_t    step_q;
  logic        ahead_q;  // the step finds what the one in write leaves, or has left
  mb_word_t    base;
  mb_sums_t    sums;

  // Write.
  logic        write_valid_q, write_go, load;
  mb_request_t write_q;
  mb_word_t    found_q;
  logic        waits_q;
  mb_sums_t    sums_q;
  logic        answers_q;   // it gives a response, if it is not refused
  logic        may_park_q;
  logic        write, refused, split, partial, commit;
  // The operation in write is not done, if it is refused or not.
  logic        stays_refused, stays_accepted;
  fault_e      cause;

  // A group that is split: see muster_mb_lanes.
  logic        whole, several, own, first;

  // ---------------------------------------------------------------------------------------------
  // Look
  // ---------------------------------------------------------------------------------------------

  // The step in look relies on the step in write being accepted. If the latter is refused, the
  // former waits for a cycle, in which the word that the refused step has found replaces the sums.
  // A split begins in the same way.
  logic moves, rewind, borrow;

  assign rewind  = (own && ahead_q && refused && !stays_refused) || borrow;
  assign moves   = refused ? !ahead_q && !stays_refused : !write_valid_q || !stays_accepted;
  assign look_go = look_valid_q && own && moves;
  assign ready_o = '{moves: own, stays: own && !look_valid_q};
  assign free    = own && (moves || !look_valid_q);
  assign take    = valid_i && free;

  always_comb begin
    base = sums_q.completes ? next_phase(sums_q.word, Cfg.EnReport) : sums_q.word;
    if (!ahead_q) base = word_q;
  end

  muster_mb_look #(.Cfg(Cfg)) u_look (
    .word_i (base), .step_i (step_q), .phase_i (look_q.group.phase), .asks_i (look_q.group.asks),
    .refused_i (look_q.cause != FaultNone && own), .sums_o (sums)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_valid_q <= 1'b0;
    end else begin
      look_valid_q <= take || (look_valid_q && !look_go);
    end
  end

  // If look is free it takes what is there; only whether it is valid needs to know whether that
  // moves on.
  always_ff @(posedge clk_i) begin
    if (free) begin
      look_q <= request_i;
      word_q <= word_i;
    end
  end

  if (Cfg.EnLanes) begin : g_lanes
    nlanes_t lanes_q;
    total_t  total_q;
    logic    own_ahead_q;  // of the operation in look, also while a lane's step is in its place
    logic    give_back;
    lanes_t  rest;
    mb_op_e  op;       // the next step
    nlanes_t count;
    total_t  total;

    assign rest = write_q.group.lanes & (write_q.group.lanes - 1);

    always_comb begin
      op    = request_i.group.op;
      count = lanes_i;
      total = total_i;
      if (borrow) begin
        op    = write_q.group.op;
        count = 6'd1;
        // One that does not fit has been refused already.
        total = TotalW'(write_q.group.operand[19:0]);
      end else if (!own) begin
        op    = look_q.group.op;
        count = lanes_q;
        total = total_q;
      end
    end

    always_ff @(posedge clk_i) begin
      if (free) begin
        lanes_q     <= lanes_i;
        total_q     <= total_i;
        own_ahead_q <= from_ahead_i;
      end
      if (free || borrow || give_back) step_q <= step_of(op, count, total);
      if (free) begin
        ahead_q <= from_ahead_i;
      end else if (borrow) begin
        ahead_q <= 1'b1;
      end else if (give_back) begin
        ahead_q <= own_ahead_q;
      end
    end

    always_ff @(posedge clk_i) begin
      if (look_go) write_q <= look_q;
      else if (commit) write_q.group.lanes <= rest;
    end

    always_comb begin
      request_o       = write_q;
      request_o.cause = cause;
      if (partial) request_o.group.lanes = write_q.group.lanes & ~rest;
    end

    muster_mb_lanes u_lanes (
      .clk_i, .rst_ni,
      .split_i (write_valid_q && split), .commit_i (commit), .refused_i (refused),
      .look_go_i (look_go), .lanes_i (lanes_q),
      .whole_o (whole), .several_o (several), .own_o (own), .borrow_o (borrow),
      .return_o (give_back), .first_o (first)
    );
  end else begin : g_lane
    assign {whole, own} = '1;
    assign {several, first, borrow} = '0;

    always_ff @(posedge clk_i) begin
      if (free) begin
        step_q <= step_of(request_i.group.op, lanes_i, total_i);
        ahead_q <= from_ahead_i;
      end
      if (look_go) write_q <= look_q;
    end

    always_comb begin
      request_o       = write_q;
      request_o.cause = cause;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Write
  // ---------------------------------------------------------------------------------------------

  muster_mb_verdict #(.EnReport(Cfg.EnReport)) u_verdict (
    .old_word_i (found_q), .sums_i (sums_q), .waits_i (waits_q), .cause_i (write_q.cause),
    .word_o (new_word_o), .write_o (write), .completed_o, .cause_o (cause),
    .split_o (split)
  );

  logic has_place, next_lane;

  assign refused   = is_refused(sums_q);
  assign partial   = several && !refused;
  // A step commits unless its lanes are tried one by one: if it writes, when the bank grants that
  // and there is a place for its response besides that of the last lane. Whether it is refused
  // decides last, since it is known last.
  assign stays_refused  = write_valid_q && splits_refused(sums_q);
  assign stays_accepted = splits_accepted(sums_q) || several || !(waits_q || bank_ready_i);
  assign write_go       = write_valid_q && !(refused ? splits_refused(sums_q) : stays_accepted);
  assign has_place      = !(several && answers_q) || credit_i;
  // In write there is one that writes.
  assign next_lane      = several && bank_ready_i && has_place && !refused;
  assign commit         = write_go || next_lane;
  assign bank_valid_o   = write_valid_q && !splits_accepted(sums_q) && has_place && !waits_q &&
                          !refused;
  assign load           = look_go || first || next_lane;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_valid_q <= 1'b0;
    end else begin
      write_valid_q <= look_go || (write_valid_q && !write_go);
    end
  end

  always_ff @(posedge clk_i) begin
    if (look_go) begin
      answers_q  <= responds(look_q.source, look_q.group);
      may_park_q <= may_park(look_q.source, look_q.group) && look_q.cause == FaultNone;
    end
    if (load) begin
      found_q   <= base;
      sums_q    <= sums;
      waits_q   <= step_q.kind.waits;
    end else if (rewind) begin
      sums_q          <= '0;
      sums_q.word     <= found_q;
      sums_q.any_lane <= borrow;  // the group stays until its first lane takes its place
    end
  end

  assign look_moves_o  = moves;
  assign look_valid_o  = look_valid_q;
  assign look_holds_o  = look_valid_q && look_q.cause == FaultNone;
  assign look_go_o     = look_go;
  assign look_o        = look_q;
  assign write_valid_o = write_valid_q;
  assign write_holds_o = write_valid_q && write_q.cause == FaultNone;
  assign write_go_o    = write_go;

  assign may_split_o    = !whole;
  assign credit_spend_o = commit && partial && answers_q;

  assign commit_o       = commit;
  assign responds_o     = answers_q;
  assign refused_o      = refused;
  assign old_word_o     = found_q;
  assign written_o      = write;
  assign phase_passed_o = sums_q.passed;
  // A wait does not wait to commit.
  assign may_park_o   = write_valid_q && may_park_q && !sums_q.passed;

  `MUSTER_ASSERT(SplitFirst, !(commit && split), "a group commits that must be split")

endmodule
