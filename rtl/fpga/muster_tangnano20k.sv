// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Tang Nano 20K (GW2AR-18C): the PLL, and pins (constraints/tangnano20k.cst). The LEDs, which light
// at 0, count refused frames.
module muster_tangnano20k #(
  parameter bit          EnMbarrier = 1'b1,
  parameter int unsigned SmemBytes  = 16384
) (
  input  logic       clk_27_i,
  input  logic       rx_i,
  output logic       tx_o,
  output logic [5:0] led_no
);

  logic       clk, locked, unit_clk, unit_clk_out;
  logic [3:0] reset_q;
  logic [7:0] refused;

  // 27 MHz x 2 = 54 MHz; the oscillator runs at 16 times that.
  rPLL #(
    .FCLKIN("27"), .DEVICE("GW2AR-18C"), .IDIV_SEL(0), .FBDIV_SEL(1), .ODIV_SEL(16)
  ) u_pll (
    .CLKIN (clk_27_i), .CLKFB (1'b0), .RESET (1'b0), .RESET_P (1'b0), .FBDSEL (6'b0),
    .IDSEL (6'b0), .ODSEL (6'b0), .PSDA (4'b0), .DUTYDA (4'b0), .FDLY (4'b0),
    .CLKOUT (clk), .LOCK (locked)
  );

  // Without it nextpnr routes the clock as it routes signals, and hold times are violated.
  BUFG u_unit_clk (.I (unit_clk_out), .O (unit_clk));

  always_ff @(posedge clk or negedge locked) begin
    if (!locked) reset_q <= '0;
    else         reset_q <= {reset_q[2:0], 1'b1};
  end

  muster_board #(
    .EnMbarrier(EnMbarrier), .EnRemote(EnMbarrier), .SmemBytes(SmemBytes), .ClockMhz(54),
    .ClocksPerBit(18), .GapCycles(270000)
  ) u_board (
    .clk_i (clk), .rst_ni (reset_q[3]), .rx_i, .tx_o, .refused_o (refused),
    .unit_clk_o (unit_clk_out), .unit_clk_i (unit_clk)
  );

  assign led_no = ~refused[5:0];

endmodule
