// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A few mbarriers in registers. Warps have one port, copy engines and other CTAs the other; both go in one
// cycle at different words, and take turns at the same one. An arrival is not taken while its phase lacks
// only transactions.
module example_mbarrier
  import example_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumWords = 4
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  fault_e                      fault_i,

  input  logic                        valid_i,
  output logic                        ready_o,
  input  op_e                         op_i,
  input  logic [$clog2(NumWarps)-1:0] warp_i,
  input  logic [$clog2(NumWords)-1:0] word_i,
  input  logic [9:0]                  operand_i,

  input  logic                        tx_valid_i,
  output logic                        tx_ready_o,
  input  logic                        tx_arrive_i,  // an arrival of another CTA, not bytes
  input  logic [$clog2(NumWords)-1:0] tx_word_i,
  input  logic [9:0]                  tx_bytes_i,

  // Of the cycle before.
  output logic [NumWarps-1:0]         release_o,
  output logic                        answer_valid_o,
  output logic                        answer_phase_o,

  output logic [NumWords-1:0]         phase_o,
  output logic [NumWords-1:0][4:0]    pending_o,
  output logic [NumWords-1:0][11:0]   bytes_o
);

  typedef struct packed {
    logic        phase;
    logic [4:0]  pending;
    logic [4:0]  expected;
    logic [11:0] bytes;  // two's complement
  } word_t;
  typedef struct packed {
    word_t word;
    logic  complete;
  } update_t;

  word_t [NumWords-1:0]               words_q, words_d;
  logic [NumWords-1:0][NumWarps-1:0]  waiting_q, waiting_d;
  logic [NumWarps-1:0]                self, release_d;
  logic                               turn_q, conflict, held, tx_held, fire, tx_fire;
  logic [$clog2(NumWords)-1:0]        tx_slot;  // where the update of a transaction is written
  word_t                              word, tx_word;
  update_t                            local_update, tx_update;

  assign word     = words_q[word_i];
  assign tx_word  = words_q[tx_word_i];
  assign tx_slot  = fault_i == Fault6Slot && fire ? word_i : tx_word_i;
  assign self     = NumWarps'(1) << warp_i;
  assign conflict = valid_i && tx_valid_i && word_i == tx_word_i;
  assign held     = op_i == OpMbArrive && word.pending == '0 && fault_i != Fault4Late;
  assign tx_held  = tx_arrive_i && tx_word.pending == '0 && fault_i != Fault4Late;
  assign fire     = valid_i && !held && !(conflict && !tx_held && (turn_q || fault_i == Fault11Storm));
  assign tx_fire  = tx_valid_i && !tx_held && !(conflict && fire);
  assign ready_o    = fire;
  assign tx_ready_o = tx_fire;

  // Arrivals and bytes, then the completion test.
  function automatic update_t update(word_t old, logic [4:0] arrivals, logic [11:0] bytes, logic transaction,
                                     fault_e fault);
    update_t updated;
    logic    arrived;
    updated.word         = old;
    updated.word.pending = old.pending - arrivals;
    updated.word.bytes   = old.bytes + bytes;
    arrived              = updated.word.pending == '0 ||
                           (fault == Fault4Early && transaction && old.pending == old.expected);
    updated.complete     = arrived && updated.word.bytes == '0;
    if (updated.complete) begin
      updated.word.phase   = !old.phase;
      updated.word.pending = old.expected;
    end
    if (fault == Fault10Underflow) updated.word.bytes[11] = 1'b0;
    return updated;
  endfunction

  always_comb begin
    local_update = update(word, op_i == OpMbArrive ? operand_i[4:0] : '0, op_i == OpExpect ? 12'(operand_i) : '0, 1'b0,
                          fault_i);
    tx_update    = update(tx_word, 5'(tx_arrive_i), tx_arrive_i ? '0 : -12'(tx_bytes_i), !tx_arrive_i, fault_i);
    words_d      = words_q;
    waiting_d    = waiting_q;
    release_d    = '0;

    if (fire) begin
      unique case (op_i)
        OpInit: words_d[word_i] = '{pending: operand_i[4:0], expected: operand_i[4:0], default: '0};
        OpMbWait: begin
          if (operand_i[0] != word.phase) release_d = self;
          else waiting_d[word_i] = waiting_q[word_i] | self;
        end
        default: begin
          words_d[word_i] = local_update.word;
          if (local_update.complete) begin
            release_d         = waiting_q[word_i];
            waiting_d[word_i] = '0;
          end
        end
      endcase
    end
    if (tx_fire) begin
      words_d[tx_slot] = tx_update.word;
      if (tx_update.complete) begin
        release_d            |= waiting_q[tx_word_i];
        waiting_d[tx_word_i]  = '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q        <= '0;
      waiting_q      <= '0;
      turn_q         <= 1'b0;
      release_o      <= '0;
      answer_valid_o <= 1'b0;
      answer_phase_o <= 1'b0;
    end else begin
      words_q        <= words_d;
      waiting_q      <= waiting_d;
      if (conflict) turn_q <= fire;
      release_o      <= release_d;
      answer_valid_o <= fire && op_i == OpMbArrive;
      answer_phase_o <= word.phase;
    end
  end

  always_comb begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      phase_o[w]   = words_q[w].phase;
      pending_o[w] = words_q[w].pending;
      bytes_o[w]   = words_q[w].bytes;
    end
  end

endmodule
