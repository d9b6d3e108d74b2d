// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_mb_pipe: a bank of two words, either of which is followed, with a memory of any
// latency, and with cores that store to any word that is not held. Requests are of any kind, of one lane or
// two. The result of an update is left open (model/muster_mb_look.sv).
module mb_pipe_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
(
  input logic        clk_i,
  input logic        follow_i,
  input logic        valid_i,
  input mb_request_t request_i,
  input logic        read_ready_i,
  input logic        rdata_valid_i,
  input mb_word_t    rdata_i,
  input logic        write_ready_i,
  input logic        yield_i,
  input logic        credit_i,
  input logic        store_i,
  input mb_word_t    store_data_i
);

  localparam int unsigned Places = 8;  // operations that the checker remembers

  logic                   rst_n = 1'b0;
  logic                   follow_q, ready, read_valid, write_valid, commit, written;
  mb_place_t              read_place, write_place;
  mb_word_t               write_data, found, word, bank_q, rdata_q;
  logic [MbHeld-1:0]      held_valid;
  mb_place_t [MbHeld-1:0] held_place;
  mb_request_t            done;

  localparam muster_cfg_t Cfg = '{
    NumWarps: 32, NumCtas: 1, NumIssue: 1, WarpSize: 32, SmemBytes: 16, MbResponses: 2,
    ClockPeriodPs: 1000, WaitLimitNs: 4000, EnReport: 1'b0, default: 1'b1  // all other switches
  };

  muster_mb_pipe #(.Cfg(Cfg)) u_pipe (
    .clk_i, .rst_ni (rst_n),
    .valid_i, .ready_o (ready), .request_i,
    .read_valid_o (read_valid), .read_ready_i, .read_place_o (read_place), .rdata_valid_i, .rdata_i,
    .write_valid_o (write_valid), .write_ready_i, .write_place_o (write_place),
    .write_data_o (write_data), .held_valid_o (held_valid), .held_place_o (held_place), .yield_i,
    .busy_o (), .warp_valid_o (), .warp_o (), .credit_i, .may_split_o (), .credit_spend_o (),
    .commit_o (commit), .request_o (done), .responds_o (), .refused_o (), .old_word_o (found), .new_word_o (word),
    .written_o (written), .completed_o (), .phase_passed_o (), .may_park_o ()
  );

  // ---------------------------------------------------------------------------------------------
  // The bank, and the contract of its ports
  // ---------------------------------------------------------------------------------------------

  logic read_grant, write_grant, may_store, asked_q, ours_q;

  assign read_grant  = read_valid && read_ready_i;
  assign write_grant = write_valid && write_ready_i && write_place.addr[3] == follow_q;

  always_comb begin
    may_store = !(read_grant && read_place.addr[3] == follow_q);
    for (int h = 0; h < MbHeld; h++) begin
      may_store = may_store && !(held_valid[h] && held_place[h].addr[3] == follow_q);
    end
  end

  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (!rst_n) follow_q <= follow_i;
    if (write_grant) bank_q <= write_data;
    else if (store_i) bank_q <= store_data_i;
    if (read_grant) begin
      rdata_q <= bank_q;
      ours_q  <= read_place.addr[3] == follow_q;
    end
    asked_q <= read_grant || (asked_q && !rdata_valid_i && rst_n);
  end

  mb_word_t data_q;  // of a read that is not of the word, or of none

  always_ff @(posedge clk_i) begin
    data_q <= rdata_i;
    // Data come once for each read, and stay.
    assume (rst_n || (!valid_i && !rdata_valid_i));
    assume (!rdata_valid_i || asked_q);
    assume (!(rdata_valid_i && ours_q) || rdata_i == rdata_q);
    assume (!rst_n || asked_q || rdata_i == data_q);
    assume (!store_i || may_store);
    // The contract of whoever asks. Sums take six cycles for any number of lanes.
    assume (request_i.cause == FaultNone && request_i.group.op <= MbCopyArrive);
    assume (request_i.group.lanes != '0 && request_i.group.lanes < 32'd4);
  end

  // ---------------------------------------------------------------------------------------------
  // What has been accepted, in order; of the first what is left
  // ---------------------------------------------------------------------------------------------

  mb_request_t head;
  mb_request_t queue_q [Places];
  logic [2:0]  first_q, next_q;
  lanes_t      left_q;   // lanes of the first that have committed
  lanes_t      lanes;
  logic        ours, last;
  logic        again_q;  // the word was written in the cycle before

  assign head  = queue_q[first_q];
  assign lanes = head.group.lanes & ~left_q;
  assign last  = done.group.lanes == lanes;
  assign ours  = done.group.place.addr[3] == follow_q && done.group.place.addr < 32'd16 &&
                 done.group.place.addr[2:0] == '0;

  always_ff @(posedge clk_i) begin
    again_q <= commit && ours && written;
    if (!rst_n) begin
      first_q <= '0;
      next_q  <= '0;
      left_q  <= '0;
    end else begin
      if (valid_i && ready) begin
        queue_q[next_q] <= request_i;
        next_q          <= next_q + 3'd1;
      end
      if (commit) begin
        left_q <= last ? '0 : left_q | done.group.lanes;
        if (last) first_q <= first_q + 3'd1;
      end
    end
  end

  mb_pipe_lemmas u_lemmas (
    .clk_i, .rst_ni (rst_n), .follow_i (follow_q), .accepted_i (queue_q), .first_i (first_q),
    .next_i (next_q), .left_i (left_q), .bank_i (bank_q), .read_i (rdata_q), .read_ours_i (ours_q),
    .data_i (data_q), .asked_i (asked_q)
  );

  // ---------------------------------------------------------------------------------------------
  // Properties
  // ---------------------------------------------------------------------------------------------

  mb_class_t kind;
  logic      blind;  // refused whatever the word is, or replaces it

  assign kind  = class_of(done.group.op);
  assign blind = judge(done.source, done.group, 4, 1'b0) != FaultNone || kind.inits || kind.invalidates;

  always_ff @(posedge clk_i) begin
    if (rst_n && commit) begin
      // 1. One at a time: what commits has found the word that is in memory in that cycle, which is what the
      //    operations before it and the stores of the cores have left there, whatever was forwarded (but for the
      //    bits that mean nothing).
      P01_found: assert (!(ours && !blind) || u_lemmas.meant(found) == u_lemmas.meant(bank_q));
      C01_found: cover (ours && !blind && again_q && written && found != word);

      // 2. What an operation has written is in memory with its commit, at its place, and nothing else is.
      P02_write: assert ((write_valid && write_ready_i) == written &&
                         (!written || (write_data == word && write_place == done.group.place)));
      C02_write: cover (written && !ours);

      // 3. In order: what commits is the first that was accepted and has not committed, whole or the first of
      //    its lanes that are left; so none is lost, invented, or passed by another.
      P03_order: assert (first_q != next_q && done.source == head.source && done.group.op == head.group.op &&
                         done.group.place == head.group.place && done.group.warp == head.group.warp &&
                         done.group.operand == head.group.operand &&
                         (last || done.group.lanes == (lanes & (~lanes + 32'd1))));
      C03_order: cover (!last && written && next_q - first_q == 3'd3);
    end
    if (rst_n && !commit) begin
      // 4. Nothing is written without a commit.
      P04_only: assert (!(write_valid && write_ready_i));
      C04_only: cover (write_valid && !write_ready_i);
    end
  end

endmodule
