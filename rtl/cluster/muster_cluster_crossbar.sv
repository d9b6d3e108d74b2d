// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A crossbar between units, with a stage at each target. Those that want one target take turns.
module muster_cluster_crossbar #(
  parameter int unsigned NumUnits = 4,
  parameter type         data_t   = logic,
  localparam int unsigned UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic  [NumUnits-1:0]            valid_i,  // by sender
  output logic  [NumUnits-1:0]            ready_o,
  input  logic  [NumUnits-1:0][UnitW-1:0] target_i,
  input  data_t [NumUnits-1:0]            data_i,

  output logic  [NumUnits-1:0]            valid_o,  // by target; held until ready
  input  logic  [NumUnits-1:0]            ready_i,
  output data_t [NumUnits-1:0]            data_o
);

  logic [NumUnits-1:0][NumUnits-1:0] wants, granted;  // [target][sender]
  logic [NumUnits-1:0]               target_ready;

  for (genvar t = 0; t < NumUnits; t++) begin : g_target
    for (genvar u = 0; u < NumUnits; u++) begin : g_wants
      assign wants[t][u] = valid_i[u] && 32'(target_i[u]) == t;
    end

    muster_cluster_target #(.NumUnits(NumUnits), .data_t(data_t)) u_target (
      .clk_i, .rst_ni,
      .wants_i (wants[t]), .granted_o (granted[t]), .ready_o (target_ready[t]), .data_i,
      .valid_o (valid_o[t]), .ready_i (ready_i[t]), .data_o (data_o[t])
    );
  end

  always_comb begin
    ready_o = '0;
    for (int t = 0; t < NumUnits; t++) begin
      if (target_ready[t]) ready_o = ready_o | granted[t];
    end
  end

endmodule
