// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes a request through the groups of its warp, from the last slot in use to slot 0. If a group closes in the last slot,
// one slot less is in use; elsewhere its slot becomes a hole, which the next group takes. The next walk cuts off holes
// that are now at the end.
//
//     together  First (─► Evaluate)
//     lanes     First ─► (Read ─► Examine ─► Decide)... ─► Back ─► Merge ─► Settle (─► Evaluate) ─► Done
//     exit      First ─► (Read ─► Examine ─► Decide (─► Evaluate))... ─► Done
//     arrivals  First ─► (Read ─► Examine ─► Decide (─► Sent))... ─► Done
//
// Without slots in use, First goes on to Merge, an exit to Done. A request that is refused goes from the last Decide to Done, as
// WarpRead does. Examine and Merge register the comparisons; Decide and Settle use them. The arrivals are those of a warp whose
// gather is complete (`sends_i`).
module muster_warp_walk #(
  parameter int unsigned Slots = 32,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // The request, which stays until finish_o.
  input  logic             valid_i,
  input  logic             nothing_i,   // it has no lanes, or more beats follow
  input  logic             reads_i,     // which kind it is; none: lanes that come
  input  logic             writes_i,
  input  logic             exits_i,
  input  logic             sends_i,
  input  logic             gathers_i,   // they come to a barrier
  input  logic             refused_i,   // at once
  input  logic             together_i,  // all live members of a collective come
  input  logic             values_i,    // with values
  output logic             finish_o,

  // The groups of its warp.
  input  logic             any_i,       // there are slots in use, ...
  input  logic [SlotW-1:0] last_i,      // ... up to this one
  input  logic [SlotW-1:0] slot_i,      // to be read
  output logic [SlotW-1:0] slot_o,      // this slot is read for the next cycle, and is that to write
  input  logic             open_i,      // the group read is one, ...
  input  logic             same_i,      // ... that of the request, ...
  input  logic             stuck_i,     // ... or else neither can complete, ...
  input  logic             gather_i,    // ... or it is one of a gather
  input  logic             complete_i,  // its lanes and those of the request include all its live members
  input  logic             full_i,      // each live lane comes now, or waits in a gather
  input  logic             valued_i,    // the group read has values

  // The group in hand: the one read, with the lanes that come.
  output logic             found_o,     // the one read
  output logic             comes_o,     // the lanes that come
  output logic             first_o,     // nothing is in hand yet: values are written
  output logic             gathers_o,   // its lanes come to a gather, if that is its kind
  output logic             write_o,     // it is written
  output logic             closes_o,    // ... as a hole
  output logic             longer_o,    // its slot is the last in use, ...
  output logic             shorter_o,   // ... or no longer
  output logic             open_o,      // the group that has been read is one
  output logic             answer_o,    // it is answered, ...
  output logic             start_o,     // ... once its values are evaluated,
  input  logic             done_i,      // and so they are
  output logic             arrives_o,   // it arrives ...
  input  logic             taken_i,     // ... and that is accepted
  input  logic             blocked_i,   // ... but not now

  output logic             refuse_o,
  output logic             due_o,       // the warp is to arrive, ...
  output logic             settled_o    // ... and has
);

  typedef enum logic [3:0] {
    First, Read, Examine, Decide, Back, Merge, Settle, Evaluate, Done, Sent
  } state_e;

  state_e           state_q, state_d;
  logic [SlotW-1:0] slot_q, slot_d;
  logic [SlotW-1:0] own_q, own_d;      // of the request's group, or where it will be
  logic             found_q, found_d;  // there is such a group, ...
  logic             hole_q, hole_d;    // ... or it will be in a hole, not at the end
  logic             top_q, top_d;      // no group is in a slot after this one
  logic             own_top_q, own_top_d;
  logic             blocks_q, blocks_d;  // a group stands in the way
  logic             open_q, same_q, stuck_q, complete_q;
  logic             sends_q, loses_q, valued_q;  // the group arrives; an exit may complete it; it has values
  logic             hold_q, hold_d, comes_q, comes_d;  // in hand: the group read, the lanes that come
  logic             next;              // to the next slot, if there is one

  always_ff @(posedge clk_i) begin
    open_q     <= open_i && (!reads_i || (any_i && slot_q <= last_i));
    same_q     <= same_i && !writes_i;
    stuck_q    <= stuck_i && !writes_i;
    complete_q <= complete_i;
    sends_q    <= sends_i && open_i && gather_i;
    loses_q    <= exits_i && open_i && !gather_i;
    valued_q   <= valued_i;
  end

  always_comb begin
    state_d   = state_q;
    slot_d    = slot_q;
    own_d     = own_q;
    found_d   = found_q;
    hole_d    = hole_q;
    top_d     = top_q;
    own_top_d = own_top_q;
    blocks_d  = blocks_q;
    next      = 1'b0;
    finish_o  = 1'b0;
    write_o   = 1'b0;
    closes_o  = 1'b0;
    longer_o  = 1'b0;
    shorter_o = 1'b0;
    answer_o  = 1'b0;
    start_o   = 1'b0;
    arrives_o = 1'b0;
    refuse_o  = 1'b0;
    due_o     = 1'b0;
    settled_o = 1'b0;

    unique case (state_q)
      First: begin
        slot_d   = reads_i ? slot_i : last_i;
        own_d    = (last_i + SlotW'(1)) & {SlotW{any_i}};
        found_d  = 1'b0;
        hole_d   = 1'b0;
        top_d    = 1'b1;
        blocks_d = 1'b0;
        if (valid_i) begin
          if (nothing_i || refused_i) begin
            refuse_o = !nothing_i;
            finish_o = 1'b1;
          end else if (together_i) begin
            start_o  = values_i;
            answer_o = !values_i;
            finish_o = !values_i;
            if (values_i) state_d = Evaluate;
          end else if (reads_i || any_i) begin
            state_d = Read;
          end else begin
            state_d   = (exits_i || sends_i) ? Done : Merge;
            settled_o = sends_i;  // it was due when its last lane had exited
          end
        end
      end
      Read:    state_d = Examine;
      Examine: state_d = Decide;
      Decide: begin
        if (reads_i) begin
          answer_o = 1'b1;
          state_d  = Done;
        end else if (!open_q) begin
          next      = 1'b1;
          shorter_o = top_q;
          if (!found_q) begin
            own_d  = slot_q;
            hole_d = !top_q;
          end
        end else if (sends_q) begin
          arrives_o = !blocked_i;
          if (blocked_i) begin
            state_d = Done;
          end else if (taken_i) begin
            state_d = Sent;
          end
        end else if (loses_q && complete_q) begin
          start_o   = valued_q;
          answer_o  = !valued_q;
          next      = !valued_q;
          write_o   = !valued_q;
          closes_o  = 1'b1;
          shorter_o = top_q && !valued_q;
          if (valued_q) state_d = Evaluate;
        end else begin
          next     = 1'b1;
          top_d    = 1'b0;
          blocks_d = blocks_q || (stuck_q && !same_q);
          if (same_q) begin
            own_d     = slot_q;
            own_top_d = top_q;
            found_d   = 1'b1;
          end
        end
      end
      Back: state_d = Merge;
      Merge: begin
        state_d = Settle;
        slot_d  = own_q;
      end
      Settle: begin
        write_o = 1'b1;
        state_d = Done;
        if (found_q && complete_q && !gathers_i) begin
          start_o   = values_i;
          answer_o  = !values_i;
          write_o   = !values_i;
          closes_o  = 1'b1;
          shorter_o = own_top_q && !values_i;
          if (values_i) state_d = Evaluate;
        end else begin
          longer_o = !found_q && !hole_q;
          due_o    = gathers_i && full_i;
        end
      end
      Evaluate: begin
        closes_o = 1'b1;
        if (done_i) begin
          write_o   = !together_i;
          finish_o  = together_i;
          next      = exits_i;
          shorter_o = exits_i ? top_q : own_top_q && !together_i;
          state_d   = together_i ? First : Done;
        end
      end
      Sent: begin
        next      = 1'b1;
        write_o   = 1'b1;
        closes_o  = 1'b1;
        shorter_o = top_q;
      end
      default: begin  // Done: the next request reads what this one has written
        finish_o = 1'b1;
        state_d  = First;
      end
    endcase

    if (next) begin
      slot_d  = slot_q - SlotW'(1);
      state_d = Read;
      if (slot_q == '0) begin
        due_o     = exits_i && full_i;
        settled_o = sends_i;
        state_d   = Done;
        if (!exits_i && !sends_i) begin
          slot_d   = own_d;
          refuse_o = blocks_d;
          state_d  = blocks_d ? Done : Back;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= First;
    end else begin
      state_q <= state_d;
    end
  end

  // What is in hand in the next cycle.
  always_comb begin
    hold_d = (state_d inside {Examine, Decide} && !reads_i) || (state_d inside {Merge, Settle} && found_d);
    if (state_d == Evaluate) hold_d = (state_q == Evaluate) ? hold_q : (state_q != First);
    comes_d = state_d inside {First, Merge, Settle} || (state_d == Evaluate && !exits_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hold_q  <= 1'b0;
      comes_q <= 1'b1;
    end else begin
      hold_q  <= hold_d;
      comes_q <= comes_d;
    end
  end

  assign slot_o  = slot_q;
  assign found_o = hold_q;
  assign comes_o = comes_q;
  assign first_o = (state_q == First);
  assign gathers_o = (state_q == Examine && open_i && gather_i) || state_q == Merge;
  assign open_o  = open_q;

  always_ff @(posedge clk_i) begin
    slot_q    <= slot_d;
    own_q     <= own_d;
    found_q   <= found_d;
    hole_q    <= hole_d;
    top_q     <= top_d;
    own_top_q <= own_top_d;
    blocks_q  <= blocks_d;
  end

endmodule
