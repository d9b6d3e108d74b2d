// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Named barriers in the style of small GPU cores: a table in registers, an operation per cycle, and the
// release one cycle later. `fault_i` makes it wrong in one way; see example_pkg.
module example_named
  import example_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 2,
  parameter int unsigned NumBars  = 8,
  parameter int unsigned Lanes    = 4
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  fault_e                      fault_i,

  // A CTA takes a slot, or one of its warps joins.
  input  logic                        open_valid_i,
  input  logic                        join_valid_i,
  input  logic [$clog2(NumCtas)-1:0]  life_cta_i,
  input  logic [$clog2(NumWarps)-1:0] life_warp_i,
  input  logic [$clog2(NumWarps):0]   life_size_i,

  // An operation, which takes effect in its cycle.
  input  logic                        valid_i,
  input  op_e                         op_i,
  input  logic [$clog2(NumCtas)-1:0]  cta_i,
  input  logic [$clog2(NumWarps)-1:0] warp_i,
  input  logic [$clog2(NumBars)-1:0]  bar_i,
  input  logic [5:0]                  count_i,  // threads, 0: all warps of the CTA
  input  logic [Lanes-1:0]            lanes_i,
  input  logic [Lanes-1:0]            preds_i,  // of OpWait: the phase

  // Of the operation in the cycle before.
  output logic [NumWarps-1:0]         release_o,
  output logic [5:0]                  result_o,
  output logic                        answer_valid_o,
  output logic                        answer_phase_o,
  output logic                        refused_o
);

  typedef logic [$clog2(NumWarps):0] warps_t;
  typedef struct packed {
    logic                phase;
    warps_t              arrived;
    logic [5:0]          expected;  // threads
    logic [5:0]          value;     // the reduction so far
    logic [NumWarps-1:0] came;
    logic [NumWarps-1:0] waiting;
  } entry_t;
  typedef struct packed {
    warps_t              size;
    warps_t              joined;
    warps_t              exited;
    logic [NumWarps-1:0] live;
  } cta_t;

  entry_t [NumCtas-1:0][NumBars-1:0] table_q, table_d;
  cta_t   [NumCtas-1:0]              ctas_q, ctas_d;

  // The phase that was written last, and where.
  logic                       last_valid_q, last_valid_d, last_phase_q, last_phase_d;
  logic [$clog2(NumCtas)-1:0] last_cta_q;
  logic [$clog2(NumBars)-1:0] last_bar_q;

  entry_t              entry, next;
  cta_t                cta;
  logic [NumWarps-1:0] self, everybody, release_d;
  warps_t              live;
  logic [5:0]          target, value, result_d;
  logic                phase, first, odd, arrives, waits, complete;

  assign entry   = table_q[cta_i][bar_i];
  assign cta     = ctas_q[cta_i];
  assign self    = NumWarps'(1) << warp_i;
  assign first   = entry.arrived == '0;
  assign arrives = op_i inside {OpSync, OpArrive, OpAnd, OpOr, OpPopc};
  assign waits   = arrives && op_i != OpArrive;
  assign odd     = count_i % 6'(Lanes) != '0;
  assign live    = (fault_i == Fault3Joined ? cta.joined : cta.size) - cta.exited;
  assign phase   = last_valid_q && ((last_cta_q == cta_i && last_bar_q == bar_i) || fault_i == Fault5Bypass)
                   ? last_phase_q : entry.phase;
  assign target  = count_i == '0 ? 6'(live) * 6'(Lanes) : count_i;

  always_comb begin
    everybody = '0;
    for (int unsigned c = 0; c < NumCtas; c++) begin
      for (int unsigned b = 0; b < NumBars; b++) everybody |= table_q[c][b].waiting;
    end
  end

  // The reduction with this warp.
  always_comb begin
    value = first && fault_i != Fault7Reset ? 6'(op_i == OpAnd) : entry.value;
    unique case (op_i)
      OpAnd:   value = 6'(value[0] && (preds_i | ~lanes_i) == '1);
      OpOr:    value = 6'(value[0] || (preds_i & lanes_i) != '0);
      OpPopc:  for (int unsigned l = 0; l < Lanes; l++) value += 6'(preds_i[l] && lanes_i[l]);
      default: value = '0;
    endcase
  end

  // The entry with this arrival.
  always_comb begin
    next          = entry;
    next.arrived  = entry.arrived + warps_t'(1);
    if (fault_i == Fault8Set && (entry.came & self) != '0) next.arrived = entry.arrived;
    next.came     = entry.came | self;
    next.expected = count_i;
    next.value    = value;
    if (waits) next.waiting = entry.waiting | self;
    complete = 6'(next.arrived) * 6'(Lanes) == target;
    if (fault_i == Fault1AllCtas && count_i == '0) complete = complete && (everybody | self) == cta.live;
  end

  // Idle, in this phase.
  function automatic entry_t idle(logic phase_after, logic [5:0] value_kept);
    entry_t result;
    result       = '0;
    result.phase = phase_after;
    result.value = value_kept;
    return result;
  endfunction

  always_comb begin
    table_d      = table_q;
    ctas_d       = ctas_q;
    release_d    = '0;
    result_d     = value;
    last_valid_d = 1'b0;
    last_phase_d = !phase;

    if (valid_i && arrives && (!odd || fault_i == Fault9Multiple)) begin
      table_d[cta_i][bar_i] = complete ? idle(!entry.phase, fault_i == Fault7Reset ? value : '0) : next;
      release_d             = complete ? next.waiting : '0;
      last_valid_d          = complete;
    end else if (valid_i && op_i == OpWait) begin
      if (preds_i[0] != phase) release_d = self;
      else table_d[cta_i][bar_i].waiting = entry.waiting | self;
    end else if (valid_i && op_i == OpExit) begin
      ctas_d[cta_i].exited = cta.exited + warps_t'(1);
      ctas_d[cta_i].live   = cta.live & ~self;
      for (int unsigned b = 0; b < NumBars; b++) begin
        if (table_q[cta_i][b].arrived != '0 && table_q[cta_i][b].arrived == live - warps_t'(1) &&
            (table_q[cta_i][b].expected == '0 || fault_i == Fault2Count) && fault_i != Fault2Never) begin
          table_d[cta_i][b] = idle(!table_q[cta_i][b].phase, '0);
          release_d         = table_q[cta_i][b].waiting;
          result_d          = fault_i == Fault2NoResult ? '0 : table_q[cta_i][b].value;
        end
      end
    end

    if (open_valid_i) begin
      table_d[life_cta_i] = '0;
      ctas_d[life_cta_i]  = '{size: life_size_i, default: '0};
    end
    if (join_valid_i) begin
      ctas_d[life_cta_i].joined = ctas_d[life_cta_i].joined + warps_t'(1);
      ctas_d[life_cta_i].live   = ctas_d[life_cta_i].live | (NumWarps'(1) << life_warp_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      table_q        <= '0;
      ctas_q         <= '0;
      last_valid_q   <= 1'b0;
      last_phase_q   <= 1'b0;
      last_cta_q     <= '0;
      last_bar_q     <= '0;
      release_o      <= '0;
      result_o       <= '0;
      answer_valid_o <= 1'b0;
      answer_phase_o <= 1'b0;
      refused_o      <= 1'b0;
    end else begin
      table_q        <= table_d;
      ctas_q         <= ctas_d;
      last_valid_q   <= last_valid_d;
      last_phase_q   <= last_phase_d;
      last_cta_q     <= cta_i;
      last_bar_q     <= bar_i;
      release_o      <= release_d;
      result_o       <= result_d;
      answer_valid_o <= valid_i && op_i == OpArrive && !odd;
      answer_phase_o <= phase;
      refused_o      <= valid_i && arrives && odd && fault_i != Fault9Multiple;
    end
  end

endmodule
