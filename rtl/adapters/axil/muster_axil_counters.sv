// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For each barrier id, over all CTAs: how many generations completed, and the sum over all cycles of the
// warps that have arrived at an open generation.
//
// A memory has the arrivals of each entry, in one word for each CTA, since all entries of a CTA that
// leaves its slot are cleared at once. An entry that completes has no arrivals left, like an idle one.
//
//   cycle   0                             1                              2
//           report of an entry or a slot  arrivals before it are read,   WAITED adds the new
//                                         the sums change                sums from here on
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
  input  logic        left_i,      // it leaves it, and its arrivals are gone
  input  cta_t        slot_i,      // never in the same cycle as the report of an entry

  input  logic        freeze_i,
  input  logic        clear_i,
  input  bar_t        bar_i,       // whose counters to show
  output logic [31:0] completed_o,
  output logic [31:0] waited_o
);

  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1;
  localparam int unsigned WarpW = $clog2(NumWarps);            // an entry holds fewer than all warps
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
      entry_q    <= 1'b0;
      launched_q <= 1'b0;
      left_q     <= 1'b0;
    end else begin
      entry_q    <= commit_i.entry_valid;
      launched_q <= launched_i;
      left_q     <= left_i;
    end
  end

  always_ff @(posedge clk_i) begin
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
    .we_i (entry_q || launched_q || left_q), .waddr_i (cta_q), .wdata_i (left),
    .raddr_i (cta_d), .rdata_o (held)
  );

  // -------------------------------------------------------------------------------------------
  // The counters of each barrier id
  // -------------------------------------------------------------------------------------------

  logic [NumBars-1:0][31:0] completed, waited;

  for (genvar b = 0; b < NumBars; b++) begin : g_bar
    sum_t        sum_q;
    logic [31:0] completed_q, completed_d, waited_q, waited_d;
    logic        hit;

    assign hit = entry_q && (bar_q == bar_t'(b));

    // Both stop at their largest value.
    always_comb begin
      completed_d = completed_q;
      if (hit && completes_q && completed_q != '1) completed_d = completed_q + 32'd1;
      waited_d = waited_q + 32'(sum_q);
      if (waited_d < waited_q) waited_d = '1;
    end

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
          completed_q <= completed_d;
          waited_q    <= waited_d;
        end
      end
    end

    assign completed[b] = completed_q;
    assign waited[b]    = waited_q;
  end

  assign completed_o = completed[bar_i];
  assign waited_o    = waited[bar_i];

endmodule
