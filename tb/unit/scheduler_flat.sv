// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit with the warp scheduler of rtl/adapters/scheduler. The test dispatches, and shows what each warp wants
// next: operations of all lanes, counts in warps.
module scheduler_flat
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 2,
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
  input  logic      [NumWarps-1:0][3:0] next_op_i,
  input  logic      [NumWarps-1:0][3:0] next_bar_i,
  input  logic      [NumWarps-1:0][3:0] next_count_i,
  input  logic     [NumWarps-1:0][31:0] next_operand_i,
  output logic           [NumWarps-1:0] next_ready_o,
  output logic           [NumWarps-1:0] waits_o,
  output logic           [NumWarps-1:0] release_o,
  output logic                   [11:0] value_o,
  output logic                    [2:0] fault_o  // issue port, lifecycle port, exit port
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
                  lanes: '1, operand: next_operand_i[w], default: '0};
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

  /* verilator lint_off PINCONNECTEMPTY */  // what such a core leaves open
  muster #(
    .NumWarps(NumWarps), .NumCtas(NumCtas), .NumIssue(1), .EnReduce(1'b1), .EnState(1'b0),
    .EnFaults(1'b1), .EnDrain(1'b0), .EnLanes(1'b0), .EnJoin(1'b1), .EnMbarrier(1'b0)
  ) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue), .busy_o (busy),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle), .lifecycle_warps_i ('0),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .fence_req_o (), .fence_ack_i ('1),
    .release_o, .release_info_o (info),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (fault_o), .fault_o (fault), .commit_o (),
    .debug_cta_i ('0), .debug_bar_i ('0), .debug_word_o (), .debug_warp_i ('0), .debug_warp_o (),
    .mb_issue_valid_i (1'b0), .mb_issue_ready_o (), .mb_issue_i ('0),
    .mb_async_valid_i (1'b0), .mb_async_ready_o (), .mb_async_i ('0),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o (), .mb_fence_req_o (), .mb_fence_ack_i ('1),
    .smem_read_valid_o (), .smem_read_ready_i (1'b0), .smem_read_place_o (),
    .smem_rdata_valid_i (1'b0), .smem_rdata_i ('0),
    .smem_write_valid_o (), .smem_write_ready_i (1'b0), .smem_write_place_o (),
    .smem_write_data_o (), .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (), .mb_response_ready_i (1'b1), .mb_response_o (),
    .mb_stopped_ns_i ('0), .mb_wake_o (), .mb_expire_o (),
    .mb_fault_valid_o (), .mb_fault_o (), .mb_commit_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign value_o = info.value;

endmodule
