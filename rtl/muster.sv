// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Muster: the barrier unit of a GPU core. Wiring, but for lanes that a warp lacks: they are masked
// here. A block for each scope, named as in the picture of the README. rtl/README.md has the ports,
// the tie-offs and the latencies, and how a core gives the parameters: one by one, or all in Cfg.
// Below this module there is only Cfg.
module muster
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps      = 32,
  parameter int unsigned NumCtas       = 8,
  parameter int unsigned NumIssue      = 2,
  parameter int unsigned WarpSize      = 32,
  parameter bit          EnReduce      = 1'b1,
  parameter bit          EnResult      = 1'b1,
  parameter bit          EnState       = 1'b1,
  parameter bit          EnFaults      = 1'b1,
  parameter bit          EnDrain       = 1'b1,
  parameter bit          EnLanes       = 1'b1,
  parameter bit          EnSplit       = 1'b1,
  parameter bit          EnJoin        = 1'b1,
  parameter bit          EnMbarrier    = 1'b1,
  parameter bit          EnMbLimit     = 1'b1,
  parameter bit          EnReport      = 1'b0,
  parameter int unsigned SmemBytes     = 262144,
  parameter int unsigned MbResponses   = 8,
  parameter int unsigned ClockPeriodPs = 1000,
  parameter int unsigned WaitLimitNs   = 4000,
  // Made of the parameters above, unless it is given itself: these then have no effect.
  /* verilator lint_off WIDTHCONCAT */  // a parameter has a width
  parameter muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: WarpSize,
    EnReduce: EnReduce, EnResult: EnResult, EnState: EnState, EnFaults: EnFaults, EnDrain: EnDrain,
    EnLanes: EnLanes, EnSplit: EnSplit, EnJoin: EnJoin,
    EnMbarrier: EnMbarrier, EnMbLimit: EnMbLimit, EnReport: EnReport,
    SmemBytes: SmemBytes, MbResponses: MbResponses, ClockPeriodPs: ClockPeriodPs,
    WaitLimitNs: WaitLimitNs
  },
  // What the unit is made of: Cfg, but for illegal values, which are refused below.
  localparam muster_cfg_t Legal = Nearest(Cfg)
  /* verilator lint_on WIDTHCONCAT */
) (
  input  logic                        clk_i,              // rising edge; mb_clk_i is in phase
  // Active low; asserted at any time, released synchronously.
  input  logic                        rst_ni,

  // An operation is presented at the port, and held until ready.
  input  logic   [Legal.NumIssue-1:0] issue_valid_i,
  output logic   [Legal.NumIssue-1:0] issue_ready_o,      // it is accepted
  input  issue_t [Legal.NumIssue-1:0] issue_i,            // one barrier operation of a warp
  // Warps with an operation between acceptance and commit.
  output logic   [Legal.NumWarps-1:0] busy_o,
  output logic                        idle_o,             // this cycle needs no clock edge

  // The CTA scheduler presents an operation, held until ready.
  input  logic                        lifecycle_valid_i,
  // It has passed the checks, and commits next.
  output logic                        lifecycle_ready_o,
  input  lifecycle_t                  lifecycle_i,        // launch, open, join, suspend or end
  input  logic [Legal.NumWarps-1:0]   lifecycle_warps_i,  // launch: the warps that become live

  input  logic                        exit_valid_i,       // lanes exit; held until ready
  // The exit has passed the checks, and commits next.
  output logic                        exit_ready_o,
  input  exit_t                       exit_i,             // the warp and its lanes

  output logic [Legal.NumWarps-1:0]   fence_req_o,   // perform what the warp has accessed until now
  // Done; without a request: nothing is outstanding.
  input  logic [Legal.NumWarps-1:0]   fence_ack_i,

  output logic [Legal.NumWarps-1:0]   release_o,          // a pulse: these warps may run again
  output release_t                    release_info_o,  // the barrier of the release, and its result

  output logic                        response_valid_o,   // a response; held until ready
  input  logic                        response_ready_i,   // it is taken
  // What a B2R, or an arrival with its phase, reads.
  output response_t                   response_o,

  // A pulse: an operation was refused; issue ports, lifecycle, exit.
  output logic   [Legal.NumIssue+1:0] fault_valid_o,
  output fault_t [Legal.NumIssue+1:0] fault_o,            // its cause, and whose it was

`ifdef MUSTER_OBSERVE
  output commit_t                     commit_o,       // operations that commit, entries that change
  output mb_commit_t                  mb_commit_o,        // mbarrier operations that commit
  input  cta_t                        debug_cta_i,        // the entry to read: its CTA slot
  input  bar_t                        debug_bar_i,        // the entry to read: its barrier
  output bar_word_t                   debug_word_o,       // a cycle later: its state word
  input  warp_t                       debug_warp_i,       // the warp to read
  // A cycle later: where it is, and whether it waits.
  output debug_warp_t                 debug_warp_o,
`endif

  // The clock of the mbarrier block: clk_i, but for edges that mb_idle_o lets one leave out.
  input  logic                        mb_clk_i,
  output logic                        mb_idle_o,          // this cycle needs no edge of mb_clk_i

  // A group of lanes of a warp is presented, held until ready.
  input  logic                        mb_issue_valid_i,
  output logic                        mb_issue_ready_o,   // it is accepted
  // One mbarrier operation of lanes that name one word.
  input  mb_group_t                   mb_issue_i,
  // A copy engine presents an operation, held until ready.
  input  logic                        mb_async_valid_i,
  output logic                        mb_async_ready_o,   // it is accepted
  input  mb_async_t                   mb_async_i,         // complete_tx, arrive-on or report-on
  // Another CTA presents an operation, held until ready.
  input  logic                        mb_remote_valid_i,
  output logic                        mb_remote_ready_o,  // it is accepted
  // What a CTA of the cluster does to a word of this one.
  input  mb_remote_t                  mb_remote_i,

  // Warps with a group between acceptance and commit.
  output logic [Legal.NumWarps-1:0]   mb_busy_o,
  output logic [Legal.NumWarps-1:0]   mb_fence_req_o,     // as fence_req_o, of groups that release
  input  logic [Legal.NumWarps-1:0]   mb_fence_ack_i,     // as fence_ack_i

  output logic                        smem_read_valid_o,  // a word is to be read
  input  logic                        smem_read_ready_i,  // the bank grants it
  output mb_place_t                   smem_read_place_o,  // its CTA slot and byte address
  // The word that was granted, in a later cycle.
  input  logic                        smem_rdata_valid_i,
  input  mb_word_t                    smem_rdata_i,   // that word, which stays until the next grant
  output logic                        smem_write_valid_o,  // a word is to be written
  input  logic                        smem_write_ready_i,  // the bank grants it: the commit
  output mb_place_t                   smem_write_place_o,  // its CTA slot and byte address
  output mb_word_t                    smem_write_data_o,  // the word
  // A word between its read and its write: no store reaches it.
  output logic      [MbHeld-1:0]      smem_held_valid_o,
  output mb_place_t [MbHeld-1:0]      smem_held_place_o,  // its CTA slot and byte address
  input  logic                        smem_yield_i,       // a store waits for one: read no more

  output logic                        mb_response_valid_o,  // a response; held until ready
  input  logic                        mb_response_ready_i,  // it is taken
  output mb_response_t                mb_response_o,      // a token, or the answer of a wait
  // Nanoseconds for which the clock stood still before this edge.
  input  logic [31:0]                 mb_stopped_ns_i,
  output logic [Legal.NumWarps-1:0]   mb_wake_o,          // a pulse: parked waits are answered true
  output mb_report_t                  mb_wake_report_o,   // the report of their primary phase
  output logic [Legal.NumWarps-1:0]   mb_expire_o,       // a pulse: parked waits are answered false
  output logic                        mb_fault_valid_o,   // a pulse: an operation was refused
  output mb_fault_t                   mb_fault_o          // its cause, and whose it was
);

