// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_template as the test drives it: plain arrivals at the issue port; at the mbarrier of CTA 0 at
// address 0 arrivals without a token, MbCopyArrive, and arrive-ons of copies; and a bank of one word that
// answers in the next cycle.
module template_flat
  import muster_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             issue_valid_i,
  output logic             issue_ready_o,
  input  logic [3:0]       op_i,
  input  logic [5:0]       warp_i,
  input  logic [11:0]      count_i,
  input  logic             lifecycle_valid_i,
  output logic             lifecycle_ready_o,
  input  logic [31:0]      warps_i,  // of a launch
  input  logic             mb_valid_i,
  output logic             mb_ready_o,
  input  logic [5:0]       mb_warp_i,
  input  logic             mb_releasing_i,
  input  logic             mb_copy_arrive_i,

  input  logic [31:0]      access_begin_i,
  output logic [1:0][31:0] access_epoch_o,
  output logic [31:0]      access_full_o,
  input  logic [31:0]      access_done_i,
  input  logic [1:0][31:0] access_done_epoch_i,

  input  logic             copy_begin_valid_i,
  output logic             copy_begin_ready_o,
  input  logic [5:0]       copy_begin_warp_i,
  output logic [1:0]       copy_begin_epoch_o,
  input  logic             copy_done_valid_i,
  input  logic [5:0]       copy_done_warp_i,
  input  logic [1:0]       copy_done_epoch_i,
  input  logic             copy_arrive_valid_i,
  output logic             copy_arrive_ready_o,
  input  logic [5:0]       copy_arrive_warp_i,
  input  logic [31:0]      copy_arrive_lanes_i,
  output logic [31:0]      copy_busy_o,

  output logic [31:0]      busy_o,
  output logic [31:0]      mb_busy_o,
  output logic [31:0]      release_o,
  output logic             fault_o,
  output logic [63:0]      word_o   // of the bank
);

  issue_t     issue;
  lifecycle_t lifecycle;
  mb_group_t  group;

  always_comb begin
    issue       = '0;
    issue.op    = op_e'(op_i);
    issue.warp  = warp_i;
    issue.count = count_i;
    issue.lanes = '1;

    lifecycle      = '0;
    lifecycle.op   = LcLaunch;
    lifecycle.size = wcount_t'($countones(warps_i));

    group           = '0;
    group.op        = mb_copy_arrive_i ? MbCopyArrive : MbArrive;
    group.warp      = mb_warp_i;
    group.lanes     = 32'd1;
    group.operand   = 32'd1;
    group.releasing = mb_releasing_i;
  end

  logic       read_valid, write_valid, read_q, mb_fault;
  logic [2:0] fault;
  mb_word_t   write_data, word_q;

  // As if mbarrier.init had been there, with the largest count, so that the phase does not turn.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      word_q <= '{expected: 20'd1, pending: 20'd1, default: '0};
    end else begin
      read_q <= read_valid;
      if (write_valid) word_q <= write_data;
    end
  end

  assign word_o  = word_q;
  assign fault_o = (fault != '0) || mb_fault;

  /* verilator lint_off PINCONNECTEMPTY */  // what the test does not look at
  muster_template u_template (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i (issue),
    .mb_issue_valid_i (mb_valid_i), .mb_issue_ready_o (mb_ready_o), .mb_issue_i (group),
    .busy_o, .mb_busy_o,
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i (lifecycle), .lifecycle_warps_i (warps_i),
    .exit_valid_i (1'b0), .exit_ready_o (), .exit_i ('0),
    .access_begin_i, .access_epoch_o, .access_full_o, .access_done_i, .access_done_epoch_i,
    .copy_begin_valid_i, .copy_begin_ready_o, .copy_begin_warp_i, .copy_begin_epoch_o,
    .copy_done_valid_i, .copy_done_warp_i, .copy_done_epoch_i,
    .copy_arrive_valid_i, .copy_arrive_ready_o, .copy_arrive_warp_i, .copy_arrive_lanes_i,
    .copy_arrive_place_i ('0), .copy_busy_o,
    .release_o, .release_info_o (),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .mb_wake_o (), .mb_wake_report_o (), .mb_expire_o (),
    .mb_response_valid_o (), .mb_response_ready_i (1'b1), .mb_response_o (),
    .fault_valid_o (fault), .fault_o (), .mb_fault_valid_o (mb_fault), .mb_fault_o (),
    .smem_read_valid_o (read_valid), .smem_read_ready_i (1'b1), .smem_read_place_o (),
    .smem_rdata_valid_i (read_q), .smem_rdata_i (word_q),
    .smem_write_valid_o (write_valid), .smem_write_ready_i (1'b1), .smem_write_place_o (),
    .smem_write_data_o (write_data), .smem_held_valid_o (), .smem_held_place_o (),
    .smem_yield_i (1'b0)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
