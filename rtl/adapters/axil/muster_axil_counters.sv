// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For each barrier id, over all CTAs: how many generations completed, and the sum over all cycles
// of the warps that have arrived at an open generation.
//
// A memory has the arrivals of each entry, in one word for each CTA, since all entries of a CTA
// that leaves its slot are cleared at once. An entry that completes has no arrivals left, like an
// idle one.
//
//   cycle   0                             1                               2
//           report of an entry or a slot  its arrivals until now are read  WAITED counts the new
//                                         and its barrier's sum changes    sum from here on
//
// The counters are words of another memory, whose lowest bits each barrier counts in registers of
// its own. In every cycle one barrier is visited, in rotation: its word catches up with them. A
// read is a visit, too, so what it shows is exact.
//
//   cycle   0                                      1
//           its word and its lowest bits are read  the word is written; completed_o and
//                                                  waited_o from the next cycle on
module muster_axil_counters
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  commit_t     commit_i,
  input  logic        launched_i,  // a CTA takes a slot: none of its entries has arrivals
  input  logic        left_i,      // a CTA leaves its slot, and its arrivals are gone
  input  cta_t        slot_i,      // never in the same cycle as the report of an entry

  input  logic        freeze_i,
  input  logic        clear_i,
  input  logic        read_i,      // a pulse, in at most every fourth cycle
  input  bar_t        bar_i,       // whose counters to show
  output logic [31:0] completed_o,
  output logic [31:0] waited_o
);

  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1;
  localparam int unsigned WarpW = $clog2(NumWarps);  // an entry holds fewer than all warps
  localparam int unsigned SumW  = $clog2(NumCtas * NumWarps);
  typedef logic [NumBars-1:0][WarpW-1:0] arrivals_t;
  typedef logic [SumW-1:0]               sum_t;

  // -------------------------------------------------------------------------------------------
  // Arrivals of each entry
  // -------------------------------------------------------------------------------------------

  logic             entry_q, launched_q, left_q, completes_q;
  logic [CtaW-1:0]  cta_d, cta_q;
  bar_t             bar_q;
  logic [WarpW-1:0] arrived_q;
  arrivals_t        held, left;  // by the entries of the CTA, until now and from now on

  assign cta_d = CtaW'(commit_i.entry_valid ? commit_i.entry_cta : slot_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entry_q <= 1'b0;
      left_q  <= 1'b0;
    end else begin
      entry_q <= commit_i.entry_valid;
      left_q  <= left_i;
    end
  end

  always_ff @(posedge clk_i) begin
    launched_q  <= launched_i;
    cta_q       <= cta_d;
    bar_q       <= commit_i.entry_bar;
    arrived_q   <= commit_i.entry_word.arrived[WarpW-1:0];
    completes_q <= (commit_i.entry_word.kind == KindIdle);
  end

  always_comb begin
    left = '0;
    if (entry_q) begin
      left        = held;
      left[bar_q] = arrived_q;
    end
  end

  muster_ram #(.Depth(NumCtas), .Width($bits(arrivals_t))) u_arrivals (
    .clk_i,
    .we_i (entry_q || launched_q), .waddr_i (cta_q), .wdata_i (left),
    .raddr_i (cta_d), .rdata_o (held)
  );

  // -------------------------------------------------------------------------------------------
  // The lowest bits of the counters of each barrier id
  // -------------------------------------------------------------------------------------------

  // There are 16 visits in a rotation, and fewer than 16 reads meanwhile.
  localparam int unsigned Rounds = 5;  // log2 of the most cycles between two visits
  typedef logic [SumW+Rounds-1:0] waited_t;
  typedef logic [Rounds-1:0]      completed_t;

  bar_t                     visit_d, visit_q, turn_q;
  completed_t [NumBars-1:0] completed;
  waited_t    [NumBars-1:0] waited;
  completed_t               completed_low_q;  // of the barrier that is visited
  waited_t                  waited_low_q;

  assign visit_d = read_i ? bar_i : turn_q;

  for (genvar b = 0; b < NumBars; b++) begin : g_bar
    sum_t       sum_q;
    completed_t completed_q;
    waited_t    waited_q;
    logic       hit;

    assign hit = entry_q && (bar_q == bar_t'(b));

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        sum_q       <= '0;
        completed_q <= '0;
        waited_q    <= '0;
      end else begin
        if (hit || left_q) sum_q <= sum_q - sum_t'(held[b]) + sum_t'(left[b]);
        if (clear_i) begin
          completed_q <= '0;
          waited_q    <= '0;
        end else if (!freeze_i) begin
          completed_q <= completed_q + completed_t'(hit && completes_q);
          waited_q    <= waited_q + waited_t'(sum_q);
        end
      end
    end

    assign completed[b] = completed_q;
    assign waited[b]    = waited_q;
  end

  // -------------------------------------------------------------------------------------------
  // The counters
  // -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [31:0] completed;
    logic [31:0] waited;
  } counts_t;

  counts_t            stored, found, sum, shown_q;
  logic [NumBars-1:0] stale_q;  // not visited since reset or the last clear: the word counts as 0
  logic               read_q;
  completed_t         completed_more;
  waited_t            waited_more;

  // Both stop at their largest value.
  always_comb begin
    found          = stale_q[visit_q] ? '0 : stored;
    completed_more = completed_low_q - completed_t'(found.completed);
    waited_more    = waited_low_q - waited_t'(found.waited);
    sum.completed  = found.completed + 32'(completed_more);
    sum.waited     = found.waited + 32'(waited_more);
    if (sum.completed < found.completed) sum.completed = '1;
    if (sum.waited < found.waited) sum.waited = '1;
  end

  muster_ram #(.Depth(NumBars), .Width($bits(counts_t))) u_counts (
    .clk_i,
    .we_i (1'b1), .waddr_i (visit_q), .wdata_i (sum),
    .raddr_i (visit_d), .rdata_o (stored)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q  <= '0;
      visit_q <= '0;
      stale_q <= '1;
    end else begin
      if (!read_i) turn_q <= turn_q + bar_t'(1);
      visit_q          <= visit_d;
      stale_q[visit_q] <= 1'b0;
      if (clear_i) stale_q <= '1;
    end
  end

  always_ff @(posedge clk_i) begin
    read_q          <= read_i;
    completed_low_q <= clear_i ? '0 : completed[visit_d];
    waited_low_q    <= clear_i ? '0 : waited[visit_d];
    if (read_q) shown_q <= sum;
  end

  assign completed_o = shown_q.completed;
  assign waited_o    = shown_q.waited;

endmodule
