# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Arty A7-35T or -100T. The serial line is the board's FT2232H.
set_property -dict { PACKAGE_PIN E3  IOSTANDARD LVCMOS33 } [get_ports { clk_100_i }]
set_property -dict { PACKAGE_PIN A9  IOSTANDARD LVCMOS33 } [get_ports { rx_i }]
set_property -dict { PACKAGE_PIN D10 IOSTANDARD LVCMOS33 } [get_ports { tx_o }]
set_property -dict { PACKAGE_PIN H5  IOSTANDARD LVCMOS33 } [get_ports { led_o[0] }]
set_property -dict { PACKAGE_PIN J5  IOSTANDARD LVCMOS33 } [get_ports { led_o[1] }]
set_property -dict { PACKAGE_PIN T9  IOSTANDARD LVCMOS33 } [get_ports { led_o[2] }]
set_property -dict { PACKAGE_PIN T10 IOSTANDARD LVCMOS33 } [get_ports { led_o[3] }]

# Yosys passes no numbers that are not whole.
set_property CLKIN1_PERIOD 10.000 [get_cells u_pll]

# The link's clock comes from the PLL. The unit's is a flip-flop of the link, timed as if it toggled
# at 48 MHz; what crosses is steady for whole cycles on both sides of an edge.
create_clock -name clk_100 -period 10.000 [get_ports { clk_100_i }]
create_clock -name unit -period 20.833 [get_pins u_board/u_link/unit_clk_q_reg/Q]
set_clock_groups -asynchronous -group [get_clocks -include_generated_clocks clk_100] \
  -group [get_clocks unit]
set_false_path -from [get_ports { rx_i }]
set_false_path -to [get_ports { tx_o led_o[*] }]
