// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit in the place of the barriers of a Ventus warp scheduler. Ports on the core's side have
// the names of the scheduler's; the README has the wiring. A workgroup has one barrier, number 0 of
// its CTA slot, which waits for all warps that have not ended.
module muster_ventus
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps  = 8,  // num_warp
  parameter int unsigned NumBlocks = 8,  // num_block; NumCtas of the unit
  // Bits of the warp's number in its workgroup, in the wf_tag.
  parameter int unsigned WfIdWidth = 3,
  localparam int unsigned WarpW    = $clog2(NumWarps),
  localparam int unsigned BlockW   = (NumBlocks > 1) ? $clog2(NumBlocks) : 1,
  localparam int unsigned SizeW    = $clog2(NumWarps + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,              // of the core and of the unit

  // warpReq: a warp is dispatched. It may run in the next cycle, unless warp_bar_data_o holds it.
  input  logic                        warp_req_valid_i,    // warpReq.fire
  input  logic            [WarpW-1:0] warp_req_wid_i,      // warpReq.bits.wid
  // dispatch2cu_wf_tag_dispatch: slot, number in the workgroup.
  input  logic [BlockW+WfIdWidth-1:0] warp_req_wf_tag_i,
  // dispatch2cu_wg_wf_count: warps of the workgroup.
  input  logic            [SizeW-1:0] warp_req_wf_count_i,

  // warp_control: a warp reaches a barrier or its end. There is no ready signal.
  input  logic                        warp_control_valid_i,          // warp_control.fire
  input  logic            [WarpW-1:0] warp_control_wid_i,            // ctrl.wid
  // ctrl.simt_stack_op: 1 the end, 0 a barrier.
  input  logic                        warp_control_simt_stack_op_i,

  // The register of this name: these warps do not issue.
  output logic         [NumWarps-1:0] warp_bar_data_o,
  // A pulse: the workgroup has ended, for the unit too.
  output logic        [NumBlocks-1:0] wg_end_o,

  // The unit, with NumIssue 1 and EnJoin 1.
  output logic                        issue_valid_o,       // issue_valid_i[0]
  input  logic                        issue_ready_i,       // issue_ready_o[0]
  output issue_t                      issue_o,             // issue_i[0]
  output logic                        lifecycle_valid_o,   // lifecycle_valid_i
  input  logic                        lifecycle_ready_i,   // lifecycle_ready_o
  output lifecycle_t                  lifecycle_o,         // lifecycle_i; lifecycle_warps_i is 0
  output logic                        exit_valid_o,        // exit_valid_i
  input  logic                        exit_ready_i,        // exit_ready_o
  output exit_t                       exit_o,              // exit_i
  input  logic         [NumWarps-1:0] release_i            // release_o
);

  /* verilator lint_off PINCONNECTEMPTY */  // what is in warp_bar_data_o already
  muster_core_port #(.NumWarps(NumWarps), .NumCtas(NumBlocks)) u_port (
    .clk_i, .rst_ni,
    .dispatch_valid_i (warp_req_valid_i), .dispatch_warp_i (warp_req_wid_i),
    .dispatch_cta_i (warp_req_wf_tag_i[WfIdWidth +: BlockW]),
    .dispatch_size_i (warp_req_wf_count_i),
    .arrive_valid_i (warp_control_valid_i && !warp_control_simt_stack_op_i),
    .arrive_warp_i (warp_control_wid_i), .arrive_op_i (OpSync), .arrive_bar_i ('0),
    .arrive_count_i ('0), .arrive_phase_i (1'b0),
    .end_valid_i (warp_control_valid_i && warp_control_simt_stack_op_i),
    .end_warp_i (warp_control_wid_i),
    .held_o (warp_bar_data_o), .resume_o (), .refused_o (), .dispatch_held_o (),
    .cta_ended_o (wg_end_o),
    .issue_valid_o, .issue_ready_i, .issue_o,
    .lifecycle_valid_o, .lifecycle_ready_i, .lifecycle_o,
    .exit_valid_o, .exit_ready_i, .exit_o,
    .release_i, .response_valid_i (1'b0), .response_warp_i ('0), .fault_valid_i (1'b0),
    .fault_warp_i ('0)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
