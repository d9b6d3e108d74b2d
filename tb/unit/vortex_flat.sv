// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Vortex, as a core of that kind has them, with what the test counts.
module vortex_flat
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps   = 8,
  parameter int unsigned NumThreads = 4,
  parameter int unsigned WarpSize   = NumThreads,
  parameter int unsigned EnSplit    = 1,
  parameter int unsigned EndsCount  = 1,
  localparam int unsigned WarpW     = $clog2(NumWarps),
  localparam int unsigned SizeW     = $clog2(NumWarps + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  cta_fire_i,
  input  logic      [WarpW-1:0] cta_wid_i,
  input  logic      [WarpW-1:0] cta_id_i,
  input  logic      [SizeW-1:0] cta_size_i,
  output logic                  cta_hold_o,
  input  logic      [WarpW-1:0] wid_i,
  input  logic                  tmc_valid_i,
  input  logic [NumThreads-1:0] tmc_tmask_i,
  input  logic                  bar_valid_i,
  input  logic            [3:0] bar_id_i,
  input  logic                  bar_is_sync_i,
  input  logic                  bar_is_arrive_i,
  input  logic                  bar_is_global_i,
  input  logic                  bar_phase_i,
  input  logic      [SizeW-1:0] bar_size_m1_i,
  output logic                  unlock_valid_o,
  output logic   [NumWarps-1:0] unlock_mask_o,
  output logic   [NumWarps-1:0] refused_o,
  output logic                  phase_valid_o,
  input  logic                  phase_ready_i,
  output logic      [WarpW-1:0] phase_wid_o,
  output logic                  phase_o,

  output logic                  opens_o,  // accepted in this cycle
  output logic                  joins_o,
  output logic                  ends_o,
  output logic                  exits_o,
  output warp_t                 join_warp_o
);

  logic                issue_valid, issue_ready, lifecycle_valid, lifecycle_ready, exit_valid, exit_ready;
  issue_t              issue;
  lifecycle_t          lifecycle;
  exit_t               leaving;
  logic [NumWarps-1:0] released;
  logic                response_valid, response_ready;
  response_t           response;
  logic          [2:0] fault_valid;  // issue port, lifecycle port, exit port
  fault_t        [2:0] fault;

  muster_vortex #(
    .NumWarps(NumWarps), .NumThreads(NumThreads), .WarpSize(WarpSize), .EnSplit(EnSplit != 0),
    .EndsCount(EndsCount != 0)
  ) u_vortex (
    .clk_i, .rst_ni,
    .cta_fire_i, .cta_wid_i, .cta_id_i, .cta_size_i, .cta_hold_o,
    .wid_i, .tmc_valid_i, .tmc_tmask_i, .bar_valid_i, .bar_id_i, .bar_is_sync_i, .bar_is_arrive_i,
    .bar_is_global_i, .bar_phase_i, .bar_size_m1_i,
    .unlock_valid_o, .unlock_mask_o, .refused_o,
    .phase_valid_o, .phase_ready_i, .phase_wid_o, .phase_o,
    .issue_valid_o (issue_valid), .issue_ready_i (issue_ready), .issue_o (issue),
    .lifecycle_valid_o (lifecycle_valid), .lifecycle_ready_i (lifecycle_ready),
    .lifecycle_o (lifecycle),
    .exit_valid_o (exit_valid), .exit_ready_i (exit_ready), .exit_o (leaving),
    .release_i (released), .response_valid_i (response_valid), .response_ready_o (response_ready),
    .response_i (response),
    .fault_valid_i (fault_valid[0]), .fault_i (fault[0])
  );

  /* verilator lint_off PINCONNECTEMPTY */  // what this core leaves open
  named_unit #(.NumWarps(NumWarps), .NumCtas(NumWarps), .WarpSize(WarpSize), .EnSplit(EnSplit != 0)) u_unit (
    .clk_i, .rst_ni,
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue), .busy_o (),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .release_o (released), .release_info_o (),
    .response_valid_o (response_valid), .response_ready_i (response_ready), .response_o (response),
    .fault_valid_o (fault_valid), .fault_o (fault)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign opens_o     = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcOpen);
  assign joins_o     = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcJoin);
  assign ends_o      = lifecycle_valid && lifecycle_ready && (lifecycle.op == LcEnd);
  assign exits_o     = exit_valid && exit_ready;
  assign join_warp_o = lifecycle.warp;

endmodule
