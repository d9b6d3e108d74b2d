// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Copy engines and other CTAs: cp.async.mbarrier.arrive (PTX ISA 9.7.13.15.15), complete-tx of
// asynchronous operations (.5), remote operations (.8).
#include <gtest/gtest.h>

#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

// In a report, an arrive-on by a copy is not the arrival of any warp.
TEST(GoldenMbCopy, ArriveOnHasNoWarp) {
  MbTrace trace;
  trace.Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    1: cp.async.mbarrier.arrive [0x40] -> p0 4/3
    async 0: arrive [0x40]    -> p0 3/3
    async 0: arrive [0x40]    -> p0 2/3
    remote 0: arrive [0x40]   -> p0 1/3
  )");
  EXPECT_EQ(trace.mbarriers().Describe(0, 0x40),
            "mbarrier 0x40 of CTA 0: phase 0, 1 of 3 arrivals pending, tx-count 0");
}

}  // namespace
}  // namespace muster::golden
