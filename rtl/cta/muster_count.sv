// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The second stage: the barrier table's counts (BCU ISA, BAR). An entry holds how many warps have
// arrived, how many are expected, the kind of the generation, and its phase. A group in this stage
// updates its entry in this cycle: this is the commit. Its entry was read a cycle earlier, while
// the group was still in the check stage, and compared with it there; what the group directly ahead
// has written since is forwarded. So one update can follow another in every cycle, also at the same
// entry. Members arrive in port order. The one that completes the entry ends the update; those
// after it stay, and open the next generation in the next cycle.
module muster_count
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumCtas  = Cfg.NumCtas,
  localparam int unsigned NumIssue = Cfg.NumIssue,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned NumPlaces = 1 << WarpW,
  localparam int unsigned EntryW  = $clog2(NumCtas * NumBars)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    valid_i,
  output logic                    ready_o,
  input  group_t                  group_i,
  input  checked_t [NumIssue-1:0] members_i,
  input  logic [WarpW-1:0]        last_count_i,
  input  logic                    counts_all_i,
  input  reset_step_t             reset_step_i,

  output logic [NumIssue-1:0][WarpW-1:0] next_warps_o,  // of the members here in the next cycle
  input  operands_t [NumIssue-1:0] operands_i,           // of the members here in this one

  output logic                    busy_o,      // a group is here
  // The entry of the group that is here in the next cycle.
  output logic [EntryW-1:0]       next_entry_o,
  // The entry of the group that is offered in the next cycle.
  input  logic [EntryW-1:0]       offered_entry_i,
  // The kind of that entry, unless a group ahead has just changed it.
  output kind_e                   read_kind_o,
  // The same entry counts all live warps, and is not idle.
  output logic                    read_all_o,
  input  logic [EntryW-1:0]       debug_entry_i,  // the entry to read
  output bar_word_t               debug_counts_o,  // its counts, a cycle later

  output logic [NumIssue-1:0]     commits_o,      // these members, of issue ports, commit
  // The warps of the members that commit.
  output logic [NumIssue-1:0][NumPlaces-1:0] commit_warps_o,
  // A lifecycle operation, an exit commits.
  output logic                    commit_lc_o, commit_exit_o,
  output logic [NumWarps-1:0]     warps_o,     // that arrive to wait, are written, or cleared
  output outcome_t                outcome_o,
  output effect_t  [NumIssue-1:0] effects_o
);

