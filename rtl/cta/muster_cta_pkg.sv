// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What passes from stage to stage inside the CTA scope: a group of operations that are one update.
package muster_cta_pkg;

  import muster_pkg::*;

  // The operands of an operation, which wait in a memory until the count stage.
  typedef struct packed {
    lanes_t      lanes;
    // R2B: the state word; OpWait: the phase; RED: in the low half, a count of the true (AND:
    // false).
    logic [31:0] word;
  } operands_t;         // participating lanes of each eight

  // What a group does to its entry. Arrivals of several ports may share a group; every other
  // operation is a group of its own. The codes keep the functions below short.
  typedef enum logic [3:0] {
    GroupArrive     = 4'b0000,  // SYNC, ARV (with and without its phase), RED
    GroupReadBar    = 4'b0001,  // B2R.BAR
    GroupReadWarp   = 4'b0010,  // B2R.WARP
    GroupReadResult = 4'b0011,  // B2R.RESULT
    GroupWriteBar   = 4'b0100,  // R2B.BAR
    GroupWriteWarp  = 4'b0101,  // R2B.WARP
    GroupWait       = 4'b0110,  // OpWait
    GroupExit       = 4'b1000,  // lanes of a warp
    // A step of a walk: one entry of a slot is cleared, one warp enters it or is removed; never
    // committed.
    GroupClear      = 4'b1001,
    GroupOpen       = 4'b1100,
    GroupLaunch     = 4'b1101,
    GroupLeave      = 4'b1110,  // suspend and end
    GroupJoin       = 4'b1111
  } group_e;

  typedef struct packed {
    group_e  op;
    cta_t    cta;
    bar_t    bar;
    wcount_t expected;  // warps, 0: all live warps; arrivals only
    logic    ragged;    // the count is no multiple of the warp size; arrivals only
    kind_e   kind;      // arrivals and OpWait
    logic    answers;   // with the phase; arrivals only: one of them alone
  } group_t;

  // An operation of an issue port on its way through drain and select, without its operands: a
  // group, but for the others that it may share that with, and a member of it.
  typedef struct packed {
    group_e  op;    // in the high bits: parked operations, which are arrivals, lack it
    kind_e   kind;
    logic    answers;
    logic    waits;
    cta_t    cta;
    bar_t    bar;
    wcount_t expected;
    logic    ragged;
    logic    idle;
    warp_t   warp;  // in the low bits: parked operations lack those of its place
  } request_t;

  // One port's operation in a group.
  typedef struct packed {
    logic  valid;
    logic  waits;  // SYNC and RED
    logic  idle;   // no lane takes part
    warp_t warp;
  } member_t;

  // A member after the checks: the result of everything that can be checked without the entry.
  typedef struct packed {
    logic  valid;
    logic  counts;    // takes effect unless it is barred or the entry disagrees
    logic  waits;
    logic  idle;
    warp_t warp;
    // What it would be refused for, if its operation cares; a fault is made of it later.
    logic  resident;  // its CTA is
    logic  live;      // its warp is, in that CTA
    logic  waiting;   // its warp waits already
    logic  owes;      // a restore of its CTA still owes waiting warps
    logic  barred;    // for these, or for a launch, join, state word or count that cannot be
  } checked_t;

  // A step of the walk after reset (muster_roster), in which no group is under way.
  typedef struct packed {
    logic  active;       // the walk is under way; it removes a warp
    logic  entry_clear;  // it clears an entry of the barrier table
    cta_t  cta;          // that entry
    bar_t  bar;
    warp_t warp;         // the warp whose copy is removed
  } reset_step_t;

  // What the update of an entry's count leads to in the stages after it.
  typedef struct packed {
    logic        valid;
    group_e      op;
    cta_t        cta;
    bar_t        bar;
    warp_t       warp;      // of an operation that is a group of its own
    logic        waits;     // it takes effect, and may make that warp wait
    logic        waiting;   // that warp waited already
    logic        all;       // it counts up to all live warps, or is cleared
    logic        idle;      // the entry was
    logic        accepted;  // some member took effect
    logic        complete;  // the entry's generation completed
    logic        passed;    // OpWait: the phase had completed before
    logic        answers;   // an arrival, with the entry's phase
    kind_e       kind;      // of the entry's generation
    bar_word_t   found;     // the entry before, without its value
    bar_word_t   left;      // the entry afterwards, without its value
    logic [31:0] word;      // R2B: the state word
  } outcome_t;

  // A member of such an update.
  typedef struct packed {
    logic       counts;     // it took effect
    warp_t      warp;
    lanes_t     lanes;
    fault_e     cause;      // it was refused for this
    // True (AND: false) participating lanes. With four ports, those of the ports 1 and 3 are with
    // those of the port before, if that is a member, too.
    logic [6:0] hits;
  } effect_t;

  // Threads as whole warps of 2^lane_w lanes each: 127, which is more than any CTA has, if they are
  // more.
  function automatic wcount_t whole_warps(logic [11:0] threads, int unsigned lane_w);
    logic [11:0] warps;
    warps = threads >> lane_w;
    return warps[6:0] | {7{warps[11:7] != '0}};
  endfunction

  // Whether threads are left over from whole warps.
  function automatic logic is_ragged(logic [11:0] threads, int unsigned lane_w);
    return (threads & ~(12'hfff << lane_w)) != '0;
  endfunction

  function automatic request_t request_of(issue_t issue, int unsigned lane_w, bit split);
    return '{
      op:       group_of(issue.op, split),
      kind:     kind_of(issue.op),
      answers:  answers_phase(issue.op, split),
      waits:    issue.op != OpArrive && !answers_phase(issue.op, split),
      cta:      issue.cta,
      warp:     issue.warp,
      bar:      issue.bar,
      expected: whole_warps(issue.count, lane_w),
      ragged:   is_ragged(issue.count, lane_w),
      idle:     issue.lanes == '0
    };
  endfunction

  function automatic group_e group_of(op_e op, bit split);
    if (split && op == OpWait) return GroupWait;
    unique case (op)
      OpB2rBar:    return GroupReadBar;
      OpB2rWarp:   return GroupReadWarp;
      OpB2rResult: return GroupReadResult;
      OpR2bBar:    return GroupWriteBar;
      OpR2bWarp:   return GroupWriteWarp;
      default:     return GroupArrive;
    endcase
  endfunction

  function automatic kind_e kind_of(op_e op);
    unique case (op)
      OpRedAnd:  return KindAnd;
      OpRedOr:   return KindOr;
      OpRedPopc: return KindPopc;
      default:   return KindSync;
    endcase
  endfunction

  // An arrival whose response is the phase in which it arrived.
  function automatic logic answers_phase(op_e op, bit split);
    return split && op == OpArrivePhase;
  endfunction

  // An operation that drains.
  function automatic logic is_arrival(op_e op, bit split);
    return op inside {OpSync, OpArrive, OpRedAnd, OpRedOr, OpRedPopc} || answers_phase(op, split);
  endfunction

  function automatic logic is_read(group_e op);
    return op[3:2] == 2'b00 && op != GroupArrive;
  endfunction

  function automatic logic has_response(group_e op, logic answers);
    return is_read(op) || answers;
  endfunction

  function automatic logic is_write(group_e op);
    return op[3:1] == 3'b010;
  endfunction

  // The state of the warp is written or cleared, or it waits without an arrival.
  function automatic logic changes_warp(group_e op);
    return op inside {GroupWait, GroupWriteWarp, GroupClear, GroupJoin};
  endfunction

  // A step of a walk, or the end of a launch's.
  function automatic logic is_launch(group_e op);
    return op[3] && op[1:0] == 2'b01;
  endfunction

  // An operation of the lifecycle port, not a step.
  function automatic logic ends_walk(group_e op);
    return op[3:2] == 2'b11;
  endfunction

  // Of the lifecycle port or the exit port.
  function automatic logic is_lifecycle(group_e op);
    return op[3];
  endfunction

  // What the first stage found against a member, in order of precedence.
  function automatic fault_e cause_of(group_t group, checked_t member);
    unique case (group.op)
      GroupClear:  return FaultNone;
      GroupLaunch, GroupOpen: return member.barred ? FaultBadLaunch : FaultNone;
      GroupLeave:  return member.resident ? FaultNone : FaultCtaNotResident;
      GroupJoin: begin
        if (!member.resident) return FaultCtaNotResident;
        return member.barred ? FaultBadJoin : FaultNone;
      end
      default: begin
        if (member.idle) return FaultNone;
        if (!member.resident) return FaultCtaNotResident;
        if (!member.live) return FaultWarpNotLive;
        if (group.op inside {GroupReadBar, GroupReadWarp}) return FaultNone;
        if (member.waiting) return FaultWarpWaiting;
        if (member.owes && group.op inside {GroupArrive, GroupWait, GroupExit}) begin
          return FaultRestoreUnfinished;
        end
        if (group.op != GroupArrive) return member.barred ? FaultBadStateWord : FaultNone;
        if (group.ragged) return FaultCountNotMultiple;
        if (group.expected == '0 && !member.waits) return FaultArvWithoutCount;
        return member.barred ? FaultCountAboveCta : FaultNone;
      end
    endcase
  endfunction

  // a > b, as the carry of a + ~b: on an FPGA an inverter per bit of b and a carry chain, or the
  // chain alone where b is kept inverted.
  function automatic logic exceeds(logic [7:0] a, logic [7:0] b);
    logic [8:0] sum;
    sum = {1'b0, a} + {1'b0, ~b};
    return sum[8];
  endfunction

  function automatic logic is_reduction(kind_e kind);
    return kind inside {KindAnd, KindOr, KindPopc};
  endfunction

endpackage
