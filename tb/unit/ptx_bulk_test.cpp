// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What PTX 8.6 and 9.2 add to bulk copies, and st.bulk (PTX ISA 9.7.9).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

Kernel One(const std::string& body, std::vector<Buffer> buffers) {
  std::string parameters;
  std::string loads;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    parameters += (i == 0 ? "" : ", ") + (".param .u64 " + buffers[i].name);
    loads += "  ld.param.u64 %d" + std::to_string(i + 1) + ", [" + buffers[i].name + "];\n";
  }
  Kernel kernel(".version 9.2\n.target sm_100\n.address_size 64\n.visible .entry test(" +
                    parameters + R"() {
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %d<8>;
  .shared .align 16 .b32 s[64]; .shared .align 8 .b64 bar;
  mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, 0;
)" + loads + body + "  ret;\n}\n",
                1);
  kernel.manifest.buffers = std::move(buffers);
  return kernel;
}

// s[i] = 0x01010101 * (i + 1)
const std::string kFill = R"(
F: mad.lo.u32 %r4, %r3, 4, %r1; add.u32 %r5, %r3, 1; mul.lo.u32 %r6, %r5, 0x01010101;
   st.shared.u32 [%r4], %r6; mov.u32 %r3, %r5; setp.lt.u32 %p1, %r3, 64; @%p1 bra F;
)";

// "The i-th bit in the 16-bit wide byteMask operand specifies whether the i-th byte of each 16-byte
// wide chunk of source data is copied to the destination."
TEST(PtxBulk, MaskSaysWhichBytesAreCopied) {
  for (const std::uint32_t mask : {0x0000U, 0xffffU, 0x0001U, 0x8000U, 0x6c31U, 0xaaaaU}) {
    const Kernel kernel =
        One(kFill + "  fence.proxy.async; mov.u16 %h1, " + std::to_string(mask) + R"(;
  cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d1], [%r1], 64, %h1;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
)",
            {MakeBuffer("out", std::vector<std::uint64_t>(10, 0xeeeeeeeeeeeeeeee))});
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Ended run(kernel, "default", seed);
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      std::vector<std::uint32_t> expected(20, 0xeeeeeeee);
      for (unsigned byte = 0; byte < 64; ++byte) {
        if ((mask >> byte % 16 & 1) != 0) {
          const unsigned shift = 8 * (byte % 4);
          expected[byte / 4] &= ~(0xffU << shift);
          expected[byte / 4] |= (byte / 4 + 1) << shift;
        }
      }
      EXPECT_EQ(run.Words(0), expected) << mask;
    }
  }
}

Kernel Ignoring(unsigned left, unsigned right) {
  return One(kFill + R"(
  mbarrier.init.shared::cta.b64 [%r2], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 48;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%d2], 48, )" +
                 std::to_string(left) + ", " + std::to_string(right) + R"(, [%r2];
W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra W;
   mov.u32 %r3, 0;
C: mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%d1], %r5;
   add.u64 %d1, %d1, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 13; @%p1 bra C;
)",
             {MakeBuffer("out", Type::kU32, 13),
              MakeBuffer("in", std::vector<std::uint64_t>{0xb0000000a, 0xd0000000c, 0xf0000000e,
                                                          0x1100000010, 0x1300000012})});
}

// "up to 15 bytes at the beginning or ending [...] may be out-of-bounds [...], and the value of the
// corresponding bytes in destination shared memory is indeterminate": here all their bits are set.
// They count for the mbarrier.
TEST(PtxBulk, IgnoredBytesMayBeOutside) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Ended run(Ignoring(4, 8), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(0), (std::vector<std::uint32_t>{0xffffffff, 11, 12, 13, 14, 15, 16, 17, 18,
                                                        19, 0xffffffff, 0xffffffff, 0x0d0d0d0d}));
  }
  EXPECT_EQ(Ended(Ignoring(0, 7)).outcome(), "memory_fault");
  const Ended many(Ignoring(16, 8));
  EXPECT_EQ(many.outcome(), "memory_fault");
  EXPECT_NE(many.grid().problem().find("ignores 16 and 8 bytes of a copy's ends: 15 at most"),
            std::string::npos)
      << many.grid().problem();
}

TEST(PtxBulk, StoresZeroes) {
  const auto body = [](const std::string& store) {
    return kFill + store + R"(
  mov.u32 %r3, 0;
C: mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%d1], %r5;
   add.u64 %d1, %d1, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra C;
)";
  };
  const struct {
    const char* store;
    unsigned from;
    unsigned to;
  } rows[] = {
      {"  st.bulk.weak.shared::cta [%r1], 8, 0;\n", 0, 2},
      {"  st.bulk.shared::cta [%r1+16], 0, 0;\n", 0, 0},
      {"  mov.u64 %d2, 240; st.bulk.shared::cta [s+16], %d2, 0;\n", 4, 64},
      {"  mov.u32 %r7, 24; cvt.u64.u32 %d2, %r1; cvta.shared.u64 %d2, %d2;\n"
       "  st.bulk.weak [%d2+8], %r7, 0;\n",
       2, 8},
  };
  for (const auto& row : rows) {
    const Ended run(One(body(row.store), {MakeBuffer("out", Type::kU32, 64)}));
    ASSERT_EQ(run.outcome(), "completes") << row.store << run.grid().problem();
    std::vector<std::uint32_t> expected;
    for (unsigned i = 0; i < 64; ++i) {
      expected.push_back(i >= row.from && i < row.to ? 0 : 0x01010101 * (i + 1));
    }
    EXPECT_EQ(run.Words(0), expected) << row.store;
  }
}

TEST(PtxBulk, BadStoresOfZeroes) {
  const auto problem = [](const std::string& store) {
    const Ended run(One(store, {MakeBuffer("out", Type::kU32, 1)}));
    EXPECT_EQ(run.outcome(), "memory_fault") << store;
    return run.grid().problem();
  };
  const std::string multiples =
      "size and address must be multiples of 8, and the size at most 16777216";
  EXPECT_NE(problem("  st.bulk.shared::cta [s], 12, 0;\n").find(multiples), std::string::npos);
  EXPECT_NE(problem("  st.bulk.shared::cta [s+4], 8, 0;\n").find(multiples), std::string::npos);
  EXPECT_NE(problem("  st.bulk.shared::cta [s], 16777224, 0;\n").find(multiples),
            std::string::npos);
  EXPECT_NE(problem("  st.bulk [%d1], 8, 0;\n").find("not in the CTA's own shared memory"),
            std::string::npos);
  EXPECT_NE(problem("  st.bulk.shared::cta [s], 272, 0;\n").find("writes 272 bytes at byte 0"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::ptx
