// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Between the pins of a unit, a port per field (muster_ports.svh), and the ports of rtl/muster.sv, which have unit_
// before their names here.
module muster_fields
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumIssue = 2
) (
  output logic         [NumIssue-1:0] unit_issue_valid,
  input  logic         [NumIssue-1:0] unit_issue_ready,
  output issue_t       [NumIssue-1:0] unit_issue,
  input  logic         [NumWarps-1:0] unit_busy,
  input  logic                        unit_idle,
  output logic                        unit_lifecycle_valid,
  input  logic                        unit_lifecycle_ready,
  output lifecycle_t                  unit_lifecycle,
  output logic         [NumWarps-1:0] unit_lifecycle_warps,
  output logic                        unit_exit_valid,
  input  logic                        unit_exit_ready,
  output exit_t                       unit_exit,
  input  logic         [NumWarps-1:0] unit_fence_req,
  output logic         [NumWarps-1:0] unit_fence_ack,
  input  logic         [NumWarps-1:0] unit_release,
  input  release_t                    unit_release_info,
  input  logic                        unit_response_valid,
  output logic                        unit_response_ready,
  input  response_t                   unit_response,
  input  logic         [NumIssue+1:0] unit_fault_valid,
  input  fault_t       [NumIssue+1:0] unit_fault,
  input  commit_t                     unit_commit,
  input  mb_commit_t                  unit_mb_commit,
  output cta_t                        unit_debug_cta,
  output bar_t                        unit_debug_bar,
  input  bar_word_t                   unit_debug_word,
  output warp_t                       unit_debug_warp_no,
  input  debug_warp_t                 unit_debug_warp,
  output logic                        unit_mb_issue_valid,
  input  logic                        unit_mb_issue_ready,
  output mb_group_t                   unit_mb_issue,
  output logic                        unit_mb_async_valid,
  input  logic                        unit_mb_async_ready,
  output mb_async_t                   unit_mb_async,
  output logic                        unit_mb_remote_valid,
  input  logic                        unit_mb_remote_ready,
  output mb_remote_t                  unit_mb_remote,
  input  logic         [NumWarps-1:0] unit_mb_busy,
  input  logic         [NumWarps-1:0] unit_mb_fence_req,
  output logic         [NumWarps-1:0] unit_mb_fence_ack,
  input  logic                        unit_smem_read_valid,
  output logic                        unit_smem_read_ready,
  input  mb_place_t                   unit_smem_read_place,
  output logic                        unit_smem_rdata_valid,
  output mb_word_t                    unit_smem_rdata,
  input  logic                        unit_smem_write_valid,
  output logic                        unit_smem_write_ready,
  input  mb_place_t                   unit_smem_write_place,
  input  mb_word_t                    unit_smem_write_data,
  input  logic         [MbHeld-1:0]   unit_smem_held_valid,
  input  mb_place_t    [MbHeld-1:0]   unit_smem_held_place,
  output logic                        unit_smem_yield,
  input  logic                        unit_mb_response_valid,
  output logic                        unit_mb_response_ready,
  input  mb_response_t                unit_mb_response,
  output logic         [31:0]         unit_mb_stopped_ns,
  input  logic         [NumWarps-1:0] unit_mb_wake,
  input  logic         [NumWarps-1:0] unit_mb_expire,
  input  logic                        unit_mb_fault_valid,
  input  mb_fault_t                   unit_mb_fault,

`include "muster_ports.svh"
);

  always_comb begin
    for (int p = 0; p < NumIssue; p++) begin
      unit_issue[p] = '{
        op:      op_e'(issue_op_i[p]),
        cta:     issue_cta_i[p],
        warp:    issue_warp_i[p],
        bar:     issue_bar_i[p],
        count:   issue_count_i[p],
        lanes:   issue_lanes_i[p],
        operand: issue_operand_i[p]
      };
      commit_valid_o[p] = unit_commit.valid[p];
      commit_warp_o[p]  = unit_commit.warp[p];
    end
    for (int p = 0; p < NumIssue + 2; p++) begin
      {fault_cause_o[p], fault_cta_o[p], fault_warp_o[p], fault_lanes_o[p], fault_bar_o[p]} = unit_fault[p];
    end
  end

  assign unit_issue_valid     = issue_valid_i;
  assign issue_ready_o        = unit_issue_ready;
  assign busy_o               = 64'(unit_busy);
  assign idle_o               = unit_idle;
  assign unit_lifecycle_valid = lc_valid_i;
  assign lc_ready_o           = unit_lifecycle_ready;
  assign unit_lifecycle       = '{op: lifecycle_e'(lc_op_i), cta: lc_cta_i, size: lc_size_i, warp: lc_warp_i,
                                  lanes: lc_lanes_i};
  assign unit_lifecycle_warps = lc_warps_i[NumWarps-1:0];
  assign unit_exit_valid      = exit_valid_i;
  assign exit_ready_o         = unit_exit_ready;
  assign unit_exit            = '{cta: exit_cta_i, warp: exit_warp_i, lanes: exit_lanes_i};
  assign fence_req_o          = 64'(unit_fence_req);
  assign unit_fence_ack       = fence_ack_i[NumWarps-1:0];
  assign release_warps_o      = 64'(unit_release);
  assign {release_cta_o, release_bar_o, release_kind_o, release_value_o} = unit_release_info;
  assign response_valid_o     = unit_response_valid;
  assign unit_response_ready  = response_ready_i;
  assign {response_warp_o, response_data_o, response_pred_o} = unit_response;
  assign fault_valid_o        = unit_fault_valid;
  assign commit_lc_o          = unit_commit.lifecycle;
  assign commit_exit_o        = unit_commit.exit;
  assign entry_valid_o        = unit_commit.entry_valid;
  assign entry_cta_o          = unit_commit.entry_cta;
  assign entry_bar_o          = unit_commit.entry_bar;
  assign entry_word_o         = unit_commit.entry_word;
  assign unit_debug_cta       = debug_cta_i;
  assign unit_debug_bar       = debug_bar_i;
  assign debug_word_o         = unit_debug_word;
  assign unit_debug_warp_no   = debug_warp_i;
  assign {debug_waiting_o, debug_live_o, debug_warp_cta_o} = unit_debug_warp;

  assign unit_mb_issue_valid = mb_issue_valid_i;
  assign mb_issue_ready_o    = unit_mb_issue_ready;
  assign unit_mb_issue = '{
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
  assign unit_mb_async_valid  = mb_async_valid_i;
  assign mb_async_ready_o     = unit_mb_async_ready;
  assign unit_mb_async        = '{op: mb_op_e'(mb_async_op_i), place: '{cta: mb_async_cta_i, addr: mb_async_addr_i},
                                  operand: mb_async_operand_i};
  assign unit_mb_remote_valid = mb_remote_valid_i;
  assign mb_remote_ready_o    = unit_mb_remote_ready;
  assign unit_mb_remote       = '{op: mb_op_e'(mb_remote_op_i), place: '{cta: mb_remote_cta_i, addr: mb_remote_addr_i},
                                  lanes: mb_remote_lanes_i, operand: mb_remote_operand_i,
                                  has_token: mb_remote_has_token_i};
  assign mb_busy_o            = 64'(unit_mb_busy);
  assign mb_fence_req_o       = 64'(unit_mb_fence_req);
  assign unit_mb_fence_ack    = mb_fence_ack_i[NumWarps-1:0];
  assign read_valid_o         = unit_smem_read_valid;
  assign unit_smem_read_ready = read_ready_i;
  assign {read_cta_o, read_addr_o} = unit_smem_read_place;
  assign unit_smem_rdata_valid = rdata_valid_i;
  assign unit_smem_rdata       = rdata_i;
  assign write_valid_o         = unit_smem_write_valid;
  assign unit_smem_write_ready = write_ready_i;
  assign {write_cta_o, write_addr_o} = unit_smem_write_place;
  assign write_data_o          = unit_smem_write_data;
  assign held_valid_o          = unit_smem_held_valid;
  for (genvar i = 0; i < MbHeld; i++) begin : g_held
    assign {held_cta_o[i], held_addr_o[i]} = unit_smem_held_place[i];
  end
  assign unit_smem_yield    = yield_i;
  assign unit_mb_stopped_ns = stopped_ns_i;

  assign mb_response_valid_o    = unit_mb_response_valid;
  assign unit_mb_response_ready = mb_response_ready_i;
  assign {mb_response_warp_o, mb_response_lanes_o, mb_response_op_o, mb_response_operand_o, mb_response_complete_o,
          mb_response_token_o} = unit_mb_response;
  assign mb_wake_o   = 64'(unit_mb_wake);
  assign mb_expire_o = 64'(unit_mb_expire);

  assign mb_fault_valid_o = unit_mb_fault_valid;
  assign {mb_fault_cause_o, mb_fault_source_o, mb_fault_warp_o, mb_fault_lanes_o, mb_fault_cta_o, mb_fault_addr_o} =
      unit_mb_fault;
  assign {mb_commit_valid_o, mb_commit_source_o, mb_commit_warp_o, mb_commit_lanes_o, mb_commit_cta_o,
          mb_commit_addr_o, mb_commit_written_o, mb_commit_word_o, mb_commit_completed_o, mb_commit_parked_o} =
      unit_mb_commit;

endmodule
