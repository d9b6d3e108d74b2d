// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clusterlaunchcontrol. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"

namespace muster::golden {
namespace {

// (.18) is_canceled is a predicate; get_first_ctaid has x, y and z in this order.
TEST(GoldenClusterCancel, Query) {
  const auto query = [](CancelResponse response) { return DecodeCancel(response); };
  EXPECT_TRUE(query({7, 8, 9, 1}).is_canceled);
  EXPECT_EQ(query({7, 8, 9, 1}).first_ctaid, (std::array<std::uint32_t, 3>{7, 8, 9}));
  EXPECT_TRUE(query({0, 0, 0, 1}).is_canceled);
  EXPECT_EQ(query({0, 0, 0, 1}).first_ctaid, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_FALSE(query({0, 0, 0, 0}).is_canceled);
  EXPECT_EQ(query({0xffffffff, 0x80000000, 0x1234, 1}).first_ctaid,
            (std::array<std::uint32_t, 3>{0xffffffff, 0x80000000, 0x1234}));
  // The predicate is the lowest bit of the fourth word, and nothing else.
  EXPECT_FALSE(query({1, 1, 1, 0}).is_canceled);
  EXPECT_FALSE(query({1, 1, 1, 0xfffffffe}).is_canceled);
  EXPECT_TRUE(query({0, 0, 0, 0x80000001}).is_canceled);
}

}  // namespace
}  // namespace muster::golden
