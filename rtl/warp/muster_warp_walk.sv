// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes a request through the groups of its warp, from the last slot in use to slot 0. If a group closes in the last slot,
// one slot less is in use; elsewhere its slot becomes a hole, which the next group takes. The next walk cuts off holes
// that are now at the end.
//
//     together  First (─► Evaluate)
//     lanes     First ─► (Read ─► Examine ─► Decide)* ─► Back ─► Merge ─► Settle (─► Evaluate) ─► Done
//     exit      First ─► (Read ─► Examine ─► Decide (─► Evaluate))* ─► Done
//     arrival   First ─► (Read ─► Examine ─► Decide)* ─► Sent ─► Done
//
// Without slots in use, First goes on to Merge, an exit to Done. A request that is refused goes from the last Decide to Done, as
// WarpRead does. Examine and Merge register the comparisons; Decide and Settle use them. The arrival is that of a warp whose
// gather is complete (`sends_i`): the only group it has. Whether lanes that come complete it is known in Done, and the next request
// comes a cycle later then; of an exit, in Decide.
module muster_warp_walk #(
  parameter int unsigned Slots    = 32,
  parameter bit          EnFaults = 1'b1,
  parameter bit          Eager    = 1'b1,  // in the cycle in which a request is answered in First, the next one may come
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // The request, which stays until free_o.
  input  logic             valid_i,     // it is new
  input  logic             more_i,      // more beats follow
  input  logic             reads_i,     // which kind it is; none: lanes that come
  input  logic             writes_i,
  input  logic             exits_i,
  input  logic             sends_i,     // its warp's gather is complete, and arrives
  input  logic             gathers_i,   // they come to a barrier: a gather
  input  logic             refused_i,   // at once
  input  logic             collects_i,  // they come to a collective
  input  logic             together_i,  // all live members of that collective come with this request
  input  logic             values_i,    // with values
  output logic             free_o,      // the next one may come

  // The groups of its warp.
  input  logic             any_i,       // the warp has slots in use
  input  logic [SlotW-1:0] end_i,       // the slots in use end before this one
  input  logic [SlotW-1:0] slot_i,      // to be read
  output logic [SlotW-1:0] slot_o,      // this slot is read for the next cycle, and is that to write
  input  logic             open_i,      // the slot that is read holds a group
  input  logic             same_i,      // it is the group of the request
  input  logic             ours_i,      // the group read waits for a lane of the request; after an exit: for a live lane
  input  logic             gather_i,    // the group read is one of a gather
  input  logic             some_i,      // a live member of the request's group is missing; with theirs_o: the request waits for a lane of the group
  input  logic             valued_i,    // the group read has values

  // The group in hand: the one read, with the lanes that come.
  output logic             found_o,     // the one read
  output logic             comes_o,     // the lanes that come
  output logic             first_o,     // nothing is in hand yet: values are written
  output logic             theirs_o,    // some_i is asked about the group that is read
  output logic             spends_o,    // the request's key is not needed any more: each live lane is a member now
  output logic             files_o,     // it is one of lanes that come, and they are written with it if that is a gather
  output logic             write_o,     // it is written
  output logic             closes_o,    // it is written as a free slot
  output logic             longer_o,    // its slot is now the last in use
  output logic             shorter_o,   // its slot is no longer in use
  output logic             open_o,      // the group that has been read is one
  output logic             answer_o,    // it is answered
  output logic             start_o,     // its values are evaluated before the answer
  input  logic             done_i,      // its values have been evaluated
  output logic             arrives_o,   // its warp arrives
  input  logic             taken_i,     // the arrival is accepted
  input  logic             blocked_i,   // the arrival is not accepted now

  output logic             refuse_o,    // the request is refused
  output logic             other_o,     // it is refused because another gather is open
  output logic             due_o,       // the warp is to arrive
  output logic             settled_o    // the warp has arrived
);

  // One bit for each state.
  typedef enum int unsigned {
    First, Read, Examine, Decide, Back, Merge, Settle, Evaluate, Done, Sent
  } state_e;

  logic [Sent:0]    state_q, state_d;
  logic [SlotW-1:0] slot_q, slot_d;
  logic [SlotW-1:0] own_q;               // of the request's group, or where it will be
  logic             found_q, hole_q;     // there is such a group, or it will be in a hole, not at the end
  logic             top_q, own_top_q;    // no group is in a slot after this one; after its own
  logic             blocks_q, other_q;   // a group stands in the way, and it is another gather
  logic             open_q, is_same_q, gather_q, some_q, ours_q, valued_q;  // what has been found out of the group read
  logic             hold_q, hold_d, comes_q, comes_d;
  logic             asks_q;              // some_i of the cycle before counts: a live lane is missing

  logic same, stuck, other, arrives, ends, joined;

  // Of the group read: it is the request's; neither can complete; the same, and both are gathers; it arrives; it is a collective
  // that an exit completes. Of the one in hand: it is complete.
  assign same    = open_q && is_same_q && !writes_i;
  assign stuck   = EnFaults && open_q && !is_same_q && !writes_i && (gather_q || ours_q) && (gathers_i || some_q);
  assign other   = stuck && gather_q && gathers_i;
  assign arrives = open_q && sends_i;
  assign ends    = open_q && !gather_q && exits_i && !ours_q;
  assign joined  = found_q && !some_q && !gathers_i;

  logic comes, starts, at_once, leaves, whole, skips, stays, next, last, refuses, evaluated;

  // A request of lanes that come.
  assign comes = !exits_i && !sends_i && !reads_i;

  // First: nothing to do, an answer, or a walk. If not Eager, the walk begins in spite of an answer, and is left in the next cycle.
  assign starts   = state_q[First] && valid_i && !more_i && !refused_i;
  assign at_once  = Eager && together_i;
  assign leaves   = starts && !(at_once && !values_i);
  // What was asked in the cycle before: no live lane is missing.
  assign whole    = asks_q && (Eager || !state_q[First]) && !some_q;
  assign skips    = whole && !Eager && collects_i;

  // Decide, of an open group that arrives: it waits until that is accepted.
  assign stays = state_q[Decide] && arrives && !blocked_i && !taken_i;

  // To the next slot, if there is one.
  assign evaluated = state_q[Evaluate] && done_i;
  assign next      = (state_q[Decide] && !reads_i && !arrives && !(ends && valued_q)) || (evaluated && exits_i);
  assign last      = next && slot_q == '0;
  assign refuses   = last && comes && (blocks_q || stuck);

  always_comb begin
    state_d           = '0;
    state_d[First]    = (state_q[First] && !leaves) || skips || state_q[Done] || (evaluated && !hold_q);
    state_d[Read]     = (leaves && !at_once && (reads_i || any_i)) || (next && !last);
    state_d[Examine]  = state_q[Read] && !skips;
    state_d[Decide]   = state_q[Examine] || stays;
    state_d[Back]     = last && comes && !refuses;
    state_d[Merge]    = (leaves && !at_once && !any_i && comes) || state_q[Back];
    state_d[Settle]   = state_q[Merge] && !skips;
    state_d[Evaluate] = start_o || (state_q[Evaluate] && !done_i);
    state_d[Done]     = (leaves && !at_once && !any_i && (exits_i || sends_i)) || state_q[Sent] ||
                        (state_q[Decide] && (reads_i || (arrives && blocked_i))) ||
                        (last && (!comes || refuses)) || (state_q[Settle] && !(joined && values_i)) ||
                        (evaluated && hold_q && !exits_i);
    state_d[Sent]     = state_q[Decide] && arrives && !blocked_i && taken_i;
  end

  // ---------------------------------------------------------------------------------------------
  // The slots
  // ---------------------------------------------------------------------------------------------

  logic             own_here;  // the group of the request is here, or a hole for it
  logic [SlotW-1:0] from, lower;
  logic             used_q;    // the slot that is to be read is in use

  assign from     = state_q[First] ? end_i : slot_q;
  assign lower    = from - SlotW'(1);
  assign own_here = state_q[Decide] && (open_q ? same : !found_q);

  always_comb begin
    slot_d = lower;
    if (last) slot_d = own_q & {SlotW{!own_here}};  // this is slot 0
    if (state_q[First] && reads_i) slot_d = slot_i;
  end

  always_ff @(posedge clk_i) begin
    if (state_q[First] && !any_i && !reads_i) slot_q <= '0;
    else if (state_q[First] || next) slot_q <= slot_d;
    if (state_q[First] && !any_i) own_q <= '0;
    else if (state_q[First] || own_here) own_q <= from;
    if (state_q[First]) used_q <= any_i && slot_i <= lower;
    if (state_q[First]) begin
      {found_q, hole_q, blocks_q, other_q} <= '0;
      top_q <= 1'b1;
    end else if (state_q[Decide]) begin
      found_q  <= found_q || same;
      blocks_q <= blocks_q || stuck;
      other_q  <= other_q || other;
      if (!open_q && !found_q) hole_q <= !top_q;
      if (open_q && !ends) top_q <= 1'b0;
      if (same) own_top_q <= top_q;
    end
  end

  // What is known of the group read, and of the one in hand.
  always_ff @(posedge clk_i) begin
    open_q    <= open_i && (!reads_i || used_q);
    is_same_q <= same_i;
    gather_q  <= gather_i;
    some_q    <= some_i;
    ours_q    <= ours_i;
    valued_q  <= valued_i;
  end

  // What is in hand in the next cycle. (With a gather, the group is written in Merge, and cannot be read for Settle.)
  always_comb begin
    hold_d  = (state_q[Read] && !skips && !reads_i) || (state_q[Examine] && open_i && !reads_i) ||
              (state_q[Back] && found_q) || (state_q[Merge] && found_q && !gathers_i) ||
              (state_d[Evaluate] && !state_q[First] && (hold_q || !state_q[Evaluate]));
    comes_d = !((state_q[Read] && !skips) || state_q[Examine] || stays || (exits_i && (state_q[Decide] || state_q[Evaluate])));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= (Sent+1)'(1) << First;
      hold_q  <= 1'b0;
      comes_q <= 1'b1;
      asks_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      hold_q  <= hold_d;
      comes_q <= comes_d;
      asks_q  <= (!Eager && state_q[First] && collects_i) || (state_q[Settle] && gathers_i);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is done
  // ---------------------------------------------------------------------------------------------

  assign free_o    = (state_q[First] && !leaves) || skips || (state_q[Done] && !asks_q) ||
                     (evaluated && !hold_q);
  assign slot_o    = slot_q;
  assign found_o   = hold_q;
  assign comes_o   = comes_q;
  assign first_o   = state_q[First];
  assign theirs_o  = state_q[Examine] && !exits_i;
  assign spends_o  = exits_i || (gathers_i && state_q[Merge]);
  assign files_o   = state_q[Merge];
  assign open_o    = open_q;
  assign write_o   = (state_q[Decide] && ends && !valued_q) || (state_q[Merge] && gathers_i) ||
                     (state_q[Settle] && !gathers_i && !(joined && values_i)) || (evaluated && hold_q);
  assign closes_o  = !state_q[Merge] && (!state_q[Settle] || joined);
  assign longer_o  = state_q[Settle] && !found_q && !hole_q;
  assign shorter_o = state_q[Sent] ||
                     (top_q && ((state_q[Decide] && !reads_i && (!open_q || (ends && !valued_q))) || (evaluated && exits_i))) ||
                     (own_top_q && ((state_q[Settle] && joined && !values_i) || (evaluated && hold_q && !exits_i)));
  assign answer_o  = (starts && together_i && !values_i) || (state_q[Decide] && (reads_i || (ends && !valued_q))) ||
                     (state_q[Settle] && joined && !values_i);
  assign start_o   = (starts && together_i && values_i) || (state_q[Decide] && ends && valued_q) ||
                     (state_q[Settle] && joined && values_i);
  assign arrives_o = state_q[Decide] && arrives && !blocked_i;
  assign refuse_o  = (state_q[First] && valid_i && !more_i && refused_i) || refuses;
  assign other_o   = other_q || other;
  assign due_o     = (whole && (Eager || !collects_i)) || (state_q[Decide] && open_q && gather_q && exits_i && !some_q);
  assign settled_o = state_q[Sent] || (sends_i && (last || (state_q[First] && !any_i)));  // it has no gather only if misused

endmodule
