// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit with a port per field, so that the C++ side sees names and never struct offsets. Vectors
// over warps are 64 bits wide in every configuration. Numbers only: the feature switches are
// integers here, as tools pass them on a command line.
module muster_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 2,
  parameter int unsigned WarpSize = 32,
  parameter int unsigned EnReduce = 1,
  parameter int unsigned EnState  = 1,
  parameter int unsigned EnFaults = 1,
  parameter int unsigned EnDrain  = 1,
  parameter int unsigned EnLanes  = 1,
  parameter int unsigned EnSplit  = 1,
  parameter int unsigned EnJoin   = 1,
  parameter int unsigned EnLifecycle = 1,
  parameter int unsigned EnMbarrier    = 1,
  parameter int unsigned EnMbDrop      = 1,
  parameter int unsigned EnMbLimit     = 1,
  parameter int unsigned SmemBytes     = 262144,
  parameter int unsigned MbResponses   = 8,
  parameter int unsigned ClockPeriodPs = 1000,
  parameter int unsigned WaitLimitNs   = 10000
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
  output logic                idle_o,

  input  logic                lc_valid_i,
  output logic                lc_ready_o,
  input  logic [2:0]          lc_op_i,
  input  logic [4:0]          lc_cta_i,
  input  logic [6:0]          lc_size_i,
  input  logic [63:0]         lc_warps_i,
  input  logic [5:0]          lc_warp_i,
  input  logic [31:0]         lc_lanes_i,

  input  logic                exit_valid_i,
  output logic                exit_ready_o,
  input  logic [4:0]          exit_cta_i,
  input  logic [5:0]          exit_warp_i,
  input  logic [31:0]         exit_lanes_i,

  output logic [63:0]         fence_req_o,
  input  logic [63:0]         fence_ack_i,

  output logic [63:0]         release_warps_o,
  output logic [4:0]          release_cta_o,
  output logic [3:0]          release_bar_o,
  output logic [2:0]          release_kind_o,
  output logic [11:0]         release_value_o,

  output logic                response_valid_o, response_pred_o,
  input  logic                response_ready_i,
  output logic [5:0]          response_warp_o,
  output logic [31:0]         response_data_o,

  output logic [NumIssue+1:0] fault_valid_o,
  output logic [4:0]          fault_cause_o   [NumIssue+2], fault_cta_o [NumIssue+2],
  output logic [5:0]          fault_warp_o    [NumIssue+2],
  output logic [31:0]         fault_lanes_o   [NumIssue+2],
  output logic [3:0]          fault_bar_o     [NumIssue+2],

  output logic [NumIssue-1:0] commit_valid_o,
  output logic [5:0]          commit_warp_o   [NumIssue],
  output logic                commit_lc_o, commit_exit_o,
  output logic                entry_valid_o,
  output logic [4:0]          entry_cta_o,
  output logic [3:0]          entry_bar_o,
  output logic [31:0]         entry_word_o, debug_word_o,

  input  logic [4:0]          debug_cta_i,
  input  logic [3:0]          debug_bar_i,
  input  logic [5:0]          debug_warp_i,
  output logic                debug_live_o, debug_waiting_o,
  output logic [4:0]          debug_warp_cta_o,

  input  logic                mb_issue_valid_i,
  output logic                mb_issue_ready_o,
  input  logic [3:0]          mb_issue_op_i,
  input  logic [4:0]          mb_issue_cta_i,
  input  logic [31:0]         mb_issue_addr_i,
  input  logic [5:0]          mb_issue_warp_i,
  input  logic [31:0]         mb_issue_lanes_i, mb_issue_operand_i,
  input  logic                mb_issue_phase_i, mb_issue_has_token_i, mb_issue_has_hint_i,
  input  logic                mb_issue_whole_i, mb_issue_releasing_i,

  input  logic                mb_async_valid_i,
  output logic                mb_async_ready_o,
  input  logic [3:0]          mb_async_op_i,
  input  logic [4:0]          mb_async_cta_i,
  input  logic [31:0]         mb_async_addr_i, mb_async_operand_i,

  input  logic                mb_remote_valid_i,
  output logic                mb_remote_ready_o,
  input  logic [3:0]          mb_remote_op_i,
  input  logic [4:0]          mb_remote_cta_i,
  input  logic [31:0]         mb_remote_addr_i, mb_remote_lanes_i, mb_remote_operand_i,
  input  logic                mb_remote_has_token_i,

  output logic [63:0]         mb_busy_o,

  output logic [63:0]         mb_fence_req_o,
  input  logic [63:0]         mb_fence_ack_i,

  output logic                read_valid_o,
  input  logic                read_ready_i,
  output logic [4:0]          read_cta_o,
  output logic [31:0]         read_addr_o,
  input  logic                rdata_valid_i,
  input  logic [63:0]         rdata_i,
  output logic                write_valid_o,
  input  logic                write_ready_i,
  output logic [4:0]          write_cta_o,
  output logic [31:0]         write_addr_o,
  output logic [63:0]         write_data_o,
  output logic [MbHeld-1:0]   held_valid_o,
  output logic [4:0]          held_cta_o      [MbHeld],
  output logic [31:0]         held_addr_o     [MbHeld],
  input  logic                yield_i,
  input  logic [31:0]         stopped_ns_i,

  output logic                mb_response_valid_o,
  input  logic                mb_response_ready_i,
  output logic [5:0]          mb_response_warp_o,
  output logic [3:0]          mb_response_op_o,
  output logic [19:0]         mb_response_operand_o,
  output logic [31:0]         mb_response_lanes_o,
  output logic                mb_response_complete_o,
  output logic [63:0]         mb_response_token_o,

  output logic [63:0]         mb_wake_o, mb_expire_o,

  output logic                mb_fault_valid_o,
  output logic [4:0]          mb_fault_cause_o, mb_fault_cta_o,
  output logic [1:0]          mb_fault_source_o,
  output logic [5:0]          mb_fault_warp_o,
  output logic [31:0]         mb_fault_lanes_o, mb_fault_addr_o,

  output logic                mb_commit_valid_o, mb_commit_written_o, mb_commit_completed_o,
  output logic                mb_commit_parked_o,
  output logic [1:0]          mb_commit_source_o,
  output logic [5:0]          mb_commit_warp_o,
  output logic [31:0]         mb_commit_lanes_o, mb_commit_addr_o,
  output logic [4:0]          mb_commit_cta_o,
  output logic [63:0]         mb_commit_word_o
);

  issue_t     [NumIssue-1:0] issue;
  lifecycle_t                lifecycle;
  release_t                  release_info;
  response_t                 response;
  fault_t     [NumIssue+1:0] fault;
  commit_t                   commit;
  logic       [NumWarps-1:0] busy, fence_req, released;
  debug_warp_t               debug;

  mb_group_t                 mb_issue;
  mb_async_t                 mb_async;
  mb_remote_t                mb_remote;
  mb_place_t  [MbHeld-1:0]   held_place;
  mb_response_t              mb_response;
  mb_fault_t                 mb_fault;
  mb_commit_t                mb_commit;
  logic       [NumWarps-1:0] mb_busy, mb_fence_req, mb_wake, mb_expire;

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: WarpSize,
    EnReduce: EnReduce != 0, EnState: EnState != 0, EnFaults: EnFaults != 0, EnDrain: EnDrain != 0,
    EnLanes: EnLanes != 0, EnSplit: EnSplit != 0, EnJoin: EnJoin != 0, EnLifecycle: EnLifecycle != 0,
    EnMbarrier: EnMbarrier != 0, EnMbDrop: EnMbDrop != 0, EnMbLimit: EnMbLimit != 0, SmemBytes: SmemBytes,
    MbResponses: MbResponses, ClockPeriodPs: ClockPeriodPs, WaitLimitNs: WaitLimitNs
  };

  muster #(.Cfg(Cfg)) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i (issue), .busy_o (busy), .idle_o,
    .lifecycle_valid_i (lc_valid_i), .lifecycle_ready_o (lc_ready_o), .lifecycle_i (lifecycle),
    .lifecycle_warps_i (lc_warps_i[NumWarps-1:0]),
    .exit_valid_i, .exit_ready_o,
    .exit_i ('{cta: exit_cta_i, warp: exit_warp_i, lanes: exit_lanes_i}),
    .fence_req_o (fence_req), .fence_ack_i (fence_ack_i[NumWarps-1:0]),
    .release_o (released), .release_info_o (release_info),
    .response_valid_o, .response_ready_i, .response_o (response),
    .fault_valid_o, .fault_o (fault),
    .commit_o (commit),
    .debug_cta_i, .debug_bar_i, .debug_word_o, .debug_warp_i, .debug_warp_o (debug),
    .mb_issue_valid_i, .mb_issue_ready_o, .mb_issue_i (mb_issue),
    .mb_async_valid_i, .mb_async_ready_o, .mb_async_i (mb_async),
    .mb_remote_valid_i, .mb_remote_ready_o, .mb_remote_i (mb_remote),
    .mb_busy_o (mb_busy), .mb_fence_req_o (mb_fence_req), .mb_fence_ack_i (mb_fence_ack_i[NumWarps-1:0]),
    .smem_read_valid_o (read_valid_o), .smem_read_ready_i (read_ready_i),
    .smem_read_place_o ({read_cta_o, read_addr_o}), .smem_rdata_valid_i (rdata_valid_i),
    .smem_rdata_i (rdata_i), .mb_stopped_ns_i (stopped_ns_i),
    .smem_write_valid_o (write_valid_o), .smem_write_ready_i (write_ready_i),
    .smem_write_place_o ({write_cta_o, write_addr_o}), .smem_write_data_o (write_data_o),
    .smem_held_valid_o (held_valid_o), .smem_held_place_o (held_place), .smem_yield_i (yield_i),
    .mb_response_valid_o, .mb_response_ready_i, .mb_response_o (mb_response), .mb_wake_o (mb_wake),
    .mb_expire_o (mb_expire), .mb_fault_valid_o, .mb_fault_o (mb_fault), .mb_commit_o (mb_commit)
  );

  assign lifecycle = '{op: lifecycle_e'(lc_op_i), cta: lc_cta_i, size: lc_size_i, warp: lc_warp_i,
                       lanes: lc_lanes_i};

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
    for (int p = 0; p < NumIssue + 2; p++) begin
      {fault_cause_o[p], fault_cta_o[p], fault_warp_o[p], fault_lanes_o[p], fault_bar_o[p]} = fault[p];
    end
  end

  assign busy_o           = 64'(busy);
  assign fence_req_o      = 64'(fence_req);
  assign release_warps_o  = 64'(released);
  assign {release_cta_o, release_bar_o, release_kind_o, release_value_o} = release_info;
  assign {response_warp_o, response_data_o, response_pred_o} = response;
  assign commit_lc_o      = commit.lifecycle;
  assign commit_exit_o    = commit.exit;
  assign entry_valid_o    = commit.entry_valid;
  assign entry_cta_o      = commit.entry_cta;
  assign entry_bar_o      = commit.entry_bar;
  assign entry_word_o     = commit.entry_word;
  assign {debug_waiting_o, debug_live_o, debug_warp_cta_o} = debug;

  assign mb_issue = '{
    op:        mb_op_e'(mb_issue_op_i),
    place:     '{cta: mb_issue_cta_i, addr: mb_issue_addr_i},
    warp:      mb_issue_warp_i,
    lanes:     mb_issue_lanes_i,
    operand:   mb_issue_operand_i,
    phase:     mb_issue_phase_i,
    has_token: mb_issue_has_token_i,
    has_hint:  mb_issue_has_hint_i,
    whole:     mb_issue_whole_i,
    releasing: mb_issue_releasing_i
  };
  assign mb_async = '{op: mb_op_e'(mb_async_op_i), place: '{cta: mb_async_cta_i, addr: mb_async_addr_i},
                      operand: mb_async_operand_i};
  assign mb_remote = '{op: mb_op_e'(mb_remote_op_i), place: '{cta: mb_remote_cta_i, addr: mb_remote_addr_i},
                       lanes: mb_remote_lanes_i, operand: mb_remote_operand_i,
                       has_token: mb_remote_has_token_i};

  assign mb_busy_o      = 64'(mb_busy);
  assign mb_fence_req_o = 64'(mb_fence_req);
  assign mb_wake_o      = 64'(mb_wake);
  assign mb_expire_o    = 64'(mb_expire);

  for (genvar i = 0; i < MbHeld; i++) begin : g_held
    assign {held_cta_o[i], held_addr_o[i]} = held_place[i];
  end

  assign {mb_response_warp_o, mb_response_lanes_o, mb_response_op_o, mb_response_operand_o, mb_response_complete_o,
          mb_response_token_o} = mb_response;

  assign {mb_fault_cause_o, mb_fault_source_o, mb_fault_warp_o, mb_fault_lanes_o, mb_fault_cta_o, mb_fault_addr_o} =
      mb_fault;

  assign {mb_commit_valid_o, mb_commit_source_o, mb_commit_warp_o, mb_commit_lanes_o, mb_commit_cta_o,
          mb_commit_addr_o, mb_commit_written_o, mb_commit_word_o, mb_commit_completed_o, mb_commit_parked_o} =
      mb_commit;

endmodule
