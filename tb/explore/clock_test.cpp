// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Clocks against a table of numbers.
#include "sim/explore/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/random.h"

namespace muster::explore {
namespace {

constexpr std::size_t kCtas = 3;
constexpr std::size_t kWarps = 3;
constexpr std::size_t kThreads = kWarps * ptx::kWarpSize;

struct Both {
  Clock clock;
  std::array<std::array<EventNumber, kThreads>, kCtas> table{};

  bool Covers(const Both& other) const {
    for (std::size_t cta = 0; cta < kCtas; ++cta) {
      for (std::size_t thread = 0; thread < kThreads; ++thread) {
        if (table[cta][thread] < other.table[cta][thread]) {
          return false;
        }
      }
    }
    return true;
  }
  bool Agree() const {
    for (std::uint32_t cta = 0; cta < kCtas; ++cta) {
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        const EventNumber event = table[cta][thread];
        if (!clock.Knows({cta, thread}, event) || clock.Knows({cta, thread}, event + 1)) {
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
      ASSERT_EQ(one.clock.Covers(other.clock), one.Covers(other)) << event;
      one.clock.Join(other.clock);
      for (std::size_t cta = 0; cta < kCtas; ++cta) {
        for (std::size_t thread = 0; thread < kThreads; ++thread) {
          one.table[cta][thread] = std::max(one.table[cta][thread], other.table[cta][thread]);
        }
      }
    } else {
      const std::uint32_t cta = random.Below(kCtas);
      const std::uint32_t first = ptx::kWarpSize * random.Below(kWarps);
      const std::uint32_t lanes = std::array{
          kAllLanes, 1U, 0xfff0U, static_cast<std::uint32_t>(random.Next())}[random.Below(4)];
      one.clock.Note({cta, first}, event, lanes);
      ForEachBit(lanes, [&](unsigned lane) { one.table[cta][first + lane] = event; });
    }
    ASSERT_TRUE(one.Agree()) << event;
  }
}

TEST(Clock, IsSharedWhereNothingIsNew) {
  Clock a;
  a.Note({0, 3}, 7);
  Clock b = a;
  b.Note({0, 4}, 8);
  Clock joined = a;
  joined.Join(b);
  EXPECT_TRUE(joined.Is(b));
  joined = b;
  joined.Join(a);
  EXPECT_TRUE(joined.Is(b));
  joined.Join({});
  EXPECT_TRUE(joined.Is(b));
  joined.Note({0, 3}, 5);
  EXPECT_TRUE(joined.Is(b));
}

}  // namespace
}  // namespace muster::explore
