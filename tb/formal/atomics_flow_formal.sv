// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the pipeline of atomics: updates at any time, at either port, a memory that grants and answers
// when it likes, cores that store to what is not held, a receiver of answers that takes its time.
// One word is followed, any of two, of one bit: what is proven of it does not depend on the others
// of the word. The update is a model, as is the adder of floating-point numbers.
module atomics_flow_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_atomics_pkg::*;
#(
  // Memory and receiver are ready at once, data come a cycle after the grant: for the time.
  parameter bit          Timed   = 1'b0,
  parameter int unsigned Longest = 4,
  parameter int unsigned Floats  = 0,  // as of muster_atomics
  parameter bit          En128   = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       issue_valid_i,
  input at_update_t issue_i,
  input logic       remote_valid_i,
  input at_update_t remote_i,
  input logic       read_ready_i,
  input logic       answer_i,        // the memory answers
  input logic       write_ready_i,
  input logic       yield_i,
  input logic       response_ready_i,
  input logic [3:0] ack_i,
  input logic       store_i,         // a core would store to the word that is followed
  input logic       stored_i,
  input logic       followed_i       // which word
);

  localparam muster_cfg_t Cfg = '{
    NumWarps: 4, NumCtas: 1, NumIssue: 1, WarpSize: 32, EnReduce: 1'b0, EnResult: 1'b0,
    EnState: 1'b0, EnFaults: 1'b1, EnDrain: 1'b1, EnLanes: 1'b1, EnSplit: 1'b0, EnJoin: 1'b0,
    EnMbarrier: 1'b1, EnMbLimit: 1'b0, EnReport: 1'b0, SmemBytes: 16,
    MbResponses: 2, ClockPeriodPs: 1000, WaitLimitNs: 1000
  };

  // The memory and the receiver, and the word that is followed.
  logic read_ready, write_ready, yield, response_ready, mine, reading_q, mine_q, memory_q, data_q;
  logic held, stores;

  logic               issue_ready, read_valid, rdata_valid, write_valid, response_valid, fault_valid;
  logic               active, begun_q, followed_q, remote_ready, remote_busy;
  logic         [3:0] busy, fence_req;
  mb_place_t          read_place, write_place;
  logic        [63:0] rdata, write_data;
  logic  [AtHeld-1:0] held_valid;
  mb_place_t [AtHeld-1:0] held_place;
  at_response_t       response;
  at_fault_t          fault;
  at_commit_t         commit;

  muster_atomics #(.Cfg(Cfg), .Floats(Floats), .En128(En128), .EnRemote(1'b1)) u_atomics (
    .clk_i, .rst_ni, .issue_valid_i, .issue_ready_o (issue_ready), .issue_i,
    .remote_valid_i, .remote_ready_o (remote_ready), .remote_i, .busy_o (busy),
    .remote_busy_o (remote_busy),
    .active_o (active), .fence_req_o (fence_req), .fence_ack_i (ack_i),
    .smem_read_valid_o (read_valid), .smem_read_ready_i (read_ready), .smem_read_place_o (read_place),
    .smem_rdata_valid_i (rdata_valid), .smem_rdata_i (rdata), .smem_write_valid_o (write_valid),
    .smem_write_ready_i (write_ready), .smem_write_place_o (write_place),
    .smem_write_data_o (write_data), .smem_held_valid_o (held_valid),
    .smem_held_place_o (held_place), .smem_yield_i (yield), .response_valid_o (response_valid),
    .response_ready_i (response_ready), .response_o (response), .fault_valid_o (fault_valid),
    .fault_o (fault), .commit_o (commit)
  );

  // ---------------------------------------------------------------------------------------------
  // Memory: one bit of the word that is followed
  // ---------------------------------------------------------------------------------------------

  assign read_ready     = (Timed || read_ready_i) && (!reading_q || rdata_valid);
  assign write_ready    = Timed || write_ready_i;
  assign yield          = !Timed && yield_i;
  assign response_ready = Timed || response_ready_i;
  assign rdata_valid    = reading_q && (Timed || answer_i);
  assign mine           = read_place.addr[3] == followed_q;
  assign rdata          = {63'd0, reading_q && mine_q ? memory_q : data_q};

  // The bank grants no store to a word that is held, or whose read it grants.
  always_comb begin
    held = read_valid && read_ready && mine;
    for (int h = 0; h < AtHeld; h++) begin
      held = held || (held_valid[h] && held_place[h].addr[3] == followed_q);
    end
  end
  assign stores = store_i && !held;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      mine_q    <= 1'b0;
    end else begin
      if (read_valid && read_ready) begin
        reading_q <= 1'b1;
        mine_q    <= mine;
      end else if (rdata_valid) begin
        reading_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rdata_valid) data_q <= rdata[0];
    if (stores) memory_q <= stored_i;
    else if (write_valid && write_ready && write_place.addr[3] == followed_q) memory_q <= write_data[0];
  end

  // ---------------------------------------------------------------------------------------------
  // What has been accepted, in order
  // ---------------------------------------------------------------------------------------------

  // What of an update is known until it commits. Of the operand, the first bit of each quarter.
  typedef struct packed {
    logic       other;  // port
    logic       refused;
    logic       answer;
    logic [1:0] warp;
    lane_t      lane;
    logic       sums;
    logic       f64;
    logic       f32;
    logic [3:0] quarters;
    logic [3:0] operand;
  } known_t;

  logic   [2:0] count_q;
  known_t [3:0] queue_q;
  known_t       known, oldest;
  logic         own, other, accepted, continues;
  at_update_t   entering;

  assign own       = issue_valid_i && issue_ready;
  assign other     = remote_valid_i && remote_ready;
  assign accepted  = own || other;
  assign entering  = other ? remote_i : issue_i;
  assign continues = entering.size == At128 && entering.upper;  // it is no value of its own
  assign oldest    = queue_q[0];

  always_comb begin
    known         = '0;
    known.other   = other;
    known.refused = is_misplaced(entering, 4);
    known.answer  = entering.has_answer;
    known.warp    = entering.warp[1:0];
    known.lane    = entering.lane;
    if (Floats != 0) begin
      known.sums = entering.op inside {AtFAdd, AtHAdd, AtBAdd};
      known.f64   = entering.op == AtFAdd && entering.size == At64;
      known.f32   = entering.op == AtFAdd && entering.size == At32;
      for (int q = 0; q < 4; q++) begin
        known.operand[q]  = entering.operand[16*q];
        known.quarters[q] = entering.size == At64 ||
                            (entering.size == At32 && q / 2 == int'(entering.place.addr[2])) ||
                            (entering.size == At16 && q == int'(entering.place.addr[2:1]));
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= count_q + 3'(accepted) - 3'(commit.valid);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) begin
      if (commit.valid && i < 3) queue_q[i] <= queue_q[i+1];
      if (accepted && 3'(i) == count_q - 3'(commit.valid)) begin
        queue_q[i] <= known;
      end
    end
  end

  // Cycles since the oldest update was accepted, or became the oldest.
  logic [3:0] waited_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= '0;
    end else begin
      waited_q <= (count_q == '0 || commit.valid) ? '0 : waited_q + 4'(waited_q != '1);
    end
  end

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q    <= 1'b1;
    followed_q <= begun_q ? followed_q : followed_i;
  end

  logic answer_due_q;  // the commit in the cycle before wants an answer
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_due_q <= 1'b0;
    else answer_due_q <= commit.valid && !oldest.refused && oldest.answer;
  end

  // An update waits at its port, and a value of the other port has entered meanwhile.
  logic issue_waits, own_passed_q, other_passed_q;
  assign issue_waits = issue_valid_i && !issue_i.releasing;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_passed_q   <= 1'b0;
      other_passed_q <= 1'b0;
    end else begin
      own_passed_q   <= issue_waits && !own && (own_passed_q || other);
      other_passed_q <= remote_valid_i && !other && (other_passed_q || own);
    end
  end

  always_ff @(posedge clk_i) begin
    assume (rst_ni == begun_q);
    assume (has_update(issue_i, Floats, En128) && issue_i.warp < 6'd4 && !issue_i.from.remote);
    assume (has_update(remote_i, Floats, En128) && remote_i.warp < 6'd4 && remote_i.from.remote);

    if (rst_ni) begin
      // 1. The word with which an update is made is the one that memory has then: no store and no
      //    other update comes between its read and its write.
      P01_atomic: assert (!(write_valid && write_ready && write_place.addr[3] == followed_q) ||
                          u_atomics.word_q[0] == memory_q);

      // 2. Updates commit in the order of their acceptance, each once, and are refused exactly if
      //    they are misplaced.
      P02_order: assert (!commit.valid || (count_q != '0 && commit.warp[1:0] == oldest.warp &&
                                           commit.from.remote == oldest.other &&
                                           commit.lane == oldest.lane &&
                                           commit.written == !oldest.refused));

      // 3. Each answer comes in the cycle after its commit.
      P03_answer: assert (!answer_due_q || response_valid);

      // 6. The ports take turns: an update that is presented and need not drain sees at most one
      //    value of the other port enter before it; and one update enters at a time.
      P06_turns: assert (!(own && other) && !(own_passed_q && other && issue_waits && !continues) &&
                         !(other_passed_q && own && remote_valid_i && !continues));

      // 4. What is written is held.
      P04_held: assert (!write_valid || held_valid[1]);

      C01_atomic: cover (commit.valid && commit.written && write_place.addr[3] == followed_q &&
                         u_atomics.word_q[0] == memory_q && memory_q);
      C02_order:  cover (commit.valid && count_q == 3'd3);
      C03_answer: cover (answer_due_q && !response_ready);
      C06_turns:  cover (own_passed_q && own && other_passed_q == 1'b0);
      C04_held:   cover (write_valid && held_valid == '1);
    end
  end

  if (En128) begin : g_128
    atomics_halves_props #(.Timed(Timed)) u_props (
      .clk_i, .rst_ni, .issue_valid_i, .issue_i, .remote_valid_i, .remote_i,
      .own_i (own), .other_i (other), .count_i (count_q), .lower_i (u_atomics.write_q.lower), .upper_i (u_atomics.write_q.upper),
      .commits_i (commit.valid && commit.written), .swaps_i (u_atomics.also),
      .upper_waits_i (u_atomics.data_valid_q && u_atomics.data_q.upper && held_valid[0] && held_place[0].addr[3]),
      .wanted_i ({63'd0, memory_q} == u_atomics.data_q.step.addend), .followed_i (followed_q)
    );
  end

  if (Floats != 0) begin : g_floats
    // The first bit of each quarter of the sum, as the model of the adder has it, and what is taken.
    logic [3:0] right, taken;

    for (genvar q = 0; q < 4; q++) begin : g_right
      assign right[q] = oldest.f64 ? u_atomics.word_q[0] ^ oldest.operand[0] :
                        oldest.f32 ? u_atomics.word_q[32*(q/2)] ^ oldest.operand[2*(q/2)] :
                                     u_atomics.word_q[16*q] ^ oldest.operand[q];
      assign taken[q] = u_atomics.write_q.step.operand[16*q];
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // 9. A sum is that of the word with which the update is made and of its operand, in each of
        //    its numbers.
        P09_sum: assert (!(commit.valid && commit.written && oldest.sums) ||
                         (((taken ^ right) & oldest.quarters) == '0 && u_atomics.write_q.step.takes));

        C09_sum: cover (commit.valid && commit.written && oldest.sums && oldest.quarters == 4'b1100 &&
                        !oldest.f32 && right[3:2] == 2'b10);
      end
    end
  end

  if (Timed) begin : g_timed
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // 5. An update commits within this time after the one before it, or after its acceptance.
        P05_time: assert (waited_q <= 4'(Longest));

        C05_time: cover (waited_q == 4'(Longest));
      end
    end
  end

endmodule
