// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The first stage: everything about a group that can be judged without its entry. It hands the
// group on with each member's fault and with the count at which the entry completes, and lets
// lifecycle operations change the roster.
//
// A lifecycle operation, and any operation of a waiting warp, stays here until the stages ahead are
// empty: then who waits, and which entry took the latest all-warps arrival, are settled. Lifecycle
// operations and R2B, which are rare, take three cycles more for their checks, and a launch's steps
// one.
module muster_check
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 1,
  parameter bit          EnState  = 1'b1,
  parameter bit          EnFaults = 1'b1,
  parameter bit          EnLanes  = 1'b1,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned EntryW  = CtaW + $bits(bar_t)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    valid_i,
  output logic                    ready_o,
  input  group_t                  group_i,
  input  member_t [NumIssue-1:0]  members_i,

  input  logic [NumWarps-1:0]     launch_warps_i,  // held while a launch is under way
  input  wcount_t                 launch_size_i,
  input  lanes_t                  exit_lanes_i,    // held while an exit is under way
  output logic                    done_o,          // a lifecycle operation, not a clear, goes on

  input  logic [NumWarps-1:0]     waiting_i,
  input  logic                    begins_i,        // one port: the warp chosen begins to wait now
  input  logic                    ahead_i,         // a group is in a later stage
  input  logic                    latest_we_i,     // an all-warps arrival was counted
  input  logic [CtaW-1:0]         latest_cta_i,
  input  bar_t                    latest_bar_i,

  input  logic [31:0]             word_i,          // R2B: the state word, from the second cycle on

  output logic                    valid_o,
  input  logic                    ready_i,
  output group_t                  group_o,         // with the barrier of the entry
  output checked_t [NumIssue-1:0] members_o,
  output logic [EntryW-1:0]       next_o,          // the entry of the group here in the next cycle
  output logic [WarpW-1:0]        last_o,          // arrivals (exit: warps) before the last one

  input  logic [WarpW-1:0]        census_warp_i,   // a warp to look at ...
  output logic                    census_live_o,   // ... a cycle later
  output cta_t                    census_cta_o
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

  logic                roster_ready, resident, last_lane, launch, leave, exit, exits_q;
  logic [NumIssue-1:0] live;
  logic [WarpW-1:0]    live_last;   // live warps of the CTA, less one
  wcount_t             size;
  bar_t                latest;
  logic                chosen_q;    // a launch names the warp that its walk has come to
  wcount_t             launched_q;  // warps that the walk has entered

  muster_roster #(
    .NumWarps(NumWarps), .NumCtas(NumCtas), .NumIssue(NumIssue), .EnLanes(EnLanes)
  ) u_roster (
    .clk_i, .rst_ni, .ready_o (roster_ready),
    .next_cta_i (next_cta), .next_warps_i (next_warps),
    .cta_i (group_q.cta), .warp_i (members_q[0].warp), .lanes_i (exit_lanes_i),
    .resident_o (resident), .live_last_o (live_last), .size_o (size), .live_o (live),
    .last_lane_o (last_lane),
    .enter_i (go && group_q.op == GroupClear && exists[0]), .chosen_i (chosen_q),
    .launch_i (launch), .launch_last_i (WarpW'(launched_q - 7'd1)),
    .launch_size_i (launch_size_i), .exit_i (exit), .exits_i (exit && exits_q), .leave_i (leave),
    .census_warp_i, .census_live_o, .census_cta_o
  );

  muster_ram #(.Depth(NumCtas), .Width($bits(bar_t)), .Forward(1'b0)) u_latest (
    .clk_i,
    .we_i (latest_we_i), .waddr_i (latest_cta_i), .wdata_i (latest_bar_i),
    .raddr_i (next_cta), .rdata_o (latest)
  );

  // -------------------------------------------------------------------------------------------
  // Progress
  // -------------------------------------------------------------------------------------------

  logic lifecycle, writes;   // what kind of group it is
  logic may_wait_q;          // a member's warp waited when it was chosen
  logic rare_q;              // it is a lifecycle operation, not a clear, or R2B
  logic clear_q;             // it is a clear
  logic settled;             // nothing ahead can change what is judged here
  logic changed_q;           // the roster, or an entry as a whole, has just changed: read it again
                             // (lifecycle operations do so anyway)
  logic any_waits;
  logic [2:0] judging_q;     // cycles that the slow checks below have had, of three

  assign lifecycle = is_lifecycle(group_q.op) && (group_q.op != GroupClear);
  assign writes    = EnState && (group_q.op inside {GroupWriteBar, GroupWriteWarp});
  assign settled   = !changed_q && !(ahead_i && (may_wait_q || rare_q));
  assign go        = valid_q && ready_i && settled &&
                     (rare_q ? judging_q[2] : (judging_q[0] || !clear_q));
  assign done_o    = go && lifecycle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      changed_q  <= 1'b1;
      judging_q  <= '0;
      launched_q <= '0;
    end else begin
      changed_q <= !roster_ready || (go && (is_lifecycle(group_q.op) || writes) &&
                                     !is_lifecycle(group_i.op));
      judging_q <= (valid_q && settled && !go) ? {judging_q[1:0], 1'b1} : '0;
      if (done_o) begin
        launched_q <= '0;
      end else if (go && clear_q && chosen_q) begin
        launched_q <= launched_q + 7'd1;
      end
    end
  end

  // -------------------------------------------------------------------------------------------
  // Faults
  // -------------------------------------------------------------------------------------------

  wcount_t               expected;    // as the arrival, or R2B's word, has it
  logic [WarpW-1:0]      word_last_q;
  logic [WarpW-1:0]      last;        // the count of such an entry before its last arrival
  bar_word_t             bar_word;
  warp_word_t            warp_word;
  logic                  write_bar, above, above_q, bad_launch_q, bad_word, bad_word_q;
  logic                  leave_q, exit_q;
  logic [NumIssue-1:0]   idle;        // no lane takes part
  logic [NumIssue-1:0]   waits;       // the warp waits already
  logic [NumIssue-1:0]   no_count, bad_count, accepted;
  fault_e [NumIssue-1:0] cause;

  assign bar_word  = word_i;
  assign warp_word = word_i;
  assign write_bar = EnState && (group_q.op == GroupWriteBar);
  assign expected  = write_bar ? bar_word.expected : group_q.expected;
  assign above     = (expected > size);
  assign last      = (expected == '0) ? live_last : WarpW'(expected - 7'd1);

  muster_word_check #(.NumWarps(NumWarps)) u_word_check (
    .bar_i (write_bar), .bar_word_i (bar_word), .warp_word_i (warp_word),
    .above_i (above_q), .last_i (word_last_q), .size_i (size), .bad_o (bad_word)
  );

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      may_wait_q <= any_waits;
      clear_q    <= (group_i.op == GroupClear);
      rare_q     <= (is_lifecycle(group_i.op) && group_i.op != GroupClear) ||
                    (EnState && group_i.op inside {GroupWriteBar, GroupWriteWarp});
    end
    above_q      <= above;
    word_last_q  <= last;
    bad_word_q   <= bad_word;
    chosen_q     <= exists[0] && launch_warps_i[members_q[0].warp[WarpW-1:0]];
    leave_q      <= resident || !EnFaults;
    exit_q       <= accepted[0];
    exits_q      <= accepted[0] && last_lane;
    bad_launch_q <= resident || (32'(group_q.cta) >= NumCtas) || (launched_q == '0) ||
                    (launched_q > launch_size_i) || (32'(launch_size_i) > NumWarps);
  end

  always_comb begin
    any_waits = (NumIssue == 1) && begins_i;
    for (int m = 0; m < NumIssue; m++) begin
      any_waits = any_waits || (members_i[m].valid && waiting_i[members_i[m].warp[WarpW-1:0]]);
    end
  end

  always_comb begin
    for (int m = 0; m < NumIssue; m++) begin
      idle[m]  = (group_q.op == GroupExit) ? (exit_lanes_i == '0) : members_q[m].idle;
      waits[m] = may_wait_q && waiting_i[members_q[m].warp[WarpW-1:0]] &&
                 !(group_q.op inside {GroupReadBar, GroupReadWarp});
      no_count[m]  = !members_q[m].waits && (group_q.expected == '0) && !group_q.ragged;
      bad_count[m] = no_count[m] || group_q.ragged;
      cause[m]     = FaultNone;
      unique case (group_q.op)
        GroupClear:  cause[m] = FaultNone;
        GroupLaunch: if (bad_launch_q) cause[m] = FaultBadLaunch;
        GroupLeave:  if (!resident) cause[m] = FaultCtaNotResident;
        default: begin
          if (idle[m]) begin
            cause[m] = FaultNone;
          end else if (!resident) begin
            cause[m] = FaultCtaNotResident;
          end else if (!live[m] || !exists[m]) begin
            cause[m] = FaultWarpNotLive;
          end else if (waits[m]) begin
            cause[m] = FaultWarpWaiting;
          end else if (writes) begin
            if (bad_word_q) cause[m] = FaultBadStateWord;
          end else if (group_q.op == GroupArrive) begin
            if (no_count[m]) cause[m] = FaultArvWithoutCount;
            else if (bad_count[m]) cause[m] = FaultCountNotMultiple;
            else if (above) cause[m] = FaultCountAboveCta;
          end
        end
      endcase
      if (!EnFaults) cause[m] = FaultNone;
      // The same again as one product, which is shorter than the order of precedence.
      accepted[m] = !idle[m];
      if (EnFaults) begin
        accepted[m] = !idle[m] && resident && live[m] && exists[m] && !waits[m] &&
                      !(writes && bad_word_q) &&
                      !(group_q.op == GroupArrive && (bad_count[m] || above));
      end
    end
  end

  assign launch = go && (group_q.op == GroupLaunch) && !(EnFaults && bad_launch_q);
  assign leave  = go && (group_q.op == GroupLeave) && leave_q;
  assign exit   = go && (group_q.op == GroupExit) && exit_q;

  // -------------------------------------------------------------------------------------------
  // Onward
  // -------------------------------------------------------------------------------------------

  logic [NumIssue-1:0] takes_effect;

  assign next_o = {next_cta, ready_o ? group_i.bar : group_o.bar};

  // A clear of a slot that is taken goes no further.
  assign valid_o = go && !(EnFaults && group_q.op == GroupClear &&
                           (resident || 32'(group_q.cta) >= NumCtas));
  assign last_o  = (group_q.op == GroupArrive) ? last : live_last;

  always_comb begin
    group_o = group_q;
    if (group_q.op == GroupExit) group_o.bar = latest;
    if (EnState && group_q.op == GroupWriteWarp) group_o.bar = warp_word.wait_bar;

    for (int m = 0; m < NumIssue; m++) begin
      unique case (group_q.op)
        GroupExit:  takes_effect[m] = exits_q;
        GroupClear: takes_effect[m] = chosen_q;
        default:    takes_effect[m] = accepted[m];
      endcase
      members_o[m] = '{
        valid:    members_q[m].valid,
        counts:   members_q[m].valid && takes_effect[m],
        waits:    members_q[m].waits,
        warp:     members_q[m].warp,
        cause:    cause[m]
      };
    end
  end

endmodule
