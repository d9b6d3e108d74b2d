// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The mbarrier block with a port per field.
module mbarrier_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps      = 32,
  parameter int unsigned ClockPeriodPs = 1500
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        issue_valid_i,
  output logic        issue_ready_o,
  input  logic [3:0]  issue_op_i,
  input  logic [4:0]  issue_cta_i,
  input  logic [31:0] issue_addr_i,
  input  logic [5:0]  issue_warp_i,
  input  logic [31:0] issue_lanes_i,
  input  logic [31:0] issue_operand_i,
  input  logic        issue_phase_i,
  input  logic        issue_has_token_i,
  input  logic        issue_has_hint_i,
  input  logic        issue_whole_i,
  input  logic        issue_releasing_i,

  input  logic        async_valid_i,
  output logic        async_ready_o,
  input  logic [3:0]  async_op_i,
  input  logic [4:0]  async_cta_i,
  input  logic [31:0] async_addr_i,
  input  logic [31:0] async_operand_i,

  input  logic        remote_valid_i,
  output logic        remote_ready_o,
  input  logic [3:0]  remote_op_i,
  input  logic [4:0]  remote_cta_i,
  input  logic [31:0] remote_addr_i,
  input  logic [31:0] remote_lanes_i,
  input  logic [31:0] remote_operand_i,
  input  logic        remote_has_token_i,

  output logic [NumWarps-1:0] busy_o,
  output logic                active_o,
  output logic [NumWarps-1:0] fence_req_o,
  input  logic [NumWarps-1:0] fence_ack_i,

  output logic        read_valid_o,
  input  logic        read_ready_i,
  output logic [4:0]  read_cta_o,
  output logic [31:0] read_addr_o,
  input  logic        rdata_valid_i,
  input  logic [63:0] rdata_i,
  output logic        write_valid_o,
  input  logic        write_ready_i,
  output logic [4:0]  write_cta_o,
  output logic [31:0] write_addr_o,
  output logic [63:0] write_data_o,
  output logic        held_valid_o [MbHeld],
  output logic [4:0]  held_cta_o   [MbHeld],
  output logic [31:0] held_addr_o  [MbHeld],
  input  logic        yield_i,
  input  logic [31:0] stopped_ns_i,

  output logic        response_valid_o,
  input  logic        response_ready_i,
  output logic [5:0]  response_warp_o,
  output logic [31:0] response_lanes_o,
  output logic [3:0]  response_op_o,
  output logic [19:0] response_operand_o,
  output logic        response_complete_o,
  output logic [63:0] response_token_o,

  output logic [NumWarps-1:0] wake_o,
  output logic [NumWarps-1:0] expire_o,
  input  logic        leave_valid_i,
  input  logic [4:0]  leave_cta_i,

  output logic        fault_valid_o,
  output logic [4:0]  fault_cause_o,
  output logic [1:0]  fault_source_o,
  output logic [5:0]  fault_warp_o,
  output logic [31:0] fault_lanes_o,
  output logic [4:0]  fault_cta_o,
  output logic [31:0] fault_addr_o,

  output logic        commit_valid_o,
  output logic [1:0]  commit_source_o,
  output logic [5:0]  commit_warp_o,
  output logic [31:0] commit_lanes_o,
  output logic [4:0]  commit_cta_o,
  output logic [31:0] commit_addr_o,
  output logic        commit_written_o,
  output logic [63:0] commit_word_o,
  output logic        commit_completed_o,
  output logic        commit_parked_o
);

  mb_group_t       issue;
  mb_remote_t      remote;
  mb_async_t       copy;
  mb_place_t       read_place, write_place;
  mb_place_t [MbHeld-1:0] held_place;
  logic      [MbHeld-1:0] held_valid;
  mb_response_t    response;
  mb_fault_t       fault;
  mb_commit_t      commit;

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: 4, NumIssue: 1, WarpSize: 32, SmemBytes: 4096, MbResponses: 4,
    ClockPeriodPs: ClockPeriodPs, WaitLimitNs: 3000, default: 1'b1  // all switches
  };

  muster_mbarrier #(.Cfg(Cfg)) u_mbarrier (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i (issue),
    .async_valid_i, .async_ready_o, .async_i (copy),
    .remote_valid_i, .remote_ready_o, .remote_i (remote),
    .busy_o, .active_o, .fence_req_o, .fence_ack_i,
    .smem_read_valid_o (read_valid_o), .smem_read_ready_i (read_ready_i),
    .smem_read_place_o (read_place), .smem_rdata_valid_i (rdata_valid_i), .smem_rdata_i (rdata_i),
    .smem_write_valid_o (write_valid_o), .smem_write_ready_i (write_ready_i),
    .smem_write_place_o (write_place), .smem_write_data_o (write_data_o),
    .smem_held_valid_o (held_valid), .smem_held_place_o (held_place), .smem_yield_i (yield_i),
    .stopped_ns_i (stopped_ns_i),
    .response_valid_o, .response_ready_i, .response_o (response),
    .wake_o, .expire_o, .leave_valid_i, .leave_cta_i,
    .fault_valid_o, .fault_o (fault), .commit_o (commit)
  );

  assign issue = '{
    op:        mb_op_e'(issue_op_i),
    place:     '{cta: issue_cta_i, addr: issue_addr_i},
    warp:      issue_warp_i,
    lanes:     issue_lanes_i,
    operand:   issue_operand_i,
    phase:     issue_phase_i,
    has_token: issue_has_token_i,
    has_hint:  issue_has_hint_i,
    whole:     issue_whole_i,
    releasing: issue_releasing_i
  };

  assign copy = '{
    op:      mb_op_e'(async_op_i),
    place:   '{cta: async_cta_i, addr: async_addr_i},
    operand: async_operand_i
  };

  assign remote = '{
    op:        mb_op_e'(remote_op_i),
    place:     '{cta: remote_cta_i, addr: remote_addr_i},
    lanes:     remote_lanes_i,
    operand:   remote_operand_i,
    has_token: remote_has_token_i
  };

  assign {read_cta_o, read_addr_o}   = read_place;
  assign {write_cta_o, write_addr_o} = write_place;

  for (genvar i = 0; i < MbHeld; i++) begin : g_held
    assign held_valid_o[i] = held_valid[i];
    assign {held_cta_o[i], held_addr_o[i]} = held_place[i];
  end

  assign response_warp_o     = response.warp;
  assign response_lanes_o    = response.lanes;
  assign response_op_o       = response.op;
  assign response_operand_o  = response.operand;
  assign response_complete_o = response.complete;
  assign response_token_o    = response.token;

  assign fault_cause_o  = fault.cause;
  assign fault_source_o = fault.source;
  assign fault_warp_o   = fault.warp;
  assign fault_lanes_o  = fault.lanes;
  assign {fault_cta_o, fault_addr_o} = fault.place;

  assign commit_valid_o   = commit.valid;
  assign commit_source_o  = commit.source;
  assign commit_warp_o    = commit.warp;
  assign commit_lanes_o   = commit.lanes;
  assign {commit_cta_o, commit_addr_o} = commit.place;
  assign commit_written_o = commit.written;
  assign commit_word_o    = commit.word;
  assign commit_completed_o  = commit.completed;
  assign commit_parked_o  = commit.parked;

endmodule
