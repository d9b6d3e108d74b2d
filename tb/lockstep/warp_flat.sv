// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope with a port per field.
module warp_flat
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter int unsigned NumWarps      = 32,
  parameter int unsigned WarpSize      = 32,
  parameter int unsigned LanesPerBeat  = 8,
  parameter bit          EnCollectives = 1'b1,
  parameter bit          EnFaults      = 1'b1,
  localparam int unsigned Beats = WarpSize / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] clear_i,

  input  logic        valid_i,
  output logic        ready_o,
  input  logic [4:0]  op_i,
  input  logic [1:0]  mode_i,
  input  logic        abs_i,
  input  logic        nan_i,
  input  logic [5:0]  warp_i,
  input  logic [4:0]  cta_i,
  input  logic [31:0] lanes_i,
  input  logic [31:0] live_i,
  input  logic [31:0] key_i,
  input  logic [31:0] preds_i,
  input  logic [4:0]  beat_i,
  input  logic        last_i,
  input  logic [63:0] values_i [MaxLanes],

  output logic        answer_valid_o,
  output logic [4:0]  answer_op_o,
  output logic [5:0]  answer_warp_o,
  output logic [31:0] answer_lanes_o,
  output logic [31:0] answer_data_o,
  output logic        answer_pred_o,
  output logic        group_open_o,
  output logic [7:0]  group_code_o,
  output logic [4:0]  group_cta_o,
  output logic [31:0] group_key_o,
  output logic [31:0] group_lanes_o,
  output logic [31:0] group_preds_o,
  output logic [63:0] value_o,

  output logic        arrival_valid_o,
  input  logic        arrival_ready_i,
  output logic [5:0]  arrival_warp_o,
  output logic [4:0]  arrival_cta_o,
  output logic [31:0] arrival_lanes_o,
  output logic [31:0] arrival_key_o,
  output logic [31:0] arrival_preds_o,
  input  logic [63:0] busy_i,

  output logic        fault_valid_o,
  output logic [4:0]  fault_cause_o,
  output logic [5:0]  fault_warp_o,
  output logic [31:0] fault_lanes_o,

  output logic [63:0] open_o,
  output logic        active_o
);

  warp_request_t request;
  warp_answer_t  answer;
  warp_group_t   group;
  warp_arrival_t arrival;
  warp_fault_t   fault;
  logic [NumWarps-1:0] open;
  logic [LanesPerBeat-1:0][63:0] values;

  always_comb begin
    request = '{op: warp_op_e'(op_i), mode: mode_i, abs: abs_i, nan: nan_i, warp: warp_i, cta: cta_i, lanes: lanes_i,
                live: live_i, key: key_i, preds: preds_i};
    for (int l = 0; l < LanesPerBeat; l++) values[l] = values_i[l];
  end

  muster_warp #(
    .NumWarps(NumWarps), .WarpSize(WarpSize), .LanesPerBeat(LanesPerBeat), .EnCollectives(EnCollectives),
    .EnFaults(EnFaults)
  ) u_warp (
    .clk_i, .rst_ni, .clear_i (clear_i[NumWarps-1:0]),
    .valid_i, .ready_o, .request_i (request), .beat_i (beat_i[BeatW-1:0]), .last_i, .values_i (values),
    .answer_valid_o, .answer_o (answer), .group_o (group), .value_o,
    .arrival_valid_o, .arrival_ready_i, .arrival_o (arrival), .busy_i (busy_i[NumWarps-1:0]),
    .fault_valid_o, .fault_o (fault), .open_o (open), .active_o
  );

  assign answer_op_o     = answer.op;
  assign answer_warp_o   = answer.warp;
  assign answer_lanes_o  = answer.lanes;
  assign answer_data_o   = answer.data;
  assign answer_pred_o   = answer.pred;
  assign group_open_o    = group.open;
  assign group_code_o    = group.code;
  assign group_cta_o     = group.cta;
  assign group_key_o     = group.key;
  assign group_lanes_o   = group.lanes;
  assign group_preds_o   = group.preds;
  assign arrival_warp_o  = arrival.warp;
  assign arrival_cta_o   = arrival.cta;
  assign arrival_lanes_o = arrival.lanes;
  assign arrival_key_o   = arrival.key;
  assign arrival_preds_o = arrival.preds;
  assign fault_cause_o   = fault.cause;
  assign fault_warp_o    = fault.warp;
  assign fault_lanes_o   = fault.lanes;
  assign open_o          = 64'(open);

endmodule
