// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the warp scope: muster_warp with four warps of four lanes, one of which is followed. It does
// anything that the contract of the ports allows, at any time; what the others do is left open, legal or not. With Always,
// there are the lemmas of proofs without bound, too.
module warp_scope_formal
  import muster_pkg::*;
  import muster_warp_pkg::*;
  import warp_spec_pkg::*;
#(
  parameter bit          EnCollectives = 1'b0,
  parameter int unsigned LanesPerBeat  = 4,
  parameter bit          Always        = 1'b1,
  localparam int unsigned NumWarps = 4,
  localparam int unsigned Beats = Lanes / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input logic                clk_i,
  input logic [1:0]          follow_i,
  input few_t                live_i,
  input cta_t                cta_i,
  input logic [NumWarps-1:0] clear_i,
  input logic                valid_i,
  input warp_request_t       request_i,
  input logic [BeatW-1:0]    beat_i,
  input logic                last_i,
  input logic [LanesPerBeat-1:0][63:0] values_i,
  input logic                arrival_ready_i,
  input logic [NumWarps-1:0] busy_i
);

  logic                rst_n = 1'b0;
  logic                ready, answer_valid, arrival_valid, fault_valid, active, held_up;
  warp_answer_t        answer;
  warp_group_t         group;
  warp_arrival_t       arrival;
  warp_fault_t         fault;
  logic [NumWarps-1:0] open;
  logic [63:0]         value;
  logic [1:0]          w;

  assign w = follow_i;

  muster_warp #(
    .NumWarps(NumWarps), .WarpSize(Lanes), .LanesPerBeat(LanesPerBeat), .EnCollectives(EnCollectives)
  ) u_warp (
    .clk_i, .rst_ni (rst_n), .clear_i, .valid_i, .ready_o (ready), .request_i, .beat_i, .last_i, .values_i,
    .answer_valid_o (answer_valid), .answer_o (answer), .group_o (group), .value_o (value),
    .arrival_valid_o (arrival_valid), .arrival_ready_i, .arrival_o (arrival), .busy_i,
    .fault_valid_o (fault_valid), .fault_o (fault), .open_o (open), .active_o (active)
  );

  assign held_up = ((u_warp.valid || !u_warp.hand_empty) && u_warp.warp != w) || (u_warp.u_stage.due_q & ~busy_i & ~(NumWarps'(1) << w)) != '0;

  warp_props #(.NumWarps(NumWarps), .LanesPerBeat(LanesPerBeat)) u_props (
    .clk_i, .rst_ni (rst_n), .follow_i (warp_t'(w)), .live_i, .cta_i, .clear_i, .valid_i, .ready_i (ready), .request_i,
    .beat_i, .last_i, .values_i, .answer_valid_i (answer_valid), .answer_i (answer), .group_i (group),
    .arrival_valid_i (arrival_valid), .arrival_ready_i, .arrival_i (arrival), .busy_i (busy_i[w]), .held_up_i (held_up),
    .fault_valid_i (fault_valid), .fault_i (fault), .open_i (open[w])
  );

  // ---------------------------------------------------------------------------------------------
  // The contract of the ports
  // ---------------------------------------------------------------------------------------------

  few_t       lanes, waiting, gathering, same;  // its lanes; those that wait after the request before, at a barrier, in its group
  warp_code_t code;
  logic [1:0] follow_q;
  logic       asks, is_gather;

  assign asks      = valid_i && request_i.warp == warp_t'(w);
  assign lanes     = request_i.lanes[Lanes-1:0];
  assign waiting   = u_props.waits_d;
  assign code      = (request_i.op == WarpWrite) ? warp_code_t'(request_i.live[7:0]) :
                     '{op: request_i.op[3:0], mode: request_i.mode, abs: request_i.abs, nan: request_i.nan};
  assign is_gather = code.op == Gather;

  always_comb begin
    for (int l = 0; l < Lanes; l++) begin
      gathering[l] = waiting[l] && u_props.code_d[l].op == Gather;
      same[l]      = waiting[l] && u_props.code_d[l] == code && u_props.key_d[l] == request_i.key;
    end
  end

  always_ff @(posedge clk_i) begin
    rst_n    <= 1'b1;
    follow_q <= w;
    assume (!rst_n || w == follow_q);
    assume (rst_n || !valid_i);
    assume (32'(request_i.warp) < NumWarps && request_i.op <= WarpWrite);
    if (rst_n) begin
      // Lanes that are live and do not wait come, or exit; a group that is written is a legal one, new, and not complete.
      assume (!asks || request_i.cta == u_props.cta_q);
      assume (!asks || (request_i.preds & ~request_i.lanes) == '0);
      assume (!asks || request_i.op inside {WarpRead, WarpExit} || (lanes != '0 && (lanes & waiting) == '0));
      assume (!(asks && request_i.op <= WarpGather) || (request_i.live[Lanes-1:0] == u_props.live_d &&
                                                       (lanes & ~u_props.live_d) == '0));
      assume (!(asks && request_i.op == WarpExit) || ((lanes & ~u_props.live_d) == '0 && lanes != u_props.live_d &&
                                                     (waiting & ~lanes) == '0 && request_i.live[Lanes-1:0] == lanes));
      assume (!(asks && request_i.op == WarpWrite) ||
              ((lanes & ~u_props.live_d) == '0 && same == '0 && (is_gather ? gathering == '0 && (u_props.live_d & ~lanes) != '0 :
               (lanes & ~request_i.key[Lanes-1:0]) == '0 && (request_i.key[Lanes-1:0] & u_props.live_d & ~lanes) != '0)));
      assume (!(asks && (request_i.op <= WarpGather || request_i.op == WarpWrite)) ||
              (is_legal(code.op, code.mode, code.abs, code.nan) && (EnCollectives || code.op inside {4'd0, Elect, Gather})));
      // One beat, or the same request in all of them.
      assume (Beats > 1 || last_i);
      // No clear amid a request of the warp, or while it is to arrive.
      assume (!clear_i[w] || ((!u_props.under_q || ready) && !u_props.gathered_d && !asks));
      // A warp does not become busy while an arrival of it is presented.
      assume (!busy_i[w] || !u_props.held_q);
    end
  end

  if (Always) begin : g_always
    warp_lemmas #(.EnCollectives(EnCollectives)) u_lemmas (.clk_i, .rst_ni (rst_n), .w_i (w));
  end

endmodule
