// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit's ports for a core that dispatches warp by warp and never waits for an answer: what the
// adapters of Ventus and Vortex have in common. The first warp of a CTA opens its slot, every warp
// joins, an ended warp exits, and the last exit ends the CTA.
//
//     dispatch ─► queue ─► open, join ─┐
//                          end ────────┴► lifecycle port
//     arrival, wait ─► queue, until the warp has joined ─► issue port
//     end of a warp ─► queue, until the warp has joined ─► exit port
//
// A warp runs from its dispatch on, and what it does waits here until it has joined. One exception:
// if the exit of its slot's last warp is still in the queue, it is held until it has joined; so no
// queue overflows. The queues keep the order of the core, in which all warps of a CTA have ended
// before its slot is used again; so no queue waits for another one that waits for it.
module muster_core_port
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 8,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1,
  localparam int unsigned SizeW   = $clog2(NumWarps + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,              // of core and unit

  // The core. A warp that is held does not run: it neither arrives nor ends.
  input  logic                dispatch_valid_i,    // a warp begins
  // In this warp slot, which is free since an earlier cycle.
  input  logic    [WarpW-1:0] dispatch_warp_i,
  input  logic     [CtaW-1:0] dispatch_cta_i,      // its CTA slot
  // The warps of the CTA, 1 to NumWarps, the same with each of them.
  input  logic    [SizeW-1:0] dispatch_size_i,
  // A warp arrives or waits; it is held from the next cycle on.
  input  logic                arrive_valid_i,
  input  logic    [WarpW-1:0] arrive_warp_i,       // which
  // OpSync; OpWait; OpArrivePhase, which holds it until answered.
  input  op_e                 arrive_op_i,
  input  bar_t                arrive_bar_i,        // the barrier
  input  logic         [11:0] arrive_count_i,      // threads expected, 0: all live warps
  input  logic                arrive_phase_i,      // OpWait: the phase
  input  logic                end_valid_i,         // a warp has ended
  input  logic    [WarpW-1:0] end_warp_i,          // which
  output logic [NumWarps-1:0] held_o,              // these do not run in this cycle
  output logic [NumWarps-1:0] resume_o,            // a pulse: these may run from this cycle on
  // A pulse, with resume_o: the unit has refused the arrival.
  output logic [NumWarps-1:0] refused_o,
  output logic                dispatch_held_o,  // the warp that begins is held until it has joined
  // A pulse: all warps of the CTA have ended, for the unit too.
  output logic  [NumCtas-1:0] cta_ended_o,

  // The unit: NumIssue 1, EnJoin 1; its warps and CTAs are as many.
  output logic                issue_valid_o,       // issue_valid_i[0]
  input  logic                issue_ready_i,       // issue_ready_o[0]
  output issue_t              issue_o,             // issue_i[0]
  output logic                lifecycle_valid_o,   // lifecycle_valid_i
  input  logic                lifecycle_ready_i,   // lifecycle_ready_o
  output lifecycle_t          lifecycle_o,         // lifecycle_i; lifecycle_warps_i is 0
  output logic                exit_valid_o,        // exit_valid_i
  input  logic                exit_ready_i,        // exit_ready_o
  output exit_t               exit_o,              // exit_i
  input  logic [NumWarps-1:0] release_i,           // release_o
  // response_valid_o, in the cycle in which it is taken.
  input  logic                response_valid_i,
  input  warp_t               response_warp_i,     // response_o.warp
  // fault_valid_o[0], the issue port's; 0 without EnFaults.
  input  logic                fault_valid_i,
  input  warp_t               fault_warp_i         // fault_o[0].warp
);

