// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit in the place of a Vortex core's barrier unit. Ports on the core's side have the names of
// its scheduler's signals; the README has the wiring. Translated are barriers of one core, at which
// warps arrive and wait at once, or arrive, are answered the phase, and wait for it later. Barriers
// among cores are refused, arrivals that expect more warps than the unit has, and without EnSplit
// all but arrivals that wait at once; events have no ports.
module muster_vortex
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps   = 8,     // VX_CFG_NUM_WARPS; NumCtas of the unit is the same
  parameter int unsigned NumThreads = 4,     // VX_CFG_NUM_THREADS
  parameter int unsigned WarpSize   = NumThreads,  // that of the unit
  parameter int unsigned BarW       = 4,     // bits of a barrier's number, at most 4
  parameter bit          EnSplit    = 1'b1,  // that of the unit
  // At a barrier of all warps of the CTA, the end of one counts.
  parameter bit          EndsCount  = 1'b1,
  localparam int unsigned WarpW     = $clog2(NumWarps),
  localparam int unsigned SizeW     = $clog2(NumWarps + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,          // of the core and of the unit

  // From VX_cta_dispatch: a warp begins.
  input  logic                  cta_fire_i,      // cta_fire
  input  logic      [WarpW-1:0] cta_wid_i,       // cta_wid
  input  logic      [WarpW-1:0] cta_id_i,        // cta_csrs.cta_id: the slot of its CTA
  input  logic      [SizeW-1:0] cta_size_i,      // cta_csrs.cta_size: warps of the CTA
  // With cta_fire: the warp begins stalled, until unlock_mask_o.
  output logic                  cta_hold_o,

  // From VX_wctl_unit, by VX_warp_ctl_if. There is no ready signal.
  input  logic      [WarpW-1:0] wid_i,           // warp_ctl_if.wid
  input  logic                  tmc_valid_i,     // warp_ctl_if.tmc_valid
  // warp_ctl_if.tmc.tmask; none left: the warp has ended.
  input  logic [NumThreads-1:0] tmc_tmask_i,
  input  logic                  bar_valid_i,     // warp_ctl_if.bar_valid, unless bar.is_event
  input  logic       [BarW-1:0] bar_id_i,        // warp_ctl_if.bar.id, of the warp's own CTA
  input  logic                  bar_is_sync_i,   // warp_ctl_if.bar.is_sync: arrive and wait at once
  // warp_ctl_if.bar.is_arrive; neither: wait for a phase.
  input  logic                  bar_is_arrive_i,
  input  logic                  bar_is_global_i, // warp_ctl_if.bar.is_global
  input  logic                  bar_phase_i,     // warp_ctl_if.bar.phase: the one to wait for
  input  logic      [SizeW-1:0] bar_size_m1_i,  // warp_ctl_if.bar.size_m1: warps expected, less one

  // To the scheduler.
  output logic                  unlock_valid_o,  // bar_unlock_valid
  // bar_unlock_mask: these warps are no longer stalled.
  output logic   [NumWarps-1:0] unlock_mask_o,
  // A pulse, with the unlock: the warp's request was refused; trap.
  output logic   [NumWarps-1:0] refused_o,

  // To VX_wctl_unit: the result of a warp that has arrived, which is unlocked as the result is
  // taken.
  output logic                  phase_valid_o,   // stays, with the rest, until it is taken
  input  logic                  phase_ready_i,   // it is taken
  output logic      [WarpW-1:0] phase_wid_o,     // the warp
  output logic                  phase_o,         // the phase in which it arrived, for rd

  // The unit, with NumIssue 1 and EnJoin 1.
  output logic                  issue_valid_o,     // issue_valid_i[0]
  input  logic                  issue_ready_i,     // issue_ready_o[0]
  output issue_t                issue_o,           // issue_i[0]
  output logic                  lifecycle_valid_o, // lifecycle_valid_i
  input  logic                  lifecycle_ready_i, // lifecycle_ready_o
  output lifecycle_t            lifecycle_o,       // lifecycle_i; lifecycle_warps_i is 0
  output logic                  exit_valid_o,      // exit_valid_i
  input  logic                  exit_ready_i,      // exit_ready_o
  output exit_t                 exit_o,            // exit_i
  input  logic   [NumWarps-1:0] release_i,         // release_o
  input  logic                  response_valid_i,  // response_valid_o
  output logic                  response_ready_o,  // response_ready_i
  input  response_t             response_i,        // response_o
  input  logic                  fault_valid_i,     // fault_valid_o[0]
  input  fault_t                fault_i            // fault_o[0]
);

  logic [NumWarps-1:0][SizeW-1:0] size_q;  // warps of the CTA, by warp
  logic   [SizeW-1:0]             size;    // expected by this arrival
  logic                           all, too_large, unknown;
  op_e                            op;
  logic [NumWarps-1:0]            go, refused, unknown_warp;

  // A size above NumWarps may be one that no count holds: 2**SizeW warps would be 0, which is all
  // live warps.
  assign too_large = (bar_is_sync_i || bar_is_arrive_i) && (bar_size_m1_i >= SizeW'(NumWarps));
  assign size      = bar_size_m1_i + SizeW'(1);
  assign unknown   = bar_is_global_i || too_large || !(EnSplit || bar_is_sync_i);
  assign all       = EndsCount && bar_is_sync_i && (size == size_q[wid_i]);

  always_ff @(posedge clk_i) begin
    if (cta_fire_i) size_q[cta_wid_i] <= cta_size_i;
  end

  always_comb begin
    op = OpWait;
    if (bar_is_arrive_i) op = OpArrivePhase;
    if (bar_is_sync_i) op = OpSync;

    unknown_warp = '0;
    if (bar_valid_i && unknown) unknown_warp[wid_i] = 1'b1;
  end

  // The scheduler knows whom it has stalled, and which CTA is done.
  /* verilator lint_off PINCONNECTEMPTY */
  muster_core_port #(.NumWarps(NumWarps), .NumCtas(NumWarps)) u_port (
    .clk_i, .rst_ni,
    .dispatch_valid_i (cta_fire_i), .dispatch_warp_i (cta_wid_i), .dispatch_cta_i (cta_id_i),
    .dispatch_size_i (cta_size_i),
    .arrive_valid_i (bar_valid_i && !unknown), .arrive_warp_i (wid_i),
    .arrive_op_i (op), .arrive_bar_i (bar_t'(bar_id_i)),
    .arrive_count_i (all ? '0 : 12'(size) * 12'(WarpSize)), .arrive_phase_i (bar_phase_i),
    .end_valid_i (tmc_valid_i && tmc_tmask_i == '0), .end_warp_i (wid_i),
    .held_o (), .resume_o (go), .refused_o (refused), .dispatch_held_o (cta_hold_o),
    .cta_ended_o (),
    .issue_valid_o, .issue_ready_i, .issue_o,
    .lifecycle_valid_o, .lifecycle_ready_i, .lifecycle_o,
    .exit_valid_o, .exit_ready_i, .exit_o,
    .release_i, .response_valid_i (response_valid_i && phase_ready_i),
    .response_warp_i (response_i.warp), .fault_valid_i, .fault_warp_i (fault_i.warp)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign unlock_mask_o  = go | unknown_warp;
  assign unlock_valid_o = (unlock_mask_o != '0);
  assign refused_o      = refused | unknown_warp;

  assign phase_valid_o    = response_valid_i;
  assign response_ready_o = phase_ready_i;
  assign phase_wid_o      = response_i.warp[WarpW-1:0];
  assign phase_o          = response_i.data[0];

endmodule
