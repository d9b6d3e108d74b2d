// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes a request through the groups of its warp, from the last slot in use to slot 0. If a group
// closes in the last slot, one slot less is in use; elsewhere its slot becomes a hole, which the
// next group takes. The next walk cuts off holes that are now at the end.
//
//     together  First (─► Evaluate)
//     lanes     First ─► (Read ─► Examine ─► Decide)* ─► Back ─► Merge ─► Settle (─► Evaluate)
//               ─► Done
//     exit      First ─► (Read ─► Examine ─► Decide (─► Evaluate))* ─► Done
//     arrival   First ─► (Read ─► Examine ─► Decide)* ─► Sent ─► Done
//
// Without slots in use, First goes on to Merge, an exit to Done. A request that is refused goes
// from the last Decide to Done, as WarpRead does. Examine and Merge register the comparisons;
// Decide and Settle use them. The arrival is that of a warp whose gather is complete
// (`request_i.arrival`): the only group it has. Whether lanes that come complete it is known in
// Done, and the next request comes a cycle later then; of an exit, in Decide.
module muster_warp_walk
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg,
  localparam int unsigned SlotW = $clog2(Cfg.WarpSize),
  // In the cycle in which a request is answered in First, the next one may come.
  localparam bit Eager = Cfg.EnCollectives
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // The request, which stays until free_o.
  input  logic             valid_i,            // it is new
  input  walk_request_t    request_i,
  input  logic             whole_i,            // all live members of its collective come with it
  output logic             free_o,             // the next request may come

  // The groups of its warp.
  input  logic             slots_used_i,       // the warp has slots in use
  input  logic [SlotW-1:0] slots_end_i,        // the slots in use end before this one
  input  logic [SlotW-1:0] slot_i,             // to be read
  output logic [SlotW-1:0] slot_o,  // this slot is read for the next cycle, and is that to write
  input  walk_group_t      group_i,            // what the slot that is read holds
  output logic             group_open_o,       // the slot that has been read holds a group
  // Two questions. With ask_group_o: does the request wait for a lane of the group that is read?
  // Otherwise: is a live member of the request's group missing?
  output logic             ask_group_o,
  input  logic             lane_found_i,       // the answer: there is such a lane

  // The group in hand: the one read, with the lanes that come.
  output logic             hand_group_o,       // the one read
  output logic             hand_request_o,     // the lanes that come
  output logic             hand_empty_o,       // nothing is in hand yet: values are written
  // The request's key is not needed any more: each live lane is a member now.
  output logic             key_spent_o,
  // The group is one of lanes that come, and they are written with it if that is a gather.
  output logic             merge_o,
  output walk_write_t      write_o,            // what becomes of its slot
  output logic             answer_o,           // the group is answered
  output logic             evaluate_o,         // its values are evaluated before the answer
  input  logic             evaluate_done_i,

  // The warp's arrival, when all its lanes have come to barriers.
  output logic             arrival_due_o,      // the warp is to arrive
  output logic             arrival_valid_o,
  input  logic             arrival_ready_i,    // the arrival is accepted
  input  logic             arrival_blocked_i,  // the arrival is not accepted now
  output logic             arrival_done_o,     // the warp has arrived

  output logic             refuse_o,           // the request is refused
  output logic             refuse_gather_o     // because another gather is open
);

  // One bit for each state.
  typedef enum int unsigned {
    First, Read, Examine, Decide, Back, Merge, Settle, Evaluate, Done, Sent
  } state_e;

  logic [Sent:0]    state_q, state_d;
  logic [SlotW-1:0] slot_q, slot_d;
  logic [SlotW-1:0] own_q;               // of the request's group, or where it will be
  // There is such a group, or it will be in a hole, not at the end.
  logic             found_q, hole_q;
  logic             top_q, own_top_q;    // no group is in a slot after this one; after its own
  logic             blocks_q, other_q;   // a group stands in the way, and it is another gather
  // What has been found out of the group read.
  logic             open_q, is_same_q, gather_q, some_q, ours_q, valued_q;
  logic             hold_q, hold_d, comes_q, comes_d;
  logic             asks_q;  // lane_found_i of the cycle before counts: a live lane is missing

  logic same, stuck, other, arrives, ends, joined;

  // Of the group read: it is the request's; neither can complete; the same, and both are gathers;
  // it arrives; it is a collective that an exit completes. Of the one in hand: it is complete.
  assign same    = open_q && is_same_q && !request_i.write;
  assign stuck   = Cfg.EnFaults && open_q && !is_same_q && !request_i.write &&
                   (gather_q || ours_q) && (request_i.gather || some_q);
  assign other   = stuck && gather_q && request_i.gather;
  assign arrives = open_q && request_i.arrival;
  assign ends    = open_q && !gather_q && request_i.exit && !ours_q;
  assign joined  = found_q && !some_q && !request_i.gather;

  logic comes, starts, at_once, leaves, whole, skips, stays, next, last, refuses, evaluated;

  // A request of lanes that come.
  assign comes = !request_i.exit && !request_i.arrival && !request_i.read;

  // First: nothing to do, an answer, or a walk. If not Eager, the walk begins in spite of an
  // answer, and is left in the next cycle.
  assign starts   = state_q[First] && valid_i && !request_i.more && !request_i.refused;
  assign at_once  = Eager && whole_i;
  assign leaves   = starts && !(at_once && !request_i.valued);
  // What was asked in the cycle before: no live lane is missing.
  assign whole    = asks_q && (Eager || !state_q[First]) && !some_q;
  assign skips    = whole && !Eager && request_i.collective;

  // Decide, of an open group that arrives: it waits until that is accepted.
  assign stays = state_q[Decide] && arrives && !arrival_blocked_i && !arrival_ready_i;

  // To the next slot, if there is one.
  assign evaluated = state_q[Evaluate] && evaluate_done_i;
  assign next      = (state_q[Decide] && !request_i.read && !arrives && !(ends && valued_q)) ||
                     (evaluated && request_i.exit);
  assign last      = next && slot_q == '0;
  assign refuses   = last && comes && (blocks_q || stuck);

  always_comb begin
    state_d           = '0;
    state_d[First]    = (state_q[First] && !leaves) || skips || state_q[Done] ||
                        (evaluated && !hold_q);
    state_d[Read]     = (leaves && !at_once && (request_i.read || slots_used_i)) || (next && !last);
    state_d[Examine]  = state_q[Read] && !skips;
    state_d[Decide]   = state_q[Examine] || stays;
    state_d[Back]     = last && comes && !refuses;
    state_d[Merge]    = (leaves && !at_once && !slots_used_i && comes) || state_q[Back];
    state_d[Settle]   = state_q[Merge] && !skips;
    state_d[Evaluate] = evaluate_o || (state_q[Evaluate] && !evaluate_done_i);
    state_d[Done]     = (leaves && !at_once && !slots_used_i &&
                         (request_i.exit || request_i.arrival)) || state_q[Sent] ||
                        (state_q[Decide] && (request_i.read || (arrives && arrival_blocked_i))) ||
                        (last && (!comes || refuses)) ||
                        (state_q[Settle] && !(joined && request_i.valued)) ||
                        (evaluated && hold_q && !request_i.exit);
    state_d[Sent]     = state_q[Decide] && arrives && !arrival_blocked_i && arrival_ready_i;
  end

  // ---------------------------------------------------------------------------------------------
  // The slots
  // ---------------------------------------------------------------------------------------------

  logic             own_here;  // the group of the request is here, or a hole for it
  logic [SlotW-1:0] from, lower;
  logic             used_q;    // the slot that is to be read is in use

  assign from     = state_q[First] ? slots_end_i : slot_q;
  assign lower    = from - SlotW'(1);
  assign own_here = state_q[Decide] && (open_q ? same : !found_q);

  always_comb begin
    slot_d = lower;
    if (last) slot_d = own_q & {SlotW{!own_here}};  // this is slot 0
    if (state_q[First] && request_i.read) slot_d = slot_i;
  end

  always_ff @(posedge clk_i) begin
    if (state_q[First] && !slots_used_i && !request_i.read) slot_q <= '0;
    else if (state_q[First] || next) slot_q <= slot_d;
    if (state_q[First] && !slots_used_i) own_q <= '0;
    else if (state_q[First] || own_here) own_q <= from;
    if (state_q[First]) used_q <= slots_used_i && slot_i <= lower;
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
    open_q    <= group_i.open && (!request_i.read || used_q);
    is_same_q <= group_i.own;
    gather_q  <= group_i.gather;
    some_q    <= lane_found_i;
    ours_q    <= group_i.awaits;
    valued_q  <= group_i.valued;
  end

  // What is in hand in the next cycle. (With a gather, the group is written in Merge, and cannot be
  // read for Settle.)
  always_comb begin
    hold_d  = (state_q[Read] && !skips && !request_i.read) ||
              (state_q[Examine] && group_i.open && !request_i.read) ||
              (state_q[Back] && found_q) || (state_q[Merge] && found_q && !request_i.gather) ||
              (state_d[Evaluate] && !state_q[First] && (hold_q || !state_q[Evaluate]));
    comes_d = !((state_q[Read] && !skips) || state_q[Examine] || stays ||
                (request_i.exit && (state_q[Decide] || state_q[Evaluate])));
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
      asks_q  <= (!Eager && state_q[First] && request_i.collective) ||
                 (state_q[Settle] && request_i.gather);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is done
  // ---------------------------------------------------------------------------------------------

  assign free_o          = (state_q[First] && !leaves) || skips || (state_q[Done] && !asks_q) ||
                           (evaluated && !hold_q);
  assign slot_o          = slot_q;
  assign hand_group_o    = hold_q;
  assign hand_request_o  = comes_q;
  assign hand_empty_o    = state_q[First];
  assign ask_group_o     = state_q[Examine] && !request_i.exit;
  assign key_spent_o     = request_i.exit || (request_i.gather && state_q[Merge]);
  assign merge_o         = state_q[Merge];
  assign group_open_o    = open_q;
  assign write_o.valid   = (state_q[Decide] && ends && !valued_q) ||
                           (state_q[Merge] && request_i.gather) ||
                           (state_q[Settle] && !request_i.gather &&
                            !(joined && request_i.valued)) ||
                           (evaluated && hold_q);
  assign write_o.close   = !state_q[Merge] && (!state_q[Settle] || joined);
  assign write_o.longer  = state_q[Settle] && !found_q && !hole_q;
  assign write_o.shorter = state_q[Sent] ||
                           (top_q && ((state_q[Decide] && !request_i.read &&
                                       (!open_q || (ends && !valued_q))) ||
                                       (evaluated && request_i.exit))) ||
                           (own_top_q && ((state_q[Settle] && joined && !request_i.valued) ||
                                          (evaluated && hold_q && !request_i.exit)));
  assign answer_o        = (starts && whole_i && !request_i.valued) ||
                           (state_q[Decide] && (request_i.read || (ends && !valued_q))) ||
                           (state_q[Settle] && joined && !request_i.valued);
  assign evaluate_o      = (starts && whole_i && request_i.valued) ||
                           (state_q[Decide] && ends && valued_q) ||
                           (state_q[Settle] && joined && request_i.valued);
  assign arrival_valid_o = state_q[Decide] && arrives && !arrival_blocked_i;
  assign refuse_o        = (state_q[First] && valid_i && !request_i.more && request_i.refused) ||
                           refuses;
  assign refuse_gather_o = other_q || other;
  assign arrival_due_o   = (whole && (Eager || !request_i.collective)) ||
                           (state_q[Decide] && open_q && gather_q && request_i.exit && !some_q);
  // The warp has no gather only if misused.
  assign arrival_done_o  = state_q[Sent] ||
                           (request_i.arrival && (last || (state_q[First] && !slots_used_i)));

endmodule
