// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The time limits of parked waits, under clocks whose periods are no whole nanoseconds.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>

#include "Vmb_clock_flat.h"

namespace muster::mb {
namespace {

constexpr unsigned kClocks = 13;  // of mb_clock_flat.sv
constexpr unsigned kWarps = 4;
constexpr std::uint64_t kPsPerNs = 1000;
constexpr std::uint64_t kCycles = 400'000;
constexpr std::uint64_t kLongest = 20'000;     // cycles of a wait
constexpr std::uint64_t kExpiry = kWarps + 4;  // behind the limit, at most (rtl/mbarrier/README.md)

struct Wait {
  std::uint64_t since = 0;  // the cycle of its commit
  std::uint64_t ps = 0;     // its limit
};

TEST(MbPark, LimitsUnderClocksOfAnyPeriod) {
  Vmb_clock_flat unit;
  std::mt19937_64 random(1);
  std::array<std::array<std::deque<Wait>, kWarps>, kClocks> waits;
  std::array<std::uint64_t, kClocks> ended{};
  const auto edge = [&unit] {
    unit.clk_i = 1;
    unit.eval();
    unit.clk_i = 0;
    unit.eval();
  };
  unit.clk_i = 0;
  unit.rst_ni = 1;
  unit.eval();
  unit.rst_ni = 0;
  unit.eval();
  edge();
  unit.rst_ni = 1;
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    for (unsigned clock = 0; clock < kClocks; ++clock) {
      const std::uint64_t most = kLongest * unit.period_o[clock] / kPsPerNs;
      unit.wants_i[clock] = static_cast<std::uint8_t>(random() % 64 == 0);
      unit.warp_i[clock] = static_cast<std::uint8_t>(random() % kWarps);
      unit.hint_i[clock] = static_cast<std::uint32_t>(1 + random() % most);
    }
    unit.eval();
    for (unsigned clock = 0; clock < kClocks; ++clock) {
      const std::uint64_t period = unit.period_o[clock];
      ASSERT_EQ(unit.wake_o[clock], 0U) << "no phase turns";
      for (unsigned warp = 0; warp < kWarps; ++warp) {
        // The answer to a wait may come in the cycle behind that in which the next has its place.
        std::deque<Wait>& queue = waits[clock][warp];
        const bool answered = (unit.expire_o[clock] >> warp & 1) != 0;
        ASSERT_TRUE(answered || queue.size() < 2) << "a place is taken at " << period << " ps";
        ASSERT_FALSE(answered && queue.empty()) << "warp " << warp << " at " << period << " ps";
        if (queue.empty()) {
          continue;
        }
        const Wait& wait = queue.front();
        const std::uint64_t passed = (cycle - wait.since) * period;
        ASSERT_FALSE(answered && passed < wait.ps)
            << "a wait of " << wait.ps << " ps ends after " << passed << ", at " << period;
        // Where a cycle is no whole number of ns, the time must have grown by more than the limit.
        const std::uint64_t due = wait.ps + (period % kPsPerNs == 0 ? 0 : kPsPerNs);
        ASSERT_LE(passed, due + (kExpiry + 1) * period) << "at " << period;
        if (answered) {
          queue.pop_front();
          ++ended[clock];
        }
      }
      if (unit.parks_o[clock] != 0) {
        waits[clock][unit.warp_i[clock]].push_back({cycle, unit.hint_i[clock] * kPsPerNs});
      }
    }
    edge();
  }
  for (unsigned clock = 0; clock < kClocks; ++clock) {
    EXPECT_GT(ended[clock], 100U) << unit.period_o[clock];
  }
}

}  // namespace
}  // namespace muster::mb
