// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Atomics on shared memory: one update per cycle; a sum of 64 bits takes two, and a comparison of
// 64 bits three.
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
  parameter muster_cfg_t Cfg
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    issue_valid_i,
  output logic                    issue_ready_o,
  input  at_update_t              issue_i,

  output logic [Cfg.NumWarps-1:0] busy_o,    // warps with an update between acceptance and commit
  output logic                    active_o,  // something is presented or under way
  output logic [Cfg.NumWarps-1:0] fence_req_o,
  input  logic [Cfg.NumWarps-1:0] fence_ack_i,

  output logic                    smem_read_valid_o,
  input  logic                    smem_read_ready_i,
  output mb_place_t               smem_read_place_o,
  input  logic                    smem_rdata_valid_i,
  input  logic [63:0]             smem_rdata_i,
  output logic                    smem_write_valid_o,
  input  logic                    smem_write_ready_i,
  output mb_place_t               smem_write_place_o,
  output logic [63:0]             smem_write_data_o,
  output logic      [AtHeld-1:0]  smem_held_valid_o,
  output mb_place_t [AtHeld-1:0]  smem_held_place_o,
  input  logic                    smem_yield_i,

  output logic                    response_valid_o,
  input  logic                    response_ready_i,
  output at_response_t            response_o,

  output logic                    fault_valid_o,
  output at_fault_t               fault_o,

  output at_commit_t              commit_o
);

