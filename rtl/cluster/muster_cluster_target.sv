// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A target of the crossbar: those that want it take turns, and what one of them has waits in a
// stage.
module muster_cluster_target #(
  parameter int unsigned NumUnits = 4,
  parameter type         data_t   = logic
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic  [NumUnits-1:0] wants_i,    // by sender
  output logic  [NumUnits-1:0] granted_o,  // whose turn it is: one-hot, or none
  output logic                 ready_o,    // it is taken
  input  data_t [NumUnits-1:0] data_i,

  output logic                 valid_o,    // held until ready
  input  logic                 ready_i,
  output data_t                data_o
);

  data_t next;

  muster_rr_arbiter #(.NumReq(NumUnits)) u_turn (
    .clk_i, .rst_ni, .req_i (wants_i), .advance_i (ready_o && wants_i != '0), .gnt_o (granted_o)
  );

  always_comb begin
    next = '0;
    for (int u = 0; u < NumUnits; u++) begin
      if (granted_o[u]) next = next | data_i[u];  // one at most
    end
  end

  muster_stage #(.data_t(data_t)) u_stage (
    .clk_i, .rst_ni, .valid_i (wants_i != '0), .ready_o, .data_i (next), .valid_o, .ready_i, .data_o
  );

endmodule
