// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// ULX3S (ECP5, 45F or 85F): the PLL, and pins (constraints/ulx3s.lpf). The LEDs count refused
// frames.
module muster_ulx3s #(
  parameter bit          EnMbarrier = 1'b1,
  parameter int unsigned SmemBytes  = 65536
) (
  input  logic       clk_25_i,
  input  logic       rx_i,
  output logic       tx_o,
  output logic [7:0] led_o
);

  logic       clk, locked, unit_clk;
  logic [3:0] reset_q;

  // 25 MHz / 4 x 13 = 81.25 MHz, fed back; the oscillator runs at 8 times that.
  EHXPLLL #(
    .FEEDBK_PATH("CLKOP"), .CLKI_DIV(4), .CLKFB_DIV(13), .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(8)
  ) u_pll (
    .CLKI (clk_25_i), .CLKFB (clk), .RST (1'b0), .STDBY (1'b0), .PHASESEL0 (1'b0),
    .PHASESEL1 (1'b0), .PHASEDIR (1'b0), .PHASESTEP (1'b0), .PHASELOADREG (1'b0),
    .PLLWAKESYNC (1'b0), .ENCLKOP (1'b0), .CLKOP (clk), .LOCK (locked)
  );

  always_ff @(posedge clk or negedge locked) begin
    if (!locked) reset_q <= '0;
    else         reset_q <= {reset_q[2:0], 1'b1};
  end

  muster_board #(
    .EnMbarrier(EnMbarrier), .EnRemote(EnMbarrier), .SmemBytes(SmemBytes), .ClockMhz(81),
    .ClocksPerBit(27), .GapCycles(524288)
  ) u_board (
    .clk_i (clk), .rst_ni (reset_q[3]), .rx_i, .tx_o, .refused_o (led_o),
    .unit_clk_o (unit_clk), .unit_clk_i (unit_clk)
  );

endmodule
