// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_mb_park: any warp's waits are followed, and any update may commit in any
// cycle. At most one does, so an operation that completes a phase is not a wait; and phases of a word alternate.
module mb_park_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps      = 4,
  parameter int unsigned NumCtas       = 2,
  parameter int unsigned SmemBytes     = 32,
  parameter int unsigned ClockPeriodPs = 1000,
  parameter bit          EnReport      = 1'b0
) (
  input logic        clk_i,
  input warp_t       follow_i,
  input logic        park_valid_i,
  input warp_t       warp_i,
  input mb_place_t   place_i,
  input logic        phase_i,
  input logic        conditional_phase_i,
  input logic        conditional_i,
  input logic        advances_i,
  input logic [31:0] limit_i,
  input logic        completed_i,
  input logic        leave_i,
  input cta_t        leave_cta_i,
  input logic [31:0] stopped_ns_i
);

  localparam int unsigned Words = NumCtas * SmemBytes / 8;

  logic                     rst_n = 1'b0;
  warp_t                    follow_q;
  logic [Words-1:0]         phase_q, conditional_phase_q;  // of each word
  logic [$clog2(Words)-1:0] index;
  logic                     parks;
  logic [NumWarps-1:0]      wake, expire;

  assign index = {place_i.cta[$clog2(NumCtas)-1:0], place_i.addr[$clog2(SmemBytes)-1:3]};

  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (!rst_n) follow_q <= follow_i;
    if (completed_i) phase_q[index] <= !phase_q[index];
    if (completed_i && advances_i) conditional_phase_q[index] <= !conditional_phase_q[index];
  end

  always_ff @(posedge clk_i) begin
    assume (!(park_valid_i && completed_i));
    assume (rst_n || !(park_valid_i || completed_i));
    assume (!(park_valid_i || completed_i) || phase_i == phase_q[index]);
    assume (!(park_valid_i || completed_i) || conditional_phase_i == conditional_phase_q[index]);
    assume (32'(warp_i) < NumWarps && 32'(place_i.cta) < NumCtas && 32'(place_i.addr) < SmemBytes);
    assume (rst_n || 32'(follow_i) < NumWarps);
    assume (limit_i < 32'd16);  // the same adder for all; times to cover stay short
    assume (stopped_ns_i < 32'd16);
    // No operation of a warp is on its way when its CTA leaves.
    assume (!(park_valid_i && leave_i && warp_i == follow_q && u_props.waits_q && leave_cta_i == u_props.place_q.cta));
  end

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: 1, WarpSize: 32, SmemBytes: SmemBytes, MbResponses: 2,
    ClockPeriodPs: ClockPeriodPs, WaitLimitNs: 4000, EnReport: EnReport, default: 1'b1  // all others
  };

  muster_mb_park #(.Cfg(Cfg)) u_park (
    .clk_i, .rst_ni (rst_n), .park_valid_i, .warp_i, .place_i, .phase_i,
    .conditional_phase_i, .conditional_i, .limit_i, .parked_o (parks), .completed_i, .advances_i,
    .report_i ('0), .leave_i, .leave_cta_i, .stopped_ns_i, .limited_o (),
    .wake_o (wake), .wake_report_o (), .expire_o (expire)
  );

  mb_park_props #(
    .NumWarps(NumWarps), .NumCtas(NumCtas), .SmemBytes(SmemBytes), .ClockPeriodPs(ClockPeriodPs),
    .EnReport(EnReport)
  ) u_props (
    .clk_i, .rst_ni (rst_n), .follow_i (follow_q), .park_valid_i, .warp_i, .place_i, .phase_i,
    .conditional_phase_i, .conditional_i, .advances_i, .limit_i, .parked_o (parks), .completed_i, .leave_i, .leave_cta_i, .stopped_ns_i,
    .wake_o (wake), .expire_o (expire)
  );

  // Lemmas: how what is followed lies in the registers of the block.
  localparam int unsigned WarpW = $clog2(NumWarps);

  logic [WarpW-1:0]         w;
  logic [$clog2(Words)-1:0] followed;
  logic                     waits, current;

  assign current  = u_props.conditional_q ? conditional_phase_q[followed] : phase_q[followed];
  assign w        = follow_q[WarpW-1:0];
  assign followed = {u_props.place_q.cta[$clog2(NumCtas)-1:0],
                     u_props.place_q.addr[$clog2(SmemBytes)-1:3]};
  assign waits    = u_props.waits_q && !u_props.expires;

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      // Half of what the clock can tell apart; at 1 GHz that is eight seconds.
      assume (!u_props.waits_q || !u_props.elapsed[33]);

      L01_parked: assert (u_park.parked_q[w] ==
                          (waits || (u_props.completed_q && !expire[w])));
      L02_key:    assert (!(u_props.waits_q || u_props.completed_q) ||
                          u_park.key_q[w] == {followed, u_props.phase_q, u_props.conditional_q});
      L03_match:  assert (u_park.match_q[w] == (u_props.completed_q && !expire[w]));
      L04_phase:  assert (!u_props.waits_q || current == u_props.phase_q);
      L05_old:    assert (!u_props.completed_q || current != u_props.phase_q);
      L07_limit:  assert (!u_props.waits_q ||
                          (u_props.fresh_q ? u_park.g_limit.limit_q : u_park.g_limit.u_limits.g_array[0].u_mem.mem[w]) ==
                          u_props.start_q + u_props.limit_q);
      L08_seen:   assert (!u_props.waits_q || u_props.fresh_q || u_park.g_limit.seen_q != w ||
                          u_park.g_limit.deadline == u_props.start_q + u_props.limit_q);
      L16_fresh:  assert (u_props.fresh_q == (u_park.g_limit.parks_q && u_park.g_limit.parks_warp_q == w));
      L09_late:   assert (!waits || !u_park.late[w] || u_props.elapsed >= u_props.limit_q);
      L10_fresh:  assert (!u_props.fresh_q || u_props.waits_q);
      L11_limit:  assert (!u_props.waits_q || u_props.limit_q < 34'd16);
      L12_completes: assert (!(u_props.waits_q && u_props.completed_q && !u_props.fresh_q));
      L14_place:  assert (!(u_props.waits_q || u_props.completed_q) || 32'(u_props.place_q.cta) < NumCtas);
      L15_clock:  assert (u_props.now_q == u_park.g_limit.now_q && u_props.ps_q == u_park.g_limit.ps_q);
      L13_wake:   assert (u_park.wake_q[w] == u_props.wakes_q);
      L17_plain:  assert (EnReport || !(u_props.waits_q || u_props.completed_q) || !u_props.conditional_q);
    end
  end

endmodule
