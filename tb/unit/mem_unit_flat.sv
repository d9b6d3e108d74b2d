// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit whose shared memory is behind the adapter. Warps and a copy engine present operations; the memory is
// outside. The CTAs' shared memories begin at 64 KiB, one after the other.
module mem_unit_flat
  import muster_pkg::*;
#(
  parameter bit          WriteAnswers = 1'b1,
  parameter int unsigned Outstanding  = 4,
  localparam int unsigned NumWarps    = 8,
  localparam int unsigned SmemBytes   = 4096
) (
  input  logic                clk_i,
  input  logic                rst_ni,         // of the memory
  input  logic                unit_rst_ni,

  input  logic                issue_valid_i,
  output logic                issue_ready_o,
  input  mb_group_t           issue_i,
  input  logic                async_valid_i,
  output logic                async_ready_o,
  input  mb_async_t           async_i,

  output logic                response_valid_o,
  input  logic                response_ready_i,
  output mb_response_t        response_o,
  output logic [NumWarps-1:0] wake_o,
  output logic [NumWarps-1:0] expire_o,
  output logic                fault_valid_o,
  output mb_fault_t           fault_o,
  output mb_commit_t          commit_o,

  // The memory.
  output logic                req_o,
  input  logic                gnt_i,
  output logic         [31:0] addr_o,
  output logic                we_o,
  output logic         [63:0] wdata_o,
  input  logic                rvalid_i,
  input  logic         [63:0] rdata_i
);

  logic         read_valid, read_ready, rdata_valid, write_valid, write_ready;
  mb_place_t    read_place, write_place;
  mb_word_t     rdata, write_data;
  cta_t         cta;

  /* verilator lint_off PINCONNECTEMPTY */  // what this core leaves open
  muster_mem_port #(.WriteAnswers(WriteAnswers), .Outstanding(Outstanding)) u_port (
    .clk_i, .rst_ni, .unit_rst_ni,
    .read_valid_i (read_valid), .read_ready_o (read_ready), .read_place_i (read_place),
    .rdata_valid_o (rdata_valid), .rdata_o (rdata),
    .write_valid_i (write_valid), .write_ready_o (write_ready), .write_place_i (write_place),
    .write_data_i (write_data),
    .cta_o (cta), .base_i (32'h1_0000 + SmemBytes * 32'(cta)),
    .req_o, .gnt_i, .addr_o, .we_o, .wen_o (), .be_o (), .wdata_o, .rvalid_i, .rready_o (), .rdata_i
  );

  muster #(
    .NumWarps(NumWarps), .NumCtas(2), .NumIssue(1), .EnReduce(1'b0), .EnState(1'b0),
    .SmemBytes(SmemBytes), .MbResponses(4)
  ) u_muster (
    .clk_i, .rst_ni (unit_rst_ni),
    .issue_valid_i ('0), .issue_ready_o (), .issue_i ('0), .busy_o (), .idle_o (),
    .lifecycle_valid_i (1'b0), .lifecycle_ready_o (), .lifecycle_i ('0), .lifecycle_warps_i ('0),
    .exit_valid_i (1'b0), .exit_ready_o (), .exit_i ('0),
    .fence_req_o (), .fence_ack_i ('1),
    .release_o (), .release_info_o (),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (), .fault_o (), .commit_o (),
    .debug_cta_i ('0), .debug_bar_i ('0), .debug_word_o (), .debug_warp_i ('0), .debug_warp_o (),
    .mb_clk_i (clk_i), .mb_idle_o (),
    .mb_issue_valid_i (issue_valid_i), .mb_issue_ready_o (issue_ready_o), .mb_issue_i (issue_i),
    .mb_async_valid_i (async_valid_i), .mb_async_ready_o (async_ready_o), .mb_async_i (async_i),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o (), .mb_fence_req_o (), .mb_fence_ack_i ('1),
    .smem_read_valid_o (read_valid), .smem_read_ready_i (read_ready), .smem_read_place_o (read_place),
    .smem_rdata_valid_i (rdata_valid), .smem_rdata_i (rdata),
    .smem_write_valid_o (write_valid), .smem_write_ready_i (write_ready),
    .smem_write_place_o (write_place), .smem_write_data_o (write_data),
    .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (response_valid_o), .mb_response_ready_i (response_ready_i),
    .mb_response_o (response_o),
    .mb_stopped_ns_i ('0), .mb_wake_o (wake_o), .mb_wake_report_o (), .mb_expire_o (expire_o),
    .mb_fault_valid_o (fault_valid_o), .mb_fault_o (fault_o), .mb_commit_o (commit_o)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