`include "muster_assert.svh"

  localparam int unsigned WarpW = $clog2(Cfg.NumWarps);
  localparam int unsigned AddrW = $clog2(Cfg.SmemBytes);
  localparam int unsigned CtaW  = (Cfg.NumCtas > 1) ? $clog2(Cfg.NumCtas) : 1;

  // An update behind the read stage.
  typedef struct packed {
    logic      refused;
    logic      has_answer;
    warp_t     warp;
    lane_t     lane;
    mb_place_t place;
    at_step_t  step;
  } stage_t;

  function automatic logic is_same_word(mb_place_t a, mb_place_t b);
    return a.addr[AddrW-1:3] == b.addr[AddrW-1:3] &&
           (Cfg.NumCtas == 1 || a.cta[CtaW-1:0] == b.cta[CtaW-1:0]);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Drain
  // ---------------------------------------------------------------------------------------------

  logic             accepts, drained;
  logic [WarpW-1:0] warp;

  assign warp = issue_i.warp[WarpW-1:0];

  // An update that releases stays at the port until its warp is drained.
  if (Cfg.EnDrain) begin : g_drain
    logic asks_q, done_q, waits;

    assign waits   = issue_valid_i && issue_i.releasing && !done_q;
    assign drained = !waits || fence_ack_i[warp];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        asks_q <= 1'b0;
        done_q <= 1'b0;
      end else begin
        asks_q <= waits && !fence_ack_i[warp];
        done_q <= issue_valid_i && issue_i.releasing && drained && !issue_ready_o;
      end
    end

    always_comb begin
      fence_req_o       = '0;
      fence_req_o[warp] = asks_q;
    end
  end else begin : g_no_drain
    assign drained     = 1'b1;
    assign fence_req_o = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------

  logic       read_valid, read_go, data_free, data_go, refused, near, far;
  logic       data_valid_q, data_linked_q, data_came_q, write_valid_q, commit;
  at_update_t read_q;
  stage_t     data_d, data_q, write_q;

  muster_stage #(.data_t(at_update_t)) u_read (
    .clk_i, .rst_ni, .valid_i (issue_valid_i && drained), .ready_o (accepts), .data_i (issue_i),
    .valid_o (read_valid), .ready_i (read_go), .data_o (read_q)
  );

  assign issue_ready_o = accepts && drained;

  assign refused   = Cfg.EnFaults && is_misplaced(read_q, AddrW);
  assign near      = data_valid_q && !data_q.refused && is_same_word(read_q.place, data_q.place);
  assign far       = write_valid_q && !write_q.refused && is_same_word(read_q.place, write_q.place);
  assign data_free = !data_valid_q || data_go;
  assign read_go   = data_free && (refused || (!smem_yield_i &&
                                               (near || (!far && smem_read_ready_i))));

  assign smem_read_valid_o = read_valid && data_free && !refused && !near && !far && !smem_yield_i;
  assign smem_read_place_o = word_of(read_q.place);

  assign data_d = '{
    refused: refused, has_answer: read_q.has_answer, warp: read_q.warp, lane: read_q.lane,
    place: read_q.place, step: step_of(read_q)
  };

  // ---------------------------------------------------------------------------------------------
  // Data
  // ---------------------------------------------------------------------------------------------

  logic [63:0] word_q, word, next_word;

  // The word stays at the port from the cycle on in which it comes.
  assign data_go = data_valid_q && (!write_valid_q || commit) &&
                   (data_q.refused || data_linked_q || smem_rdata_valid_i || data_came_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_valid_q  <= 1'b0;
      data_came_q   <= 1'b0;
      write_valid_q <= 1'b0;
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
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Write
  // ---------------------------------------------------------------------------------------------

  logic         response_valid_q, answers, ready, low_carry, high_carry, high_carry_q, wide_carry_q;
  logic  [1:0]  settled_q;
  at_response_t response_q;

  muster_atomics_update u_update (
    .step_i (write_q.step), .high_carry_i (high_carry_q), .low_carry_o (low_carry),
    .high_carry_o (high_carry), .wide_carry_i (wide_carry_q),
    .word_i (word_q), .word_o (word),
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

  assign ready              = !write_q.step.slow ||
                              (write_q.step.adds ? settled_q[0] : settled_q[1]);
  assign answers            = write_q.has_answer && !write_q.refused;
  assign smem_write_valid_o = write_valid_q && !write_q.refused &&
                              ready && !(answers && response_valid_q && !response_ready_i);
  assign smem_write_place_o = word_of(write_q.place);
  assign smem_write_data_o  = word;
  assign commit             = write_valid_q && (write_q.refused ||
                                                (smem_write_valid_o && smem_write_ready_i));

  assign smem_held_valid_o = {write_valid_q && !write_q.refused, data_valid_q && !data_q.refused};
  assign smem_held_place_o = {word_of(write_q.place), word_of(data_q.place)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_valid_q <= 1'b0;
    end else begin
      response_valid_q <= (commit && answers) || (response_valid_q && !response_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!response_valid_q || response_ready_i) begin
      response_q <= '{warp: write_q.warp, lane: write_q.lane, word: word_q};
    end
  end

  assign response_valid_o = response_valid_q;
  assign response_o       = response_q;

  if (Cfg.EnFaults) begin : g_faults
    logic      fault_valid_q;
    at_fault_t fault_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fault_valid_q <= 1'b0;
      end else begin
        fault_valid_q <= commit && write_q.refused;
      end
    end

    always_ff @(posedge clk_i) begin
      fault_q <= '{cause: FaultBadAddress, warp: write_q.warp, lane: write_q.lane,
                   place: write_q.place};
    end

    assign fault_valid_o = fault_valid_q;
    assign fault_o       = fault_q;
  end else begin : g_no_faults
    assign fault_valid_o = 1'b0;
    assign fault_o       = '0;
  end

  always_comb begin
    busy_o = '0;
    if (read_valid) busy_o[read_q.warp[WarpW-1:0]] = 1'b1;
    if (data_valid_q) busy_o[data_q.warp[WarpW-1:0]] = 1'b1;
    if (write_valid_q) busy_o[write_q.warp[WarpW-1:0]] = 1'b1;
  end

  assign active_o = issue_valid_i || read_valid || data_valid_q || write_valid_q ||
                    response_valid_q || fault_valid_o;

  assign commit_o = '{
    valid: commit, warp: write_q.warp, lane: write_q.lane, place: write_q.place,
    written: !write_q.refused, word: word
  };

  if (Cfg.SmemBytes < 16 || (Cfg.SmemBytes & (Cfg.SmemBytes - 1)) != 0) begin : g_bad_smem
    $error("SmemBytes must be a power of two, 16 at least");
  end

  `MUSTER_ASSERT(LinkedToWrite, !(data_valid_q && data_linked_q) ||
                                (write_valid_q && !write_q.refused &&
                                 is_same_word(data_q.place, write_q.place)),
                 "an update waits for a word that is not ahead of it")
  `MUSTER_ASSERT(SizeOfStep, !issue_valid_i || !(issue_i.op inside {AtInc, AtDec}) ||
                             issue_i.size == At32, "AtInc and AtDec are of 32 bits")
  `MUSTER_ASSERT_HELD(IssueHeld, issue_valid_i, issue_ready_o, issue_i,
                      "an update at the port changes before it is accepted")

endmodule
