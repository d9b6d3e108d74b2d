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

`include "warp_ports.svh"
);

  logic [NumWarps-1:0] scope_clear, scope_busy, scope_open;
  logic scope_valid, scope_ready, scope_last, scope_answer_valid, scope_arrival_valid, scope_arrival_ready,
        scope_fault_valid, scope_active;
  warp_request_t scope_request;
  logic [BeatW-1:0] scope_beat;
  logic [LanesPerBeat-1:0][63:0] scope_values;
  warp_answer_t scope_answer;
  warp_group_t scope_group;
  logic [63:0] scope_value;
  warp_arrival_t scope_arrival;
  warp_fault_t scope_fault;

  warp_fields #(.NumWarps(NumWarps), .LanesPerBeat(LanesPerBeat), .BeatW(BeatW)) u_fields (.*);

  muster_warp #(
    .NumWarps(NumWarps), .WarpSize(WarpSize), .LanesPerBeat(LanesPerBeat), .EnCollectives(EnCollectives),
    .EnFaults(EnFaults)
  ) u_warp (
    .clk_i, .rst_ni, .clear_i (scope_clear), .valid_i (scope_valid), .ready_o (scope_ready), .request_i (scope_request),
    .beat_i (scope_beat), .last_i (scope_last), .values_i (scope_values), .answer_valid_o (scope_answer_valid),
    .answer_o (scope_answer), .group_o (scope_group), .value_o (scope_value), .arrival_valid_o (scope_arrival_valid),
    .arrival_ready_i (scope_arrival_ready), .arrival_o (scope_arrival), .busy_i (scope_busy),
    .fault_valid_o (scope_fault_valid), .fault_o (scope_fault), .open_o (scope_open), .active_o (scope_active)
  );

endmodule
