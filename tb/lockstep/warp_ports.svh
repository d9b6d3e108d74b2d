// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of a warp scope, a port per field: those of warp_flat, and of warp_fields, which makes the scope's own ports
// of them.
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
