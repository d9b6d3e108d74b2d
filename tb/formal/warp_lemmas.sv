// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the warp scope without bound: the lemmas that relate slots, walk and stage to what the checker knows
// of the lanes. The unit is u_warp, the checker u_props in the module around this one.
module warp_lemmas
  import muster_pkg::*;
  import muster_warp_pkg::*;
  import warp_spec_pkg::*;
#(
  parameter bit EnCollectives = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] w_i  // the warp that is followed
);

  localparam logic [3:0] First = 4'd0, Read = 4'd1, Examine = 4'd2, Decide = 4'd3, Back = 4'd4, Merge = 4'd5, Settle = 4'd6,
                         Done = 4'd8, Sent = 4'd9;

  // ---------------------------------------------------------------------------------------------
  // The request of the warp in the stage
  // ---------------------------------------------------------------------------------------------

  logic          mine, sends, reads, writes, exits, comes, walks, ends, known, refused;
  logic          filed;  // the group of a gather is in its slot, and its key is not needed any more
  logic [3:0]    state;
  logic [1:0]    slot, own;
  warp_request_t request;
  walk_request_t kind;
  warp_code_t    code;
  few_t          lanes, key, live;

  assign kind = u_warp.kind;

  // A collective that has been answered is in Read or Merge for a cycle.
  assign mine    = (u_warp.valid || state != First) && !u_warp.u_walk.skips && u_warp.warp == w_i;
  assign sends   = mine && kind.arrival;
  assign reads   = mine && !kind.arrival && kind.read;
  assign exits   = mine && !kind.arrival && kind.exit;
  assign writes  = mine && !kind.arrival && kind.write;
  assign comes   = mine && !kind.arrival && !kind.read && !kind.exit;  // writes, too
  always_comb begin
    state = '0;
    for (int s = 0; s <= 32'(Sent); s++) begin
      if (u_warp.u_walk.state_q[s]) state = 4'(s);
    end
  end
  assign walks   = state inside {Read, Examine, Decide, Sent};
  assign ends    = state inside {Back, Merge, Settle};
  assign slot    = u_warp.u_walk.slot_q;
  assign own     = u_warp.u_walk.own_q;
  assign filed   = comes && state == Settle && kind.gather;

  // As it was accepted: the unit does not keep the key of an exit, and that of a gather until it is filed.
  always_comb begin
    request = u_warp.request;
    if (exits || (filed || (comes && state == Done && kind.gather))) request.key = u_props.request_q.key;
  end
  assign code    = u_warp.request_code;
  assign lanes   = request.lanes[Lanes-1:0];
  assign key     = request.key[Lanes-1:0];
  assign live    = u_props.live_q;
  assign known   = !u_props.pending_q;  // it has had its effect in the checker
  assign refused = u_props.fault_q;

  // One that the unit has.
  function automatic logic is_known(warp_code_t of);
    return is_legal(of.op, of.mode, of.abs, of.nan) && (EnCollectives || of.op inside {4'd0, Elect, Gather});
  endfunction

  // The lanes of `among` that wait with this operation and key.
  function automatic few_t with_code(few_t among, warp_code_t of, logic [31:0] with_key);
    for (int l = 0; l < Lanes; l++) with_code[l] = among[l] && u_props.code_q[l] == of && u_props.key_q[l] == with_key;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The slots, and the lanes that wait in them
  // ---------------------------------------------------------------------------------------------

  logic [2:0]  count;
  logic [1:0]  last;
  warp_group_t [3:0] slots;
  logic [3:0]  open, used, visited, same, stuck, other, complete;
  few_t        shown, stays, gathers, twice, once, group;  // answered in this cycle; in a slot; at a barrier

  // A gather that is filed counts.
  assign last    = u_warp.u_groups.u_end.mem[w_i];
  assign count   = (u_warp.open_o[w_i] ? {last == 2'd0, last} : 3'd0) +
                   3'(filed && !u_warp.u_walk.found_q && !u_warp.u_walk.hole_q);
  assign shown   = u_props.answered ? u_props.answer_i.lanes[Lanes-1:0] : '0;
  assign stays   = u_props.waits_q & ~shown & ~((comes && known && !refused && state != Done && !filed) ? lanes : '0);
  assign group   = with_code(u_props.waits_q & ~shown, code, request.key);

  always_comb begin
    once  = '0;
    twice = '0;
    for (int s = 0; s < 4; s++) begin
      slots[s]   = warp_group_t'(u_warp.u_groups.u_groups.mem[{w_i, 2'(s)}]);
      open[s]    = slots[s].open && !(mine && state == Sent);  // arrived, but not closed yet
      used[s]    = 32'(count) > s && open[s];
      visited[s] = 32'(count) > s && (ends || (walks && s > 32'(slot)));
      same[s]    = used[s] && slots[s].code == code && slots[s].key == request.key;
      stuck[s]   = used[s] && !same[s] && (code.op == Gather || (key & slots[s].lanes[Lanes-1:0]) != '0) &&
                   (slots[s].code.op == Gather || (slots[s].key[Lanes-1:0] & lanes) != '0);
      other[s]   = stuck[s] && code.op == Gather && slots[s].code.op == Gather;
      complete[s] = used[s] && slots[s].code.op != Gather &&
                    (slots[s].key[Lanes-1:0] & live & ~slots[s].lanes[Lanes-1:0]) == '0;
      if (used[s]) begin
        twice = twice | (once & slots[s].lanes[Lanes-1:0]);
        once  = once | slots[s].lanes[Lanes-1:0];
      end
    end
    for (int l = 0; l < Lanes; l++) gathers[l] = stays[l] && u_props.code_q[l].op == Gather;
  end

  for (genvar s = 0; s < 4; s++) begin : g_slot
    few_t of;
    assign of = slots[s].lanes[Lanes-1:0];

    always_ff @(posedge clk_i) begin
      if (rst_ni && used[s]) begin
        L01_lanes: assert (of != '0 && slots[s].lanes[MaxLanes-1:Lanes] == '0);
        L02_group: assert (of == with_code(stays, slots[s].code, slots[s].key));
        L03_rest:  assert (slots[s].preds == 32'(u_props.preds_q & of) && slots[s].cta == u_props.cta_q);
        L04_legal: assert (is_known(slots[s].code) && (slots[s].code.op == Gather || (of & ~slots[s].key[Lanes-1:0]) == '0));
        L06_due:   assert (!walks || !exits || ((u_props.due_q & of) == (complete[s] ? of : '0) &&
                                               !(visited[s] && complete[s])));
      end
    end
    for (genvar t = 0; t < s; t++) begin : g_other
      always_ff @(posedge clk_i) begin
        if (rst_ni && used[s] && used[t]) begin
          L05_distinct: assert (slots[s].code != slots[t].code || slots[s].key != slots[t].key);
          L16_gather:   assert (slots[s].code.op != Gather || slots[t].code.op != Gather);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L07_union:    assert (once == stays && twice == '0);
      L08_count:    assert (count <= 3'd4 && (count < 3'd4 || used == '1));
      L10_live:     assert ((u_props.waits_q & ~shown & ~live) == '0);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The stage
  // ---------------------------------------------------------------------------------------------

  logic          is_first, misses;  // a live member has not come
  warp_request_t accepted;

  assign is_first = state == First;
  assign misses   = (key & request.live[Lanes-1:0] & ~lanes) != '0;

  always_comb begin
    accepted       = u_props.request_q;
    accepted.lanes = lanes_t'(u_props.request_q.lanes[Lanes-1:0]);
    accepted.live  = lanes_t'(u_props.request_q.live[Lanes-1:0]);
    accepted.preds = lanes_t'(u_props.request_q.preds[Lanes-1:0]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L19_one:     assert (u_warp.u_walk.state_q == (10'd1 << state) && state <= Sent && state != 4'd7);
      L18_asks:    assert (!u_warp.u_walk.asks_q || state inside {First, Done} || (kind.collective && (state == Read || state == Merge)));
      L17_some:    assert (!u_warp.u_walk.asks_q || !kind.collective || !mine || is_first || u_warp.u_walk.some_q == misses);
      L20_idle:    assert (!u_warp.valid || is_first);
      L12_warp:    assert ((is_first && !u_warp.valid) || request.warp[5:2] == '0);
      L13_under:   assert (!mine || kind.arrival || u_props.under_q);
      L14_members: assert (!writes || code.op == Gather || (lanes & ~key) == '0);
      L21_pending: assert (u_props.pending_q == (mine && !kind.arrival && is_first));
      L22_request: assert (!mine || kind.arrival || request == accepted);
      L23_kind:    assert (!mine || kind.arrival || (
                           kind.read == (request.op == WarpRead) && kind.write == (request.op == WarpWrite) &&
                           kind.exit == (request.op == WarpExit) && kind.gather == (request.op == WarpGather)));
      L23_whole:   assert (!mine || !kind.more);
      L23_lanes:   assert (!(comes || writes) || lanes != '0);
      L24_sends:   assert (!sends || {kind.read, kind.write, kind.exit, kind.gather,
                                      kind.refused, kind.collective, u_warp.all_come} == '0);
      L25_code:    assert (!comes || code == u_props.code);
      L15_values:  assert (EnCollectives || !kind.valued);
      L26_live:    assert (!mine || kind.arrival || reads || writes ||
                           ((exits || u_props.code == code) && ((exits && !known) || request.live[Lanes-1:0] == live)));
      L34_exits:   assert (!exits || (request.lanes == request.live && (lanes & ~live) == '0 && (stays & ~lanes) == '0 && lanes != '1));
      L27_states:  assert ((!(reads || exits || sends) || is_first || walks || state == Done) && (state != Sent || !mine || sends));
      L28_nothing: assert (!mine || !(kind.refused || u_warp.all_come) || is_first);
      L29_first:   assert (!mine || kind.arrival || (
                           kind.refused == (!request.op[4] && request.op != WarpGather && (lanes & ~key) != '0) &&
                           kind.collective == (!request.op[4] && request.op != WarpGather) &&
                           u_warp.all_come == (!request.op[4] && request.op != WarpGather && !misses)));
      L30_lanes:   assert (!comes || state == Done || filed || (lanes & stays) == '0);
      L31_own:     assert (!comes || is_first || state == Done || refused ||
                           ((lanes & ~group) == '0 && ((u_props.preds_q ^ request.preds[Lanes-1:0]) & lanes) == '0));
      L32_cta:     assert (!mine || kind.arrival || request.cta == u_props.cta_q);
      L11_known:   assert (!mine || kind.arrival || (request.op <= WarpWrite && (!comes || is_known(code))));
      L33_preds:   assert (!comes || (request.preds & ~request.lanes) == '0);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The walk
  // ---------------------------------------------------------------------------------------------

  logic found, hole, top_used;  // of top_used: there is a group in the last slot in use
  assign top_used = used[2'(count - 3'd1)];
  assign found = u_warp.u_walk.found_q;
  assign hole  = u_warp.u_walk.hole_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && mine) begin
      L40_slot:   assert (!walks || reads || (state == Sent && count == '0) || (3'(slot) < count && (
                          (sends && state inside {Decide, Sent}) || u_warp.u_walk.top_q == (3'(slot) + 3'd1 == count))));
      L41_read:   assert (!(walks && reads) || slot == request.key[1:0]);
      L42_found:  assert (!comes || !(walks || ends) || filed || (writes ? !found && same == '0 :
                          found == ((same & visited) != '0)));
      L43_own:    assert (!comes || !(walks || ends) || !found || (same[own] && visited[own] &&
                          u_warp.u_walk.own_top_q == (3'(own) + 3'd1 == count)));
      L44_hole:   assert (!comes || !(walks || ends) || filed || found || !hole || (visited[own] && !used[own]));
      L45_full:   assert (!comes || !(walks || ends) || filed || found || hole || ((visited & ~used) == '0 && own == count[1:0]));
      L46_blocks: assert (!comes || !walks || (u_warp.u_walk.blocks_q == (!writes && (stuck & visited) != '0) &&
                                               u_warp.u_walk.other_q == (!writes && (other & visited) != '0)));
      L47_ends:   assert (!ends || (comes && !refused && (writes || stuck == '0)));
      L48_settle: assert (!ends || slot == own || (state == Merge && !found));
      L49_refused: assert (!comes || writes || !known || !walks || refused == (stuck != '0));
      L51_top:     assert (reads || sends || !(ends || (walks && !u_warp.u_walk.top_q)) || count == '0 || top_used);
      // (A warp may be cleared in the cycle in which its arrival is taken.)
      L50_gathers: assert (!sends || !walks || 3'(slot) + 3'd1 == count || (state == Sent && count == '0));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is due
  // ---------------------------------------------------------------------------------------------

  few_t       due;  // an answer is
  logic       full;
  logic [3:0] seen;  // the walk has seen the gather in this slot
  assign due = u_props.due_q & ~shown;
  always_comb begin
    for (int s = 0; s < 4; s++) seen[s] = used[s] && visited[s] && slots[s].code.op == Gather;
  end
  assign full = (live & ~gathers & ~((comes && code.op == Gather) ? lanes : '0)) == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L09_lacking: assert (!(walks || ends) || !(exits || (comes && !writes)) ||
                           u_warp.lacking_q == (request.live & ~32'((state == Settle) ? group : '0)));
      L59_live:    assert (!(comes || exits) || !is_first || u_warp.lacking_q == request.live);
      L69_write:  assert (!writes || code.op != Gather || filed || state == Done || gathers == '0);
      L60_none:   assert (due == '0 || (comes && !writes && known && (walks || ends)) || (exits && walks));
      L61_comes:  assert (!comes || writes || !known || !(walks || ends) ||
                          due == ((refused || code.op == Gather || (key & live & ~group) != '0) ? '0 : group));
      L62_fault:  assert (!refused || (u_props.fault_valid_i && u_props.fault_i.warp == 6'(w_i)) ||
                          (comes && !writes && known && walks));
      L63_causes: assert (!refused || !walks || !comes || (u_props.culprits_q == lanes &&
                           u_props.cause_q == ((other != '0) ? FaultBarrierMismatch : FaultMaskMismatch)));
      L64_due:    assert (!u_warp.u_stage.due_q[w_i] || ((stays == '0) ? sends && state == Sent :
                                                 stays == gathers && stays == live && u_props.gathered_q));
      L65_arrive: assert (u_props.gathered_q == (((u_warp.u_stage.due_q[w_i] || (mine && u_warp.due)) && stays != '0) || (full && live != '0 && known &&
                          ((comes && !writes && !refused && code.op == Gather && (walks || ends)) || (exits && walks)))));
      L66_sends:  assert (!sends || state == Done || u_warp.u_stage.due_q[w_i]);
      L67_exits:  assert (!exits || !known || !walks || !full || live == '0 || u_warp.u_stage.due_q[w_i] == (seen != '0));
      L68_stays:  assert (!u_warp.u_stage.due_q[w_i] || !mine || sends || reads || state == Done || (exits && walks));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // How long it takes: a request with three slots in use, and the walk of the arrivals next
  // ---------------------------------------------------------------------------------------------

  logic [5:0] age, waited, step;  // in Read, Examine, Decide: 0 to 2
  assign age    = u_props.age_q;
  assign waited = u_props.wait_q;
  assign step   = 6'(state - Read);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L70_first:  assert (!mine || sends || !is_first || age == 6'd1);
      L71_walks:  assert (!(comes || exits) || !walks || (slot != 2'd3 && age <= 6'd8 - 6'd3 * 6'(slot) + step));
      L72_ends:   assert (!comes || !ends || age <= 6'd11 + 6'(state - Back));
      L73_done:   assert (!(comes || exits) || state != Done || age <= 6'd14);
      L74_waits:  assert (u_props.gathered_q || waited == '0);
      L75_other:  assert (mine || waited == '0 || (u_warp.u_stage.due_q[w_i] && waited <= 6'd14));
      L76_own:    assert (!(comes || exits) || waited == '0 || waited < age);
      L77_reads:  assert (!reads || waited == '0 || waited <= ((state == Done) ? 6'd4 : 6'(state)));
      L78_starts: assert (!sends || !is_first || waited <= 6'd15);
      L79_sends:  assert (!sends || !walks || !u_props.gathered_q ||
                          (state == Sent ? waited == '0 : used[slot] && waited <= 6'd16 + step));
      L80_done:   assert (!sends || state != Done || waited == '0);
      L81_top:    assert (!u_warp.u_stage.due_q[w_i] || !u_props.gathered_q || top_used);
    end
  end

endmodule
