// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The first stage makes all checks of a group that do not need its entry. It passes the group on
// with the result for each member and with the count at which the entry completes, and lets
// lifecycle operations change the roster.
module muster_check
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumCtas  = Cfg.NumCtas,
  localparam int unsigned NumIssue = Cfg.NumIssue,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned NumPlaces = 1 << WarpW,
  localparam int unsigned EntryW  = $clog2(NumCtas * NumBars)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    valid_i,
  output logic                    ready_o,
  input  group_t                  group_i,
  input  member_t [NumIssue-1:0]  members_i,

  input  lifecycle_t              lifecycle_i,     // held while it is under way
  input  logic [NumWarps-1:0]     launch_warps_i,  // likewise
  input  logic                    clean_step_i,    // the group is a step that enters no warp
  input  lanes_t                  exit_lanes_i,    // held while an exit is under way
  // A lifecycle operation, not a step; an exit goes on.
  output logic                    lifecycle_done_o, exit_done_o,
  output logic                    slot_freed_o,    // that operation leaves its slot to be cleaned
  output reset_step_t             reset_step_o,    // see muster_roster
  output logic                    checks_wait_o,   // to select: see there
  output logic                    busy_o,          // a group of issue ports is here
  output logic [WarpW-1:0]        busy_warp_o,     // the warp of its first member

  input  logic                    warp_waits_i,   // a member's warp waits, of an issue port's group
  input  logic [NumPlaces-1:0]    waiting_i,
  input  logic                    wait_begins_i,  // one port: the warp chosen begins to wait now
  input  logic                    later_stage_i,  // a group is in a later stage

  // What the count stage makes of its group. An R2B's word is there from the second cycle on.
  input  outcome_t                counted_i,
  // Of the group's entry; R2B: when no group is ahead.
  input  kind_e                   entry_kind_i,
  input  logic                    entry_all_i,     // it counts to all live warps; not idle

  output logic                    valid_o,
  input  logic                    ready_i,
  output group_t                  group_o,         // with the barrier of the entry
  output checked_t [NumIssue-1:0] members_o,
  output logic [EntryW-1:0]       next_entry_o,    // the entry of the group here in the next cycle
  output logic [WarpW-1:0]        last_count_o,    // arrivals (exit: warps) before the last one
  // The entry counts to all live warps, or may be checked as such.
  output logic                    counts_all_o,

  input  logic [WarpW-1:0]        debug_warp_i,    // a warp to look at
  output logic                    debug_live_o,    // whether it is live, a cycle later
  output cta_t                    debug_cta_o
);

  // -------------------------------------------------------------------------------------------
  // The stage's register, and the memories that are read on the way into it
  // -------------------------------------------------------------------------------------------

  logic                           valid_q, go;
  group_t                         group_q;
  member_t [NumIssue-1:0]         members_q;
  logic [CtaW-1:0]                next_cta;
  logic [NumIssue-1:0][WarpW-1:0] next_warps;
  logic [NumIssue-1:0]            exists;      // the unit has such a warp

  assign ready_o = !valid_q || go;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (ready_o) begin
      valid_q <= valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      group_q   <= group_i;
      members_q <= members_i;
    end
  end

  always_comb begin
    next_cta = ready_o ? group_i.cta[CtaW-1:0] : group_q.cta[CtaW-1:0];
    for (int m = 0; m < NumIssue; m++) begin
      exists[m]     = (32'(members_q[m].warp) < NumWarps);
      next_warps[m] = ready_o ? members_i[m].warp[WarpW-1:0] : members_q[m].warp[WarpW-1:0];
    end
  end

  logic                roster_ready, resident, last_lane, enter, launch, leave, exit;
  logic                owes, owe, write_bar;
  bar_word_t           bar_word;    // R2B
  warp_word_t          warp_word;
  logic [NumIssue-1:0] live;
  logic [WarpW-1:0]    live_last;   // live warps of the CTA, less one
  logic [WarpW:0]      size;
  bar_t                latest;
  logic                chosen, bad_launch;  // see muster_launch_check
  logic                opens, join_warp, joined, cleans_q;
  logic [WarpW-1:0]    launch_last;
  // An exit takes the warp's last lane, and is not refused, unless the warp waits.
  logic                exits_q;

  muster_roster #(.Cfg(Cfg)) u_roster (
    .clk_i, .rst_ni, .reset_step_o,
    .next_cta_i (next_cta), .next_warps_i (next_warps),
    .cta_i (group_q.cta), .warp_i (members_q[0].warp), .op_i (group_q.op),
    .lanes_i (exit_lanes_i),
    .resident_o (resident), .live_last_o (live_last), .size_o (size), .live_o (live),
    .last_lane_o (last_lane), .restore_owes_o (owes), .joined_o (joined),
    .enter_i (enter), .warp_chosen_i (chosen), .join_lanes_i (lifecycle_i.lanes),
    .join_i (join_warp), .slot_taken_i (launch), .launch_last_i (launch_last),
    .launch_size_i (lifecycle_i.size[WarpW:0]), .exit_i (exit), .last_exits_i (exits_q),
    .leave_i (leave), .owe_count_i (bar_word.arrived[WarpW-1:0]), .owe_i (owe),
    .debug_warp_i, .debug_live_o, .debug_cta_o
  );

  muster_ram #(.Depth(NumCtas), .Width($bits(bar_t)), .Forward(1'b0)) u_latest (
    .clk_i,
    .we_i (counted_i.accepted && counted_i.all),
    .waddr_i (counted_i.cta[CtaW-1:0]), .wdata_i (counted_i.bar),
    .raddr_i (next_cta), .rdata_o (latest)
  );

  logic go_step, judged, exit_judged;  // see muster_check_steps
  logic writes;                        // the group is R2B

  assign roster_ready     = !reset_step_o.active;
  assign busy_o           = valid_q && !is_lifecycle(group_q.op);
  assign busy_warp_o      = members_q[0].warp[WarpW-1:0];
  assign writes           = Cfg.EnState && is_write(group_q.op);
  assign lifecycle_done_o = judged && ends_walk(group_q.op);
  assign slot_freed_o     = leave || (judged && (group_q.op == GroupLaunch) && !launch);
  assign exit_done_o      = exit_judged;

  muster_check_steps #(.EnState(Cfg.EnState)) u_steps (
    .clk_i, .rst_ni, .roster_ready_i (roster_ready), .load_i (ready_o), .next_op_i (group_i.op),
    .warp_waits_i (warp_waits_i || (NumIssue == 1 && wait_begins_i)), .valid_i (valid_q),
    .op_i (group_q.op), .ready_i, .later_stage_i,
    .go_o (go), .step_o (go_step), .judged_o (judged), .exit_judged_o (exit_judged), .checks_wait_o
  );

  muster_launch_check #(.NumWarps(NumWarps), .NumCtas(NumCtas)) u_launch_check (
    .clk_i, .rst_ni, .warps_i (launch_warps_i & {NumWarps{!cleans_q}}), .size_i (lifecycle_i.size),
    .open_i (opens), .cta_i (group_q.cta), .resident_i (resident), .warp_i (members_q[0].warp),
    .step_i (go && group_q.op == GroupClear), .done_i (lifecycle_done_o),
    .warp_chosen_o (chosen), .last_o (launch_last), .bad_o (bad_launch)
  );

  // -------------------------------------------------------------------------------------------
  // Faults
  // -------------------------------------------------------------------------------------------

  wcount_t               expected;    // as the arrival, or R2B's word, has it
  // R2B.BAR: the word's count before its last arrival, inverted: see exceeds().
  logic [WarpW-1:0]      word_last_nq;
  logic                  above, above_q, bad_word, bad_word_q;
  logic                  leave_q, accepted_q, last_lane_q, exit_fit_q, owes_q;
  // all_q, pays_q: R2B's word counts to all live warps; brings one that waits.
  logic                  bad_join_q, all_q, pays_q;
  logic                  restores_q;  // R2B goes on, and changes what is owed
  logic [NumIssue-1:0]   waiting;     // the warp of the member waits already
  logic [NumIssue-1:0]   accepted, taken;  // see muster_check_member
  logic                  unfit;       // no such launch, state word, or count

  assign bar_word  = counted_i.word;
  assign warp_word = counted_i.word;
  assign write_bar = Cfg.EnState && (group_q.op == GroupWriteBar);
  assign expected  = write_bar ? bar_word.expected : group_q.expected;
  assign above     = exceeds(8'(expected), 8'(size));

  muster_word_check #(.Cfg(Cfg)) u_word_check (
    .clk_i, .bar_i (write_bar), .bar_word_i (bar_word), .warp_word_i (warp_word),
    .above_i (above_q), .last_i (~word_last_nq), .size_i (size),
    .entry_kind_i, .entry_all_i, .restore_owes_i (owes), .bad_o (bad_word)
  );

  assign opens = Cfg.EnJoin && (group_q.op == GroupOpen);
  always_ff @(posedge clk_i) begin
    if (ready_o) cleans_q <= Cfg.EnJoin && clean_step_i;
    above_q      <= above;
    word_last_nq <= (bar_word.expected == '0) ? ~live_last : ~WarpW'(bar_word.expected - 7'd1);
    all_q        <= (bar_word.expected == '0) && (bar_word.arrived != '0);
    bad_word_q   <= bad_word;
    owes_q       <= owes;
    pays_q       <= warp_word.waiting && !warp_word.apart;
    restores_q   <= (taken != '0) && (write_bar ? all_q : pays_q && entry_all_i);
    leave_q      <= resident || !Cfg.EnFaults;
    bad_join_q   <= !resident || joined || live[0] || !exists[0] || (lifecycle_i.lanes == '0);
    accepted_q   <= accepted[0];
    last_lane_q  <= last_lane;
    exits_q      <= accepted_q && !owes_q && last_lane_q;
    exit_fit_q   <= accepted_q && !owes_q;
  end

  for (genvar m = 0; m < NumIssue; m++) begin : g_member
    assign waiting[m] = waiting_i[members_q[m].warp[WarpW-1:0]];

    muster_check_member #(.Cfg(Cfg)) u_member (
      .group_i (group_q), .member_i (members_q[m]), .resident_i (resident),
      .live_i (live[m] && exists[m]), .waiting_i (waiting[m]), .restore_owes_i (owes),
      .group_unfit_i (unfit), .exit_lanes_i, .last_exit_i (exits_q), .warp_chosen_i (chosen),
      .accepted_o (accepted[m]), .taken_o (taken[m]), .checked_o (members_o[m])
    );
  end

  always_comb begin
    unique case (group_q.op)
      GroupLaunch, GroupOpen:         unfit = bad_launch;
      GroupJoin:                      unfit = bad_join_q;
      GroupWriteBar, GroupWriteWarp:  unfit = bad_word_q;
      GroupArrive:                    unfit = above || owes;
      GroupWait:                      unfit = owes;
      default:                        unfit = 1'b0;
    endcase
  end

  assign enter  = go_step && exists[0];
  assign launch = judged && (group_q.op == GroupLaunch || opens) && !(Cfg.EnFaults && bad_launch);
  assign join_warp = Cfg.EnJoin && judged && (group_q.op == GroupJoin) &&
                     !(Cfg.EnFaults && bad_join_q);
  assign leave  = judged && (group_q.op == GroupLeave) && leave_q;
  assign exit   = exit_judged && exit_fit_q && !waiting[0];
  assign owe    = judged && writes && restores_q && !(Cfg.EnFaults && bad_word_q);

  // -------------------------------------------------------------------------------------------
  // To the next stage
  // -------------------------------------------------------------------------------------------

  assign next_entry_o = EntryW'({next_cta, ready_o ? group_i.bar : group_o.bar});

  // A clear of a slot that is taken goes no further.
  assign valid_o = go && !(Cfg.EnFaults && group_q.op == GroupClear &&
                           (resident || 32'(group_q.cta) >= NumCtas));
  assign last_count_o  = (group_q.op == GroupArrive && group_q.expected != '0) ?
                   WarpW'(group_q.expected - 7'd1) : live_last;

  // After a launch or an open, the slot has an entry that an exit may check.
  always_comb begin
    unique case (group_q.op)
      GroupArrive:           counts_all_o = (group_q.expected == '0);
      GroupWriteBar:         counts_all_o = Cfg.EnState && all_q;
      GroupClear, GroupOpen: counts_all_o = 1'b1;
      default:               counts_all_o = 1'b0;
    endcase
  end

  always_comb begin
    group_o = group_q;
    if (group_q.op == GroupExit) group_o.bar = latest;
    if (Cfg.EnState && group_q.op == GroupWriteWarp) group_o.bar = warp_word.wait_bar;
  end

endmodule
