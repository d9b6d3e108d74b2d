// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The read-modify-write pipeline of one bank of shared memory.
//
//     accept ─► read ─► data ─► update ─► write
//
// Each stage holds one operation. Faults that do not depend on the word are found on the way in. Read
// requests the word from the bank, unless the operation replaces the word, is refused already, or
// the same word is ahead. In the last case the value is forwarded from there, so updates of one word
// may follow each other in every cycle. Data waits for the word, and computes the amount. Write
// requests the bank to write; its grant is the commit. An operation that writes nothing commits
// there in the same order. While the update stage holds a group that is split, the next operation
// waits in front of it.
//
// Between the grants of its read and its write a word is held: the bank passes no store of the cores
// to it. If a store waits for that, yield_i lets the pipeline run empty.
module muster_mb_pipe
  import muster_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter int unsigned NumCtas   = 8,
  parameter int unsigned SmemBytes = 262144,  // of a CTA
  parameter bit          EnDrop    = 1'b1,
  parameter bit          EnLanes   = 1'b1,
  parameter bit          EnFaults  = 1'b1
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            valid_i,
  output logic            ready_o,
  input  mb_request_t     request_i,       // with a cause, if it is refused already

  output logic            read_valid_o,
  input  logic            read_ready_i,
  output mb_place_t       read_place_o,
  input  logic            rdata_valid_i,   // of the read, in a later cycle
  input  mb_word_t        rdata_i,         // stays until the next read is granted

  output logic            write_valid_o,
  input  logic            write_ready_i,   // must not depend on read_valid_o
  output mb_place_t       write_place_o,
  output mb_word_t        write_data_o,

  output logic [MbHeld-1:0]      held_valid_o,
  output mb_place_t [MbHeld-1:0] held_place_o,
  input  logic            yield_i,

  output logic [4:0]      warp_valid_o,    // the stages hold a group of a warp
  output warp_t [4:0]     warp_o,

  input  logic            credit_i,        // there is a place for one more response
  output logic            splits_o,        // it may be needed here
  output logic            spend_o,         // ... and is

  output logic            commit_o,
  output mb_request_t     request_o,       // of what commits
  output mb_word_t        found_o,         // the word before,
  output mb_word_t        word_o,          // and afterwards
  output logic            written_o,
  output logic            completed_o,
  output logic            passed_o
);

