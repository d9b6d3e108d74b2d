// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The lanes of a warp that come to non-aligned barriers apart.
#include <gtest/gtest.h>

#include <cstdint>

#include "sim/ptx/simt/warp_unit.h"

namespace muster::ptx {
namespace {

TEST(PtxGather, HandsOutWhenAllHaveCome) {
  FrontEndWarpUnit gather;
  gather.Reset(3);
  Arrival first;
  first.kind = OpKind::kSync;
  first.bar = 1;
  first.pc = 10;
  first.lanes = 0x0000fff0;
  Arrival second = first;
  second.lanes = 0xffff0000;
  Arrival third = first;
  third.pc = 20;
  third.bar = 2;
  third.lanes = 0x0000000f;
  Arrival out;
  EXPECT_FALSE(gather.Take(3, ~0U, &out));
  gather.Come(3, first);
  gather.Come(3, third);
  EXPECT_FALSE(gather.Take(3, ~0U, &out));
  gather.Come(3, second);
  ASSERT_TRUE(gather.Take(3, ~0U, &out));  // the lowest lane first
  EXPECT_EQ(out.lanes, 0x0000000fU);
  EXPECT_EQ(out.bar, 2U);
  ASSERT_TRUE(gather.Take(3, ~0U, &out));
  EXPECT_EQ(out.lanes, 0xfffffff0U);
  EXPECT_EQ(out.bar, 1U);
  EXPECT_FALSE(out.divergent_operand);
  EXPECT_FALSE(gather.Take(3, ~0U, &out));
}

TEST(PtxGather, LanesAtOneInstructionFollowTheLowest) {
  FrontEndWarpUnit gather;
  gather.Reset(0);
  Arrival high;
  high.bar = 4;
  high.pc = 10;
  high.lanes = 0xf0;
  Arrival low = high;
  low.bar = 5;
  low.lanes = 0x0f;
  Arrival out;
  gather.Come(0, high);
  gather.Come(0, low);
  ASSERT_TRUE(gather.Take(0, 0xff, &out));
  EXPECT_EQ(out.lanes, 0xffU);
  EXPECT_EQ(out.bar, 5U);
  EXPECT_TRUE(out.divergent_operand);
}

TEST(PtxGather, ExitsCompleteIt) {
  FrontEndWarpUnit gather;
  gather.Reset(0);
  Arrival arrival;
  arrival.lanes = 0x1;
  Arrival out;
  gather.Come(0, arrival);
  EXPECT_FALSE(gather.Take(0, 0x3, &out));
  EXPECT_TRUE(gather.Take(0, 0x1, &out));
}

}  // namespace
}  // namespace muster::ptx
