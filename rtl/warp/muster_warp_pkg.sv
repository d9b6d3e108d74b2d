// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope: what crosses its pins, and what it keeps of a group of lanes that wait together.
package muster_warp_pkg;

  import muster_pkg::*;

  // The configuration of the warp scope: one value that is passed from module to module.
  typedef struct packed {
    int unsigned NumWarps;       // 4 to 64
    int unsigned WarpSize;       // lanes of a warp: 4, 8, 16 or 32; lanes beyond it are 0
    int unsigned LanesPerBeat;   // whose values come in a cycle: a power of two up to WarpSize
    bit          EnCollectives;  // vote, match, redux, shfl
    bit          EnFaults;       // misuse is refused and reported
  } warp_cfg_t;

  // The legal values that are next to those given, as of the unit.
  function automatic warp_cfg_t NearestWarp(warp_cfg_t cfg);
    warp_cfg_t legal;
    legal              = cfg;
    legal.NumWarps     = muster_cfg_pkg::Within(cfg.NumWarps, 4, MaxWarps);
    legal.WarpSize     = muster_cfg_pkg::PowerWithin(cfg.WarpSize, 4, 32);
    legal.LanesPerBeat = muster_cfg_pkg::PowerWithin(cfg.LanesPerBeat, 1, legal.WarpSize);
    return legal;
  endfunction

  typedef enum logic [4:0] {
    WarpSync      = 5'd0,   // bar.warp.sync
    WarpShuffle   = 5'd1,   // shfl.sync: waits only
    WarpElect     = 5'd2,
    WarpVoteAll   = 5'd3, WarpVoteAny = 5'd4, WarpVoteUni = 5'd5, WarpBallot = 5'd6,
    WarpMatchAny  = 5'd7, WarpMatchAll = 5'd8,
    WarpReduxAdd  = 5'd9, WarpReduxMin = 5'd10, WarpReduxMax = 5'd11,
    WarpReduxAnd  = 5'd12, WarpReduxOr = 5'd13, WarpReduxXor = 5'd14,
    WarpGather    = 5'd15,  // barrier, barrier.cluster: lanes come apart
    WarpExit      = 5'd16,  // lanes exit
    WarpRead      = 5'd17, WarpWrite = 5'd18  // an open group, for debuggers, save and restore
  } warp_op_e;

  localparam logic [1:0] ModeB64 = 2'd1;                     // match: b32 is 0
  localparam logic [1:0] ModeS32 = 2'd1, ModeF32 = 2'd2;     // redux: u32 is 0

  // What lanes must have in common to wait together, besides the key.
  typedef struct packed {
    logic [3:0] op;    // a collective or the gather
    logic [1:0] mode;  // type of the values; direction of a shuffle
    logic       abs;   // .abs of redux
    logic       nan;   // .NaN
  } warp_code_t;

  typedef struct packed {
    warp_op_e    op;
    logic [1:0]  mode;
    logic        abs;
    logic        nan;
    warp_t       warp;
    cta_t        cta;    // of the warp
    lanes_t      lanes;  // that execute it now, one at least; an exit: that are left
    // Lanes of the warp that have not exited; an exit: that are left; WarpWrite: the code.
    lanes_t      live;
    // Collectives: the member mask; gather: the barrier; WarpRead: the slot, and a lane.
    logic [31:0] key;
    lanes_t      preds;  // a predicate per lane; of those that do not execute it, 0
  } warp_request_t;

  // A group of lanes that wait together.
  typedef struct packed {
    logic        open;   // there is one
    warp_code_t  code;
    cta_t        cta;
    logic [31:0] key;
    lanes_t      lanes;  // that have come
    lanes_t      preds;
  } warp_group_t;

  typedef struct packed {
    warp_op_e    op;
    warp_t       warp;
    lanes_t      lanes;  // that it is for
    logic [31:0] data;
    logic        pred;
  } warp_answer_t;

  // A warp arrives at a barrier.
  typedef struct packed {
    warp_t       warp;
    cta_t        cta;
    lanes_t      lanes;
    logic [31:0] key;
    lanes_t      preds;
  } warp_arrival_t;

  typedef struct packed {
    fault_e cause;
    warp_t  warp;
    lanes_t lanes;
  } warp_fault_t;

  // What muster_warp_walk knows of a request. If it is no read, write, exit or arrival, lanes come.
  typedef struct packed {
    logic more;        // more beats follow
    logic read;        // WarpRead
    logic write;       // WarpWrite
    logic exit;        // WarpExit
    logic arrival;     // the warp's gather is complete, and arrives
    logic gather;      // lanes come to a barrier
    logic collective;  // lanes come to a collective
    logic refused;     // at once
    logic valued;      // lanes have values
  } walk_request_t;

  // What muster_warp_walk knows of a slot that is read.
  typedef struct packed {
    logic open;    // it holds a group
    logic own;     // the group is that of the request
    logic awaits;  // the group waits for a lane of the request; after an exit: for a live lane
    logic gather;  // the group is a gather
    logic valued;  // the group has values
  } walk_group_t;

  // What becomes of the slot of the group in hand.
  typedef struct packed {
    logic valid;    // the group is written
    logic close;    // it is written as a free slot
    logic longer;   // its slot is now the last in use
    logic shorter;  // its slot is no longer in use
  } walk_write_t;

  function automatic warp_code_t code_of(warp_request_t request);
    if (request.op == WarpWrite) return warp_code_t'(request.live[$bits(warp_code_t)-1:0]);
    return '{op: request.op[3:0], mode: request.mode, abs: request.abs, nan: request.nan};
  endfunction

  // The same without vote, match, redux and shfl: WarpSync, WarpElect and WarpGather differ in two
  // bits.
  function automatic warp_code_t code_without(warp_code_t code);
    return '{op: {code.op[0], code.op[0], code.op[1], code.op[0]}, mode: '0, abs: 1'b0, nan: 1'b0};
  endfunction

  // Waits for the lanes of a member mask.
  function automatic logic is_collective(warp_op_e op);
    return !op[4] && op != WarpGather;
  endfunction

  // Has a value per lane, and an answer that is computed from these.
  function automatic logic has_values(logic [3:0] op);
    return op >= 4'(WarpMatchAny) && op <= 4'(WarpReduxXor);
  endfunction

  function automatic logic is_match(logic [3:0] op);
    return op inside {4'(WarpMatchAny), 4'(WarpMatchAll)};
  endfunction

endpackage
