// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// iCE40HX-8K breakout board: the PLL, and pins (constraints/hx8k.pcf). The LEDs count refused
// frames.
module muster_hx8k #(
  parameter bit          EnMbarrier   = 1'b1,
  parameter int unsigned SmemBytes    = 1024,
  parameter int unsigned MbResponses  = 2,
  parameter int unsigned ClocksPerBit = 16,     // 3 Mbaud
  parameter int unsigned GapCycles    = 262144  // 5 ms
) (
  input  logic       clk_12_i,
  input  logic       rx_i,
  output logic       tx_o,
  output logic [7:0] led_o
);

  logic       clk, locked, unit_clk;
  logic [3:0] reset_q;

  // 12 MHz x 64 / 16 = 48 MHz
  SB_PLL40_CORE #(
    .FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd63), .DIVQ(3'd4), .FILTER_RANGE(3'd1)
  ) u_pll (
    .REFERENCECLK (clk_12_i), .RESETB (1'b1), .BYPASS (1'b0), .PLLOUTGLOBAL (clk), .LOCK (locked)
  );

  always_ff @(posedge clk or negedge locked) begin
    if (!locked) reset_q <= '0;
    else         reset_q <= {reset_q[2:0], 1'b1};
  end

  muster_board #(
    .EnMbarrier(EnMbarrier), .SmemBytes(SmemBytes), .MbResponses(MbResponses), .ClockMhz(48),
    .ClocksPerBit(ClocksPerBit), .GapCycles(GapCycles)
  ) u_board (
    .clk_i (clk), .rst_ni (reset_q[3]), .rx_i, .tx_o, .refused_o (led_o),
    .unit_clk_o (unit_clk), .unit_clk_i (unit_clk)
  );

endmodule
