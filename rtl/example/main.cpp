// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Clocks the example, and says what its warps see. Exit code 1: they have not exited in 500 cycles.
#include <cstdio>

#include "Vexample.h"

int main() {
  Vexample top;
  bool begun = false;
  for (int cycle = 0; cycle < 500; ++cycle) {
    top.rst_ni = cycle >= 2;
    top.clk_i = 0;
    top.eval();
    if (top.release_o != 0) {
      std::printf("cycle %d: the warps 0x%x are released from barrier 0\n", cycle, top.release_o);
    }
    if (top.answer_valid_o) {
      std::printf("cycle %d: the phase of the mbarrier %s complete\n", cycle,
                  top.answer_o ? "is" : "is not");
    }
    begun = begun || top.live_o == 0xf;
    if (begun && top.live_o == 0) {
      std::printf("cycle %d: all warps have exited\n", cycle);
      return 0;
    }
    top.clk_i = 1;
    top.eval();
  }
  return 1;
}
