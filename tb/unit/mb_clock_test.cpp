// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The time limits of parked waits, under clocks whose periods are no whole nanoseconds.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>

#include "Vmb_clock_flat.h"
#include "sim/isa/config.h"
#include "tb/unit/clocked.h"

namespace muster::mb {
namespace {

constexpr unsigned kClocks = 13;  // of mb_clock_flat.sv
constexpr unsigned kWarps = 4;
constexpr std::uint64_t kPsPerNs = 1000;
constexpr std::uint64_t kCycles = 400'000;
constexpr std::uint64_t kLongest = 20'000;     // cycles of a wait
constexpr std::uint64_t kExpiry = kWarps + 4;  // after the limit, at most (rtl/mbarrier/README.md)

struct Wait {
  std::uint64_t since = 0;  // the time of its commit, in ps
  std::uint64_t ps = 0;     // its limit
};

void Reset(Vmb_clock_flat* unit) {
  unit->clk_i = 0;
  unit->rst_ni = 1;
  unit->eval();
  unit->rst_ni = 0;
  unit->eval();
  EndCycle(unit);
  unit->rst_ni = 1;
}

// A limit that passes while the clock stands still is found as soon after it as any other.
TEST(MbPark, LimitsUnderClocksOfAnyPeriod) {
  Vmb_clock_flat unit;
  std::mt19937_64 random(1);
  std::array<std::array<std::deque<Wait>, kWarps>, kClocks> waits;
  std::array<std::uint64_t, kClocks> ended{};
  std::array<std::uint64_t, kClocks> now{};  // ps
  // How long each clock has stood still lately: in the cycles in which a limit may be found.
  std::array<std::deque<std::uint64_t>, kClocks> recent;
  recent.fill(std::deque<std::uint64_t>(kExpiry + 2));
  std::array<std::uint64_t, kClocks> stood{};
  Reset(&unit);
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    for (unsigned clock = 0; clock < kClocks; ++clock) {
      const std::uint64_t most = kLongest * unit.period_o[clock] / kPsPerNs;
      unit.park_valid_i[clock] = static_cast<std::uint8_t>(random() % 64 == 0);
      unit.warp_i[clock] = static_cast<std::uint8_t>(random() % kWarps);
      unit.hint_i[clock] = static_cast<std::uint32_t>(1 + random() % most);
      // Now and then the clock stands still, for less than a wait or for more.
      unit.stopped_ns_i[clock] =
          random() % 512 == 0 ? static_cast<std::uint32_t>(random() % (2 * most + 1)) : 0;
    }
    unit.eval();
    for (unsigned clock = 0; clock < kClocks; ++clock) {
      const std::uint64_t period = unit.period_o[clock];
      ASSERT_EQ(unit.wake_o[clock], 0U) << "no phase completes";
      for (unsigned warp = 0; warp < kWarps; ++warp) {
        // The answer to a wait may come in the cycle after that in which the next has its slot.
        std::deque<Wait>& queue = waits[clock][warp];
        const bool answered = (unit.expire_o[clock] >> warp & 1) != 0;
        ASSERT_TRUE(answered || queue.size() < 2) << "a place is taken at " << period << " ps";
        ASSERT_FALSE(answered && queue.empty()) << "warp " << warp << " at " << period << " ps";
        if (queue.empty()) {
          continue;
        }
        const Wait& wait = queue.front();
        const std::uint64_t passed = now[clock] - wait.since;
        ASSERT_FALSE(answered && passed < wait.ps)
            << "a wait of " << wait.ps << " ps ends after " << passed << ", at " << period;
        // Where a cycle is no whole number of ns, the time must have grown by more than the limit.
        const std::uint64_t due = wait.ps + (period % kPsPerNs == 0 ? 0 : kPsPerNs);
        ASSERT_LE(passed, due + (kExpiry + 1) * period + stood[clock]) << "at " << period;
        if (answered) {
          queue.pop_front();
          ++ended[clock];
        }
      }
      if (unit.parked_o[clock] != 0) {
        waits[clock][unit.warp_i[clock]].push_back({now[clock], unit.hint_i[clock] * kPsPerNs});
      }
      const std::uint64_t still = unit.stopped_ns_i[clock] * kPsPerNs;
      now[clock] += period + still;
      recent[clock].push_back(still);
      stood[clock] += still - recent[clock].front();
      recent[clock].pop_front();
    }
    EndCycle(&unit);
  }
  for (unsigned clock = 0; clock < kClocks; ++clock) {
    EXPECT_GT(ended[clock], 100U) << unit.period_o[clock];
  }
}

// A limit passes, and then the clock stands still for as long as it may.
TEST(MbPark, LongestStop) {
  for (unsigned turn = 0; turn < 2 * kWarps; ++turn) {
    Vmb_clock_flat unit;
    Reset(&unit);
    std::array<unsigned, kClocks> ended{};
    for (unsigned cycle = 0; cycle <= turn + 1 + kExpiry; ++cycle) {
      for (unsigned clock = 0; clock < kClocks; ++clock) {
        unit.park_valid_i[clock] = static_cast<std::uint8_t>(cycle == turn);
        unit.hint_i[clock] = 1;
        unit.stopped_ns_i[clock] = cycle == turn + 1 ? 0xffffffff : 0;
      }
      EndCycle(&unit);
      for (unsigned clock = 0; clock < kClocks; ++clock) {
        ended[clock] += unit.expire_o[clock];
      }
    }
    for (unsigned clock = 0; clock < kClocks; ++clock) {
      EXPECT_EQ(ended[clock], 1U) << unit.period_o[clock] << " ps, turn " << turn;
    }
  }
}

}  // namespace
}  // namespace muster::mb
