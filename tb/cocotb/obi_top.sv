// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit whose shared memory is on OBI; the bus's signals have the names that bus models look for, and those of the
// unit their own.
module obi_top
  import muster_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         mb_issue_valid_i,
  output logic         mb_issue_ready_o,
  input  mb_group_t    mb_issue_i,
  input  logic         mb_async_valid_i,
  output logic         mb_async_ready_o,
  input  mb_async_t    mb_async_i,
  output logic         mb_response_valid_o,
  input  logic         mb_response_ready_i,
  output mb_response_t mb_response_o,
  output logic [7:0]   mb_wake_o,
  output logic [7:0]   mb_expire_o,
  output logic         mb_fault_valid_o,
  output mb_fault_t    mb_fault_o,
  output mb_commit_t   mb_commit_o,
  output logic [7:0]   mb_fence_req_o,
  input  logic [7:0]   mb_fence_ack_i,

  input  logic         m_obi_clk,  // of the bus model: see test_obi.py
  output logic         m_obi_req,
  input  logic         m_obi_gnt,
  output logic [31:0]  m_obi_addr,
  output logic         m_obi_we,
  output logic [7:0]   m_obi_be,
  output logic [63:0]  m_obi_wdata,
  input  logic         m_obi_rvalid,
  output logic         m_obi_rready,
  input  logic [63:0]  m_obi_rdata,
  input  logic         m_obi_err
);

  mem_unit_flat u_unit (
    .clk_i, .rst_ni, .unit_rst_ni (rst_ni),
    .issue_valid_i (mb_issue_valid_i), .issue_ready_o (mb_issue_ready_o), .issue_i (mb_issue_i),
    .async_valid_i (mb_async_valid_i), .async_ready_o (mb_async_ready_o), .async_i (mb_async_i),
    .response_valid_o (mb_response_valid_o), .response_ready_i (mb_response_ready_i),
    .response_o (mb_response_o), .wake_o (mb_wake_o), .expire_o (mb_expire_o),
    .fault_valid_o (mb_fault_valid_o), .fault_o (mb_fault_o), .commit_o (mb_commit_o),
    .req_o (m_obi_req), .gnt_i (m_obi_gnt), .addr_o (m_obi_addr), .we_o (m_obi_we),
    .wdata_o (m_obi_wdata), .rvalid_i (m_obi_rvalid), .rdata_i (m_obi_rdata)
  );

  // The adapter transfers whole words, and always takes answers; this unit needs no drain.
  assign m_obi_be = '1;
  assign m_obi_rready = 1'b1;
  assign mb_fence_req_o = '0;

  logic unused;
  assign unused = &{mb_fence_ack_i, m_obi_err, m_obi_clk};

endmodule
