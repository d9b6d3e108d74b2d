// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Makes updates of a warp instruction, in front of the issue port of atomics. Like the coalescer of
// mbarriers, it is not in the unit. Lanes at one address are one update if the operation does not
// depend on their order and no answer is wanted: their operands are folded, a lane per cycle. Any
// other lane is an update of its own; lanes at one address follow each other, in lane order. A
// value of 128 bits is two updates, the lower half first. The instruction stays at the input until
// its last update is taken; an instruction without lanes makes none. Operands come from bit 0 on,
// and leave in the bytes where the value stands.
module muster_atomics_lanes
  import muster_pkg::*;
  import muster_atomics_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            valid_i,
  output logic            ready_o,
  input  at_instruction_t instruction_i,

  output logic            valid_o,
  input  logic            ready_i,
  output at_update_t      update_o
);

  logic        folds, halved, upper_q, started_q, any_left, any_near, any_behind, folded_q;
  lanes_t      left_q, left, near, alike, behind, done_q, taken, rest;
  lane_t       first_left, first_near, first_behind, leader;
  logic [31:0] addr_q;
  logic [63:0] fold_q, operand;

  assign folds = !instruction_i.has_answer &&
                 instruction_i.op inside {AtAdd, AtMin, AtMax, AtAnd, AtOr, AtXor};
  assign left  = started_q ? left_q : instruction_i.lanes;

  // At the address of the update before this one.
  always_comb begin
    for (int l = 0; l < MaxLanes; l++) begin
      near[l] = started_q && left[l] && instruction_i.addr[l] == addr_q;
    end
  end

  muster_first #(.Width(MaxLanes)) u_left (
    .bits_i (left), .any_o (any_left), .index_o (first_left)
  );
  muster_first #(.Width(MaxLanes)) u_near (
    .bits_i (near), .any_o (any_near), .index_o (first_near)
  );

  assign leader = any_near ? first_near : first_left;

  always_comb begin
    for (int l = 0; l < MaxLanes; l++) begin
      alike[l] = left[l] && instruction_i.addr[l] == instruction_i.addr[leader];
    end
  end

  assign behind = folds ? alike & ~(lanes_t'(1) << leader) & ~done_q : '0;

  muster_first #(.Width(MaxLanes)) u_behind (
    .bits_i (behind), .any_o (any_behind), .index_o (first_behind)
  );

  assign operand = folded_q ? fold_q :
                   upper_q  ? instruction_i.operand_upper[leader] : instruction_i.operand[leader];
  assign halved  = instruction_i.size == At128 && !upper_q;
  assign taken   = halved ? '0 : folds ? alike : lanes_t'(1) << leader;
  assign rest    = left & ~taken;
  assign valid_o = valid_i && any_left && !any_behind;
  assign ready_o = !any_left || (valid_o && ready_i && rest == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      upper_q   <= 1'b0;
      folded_q  <= 1'b0;
      done_q    <= '0;
    end else if (valid_o && ready_i) begin
      started_q <= rest != '0;
      upper_q   <= halved;
      folded_q  <= 1'b0;
      done_q    <= '0;
    end else if (valid_i && any_behind) begin
      folded_q <= 1'b1;
      done_q   <= done_q | (behind & -behind);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_o && ready_i) begin
      left_q <= rest;
      addr_q <= instruction_i.addr[leader];
    end
    if (any_behind) begin
      fold_q <= fold_of(instruction_i.op, instruction_i.size, instruction_i.is_signed, operand,
                        instruction_i.operand[first_behind]);
    end
  end

  // The first quarter of the word that the value has. Of a value that fills the word it is the
  // first of all, or the update is refused.
  logic [1:0] quarter;
  assign quarter = instruction_i.addr[leader][2:1];

  assign update_o = '{
    op:         instruction_i.op,
    size:       instruction_i.size,
    is_signed:  instruction_i.is_signed,
    place:      '{cta: instruction_i.cta, addr: instruction_i.addr[leader]},
    upper:      upper_q,
    warp:       instruction_i.warp,
    lane:       leader,
    from:       '0,
    completes:  1'b0,
    operand:    operand << {quarter, 4'd0},
    compare:    (upper_q ? instruction_i.compare_upper[leader] : instruction_i.compare[leader]) <<
                {quarter, 4'd0},
    has_answer: instruction_i.has_answer,
    releasing:  instruction_i.releasing && !upper_q
  };

endmodule