`include "muster_assert.svh"

  localparam int unsigned AddrW = $clog2(SmemBytes);
  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1;

  function automatic logic same(mb_place_t a, mb_place_t b);
    return (NumCtas == 1 || a.cta[CtaW-1:0] == b.cta[CtaW-1:0]) && a.addr[AddrW-1:3] == b.addr[AddrW-1:3];
  endfunction

  logic        read_valid_q, data_valid_q, write_valid_q;  // the stages hold an operation
  mb_request_t read_q, data_q, waiting, update, write_q;
  logic        data_free, update_ready, update_free, write_free;
  logic        data_go, update_pop, write_go;
  logic        waits, waits_holds, update_valid, update_last, update_full, update_holds;
  mb_word_t    update_found, update_word;
  logic        update_write, update_completed, update_passed;
  mb_word_t    word_q;  // in the write stage

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------

  fault_e    cause;
  mb_class_t request_class;
  logic      read_go, blind, read_blind_q;  // blind: needs no word
  logic      behind_data, behind_waiting, behind_update, behind_write;

  assign cause         = !EnFaults || request_i.cause != FaultNone ? request_i.cause :
                         judge(request_i.source, request_i.group, 33'(SmemBytes));
  assign request_class = class_of(request_i.group.op);
  assign blind         = cause != FaultNone || request_class.inits || request_class.invalidates;

  // The nearest operation ahead that holds the same word.
  assign behind_data    = !read_blind_q && data_valid_q && data_q.cause == FaultNone &&
                          same(read_q.group.place, data_q.group.place);
  assign behind_waiting = !read_blind_q && !behind_data && waits_holds &&
                          same(read_q.group.place, waiting.group.place);
  assign behind_update  = !read_blind_q && !behind_data && !behind_waiting && update_holds &&
                          same(read_q.group.place, update.group.place);
  assign behind_write   = !read_blind_q && !behind_data && !behind_waiting && !behind_update &&
                          write_valid_q && write_q.cause == FaultNone &&
                          same(read_q.group.place, write_q.group.place);

  assign read_valid_o = read_valid_q && data_free && !yield_i &&
                        !(read_blind_q || behind_data || behind_waiting || behind_update || behind_write);
  assign read_place_o = read_q.group.place;
  assign read_go      = read_valid_q && data_free && !yield_i && (!read_valid_o || read_ready_i);
  assign ready_o      = !read_valid_q || read_go;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_valid_q <= 1'b0;
    end else if (ready_o) begin
      read_valid_q <= valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      read_q       <= request_i;
      read_q.cause <= cause;
      read_blind_q <= blind;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Data
  // ---------------------------------------------------------------------------------------------

  // The word is in the update stage (ahead) or still in front of it (far), was there when it left
  // (got), or has been read.
  logic     blind_q, ahead_q, far_q, got_q, arrived_q;
  mb_word_t got_word_q, data_word;
  logic     amount_done;
  nlanes_t  amount_lanes;
  total_t   amount_total;

  assign data_free = !data_valid_q || data_go;
  assign data_go   = data_valid_q && update_ready && amount_done &&
                     (blind_q || ahead_q || got_q || arrived_q || rdata_valid_i);
  assign data_word = got_q ? got_word_q : rdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_valid_q <= 1'b0;
    end else if (data_free) begin
      data_valid_q <= read_go;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_go) begin
      data_q       <= read_q;
      blind_q      <= read_blind_q;
      ahead_q      <= behind_data || behind_waiting || (behind_update && !update_pop);
      far_q        <= (behind_data || behind_waiting) && !update_free;
      got_q        <= (behind_update && update_pop) || behind_write;
      arrived_q    <= 1'b0;
    end else begin
      ahead_q      <= ahead_q && !(update_pop && !far_q);
      far_q        <= far_q && !update_pop;
      got_q        <= got_q || (ahead_q && update_pop && !far_q);
      arrived_q    <= arrived_q || rdata_valid_i;
    end
    if (read_go || ahead_q) got_word_q <= (read_go && behind_write) ? word_q : update_word;
  end

  if (EnLanes) begin : g_lanes
    nlanes_t   count;
    mb_class_t read_class;

    assign read_class = class_of(read_q.group.op);

    always_comb begin
      count = '0;
      for (int l = 0; l < WarpSize; l++) count += 6'(read_q.group.lanes[l]);
      // Several lanes of these operations have the effect of one.
      if (read_blind_q || read_class.waits) count = 6'd1;
    end

    muster_mb_amount u_amount (
      .clk_i, .rst_ni,
      .load_i (read_go), .lanes_i (count),
      .operand_i (read_class.adds ? 20'd1 : read_q.group.operand[19:0]),
      .operand_q_i (data_q.group.operand[19:0]),
      .done_o (amount_done), .lanes_o (amount_lanes), .total_o (amount_total)
    );
  end else begin : g_lane
    assign amount_done  = 1'b1;
    assign amount_lanes = 6'd1;
    assign amount_total = TotalW'(data_q.group.operand[19:0]);
  end

  // ---------------------------------------------------------------------------------------------
  // Update
  // ---------------------------------------------------------------------------------------------

  muster_mb_update #(.EnDrop(EnDrop), .EnLanes(EnLanes), .EnFaults(EnFaults)) u_update (
    .clk_i, .rst_ni,
    .valid_i (data_go), .ready_o (update_ready), .request_i (data_q), .word_i (data_word),
    .ahead_i (ahead_q), .lanes_i (amount_lanes), .total_i (amount_total),
    .waits_o (waits), .waits_holds_o (waits_holds), .waiting_o (waiting),
    .valid_o (update_valid), .ready_i (write_free), .credit_i, .spend_o, .last_o (update_last), .request_o (update),
    .found_o (update_found), .word_o (update_word), .write_o (update_write),
    .completed_o (update_completed), .passed_o (update_passed), .free_o (update_free),
    .full_o (update_full), .holds_o (update_holds), .splits_o
  );

  assign update_pop = update_valid && write_free && update_last;

  // ---------------------------------------------------------------------------------------------
  // Write
  // ---------------------------------------------------------------------------------------------

  mb_word_t found_q;
  logic     write_en_q, completed_q, passed_q;

  assign write_go   = write_valid_q && (!write_en_q || write_ready_i);
  assign write_free = !write_valid_q || write_go;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_valid_q <= 1'b0;
    end else if (write_free) begin
      write_valid_q <= update_valid;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_free) begin
      write_q    <= update;
      found_q    <= update_found;
      word_q     <= update_word;
      write_en_q <= update_write;
      completed_q <= update_completed;
      passed_q   <= update_passed;
    end
  end

  assign write_valid_o = write_valid_q && write_en_q;
  assign write_place_o = write_q.group.place;
  assign write_data_o  = word_q;

  assign commit_o  = write_go;
  assign request_o = write_q;
  assign found_o   = found_q;
  assign word_o    = word_q;
  assign written_o = write_en_q;
  assign completed_o = completed_q;
  assign passed_o  = passed_q;

  assign held_valid_o = {write_valid_q, update_holds, waits_holds,
                         data_valid_q && data_q.cause == FaultNone};
  assign held_place_o = {write_q.group.place, update.group.place, waiting.group.place,
                         data_q.group.place};

  assign warp_valid_o = {write_valid_q && write_q.source == MbWarp, update_full && update.source == MbWarp,
                         waits && waiting.source == MbWarp, data_valid_q && data_q.source == MbWarp,
                         read_valid_q && read_q.source == MbWarp};
  assign warp_o       = {write_q.group.warp, update.group.warp, waiting.group.warp,
                         data_q.group.warp, read_q.group.warp};

  `MUSTER_ASSERT(SomeLane, !(valid_i && EnLanes) || request_i.group.lanes != '0, "a group without lanes")
  `MUSTER_ASSERT(DataOfARead, !rdata_valid_i || (data_valid_q && !(blind_q || ahead_q || got_q || arrived_q)),
                 "data of a read that was not asked for")
  `MUSTER_ASSERT(NearestIsAhead, !(data_go && ahead_q && far_q),
                 "an operation passes the one whose word it waits for")

endmodule
