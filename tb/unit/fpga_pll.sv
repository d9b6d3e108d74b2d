// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The PLL of an iCE40 as far as a simulation needs one: its clock is the reference clock, and it locks
// after a while.
module SB_PLL40_CORE #(
  parameter              FEEDBACK_PATH = "SIMPLE",
  parameter logic [3:0]  DIVR          = 4'd0,
  parameter logic [6:0]  DIVF          = 7'd0,
  parameter logic [2:0]  DIVQ          = 3'd0,
  parameter logic [2:0]  FILTER_RANGE  = 3'd0
) (
  input  logic REFERENCECLK,
  input  logic RESETB,
  input  logic BYPASS,
  output logic PLLOUTGLOBAL,
  output logic LOCK
);

  logic [3:0] count_q = '0;

  assign PLLOUTGLOBAL = REFERENCECLK;
  assign LOCK         = count_q == '1;

  always_ff @(posedge REFERENCECLK) begin
    if (!LOCK) count_q <= count_q + 4'd1;
  end

endmodule
