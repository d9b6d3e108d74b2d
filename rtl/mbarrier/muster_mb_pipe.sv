// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The read-modify-write pipeline of one bank of shared memory. A stage holds one operation; with
// EnDrain, enter holds two.
//
//     cycle          1       2       3       4       5
//     muster_mb_fetch
//       enter        A       B       C
//       read                 A       B       C
//       data                         A       B       C
//     muster_mb_update
//       look                                 A       B
//       write                                        A
//     bank                   read    data            write
//
// The grant of the write is the commit. An operation that writes nothing commits in the same order.
// An update whose word is already in the pipeline takes it from there, so updates of one word may
// follow each other in every cycle.
//
// Between the grants of its read and its write a word is held: the bank passes no store of the
// cores to it. If a store waits for that, yield_i lets the pipeline run empty.
module muster_mb_pipe
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter muster_cfg_t Cfg
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

  output logic            busy_o,          // the stages hold something
  output logic [5:0]      warp_valid_o,    // the stages that hold a group of a warp
  output warp_t [5:0]     warp_o,

  input  logic            credit_i,        // there is a place for one more response
  output logic            may_split_o,     // it may be needed here
  output logic            credit_spend_o,  // the place is used

  output logic            commit_o,
  output mb_request_t     request_o,       // of what commits, and before that of what is to
  // It gives a response, if it is not refused and does not park.
  output logic            responds_o,
  output logic            refused_o,
  output mb_word_t        old_word_o,      // the word before,
  output mb_word_t        new_word_o,      // and afterwards
  output logic            written_o,
  output logic            completed_o,
  output logic            phase_passed_o,
  output logic            may_park_o       // it is a wait, and parks if it can
);

  mb_ready_t   data_ready;
  logic        moves, data_valid, data_holds, data_ahead, look_valid, look_holds, look_go;
  logic        write_valid, write_holds, write_go;
  logic [3:0]  stage_valid;
  mb_request_t data, look;
  mb_request_t [3:0] stage;
  mb_word_t    data_word, left;
  nlanes_t     data_lanes;
  total_t      data_total;

  muster_mb_fetch #(.Cfg(Cfg)) u_fetch (
    .clk_i, .rst_ni,
    .valid_i, .ready_o, .request_i,
    .read_valid_o, .read_ready_i, .read_place_o, .rdata_valid_i, .rdata_i, .yield_i,
    .valid_o (data_valid), .ready_i (data_ready), .look_moves_i (moves), .request_o (data),
    .from_ahead_o (data_ahead), .word_o (data_word), .lanes_o (data_lanes), .total_o (data_total),
    .look_holds_i (look_holds), .look_place_i (look.group.place), .look_go_i (look_go),
    .write_holds_i (write_holds), .write_place_i (write_place_o), .write_go_i (write_go),
    .new_word_i (left), .data_holds_o (data_holds), .stage_valid_o (stage_valid), .stage_o (stage)
  );

  muster_mb_update #(.Cfg(Cfg)) u_update (
    .clk_i, .rst_ni,
    .valid_i (data_valid), .ready_o (data_ready), .request_i (data), .from_ahead_i (data_ahead),
    .word_i (data_word), .lanes_i (data_lanes), .total_i (data_total),
    .look_moves_o (moves), .look_valid_o (look_valid), .look_holds_o (look_holds),
    .look_go_o (look_go), .look_o (look),
    .write_valid_o (write_valid), .write_holds_o (write_holds), .write_go_o (write_go),
    .new_word_o (left), .credit_i, .may_split_o, .credit_spend_o,
    .bank_valid_o (write_valid_o), .bank_ready_i (write_ready_i),
    .commit_o, .request_o, .responds_o, .refused_o, .old_word_o, .written_o, .completed_o,
    .phase_passed_o, .may_park_o
  );

  assign write_place_o = request_o.group.place;
  assign write_data_o  = left;
  assign new_word_o    = left;

  assign held_valid_o = {write_holds, look_holds, data_holds};
  assign held_place_o = {write_place_o, look.group.place, stage[3].group.place};

  assign busy_o       = {write_valid, look_valid, stage_valid} != '0;
  assign warp_valid_o = {write_valid && request_o.source == MbWarp,
                         look_valid && look.source == MbWarp,
                         stage_valid[3] && stage[3].source == MbWarp,
                         stage_valid[2] && stage[2].source == MbWarp,
                         stage_valid[1] && stage[1].source == MbWarp,
                         stage_valid[0] && stage[0].source == MbWarp};
  assign warp_o       = {request_o.group.warp, look.group.warp, stage[3].group.warp,
                         stage[2].group.warp,
                         stage[1].group.warp, stage[0].group.warp};

endmodule
