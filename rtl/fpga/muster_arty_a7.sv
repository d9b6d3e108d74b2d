// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Arty A7 (Artix-7): the PLL, and pins (constraints/arty_a7.xdc). The LEDs count refused frames.
module muster_arty_a7 #(
  parameter bit          EnMbarrier = 1'b1,
  parameter int unsigned SmemBytes  = 65536
) (
  input  logic       clk_100_i,
  input  logic       rx_i,
  output logic       tx_o,
  output logic [3:0] led_o
);

  logic       clk, clk_48, feedback, locked, unit_clk, unit_clk_raw;
  logic [3:0] reset_q;
  logic [7:0] refused;

  // 100 MHz x 12 / 25 = 48 MHz
  PLLE2_BASE #(
    .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT(12), .CLKOUT0_DIVIDE(25)
  ) u_pll (
    .CLKIN1 (clk_100_i), .CLKFBIN (feedback), .RST (1'b0), .PWRDWN (1'b0), .CLKFBOUT (feedback),
    .CLKOUT0 (clk_48), .LOCKED (locked)
  );
  BUFG u_buffer (.I (clk_48), .O (clk));
  BUFG u_unit_buffer (.I (unit_clk_raw), .O (unit_clk));  // a clock that constraints name

  always_ff @(posedge clk or negedge locked) begin
    if (!locked) reset_q <= '0;
    else         reset_q <= {reset_q[2:0], 1'b1};
  end

  muster_board #(
    .EnMbarrier(EnMbarrier), .EnRemote(EnMbarrier), .SmemBytes(SmemBytes), .ClockMhz(48),
    .ClocksPerBit(16)
  ) u_board (
    .clk_i (clk), .rst_ni (reset_q[3]), .rx_i, .tx_o, .refused_o (refused),
    .unit_clk_o (unit_clk_raw), .unit_clk_i (unit_clk)
  );

  assign led_o = refused[3:0];

endmodule
