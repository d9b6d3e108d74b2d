// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The last stage: who waits at each entry and what its reduction has come to, and, when the entry
// completes, the release. Both memories are read and written here one update behind the counts,
// which alone decide; so neither is on the path of that decision.
//
// AND is accumulated as OR of what is false: then an idle entry is all zeroes.
module muster_release
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 1,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnState  = 1'b1,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned EntryW  = CtaW + $bits(bar_t),
  localparam int unsigned ValueW  = WarpW + 6
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [EntryW-1:0]      next_i,       // the entry of the outcome in the next cycle
  input  outcome_t               outcome_i,
  input  effect_t [NumIssue-1:0] effects_i,
  input  logic [NumWarps-1:0]    warps_i,      // of the members that count; not an ARV's, nor an exit's

  input  logic [EntryW-1:0]      census_i,     // an entry to look at ...
  input  bar_word_t              census_count_i, // (its counts, a cycle later)
  output bar_word_t              census_o,     // ... and its state word, a cycle later

  output logic                   waits_o,      // these warps begin to wait at the outcome's entry
  output bar_word_t              word_o,       // the entry's state word, afterwards

  output logic [NumWarps-1:0]    release_o,    // the released warps, a cycle later
  output release_t               release_info_o
);

  logic [EntryW-1:0] entry;
  assign entry = {outcome_i.cta[CtaW-1:0], outcome_i.bar};

  // -------------------------------------------------------------------------------------------
  // Who waits
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] waiters, waiters_d;
  logic                waiters_write, clear;
  warp_word_t          warp_word;

  assign warp_word = outcome_i.word;

  // R2B.WARP of a warp that does not wait leaves the waiters as they are.
  assign waits_o = (outcome_i.op == GroupArrive) ||
                   (EnState && outcome_i.op == GroupWriteWarp && warp_word.waiting);
  assign clear         = outcome_i.valid && (outcome_i.op == GroupClear);
  assign waiters_d     = (outcome_i.complete || clear) ? '0 : (waiters | warps_i);
  assign waiters_write = (outcome_i.accepted && (waits_o || outcome_i.complete)) || clear;

  muster_ram #(.Depth(NumCtas * NumBars), .Width(NumWarps)) u_waiters (
    .clk_i,
    .we_i (waiters_write), .waddr_i (entry), .wdata_i (waiters_d),
    .raddr_i (next_i), .rdata_o (waiters)
  );

  // -------------------------------------------------------------------------------------------
  // What the reduction has come to
  // -------------------------------------------------------------------------------------------

  logic [ValueW-1:0] value_after;  // of the entry, as its state word shows it
  logic [ValueW-1:0] result;       // of a generation that completes

  if (EnReduce) begin : g_reduce
    logic [ValueW-1:0] value, value_new, value_d;
    bar_word_t         bar_word;
    logic              value_write;

    assign bar_word = outcome_i.word;

    always_comb begin
      value_new = value;
      for (int m = 0; m < NumIssue; m++) begin
        if (effects_i[m].counts) begin
          if (outcome_i.kind == KindPopc) begin
            value_new = value_new + ValueW'(effects_i[m].hits);
          end else begin
            value_new[0] = value_new[0] | (effects_i[m].hits != '0);
          end
        end
      end
      if (outcome_i.op != GroupArrive) value_new = value;
      if (outcome_i.op == GroupWriteBar) begin
        value_new = bar_word.value[ValueW-1:0];
        if (outcome_i.kind == KindAnd) value_new[0] = !bar_word.value[0];
      end
      if (outcome_i.kind == KindSync) value_new = '0;
    end

    always_comb begin
      result = value_new;
      if (outcome_i.kind == KindAnd) result[0] = !value_new[0];
    end

    assign value_d     = (outcome_i.complete || clear) ? '0 : value_new;
    assign value_write = clear || (outcome_i.accepted &&
                                   (outcome_i.complete ||
                                    outcome_i.op inside {GroupArrive, GroupWriteBar}));
    assign value_after = outcome_i.complete ? '0 : result;

    logic [ValueW-1:0] census;

    muster_ram #(
      .Depth(NumCtas * NumBars), .Width(ValueW), .NumRead(2), .Forward(2'b01)
    ) u_values (
      .clk_i,
      .we_i (value_write), .waddr_i (entry), .wdata_i (value_d),
      .raddr_i ({census_i, next_i}), .rdata_o ({census, value})
    );

    always_comb begin
      census_o       = census_count_i;
      census_o.value = value_t'(census);
      if (census_count_i.kind == KindAnd) census_o.value[0] = !census[0];
    end
  end else begin : g_no_reduce
    assign value_after = '0;
    assign result      = '0;
    assign census_o    = census_count_i;
  end

  assign word_o = '{
    zero:     '0,
    kind:     outcome_i.complete ? KindIdle : outcome_i.kind,
    expected: outcome_i.expected,
    arrived:  outcome_i.arrived,
    value:    value_t'(value_after)
  };

  // -------------------------------------------------------------------------------------------
  // The release
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] release_q;
  release_t            release_info_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      release_q <= '0;
    end else if (outcome_i.complete) begin
      release_q <= waiters | warps_i;
    end else begin
      release_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (outcome_i.complete) begin
      release_info_q <= '{
        cta:   outcome_i.cta,
        bar:   outcome_i.bar,
        kind:  outcome_i.kind,
        value: value_t'(result)
      };
    end
  end

  assign release_o      = release_q;
  assign release_info_o = release_info_q;

endmodule
