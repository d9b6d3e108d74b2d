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

# The link's clock comes from the PLL. The unit's is a flip-flop of the link, through a buffer, high
# for one cycle of four; here it is timed as if it rose in each cycle of the link. What crosses is a path
# like any other and has one cycle. It is steady for a whole cycle on both sides of the unit's edge, so
# that a difference of the two clocks' delays does not matter: hold is looked at a cycle earlier.
create_clock -name clk_100 -period 10.000 [get_ports { clk_100_i }]
create_generated_clock -name unit -source [get_pins { u_pll/CLKOUT0 }] -divide_by 1 \
  [get_pins { u_unit_buffer/O }]
set_multicycle_path 1 -hold -from [get_clocks unit]
set_multicycle_path 1 -hold -to [get_clocks unit]
set_multicycle_path 0 -hold -from [get_clocks unit] -to [get_clocks unit]
set_false_path -from [get_ports { rx_i }]
set_false_path -to [get_ports { tx_o led_o[*] }]
