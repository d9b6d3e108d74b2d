// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cooperative grids, all of whose CTAs are there at once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// Each CTA adds one to the word of the next, and all meet, `rounds` times; then its own word, or 99
// where there is no workspace.
Kernel Cooperative(std::uint32_t ctas, std::uint32_t threads, unsigned rounds) {
  const std::string meet = R"( { barrier.sync 0; @!%p1 bra M;
  atom.add.release.gpu.u32 %r11, [%d3+4], %r6;
W: ld.acquire.gpu.u32 %r12, [%d3+4]; xor.b32 %r12, %r12, %r11; setp.ge.s32 %p4, %r12, 0; @%p4 bra W;
M: barrier.sync 0; }
)";
  Kernel kernel(Header() + R"(.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %d<12>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;
  setp.eq.u32 %p1, %r1, 0; mad.wide.u32 %d2, %r2, 4, %d1;
  mov.u32 %r4, %envreg2; mov.u32 %r5, %envreg1; mov.b64 %d3, {%r4, %r5}; setp.ne.u64 %p2, %d3, 0;
  @%p2 bra V; @%p1 st.global.u32 [%d2], 99; ret;
V: setp.eq.u32 %p3, %r2, 0; sub.u32 %r6, 0x80000001, %r3; selp.u32 %r6, %r6, 1, %p3;
  add.u32 %r7, %r2, 1; rem.u32 %r7, %r7, %r3; mad.wide.u32 %d4, %r7, 4, %d1; mov.u32 %r8, 0;
R: ld.global.u32 %r9, [%d2]; ld.global.u32 %r10, [%d4]; add.u32 %r10, %r10, 1;
  setp.ne.u32 %p7, %r9, %r8; @%p7 trap;
)" + meet + "  @%p1 st.global.u32 [%d4], %r10;\n" +
                    meet + "  add.u32 %r8, %r8, 1; setp.lt.u32 %p6, %r8, " +
                    std::to_string(rounds) + "; @%p6 bra R; ret;\n}\n",
                threads, ctas);
  kernel.manifest.cooperative = true;
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, ctas)};
  return kernel;
}

TEST(PtxGrid, CooperativeGridsMeet) {
  const struct {
    std::uint32_t ctas;
    std::uint32_t threads;
    const char* config;
  } rows[] = {{2, 64, "small"}, {1, 256, "small"}, {8, 40, "default"}, {32, 64, "full"}};
  for (const auto& row : rows) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Ended run(Cooperative(row.ctas, row.threads, 6), row.config, seed);
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(row.ctas, 6)) << row.config;
    }
  }
}

TEST(PtxGrid, OtherGridsHaveNoWorkspace) {
  Kernel kernel = Cooperative(40, 64, 1);  // in waves
  kernel.manifest.cooperative = false;
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(40, 99));
}

TEST(PtxGrid, CooperativeGridsMustFit) {
  const auto problem = [](std::uint32_t ctas, std::uint32_t threads, const char* config) {
    try {
      const Ended run(Cooperative(ctas, threads, 1), config);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(problem(8, 64, "default"), "");
  EXPECT_EQ(problem(9, 64, "default"),
            "test.json: a cooperative grid of 9 CTAs does not fit the configuration default, which "
            "holds 8 of them at once: use a smaller grid or block, or another --config");
  EXPECT_NE(problem(3, 32, "small").find("which holds 2 of them"), std::string::npos);
  Kernel kernel = Cooperative(18, 64, 1);
  kernel.manifest.cluster = {2, 1, 1};
  EXPECT_THROW(Ended run(kernel), InputError);
  kernel = Cooperative(16, 64, 1);  // 8 on each of the cluster's units
  kernel.manifest.cluster = {2, 1, 1};
  EXPECT_EQ(Ended(kernel).outcome(), "completes");
}

}  // namespace
}  // namespace muster::ptx
