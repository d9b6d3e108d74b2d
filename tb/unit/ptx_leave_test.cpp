// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Arrivals at the mbarrier of a CTA that is about to leave, or has left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kArriveLine = 17;

// Rank 0 sends a line, arrives at rank 1, and leaves after so many turns of a loop. Rank 1 waits
// for it, touches the line, and arrives at rank 0, where no thread waits.
Kernel LateArrival(unsigned turns) {
  Kernel kernel(fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry test() {{
  .reg .pred %p<6>; .reg .b32 %r<16>;
  .shared .align 8 .b64 bar; .shared .align 4 .b8 s[128];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [bar], 32; barrier.cluster.arrive; barrier.cluster.wait;
  xor.b32 %r3, %r2, 1; mapa.shared::cluster.u32 %r4, bar, %r3; mov.u32 %r5, s;
  shl.b32 %r6, %r1, 2; add.u32 %r5, %r5, %r6; mapa.shared::cluster.u32 %r6, %r5, %r3;
  setp.ne.u32 %p2, %r2, 0; @%p2 bra WAIT;
  st.shared::cluster.u32 [%r6], %r1;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4]; mov.u32 %r7, 0;
LEAVE: add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, {}; @%p3 bra LEAVE; ret;
WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [bar], 0; @!%p4 bra WAIT;
  ld.shared.u32 %r8, [%r5]; st.shared.u32 [%r5], %r8;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4]; ret;
}}
)",
                            turns));
  kernel.manifest.grid = {2, 1, 1};
  kernel.manifest.cluster = {2, 1, 1};
  return kernel;
}

TEST(PtxLeave, ArrivalsAtACtaThatHasExitedAreNamed) {
  unsigned completes = 0;
  unsigned lost = 0;
  for (unsigned turns = 0; turns < 48; turns += 4) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} turns, seed {}", turns, seed));
      const Ended run(LateArrival(turns), "small", seed);
      if (run.outcome() == "completes") {
        ++completes;
        continue;
      }
      ++lost;
      ASSERT_EQ(run.outcome(), "memory_fault");
      EXPECT_EQ(run.grid().faults()[0].line, kArriveLine);
      EXPECT_EQ(run.grid().faults()[0].cta, 1U);
      EXPECT_EQ(run.grid().problem(),
                "thread (0,0,0) of CTA (1,0,0): an mbarrier operation on the CTA with rank 0 of "
                "the cluster, which has exited");
    }
  }
  EXPECT_GT(completes, 10U);
  EXPECT_GT(lost, 10U);
}

}  // namespace
}  // namespace muster::ptx
