// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the named barriers: muster_cta with 4 warps and 2 CTA slots, either of which is
// followed. Any operation may be presented in any cycle, within the contracts of rtl/README.md.
//
// The first cycle is any state in which no operation is on its way: one CTA or two, of any size and with any
// warps, and every entry with any legal count, kind, waiting warps and value. It is not proven here that a
// launch leads to such a state, nor that an update leads to one again.
module cta_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumCtas  = 2,
  parameter int unsigned NumIssue = 1,
  parameter int unsigned WarpSize = 32,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnState  = 1'b0,
  parameter bit          EnSplit  = 1'b1,
  parameter bit          Restore  = 1'b0,  // with the properties of save and restore
  parameter bit          EnFaults = 1'b1
) (
  input logic                   clk_i,
  input cta_t                   follow_i,
  input logic   [NumIssue-1:0]  issue_valid_i,
  input issue_t [NumIssue-1:0]  issue_i,
  input logic                   lc_valid_i,
  input lifecycle_t             lifecycle_i,
  input logic    [NumWarps-1:0] lifecycle_warps_i,
  input logic                   exit_valid_i,
  input exit_t                  exit_i,
  input logic                   response_ready_i,
  input cta_t                   debug_cta_i,
  input bar_t                   debug_bar_i,
  input warp_t                  debug_warp_i
);

  logic                   started_q = 1'b0;  // it is not the first cycle
  cta_t                   follow, follow_q;
  logic   [NumIssue-1:0]  issue_ready;
  logic                   lc_ready, exit_ready;
  logic    [NumWarps-1:0] released;
  release_t               release_info;
  logic   [NumIssue+1:0]  fault_valid;
  fault_t [NumIssue+1:0]  fault;
  commit_t                commit;
  logic                   response_valid;
  response_t              response;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    follow_q  <= follow;
  end
  assign follow = started_q ? follow_q : follow_i;

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: WarpSize, EnReduce: EnReduce, EnResult: 1'b1,
    EnState: EnState, EnFaults: EnFaults, EnSplit: EnSplit, SmemBytes: 16, MbResponses: 1,
    ClockPeriodPs: 1000, WaitLimitNs: 0, default: 1'b0  // all other switches
  };

  muster_cta #(.Cfg(Cfg)) u_cta (
    .clk_i, .rst_ni (1'b1),
    .issue_valid_i, .issue_ready_o (issue_ready), .issue_i, .busy_o (), .active_o (),
    .lifecycle_valid_i (lc_valid_i), .lifecycle_ready_o (lc_ready), .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_o (exit_ready), .exit_i,
    .fence_req_o (), .fence_ack_i ('1),
    .release_o (released), .release_info_o (release_info),
    .response_valid_o (response_valid), .response_ready_i, .response_o (response),
    .fault_valid_o (fault_valid), .fault_o (fault), .commit_o (commit),
    .debug_cta_i, .debug_bar_i, .debug_word_o (), .debug_warp_i, .debug_warp_o ()
  );

  cta_props #(
    .NumWarps(NumWarps), .NumIssue(NumIssue), .WarpSize(WarpSize), .EnFaults(EnFaults), .EnLanes(1'b0),
    .EnSplit(EnSplit),
    .Words(EnState), .Lag(EnReduce || NumIssue > 1)
  ) u_props (
    .clk_i, .rst_ni (1'b1), .follow_i (follow),
    .accept_i (issue_valid_i & issue_ready), .issue_i, .lc_done_i (lc_valid_i && lc_ready),
    .lifecycle_i, .lifecycle_warps_i, .exit_done_i (exit_valid_i && exit_ready), .exit_i,
    .release_i (released), .release_info_i (release_info),
    .fault_valid_i (fault_valid[NumIssue-1:0]), .fault_i (fault[NumIssue-1:0]),
    .response_valid_i (response_valid), .response_i (response), .commit_i (commit)
  );

  cta_contract #(
    .NumWarps(NumWarps), .NumIssue(NumIssue), .WarpSize(WarpSize), .EnReduce(EnReduce), .EnState(EnState),
    .EnSplit(EnSplit), .EnJoin(1'b0)
  ) u_contract (
    .clk_i, .started_i (started_q), .issue_valid_i, .issue_ready_i (issue_ready), .issue_i,
    .lc_valid_i, .lc_ready_i (lc_ready), .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_i (exit_ready), .exit_i, .lc_held_o (), .exit_held_o ()
  );

  always_ff @(posedge clk_i) assume (32'(follow) < NumCtas);

  // ---------------------------------------------------------------------------------------------
  // The first cycle
  // ---------------------------------------------------------------------------------------------

  localparam int unsigned WarpW = $clog2(NumWarps);
  localparam int unsigned CtaW  = $clog2(NumCtas);
  localparam int unsigned EntryW = CtaW + 4;

  // A warp waits at one entry.
  logic [NumWarps-1:0] once, twice;

  always_comb begin
    once  = '0;
    twice = '0;
    for (int b = 0; b < NumBars; b++) begin
      twice = twice | (once & u_props.table_q[b].waiting);
      once  = once | u_props.table_q[b].waiting;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      // Nothing is on its way.
      assume (!u_cta.u_check.valid_q && !u_cta.u_count.valid_q && u_cta.outcome == '0);
      assume (u_cta.effects == '0 && u_cta.u_lag.counted_q == '0 && u_cta.busy == '0 && released == '0);
      assume (u_cta.u_check.roster_ready && !u_cta.u_check.u_steps.changed_q &&
              u_cta.u_check.u_steps.judging_q == '0);
      assume (u_cta.u_check.u_launch_check.entered_nq == '1 && !u_cta.u_count.forward_q && !u_cta.u_count.offer_forward_q);
      assume (u_cta.u_lifecycle.walked_q == '0 && !u_cta.u_lifecycle.cleaning_q);
      assume (!u_cta.u_lifecycle.sent_q && !u_cta.u_exit.sent_q);
      assume (u_cta.warps == '0 && !commit.entry_valid && fault_valid == '0);
      // The table that follows.
      assume (u_props.late_q == '0 && u_props.answer_q == '0 && !u_props.exits_q && u_props.known_q);
      assume (u_props.waits_q == once && twice == '0 && (u_props.waits_q & ~u_props.live_q) == '0);
      assume ((u_cta.waiting & u_props.live_q) == u_props.waits_q);
      assume (EnState || u_props.owed_q == '0);
      assume (((u_props.apart_q ^ u_cta.g_warps.u_warps.g_results.u_results.apart_q) & u_props.waits_q) == '0);
      assume (!u_props.resident_q || (u_props.live_q != '0 && u_props.alive_q <= u_props.size_q &&
              u_props.alive_q == u_props.warps_of(u_props.live_q) && 32'(u_props.size_q) <= NumWarps));
    end
  end

  for (genvar w = 0; w < NumWarps; w++) begin : g_record
    always_ff @(posedge clk_i) begin
      assume (started_q || !u_props.waits_q[w] ||
              u_cta.g_warps.u_warps.u_records.mem[w][$bits(bar_t)] == u_props.apart_q[w]);
    end
  end

  if (NumIssue > 1) begin : g_stages
    for (genvar p = 0; p < NumIssue; p++) begin : g_stage
      always_ff @(posedge clk_i) assume (started_q || (!u_cta.held_valid[p] &&
                                                       !u_cta.g_port[p].u_port.g_hold.u_skid.full_q));
    end
  end

  if (EnReduce || EnSplit) begin : g_credits
    always_ff @(posedge clk_i) begin
      if (!started_q) begin
        assume (u_cta.u_report.g_responses.u_response.u_fifo.filled_q == '0 &&
                u_cta.u_report.g_responses.u_response.credits_q == ((NumIssue > 1) ? 3'd4 : 3'd1));
      end
    end
  end

  // The unit's own: what a launch enters in the roster, and idle entries, of the other slot as well.
  for (genvar c = 0; c < NumCtas; c++) begin : g_slot
    logic               resident, unjoined;
    logic [WarpW-1:0]   live_last;
    logic [WarpW:0]     size, size_n;
    logic [NumWarps-1:0] live;

    assign {resident, unjoined, live_last, size_n} = u_cta.u_check.u_roster.u_slots.mem[c];
    assign size = ~size_n;
    for (genvar w = 0; w < NumWarps; w++) begin : g_warp
      assign live[w] = u_cta.u_check.u_roster.u_places.mem[w][WarpSize+:CtaW+1] == {1'b1, CtaW'(c)};
    end

    always_ff @(posedge clk_i) begin
      if (!started_q) begin
        assume (!resident || (!unjoined && live != '0 && live_last == WarpW'(u_props.warps_of(live) - 7'd1) &&
                32'(size) >= 32'(u_props.warps_of(live)) && 32'(size) <= NumWarps));
        assume (follow != 5'(c) || (resident == u_props.resident_q &&
                (!resident || (live == u_props.live_q && size == u_props.size_q[WarpW:0]))));
      end
    end
    for (genvar b = 0; b < NumBars; b++) begin : g_entry
      logic [2:0]          kind;
      logic [WarpW:0]      expected;
      logic [WarpW-1:0]    arrived;
      logic [NumWarps-1:0] waiting, apart;
      logic                phase;

      assign {phase, kind, expected, arrived} = u_cta.u_count.u_counts.mem[16 * c + b];
      assign waiting = u_cta.u_release.u_waiters.mem[16 * c + b] & ~apart;
      assign apart   = u_cta.u_release.u_waiters.mem[16 * c + b] & u_cta.g_warps.u_warps.g_results.u_results.apart_q;

      always_ff @(posedge clk_i) begin
        // Only warps of a CTA wait at its entries, and as many as have arrived; amid a restore, fewer.
        if (!started_q && resident) begin
          assume (kind <= KindPopc && (kind == KindIdle ? {expected, arrived} == '0 :
                  arrived != '0 && (waiting & ~live) == '0 &&
                  (expected == '0 ? arrived <= live_last && (7'(arrived) == u_props.warps_of(waiting) ||
                   (EnState && 7'(arrived) > u_props.warps_of(waiting))) :
                   {1'b0, arrived} < expected && expected <= size &&
                   u_props.warps_of(waiting) <= 7'(arrived))));
          assume (EnSplit ? (apart & ~live) == '0 && (kind != KindIdle || waiting == '0) : apart == '0);
        end
      end
    end
  end

  // The table that follows, entry by entry: how the unit's memories stand to it. The release stage writes
  // its own a cycle after the commit; so these are taken as they will be in the next cycle.
  logic [NumBars-1:0] stands;

  for (genvar b = 0; b < NumBars; b++) begin : g_followed
    logic [EntryW-1:0]   row;
    bar_word_t           word;
    logic                written;
    logic [NumWarps-1:0] waiting;
    logic [WarpW+5:0]    value;
    bar_t                latest;

    assign row     = {follow[CtaW-1:0], 4'(b)};
    assign written = u_cta.u_release.entry == row;
    assign waiting = (written && u_cta.u_release.waiters_write) ? u_cta.u_release.waiters_d :
                     u_cta.u_release.u_waiters.mem[row];
    assign word   = '{zero: '0, phase: u_props.table_q[b].phase, kind: u_props.table_q[b].kind, expected: u_props.table_q[b].expected,
                      arrived: u_props.table_q[b].arrived, value: u_props.table_q[b].value};
    assign latest = u_cta.u_check.u_latest.mem[follow[CtaW-1:0]];
    if (EnReduce) begin : g_value
      assign value = (written && u_cta.outcome.accepted &&
                      u_cta.outcome.op inside {GroupArrive, GroupWriteBar}) ?
                     u_cta.u_release.value_new : u_cta.u_release.g_reduce.u_values.mem[row];
    end else begin : g_no_value
      assign value = '0;
    end

    assign stands[b] = u_cta.u_count.u_counts.mem[row] ==
                         {word.phase && EnSplit, word.kind, word.expected[WarpW:0], word.arrived[WarpW-1:0]} &&
                       word.expected < 7'd8 && word.arrived < 7'd4 &&
                       u_props.table_q[b].waiting == ((!EnSplit && word.kind == KindIdle) ? '0 : waiting) &&
                       word.value == (word.kind == KindPopc ? 12'(value) : word.kind == KindAnd ?
                         12'(!value[0]) : word.kind == KindOr ? 12'(value[0]) : 12'd0);
    always_ff @(posedge clk_i) begin
      if (!started_q && u_props.resident_q) begin
        assume (stands[b]);
        assume (word.kind == KindPopc ? value <= 8'(word.arrived[2:0]) << $clog2(WarpSize) :
                word.kind <= KindSync || value <= 8'd1);
        // Arrivals with count 0 wait at the latest such entry, if anywhere.
        assume (word.kind == KindIdle || word.expected != '0 || latest == 4'(b) ||
                (u_props.table_q[latest].kind != KindIdle && u_props.table_q[latest].expected == '0));
      end
    end
  end

  if (NumIssue > 1) begin : g_merge
    cta_merge_props #(.NumWarps(NumWarps), .NumIssue(NumIssue)) u_merge (.clk_i, .commit_i (commit));
  end

  if (EnState) begin : g_words
    cta_word_formal #(.NumWarps(NumWarps), .NumCtas(NumCtas), .WarpSize(WarpSize)) u_words (
      .clk_i, .started_i (started_q), .follow_i (follow), .stands_i (stands), .issue_valid_i (issue_valid_i[0]),
      .issue_i (issue_i[0]), .lc_valid_i (lc_valid_i || exit_valid_i), .commit_i (commit), .response_valid_i (response_valid),
      .response_i (response)
    );
  end
  if (Restore) begin : g_restore
    cta_restore_props #(.NumWarps(NumWarps), .NumCtas(NumCtas)) u_restore (
      .clk_i, .follow_i (follow), .commit_i (commit), .response_valid_i (response_valid),
      .response_i (response), .fault_valid_i (fault_valid[0])
    );
  end

  // A launch names no warp that is live in another CTA. (In the cycles of a proof it cannot end.)
  always_ff @(posedge clk_i) assume (!(lc_valid_i && lifecycle_i.op == LcLaunch));

endmodule
