// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Simulated modules with one clock, clk_i, and a reset, rst_ni.
#ifndef TB_UNIT_CLOCKED_H_
#define TB_UNIT_CLOCKED_H_

#include <gtest/gtest.h>
#include <verilated.h>

namespace muster {

// The clock's edge that ends a cycle. What follows from it alone is seen after it.
template <typename Dut>
void EndCycle(Dut* dut) {
  for (const unsigned char level : {1, 0}) {
    dut->clk_i = level;
    dut->eval();
  }
}

// A module, after its reset.
template <typename Dut>
class Clocked : public testing::Test {
 protected:
  Clocked() {
    dut_.rst_ni = 0;
    dut_.eval();  // the first one sees no edge
    Clock();
    dut_.rst_ni = 1;
    dut_.eval();
  }

  void Clock() { EndCycle(&dut_); }

  VerilatedContext context_;
  Dut dut_{&context_};
};

}  // namespace muster

#endif  // TB_UNIT_CLOCKED_H_
