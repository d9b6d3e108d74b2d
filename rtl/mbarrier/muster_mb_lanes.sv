// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes a group through the write stage lane by lane if it is not possible as a single update.
// Meanwhile the operation after it stays in look; its step is put back when the last lane is in
// write.
//
//     cycle   1        2        3        4        5        6
//     look    group    next     next     lane 1   lane 2   next
//     write            group    -        -        lane 1   lane 2
//     state   Whole    Whole    Split    First    Lanes    Last
//
// When a lane is refused, all lanes after it are refused too, in one report.
module muster_mb_lanes
  import muster_pkg::*;
  import muster_mb_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    split_i,     // the group in write must be split
  input  logic    commit_i,    // what is in write commits,
  input  logic    refused_i,   // with all lanes that are left
  input  logic    look_go_i,   // the next group moves to write
  input  nlanes_t lanes_i,     // of these many lanes

  output logic    whole_o,     // no group is split
  output logic    several_o,   // it is one lane of several that are left
  output logic    own_o,       // the step in look is that of the operation there,
  output logic    borrow_o,    // and gives way to that of a lane
  output logic    return_o,    // the step of that operation is put back
  output logic    first_o      // the first lane moves to write
);

  // Each bit is an output: all stages may have to wait for these.
  typedef enum logic [3:0] {  // several, own, first, whole
    Whole = 4'b0101,
    Split = 4'b0000,
    First = 4'b0010,
    Lanes = 4'b1000,
    Last  = 4'b0100
  } state_e;

  state_e  state_q, state_d;
  nlanes_t left_q;  // lanes of the group in write

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Whole:   if (split_i) state_d = Split;
      Split:   state_d = First;
      First:   state_d = Lanes;
      Lanes:   if (commit_i) state_d = refused_i ? Whole : left_q == 6'd2 ? Last : Lanes;
      default: if (commit_i) state_d = Whole;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Whole;
    end else begin
      state_q <= state_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (look_go_i) left_q <= lanes_i;
    else if (commit_i) left_q <= left_q - 6'd1;
  end

  assign {several_o, own_o, first_o, whole_o} = state_q;

  assign borrow_o = state_q == Split;
  assign return_o = several_o && commit_i && (refused_i || left_q == 6'd2);

endmodule
