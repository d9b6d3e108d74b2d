// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Makes groups of a warp instruction, in front of the issue port of mbarriers. Like the decoder of
// BCU words, it is not in the unit. A group is led by the lowest lane that is left, and takes the
// lanes that name the same word with the same operand, up to a lane that names that word with
// another. For waits, the phase counts instead of the operand. The group of a try_wait has the
// smallest hint of its lanes: those that differ from the leader's are examined one per cycle. The
// instruction stays at the input until its last group is taken; an instruction without lanes makes
// no group. EnLanes and EnMbLimit are those of the unit. An instruction has the lanes of the
// largest warp; a core whose warps have fewer ties the others to 0.
module muster_mb_coalesce
  import muster_pkg::*;
#(
  parameter bit EnLanes   = 1'b1,  // off: a group that is no wait has one lane
  parameter bit EnMbLimit = 1'b1   // off: only all live lanes of a warp together park
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            valid_i,
  output logic            ready_o,
  input  mb_instruction_t instruction_i,

  output logic            valid_o,
  input  logic            ready_i,
  output mb_group_t       group_o
);

  localparam int unsigned LaneW = $clog2(MaxLanes);

  logic   waits, hints, plain, started_q;
  lanes_t left_q, left, same_operand, same_word, alike, other, together, lanes, rest;
  lanes_t slower, looked_q;  // with another hint than the leader's; those looked at
  logic   any_left, any_slower, better_q, better;
  logic [LaneW-1:0] leader, slow;
  logic [31:0]      hint_q, hint;

  assign waits = instruction_i.op inside {MbTestWait, MbTestWaitParity, MbTryWait, MbTryWaitParity};
  assign hints = instruction_i.op inside {MbTryWait, MbTryWaitParity} && instruction_i.has_hint;
  assign plain = instruction_i.op inside {MbInval, MbCopyArrive};  // no operand

  assign left = started_q ? left_q : instruction_i.lanes;

  muster_first #(.Width(MaxLanes)) u_leader (.bits_i (left), .any_o (any_left), .index_o (leader));

  always_comb begin
    for (int l = 0; l < MaxLanes; l++) begin
      same_operand[l] = instruction_i.operand[l] == instruction_i.operand[leader];
      same_word[l]    = left[l] && instruction_i.addr[l] == instruction_i.addr[leader];
      alike[l]        = same_word[l] &&
                        (waits ? instruction_i.phase[l] == instruction_i.phase[leader] :
                                 plain || same_operand[l]);
    end
  end

  // Waits change nothing: no lane comes between them.
  assign other = waits ? '0 : same_word & ~alike;
  assign together = alike & (other - 1);  // no lane is alike and another
  assign lanes    = (EnLanes || waits) ? together : left & -left;
  assign rest     = left & ~lanes;

  // The smallest hint; without hints the operand of the leader.
  assign slower = hints ? lanes & ~same_operand & ~looked_q : '0;

  muster_first #(.Width(MaxLanes)) u_slow (.bits_i (slower), .any_o (any_slower), .index_o (slow));

  assign hint   = better_q ? hint_q : instruction_i.operand[leader];
  assign better = any_slower && instruction_i.operand[slow] < hint;

  assign valid_o = valid_i && any_left && !any_slower;
  assign ready_o = !any_left || (valid_o && ready_i && rest == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      looked_q  <= '0;
      better_q  <= 1'b0;
    end else if (valid_o && ready_i) begin
      started_q <= rest != '0;
      looked_q  <= '0;
      better_q  <= 1'b0;
    end else if (valid_i) begin
      looked_q  <= looked_q | (slower & -slower);
      better_q  <= better_q || better;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_o && ready_i) left_q <= rest;
    if (better) hint_q <= instruction_i.operand[slow];
  end

  assign group_o = '{
    op:        instruction_i.op,
    place:     '{cta: instruction_i.cta, addr: instruction_i.addr[leader]},
    warp:      instruction_i.warp,
    lanes:     lanes,
    operand:   plain ? '0 : hint,
    phase:     instruction_i.phase[leader],
    asks:      instruction_i.asks,
    has_token: instruction_i.has_token,
    has_hint:  instruction_i.has_hint,
    whole:     lanes == (EnMbLimit ? instruction_i.lanes : instruction_i.live),
    releasing: instruction_i.releasing
  };

endmodule
