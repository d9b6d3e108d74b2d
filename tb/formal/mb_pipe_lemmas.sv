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
    return judge(r.source, r.group, 33'd16) == FaultNone;
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

  // The same but for lanes and cause.
  function automatic logic alike(mb_request_t a, mb_request_t b);
    a.group.lanes = b.group.lanes;
    a.cause       = b.cause;
    return a == b;
  endfunction

  // It is that one, nothing of which has been done.
  function automatic logic is_whole(mb_request_t r, mb_request_t accepted);
    return alike(r, accepted) && r.group.lanes == accepted.group.lanes &&
           r.cause == judge(accepted.source, accepted.group, 33'd16);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Order: write, update, in front of it, data, read hold what was accepted, the first one first. Of a
  // group that is split, the write stage has a lane, and the update stage the rest.
  // ---------------------------------------------------------------------------------------------

  mb_request_t head, writing, updating, waiting, fetched, reading;
  logic        write_valid, update_valid, waits, data_valid, read_valid, write_last;
  lanes_t      missing, rest;
  logic [2:0]  update_at, waiting_at, data_at, read_at;

  assign writing      = u_pipe.write_q;
  assign updating     = u_pipe.u_update.request_q;
  assign waiting      = u_pipe.u_update.g_lanes.u_next.data_q.request;
  assign fetched      = u_pipe.data_q;
  assign reading      = u_pipe.read_q;
  assign write_valid  = u_pipe.write_valid_q;
  assign update_valid = u_pipe.u_update.valid_q;
  assign waits        = u_pipe.u_update.g_lanes.u_next.full_q;
  assign data_valid   = u_pipe.data_valid_q;
  assign read_valid   = u_pipe.read_valid_q;

  assign head       = accepted_i[first_i];
  assign missing    = head.group.lanes & ~left_i;
  assign write_last = write_valid && writing.group.lanes == missing;
  assign rest       = missing & ~(write_valid ? writing.group.lanes : '0);
  assign update_at  = first_i + 3'(write_last);
  assign waiting_at = update_at + 3'(update_valid);
  assign data_at    = waiting_at + 3'(waits);
  assign read_at    = data_at + 3'(data_valid);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L01_count:   assert (next_i == read_at + 3'(read_valid));
      L02_lanes:   assert (first_i == next_i ? left_i == '0 : missing != '0);
      L03_rest:    assert ((left_i == '0 && !(write_valid && !write_last)) || write_last || update_valid);
      L04_write:   assert (!write_valid || (alike(writing, head) &&
                           (write_last || writing.group.lanes == (missing & (~missing + 32'd1)))));
      L05_update:  assert (!update_valid || (alike(updating, accepted_i[update_at]) &&
                           updating.group.lanes == (write_last ? accepted_i[update_at].group.lanes : rest) &&
                           (updating.cause == FaultNone) == holds(updating)));
      L06_waiting: assert (!waits || is_whole(waiting, accepted_i[waiting_at]));
      L07_data:    assert (!data_valid || is_whole(fetched, accepted_i[data_at]));
      L08_read:    assert (!read_valid || is_whole(reading, accepted_i[read_at]));
    end
  end

  for (genvar i = 0; i < 8; i++) begin : g_accepted
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L09_some: assert (3'(i) - first_i >= next_i - first_i || accepted_i[i].group.lanes != '0);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where an operation has its word from
  // ---------------------------------------------------------------------------------------------

  logic     update_holds, waiting_holds, waiting_ahead, ahead, far, got, arrived, fetches;
  logic     behind_waiting, behind_update, updates;

  assign update_holds   = update_valid && holds(updating);
  assign waiting_holds  = waits && holds(waiting);
  assign waiting_ahead  = u_pipe.u_update.g_lanes.u_next.data_q.ahead;
  assign ahead          = u_pipe.ahead_q;
  assign far            = u_pipe.far_q;
  assign got            = u_pipe.got_q;
  assign arrived        = u_pipe.arrived_q;
  assign fetches        = data_valid && !u_pipe.blind_q && !ahead && !got;  // from memory
  assign updates        = u_pipe.u_update.class_q.arrives || u_pipe.u_update.class_q.adds ||
                          u_pipe.u_update.class_q.tx;
  assign behind_waiting = waiting_holds && same(fetched, waiting);
  assign behind_update  = update_holds && same(fetched, updating);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L20_class: assert (!update_valid || u_pipe.u_update.class_q == class_of(updating.group.op));
      L21_blind: assert (!read_valid || u_pipe.read_blind_q == blind(reading));
      L22_blind: assert (!data_valid || (u_pipe.blind_q == blind(fetched) &&
                         !(u_pipe.blind_q && (ahead || got))));
      L23_one:   assert (!data_valid || (!(ahead && got) && (!far || ahead)));
      L24_asked: assert (!asked_i || (fetches && !arrived));
      L25_reads: assert (!fetches || arrived || asked_i);
      L26_ahead: assert (!(data_valid && ahead) || (far ? behind_waiting : behind_update && !behind_waiting));
      L27_alone: assert (!(data_valid && !u_pipe.blind_q && !ahead) || !(behind_waiting || behind_update));
      L28_next:  assert (!waits || blind(waiting) ? !(waits && waiting_ahead) :
                         waiting_ahead == (update_holds && same(waiting, updating)));
      L29_split: assert (!(update_valid && u_pipe.u_update.g_lanes.single_q) ||
                         (!u_pipe.u_update.several_q && updates));
      L30_full:  assert (!waits || update_valid);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The followed word
  // ---------------------------------------------------------------------------------------------

  mb_word_t left;  // what the write stage will leave in memory

  assign left = (write_valid && u_pipe.write_en_q && ours(writing)) ? u_pipe.word_q : bank_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L40_found:  assert (!(write_valid && ours(writing) && !blind(writing)) || u_pipe.found_q == bank_i);
      L41_asks:   assert (!(write_valid && ours(writing) && !u_pipe.write_en_q) || u_pipe.word_q == bank_i);
      L42_holds:  assert (!(write_valid && u_pipe.write_en_q) || (writing.cause == FaultNone && holds(writing)));
      L43_update: assert (!(update_valid && ours(updating) && !blind(updating)) ||
                          u_pipe.u_update.word_q == left);
      L44_next:   assert (!(waits && ours(waiting) && !blind(waiting) && !waiting_ahead) ||
                          u_pipe.u_update.g_lanes.u_next.data_q.word == left);
      L45_got:    assert (!(data_valid && ours(fetched) && got) || u_pipe.got_word_q == left);
      L46_read:   assert (!(fetches && ours(fetched)) || (read_ours_i && read_i == bank_i &&
                          !(write_valid && u_pipe.write_en_q && same(fetched, writing)) &&
                          (!arrived || data_i == read_i)));
    end
  end

endmodule
