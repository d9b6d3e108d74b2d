// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scheduler of Ventus, which holds its barriers, with the pins that the adapter drives. All that fetches
// instructions is idle.
`include "define.v"

module ventus_flat (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [7:0]  warps_o,
  output logic [7:0]  ctas_o,

  input  logic        join_valid_i,
  input  logic [7:0]  join_warp_i,
  input  logic [7:0]  join_cta_i,

  input  logic        control_valid_i,
  output logic        control_ready_o,
  input  logic        control_end_i,  // the warp ends; otherwise it comes to the barrier
  input  logic [7:0]  control_warp_i,
  input  logic [7:0]  control_cta_i,

  output logic [63:0] ready_o  // warps that may issue
);

  localparam int unsigned Warps = 32'(`NUM_WARP);
  logic [Warps-1:0] ready;

  assign warps_o = 8'(Warps);
  assign ctas_o  = 8'(`NUM_BLOCK);
  assign ready_o = 64'(ready);

  warp_scheduler u_scheduler (
    .clk(clk_i),
    .rst_n(rst_ni),
    .warpReq_valid_i(join_valid_i),
    .warpReq_dispatch2cu_wf_tag_dispatch_i(`TAG_WIDTH'({join_cta_i, (`WF_COUNT_WIDTH_PER_WG)'(0)})),
    .warpReq_wid_i((`DEPTH_WARP)'(join_warp_i)),
    .warpReq_dispatch2cu_start_pc_dispatch_i('0),
    .warpRsp_ready_i(1'b1),
    .warpRsp_valid_o(),
    .warpRsp_wid_o(),
    .wg_id_lookup_o(),
    .wg_id_tag_i(`TAG_WIDTH'({control_cta_i, (`WF_COUNT_WIDTH_PER_WG)'(0)})),
    .pc_req_valid_o(),
    .pc_req_addr_o(),
    .pc_req_mask_o(),
    .pc_req_wid_o(),
    .pc_rsp_valid_i(1'b0),
    .pc_rsp_addr_i('0),
    .pc_rsp_mask_i('0),
    .pc_rsp_wid_i('0),
    .pc_rsp_status_i(1'b0),
    .branch_ready_o(),
    .branch_valid_i(1'b0),
    .branch_wid_i('0),
    .branch_jump_i(1'b0),
    .branch_new_pc_i('0),
    .warp_control_ready_o(control_ready_o),
    .warp_control_valid_i(control_valid_i),
    .warp_control_simt_stack_op_i(control_end_i),
    .warp_control_wid_i((`DEPTH_WARP)'(control_warp_i)),
    .scoreboard_busy_i('0),
    .ibuffer_ready_i('0),
    .warp_ready_o(ready),
    .flush_valid_o(),
    .flush_wid_o(),
    .flushCache_valid_o(),
    .flushCache_wid_o()
  );

endmodule
