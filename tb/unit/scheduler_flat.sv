// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit with the warp scheduler of rtl/adapters/scheduler. The test dispatches, and shows what each warp wants
// next: operations of all lanes or of none, counts in warps.
module scheduler_flat
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 2,
  parameter int unsigned WarpSize = 32,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          start_valid_i,
  output logic                          start_ready_o,
  input  logic              [WarpW-1:0] start_warp_i,
  input  logic               [CtaW-1:0] start_cta_i,
  input  wcount_t                       start_size_i,
  output logic           [NumWarps-1:0] live_o,
  output logic            [NumCtas-1:0] resident_o,
  input  logic           [NumWarps-1:0] next_valid_i,
  input  logic           [NumWarps-1:0] next_exit_i,
  input  logic           [NumWarps-1:0] next_none_i,  // no lane takes part
  input  logic      [NumWarps-1:0][3:0] next_op_i,
  input  logic      [NumWarps-1:0][3:0] next_bar_i,
  input  logic      [NumWarps-1:0][3:0] next_count_i,
  input  logic     [NumWarps-1:0][31:0] next_operand_i,
  output logic           [NumWarps-1:0] next_ready_o,
  output logic           [NumWarps-1:0] waits_o,
  output logic           [NumWarps-1:0] release_o,
  output logic                   [11:0] value_o,
  output logic                          busy_o,  // what is presented is of a busy warp
  output logic                    [2:0] fault_o, // issue port, lifecycle port, exit port
  output warp_t                         fault_warp_o  // of the issue port's
);

  logic                  issue_valid, issue_ready, lifecycle_valid, lifecycle_ready, exit_valid, exit_ready;
  issue_t                issue;
  issue_t [NumWarps-1:0] next;
  lifecycle_t            lifecycle;
  exit_t                 leaving;
  logic   [NumWarps-1:0] busy;
  release_t              info;
  fault_t          [2:0] fault;

  always_comb begin
    for (int w = 0; w < NumWarps; w++) begin
      next[w] = '{op: op_e'(next_op_i[w]), bar: next_bar_i[w], count: 12'(next_count_i[w]) * 12'(WarpSize),
                  lanes: next_none_i[w] ? '0 : '1, operand: next_operand_i[w], default: '0};
    end
  end

  muster_scheduler #(.NumWarps(NumWarps), .NumCtas(NumCtas)) u_scheduler (
    .clk_i, .rst_ni,
    .start_valid_i, .start_ready_o, .start_warp_i, .start_cta_i, .start_size_i, .live_o, .resident_o,
    .next_valid_i, .next_exit_i, .next_i (next), .next_ready_o, .waits_o,
    .issue_valid_o (issue_valid), .issue_ready_i (issue_ready), .issue_o (issue), .busy_i (busy),
    .lifecycle_valid_o (lifecycle_valid), .lifecycle_ready_i (lifecycle_ready),
    .lifecycle_o (lifecycle),
    .exit_valid_o (exit_valid), .exit_ready_i (exit_ready), .exit_o (leaving),
    .release_i (release_o), .fault_valid_i (fault_o[0]), .fault_warp_i (fault[0].warp)
  );

  /* verilator lint_off PINCONNECTEMPTY */  // nothing is answered
  named_unit #(.NumWarps(NumWarps), .NumCtas(NumCtas), .WarpSize(WarpSize), .EnReduce(1'b1)) u_unit (
    .clk_i, .rst_ni,
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue), .busy_o (busy),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .release_o, .release_info_o (info), .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (fault_o), .fault_o (fault)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign value_o      = info.value;
  assign busy_o       = (issue_valid && busy[issue.warp[WarpW-1:0]]) || (exit_valid && busy[leaving.warp[WarpW-1:0]]);
  assign fault_warp_o = fault[0].warp;

endmodule