`include "muster_assert.svh"

  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic  [CtaW-1:0] cta;
    logic [SizeW-1:0] size;
  } dispatch_t;

  typedef struct packed {
    logic [WarpW-1:0] warp;
    op_e              op;
    bar_t             bar;
    logic      [11:0] count;
    logic             phase;
  } arrival_t;

  logic [NumWarps-1:0]            joined_q, joined_d;    // live in the unit
  // Ended, and live in the unit, or still to join.
  logic [NumWarps-1:0]            leaving_q, leaving_d;
  logic [NumWarps-1:0]            waits_q, waits_d;  // from arrival to release, answer or refusal
  logic [NumWarps-1:0]            fresh_q, fresh_d;      // held since their dispatch
  logic [NumWarps-1:0][CtaW-1:0]  cta_q;                 // of the joined warps
  logic [NumCtas-1:0]             open_q, open_d;        // slots that are resident in the unit
  logic [NumCtas-1:0][SizeW-1:0]  to_join_q, to_join_d;  // warps of the CTA that have not joined
  logic [NumCtas-1:0][SizeW-1:0]  to_exit_q, to_exit_d;  // warps of the CTA that have not exited
  logic                           exited_q;              // a warp has exited in the last cycle
  logic                [CtaW-1:0] exited_cta_q;          // its CTA

  // -------------------------------------------------------------------------------------------
  // Queues
  // -------------------------------------------------------------------------------------------

  dispatch_t        first;    // to join
  arrival_t         arrival;  // to issue
  logic [WarpW-1:0] ended;    // to exit
  logic             first_valid, arrival_valid, ended_valid;
  logic             opened, joins, ends, issued, exits;  // accepted in this cycle

  // Of each warp slot, one warp may have to join that has ended, and the one after it.
  muster_fifo #(.data_t(dispatch_t), .Depth(2 * NumWarps), .FallThrough(1'b1)) u_dispatches (
    .clk_i, .rst_ni, .offer_i (1'b0), .valid_i (dispatch_valid_i),
    .data_i ({dispatch_warp_i, dispatch_cta_i, dispatch_size_i}), .valid_o (first_valid),
    .ready_i (joins), .data_o (first)
  );
  muster_fifo #(.data_t(arrival_t), .Depth(NumWarps), .FallThrough(1'b1)) u_arrivals (
    .clk_i, .rst_ni, .offer_i (1'b0), .valid_i (arrive_valid_i),
    .data_i ({arrive_warp_i, arrive_op_i, arrive_bar_i, arrive_count_i, arrive_phase_i}),
    .valid_o (arrival_valid), .ready_i (issued), .data_o (arrival)
  );
  muster_fifo #(
    .data_t(logic [WarpW-1:0]), .Depth(NumWarps), .FallThrough(1'b1)
  ) u_ended (
    .clk_i, .rst_ni, .offer_i (1'b0), .valid_i (end_valid_i), .data_i (end_warp_i),
    .valid_o (ended_valid), .ready_i (exits), .data_o (ended)
  );

  assign issue_valid_o = arrival_valid && joined_q[arrival.warp];
  assign issue_o       = '{op: arrival.op, cta: cta_t'(cta_q[arrival.warp]),
                           warp: warp_t'(arrival.warp),
                           bar: arrival.bar, count: arrival.count, lanes: '1,
                           operand: 32'(arrival.phase)};
  assign issued        = issue_valid_o && issue_ready_i;

  assign exit_valid_o  = ended_valid && joined_q[ended];
  assign exit_o        = '{cta: cta_t'(cta_q[ended]), warp: warp_t'(ended), lanes: '1};
  assign exits         = exit_valid_o && exit_ready_i;

  // -------------------------------------------------------------------------------------------
  // Lifecycle port: a register chooses the operation, which then stays. Joins go first.
  // -------------------------------------------------------------------------------------------

  lifecycle_e          op_q, op_d;
  logic                valid_q, valid_d;
  logic     [CtaW-1:0] end_cta_q, end_cta_d;
  logic  [NumCtas-1:0] empty;     // CTAs whose warps have exited
  logic                may_join;  // a slot that has no warp to join is still the last CTA's

  assign may_join = (to_join_q[first.cta] != '0) && !joined_q[first.warp];

  always_comb begin
    for (int s = 0; s < NumCtas; s++) empty[s] = open_q[s] && (to_exit_q[s] == '0);

    op_d      = op_q;
    valid_d   = valid_q && !lifecycle_ready_i;
    end_cta_d = end_cta_q;
    if (!valid_q) begin
      for (int s = 0; s < NumCtas; s++) begin
        if (empty[s]) end_cta_d = CtaW'(s);
      end
      // The dispatch that is next waits for this slot.
      if (first_valid && empty[first.cta]) end_cta_d = first.cta;
      op_d    = LcEnd;
      valid_d = (empty != '0);
      if (first_valid && !open_q[first.cta]) begin
        op_d    = LcOpen;
        valid_d = 1'b1;
      end else if (first_valid && may_join) begin
        op_d    = LcJoin;
        valid_d = 1'b1;
      end
    end
  end

  assign lifecycle_valid_o = valid_q;

  always_comb begin
    lifecycle_o = '{op: op_q, cta: cta_t'(end_cta_q), size: '0, warp: '0, lanes: '1};
    if (op_q != LcEnd) begin
      lifecycle_o.cta  = cta_t'(first.cta);
      lifecycle_o.size = wcount_t'(first.size);
      lifecycle_o.warp = warp_t'(first.warp);
    end
  end

  assign opened = valid_q && lifecycle_ready_i && (op_q == LcOpen);
  assign joins  = valid_q && lifecycle_ready_i && (op_q == LcJoin);
  assign ends   = valid_q && lifecycle_ready_i && (op_q == LcEnd);

  always_comb begin
    open_d    = open_q;
    to_join_d = to_join_q;
    to_exit_d = to_exit_q;
    cta_ended_o = '0;
    if (opened) begin
      open_d[first.cta]    = 1'b1;
      to_join_d[first.cta] = first.size;
      to_exit_d[first.cta] = first.size;
    end
    if (joins) to_join_d[first.cta] = to_join_q[first.cta] - SizeW'(1);
    if (exited_q) to_exit_d[exited_cta_q] = to_exit_q[exited_cta_q] - SizeW'(1);
    if (ends) begin
      open_d[end_cta_q]  = 1'b0;
      cta_ended_o[end_cta_q] = 1'b1;
    end
  end

  // -------------------------------------------------------------------------------------------
  // Warps
  // -------------------------------------------------------------------------------------------

  assign dispatch_held_o = dispatch_valid_i && leaving_q[dispatch_warp_i];

  always_comb begin
    refused_o = '0;
    if (fault_valid_i) refused_o[fault_warp_i[WarpW-1:0]] = 1'b1;
    resume_o = release_i | refused_o;
    if (response_valid_i) resume_o[response_warp_i[WarpW-1:0]] = 1'b1;
    if (joins && fresh_q[first.warp] && !leaving_q[first.warp]) resume_o[first.warp] = 1'b1;
    held_o = (waits_q | fresh_q) & ~resume_o;

    joined_d  = joined_q;
    leaving_d = leaving_q;
    waits_d   = waits_q & ~resume_o;
    fresh_d   = fresh_q & ~resume_o;
    if (joins) joined_d[first.warp] = 1'b1;
    if (exits) {joined_d[ended], leaving_d[ended]} = '0;
    if (end_valid_i) leaving_d[end_warp_i] = 1'b1;
    if (dispatch_held_o) fresh_d[dispatch_warp_i] = 1'b1;
    if (arrive_valid_i) waits_d[arrive_warp_i] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      joined_q  <= '0;
      leaving_q <= '0;
      waits_q   <= '0;
      fresh_q   <= '0;
      open_q    <= '0;
      valid_q   <= 1'b0;
    end else begin
      joined_q  <= joined_d;
      leaving_q <= leaving_d;
      waits_q   <= waits_d;
      fresh_q   <= fresh_d;
      open_q    <= open_d;
      valid_q   <= valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    op_q         <= op_d;
    end_cta_q    <= end_cta_d;
    to_join_q    <= to_join_d;
    to_exit_q    <= to_exit_d;
    exited_q     <= exits;
    exited_cta_q <= cta_q[ended];
    if (joins) cta_q[first.warp] <= first.cta;
  end

  `MUSTER_ASSERT(Size, !(dispatch_valid_i &&
                         !(dispatch_size_i inside {[SizeW'(1) : SizeW'(NumWarps)]})),
                 "a CTA of no warp, or of more warps than the core has")
  `MUSTER_ASSERT(FreeAtDispatch,
                 !(dispatch_valid_i && end_valid_i && (end_warp_i == dispatch_warp_i)),
                 "a warp begins in the cycle in which the one before it in its slot ends")
  `MUSTER_ASSERT(HeldArrives, !(arrive_valid_i && held_o[arrive_warp_i]),
                 "a warp arrives that is held")
  `MUSTER_ASSERT(HeldEnds, !(end_valid_i && held_o[end_warp_i]), "a warp ends that is held")
  `MUSTER_ASSERT(EndedOnce, !(end_valid_i && leaving_q[end_warp_i]), "a warp ends twice")

endmodule