`include "muster_assert.svh"

`ifndef MUSTER_OBSERVE
  // The unit has no pins of observation, and synthesis leaves out what only they need.
  cta_t        debug_cta_i;
  bar_t        debug_bar_i;
  warp_t       debug_warp_i;
  assign {debug_cta_i, debug_bar_i, debug_warp_i} = '0;

  /* verilator lint_off UNUSEDSIGNAL */
  commit_t     commit_o;
  mb_commit_t  mb_commit_o;
  bar_word_t   debug_word_o;
  debug_warp_t debug_warp_o;
  /* verilator lint_on UNUSEDSIGNAL */
`endif

  // The parameters first: a sentence about them comes before whatever else a tool says.
  `MUSTER_LEGAL(Cfg.NumWarps >= 4 && Cfg.NumWarps <= MaxWarps, "NumWarps must be 4 to 64")
  `MUSTER_LEGAL(Cfg.NumCtas >= 1 && Cfg.NumCtas <= MaxCtas, "NumCtas must be 1 to 32")
  `MUSTER_LEGAL(Cfg.NumIssue inside {1, 2, 4}, "NumIssue must be 1, 2 or 4")
  `MUSTER_LEGAL(Cfg.WarpSize inside {4, 8, 16, 32}, "WarpSize must be 4, 8, 16 or 32")
  `MUSTER_LEGAL(!Cfg.EnMbarrier || Cfg.SmemBytes == Legal.SmemBytes,
                "SmemBytes must be a power of two, 16 at least")
  `MUSTER_LEGAL(!Cfg.EnMbarrier || Cfg.MbResponses >= 1,
                "MbResponses must be 1 at least, and 2 with EnLanes: one place is for split groups")
  `MUSTER_LEGAL(!Cfg.EnState || Cfg.EnReduce,
                "EnState needs EnReduce: a state word holds a reduction's result")

  // Lanes that a warp lacks take no part.
  localparam lanes_t Lanes = lanes_t'({Legal.WarpSize{1'b1}});

  issue_t [Legal.NumIssue-1:0] issue;
  lifecycle_t                lifecycle;
  exit_t                     leaving;
  mb_group_t                 mb_issue;
  mb_remote_t                mb_remote;

  always_comb begin
    issue           = issue_i;
    lifecycle       = lifecycle_i;
    leaving         = exit_i;
    mb_issue        = mb_issue_i;
    mb_remote       = mb_remote_i;
    for (int p = 0; p < Legal.NumIssue; p++) issue[p].lanes = issue_i[p].lanes & Lanes;
    lifecycle.lanes = lifecycle_i.lanes & Lanes;
    leaving.lanes   = exit_i.lanes & Lanes;
    mb_issue.lanes  = mb_issue_i.lanes & Lanes;
    mb_remote.lanes = mb_remote_i.lanes & Lanes;
  end

  logic cta_active, cta_idle, mb_active;

  muster_cta #(.Cfg(Legal)) u_cta (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i (issue), .busy_o, .active_o (cta_active),
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i (lifecycle), .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_o, .exit_i (leaving),
    .fence_req_o, .fence_ack_i,
    .release_o, .release_info_o,
    .response_valid_o, .response_ready_i, .response_o,
    .fault_valid_o, .fault_o,
    .commit_o,
    .debug_cta_i, .debug_bar_i, .debug_word_o, .debug_warp_i, .debug_warp_o
  );

  muster_idle u_cta_idle (.clk_i, .rst_ni, .active_i (cta_active), .idle_o (cta_idle));

  assign idle_o = cta_idle && mb_idle_o;

  if (Legal.EnMbarrier) begin : g_mbarrier
    muster_mbarrier #(.Cfg(Legal)) u_mbarrier (
      .clk_i (mb_clk_i), .rst_ni,
      .issue_valid_i (mb_issue_valid_i), .issue_ready_o (mb_issue_ready_o), .issue_i (mb_issue),
      .async_valid_i (mb_async_valid_i), .async_ready_o (mb_async_ready_o), .async_i (mb_async_i),
      .remote_valid_i (mb_remote_valid_i), .remote_ready_o (mb_remote_ready_o),
      .remote_i (mb_remote),
      .busy_o (mb_busy_o), .active_o (mb_active), .fence_req_o (mb_fence_req_o),
      .fence_ack_i (mb_fence_ack_i),
      .smem_read_valid_o, .smem_read_ready_i, .smem_read_place_o, .smem_rdata_valid_i,
      .smem_rdata_i, .smem_write_valid_o, .smem_write_ready_i, .smem_write_place_o,
      .smem_write_data_o, .smem_held_valid_o, .smem_held_place_o, .smem_yield_i,
      .response_valid_o (mb_response_valid_o), .response_ready_i (mb_response_ready_i),
      .response_o (mb_response_o), .stopped_ns_i (mb_stopped_ns_i),
      .wake_o (mb_wake_o), .wake_report_o (mb_wake_report_o), .expire_o (mb_expire_o),
      .leave_valid_i (lifecycle_valid_i && lifecycle_ready_o &&
                      lifecycle_i.op inside {LcSuspend, LcEnd}),
      .leave_cta_i (lifecycle_i.cta),
      .fault_valid_o (mb_fault_valid_o), .fault_o (mb_fault_o), .commit_o (mb_commit_o)
    );

    muster_idle u_idle (
      .clk_i (mb_clk_i), .rst_ni, .active_i (mb_active), .idle_o (mb_idle_o)
    );
  end else begin : g_no_mbarrier
    assign mb_active           = 1'b0;
    assign mb_idle_o           = 1'b1;
    assign mb_issue_ready_o    = 1'b0;
    assign mb_async_ready_o    = 1'b0;
    assign mb_remote_ready_o   = 1'b0;
    assign mb_busy_o           = '0;
    assign mb_fence_req_o      = '0;
    assign smem_read_valid_o   = 1'b0;
    assign smem_read_place_o   = '0;
    assign smem_write_valid_o  = 1'b0;
    assign smem_write_place_o  = '0;
    assign smem_write_data_o   = '0;
    assign smem_held_valid_o   = '0;
    assign smem_held_place_o   = '0;
    assign mb_response_valid_o = 1'b0;
    assign mb_response_o       = '0;
    assign mb_wake_o           = '0;
    assign mb_wake_report_o    = '0;
    assign mb_expire_o         = '0;
    assign mb_fault_valid_o    = 1'b0;
    assign mb_fault_o          = '0;
    assign mb_commit_o         = '0;
  end

  // -------------------------------------------------------------------------------------------
  // What the unit relies on, and what it promises
  // -------------------------------------------------------------------------------------------

