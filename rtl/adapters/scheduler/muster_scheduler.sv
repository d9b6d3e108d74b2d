// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A warp scheduler for the unit, to read and to start from: all that a core with named barriers has
// to do, and nothing else. It starts warps one by one, presents their operations in rotation, holds
// a warp from the acceptance of SYNC or RED to its release or fault, and reports exits and ends.
// What runs on a warp is outside: it shows the warp's next operation. A start that the unit refuses
// (a fault of the lifecycle port) is the dispatcher's mistake, and is not looked at.
module muster_scheduler
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumCtas  = 2,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,            // of core and unit

  // The CTA dispatcher. It starts a warp in a slot that is not live, of a CTA that has a slot, or
  // takes a free one with its first warp.
  input  logic                   start_valid_i,  // a warp starts; held until ready, with all fields
  output logic                   start_ready_o,     // it has started
  input  logic       [WarpW-1:0] start_warp_i,      // in this warp slot
  input  logic        [CtaW-1:0] start_cta_i,       // of the CTA in this slot
  input  wcount_t                start_size_i,      // which has so many warps
  output logic    [NumWarps-1:0] live_o,            // warp slots that are in use
  output logic     [NumCtas-1:0] resident_o,        // CTA slots that are in use

  // What each warp wants next. A warp shows it until it is accepted, whether the warp may run or
  // not.
  input  logic    [NumWarps-1:0] next_valid_i,      // it has an operation
  input  logic    [NumWarps-1:0] next_exit_i,       // which is its exit
  input  issue_t  [NumWarps-1:0] next_i,            // or else this one; without .cta and .warp
  output logic    [NumWarps-1:0] next_ready_o,      // it is accepted
  output logic    [NumWarps-1:0] waits_o,           // it waits at a barrier

  // The unit, with NumIssue 1 and EnJoin 1.
  output logic                   issue_valid_o,     // issue_valid_i[0]
  input  logic                   issue_ready_i,     // issue_ready_o[0]
  output issue_t                 issue_o,           // issue_i[0]
  input  logic    [NumWarps-1:0] busy_i,            // busy_o
  output logic                   lifecycle_valid_o, // lifecycle_valid_i
  input  logic                   lifecycle_ready_i, // lifecycle_ready_o
  output lifecycle_t             lifecycle_o,       // lifecycle_i; lifecycle_warps_i is 0
  output logic                   exit_valid_o,      // exit_valid_i
  input  logic                   exit_ready_i,      // exit_ready_o
  output exit_t                  exit_o,            // exit_i
  input  logic    [NumWarps-1:0] release_i,         // release_o
  input  logic                   fault_valid_i,     // fault_valid_o[0]
  input  warp_t                  fault_warp_i       // fault_o[0].warp
);

  logic [NumWarps-1:0]           live_q, live_d;    // joined, and not exited
  logic [NumWarps-1:0]           waits_q, waits_d;  // from the acceptance of SYNC or RED on
  logic [NumWarps-1:0]           pick_q, pick_d;  // the warp whose operation is presented, one-hot
  logic [NumWarps-1:0]           gnt;               // the next one
  logic [NumWarps-1:0][CtaW-1:0] cta_q;             // of the live warps
  logic [NumCtas-1:0]            open_q, open_d;    // resident
  wcount_t [NumCtas-1:0]         left_q, left_d;    // warps that have not exited
  logic [WarpW-1:0]              warp;              // the picked one
  // The picked operation is an exit, waits for a release.
  logic                          exits, waits;
  logic                          issued, exited;    // it is accepted
  logic                          lifecycle_valid_q, lifecycle_valid_d, done;
  lifecycle_t                    lifecycle_q, lifecycle_d;

  // -------------------------------------------------------------------------------------------
  // The scheduler: who may go, who goes, and who waits then
  // -------------------------------------------------------------------------------------------

  muster_rr_arbiter #(.NumReq(NumWarps)) u_turn (
    .clk_i, .rst_ni,
    .req_i (live_q & ~waits_q & ~busy_i & ~pick_q & next_valid_i),
    .advance_i (pick_q == next_ready_o), .gnt_o (gnt)
  );

  always_comb begin
    warp = '0;
    for (int w = 0; w < NumWarps; w++) if (pick_q[w]) warp = WarpW'(w);
    issue_o      = next_i[warp];
    issue_o.cta  = cta_t'(cta_q[warp]);
    issue_o.warp = warp_t'(warp);
    waits        = (issue_o.op inside {OpSync, OpRedAnd, OpRedOr, OpRedPopc}) &&
                   issue_o.lanes != '0;
  end

  assign exits         = next_exit_i[warp];
  assign issue_valid_o = (pick_q != '0) && !exits;
  assign exit_valid_o  = (pick_q != '0) && exits;
  assign exit_o        = '{cta: cta_t'(cta_q[warp]), warp: warp_t'(warp), lanes: '1};
  assign issued        = issue_valid_o && issue_ready_i;
  assign exited        = exit_valid_o && exit_ready_i;
  assign next_ready_o  = (issued || exited) ? pick_q : '0;
  assign pick_d        = (pick_q != next_ready_o) ? pick_q : gnt;  // what is presented stays

  always_comb begin
    waits_d = waits_q & ~release_i;
    if (fault_valid_i) waits_d[fault_warp_i[WarpW-1:0]] = 1'b0;
    if (issued && waits) waits_d[warp] = 1'b1;
  end

  // -------------------------------------------------------------------------------------------
  // The life of warps and CTAs
  // -------------------------------------------------------------------------------------------

  always_comb begin
    lifecycle_d       = lifecycle_q;
    lifecycle_valid_d = lifecycle_valid_q && !lifecycle_ready_i;
    if (!lifecycle_valid_q) begin  // a CTA without warps ends; or the warp that starts joins
      lifecycle_valid_d = start_valid_i;
      lifecycle_d       = '{op: open_q[start_cta_i] ? LcJoin : LcOpen, cta: cta_t'(start_cta_i),
                            size: start_size_i, warp: warp_t'(start_warp_i), lanes: '1};
      for (int c = 0; c < NumCtas; c++) begin
        if (open_q[c] && left_q[c] == '0) begin
          lifecycle_valid_d = 1'b1;
          lifecycle_d.op    = LcEnd;
          lifecycle_d.cta   = cta_t'(c);
        end
      end
    end

    done          = lifecycle_valid_q && lifecycle_ready_i;
    start_ready_o = done && (lifecycle_q.op == LcJoin);
    live_d        = live_q;
    open_d        = open_q;
    left_d        = left_q;
    if (start_ready_o) live_d[lifecycle_q.warp[WarpW-1:0]] = 1'b1;
    if (exited) live_d[warp] = 1'b0;
    if (exited) left_d[cta_q[warp]] = left_q[cta_q[warp]] - wcount_t'(1);
    if (done && lifecycle_q.op == LcOpen) begin
      open_d[lifecycle_q.cta[CtaW-1:0]] = 1'b1;
      left_d[lifecycle_q.cta[CtaW-1:0]] = lifecycle_q.size;
    end
    if (done && lifecycle_q.op == LcEnd) open_d[lifecycle_q.cta[CtaW-1:0]] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q            <= '0;
      waits_q           <= '0;
      pick_q            <= '0;
      open_q            <= '0;
      lifecycle_valid_q <= 1'b0;
    end else begin
      live_q            <= live_d;
      waits_q           <= waits_d;
      pick_q            <= pick_d;
      open_q            <= open_d;
      lifecycle_valid_q <= lifecycle_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    left_q      <= left_d;
    lifecycle_q <= lifecycle_d;
    if (start_ready_o) cta_q[lifecycle_q.warp[WarpW-1:0]] <= lifecycle_q.cta[CtaW-1:0];
  end

  assign lifecycle_valid_o = lifecycle_valid_q;
  assign lifecycle_o       = lifecycle_q;
  assign live_o            = live_q;
  assign resident_o        = open_q;
  assign waits_o           = waits_q;

endmodule
