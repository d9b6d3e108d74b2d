// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Parked waits: a slot per warp with the word and the phase that it waits for. When that phase
// completes, the wait is answered true. The event decides, not the word: after two completions the
// parity is what it was. An operation is compared with the slots in the cycle of its commit, and
// one commits per cycle. So a wait that commits before the completion is in its slot by then, and a
// wait that commits after it is not. With EnReport a wait may be for the conditional phase, which
// completes with the primary one unless that has a report.
//
//     cycle    1            2           3
//     commit   completes    -           -
//     slot     is compared  is free     -
//     wake     -            -           is answered
//
// The time limits are in a memory and are checked in rotation, one per cycle. Time is in whole ns.
// If the clock period is not, the time must exceed the limit. While the clock stands still, time
// goes on: `stopped_ns_i` says at the next edge how much has passed.
module muster_mb_park
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumCtas  = Cfg.NumCtas,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                park_valid_i,  // commits, and would park
  input  warp_t               warp_i,
  input  mb_place_t           place_i,
  input  logic                phase_i,       // waited for, or the one that completes,
  input  logic                conditional_phase_i,  // likewise, of conditional phases
  input  logic                conditional_i,  // it is the one that is waited for
  input  logic [31:0]         limit_i,       // ns, the time for which it may wait
  output logic                parked_o,      // the wait parks: the warp's slot is free

  input  logic                completed_i,  // commits, and the phase completes,
  input  logic                advances_i,   // and the conditional phase, too
  input  mb_report_t          report_i,     // of the phase that completes

  input  logic                leave_i,     // a CTA leaves its slot
  input  cta_t                leave_cta_i,

  input  logic [31:0]         stopped_ns_i,  // for which the clock stood still before this edge

  output logic                limited_o,   // a limit may pass
  output logic [NumWarps-1:0] wake_o,      // answered true
  output mb_report_t          wake_report_o,  // those that waited for a primary phase: its report
  output logic [NumWarps-1:0] expire_o     // answered false
);

  localparam int unsigned AddrW = $clog2(Cfg.SmemBytes) - 3;
  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1;

  typedef struct packed {
    logic [CtaW-1:0]  cta;
    logic [AddrW-1:0] addr;
    logic             phase;
    logic             conditional;
  } key_t;

  key_t                key;
  key_t [1:0]          ends;
  key_t [NumWarps-1:0] key_q;
  logic [WarpW-1:0]    warp;
  logic [NumWarps-1:0] parked_q, match_q, same, leaves, late, expires, free, starts;
  logic [NumWarps-1:0] other;  // waits for a conditional phase
  logic [NumWarps-1:0] wake_q, expire_q;

  assign key  = '{cta: CtaW'((NumCtas > 1) ? place_i.cta : '0), addr: place_i.addr[3+:AddrW],
                  phase: Cfg.EnReport && conditional_i ? conditional_phase_i : phase_i,
                  conditional: Cfg.EnReport && conditional_i};
  assign warp = warp_i[WarpW-1:0];

  // The waits that a completion ends: for the primary, and for the conditional phase.
  assign ends = '{
    0: '{cta: key.cta, addr: key.addr, phase: phase_i, conditional: 1'b0},
    1: '{cta: key.cta, addr: key.addr, phase: conditional_phase_i, conditional: 1'b1}
  };

  always_comb begin
    same = '0;
    for (int w = 0; w < NumWarps; w++) other[w] = Cfg.EnReport && key_q[w].conditional;
    if (completed_i) begin
      for (int w = 0; w < NumWarps; w++) begin
        same[w] = parked_q[w] && key_q[w] == ends[other[w]] && (!other[w] || advances_i);
      end
    end
  end

  always_comb begin
    leaves = '0;
    if (Cfg.EnMbLimit && leave_i && 32'(leave_cta_i) < NumCtas) begin
      for (int w = 0; w < NumWarps; w++) begin
        leaves[w] = parked_q[w] && key_q[w].cta == CtaW'(leave_cta_i);
      end
    end
  end

  // No slot matches twice: the completion after the one that it waited for has the other phase.
  assign expires = (leaves | (parked_q & late)) & ~match_q;

  // The slot of the warp is free, too, if its wait is answered in this cycle. Not asked is whether
  // its CTA leaves: no wait of a warp commits in the cycle in which its CTA leaves.
  always_comb begin
    free       = '0;
    free[warp] = 1'b1;
    if (Cfg.EnMbLimit) free &= ~(parked_q & ~match_q & ~late);
  end

  assign parked_o = park_valid_i && (!Cfg.EnMbLimit || free != '0);
  assign starts   = park_valid_i ? free : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      parked_q <= '0;
      match_q  <= '0;
      wake_q   <= '0;
      expire_q <= '0;
    end else begin
      parked_q <= (parked_q & ~match_q & ~expires) | starts;
      match_q  <= same & ~expires;
      wake_q   <= match_q;
      expire_q <= expires;
    end
  end

  always_ff @(posedge clk_i) begin
    if (park_valid_i) begin
      for (int w = 0; w < NumWarps; w++) begin
        if (free[w]) key_q[w] <= key;
      end
    end
  end

  mb_report_t report_q, wake_report_q;

  always_ff @(posedge clk_i) begin
    report_q      <= report_i;
    wake_report_q <= report_q;
  end

  assign wake_report_o = wake_report_q;

  assign limited_o = Cfg.EnMbLimit && parked_q != '0;
  assign wake_o    = wake_q;
  assign expire_o  = expire_q;

  // ---------------------------------------------------------------------------------------------
  // Time limits
  // ---------------------------------------------------------------------------------------------

  if (Cfg.EnMbLimit) begin : g_limit
    localparam int unsigned TimeW   = 34;  // differences are below 2^33
    localparam int unsigned LowW    = TimeW / 2;
    localparam int unsigned WholeNs = Cfg.ClockPeriodPs / 1000;
    localparam int unsigned Rest    = Cfg.ClockPeriodPs % 1000;

    logic [TimeW-1:0] now_q, limit, deadline;
    logic [10:0]      ps_q, ps;  // beyond whole ns
    logic             carry, carry_q;  // they come to one more in this cycle
    logic [WarpW-1:0] look_q, seen_q;
    logic [NumWarps-1:0] late_warp_q;  // one-hot

    // The time that has passed since the deadline, by halves: the upper half is one less if the
    // lower one borrows. Of each half it is kept whether it is negative, and whether it is 0.
    localparam int unsigned HighW = TimeW - LowW;
    typedef struct packed {
      logic negative;
      logic some;
    } sign_t;

    logic [LowW:0]    low;
    logic [HighW-1:0] high, less;
    logic             checked_q, low_some_q, borrow_q, late_now;
    sign_t            high_q, less_q, upper;

    // A wait's limit is written one cycle after the wait parks.
    logic             parks_q, replaced_q;
    logic [WarpW-1:0] parks_warp_q;
    logic [TimeW-1:0] limit_q;

    assign carry = Rest != 0 && carry_q;
    assign ps    = ps_q + 11'(Rest) - (carry ? 11'd1000 : 11'd0);
    assign limit = now_q + TimeW'(limit_i);

    muster_ram #(.Depth(NumWarps), .Width(TimeW)) u_limits (
      .clk_i,
      .we_i (parks_q), .waddr_i (parks_warp_q), .wdata_i (limit_q),
      .raddr_i (look_q), .rdata_o (deadline)
    );

    assign low  = {1'b0, now_q[LowW-1:0]} - {1'b0, deadline[LowW-1:0]};
    assign high = now_q[TimeW-1:LowW] - deadline[TimeW-1:LowW];
    assign less = now_q[TimeW-1:LowW] + ~deadline[TimeW-1:LowW];

    assign upper    = borrow_q ? less_q : high_q;
    assign late_now = checked_q && !upper.negative && (Rest == 0 || low_some_q || upper.some);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        now_q     <= '0;
        ps_q      <= '0;
        carry_q   <= 1'b0;
        look_q    <= '0;
        checked_q <= 1'b0;
        parks_q   <= 1'b0;
      end else begin
        now_q     <= now_q + TimeW'(WholeNs) + TimeW'(stopped_ns_i) + TimeW'(carry);
        ps_q      <= ps;
        carry_q   <= ps + 11'(Rest) >= 11'd1000;
        look_q    <= (32'(look_q) == NumWarps - 1) ? '0 : look_q + WarpW'(1);
        checked_q <= !(parks_q && parks_warp_q == seen_q);
        parks_q   <= parked_o;
      end
    end

    always_ff @(posedge clk_i) begin
      seen_q       <= look_q;
      parks_warp_q <= warp;
      limit_q      <= limit;
      borrow_q     <= low[LowW];
      low_some_q   <= low[LowW-1:0] != '0;
      high_q       <= '{negative: high[HighW-1], some: high != '0};
      less_q       <= '{negative: less[HighW-1], some: less != '0};
      replaced_q   <= warp == seen_q;
      late_warp_q  <= NumWarps'(1) << seen_q;
    end

    // In the two cycles after a wait parks, what was read of the slot's old limit is ignored.
    assign late = late_now && !(parks_q && replaced_q) ? late_warp_q : '0;
  end else begin : g_no_limit
    assign late = '0;
  end

endmodule
