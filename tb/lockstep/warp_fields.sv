// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Between the pins of a warp scope, a port per field (warp_ports.svh), and the ports of rtl/warp/muster_warp.sv, which
// have scope_ before their names here.
module warp_fields
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter int unsigned NumWarps     = 32,
  parameter int unsigned LanesPerBeat = 8,
  parameter int unsigned BeatW        = 2
) (
  output logic          [NumWarps-1:0] scope_clear,
  output logic                         scope_valid,
  input  logic                         scope_ready,
  output warp_request_t                scope_request,
  output logic          [BeatW-1:0]    scope_beat,
  output logic                         scope_last,
  output logic          [LanesPerBeat-1:0][63:0] scope_values,
  input  logic                         scope_answer_valid,
  input  warp_answer_t                 scope_answer,
  input  warp_group_t                  scope_group,
  input  logic          [63:0]         scope_value,
  input  logic                         scope_arrival_valid,
  output logic                         scope_arrival_ready,
  input  warp_arrival_t                scope_arrival,
  output logic          [NumWarps-1:0] scope_busy,
  input  logic                         scope_fault_valid,
  input  warp_fault_t                  scope_fault,
  input  logic          [NumWarps-1:0] scope_open,
  input  logic                         scope_active,

`include "warp_ports.svh"
);

  assign scope_clear   = clear_i[NumWarps-1:0];
  assign scope_valid   = valid_i;
  assign ready_o       = scope_ready;
  assign scope_request = '{op: warp_op_e'(op_i), mode: mode_i, abs: abs_i, nan: nan_i, warp: warp_i, cta: cta_i,
                           lanes: lanes_i, live: live_i, key: key_i, preds: preds_i};
  assign scope_beat    = beat_i[BeatW-1:0];
  assign scope_last    = last_i;

  always_comb begin
    for (int l = 0; l < LanesPerBeat; l++) scope_values[l] = values_i[l];
  end

  assign answer_valid_o      = scope_answer_valid;
  assign answer_op_o         = scope_answer.op;
  assign answer_warp_o       = scope_answer.warp;
  assign answer_lanes_o      = scope_answer.lanes;
  assign answer_data_o       = scope_answer.data;
  assign answer_pred_o       = scope_answer.pred;
  assign group_open_o        = scope_group.open;
  assign group_code_o        = scope_group.code;
  assign group_cta_o         = scope_group.cta;
  assign group_key_o         = scope_group.key;
  assign group_lanes_o       = scope_group.lanes;
  assign group_preds_o       = scope_group.preds;
  assign value_o             = scope_value;
  assign arrival_valid_o     = scope_arrival_valid;
  assign scope_arrival_ready = arrival_ready_i;
  assign arrival_warp_o      = scope_arrival.warp;
  assign arrival_cta_o       = scope_arrival.cta;
  assign arrival_lanes_o     = scope_arrival.lanes;
  assign arrival_key_o       = scope_arrival.key;
  assign arrival_preds_o     = scope_arrival.preds;
  assign scope_busy          = busy_i[NumWarps-1:0];
  assign fault_valid_o       = scope_fault_valid;
  assign fault_cause_o       = scope_fault.cause;
  assign fault_warp_o        = scope_fault.warp;
  assign fault_lanes_o       = scope_fault.lanes;
  assign open_o              = 64'(scope_open);
  assign active_o            = scope_active;

endmodule
