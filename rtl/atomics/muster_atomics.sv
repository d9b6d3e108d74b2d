// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Atomics on shared memory: one update per cycle; a sum of 64 bits takes two, a comparison of 64
// bits three, and a sum of floating-point numbers ten, or, of two in a word, eleven.
//
//     cycle       0       1       2       3
//     update      port    read    data    write
//     bank                grant   word    grant: the commit
//
// Read asks the bank for the word, unless the update ahead, in data, has the same word: then that
// update leaves the word when it commits. While an update in write alone has the word, read waits.
// Outputs come from registers, but for the ready and valid signals of issue, read and write, which
// have the other handshakes behind them.
module muster_atomics
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_atomics_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  parameter int unsigned Floats   = 0,  // 1: adds f32 too; 2: f16 and bf16 too; 3: f64 too
  parameter bit          En128    = 1'b0,
  parameter bit          EnRemote = 1'b0,  // other CTAs have updates, too
  // What the block is made of: Cfg, but for illegal values, which are refused below.
  localparam muster_cfg_t Legal = Nearest(Cfg)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      issue_valid_i,
  output logic                      issue_ready_o,
  input  at_update_t                issue_i,
  // Updates of other CTAs, which their senders have drained.
  input  logic                      remote_valid_i,
  output logic                      remote_ready_o,
  input  at_update_t                remote_i,

  output logic [Legal.NumWarps-1:0] busy_o,  // warps with an update between acceptance and commit
  output logic                      remote_busy_o,       // an update of another CTA is under way
  output logic                      active_o,            // something is presented or under way
  output logic [Legal.NumWarps-1:0] fence_req_o,
  input  logic [Legal.NumWarps-1:0] fence_ack_i,

  output logic                      smem_read_valid_o,
  input  logic                      smem_read_ready_i,
  output mb_place_t                 smem_read_place_o,
  input  logic                      smem_rdata_valid_i,
  input  logic [63:0]               smem_rdata_i,
  output logic                      smem_write_valid_o,
  input  logic                      smem_write_ready_i,
  output mb_place_t                 smem_write_place_o,
  output logic [63:0]               smem_write_data_o,
  output logic [AtHeld-1:0]         smem_held_valid_o,
  output mb_place_t [AtHeld-1:0]    smem_held_place_o,
  input  logic                      smem_yield_i,

  output logic                      response_valid_o,
  input  logic                      response_ready_i,
  output at_response_t              response_o,

  output logic                      fault_valid_o,
  output at_fault_t                 fault_o,

  output at_commit_t                commit_o
);

