// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit with a port per field, so that the C++ side sees names and never struct offsets. Vectors
// over warps are 64 bits wide in every configuration. Numbers only: the feature switches are
// integers here, as tools pass them on a command line.
module muster_flat
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 2,
  parameter int unsigned EnReduce = 1,
  parameter int unsigned EnState  = 1,
  parameter int unsigned EnFaults = 1,
  parameter int unsigned EnDrain  = 1,
  parameter int unsigned EnLanes  = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [NumIssue-1:0] issue_valid_i,
  output logic [NumIssue-1:0] issue_ready_o,
  input  logic [3:0]          issue_op_i      [NumIssue],
  input  logic [4:0]          issue_cta_i     [NumIssue],
  input  logic [5:0]          issue_warp_i    [NumIssue],
  input  logic [3:0]          issue_bar_i     [NumIssue],
  input  logic [11:0]         issue_count_i   [NumIssue],
  input  logic [31:0]         issue_lanes_i   [NumIssue],
  input  logic [31:0]         issue_operand_i [NumIssue],
  output logic [63:0]         busy_o,

  input  logic                lc_valid_i,
  output logic                lc_ready_o,
  input  logic [1:0]          lc_op_i,
  input  logic [4:0]          lc_cta_i,
  input  logic [5:0]          lc_warp_i,
  input  logic [31:0]         lc_lanes_i,
  input  logic [6:0]          lc_size_i,
  input  logic [63:0]         lc_warps_i,

  output logic [63:0]         fence_req_o,
  input  logic [63:0]         fence_ack_i,

  output logic [63:0]         release_warps_o,
  output logic [4:0]          release_cta_o,
  output logic [3:0]          release_bar_o,
  output logic [2:0]          release_kind_o,
  output logic [11:0]         release_value_o,

  output logic                response_valid_o,
  input  logic                response_ready_i,
  output logic [5:0]          response_warp_o,
  output logic [31:0]         response_data_o,
  output logic                response_pred_o,

  output logic [NumIssue:0]   fault_valid_o,
  output logic [4:0]          fault_cause_o   [NumIssue+1],
  output logic [4:0]          fault_cta_o     [NumIssue+1],
  output logic [5:0]          fault_warp_o    [NumIssue+1],
  output logic [31:0]         fault_lanes_o   [NumIssue+1],
  output logic [3:0]          fault_bar_o     [NumIssue+1],

  output logic [NumIssue-1:0] commit_valid_o,
  output logic [5:0]          commit_warp_o   [NumIssue],
  output logic                commit_lc_o,
  output logic                entry_valid_o,
  output logic [4:0]          entry_cta_o,
  output logic [3:0]          entry_bar_o,
  output logic [31:0]         entry_word_o,

  input  logic [4:0]          census_cta_i,
  input  logic [3:0]          census_bar_i,
  output logic [31:0]         census_word_o,
  input  logic [5:0]          census_warp_i,
  output logic                census_live_o,
  output logic                census_waiting_o,
  output logic [4:0]          census_warp_cta_o
);

  issue_t     [NumIssue-1:0] issue;
  lifecycle_t                lifecycle;
  release_t                  release_info;
  response_t                 response;
  fault_t     [NumIssue:0]   fault;
  commit_t                   commit;
  logic       [NumWarps-1:0] busy, fence_req, released;
  census_t                   census;

  muster #(
    .NumWarps(NumWarps), .NumCtas(NumCtas), .NumIssue(NumIssue),
    .EnReduce(EnReduce != 0), .EnState(EnState != 0), .EnFaults(EnFaults != 0),
    .EnDrain(EnDrain != 0), .EnLanes(EnLanes != 0)
  ) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i (issue), .busy_o (busy),
    .lifecycle_valid_i (lc_valid_i), .lifecycle_ready_o (lc_ready_o), .lifecycle_i (lifecycle),
    .lifecycle_warps_i (lc_warps_i[NumWarps-1:0]),
    .fence_req_o (fence_req), .fence_ack_i (fence_ack_i[NumWarps-1:0]),
    .release_o (released), .release_info_o (release_info),
    .response_valid_o, .response_ready_i, .response_o (response),
    .fault_valid_o, .fault_o (fault),
    .commit_o (commit),
    .census_cta_i, .census_bar_i, .census_word_o, .census_warp_i, .census_warp_o (census),
    // No mbarriers here.
    .mb_issue_valid_i (1'b0), .mb_issue_ready_o (), .mb_issue_i ('0),
    .mb_async_valid_i (1'b0), .mb_async_ready_o (), .mb_async_i ('0),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_fence_req_o (), .mb_fence_ack_i ('0),
    .smem_read_valid_o (), .smem_read_ready_i (1'b0), .smem_read_place_o (),
    .smem_rdata_valid_i (1'b0), .smem_rdata_i ('0),
    .smem_write_valid_o (), .smem_write_ready_i (1'b0), .smem_write_place_o (),
    .smem_write_data_o (), .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (), .mb_response_ready_i (1'b0), .mb_response_o (),
    .mb_wake_o (), .mb_expire_o (), .mb_fault_valid_o (), .mb_fault_o (), .mb_commit_o ()
  );

  assign lifecycle = '{
    op:    lifecycle_e'(lc_op_i),
    cta:   lc_cta_i,
    warp:  lc_warp_i,
    lanes: lc_lanes_i,
    size:  lc_size_i
  };

  always_comb begin
    for (int p = 0; p < NumIssue; p++) begin
      issue[p] = '{
        op:      op_e'(issue_op_i[p]),
        cta:     issue_cta_i[p],
        warp:    issue_warp_i[p],
        bar:     issue_bar_i[p],
        count:   issue_count_i[p],
        lanes:   issue_lanes_i[p],
        operand: issue_operand_i[p]
      };
      commit_valid_o[p] = commit.valid[p];
      commit_warp_o[p]  = commit.warp[p];
    end
    for (int p = 0; p <= NumIssue; p++) begin
      fault_cause_o[p] = fault[p].cause;
      fault_cta_o[p]   = fault[p].cta;
      fault_warp_o[p]  = fault[p].warp;
      fault_lanes_o[p] = fault[p].lanes;
      fault_bar_o[p]   = fault[p].bar;
    end
  end

  assign busy_o           = 64'(busy);
  assign fence_req_o      = 64'(fence_req);
  assign release_warps_o  = 64'(released);
  assign release_cta_o    = release_info.cta;
  assign release_bar_o    = release_info.bar;
  assign release_kind_o   = release_info.kind;
  assign release_value_o  = release_info.value;
  assign response_warp_o  = response.warp;
  assign response_data_o  = response.data;
  assign response_pred_o  = response.pred;
  assign commit_lc_o      = commit.lifecycle;
  assign entry_valid_o    = commit.entry_valid;
  assign entry_cta_o      = commit.entry_cta;
  assign entry_bar_o      = commit.entry_bar;
  assign entry_word_o     = commit.entry_word;
  assign census_live_o    = census.live;
  assign census_waiting_o = census.waiting;

  assign census_warp_cta_o = census.cta;

endmodule
