// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The coalescer of mbarrier instructions with a port per field, for a block with all features or with few.
module mb_coalesce_flat
  import muster_pkg::*;
#(
  parameter bit EnLanes   = 1'b1,
  parameter bit EnMbLimit = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,
  output logic        ready_o,
  input  logic [3:0]  op_i,
  input  logic [4:0]  cta_i,
  input  logic [5:0]  warp_i,
  input  logic [31:0] lanes_i,
  input  logic [31:0] live_i,
  input  logic [31:0] addr_i    [MaxLanes],
  input  logic [31:0] operand_i [MaxLanes],
  input  logic [31:0] phase_i,
  input  logic [2:0]  flags_i,  // has_token, has_hint, releasing

  output logic        valid_o,
  input  logic        ready_i,
  output logic [3:0]  op_o,
  output logic [4:0]  cta_o,
  output logic [5:0]  warp_o,
  output logic [31:0] lanes_o,
  output logic [31:0] addr_o,
  output logic [31:0] operand_o,
  output logic        phase_o,
  output logic        whole_o,
  output logic [2:0]  flags_o
);

  mb_instruction_t instruction;
  mb_group_t       group;

  muster_mb_coalesce #(.EnLanes(EnLanes), .EnMbLimit(EnMbLimit)) u_coalesce (
    .clk_i, .rst_ni, .valid_i, .ready_o, .instruction_i (instruction),
    .valid_o, .ready_i, .group_o (group)
  );

  always_comb begin
    instruction.op    = mb_op_e'(op_i);
    instruction.cta   = cta_i;
    instruction.warp  = warp_i;
    instruction.lanes = lanes_i;
    instruction.live  = live_i;
    instruction.phase = phase_i;
    for (int l = 0; l < MaxLanes; l++) begin
      instruction.addr[l]    = addr_i[l];
      instruction.operand[l] = operand_i[l];
    end
    {instruction.has_token, instruction.has_hint, instruction.releasing} = flags_i;
  end

  assign op_o      = group.op;
  assign cta_o     = group.place.cta;
  assign warp_o    = group.warp;
  assign lanes_o   = group.lanes;
  assign addr_o    = group.place.addr;
  assign operand_o = group.operand;
  assign phase_o   = group.phase;
  assign whole_o   = group.whole;
  assign flags_o   = {group.has_token, group.has_hint, group.releasing};

endmodule
