// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the named barriers without bound: the checker of one CTA slot, and the lemmas that
// relate the roster, the table and the operation that commits to its state. The unit is u_cta in the same
// module.
module cta_always_slot
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumCtas  = 2,
  parameter cta_t        Slot     = '0,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = $clog2(NumCtas)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                accept_i,
  input issue_t              issue_i,
  input logic                lc_done_i,
  input logic                launching_i,  // a launch is presented
  input lifecycle_t          lifecycle_i,
  input logic [NumWarps-1:0] lifecycle_warps_i,
  input logic                exit_done_i,
  input exit_t               exit_i,
  input logic [NumWarps-1:0] release_i,
  input release_t            release_info_i,
  input logic                fault_valid_i,
  input fault_t              fault_i,
  input logic                response_valid_i,
  input response_t           response_i,
  input commit_t             commit_i
);

  cta_props #(.NumWarps(NumWarps)) u_props (
    .clk_i, .rst_ni, .follow_i (Slot), .accept_i, .issue_i, .lc_done_i, .lifecycle_i, .lifecycle_warps_i,
    .exit_done_i, .exit_i, .release_i, .release_info_i, .fault_valid_i, .fault_i, .response_valid_i, .response_i,
    .commit_i
  );

  // What only states after a launch or an open lead to: the exit of a warp's last lanes that completes a
  // reduction, a CTA that is suspended, or ends, while its warps wait, and a warp that waits for one that has
  // not joined yet.
  logic [2:0] rest_q;  // it was one, not of all lanes at once: one, two and three cycles ago
  logic       early_q;  // some warp waited before all had joined

  always_ff @(posedge clk_i) begin
    rest_q <= {rest_q[1:0], u_props.u_life.exits && u_props.u_life.gone && exit_i.lanes != '1};
    early_q <= u_props.resident_q && (early_q || (u_props.waits_q != '0 && u_props.unjoined_q != '0));
    C02_joined: cover (u_props.looks && early_q && u_props.due.complete && u_props.due.release_set == NumWarps'(3));
    C02_exit: cover (u_props.looks && u_props.due.complete && rest_q[2] && u_props.due.ours == '0 &&
                     u_props.due.kind == KindPopc && u_props.due.value == 12'd7 &&
                     u_props.due.release_set == NumWarps'(6));
    C05_left: cover (u_props.known_q && !u_props.resident_q && u_props.table_q[1].waiting == NumWarps'(6));
  end

  // ---------------------------------------------------------------------------------------------
  // The roster
  // ---------------------------------------------------------------------------------------------

  logic                resident, ready, free;
  logic [CtaW+4:0]     freed;  // so far has the walk after reset come
  logic [WarpW-1:0]    live_last;
  logic [WarpW:0]      unjoined, size_n;
  logic [NumWarps-1:0] live;

  assign {resident, unjoined, live_last, size_n} = u_cta.u_check.u_roster.u_slots.mem[Slot[CtaW-1:0]];
  assign ready = u_cta.u_check.roster_ready;
  assign freed = u_cta.u_check.u_roster.freed_q;
  assign free  = ready && !u_props.resident_q;
  for (genvar w = 0; w < NumWarps; w++) begin : g_live
    lanes_t exited;

    assign {live[w], exited} = {u_cta.u_check.u_roster.u_places.mem[w][32+:CtaW+1] == {1'b1, Slot[CtaW-1:0]},
                                u_cta.u_check.u_roster.u_places.mem[w][31:0]};
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L07_exited: assert (!u_props.resident_q || !live[w] || exited == u_props.exited_q[w]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L01_reset:    assert (ready || (!u_props.resident_q && u_cta.u_check.u_steps.changed_q &&
                            u_cta.u_check.u_steps.judging_q == '0 && !u_cta.u_count.valid_q));
      L02_resident: assert ((!ready && 32'(freed) <= 32'(Slot)) || resident == u_props.resident_q);
      L03_slot:     assert (!u_props.resident_q || (live_last == WarpW'(u_props.alive_q - 7'd1) &&
                            ~size_n == u_props.size_q[WarpW:0] &&
                            7'(unjoined) == u_props.unjoined_q));
      L04_live:     assert (!u_props.resident_q || live == u_props.live_q);
      L05_alive:    assert (!u_props.resident_q || (u_props.alive_q <= u_props.size_q &&
                            u_props.alive_q == u_props.warps_of(u_props.live_q) + u_props.unjoined_q &&
                            u_props.unjoined_q <= u_props.size_q && 32'(u_props.size_q) <= NumWarps));
      L06_known:    assert (u_props.known_q || !u_props.resident_q);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A free slot is clean, as far as it is not being cleaned; a launch has entered its first warps
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic            live;
    logic [CtaW-1:0] cta;
    lanes_t          exited;
  } place_t;

  logic       cleaning, walking, clear_check, clear_count;
  logic [4:0] walked;

  assign walked      = u_cta.u_lifecycle.walked_q;
  assign cleaning    = u_cta.u_lifecycle.cleaning_q && u_cta.u_lifecycle.cleaned_cta_q == Slot;
  assign walking     = launching_i && !u_cta.u_lifecycle.cleaning_q && lifecycle_i.cta == Slot;
  assign clear_check = u_cta.u_check.valid_q && u_cta.u_check.group_q.op == GroupClear &&
                       u_cta.u_check.group_q.cta == Slot;
  assign clear_count = u_cta.u_count.valid_q && u_cta.u_count.group_q.op == GroupClear &&
                       u_cta.u_count.group_q.cta == Slot;

  for (genvar b = 0; b < NumBars; b++) begin : g_clean
    logic [2*WarpW+4:0] entry;

    assign entry = u_cta.u_count.u_counts.mem[{Slot[CtaW-1:0], 4'(b)}];
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L20_cleared: assert (!free || (cleaning && 5'(b) >= walked) || entry == '0 ||
                             (clear_check && u_cta.u_check.group_q.bar == 4'(b)) ||
                             (clear_count && u_cta.u_count.group_q.bar == 4'(b)));
        L24_freed:   assert (ready || 32'(freed) <= 32'(16 * Slot + b) ||
                             (entry == '0 && u_cta.u_release.u_waiters.mem[{Slot[CtaW-1:0], 4'(b)}] == '0));
      end
    end
  end

  for (genvar w = 0; w < NumWarps; w++) begin : g_removed
    logic   here, enters;  // the walk is at the warp; a launch has entered it
    place_t place;

    assign place  = u_cta.u_check.u_roster.u_places.mem[w];
    assign here   = clear_check && u_cta.u_check.members_q[0].warp == 6'(w);
    assign enters = walking && 5'(w) < walked && lifecycle_warps_i[w];
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L21_place:   assert (!free || (cleaning && 5'(w) >= walked) || here || live[w] == enters);
        L27_lanes:   assert (!free || (cleaning && 5'(w) >= walked) || here || !enters || place.exited == '0);
        L25_freed: assert (ready || 32'(freed) <= 32'(w) || !place.live);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The table
  // ---------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] once, twice;

  always_comb begin
    once  = '0;
    twice = '0;
    for (int b = 0; b < NumBars; b++) begin
      twice = twice | (once & u_props.table_q[b].waiting);
      once  = once | u_props.table_q[b].waiting;
    end
  end

  // Who waits apart, as the unit will have it in the next cycle.
  logic [NumWarps-1:0] apart, recorded;

  for (genvar w = 0; w < NumWarps; w++) begin : g_record
    assign recorded[w] = u_cta.warps[w] ? u_cta.outcome.op == GroupWait : u_cta.g_warps.u_warps.u_records.mem[w][$bits(bar_t)];
  end

  assign apart = (u_cta.g_warps.u_warps.g_results.u_results.apart_q & ~u_cta.warps) |
                 (u_cta.warps & {NumWarps{u_cta.outcome.op == GroupWait}});

  bar_t                latest;
  logic [NumWarps-1:0] joins;  // it may be marked as waiting since it was a warp of another CTA

  assign joins  = (u_cta.u_count.valid_q && u_cta.u_count.group_q.op == GroupJoin) ? u_cta.counted_warps : '0;
  assign latest = u_cta.u_check.u_latest.mem[Slot[CtaW-1:0]];

  always_ff @(posedge clk_i) begin
    if (rst_ni && u_props.resident_q) begin
      L30_once:    assert (twice == '0 && u_props.waits_q == once && (once & ~u_props.live_q) == '0);
      L31_waiting: assert ((u_cta.g_warps.u_warps.waiting_d & u_props.live_q & ~joins) ==
                           (u_props.waits_q | u_props.late_q.release_set));
      L33_owed:    assert (u_props.owed_q == '0);
      L32_apart:   assert (((apart ^ u_props.apart_q) & u_props.waits_q) == '0);
      L34_record:  assert (((recorded ^ u_props.apart_q) & u_props.waits_q) == '0);
    end
  end

  for (genvar b = 0; b < NumBars; b++) begin : g_entry
    logic [CtaW+3:0]     row;
    kind_e               kind;
    wcount_t             expected, arrived;
    logic [11:0]         value;
    logic [NumWarps-1:0] waiting, stored, arrivals;
    logic [WarpW+5:0]    sum;
    logic                written;

    assign row      = {Slot[CtaW-1:0], 4'(b)};
    assign kind     = u_props.table_q[b].kind;
    assign expected = u_props.table_q[b].expected;
    assign arrived  = u_props.table_q[b].arrived;
    assign value    = u_props.table_q[b].value;
    assign waiting  = u_props.table_q[b].waiting;
    // What the release stage keeps, as it will be in the next cycle.
    assign written  = u_cta.u_release.entry == row;
    assign stored   = (written && u_cta.u_release.waiters_write) ? u_cta.u_release.waiters_d :
                      u_cta.u_release.u_waiters.mem[row];
    assign arrivals = waiting & ~apart;
    assign sum      = (written && u_cta.outcome.accepted && u_cta.outcome.op == GroupArrive) ?
                      u_cta.u_release.value_new : u_cta.u_release.g_reduce.u_values.mem[row];

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        L29_cleared: assert (!free || (cleaning && 5'(b) >= walked) || stored == '0 ||
                             (clear_check && u_cta.u_check.group_q.bar == 4'(b)) ||
                             (clear_count && u_cta.u_count.group_q.bar == 4'(b)));
      end
      if (rst_ni && u_props.resident_q) begin
        L40_count:  assert (u_cta.u_count.u_counts.mem[row] ==
                            {u_props.table_q[b].phase, kind, expected[WarpW:0], arrived[WarpW-1:0]} &&
                            expected < 7'd8 && arrived < 7'd4);
        L41_wait:   assert (waiting == stored);
        L42_value:  assert (value == (kind == KindPopc ? 12'(sum) : kind == KindAnd ? 12'(!sum[0]) :
                                      kind == KindOr ? 12'(sum[0]) : 12'd0) || kind == KindIdle);
        L43_bits:   assert (kind == KindPopc ? sum <= 8'(4 * arrived) : kind <= KindSync || sum <= 8'd1);
        L44_legal:  assert (kind <= KindPopc && (kind == KindIdle ? {expected, arrived, value, arrivals} == '0 :
                            arrived != '0 && u_props.warps_of(arrivals) <= arrived &&
                            (expected == '0 ? arrived == u_props.warps_of(arrivals) &&
                             (arrived < u_props.alive_q || (u_props.exits_q && arrived == u_props.alive_q)) :
                             arrived < expected && expected <= u_props.size_q)));
        L45_latest: assert (kind == KindIdle || expected != '0 || latest == 4'(b) ||
                            (u_props.table_q[latest].kind != KindIdle &&
                             u_props.table_q[latest].expected == '0));
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is in the count stage
  // ---------------------------------------------------------------------------------------------

  group_t   cnt;
  checked_t cnt_m;
  logic     named, ours;  // it names this slot; and that is resident

  assign cnt   = u_cta.u_count.group_q;
  assign cnt_m = u_cta.u_count.members_q[0];
  assign named = u_cta.u_count.valid_q && !is_lifecycle(cnt.op) && cnt.cta == Slot;
  assign ours  = named && u_props.resident_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      L54_there: assert (!named || (cnt_m.resident == u_props.resident_q &&
                         cnt_m.valid && (!cnt_m.counts || cnt_m.resident)));
      L55_live:  assert (!ours || (cnt_m.live == (32'(cnt_m.warp) < NumWarps &&
                                                  u_props.live_q[cnt_m.warp[WarpW-1:0]])));
      L56_waits: assert (!(ours && cnt_m.live) ||
                         cnt_m.waiting == u_props.waits_q[cnt_m.warp[WarpW-1:0]]);
      L57_entry: assert (!(ours && (cnt.op == GroupWait || (cnt.op == GroupArrive && !cnt.ragged))) ||
                         (u_cta.u_count.count == u_cta.u_count.u_counts.mem[{Slot[CtaW-1:0], cnt.bar}] &&
                          (cnt.op == GroupWait || cnt_m.barred || u_cta.u_count.last_q == ((cnt.expected == '0) ?
                           WarpW'(u_props.alive_q - 7'd1) : WarpW'(cnt.expected - 7'd1)))));
    end
  end

endmodule