`include "muster_assert.svh"

  `MUSTER_LEGAL(Cfg.NumWarps == Legal.NumWarps, "NumWarps must be 4 to 64")
  `MUSTER_LEGAL(Cfg.NumCtas == Legal.NumCtas, "NumCtas must be 1 to 32")
  `MUSTER_LEGAL(Cfg.SmemBytes == Legal.SmemBytes, "SmemBytes must be a power of two, 16 at least")
  `MUSTER_LEGAL(Floats <= 3, "Floats must be 0 to 3")

  localparam int unsigned WarpW = $clog2(Legal.NumWarps);
  localparam int unsigned AddrW = $clog2(Legal.SmemBytes);
  localparam int unsigned CtaW  = (Legal.NumCtas > 1) ? $clog2(Legal.NumCtas) : 1;

  // An update behind the read stage.
  typedef struct packed {
    logic      refused;
    logic      has_answer;
    warp_t     warp;
    lane_t     lane;
    at_from_t  from;
    logic      completes;
    logic      lower;  // half of 128 bits
    logic      upper;
    mb_place_t place;
    at_step_t  step;
  } stage_t;

  function automatic logic is_same_word(mb_place_t a, mb_place_t b);
    return a.addr[AddrW-1:3] == b.addr[AddrW-1:3] &&
           (Legal.NumCtas == 1 || a.cta[CtaW-1:0] == b.cta[CtaW-1:0]);
  endfunction

  logic       accepts, offers;
  at_update_t offered;

  muster_atomics_enter #(
    .NumWarps(Legal.NumWarps), .EnDrain(Cfg.EnDrain), .En128(En128), .EnRemote(EnRemote)
  ) u_enter (
    .clk_i, .rst_ni, .issue_valid_i, .issue_ready_o, .issue_i,
    .remote_valid_i, .remote_ready_o, .remote_i, .fence_req_o, .fence_ack_i,
    .valid_o (offers), .ready_i (accepts), .update_o (offered)
  );

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------

  logic       read_valid, read_go, data_free, data_go, refused, near, far;
  logic       data_valid_q, data_linked_q, data_came_q, write_valid_q, commit, halves, yields;
  at_update_t read_q, entering;
  stage_t     data_d, data_q, write_q;

  muster_stage #(.data_t(at_update_t)) u_read (
    .clk_i, .rst_ni, .valid_i (offers), .ready_o (accepts), .data_i (offered),
    .valid_o (read_valid), .ready_i (read_go), .data_o (read_q)
  );

  // Each half of 128 bits is an update of 64. The upper one does not yield: the lower one waits for
  // it, and its word is held.
  assign halves = En128 && read_q.size == At128;
  assign yields = smem_yield_i && !(halves && read_q.upper);

  always_comb begin
    entering = read_q;
    if (halves) begin
      entering.size          = At64;
      entering.place.addr[3] = read_q.place.addr[3] || read_q.upper;
    end
  end

  assign refused   = Cfg.EnFaults && is_misplaced(read_q, AddrW);
  assign near      = data_valid_q && !data_q.refused && is_same_word(entering.place, data_q.place);
  assign far       = write_valid_q && !write_q.refused &&
                     is_same_word(entering.place, write_q.place);
  assign data_free = !data_valid_q || data_go;
  assign read_go   = data_free && (refused || (!yields &&
                                               (near || (!far && smem_read_ready_i))));

  assign smem_read_valid_o = read_valid && data_free && !refused && !near && !far && !yields;
  assign smem_read_place_o = word_of(entering.place);

  assign data_d = '{
    refused: refused, has_answer: read_q.has_answer, warp: read_q.warp, lane: read_q.lane,
    from: read_q.from, completes: read_q.completes,
    lower: halves && !read_q.upper, upper: halves && read_q.upper,
    place: entering.place, step: step_of(entering)
  };

  // ---------------------------------------------------------------------------------------------
  // Data
  // ---------------------------------------------------------------------------------------------

  logic        all_summed;
  logic  [3:0] summed;  // quarters of the operand in whose place a sum comes
  logic [63:0] word_q, word, next_word, sum;

  // The word stays at the port from the cycle on in which it comes.
  assign data_go = data_valid_q && (!write_valid_q || commit) &&
                   (data_q.refused || data_linked_q || smem_rdata_valid_i || data_came_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {data_valid_q, data_came_q, write_valid_q} <= '0;
    end else begin
      data_came_q <= (data_came_q || smem_rdata_valid_i) && !data_go;
      if (data_free) data_valid_q <= read_valid && read_go;
      if (!write_valid_q || commit) write_valid_q <= data_go;
    end
  end

  always_ff @(posedge clk_i) begin
    if (data_free) begin
      data_q        <= data_d;
      data_linked_q <= near;
    end
    if (data_go) begin
      write_q <= data_q;
      word_q  <= next_word;
    end else begin
      // With the sum in the place of its operand, an addition of floats is an exchange.
      for (int q = 0; q < 4; q++) begin
        if (summed[q]) write_q.step.operand[16*q +: 16] <= sum[16*q +: 16];
      end
      if (all_summed) write_q.step.takes <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Write
  // ---------------------------------------------------------------------------------------------

  logic         answer_free, answers, ready, low_carry, high_carry, high_carry_q, wide_carry_q;
  logic         also, swaps, half_waits;
  logic  [1:0]  settled_q;
  at_response_t answer;

  muster_atomics_update u_update (
    .step_i (write_q.step), .high_carry_i (high_carry_q), .low_carry_o (low_carry),
    .high_carry_o (high_carry), .wide_carry_i (wide_carry_q),
    .word_i (word_q), .word_o (word),
    .also_i (also), .swaps_o (swaps),
    .other_i (!data_linked_q), .other_word_i (smem_rdata_i), .next_word_o (next_word)
  );

  // Of values of 64 bits the upper half of the sum has its carry in the second cycle here, and its
  // own carry is known in the third.
  always_ff @(posedge clk_i) begin
    settled_q    <= data_go ? '0 : {settled_q[0], 1'b1};
    wide_carry_q <= high_carry;
    if (data_go) high_carry_q <= data_q.step.carry;
    else if (write_q.step.wide) high_carry_q <= low_carry;
  end

  // The lower half of 128 bits is written when the word of the upper one is there, behind it; cas
  // swaps if both are as it wants them.
  if (En128) begin : g_128
    logic upper_same_q, lower_swapped_q;

    assign also       = write_q.upper ? lower_swapped_q : !write_q.lower || upper_same_q;
    assign half_waits = write_q.lower && !data_came_q;

    always_ff @(posedge clk_i) begin
      upper_same_q <= smem_rdata_i == data_q.step.addend;
      lower_swapped_q <= swaps;  // an upper half that waits keeps it
    end
  end else begin : g_no_128
    assign also       = 1'b1;
    assign half_waits = 1'b0;
  end

  assign ready              = half_waits ? 1'b0 :
                              (Floats != 0 && write_q.step.floats) ? write_q.step.takes :
                              !write_q.step.slow || settled_q[write_q.step.adds ? 0 : 1];
  assign answers            = write_q.has_answer && !write_q.refused;
  assign smem_write_valid_o = write_valid_q && !write_q.refused &&
                              ready && !(answers && !answer_free);
  assign smem_write_place_o = word_of(write_q.place);
  assign smem_write_data_o  = word;
  assign commit             = write_valid_q && (write_q.refused ||
                                                (smem_write_valid_o && smem_write_ready_i));

  assign smem_held_valid_o = {write_valid_q && !write_q.refused, data_valid_q && !data_q.refused};
  assign smem_held_place_o = {word_of(write_q.place), word_of(data_q.place)};

  if (Floats != 0) begin : g_floats
    muster_atomics_sums #(.Floats(Floats)) u_sums (
      .clk_i, .begins_i (data_go), .step_i (write_q.step), .word_i (word_q), .sum_o (sum),
      .summed_o (summed), .all_summed_o (all_summed)
    );
  end else begin : g_integers
    assign summed     = '0;
    assign all_summed = 1'b0;
    assign sum        = '0;
  end

  muster_stage #(.data_t(at_response_t)) u_response (
    .clk_i, .rst_ni, .valid_i (commit && answers), .ready_o (answer_free), .data_i (answer),
    .valid_o (response_valid_o), .ready_i (response_ready_i), .data_o (response_o)
  );

  assign answer = '{
    from: write_q.from, warp: write_q.warp, lane: write_q.lane, upper: write_q.upper, word: word_q
  };

  if (Cfg.EnFaults) begin : g_faults
    logic      fault_valid_q;
    at_fault_t fault, fault_q;

    assign fault = '{
      cause: FaultBadAddress, from: write_q.from, warp: write_q.warp, lane: write_q.lane,
      place: write_q.place
    };

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fault_valid_q <= 1'b0;
      end else begin
        fault_valid_q <= commit && write_q.refused;
      end
    end

    always_ff @(posedge clk_i) begin
      fault_q <= fault;
    end

    assign fault_valid_o = fault_valid_q;
    assign fault_o       = fault_q;
  end else begin : g_no_faults
    assign fault_valid_o = 1'b0;
    assign fault_o       = '0;
  end

  always_comb begin
    busy_o = '0;
    if (read_valid && !read_q.from.remote) busy_o[read_q.warp[WarpW-1:0]] = 1'b1;
    if (data_valid_q && !data_q.from.remote) busy_o[data_q.warp[WarpW-1:0]] = 1'b1;
    if (write_valid_q && !write_q.from.remote) busy_o[write_q.warp[WarpW-1:0]] = 1'b1;
  end

  assign remote_busy_o = (read_valid && read_q.from.remote) ||
                         (data_valid_q && data_q.from.remote) ||
                         (write_valid_q && write_q.from.remote);

  assign active_o = issue_valid_i || remote_valid_i || read_valid || data_valid_q ||
                    write_valid_q || response_valid_o || fault_valid_o;

  assign commit_o = '{
    valid: commit, from: write_q.from, warp: write_q.warp, lane: write_q.lane,
    place: write_q.place, completes: write_q.completes, written: !write_q.refused, word: word
  };

  `MUSTER_ASSERT(LinkedToWrite, !(data_valid_q && data_linked_q) ||
                                (write_valid_q && !write_q.refused &&
                                 is_same_word(data_q.place, write_q.place)),
                 "an update waits for a word that is not ahead of it")
  `MUSTER_ASSERT(IssueHas, !issue_valid_i || has_update(issue_i, Floats, En128),
                 "the block has no such operation, or not of this size")
  `MUSTER_ASSERT(RemoteHas, !remote_valid_i || (EnRemote && has_update(remote_i, Floats, En128)),
                 "the block has no such operation of another CTA, or not of this size")

endmodule