`include "muster_assert.svh"

  // What the memory holds of an entry; arrived never reaches expected there.
  typedef struct packed {
    logic             phase;
    kind_e            kind;
    logic [WarpW:0]   expected;
    logic [WarpW-1:0] arrived;
  } count_t;

  logic                    valid_q;
  group_t                  group_q, group_d;
  checked_t [NumIssue-1:0] members_q, members_d;
  logic [WarpW-1:0]        last_q, last_d;    // the count before the last arrival
  logic                    all_q;
  logic [31:0]             r2b_word;
  logic [EntryW-1:0]       entry;
  logic [NumIssue-1:0]     left;              // members that stay for the next cycle

  assign ready_o = !valid_q || (left == '0);

  always_comb begin
    group_d   = group_q;
    members_d = members_q;
    last_d    = last_q;
    for (int m = 0; m < NumIssue; m++) members_d[m].valid = left[m];
    if (ready_o) begin
      group_d   = group_i;
      members_d = members_i;
      last_d    = last_count_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (ready_o) begin
      valid_q <= valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    group_q   <= group_d;
    members_q <= members_d;
    last_q    <= last_d;
    if (ready_o) all_q <= counts_all_i;
  end

  always_comb begin
    r2b_word = operands_i[0].word;
    for (int m = 1; m < NumIssue; m++) begin
      if (members_q[m].valid) r2b_word = operands_i[m].word;
    end
    for (int m = 0; m < NumIssue; m++) next_warps_o[m] = members_d[m].warp[WarpW-1:0];
  end

  assign next_entry_o  = EntryW'({group_d.cta, group_d.bar});
  assign entry   = EntryW'({group_q.cta, group_q.bar});
  assign busy_o  = valid_q;

  count_t read, offered, debug;     // the entry of the group offered, as read and as it is
  count_t stored_q, ahead_q;        // the latter of the group here; what the one ahead would write
  count_t count, count_d;           // the entry, before and after the update
  logic   write, arrives;           // the entry is written; the group consists of arrivals
  // The group ahead wrote the entry of the group here; of the group offered.
  logic   forward_q, offer_forward_q;
  logic   stored_all_q;             // the stored entry counts all live warps
  logic   unlike, unlike_q;         // the group differs from the stored entry in count or kind
  logic   unlike_ahead_q;           // the group differs from what the group ahead would leave there

  muster_ram #(
    .Depth(NumCtas * NumBars), .Width($bits(count_t)), .NumRead(2), .Forward(2'b00)
  ) u_counts (
    .clk_i,
    .we_i (write || reset_step_i.entry_clear),
    .waddr_i (reset_step_i.entry_clear ? EntryW'({reset_step_i.cta, reset_step_i.bar}) : entry),
    .wdata_i (reset_step_i.entry_clear ? '0 : count_d),
    .raddr_i ({debug_entry_i, offered_entry_i}), .rdata_o ({debug, read})
  );

  assign offered = offer_forward_q ? ahead_q : read;
  assign count   = forward_q ? ahead_q : stored_q;

  assign read_kind_o = read.kind;
  assign read_all_o  = (read.kind != KindIdle) && (read.expected == '0);
  assign unlike = (offered.kind != KindIdle) &&
                  (offered.expected != group_i.expected[WarpW:0] || offered.kind != group_i.kind);

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      stored_q       <= offered;
      stored_all_q   <= (offered.kind != KindIdle) && (offered.expected == '0);
      unlike_q       <= unlike;
      unlike_ahead_q <= (count_d.kind != KindIdle) &&
                        (group_q.expected[WarpW:0] != group_i.expected[WarpW:0] ||
                         group_q.kind != group_i.kind);
    end else begin
      unlike_ahead_q <= 1'b0;  // the group ahead is this one
    end
    forward_q       <= write && (entry == next_entry_o);
    offer_forward_q <= write && (entry == offered_entry_i);
    ahead_q         <= count_d;
  end

  function automatic bar_word_t word_of(count_t c);
    return '{zero: '0, phase: Cfg.EnSplit && c.phase, kind: c.kind, expected: wcount_t'(c.expected),
             arrived: wcount_t'(c.arrived), value: '0};
  endfunction

  assign debug_counts_o = word_of(debug);

  // -------------------------------------------------------------------------------------------
  // Which members count, and which of them completes the entry
  // -------------------------------------------------------------------------------------------

  logic                refused;
  logic                complete;                 // the entry completes
  // The entry completes, unless the group is refused or, with one port, does not count.
  logic                completes;
  logic [WarpW:0]      expected;
  logic [NumIssue-1:0] fit, hits, counts, done;  // fit: counts, unless the group is refused
  logic [WarpW-1:0]    added;                    // arrivals
  bar_word_t           word;

  assign arrives  = (group_q.op == GroupArrive);
  assign expected = group_q.expected[WarpW:0];
  assign refused  = Cfg.EnFaults && arrives && (forward_q ? unlike_ahead_q : unlike_q);
  assign word     = r2b_word;

  for (genvar m = 0; m < NumIssue; m++) begin : g_fit
    assign fit[m] = members_q[m].valid && members_q[m].counts && !members_q[m].barred;
  end

  // Neither the completing member nor what is written depends on a refusal, which is known late.
  // Nothing but arrivals writes the entry directly ahead of arrivals or an exit: the check stage
  // waits for a cycle after an exit, a lifecycle operation and an R2B.
  muster_completion #(.NumIssue(NumIssue), .WarpW(WarpW)) u_completion (
    .clk_i,
    .last_count_i (last_d), .load_i (ready_o), .stored_count_i (offered.arrived),
    .forward_i (forward_q), .count_i (count.arrived), .member_counts_i (fit),
    .group_arrives_i (arrives), .group_exits_i (group_q.op == GroupExit && stored_all_q),
    .member_completes_o (hits), .entry_completes_o (completes), .arrivals_o (added)
  );

  always_comb begin
    done = '0;
    left = '0;
    for (int m = 0; m < NumIssue; m++) begin
      left[m] = members_q[m].valid && !refused &&
                ((hits & ((NumIssue'(1) << m) - NumIssue'(1))) != '0);
      done[m] = members_q[m].valid && !left[m];
    end
    counts   = fit & done & {NumIssue{!refused}};
    complete = !refused && (hits != '0);
  end

  `MUSTER_ASSERT(ArrivedIsAsCompared, !(valid_q && (arrives || group_q.op == GroupExit)) ||
                 u_completion.due == u_completion.due_of(count.arrived, last_q),
                 "a comparison that was made a cycle early does not hold")

  always_comb begin
    write   = 1'b0;
    // Completed.
    count_d = '{phase: Cfg.EnSplit && !count.phase, kind: KindIdle, expected: '0, arrived: '0};
    unique case (group_q.op)
      GroupArrive: begin
        write = valid_q && (counts != '0);
        if (!completes) begin
          count_d = '{phase: Cfg.EnSplit && count.phase, kind: group_q.kind, expected: expected,
                      arrived: count.arrived + added};
        end
      end
      GroupExit:  write = valid_q && complete;
      GroupClear: begin
        write         = valid_q;
        count_d.phase = 1'b0;
      end
      GroupWriteBar: begin
        write   = valid_q && (counts != '0);
        count_d = '{phase: Cfg.EnSplit && word.phase, kind: word.kind,
                    expected: word.expected[WarpW:0], arrived: word.arrived[WarpW-1:0]};
      end
      default: ;
    endcase
  end

  // -------------------------------------------------------------------------------------------
  // To the next stage
  // -------------------------------------------------------------------------------------------
  logic [NumPlaces-1:0] member_warp;
  logic [31:0]          first;  // the operands of the first of a pair

  assign commits_o   = done & {NumIssue{valid_q && !is_lifecycle(group_q.op)}};
  assign commit_lc_o = valid_q && ends_walk(group_q.op);
  assign commit_exit_o = valid_q && (group_q.op == GroupExit);

  always_comb begin
    outcome_o = '{
      valid:    valid_q,
      op:       group_q.op,
      cta:      group_q.cta,
      bar:      group_q.bar,
      warp:     members_q[0].warp,
      waits:    valid_q && counts[0] && members_q[0].waits,
      waiting:  members_q[0].waiting,
      all:      all_q,
      idle:     (count.kind == KindIdle),
      accepted: valid_q && (counts != '0),
      complete: valid_q && complete,
      passed:   Cfg.EnSplit && group_q.op == GroupWait && counts != '0 &&
                count.phase != r2b_word[0],
      answers:  Cfg.EnSplit && group_q.answers,
      kind:     (arrives || (Cfg.EnSplit && group_q.op == GroupWait)) ? group_q.kind : count.kind,
      found:    word_of(count),
      left:     word_of(count_d),
      word:     r2b_word
    };

    warps_o        = '0;
    commit_warps_o = '0;
    first          = '0;
    for (int m = 1; m < NumIssue; m++) begin
      if (members_q[m].valid) begin
        outcome_o.warp    = members_q[m].warp;
        outcome_o.waiting = members_q[m].waiting;
      end
    end
    for (int m = 0; m < NumIssue; m++) begin
      member_warp = '0;
      member_warp[members_q[m].warp[WarpW-1:0]] = 1'b1;
      commit_warps_o[m] = member_warp & {NumPlaces{commits_o[m]}};
      if (valid_q && counts[m] && (arrives ? members_q[m].waits : changes_warp(group_q.op))) begin
        warps_o = warps_o | member_warp[NumWarps-1:0];
      end
      effects_o[m] = '{counts: valid_q && counts[m], warp: members_q[m].warp,
                       lanes: operands_i[m].lanes, cause: FaultNone, hits: '0};
      effects_o[m].hits = 7'(operands_i[m].word[4:0]) + 7'(operands_i[m].word[20:16]);
      if (Cfg.EnFaults && valid_q && done[m]) begin
        effects_o[m].cause = cause_of(group_q, members_q[m]);
        if (members_q[m].counts && !members_q[m].barred && refused) begin
          effects_o[m].cause = (count.expected != expected) ? FaultCountMismatch
                                                            : FaultKindMismatch;
        end
      end
    end
    // When the second of a pair counts, the first does if it fits. All four are added up at once.
    for (int m = 1; NumIssue > 2 && m < NumIssue; m += 2) begin
      first = operands_i[m-1].word & {32{fit[m-1]}};
      effects_o[m].hits = 7'(operands_i[m].word[4:0]) + 7'(operands_i[m].word[20:16]) +
                          7'(first[4:0]) + 7'(first[20:16]);
    end
  end

endmodule
