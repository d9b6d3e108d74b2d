// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// nanosleep takes its time.
#include <gtest/gtest.h>

#include <string>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A kernel of one warp with a u32 for each thread, at %d2: its result is %r10.
Kernel Sleeper(const std::string& body) {
  Kernel kernel(Header("sm_90") + R"(.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<12>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;
  setp.eq.u32 %p1, %r1, 0;
)" + body + "\n  st.global.u32 [%d2], %r10; ret;\n}\n",
                32);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 32)};
  kernel.manifest.max_cycles = 1'200'000;
  return kernel;
}

TEST(PtxSleep, EachThreadSleepsItsTime) {
  const std::string measure =
      "mov.u64 %d3, %globaltimer; nanosleep.u32 %r3; mov.u64 %d4, %globaltimer;"
      " sub.u64 %d4, %d4, %d3; cvt.u32.u64 %r10, %d4;";
  for (const char* const config : {"default", "large"}) {
    const Ended alike(Sleeper("mov.u32 %r3, 20000; " + measure), config);
    ASSERT_EQ(alike.outcome(), "completes");
    const Ended apart(Sleeper("mul.lo.u32 %r3, %r1, 500; " + measure), config);
    ASSERT_EQ(apart.outcome(), "completes");
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_GE(alike.Words(0)[lane], 20'000U);
      EXPECT_LE(alike.Words(0)[lane], 20'200U);
      EXPECT_GE(apart.Words(0)[lane], lane * 500U);
      EXPECT_LE(apart.Words(0)[lane], lane * 500U + 600U);
    }
  }
}

TEST(PtxSleep, AMillisecondAtMost) {
  const Ended run(Sleeper("nanosleep.u32 4000000000; mov.u32 %r10, %clock;"));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_GE(run.Words(0)[0], 1'000'000U);
  EXPECT_LE(run.Words(0)[0], 1'001'000U);
}

TEST(PtxSleep, OtherLanesGoOn) {
  const Ended run(Sleeper("@%p1 nanosleep.u32 5000; mov.u32 %r10, %clock;"));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_GE(run.Words(0)[0], 5000U);
  for (std::uint32_t lane = 1; lane < 32; ++lane) {
    EXPECT_LT(run.Words(0)[lane], 500U);
  }
}

}  // namespace
}  // namespace muster::ptx
