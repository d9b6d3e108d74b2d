// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_mb_park: no parked wait misses the completion of its phase, none is woken without it, and time
// limits keep to their time. The wait of one warp is followed; in a proof that is any warp.
//
// A completion that commits in cycle t is answered in t + 2. An answer false in cycle t was given before the
// commits of t - 1, so such a completion does not concern that wait.
module mb_park_props
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps  = 32,
  parameter int unsigned NumCtas   = 8,
  parameter int unsigned SmemBytes = 262144,
  parameter int unsigned ClockPeriodPs = 1000,
  parameter bit          EnLimit   = 1'b1,
  parameter bit          EnReport  = 1'b1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input warp_t               follow_i,   // the warp
  input logic                park_valid_i,
  input warp_t               warp_i,
  input mb_place_t           place_i,
  input logic                phase_i,
  input logic                conditional_phase_i,
  input logic                conditional_i,
  input logic                advances_i,
  input logic [31:0]         limit_i,
  input logic                parked_o,
  input logic                completed_i,
  input logic                leave_i,
  input cta_t                leave_cta_i,
  input logic [31:0]         stopped_ns_i,
  input logic [NumWarps-1:0] wake_o,
  input logic [NumWarps-1:0] expire_o
);

  localparam int unsigned AddrW = $clog2(SmemBytes);
  localparam int unsigned WarpW = $clog2(NumWarps);
  localparam int unsigned WholeNs = ClockPeriodPs / 1000;
  localparam int unsigned RestPs  = ClockPeriodPs % 1000;

  logic [WarpW-1:0] w;
  logic      waits_q, fresh_q;      // the warp waits; it has parked in the cycle before
  mb_place_t place_q;
  logic      phase_q, conditional_q;
  logic      completed_q, wakes_q;  // its phase completed one and two cycles ago
  logic      left_q;                // its CTA left in the cycle before
  logic      undecided_q;           // it waited in the cycle before, and had no answer
  logic [33:0] now_q, start_q, limit_q, old_start_q, old_limit_q, elapsed;  // whole ns
  logic [10:0] ps_q, ps;            // beyond them
  logic        carry;
  logic      parks, same, expires, completes;

  assign w       = follow_i[WarpW-1:0];
  assign parks   = parked_o && warp_i[WarpW-1:0] == w;
  assign same    = (NumCtas == 1 || place_i.cta == place_q.cta) &&
                   place_i.addr[AddrW-1:3] == place_q.addr[AddrW-1:3];
  assign expires = expire_o[w] && !fresh_q;  // this wait, not one whose place it took
  assign completes = completed_i && waits_q && !expires && same &&
                     (conditional_q ? advances_i && conditional_phase_i == phase_q : phase_i == phase_q);
  assign ps      = ps_q + 11'(RestPs);
  assign carry   = ps >= 11'd1000;
  assign elapsed = now_q - start_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q <= '0;
      ps_q  <= '0;
    end else begin
      now_q <= now_q + 34'(WholeNs) + 34'(carry) + 34'(stopped_ns_i);
      ps_q  <= carry ? ps - 11'd1000 : ps;
    end
  end

  // A limit in whole ns has passed; some of a ns is left out where a cycle is no whole number of them.
  function automatic logic passed(logic [33:0] ns, logic [33:0] limit);
    return (RestPs == 0) ? ns >= limit : ns > limit;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q  <= 1'b0;
      fresh_q  <= 1'b0;
      completed_q <= 1'b0;
      wakes_q  <= 1'b0;
      left_q   <= 1'b0;
      undecided_q <= 1'b0;
    end else begin
      waits_q  <= parks || (waits_q && !completes && !expires);
      fresh_q  <= parks;
      completed_q <= completes;
      wakes_q  <= completed_q && !expire_o[w];
      undecided_q <= waits_q && !expires;
      left_q   <= leave_i && waits_q && (NumCtas == 1 || leave_cta_i == place_q.cta);
    end
  end

  always_ff @(posedge clk_i) begin
    if (parks) begin
      place_q     <= place_i;
      phase_q     <= (EnReport && conditional_i) ? conditional_phase_i : phase_i;
      conditional_q <= EnReport && conditional_i;
      start_q     <= now_q;
      limit_q     <= 34'(limit_i);
      old_start_q <= start_q;
      old_limit_q <= limit_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // 1. No lost wake-up: a parked wait is answered true two cycles after its phase completed,
      //    and in no other cycle.
      P01_wake: assert (wake_o[w] == wakes_q);
      C01_wake: cover (wake_o[w] && EnLimit && !waits_q);

      // 2. A wait has one answer: never both, and false only while it has had none. In the cycle in which
      //    a completion is answered, and in the cycle before, no limit fires.
      P02_one: assert (!expire_o[w] || (!wakes_q && (waits_q || completed_q)));
      C02_one: cover (expire_o[w] && completed_q);

      // 3. A wait parks unless its warp's place is taken by one that has had no answer.
      P03_place: assert (!park_valid_i || warp_i[WarpW-1:0] != w || parked_o || waits_q);
      C03_place: cover (park_valid_i && !parked_o && warp_i == follow_i);

      // 4. Answered false is who has waited for its limit, or whose CTA has left.
      if (expire_o[w] && !left_q) begin
        P04_limit: assert (fresh_q ? passed(now_q - old_start_q, old_limit_q) : passed(elapsed, limit_q));
        C04_limit: cover (!fresh_q && limit_q > 34'd3);
      end

      // 5. The place of a wait is not taken by another before its answer: true, in this cycle or the
      //    next, or false in the next.
      P05_taken: assert (!(fresh_q && undecided_q) || wakes_q || expire_o[w]);
      C05_taken: cover (fresh_q && undecided_q && expire_o[w]);
    end
  end

  // The first property is that of conditional phases, too.
  if (EnReport) begin : g_report
    always_ff @(posedge clk_i) begin
      if (rst_ni) C01_conditional: cover (completes && conditional_q);
    end
  end

endmodule
