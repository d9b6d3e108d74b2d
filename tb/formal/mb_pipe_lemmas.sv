// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of the mbarrier pipeline without bound: lemmas that relate the stages of u_pipe, in the same
// module, to the operations that the checker (mb_pipe_formal) has accepted, and to the word that is followed.
// Each holds in every cycle.
module mb_pipe_lemmas
  import muster_pkg::*;
  import muster_mb_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        follow_i,         // the word
  input mb_request_t accepted_i [8],   // and not committed: from first_i to before next_i
  input logic [2:0]  first_i,
  input logic [2:0]  next_i,
  input lanes_t      left_i,           // of the first: lanes that have committed
  input mb_word_t    bank_i,           // the word in memory
  input mb_word_t    read_i,           // what the latest read has found there
  input logic        read_ours_i,      // it was of that word
  input mb_word_t    data_i,           // at the data port, in the cycle before
  input logic        asked_i           // data are on their way
);

  // ---------------------------------------------------------------------------------------------
  // Operations
  // ---------------------------------------------------------------------------------------------

  function automatic logic holds(mb_request_t r);
    return judge(r.source, r.group, 4, 1'b0) == FaultNone;
  endfunction

  function automatic logic ours(mb_request_t r);
    return holds(r) && r.group.place.addr[3] == follow_i;
  endfunction

  function automatic logic blind(mb_request_t r);
    mb_class_t kind;
    kind = class_of(r.group.op);
    return !holds(r) || kind.inits || kind.invalidates;
  endfunction

  function automatic logic same(mb_request_t a, mb_request_t b);
    return a.group.place.addr[3] == b.group.place.addr[3];
  endfunction

  function automatic logic updates(mb_request_t r);
    mb_class_t kind;
    kind = class_of(r.group.op);
    return holds(r) && (kind.arrives || kind.adds || kind.tx);
  endfunction

  // Without the bits that have no meaning.
  function automatic mb_word_t meant(mb_word_t word);
    word.lock = 1'b0;
    word.zero = 1'b0;
    return word;
  endfunction

  // It is that one, but for lanes that have been done.
  function automatic logic is_rest(mb_request_t r, mb_request_t accepted);
    mb_request_t judged;
    judged             = accepted;
    judged.cause       = judge(accepted.source, accepted.group, 4, 1'b0);
    judged.group.lanes = r.group.lanes;
    return r == judged;
  endfunction

  function automatic logic is_whole(mb_request_t r, mb_request_t accepted);
    return is_rest(r, accepted) && r.group.lanes == accepted.group.lanes;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Order: write, look, data, read, and both places of enter hold what was accepted, the first one first.
  // ---------------------------------------------------------------------------------------------

  mb_request_t head, writing, looking, fetched, reading, entering, next;
  logic        write_valid, look_valid, data_valid, read_valid, enter_valid, next_valid;
  lanes_t      missing;
  logic [2:0]  look_at, data_at, read_at, enter_at, next_at;

  assign writing     = u_pipe.u_update.write_q;
  assign looking     = u_pipe.u_update.look_q;
  assign fetched     = u_pipe.u_fetch.data_q;
  assign reading     = u_pipe.u_fetch.read_q;
  assign entering    = u_pipe.u_fetch.enter;
  assign next        = u_pipe.u_fetch.u_enter.g_pair.request_q[!u_pipe.u_fetch.u_enter.g_pair.first_q];
  assign write_valid = u_pipe.u_update.write_valid_q;
  assign look_valid  = u_pipe.u_update.look_valid_q;
  assign data_valid  = u_pipe.u_fetch.data_valid_q;
  assign read_valid  = u_pipe.u_fetch.read_valid_q;
  assign enter_valid = u_pipe.u_fetch.enter_valid;
  assign next_valid  = !u_pipe.u_fetch.ready_o;

  assign head     = accepted_i[first_i];
  assign missing  = head.group.lanes & ~left_i;
  assign look_at  = first_i + 3'(write_valid);
  assign data_at  = look_at + 3'(look_valid);
  assign read_at  = data_at + 3'(data_valid);
  assign enter_at = read_at + 3'(read_valid);
  assign next_at  = enter_at + 3'(enter_valid);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L01_count: assert (next_i == next_at + 3'(next_valid));
      L02_lanes: assert (first_i == next_i ? left_i == '0 : missing != '0);
      L03_rest:  assert (left_i == '0 || write_valid);
      L04_write: assert (!write_valid || (is_rest(writing, head) && writing.group.lanes == missing));
      L05_look:  assert (!look_valid || is_whole(looking, accepted_i[look_at]));
      L06_data:  assert (!data_valid || is_whole(fetched, accepted_i[data_at]));
      L07_read:  assert (!read_valid || is_whole(reading, accepted_i[read_at]));
      L08_enter: assert (!enter_valid || entering == accepted_i[enter_at]);
      L61_next:  assert (!next_valid || next == accepted_i[next_at]);
      L62_place: assert (!enter_valid || u_pipe.u_fetch.u_enter.g_pair.full_q[u_pipe.u_fetch.u_enter.g_pair.first_q]);
    end
  end

  for (genvar i = 0; i < 8; i++) begin : g_accepted
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L09_some: assert (3'(i) - first_i >= next_i - first_i ||
                          (accepted_i[i].group.lanes != '0 && accepted_i[i].cause == FaultNone));
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Steps: of the group in look, or of a lane of that in write
  // ---------------------------------------------------------------------------------------------

  mb_step_t   step;
  mb_sums_t   sums;
  logic [3:0] state;
  logic       own, split, first, whole, lanes, last, waits, ahead, step_ahead;
  nlanes_t    write_lanes, look_lanes, data_lanes, read_lanes;

  assign step  = u_pipe.u_update.step_q;
  assign sums  = u_pipe.u_update.sums_q;
  assign waits = u_pipe.u_update.waits_q;
  assign ahead = u_pipe.u_update.g_lanes.own_ahead_q;
  assign step_ahead = u_pipe.u_update.ahead_q;
  assign state = u_pipe.u_update.g_lanes.u_lanes.state_q;
  assign own   = u_pipe.u_update.own;
  assign split = state == 4'b0000;  // as in muster_mb_lanes
  assign first = state == 4'b0010;
  assign whole = state == 4'b0101;
  assign lanes = state == 4'b1000;
  assign last  = state == 4'b0100;

  assign write_lanes = u_pipe.u_update.g_lanes.u_lanes.left_q;
  assign look_lanes  = u_pipe.u_update.g_lanes.lanes_q;
  assign data_lanes  = u_pipe.u_fetch.lanes_q;
  assign read_lanes  = u_pipe.u_fetch.lanes;

  function automatic logic counted(mb_request_t r, nlanes_t n);
    return !updates(r) || n == 6'($countones(r.group.lanes));
  endfunction

  mb_class_t write_kind;

  assign write_kind = class_of(writing.group.op);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L10_state: assert ((split || first || whole || lanes || last) && (whole || (write_valid && updates(writing))));
      L11_left:  assert (whole || write_lanes == 6'($countones(writing.group.lanes)));
      L12_write: assert (!write_valid || counted(writing, write_lanes));
      L13_look:  assert (!look_valid || counted(looking, look_lanes));
      L14_data:  assert (!data_valid || counted(fetched, data_lanes));
      L15_read:  assert (!read_valid || counted(reading, read_lanes));
      L16_left:  assert (whole || (last ? write_lanes == 6'd1 : write_lanes > 6'd1));
      L17_step:  assert (!(own && look_valid) || (step.kind == class_of(looking.group.op) &&
                         step.several == (look_lanes > 6'd1)));
      L18_lane:  assert (!(first || lanes) || (step.kind == write_kind && !step.several));
      L19_waits: assert (!write_valid || split || first || waits == write_kind.waits);
      L20_split: assert (!(lanes || last) || (!sums.several && !sums.any_lane));
      L21_split: assert (!(whole && write_valid && sums.several) || (updates(writing) && write_lanes > 6'd1));
      L22_bad:   assert (!(whole && write_valid) || (writing.cause == FaultNone) || (sums.hopeless && !sums.several));
      L23_signs: assert (!(write_valid && whole) || !sums.any_lane || sums.several);
      L24_split: assert (!split || (is_refused(sums) ? splits_refused(sums) : splits_accepted(sums)));
      L26_first: assert (!first || (step_ahead && sums.word == u_pipe.u_update.found_q && !sums.completes && sums.any_lane));
      L25_lanes: assert (!lanes || step_ahead);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where an operation has its word from
  // ---------------------------------------------------------------------------------------------

  logic write_holds, look_holds, data_holds, none, near, far, got, arrived, fetches, waits_data;

  assign write_holds = write_valid && holds(writing);
  assign look_holds  = look_valid && holds(looking);
  assign data_holds  = data_valid && holds(fetched);
  assign none        = u_pipe.u_fetch.none_q;
  assign near        = u_pipe.u_fetch.near_q;
  assign far         = u_pipe.u_fetch.far_q;
  assign got         = u_pipe.u_fetch.got_q;
  assign waits_data  = u_pipe.u_fetch.waits_q;
  assign fetches     = data_valid && !(none || near || far || got);  // from memory
  assign arrived     = fetches && !waits_data;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L30_blind: assert (!read_valid || u_pipe.u_fetch.blind_q == blind(reading));
      L31_ahead: assert (!read_valid || u_pipe.u_fetch.ahead_q ==
                         {data_holds && same(reading, fetched), look_holds && same(reading, looking),
                          write_holds && same(reading, writing)});
      L32_blind: assert (!data_valid || none == blind(fetched));
      L33_one:   assert (!data_valid || 3'(none) + 3'(near) + 3'(far) + 3'(got) <= 3'd1);
      L34_asked: assert (!asked_i || (fetches && !arrived));
      L35_reads: assert (!fetches || arrived || asked_i);
      L36_near:  assert (!data_valid || near == (!none && look_holds && same(fetched, looking)));
      L37_far:   assert (!(data_valid && far) || (holds(writing) && same(fetched, writing)));
      L38_alone: assert (!(data_valid && (fetches || got)) || !(write_holds && same(fetched, writing)));
      L39_blind: assert (!(look_valid && blind(looking)) || (!ahead && (!own || !step_ahead)));
      L40_own:   assert (!(look_valid && own) || ahead == step_ahead);
      L41_ahead: assert (!(look_valid && ahead) || (holds(writing) && same(looking, writing)));
      L42_word:  assert (!(look_valid && !ahead && !blind(looking)) || !(write_holds && same(looking, writing)));
      L44_waits: assert (!(data_valid && waits_data) || fetches);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The followed word
  // ---------------------------------------------------------------------------------------------

  mb_word_t found, left;
  logic     refers;  // to an operation that has left the write stage

  assign found  = u_pipe.u_update.found_q;
  assign left   = u_pipe.u_update.new_word_o;
  assign refers = !write_valid && ((look_valid && ahead) || (data_valid && far));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L50_found:  assert (!(write_valid && ours(writing) && !blind(writing)) || meant(found) == meant(bank_i));
      L51_left:   assert (!(refers && ours(writing)) || meant(left) == meant(bank_i));
      L52_holds:  assert (!u_pipe.write_valid_o || holds(writing));
      L53_word:   assert (!(look_valid && ours(looking) && !blind(looking) && !ahead) ||
                          meant(u_pipe.u_update.word_q) == meant(bank_i));
      L54_got:    assert (!(data_valid && ours(fetched) && got) || meant(u_pipe.u_fetch.got_word_q) == meant(bank_i));
      L55_read:   assert (!(fetches && ours(fetched)) || (read_ours_i && read_i == bank_i &&
                          (!arrived || data_i == read_i)));
      L56_waits:  assert (!((write_valid && whole) || refers) || !waits ||
                          (meant(sums.word) == meant(found) && !sums.completes && !sums.beyond && !sums.exhausted));
      L57_signs:  assert (!(write_valid && whole) || (sums.hopeless == (writing.cause != FaultNone || sums.exhausted) && !sums.tx_bad &&
                          !sums.no_complete));
    end
  end

endmodule
