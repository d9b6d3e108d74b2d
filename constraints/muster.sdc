# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# The unit alone: one clock, also where that of the mbarriers is gated; inputs come from registers and outputs go to registers of the core, each of
# which leaves the unit four fifths of the period; the reset is asynchronous and is taken back in time.
create_clock -name clk -period 8.0 [get_ports {clk_i mb_clk_i}]
set_input_delay  1.6 -clock clk [all_inputs]
set_output_delay 1.6 -clock clk [all_outputs]
set_false_path -from [get_ports rst_ni]
set_input_transition 0.2 [all_inputs]
set_input_transition 0.1 [get_ports {clk_i mb_clk_i}]
set_load 0.05 [all_outputs]
