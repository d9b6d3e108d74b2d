// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Clocks against a table of numbers.
#include "sim/explore/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/ptx/simt/random.h"

namespace muster::explore {
namespace {

constexpr std::size_t kCtas = 3;
constexpr std::size_t kThreads = 40;

struct Both {
  Clock::Pointer clock;
  std::array<std::array<EventNumber, kThreads>, kCtas> table{};

  bool Agree() const {
    for (std::uint32_t cta = 0; cta < kCtas; ++cta) {
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        if (Clock::Of(clock, {cta, thread}) != table[cta][thread]) {
          return false;
        }
      }
    }
    return true;
  }
};

TEST(Clock, KnowsWhatATableKnows) {
  ptx::Random random(1);
  std::array<Both, 8> all;
  for (EventNumber event = 1; event < 4000; ++event) {
    Both& one = all[random.Below(all.size())];
    if (random.OneIn(2)) {
      const Both& other = all[random.Below(all.size())];
      one.clock = Clock::Join(one.clock, other.clock);
      for (std::size_t cta = 0; cta < kCtas; ++cta) {
        for (std::size_t thread = 0; thread < kThreads; ++thread) {
          one.table[cta][thread] = std::max(one.table[cta][thread], other.table[cta][thread]);
        }
      }
    } else {
      const std::uint32_t cta = random.Below(kCtas);
      const std::uint32_t first = random.Below(8);
      const auto lanes = static_cast<std::uint32_t>(random.Next());
      one.clock = Clock::With(one.clock, {cta, first}, event, lanes);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) != 0) {
          one.table[cta][first + lane] = event;
        }
      }
    }
    ASSERT_TRUE(one.Agree()) << event;
  }
}

TEST(Clock, IsSharedWhereNothingIsNew) {
  const Clock::Pointer a = Clock::With(nullptr, {0, 3}, 7);
  const Clock::Pointer b = Clock::With(a, {0, 4}, 8);
  EXPECT_EQ(Clock::Join(a, b), b);
  EXPECT_EQ(Clock::Join(b, a), b);
  EXPECT_EQ(Clock::Join(b, nullptr), b);
  EXPECT_EQ(Clock::With(b, {0, 3}, 5), b);
}

}  // namespace
}  // namespace muster::explore
