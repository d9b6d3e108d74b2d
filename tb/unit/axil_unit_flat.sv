// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit with the AXI4-Lite adapter beside it, as a system on chip connects them. The test drives the first
// issue port and the bus; arrivals at mbarriers find no word, only their faults are looked at.
module axil_unit_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 2,
  parameter int unsigned NumIssue = 1,
  parameter int unsigned EnReduce = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                issue_valid_i,
  output logic                issue_ready_o,
  input  issue_t              issue_i,
  input  logic                lifecycle_valid_i,
  output logic                lifecycle_ready_o,
  input  lifecycle_t          lifecycle_i,
  input  logic [NumWarps-1:0] lifecycle_warps_i,
  input  logic                exit_valid_i,
  output logic                exit_ready_o,
  input  exit_t               exit_i,
  input  logic                mb_issue_valid_i,
  output logic                mb_issue_ready_o,
  input  logic [31:0]         mb_issue_addr_i,
  output logic [NumWarps-1:0] busy_o,

  input  logic                awvalid_i,
  output logic                awready_o,
  input  logic [11:0]         awaddr_i,
  input  logic                wvalid_i,
  output logic                wready_o,
  input  logic [31:0]         wdata_i,
  input  logic [3:0]          wstrb_i,
  output logic                bvalid_o,
  input  logic                bready_i,
  output logic [1:0]          bresp_o,
  input  logic                arvalid_i,
  output logic                arready_o,
  input  logic [11:0]         araddr_i,
  output logic                rvalid_o,
  input  logic                rready_i,
  output logic [31:0]         rdata_o,
  output logic [1:0]          rresp_o,
  output logic                irq_o
);

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: 32, EnReduce: EnReduce != 0,
    EnState: EnReduce != 0,
    SmemBytes: 1024, MbResponses: 8, ClockPeriodPs: 1000, WaitLimitNs: 4000, default: 1'b1  // all other switches
  };

  mb_group_t    group;
  mb_fault_t    mb_fault;
  commit_t      commit;
  cta_t         debug_cta;
  bar_t         debug_bar;
  bar_word_t    debug_word;
  warp_t        debug_warp;
  debug_warp_t  debug_state;
  logic         mb_fault_valid;

  logic   [NumIssue-1:0] ready;
  logic   [NumIssue+1:0] fault_valid;
  fault_t [NumIssue+1:0] fault;

  assign issue_ready_o = ready[0];

  assign group = '{op: MbArrive, place: '{cta: '0, addr: mb_issue_addr_i}, lanes: 32'd1,
                   operand: 32'd1, asks: AsksPrimary, default: '0};

  /* verilator lint_off PINCONNECTEMPTY */  // what the test does not look at
  muster #(.Cfg(Cfg)) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i (NumIssue'(issue_valid_i)), .issue_ready_o (ready),
    .issue_i ({NumIssue{issue_i}}), .busy_o, .idle_o (),
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_o, .exit_i,
    .fence_req_o (), .fence_ack_i ('1),
    .release_o (), .release_info_o (),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (fault_valid), .fault_o (fault),
    .commit_o (commit),
    .debug_cta_i (debug_cta), .debug_bar_i (debug_bar), .debug_word_o (debug_word),
    .debug_warp_i (debug_warp), .debug_warp_o (debug_state),
    .mb_clk_i (clk_i), .mb_idle_o (),
    .mb_issue_valid_i, .mb_issue_ready_o, .mb_issue_i (group),
    .mb_async_valid_i (1'b0), .mb_async_ready_o (), .mb_async_i ('0),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o (), .mb_fence_req_o (), .mb_fence_ack_i ('1),
    .smem_read_valid_o (), .smem_read_ready_i (1'b1), .smem_read_place_o (),
    .smem_rdata_valid_i (1'b0), .smem_rdata_i ('0),
    .smem_write_valid_o (), .smem_write_ready_i (1'b1), .smem_write_place_o (),
    .smem_write_data_o (), .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (), .mb_response_ready_i (1'b1), .mb_response_o (),
    .mb_stopped_ns_i ('0), .mb_wake_o (), .mb_wake_report_o (), .mb_expire_o (),
    .mb_fault_valid_o (mb_fault_valid), .mb_fault_o (mb_fault), .mb_commit_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  muster_axil #(.Cfg(Cfg)) u_axil (
    .clk_i, .rst_ni,
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wdata_i, .wstrb_i,
    .bvalid_o, .bready_i, .bresp_o, .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i,
    .rdata_o, .rresp_o, .irq_o,
    .lifecycle_valid_i, .lifecycle_ready_i (lifecycle_ready_o), .lifecycle_i,
    .fault_valid_i (fault_valid), .fault_i (fault),
    .mb_fault_valid_i (mb_fault_valid), .mb_fault_i (mb_fault),
    .commit_i (commit),
    .debug_cta_o (debug_cta), .debug_bar_o (debug_bar), .debug_word_i (debug_word),
    .debug_warp_o (debug_warp), .debug_warp_i (debug_state)
  );

endmodule
