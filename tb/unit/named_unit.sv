// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit with named barriers only, as the cores of the tests beside it have it: one issue port, operations of
// all lanes, warps that join one by one; the other ports are tied off as rtl/README.md says.
module named_unit
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned WarpSize = 32,
  parameter bit          EnReduce = 1'b0,
  parameter bit          EnSplit  = 1'b0,
  parameter bit          EnFaults = 1'b1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                issue_valid_i,
  output logic                issue_ready_o,
  input  issue_t              issue_i,
  output logic [NumWarps-1:0] busy_o,
  input  logic                lifecycle_valid_i,
  output logic                lifecycle_ready_o,
  input  lifecycle_t          lifecycle_i,
  input  logic                exit_valid_i,
  output logic                exit_ready_o,
  input  exit_t               exit_i,
  output logic [NumWarps-1:0] release_o,
  output release_t            release_info_o,
  output logic                response_valid_o,
  input  logic                response_ready_i,
  output response_t           response_o,
  output logic          [2:0] fault_valid_o,  // issue port, lifecycle port, exit port
  output fault_t        [2:0] fault_o
);

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: 1, WarpSize: WarpSize, EnReduce: EnReduce, EnFaults: EnFaults,
    EnSplit: EnSplit, EnJoin: 1'b1, SmemBytes: 1024, MbResponses: 8, ClockPeriodPs: 1000,
    WaitLimitNs: 4000, default: 1'b0  // all other switches
  };

  /* verilator lint_off PINCONNECTEMPTY */  // what such a core leaves open
  muster #(.Cfg(Cfg)) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i, .busy_o, .idle_o (),
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i, .lifecycle_warps_i ('0),
    .exit_valid_i, .exit_ready_o, .exit_i,
    .fence_req_o (), .fence_ack_i ('1),
    .release_o, .release_info_o,
    .response_valid_o, .response_ready_i, .response_o,
    .fault_valid_o, .fault_o,
    .mb_clk_i (clk_i), .mb_idle_o (), .mb_issue_valid_i (1'b0), .mb_issue_ready_o (), .mb_issue_i ('0),
    .mb_async_valid_i (1'b0), .mb_async_ready_o (), .mb_async_i ('0),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o (), .mb_fence_req_o (), .mb_fence_ack_i ('1),
    .smem_read_valid_o (), .smem_read_ready_i (1'b0), .smem_read_place_o (),
    .smem_rdata_valid_i (1'b0), .smem_rdata_i ('0),
    .smem_write_valid_o (), .smem_write_ready_i (1'b0), .smem_write_place_o (),
    .smem_write_data_o (), .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (), .mb_response_ready_i (1'b1), .mb_response_o (),
    .mb_stopped_ns_i ('0), .mb_wake_o (), .mb_wake_report_o (), .mb_expire_o (),
    .mb_fault_valid_o (), .mb_fault_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
