// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.commit that waits for reads of matrix A alone (PTX ISA 9.4): what may be stored, and what
// is there to be loaded, when its mbarrier has completed.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

// A warp multiplies A by B, of ones all; when the commit is over it does `then`, and then waits for
// all of the product. %r9 and %r10 are a and b, %r8 is two twos, %r14 row 0 of D, which is 16.
Kernel Products(const std::string& commit, const std::string& then) {
  Kernel kernel(R"(.version 9.4
.target sm_107a
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<8>;
  .shared .align 128 .b8 a[2048]; .shared .align 128 .b8 b[256];
  .shared .align 8 .b64 read; .shared .align 8 .b64 done; .shared .align 4 .b32 place;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [read], 1; @%p1 mbarrier.init.shared.b64 [done], 1;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
  bar.warp.sync -1; ld.shared.u32 %r2, [place]; mov.u32 %r7, 0x3c003c00; mov.u32 %r8, 0x40004000;
  mov.u32 %r9, a; mov.u32 %r10, b; mov.u32 %r3, 0; mad.lo.u32 %r9, %r1, 64, %r9;
  mad.lo.u32 %r10, %r1, 8, %r10; st.shared.v2.u32 [%r10], {%r7, %r7};
FILL: add.u32 %r4, %r9, %r3; st.shared.u32 [%r4], %r7; add.u32 %r3, %r3, 4;
  setp.lt.u32 %p2, %r3, 64; @%p2 bra FILL;
  mov.u32 %r11, a; shr.u32 %r11, %r11, 4; cvt.u64.u32 %d2, %r11;
  or.b64 %d2, %d2, 0x0000401000080000; mov.u32 %r11, b; shr.u32 %r11, %r11, 4;
  cvt.u64.u32 %d3, %r11; or.b64 %d3, %d3, 0x0000401000080000; mov.u32 %r13, 0x04020010;
  fence.proxy.async.shared::cta; bar.warp.sync -1; setp.ne.u32 %p2, %r1, %r1;
  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r2], %d2, %d3, %r13, %p2;
  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one)" +
                    commit + R"(.b64 [read];
READ: mbarrier.try_wait.parity.shared.b64 %p3, [read], 0; @!%p3 bra READ;
)" + then + R"(
  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [done];
DONE: mbarrier.try_wait.parity.shared.b64 %p3, [done], 0; @!%p3 bra DONE;
  tcgen05.fence::after_thread_sync;
  tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r15}, [%r2]; tcgen05.wait::ld.sync.aligned;
  @%p1 st.global.u32 [%d1], %r14; @%p1 st.global.u32 [%d1+4], %r15;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32; ret;
}
)",
                32);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 2)};
  return kernel;
}

constexpr std::uint32_t kSixteen = 0x41800000;  // f32
const std::string kOfReads = ".sync_restrict::shared::read::mma::a.shared::cluster";

// What the runs of many seeds leave in a word.
std::set<std::uint32_t> Seen(const Kernel& kernel, std::size_t word) {
  constexpr std::uint64_t kSeeds = 24;
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Ended run(kernel, "default", seed);
    EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
    seen.insert(run.Words(0)[word]);
  }
  return seen;
}

const std::string kOverA =
    "  mov.u32 %r3, 0;\nOVER: add.u32 %r4, %r9, %r3; st.shared.u32 [%r4], %r8; add.u32 %r3, %r3, "
    "4; setp.lt.u32 %p2, %r3, 64; @%p2 bra OVER; mov.u32 %r14, 0;";
const std::string kOverB = "  st.shared.v2.u32 [%r10], {%r8, %r8}; mov.u32 %r14, 0;";
const std::string kReadsD =
    "  tcgen05.fence::after_thread_sync; tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r14}, [%r2]; "
    "tcgen05.wait::ld.sync.aligned;";

TEST(PtxTensorRelease, AMayBeOverwritten) {
  EXPECT_EQ(Seen(Products(kOfReads, kOverA), 1), std::set<std::uint32_t>{kSixteen});
}

// B may not be, and D need not be there.
TEST(PtxTensorRelease, NothingElseIsOver) {
  EXPECT_GT(Seen(Products(kOfReads, kOverB), 1).size(), 1U);
  EXPECT_GT(Seen(Products(kOfReads, kReadsD), 0).size(), 1U);
  EXPECT_EQ(Seen(Products(".shared::cluster", kOverB), 1), std::set<std::uint32_t>{kSixteen});
  EXPECT_EQ(Seen(Products(".shared::cluster", kReadsD), 0), std::set<std::uint32_t>{kSixteen});
}

TEST(PtxTensorRelease, Forms) {
  for (const char* const form :
       {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a."
        "shared::cluster.b64 [%r1];",
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.sync_restrict::shared::read::mma::a."
        "shared::cluster.multicast::cluster::32b.b64 [%r1], %r2;",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a.b64 "
        "[%d1];"}) {
    EXPECT_EQ(Judge(form, 94, "107f"), FormVerdict::kAccepted) << form;
    EXPECT_EQ(Judge(form, 94, "107a"), FormVerdict::kAccepted) << form;
    EXPECT_EQ(Judge(form, 93, "107f"), FormVerdict::kMisuse) << form;
    EXPECT_EQ(Judge(form, 94, "100a"), FormVerdict::kMisuse) << form;
  }
  EXPECT_EQ(Judge("tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::"
                  "mma::b.shared::cluster.b64 [%r1];",
                  94, "107f"),
            FormVerdict::kRefused);
}

}  // namespace
}  // namespace muster::ptx
