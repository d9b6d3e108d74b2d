// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What another CTA does to this one: an operation on an mbarrier, an update of a value, or, of
// red.async and st.async, both. Then the arithmetic is performed first: the operation waits until
// the update has committed, and if that is refused, it is dropped. What comes behind waits for it,
// so that operations on mbarriers keep their order; updates pass. A value of 128 bits comes whole,
// and is two updates.
module muster_remote_split
  import muster_pkg::*;
  import muster_atomics_pkg::*;
#(
  parameter int unsigned SmemBytes = 262144
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       valid_i,         // from the network; held until ready
  output logic       ready_o,
  input  mb_remote_t remote_i,        // without lanes: no operation on an mbarrier
  input  at_remote_t atomic_i,
  input  logic [3:0] unit_i,          // of the sender
  input  warp_t      warp_i,

  output logic       update_valid_o,  // for the atomics
  input  logic       update_ready_i,
  output at_update_t update_o,
  input  at_commit_t commit_i,        // of the atomics

  output logic       mb_valid_o,      // for the mbarriers
  input  logic       mb_ready_i,
  output mb_remote_t mb_o,

  output logic       pending_o        // an operation waits for its update, or for the mbarriers
);

`include "muster_assert.svh"

  localparam int unsigned AddrW  = $clog2(SmemBytes);
  localparam int unsigned Depth  = 4;  // operations that wait, at most
  localparam int unsigned CountW = $clog2(Depth + 1);

  logic              follows, full, lower, upper_q, goes, push, pop, waits;
  logic [CountW-1:0] waiting_q, due_q;  // due: their updates have committed
  mb_remote_t        oldest;

  assign follows = remote_i.lanes != '0;
  assign full    = follows && waiting_q == CountW'(Depth);
  assign lower   = atomic_i.size == At128 && !upper_q;
  assign goes    = update_valid_o && update_ready_i;

  assign update_valid_o = valid_i && atomic_i.valid && !full;
  assign update_o = '{
    op: atomic_i.op, size: atomic_i.size, is_signed: atomic_i.is_signed,
    place: '{cta: remote_i.place.cta, addr: atomic_i.addr}, upper: upper_q,
    warp: warp_i, lane: atomic_i.lane, from: '{remote: 1'b1, unit: unit_i},
    completes: follows && !lower,
    operand: upper_q ? atomic_i.operand_upper : atomic_i.operand,
    compare: upper_q ? atomic_i.compare_upper : atomic_i.compare,
    has_answer: atomic_i.has_answer, releasing: 1'b0
  };

  assign push = goes && update_o.completes && !is_misplaced(update_o, AddrW);
  assign pop  = waits && due_q != '0 && mb_ready_i;

  muster_fifo #(.data_t(mb_remote_t), .Depth(Depth)) u_waiting (
    .clk_i, .rst_ni, .offer_i (1'b0), .valid_i (push), .data_i (remote_i),
    .valid_o (waits), .ready_i (pop), .data_o (oldest)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      upper_q   <= 1'b0;
      waiting_q <= '0;
      due_q     <= '0;
    end else begin
      if (goes) upper_q <= lower;
      waiting_q <= waiting_q + CountW'(push) - CountW'(pop);
      due_q     <= due_q + CountW'(commit_i.valid && commit_i.completes && commit_i.written) -
                   CountW'(pop);
    end
  end

  assign mb_valid_o = waits ? due_q != '0 : valid_i && !atomic_i.valid;
  assign mb_o       = waits ? oldest : remote_i;
  assign ready_o    = atomic_i.valid ? update_ready_i && !full && !lower : mb_ready_i && !waits;
  assign pending_o  = waits;

  `MUSTER_ASSERT_HELD(MessageHeld, valid_i, ready_o, ({remote_i, atomic_i, unit_i, warp_i}),
                      "a message of another CTA changes before it is accepted")
  `MUSTER_ASSERT(SomeOperation, !valid_i || atomic_i.valid || follows,
                 "a message of another CTA has neither an update nor an operation on an mbarrier")
  `MUSTER_ASSERT(DueWaits, due_q <= waiting_q, "an update commits whose operation does not wait")

endmodule
