// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Two sources of one async port: a copy engine, and the response of clusterlaunchcontrol, which
// goes first unless the copy engine presents something already. What is presented stays until it is
// accepted.
module muster_async_mux
  import muster_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      response_valid_i,
  output logic      response_ready_o,
  input  mb_async_t response_i,

  input  logic      engine_valid_i,
  output logic      engine_ready_o,
  input  mb_async_t engine_i,

  output logic      valid_o,
  input  logic      ready_i,
  output mb_async_t async_o
);

  logic engine_q;  // the operation of the copy engine is presented since an earlier cycle

  assign valid_o          = response_valid_i || engine_valid_i;
  assign async_o          = (response_valid_i && !engine_q) ? response_i : engine_i;
  assign response_ready_o = ready_i && !engine_q;
  assign engine_ready_o   = ready_i && (engine_q || !response_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      engine_q <= 1'b0;
    end else begin
      engine_q <= engine_valid_i && !engine_ready_o && (engine_q || !response_valid_i);
    end
  end

endmodule
