// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTA scope: 16 named barriers for each of NumCtas CTAs (PTX 9.7.13.1, BCU ISA). Wiring, as an
// operation passes; and what all stages together say: which warps may wait, which operations
// commit, whether something is under way.
//
//   issue ports (with drain) -> select -> check -> count -> release
//   lifecycle port -> lifecycle -^
//   exit port -> exit -----------^
//
// Commit is in the count stage; the release comes a constant number of cycles later
// (rtl/README.md). The ports are those of muster; lanes that a warp lacks are 0 at all of them.
module muster_cta
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic   [Cfg.NumIssue-1:0] issue_valid_i,
  output logic   [Cfg.NumIssue-1:0] issue_ready_o,
  input  issue_t [Cfg.NumIssue-1:0] issue_i,
  output logic   [Cfg.NumWarps-1:0] busy_o,
  output logic                      active_o,  // something is presented or under way

  input  logic                      lifecycle_valid_i,
  output logic                      lifecycle_ready_o,
  input  lifecycle_t                lifecycle_i,
  input  logic [Cfg.NumWarps-1:0]   lifecycle_warps_i,

  input  logic                      exit_valid_i,
  output logic                      exit_ready_o,
  input  exit_t                     exit_i,

  output logic [Cfg.NumWarps-1:0]   fence_req_o,
  input  logic [Cfg.NumWarps-1:0]   fence_ack_i,

  output logic [Cfg.NumWarps-1:0]   release_o,
  output release_t                  release_info_o,

  output logic                      response_valid_o,
  input  logic                      response_ready_i,
  output response_t                 response_o,

  output logic   [Cfg.NumIssue+1:0] fault_valid_o,
  output fault_t [Cfg.NumIssue+1:0] fault_o,

  output commit_t                   commit_o,

  input  cta_t                      debug_cta_i,
  input  bar_t                      debug_bar_i,
  output bar_word_t                 debug_word_o,
  input  warp_t                     debug_warp_i,
  output debug_warp_t               debug_warp_o
);

  localparam int unsigned WarpW  = $clog2(Cfg.NumWarps);
  localparam int unsigned EntryW = $clog2(Cfg.NumCtas * NumBars);

  // An operation on its way uses the slot given by its warp number's low bits, even if the unit has
  // no such warp: it is refused, but only in order.
  localparam int unsigned NumPlaces = 1 << WarpW;

  // No operation can be overtaken before it commits.
  localparam bit InOrder = !Cfg.EnDrain && (Cfg.NumIssue == 1);

  // The release stage is a cycle after the counts, except in a unit so small that it need not be.
  localparam bit Lag = Cfg.EnReduce || Cfg.EnState || (Cfg.NumIssue > 1);

  // -------------------------------------------------------------------------------------------
  // Ports, drain
  // -------------------------------------------------------------------------------------------

  logic      [Cfg.NumIssue-1:0] busy_held, held_valid, held_ready, held_reads, held_waiting,
                                commits;
  request_t  [Cfg.NumIssue-1:0] held;
  operands_t [Cfg.NumIssue-1:0] operands;
  logic      [Cfg.NumIssue-1:0][WarpW-1:0]        operand_warps;
  logic      [Cfg.NumIssue-1:0][Cfg.NumWarps-1:0] fence_req;
  logic      [Cfg.NumIssue-1:0][NumPlaces-1:0]    accept, commit_warps;
  // Of the count stage; the same in the release stage.
  outcome_t                     counted, outcome;
  effect_t   [Cfg.NumIssue-1:0] counted_effects, effects;
  logic                         check_busy, credit;
  logic      [NumPlaces-1:0]    busy, waiting, may_wait;
  logic      [WarpW-1:0]        chk_last, check_warp;
  // In the release stage: arrive to wait, are written, or cleared.
  logic      [Cfg.NumWarps-1:0] warps;

  for (genvar p = 0; p < Cfg.NumIssue; p++) begin : g_port
    muster_port #(.Cfg(Cfg), .Hold(Cfg.NumIssue > 1)) u_port (
      .clk_i, .rst_ni,
      .valid_i (issue_valid_i[p]), .ready_o (issue_ready_o[p]), .issue_i (issue_i[p]),
      .busy_i (busy), .held_i (busy_held[p]), .waiting_i (may_wait), .accept_o (accept[p]),
      .fence_req_o (fence_req[p]), .fence_ack_i,
      .valid_o (held_valid[p]), .ready_i (held_ready[p]), .credit_i (credit), .request_o (held[p]),
      .reads_o (held_reads[p]), .waiting_o (held_waiting[p]),
      .operand_warp_i (operand_warps[p]), .operands_o (operands[p])
    );
  end

  // With several ports this is asked a cycle early, when an operation ahead may be in the release
  // stage.
  assign may_wait = (Cfg.NumIssue > 1) ? waiting | NumPlaces'(warps) : waiting;

  always_comb begin
    fence_req_o = '0;
    for (int p = 0; p < Cfg.NumIssue; p++) fence_req_o = fence_req_o | fence_req[p];
  end

  muster_busy #(.NumWarps(NumPlaces), .NumIssue(Cfg.NumIssue), .InOrder(InOrder)) u_busy (
    .clk_i, .rst_ni, .accept_i (accept), .commit_i (commit_warps),
    .stage_valid_i ({commits[0], check_busy}),
    .stage_warp_i ({counted_effects[0].warp[WarpW-1:0], check_warp}), .issue_i, .held_o (busy_held),
    .busy_o (busy)
  );
  assign busy_o = busy[Cfg.NumWarps-1:0];

  // -------------------------------------------------------------------------------------------
  // Lifecycle, exit, select
  // -------------------------------------------------------------------------------------------

  logic    lc_valid, lc_ready, lc_done, lc_cleans, lc_frees, exit_valid, exit_ready, exit_done;
  group_t  lc_group;
  warp_t   lc_warp;

  muster_lifecycle #(
    .NumWarps(Cfg.NumWarps), .EnJoin(Cfg.EnJoin), .InOrder(InOrder)
  ) u_lifecycle (
    .clk_i, .rst_ni, .valid_i (lifecycle_valid_i), .ready_o (lifecycle_ready_o),
    .lifecycle_i, .busy_i (busy),
    .valid_o (lc_valid), .ready_i (lc_ready), .group_o (lc_group), .warp_o (lc_warp),
    .clean_step_o (lc_cleans), .done_i (lc_done), .slot_freed_i (lc_frees)
  );

  muster_exit #(
    .NumWarps(Cfg.NumWarps), .NumIssue(Cfg.NumIssue), .InOrder(InOrder)
  ) u_exit (
    .clk_i, .rst_ni, .valid_i (exit_valid_i), .ready_o (exit_ready_o), .exit_i,
    .busy_i (busy), .commits_i (commits), .commit_warps_i (commit_o.warp[Cfg.NumIssue-1:0]),
    .valid_o (exit_valid), .ready_i (exit_ready), .done_i (exit_done)
  );

  logic                   sel_valid, sel_ready, sel_ahead, sel_may_wait;
  group_t                 sel_group;
  member_t [Cfg.NumIssue-1:0] sel_members;

  muster_select #(.NumIssue(Cfg.NumIssue)) u_select (
    .clk_i, .rst_ni,
    .valid_i (held_valid), .ready_o (held_ready), .request_i (held), .reads_i (held_reads),
    .waiting_i (held_waiting),
    .lc_valid_i (lc_valid), .lc_ready_o (lc_ready), .lc_group_i (lc_group), .lc_warp_i (lc_warp),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_cta_i (exit_i.cta),
    .exit_warp_i (exit_i.warp), .credit_i (credit),
    .valid_o (sel_valid), .ready_i (sel_ready), .checks_wait_i (sel_ahead),
    .may_wait_o (sel_may_wait),
    .group_o (sel_group), .members_o (sel_members)
  );

  // -------------------------------------------------------------------------------------------
  // Check, count
  // -------------------------------------------------------------------------------------------

  logic                    chk_valid, chk_ready, chk_all, count_busy, release_busy;
  reset_step_t             reset_step;
  group_t                  chk_group;
  checked_t [Cfg.NumIssue-1:0] chk_members;
  kind_e                   entry_kind;
  logic                    entry_all;
  logic                    debug_live;
  cta_t                    debug_cta;
  logic     [EntryW-1:0]   entry_next, chk_next, debug_entry;
  logic     [Cfg.NumWarps-1:0] counted_warps;

  muster_check #(.Cfg(Cfg)) u_check (
    .clk_i, .rst_ni,
    .valid_i (sel_valid), .ready_o (sel_ready), .group_i (sel_group), .members_i (sel_members),
    .lifecycle_i, .launch_warps_i (lifecycle_warps_i), .clean_step_i (lc_cleans),
    .exit_lanes_i (exit_i.lanes), .lifecycle_done_o (lc_done), .slot_freed_o (lc_frees),
    .exit_done_o (exit_done), .reset_step_o (reset_step), .checks_wait_o (sel_ahead),
    .busy_o (check_busy), .busy_warp_o (check_warp), .warp_waits_i (sel_may_wait),
    .waiting_i (waiting), .later_stage_i (count_busy || release_busy),
    .wait_begins_i (outcome.waits && outcome.warp == sel_members[0].warp),
    .counted_i (counted),
    .valid_o (chk_valid), .ready_i (chk_ready), .group_o (chk_group), .members_o (chk_members),
    .next_entry_o (chk_next), .last_count_o (chk_last), .counts_all_o (chk_all),
    .entry_kind_i (entry_kind), .entry_all_i (entry_all),
    .debug_warp_i (debug_warp_i[WarpW-1:0]), .debug_live_o (debug_live), .debug_cta_o (debug_cta)
  );

  logic                   commit_lc, commit_exit;
  bar_word_t              debug_count;
  assign debug_entry = EntryW'({debug_cta_i, debug_bar_i});

  muster_count #(.Cfg(Cfg)) u_count (
    .clk_i, .rst_ni,
    .valid_i (chk_valid), .ready_o (chk_ready), .group_i (chk_group), .members_i (chk_members),
    .last_count_i (chk_last), .counts_all_i (chk_all), .reset_step_i (reset_step),
    .next_warps_o (operand_warps), .operands_i (operands),
    .busy_o (count_busy), .offered_entry_i (chk_next), .next_entry_o (entry_next),
    .read_kind_o (entry_kind), .read_all_o (entry_all),
    .debug_entry_i (debug_entry), .debug_counts_o (debug_count),
    .commits_o (commits), .commit_warps_o (commit_warps), .commit_lc_o (commit_lc),
    .commit_exit_o (commit_exit), .warps_o (counted_warps), .outcome_o (counted),
    .effects_o (counted_effects)
  );

  // -------------------------------------------------------------------------------------------
  // Release, warps
  // -------------------------------------------------------------------------------------------

  logic [EntryW-1:0] release_next;
  assign release_next = Lag ? EntryW'({counted.cta, counted.bar}) : entry_next;

  muster_lag #(.NumWarps(Cfg.NumWarps), .NumIssue(Cfg.NumIssue), .Lag(Lag)) u_lag (
    .clk_i, .rst_ni,
    .valid_i (count_busy), .outcome_i (counted), .effects_i (counted_effects),
    .warps_i (counted_warps),
    .busy_o (release_busy), .outcome_o (outcome), .effects_o (effects), .warps_o (warps)
  );

  logic                           waits, read_hides;
  logic [Cfg.NumIssue-1:0]            counts;
  logic [Cfg.NumIssue-1:0][WarpW-1:0] count_warps, next_warps;
  bar_word_t                      found, left;
  warp_word_t                     read_word;

  muster_release #(.Cfg(Cfg)) u_release (
    .clk_i, .rst_ni,
    .next_entry_i (release_next), .outcome_i (outcome), .effects_i (effects), .warps_i (warps),
    .reset_step_i (reset_step), .debug_entry_i (debug_entry), .debug_counts_i (debug_count),
    .debug_word_o, .warps_wait_o (waits), .old_word_o (found), .new_word_o (left),
    .release_o, .release_info_o
  );

  always_comb begin
    for (int m = 0; m < Cfg.NumIssue; m++) begin
      counts[m]      = effects[m].counts;
      count_warps[m] = effects[m].warp[WarpW-1:0];
      next_warps[m]  = counted_effects[m].warp[WarpW-1:0];
    end
  end

  if (Cfg.EnReduce || Cfg.EnFaults) begin : g_warps
    muster_warps #(.Cfg(Cfg)) u_warps (
      .clk_i, .rst_ni, .reset_step_i (reset_step),
      .outcome_i (outcome), .counts_i (counts), .count_warps_i (count_warps),
      .next_warps_i (next_warps),
      .warps_i (warps), .waits_i (waits), .release_i (release_o), .release_info_i (release_info_o),
      .waiting_o (waiting),
      .read_warp_i (counted.warp[WarpW-1:0]), .read_word_o (read_word), .read_hidden_o (read_hides)
    );
  end else begin : g_no_warps
    assign {waiting, read_word, read_hides} = {{NumPlaces{1'b0}}, 33'd0};
  end

  // -------------------------------------------------------------------------------------------
  // Reports: faults, responses, commits, debug reads
  // -------------------------------------------------------------------------------------------

  muster_report #(.Cfg(Cfg)) u_report (
    .clk_i, .rst_ni,
    .outcome_i (outcome), .effects_i (effects), .old_word_i (found), .new_word_i (left),
    .warp_word_i (read_word), .warp_hidden_i (read_hides),
    .fault_valid_o, .fault_o,
    .credit_o (credit),
    .spend_i (sel_valid && sel_ready && has_response(sel_group.op, sel_group.answers)),
    .response_valid_o, .response_ready_i, .response_o,
    .entry_valid_o (commit_o.entry_valid), .entry_cta_o (commit_o.entry_cta),
    .entry_bar_o (commit_o.entry_bar), .entry_word_o (commit_o.entry_word)
  );

  always_comb begin
    commit_o.valid     = MaxIssue'(commits);
    commit_o.warp      = '0;
    commit_o.lifecycle = commit_lc;
    commit_o.exit      = commit_exit;
    for (int p = 0; p < Cfg.NumIssue; p++) commit_o.warp[p] = counted_effects[p].warp;
  end

  // An operation of an issue port is busy; the others are presented until their checks have been
  // passed. What remains is a slot that is cleaned, the walk after reset, and a response that is
  // not taken.
  assign active_o = issue_valid_i != '0 || lifecycle_valid_i || exit_valid_i || busy != '0 ||
                    lc_valid || !sel_ready || count_busy || reset_step.active || response_valid_o;

  logic debug_waiting_q;
  always_ff @(posedge clk_i) debug_waiting_q <= waiting[debug_warp_i[WarpW-1:0]];
  assign debug_warp_o = '{waiting: debug_waiting_q, live: debug_live, cta: debug_cta};

endmodule
