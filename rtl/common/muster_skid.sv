// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cuts the ready signal of a valid/ready stream: an item that is not taken at once is kept here.
// No latency, one item per cycle.
module muster_skid #(
  parameter type data_t = logic
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  valid_i,
  output logic  ready_o,
  input  data_t data_i,
  output logic  valid_o,
  input  logic  ready_i,
  output data_t data_o
);

  logic  full_q;
  data_t data_q;

  assign ready_o = !full_q;
  assign valid_o = full_q || valid_i;
  assign data_o  = full_q ? data_q : data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
    end else begin
      full_q <= valid_o && !ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!full_q) data_q <= data_i;
  end

endmodule