`ifndef SYNTHESIS
  logic same_warp;  // two ports carry one warp
  always_comb begin
    same_warp = 1'b0;
    for (int p = 0; p < Legal.NumIssue; p++) begin
      for (int q = 0; q < p; q++) begin
        same_warp = same_warp || (issue_valid_i[p] && issue_valid_i[q] &&
                                  issue_i[p].warp == issue_i[q].warp);
      end
    end
  end
`endif

  `MUSTER_ASSERT(OneWarpPerPort, !same_warp, "two issue ports carry the same warp in one cycle")
  for (genvar p = 0; p < Legal.NumIssue; p++) begin : g_held
    `MUSTER_ASSERT_HELD(IssueHeld, issue_valid_i[p], issue_ready_o[p], issue_i[p],
                        "an operation at an issue port changes before it is accepted")
  end
  `MUSTER_ASSERT_HELD(LifecycleHeld, lifecycle_valid_i, lifecycle_ready_o,
                      {lifecycle_i, lifecycle_warps_i},
                      "a lifecycle operation changes before it is accepted")
  `MUSTER_ASSERT_HELD(ExitHeld, exit_valid_i, exit_ready_o, exit_i,
                      "an exit changes before it is accepted")
  `MUSTER_ASSERT(DrainIsBusy, (fence_req_o & ~busy_o) == '0,
                 "a drain is requested for a warp without an operation")

endmodule
