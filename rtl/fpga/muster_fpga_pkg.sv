// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The types of what crosses the serial line: frames, commands, and which byte holds which pins.
// rtl/fpga/README.md has them as tables; sim/board/frame.h and sim/board/pins.cpp are the host's
// side.
package muster_fpga_pkg;

  import muster_pkg::*;

  localparam logic [7:0]  StartByte   = 8'hA5;
  localparam int unsigned MaxPayload  = 128;  // bytes
  localparam logic [7:0]  LinkVersion = 8'd5;

  // The unit on the board: `small` of rtl/configs.json.
  localparam int unsigned NumWarps = 8;
  localparam int unsigned NumCtas  = 2;

  typedef logic [7:0] byte_t;

  // First byte of the payload. The reply's has bit 7 set.
  localparam byte_t CmdIdentify = 8'h01;
  localparam byte_t CmdReset    = 8'h02;
  localparam byte_t CmdCycle    = 8'h03;
  localparam byte_t CmdStore    = 8'h04;
  localparam byte_t ReplyError  = 8'hFF;

  // Why a frame was refused.
  typedef enum logic [2:0] {
    CauseNone     = 3'd0,
    CauseStart    = 3'd1,  // no start byte where a frame should begin
    CauseLine     = 3'd2,  // a byte without its stop bit
    CauseGap      = 3'd3,  // the line fell silent within a frame
    CauseCrc      = 3'd4,
    CauseLength   = 3'd5,  // none, too long, or not what the command takes
    CauseCommand  = 3'd6,  // unknown, or not of this board
    CauseSequence = 3'd7   // neither the last executed number nor the next
  } cause_e;

  // CRC-16/CCITT (polynomial 0x1021, from 0xFFFF, high bit first) over length, number and payload.
  localparam logic [15:0] CrcInit = 16'hFFFF;

  function automatic logic [15:0] crc_next(logic [15:0] crc, byte_t data);
    logic [15:0] next;
    next = crc ^ {data, 8'h00};
    for (int i = 0; i < 8; i++) next = {next[14:0], 1'b0} ^ (next[15] ? 16'h1021 : 16'h0000);
    return next;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Pins. The first field is in the last byte; each field is filled up to whole bytes.
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [4:0]                pad4;
    exit_t                     exit;
    logic [2:0]                pad3;
    lifecycle_t                lifecycle;
    logic       [NumWarps-1:0] warps;
    logic                      pad2;
    issue_t                    issue;
    logic                      pad1;
    warp_t                     debug_warp;
    cta_t                      debug_cta;
    bar_t                      debug_bar;
    logic       [NumWarps-1:0] mb_fence_ack;
    logic       [NumWarps-1:0] fence_ack;
    // mbarrier
    logic                      yield;
    logic                      write_ready;
    logic                      rdata_valid;
    logic                      read_ready;
    logic                      mb_response_ready;
    logic                      mb_remote_valid;
    logic                      mb_async_valid;
    logic                      mb_issue_valid;
    // named barriers
    logic [3:0]                pad0;
    logic                      exit_valid;
    logic                      response_ready;
    logic                      lifecycle_valid;
    logic                      issue_valid;
  } cta_pins_t;

  typedef struct packed {
    logic [6:0] pad1;
    mb_async_t  async;
    logic [1:0] pad0;
    mb_group_t  group;
  } mb_pins_t;

  // Only where the board has the port.
  typedef struct packed {
    logic [5:0] pad;
    mb_remote_t remote;
  } mb_remote_pins_t;

  // The part of every reply to a cycle: levels, and flags of the events that follow.
  typedef struct packed {
    logic                   pad1;
    debug_warp_t            debug_warp;
    bar_word_t              debug_word;
    logic    [NumWarps-1:0] released;
    logic    [NumWarps-1:0] fence_req;
    logic    [NumWarps-1:0] busy;
    logic             [4:0] pad0;
    logic             [2:0] fault_valid;
    logic                   entry_valid;
    logic                   response_valid;
    logic                   commit_exit;
    logic                   commit_lifecycle;
    logic                   commit_valid;
    logic                   exit_ready;
    logic                   lifecycle_ready;
    logic                   issue_ready;
  } cta_levels_t;

  typedef struct packed {
    logic [NumWarps-1:0] expire;
    logic [NumWarps-1:0] wake;
    logic [NumWarps-1:0] fence_req;
    logic [NumWarps-1:0] busy;
    logic          [4:0] pad0;
    logic                commit_valid;
    logic                fault_valid;
    logic                response_valid;
    logic                write_valid;
    logic                read_valid;
    logic   [MbHeld-1:0] held_valid;
    logic                remote_ready;
    logic                async_ready;
    logic                issue_ready;
  } mb_levels_t;

  // The fields of events. They follow if an event of that scope is flagged.
  typedef struct packed {
    logic      [6:0] pad4;
    cta_t            entry_cta;
    bar_t            entry_bar;
    bar_word_t       entry_word;
    logic      [3:0] pad3;
    fault_t          lifecycle_fault;  // or the exit port's: never both at once
    logic      [3:0] pad2;
    fault_t          issue_fault;
    logic            pad1;
    response_t       response;
    release_t        release_info;
    logic      [1:0] pad0;
    warp_t           commit_warp;
  } cta_events_t;

  // The place and the word of a commit are those of the write port; so is the last word held.
  typedef struct packed {
    logic         [2:0] pad4;
    mb_source_e         commit_source;
    logic               commit_written;
    logic               commit_completed;
    logic               commit_parked;
    lanes_t             commit_lanes;
    logic         [1:0] pad3;
    warp_t              commit_warp;
    logic         [5:0] pad2;
    mb_fault_t          fault;
    logic               pad1;
    mb_response_t       response;
    logic         [3:0] pad0;
    mb_place_t [MbHeld-2:0] held;
    mb_place_t          read_place;
    mb_place_t          write_place;
    mb_word_t           write_data;
  } mb_events_t;

endpackage
