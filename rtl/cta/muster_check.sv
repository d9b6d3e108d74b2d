// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The first stage: everything about a group that can be judged without its entry. It keeps what is
// known of each CTA (resident, size, live warps, the all-warps entry that an exit tests) and of
// each warp (live, its live lanes), changes it for lifecycle operations, and hands the group on
// with each member's fault and with the count at which the entry completes.
//
// A lifecycle operation, and any operation of a waiting warp, stays here until the stages ahead are
// empty: then who waits, and which entry took the latest all-warps arrival, are settled.
module muster_check
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 1,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnState  = 1'b1,
  parameter bit          EnFaults = 1'b1,
  parameter bit          EnLanes  = 1'b1,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    valid_i,
  output logic                    ready_o,
  input  group_t                  group_i,
  input  member_t [NumIssue-1:0]  members_i,

  input  lifecycle_t              lifecycle_i,     // held until the operation is done
  input  wcount_t                 live_i,          // launch: how many warps are live
  output logic                    launched_o,      // a launch is accepted in this cycle
  output logic                    done_o,          // a lifecycle operation, not a clear, goes on

  input  logic [NumWarps-1:0]     waiting_i,
  input  logic                    ahead_i,         // a group is in a later stage
  input  logic                    latest_we_i,     // an all-warps arrival was counted
  input  logic [CtaW-1:0]         latest_cta_i,
  input  bar_t                    latest_bar_i,

  output logic                    valid_o,
  input  logic                    ready_i,
  output group_t                  group_o,         // with the barrier of the entry
  output checked_t [NumIssue-1:0] members_o,
  output logic [WarpW-1:0]        last_o,          // arrivals (exit: warps) before the last one
  output logic [31:0]             word_o,          // R2B: the state word
  output logic                    leave_o,         // a CTA leaves in this cycle ...
  output logic [NumWarps-1:0]     leavers_o,       // ... and with it these warps
  output logic [NumWarps-1:0]     live_o
);

  // -------------------------------------------------------------------------------------------
  // The stage's register, and the memories that are read on the way into it
  // -------------------------------------------------------------------------------------------

  logic                   valid_q, go;
  group_t                 group_q, group_d;
  member_t [NumIssue-1:0] members_q, members_d;

  assign ready_o   = !valid_q || go;
  assign group_d   = ready_o ? group_i   : group_q;
  assign members_d = ready_o ? members_i : members_q;

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
  end

  logic [CtaW-1:0]     cta;
  logic [WarpW-1:0]    live_last;  // live warps of the CTA, less one
  wcount_t             size;
  bar_t                latest;
  logic [NumWarps-1:0] warps;      // that the CTA was launched with
  logic                launch, exit, warp_exits;

  assign cta = group_q.cta[CtaW-1:0];

  muster_ram #(.Depth(NumCtas), .Width(WarpW + $bits(wcount_t)), .Forward(1'b0)) u_counts (
    .clk_i,
    .we_i (launch || warp_exits), .waddr_i (cta),
    .wdata_i (launch ? {WarpW'(live_i - 7'd1), lifecycle_i.size} : {live_last - WarpW'(1), size}),
    .raddr_i (group_d.cta[CtaW-1:0]), .rdata_o ({live_last, size})
  );

  muster_ram #(.Depth(NumCtas), .Width(NumWarps), .Forward(1'b0)) u_warps (
    .clk_i,
    .we_i (launch), .waddr_i (cta), .wdata_i (lifecycle_i.warps[NumWarps-1:0]),
    .raddr_i (group_d.cta[CtaW-1:0]), .rdata_o (warps)
  );

  muster_ram #(.Depth(NumCtas), .Width($bits(bar_t)), .Forward(1'b0)) u_latest (
    .clk_i,
    .we_i (latest_we_i), .waddr_i (latest_cta_i), .wdata_i (latest_bar_i),
    .raddr_i (group_d.cta[CtaW-1:0]), .rdata_o (latest)
  );

  // -------------------------------------------------------------------------------------------
  // Who is there
  // -------------------------------------------------------------------------------------------

  logic [NumCtas-1:0]  resident_q, resident_d;
  logic [NumWarps-1:0] live_q, live_d;
  logic                cta_exists, resident;

  assign cta_exists = (32'(group_q.cta) < NumCtas);
  assign resident   = cta_exists && resident_q[cta];

  logic                waits_somewhere;  // a member's warp waits
  logic [NumIssue-1:0] member_live, member_waiting, member_idle;

  always_comb begin
    for (int m = 0; m < NumIssue; m++) begin
      automatic logic [WarpW-1:0] warp = members_q[m].warp[WarpW-1:0];
      member_live[m]    = (32'(members_q[m].warp) < NumWarps) && warps[warp] && live_q[warp];
      member_waiting[m] = members_q[m].valid && waiting_i[warp];
      member_idle[m]    = (members_q[m].lanes == '0);
    end
    waits_somewhere = (EnFaults || EnState) && (member_waiting != '0);
  end

  // -------------------------------------------------------------------------------------------
  // Faults
  // -------------------------------------------------------------------------------------------

  wcount_t    expected;
  logic [MaxWarps-1:0] free;     // warps that a launch may take
  logic       bad_launch, bad_word;
  bar_word_t  bar_word;
  warp_word_t warp_word;

  assign expected   = group_q.count[11:5];
  assign bar_word   = members_q[0].operand;
  assign warp_word  = members_q[0].operand;
  always_comb begin
    free = '0;
    free[NumWarps-1:0] = ~live_q;
  end

  assign bad_launch = !cta_exists || resident || (live_i == '0) || (live_i > lifecycle_i.size) ||
                      (32'(lifecycle_i.size) > NumWarps) ||
                      ((lifecycle_i.warps & ~free) != '0);

  muster_word_check #(.NumWarps(NumWarps)) u_word_check (
    .bar_i (group_q.op == GroupWriteBar), .bar_word_i (bar_word), .warp_word_i (warp_word),
    .live_last_i (live_last), .size_i (size), .bad_o (bad_word)
  );

  fault_e [NumIssue-1:0] cause;

  always_comb begin
    for (int m = 0; m < NumIssue; m++) begin
      cause[m] = FaultNone;
      if (!EnFaults || group_q.op == GroupClear) begin
        cause[m] = FaultNone;
      end else if (group_q.op == GroupLaunch) begin
        if (bad_launch) cause[m] = FaultBadLaunch;
      end else if (group_q.op == GroupLeave) begin
        if (!resident) cause[m] = FaultCtaNotResident;
      end else if (member_idle[m]) begin
        cause[m] = FaultNone;
      end else if (!resident) begin
        cause[m] = FaultCtaNotResident;
      end else if (!member_live[m]) begin
        cause[m] = FaultWarpNotLive;
      end else if (member_waiting[m] && !(group_q.op inside {GroupReadBar, GroupReadWarp})) begin
        cause[m] = FaultWarpWaiting;
      end else if (group_q.op inside {GroupWriteBar, GroupWriteWarp}) begin
        if (bad_word) cause[m] = FaultBadStateWord;
      end else if (group_q.op == GroupArrive) begin
        if (!members_q[m].waits && group_q.count == '0) cause[m] = FaultArvWithoutCount;
        else if (group_q.count[4:0] != '0) cause[m] = FaultCountNotMultiple;
        else if (expected > size) cause[m] = FaultCountAboveCta;
      end
    end
  end

  // -------------------------------------------------------------------------------------------
  // Lifecycle
  // -------------------------------------------------------------------------------------------

  logic changed_q;  // the memories were written in the cycle before: they are read once more

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      changed_q <= 1'b0;
    end else begin
      changed_q <= done_o;
    end
  end

  assign go = valid_q && ready_i && !changed_q &&
              !(ahead_i && (waits_somewhere ||
                            (is_lifecycle(group_q.op) && group_q.op != GroupClear)));

  assign done_o     = go && is_lifecycle(group_q.op) && (group_q.op != GroupClear);
  assign launch     = go && (group_q.op == GroupLaunch) && (cause[0] == FaultNone);
  assign leave_o    = go && (group_q.op == GroupLeave) && (cause[0] == FaultNone);
  assign exit       = go && (group_q.op == GroupExit) && (cause[0] == FaultNone) &&
                      !member_idle[0];
  assign launched_o = launch;
  assign leavers_o  = warps;

  logic last_lane;  // no live lane is left
  assign warp_exits = exit && last_lane;

  if (EnLanes) begin : g_lanes
    muster_lanes #(.NumWarps(NumWarps)) u_lanes (
      .clk_i,
      .launch_i (launch), .warps_i (lifecycle_i.warps[NumWarps-1:0]),
      .exit_i (exit), .warp_i (members_q[0].warp[WarpW-1:0]), .lanes_i (members_q[0].lanes),
      .next_warp_i (members_d[0].warp[WarpW-1:0]), .last_o (last_lane)
    );
  end else begin : g_no_lanes
    assign last_lane = 1'b1;
  end

  always_comb begin
    resident_d = resident_q;
    live_d     = live_q;
    if (launch) begin
      resident_d[cta] = 1'b1;
      live_d          = live_q | lifecycle_i.warps[NumWarps-1:0];
    end
    if (leave_o) begin
      resident_d[cta] = 1'b0;
      live_d          = live_q & ~warps;
    end
    if (warp_exits) live_d[members_q[0].warp[WarpW-1:0]] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      resident_q <= '0;
      live_q     <= '0;
    end else begin
      resident_q <= resident_d;
      live_q     <= live_d;
    end
  end

  assign live_o = live_q;

  // -------------------------------------------------------------------------------------------
  // Onward
  // -------------------------------------------------------------------------------------------

  // A clear of a slot that is taken goes no further.
  assign valid_o = go && !(group_q.op == GroupClear && (resident || !cta_exists));
  assign word_o  = members_q[0].operand;

  always_comb begin
    group_o = group_q;
    if (group_q.op == GroupExit) group_o.bar = latest;
    if (group_q.op == GroupWriteWarp) group_o.bar = warp_word.wait_bar;
    last_o = live_last;
    if (group_q.op == GroupArrive && expected != '0) last_o = WarpW'(expected - 7'd1);

    for (int m = 0; m < NumIssue; m++) begin
      members_o[m] = '{
        valid:    members_q[m].valid,
        counts:   members_q[m].valid && (cause[m] == FaultNone) &&
                  ((group_q.op == GroupExit) ? warp_exits : !member_idle[m]),
        waits:    members_q[m].waits,
        warp:     members_q[m].warp,
        lanes:    members_q[m].lanes,
        cause:    cause[m],
        partials: '0
      };
      if (EnReduce) begin
        for (int i = 0; i < 8; i++) begin
          automatic logic [3:0] lanes = members_q[m].lanes[4*i+:4];
          automatic logic [3:0] preds = members_q[m].operand[4*i+:4];
          automatic logic [3:0] hits  = lanes & ((group_q.kind == KindAnd) ? ~preds : preds);
          members_o[m].partials[i] = 3'(hits[0]) + 3'(hits[1]) + 3'(hits[2]) + 3'(hits[3]);
        end
      end
    end
  end

endmodule
