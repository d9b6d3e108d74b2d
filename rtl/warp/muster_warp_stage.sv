// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a warp scope does next: a request, or the arrival of a warp all of whose lanes have come to
// barriers. It stays here until muster_warp_walk is through with it, with all that is known of it
// when it is accepted. Arrivals go first, that of the lowest warp before others. None waits for
// ever: while an arrival can be sent, no request is accepted, so no warp becomes due.
module muster_warp_stage
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg,
  localparam int unsigned NumWarps     = Cfg.NumWarps,
  localparam int unsigned LanesPerBeat = Cfg.LanesPerBeat,
  localparam int unsigned WarpW = $clog2(NumWarps),
  localparam int unsigned Beats = Cfg.WarpSize / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Those of muster_warp.
  input  logic                valid_i,
  output logic                ready_o,
  input  warp_request_t       request_i,
  input  logic [BeatW-1:0]    beat_i,
  input  logic                last_i,
  input  logic [LanesPerBeat-1:0][63:0] values_i,
  input  logic [NumWarps-1:0] busy_i,

  input  logic                free_i,       // the stage may take the next one
  input  logic                key_spent_i,  // each live lane is a member from now on
  input  logic                due_i,        // the warp is to arrive
  input  logic                arrived_i,    // the warp has arrived
  output logic                any_due_o,    // a warp is to arrive

  output logic [WarpW-1:0]    next_warp_o,  // the warp that is here in the next cycle
  output logic                valid_o,      // what is here is new
  output warp_request_t       request_o,
  output walk_request_t       kind_o,
  output warp_code_t          code_o,
  output logic                together_o,   // all live members of its collective come with it
  output logic [NumWarps-1:0] warp_hot_o,   // its warp, a bit for each
  output logic [BeatW-1:0]    beat_o,
  output logic [LanesPerBeat-1:0] keeps_o,  // values of the beat are kept
  output logic [LanesPerBeat-1:0][63:0] values_o
);

`include "muster_assert.svh"

  localparam lanes_t Lanes = lanes_t'((64'd1 << Cfg.WarpSize) - 64'd1);

  logic                    valid_q, together_q, sends, comes;
  walk_request_t           kind_q;
  warp_code_t              offered, code_q;
  warp_request_t           given, request_q;
  logic [BeatW-1:0]        beat_q;
  logic [NumWarps-1:0]     due_q, due_d, hot;
  logic [WarpW-1:0]        warp, due_warp;
  logic [LanesPerBeat-1:0] keeps_q;
  logic [LanesPerBeat-1:0][63:0] values_q;

  assign warp  = request_q.warp[WarpW-1:0];
  assign comes = !sends && is_collective(request_i.op);

  always_comb begin
    given       = request_i;
    given.lanes = request_i.lanes & Lanes;
    given.live  = request_i.live & Lanes;
    given.preds = request_i.preds & Lanes;
    offered     = code_of(request_i);
    if (!Cfg.EnCollectives) offered = code_without(offered);
  end

  muster_first #(.Width(NumWarps)) u_due (
    .bits_i (due_q & ~busy_i), .any_o (sends), .index_o (due_warp)
  );

  always_comb begin
    next_warp_o = warp;
    if (free_i) next_warp_o = sends ? due_warp : request_i.warp[WarpW-1:0];
  end

  assign hot   = NumWarps'(1) << warp;
  assign due_d = (due_q & ~(hot & {NumWarps{arrived_i}})) | (hot & {NumWarps{due_i}});

  assign ready_o = free_i && !sends;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      due_q   <= '0;
    end else begin
      valid_q <= free_i && (sends || (valid_i && ready_o));
      due_q   <= due_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (free_i) begin
      request_q      <= given;
      request_q.warp <= warp_t'(next_warp_o);
      kind_q <= '{
        more:       !sends && !last_i,
        read:       !sends && request_i.op == WarpRead,
        write:      !sends && request_i.op == WarpWrite,
        exit:       !sends && request_i.op == WarpExit,
        arrival:    sends,
        gather:     !sends && request_i.op == WarpGather,
        collective: comes,
        refused:    Cfg.EnFaults && comes && (given.lanes & ~request_i.key) != '0,
        valued:     Cfg.EnCollectives && has_values(offered.op)
      };
      code_q     <= offered;
      together_q <= comes && (request_i.key & given.live & ~given.lanes) == '0;
      beat_q     <= (Beats > 1) ? beat_i : '0;
      keeps_q    <= LanesPerBeat'(given.lanes >> ((Beats > 1) ? 32'(beat_i) * LanesPerBeat : 0)) &
                    {LanesPerBeat{has_values(offered.op)}};
      values_q   <= values_i;
    end else if (key_spent_i) begin
      request_q.key <= '1;
    end
  end

  assign any_due_o  = (due_q != '0);
  assign valid_o    = valid_q;
  assign request_o  = request_q;
  assign kind_o     = kind_q;
  assign code_o     = code_q;
  assign together_o = together_q;
  assign warp_hot_o = hot;
  assign beat_o     = beat_q;
  assign keeps_o    = keeps_q;
  assign values_o   = values_q;

  `MUSTER_ASSERT(WarpExists, !valid_i || 32'(request_i.warp) < NumWarps,
                 "a request of a warp that the unit lacks")
  `MUSTER_ASSERT(SomeLanes, !valid_i || request_i.op inside {WarpExit, WarpRead} ||
                 given.lanes != '0, "a request of no lane")
  `MUSTER_ASSERT(DueLanesWait,
                 !(valid_i && ready_o) || !due_q[request_i.warp[WarpW-1:0]] ||
                 request_i.op == WarpRead,
                 "a request of a warp whose arrival is due: all its lanes wait")
  `MUSTER_ASSERT(LanesAreLive,
                 !(valid_i && request_i.op <= WarpExit) || (given.lanes & ~given.live) == '0,
                 "a lane that has exited executes something")

endmodule
