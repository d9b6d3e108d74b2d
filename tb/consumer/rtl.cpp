// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster::rtl_files, Verilated: after reset the unit launches a CTA of two warps.
#include <Vmuster.h>
#include <verilated.h>

#include <cstdio>

int main() {
  constexpr int kReset = 4;
  VerilatedContext context;
  Vmuster unit(&context);
  for (int cycle = 0; cycle < 1000; ++cycle) {
    unit.rst_ni = cycle >= kReset;
    unit.lifecycle_valid_i = cycle >= kReset;
    unit.lifecycle_i = 2;  // {LcLaunch, CTA 0, two warps}
    unit.lifecycle_warps_i = 3;
    unit.clk_i = unit.mb_clk_i = 0;
    unit.eval();
    if (cycle >= kReset && unit.lifecycle_ready_o) {
      std::printf("launched in cycle %d\n", cycle);
      return 0;
    }
    unit.clk_i = unit.mb_clk_i = 1;
    unit.eval();
  }
  std::puts("the launch was not accepted");
  return 1;
}
