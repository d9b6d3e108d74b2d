// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The base of directed tests of the mbarrier block.
#ifndef MUSTER_TB_UNIT_MBARRIER_FIXTURE_H_
#define MUSTER_TB_UNIT_MBARRIER_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tb/unit/mb_oracle.h"
#include "tb/unit/mbarrier_bench.h"

namespace muster::mb {

inline constexpr std::uint32_t kAll = 0xffffffff;

class Mbarrier : public testing::Test {
 protected:
  void TearDown() override {
    room_.Drain();
    EXPECT_EQ(room_.error(), "");
  }

  // Presents the group, and waits until everything about it is done.
  void Do(Source source, const Group& group) {
    room_.Present(source, group);
    room_.Drain();
    ASSERT_EQ(room_.error(), "");
  }

  void Init(Place place, std::uint32_t count) {
    Group init;
    init.op = Op::kInit;
    init.place = place;
    init.operand = count;
    Do(kWarp, init);
  }

  // The cycles of the commits of so many cycles from now on.
  std::vector<std::uint64_t> CommitsOf(unsigned cycles) {
    std::vector<std::uint64_t> found;
    for (unsigned i = 0; i < cycles; ++i) {
      const std::uint64_t before = room_.commits;
      room_.Cycle();
      if (room_.commits != before) {
        found.push_back(room_.last_commit);
      }
    }
    return found;
  }

  Bench room_{1};
};

inline Group Arrive(Place place, unsigned warp, std::uint32_t lanes = kAll) {
  Group group;
  group.place = place;
  group.warp = warp;
  group.lanes = lanes;
  return group;
}

inline Group Of(Op op, Place place, std::uint32_t lanes, std::uint32_t operand) {
  Group group = Arrive(place, 0, lanes);
  group.op = op;
  group.operand = operand;
  return group;
}

inline Group TryWait(Place place, unsigned warp, bool phase, std::uint32_t hint) {
  Group group = Of(Op::kTryWaitParity, place, kAll, hint);
  group.warp = warp;
  group.phase = phase;
  group.has_hint = true;
  group.whole = true;
  return group;
}

}  // namespace muster::mb

#endif  // MUSTER_TB_UNIT_MBARRIER_FIXTURE_H_
