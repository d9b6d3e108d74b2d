// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// wgmma: what is in flight, and what goes wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr unsigned kFlightThreads = 128;

// A plain product of ones by what lies in 2048 bytes of shared memory, both operands at byte 0:
// without a swizzle, offsets 128 and 256 bytes. `p` has a thread's number.
constexpr std::uint64_t kOnes = 8ULL << 16 | 16ULL << 32;  // LBO 128, SBO 256
std::string FlightBody(const std::string& body) {
  return fmt::format(R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 out) {{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %l<8>; .reg .b64 %m; .reg .b64 %far; .reg .f32 %f<8>;
  .shared .align 1024 .b8 s[2048];
  ld.param.u64 %l1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %l1, %r1, 4, %l1;
  shr.u32 %r7, %r1, 5; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2; mov.u32 %r3, 0x3c003c00;
  setp.lt.u32 %p1, %r1, 128; @%p1 st.shared.v4.u32 [%r2], {{%r3, %r3, %r3, %r3}};
  fence.proxy.async; bar.sync 0;
  mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
  mov.b64 %m, {}; mov.b64 %far, {};
)",
                     kOnes, kOnes | 2000 >> 4) +
         body + R"(
  st.global.f32 [%l1], %f1; ret;
}
)";
}
const std::string kMultiply =
    "  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %m, %m, 1, 1, 1, 0, "
    "0;\n";
const std::string kFence = "  wgmma.fence.sync.aligned;\n";
const std::string kCommit = "  wgmma.commit_group.sync.aligned;\n";
std::string Wait(unsigned groups) {
  return fmt::format("  wgmma.wait_group.sync.aligned {};\n", groups);
}

Ended RunBody(const std::string& body, unsigned threads = kFlightThreads, std::uint64_t seed = 1) {
  Kernel kernel(FlightBody(body), threads);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, threads)};
  return Ended(kernel, "default", seed);
}
float Result(const Ended& run, unsigned thread = 0) {
  float value = 0;
  const std::uint32_t bits = run.Words(0)[thread];
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(PtxWgmmaFlight, GroupsAreWaitedForInTheirOrder) {
  const Ended run = RunBody(kFence + kMultiply + kCommit + kMultiply + kCommit + Wait(1) + Wait(0));
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(Result(run), 32.0F);
}

TEST(PtxWgmmaFlight, LanesApartWaitForTheirWarp) {
  const Ended run = RunBody(
      "  and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra MEET;\n"
      "  nanosleep.u32 100;\nMEET:\n" +
      kFence + kMultiply + kCommit + Wait(0));
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(Result(run, 1), 16.0F);
}

TEST(PtxWgmmaFlight, ReadsSharedMemoryAtATimeOfTheSeed) {
  // Zeroes come where the operands are, before the wait.
  std::set<float> seen;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Ended run = RunBody(
        kFence + kMultiply + kCommit +
            "  nanosleep.u32 40; mov.u32 %r3, 0; st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};\n" +
            Wait(0),
        kFlightThreads, seed);
    EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
    seen.insert(Result(run));
  }
  EXPECT_GT(seen.size(), 1U);
}

struct Misuse {
  const char* name;
  std::string body;
  const char* outcome;
  const char* says;
  unsigned threads = kFlightThreads;
};
std::ostream& operator<<(std::ostream& out, const Misuse& m) { return out << m.name; }

class PtxWgmmaMisuse : public testing::TestWithParam<Misuse> {};

TEST_P(PtxWgmmaMisuse, IsANamedFault) {
  const Misuse& m = GetParam();
  const Ended run = RunBody(m.body, m.threads);
  EXPECT_EQ(run.outcome(), m.outcome) << run.grid().problem();
  EXPECT_NE(run.grid().problem().find(m.says), std::string::npos) << run.grid().problem();
}

const std::string kSum = "  add.f32 %f1, %f1, %f1;\n";
const std::string kWarp1 = "  setp.eq.u32 %p2, %r7, 1;\n";

INSTANTIATE_TEST_SUITE_P(
    All, PtxWgmmaMisuse,
    testing::Values(
        Misuse{"no_fence", kMultiply + kCommit + Wait(0), "fault:wgmma_without_fence",
               "comes to the first wgmma.mma_async of its warp without a wgmma.fence"},
        Misuse{"written_after_the_fence", kFence + kSum + kMultiply + kCommit + Wait(0),
               "fault:wgmma_without_fence", "has a register that line 14 reads or writes"},
        Misuse{"read_between",
               kFence + kMultiply + kCommit + Wait(0) + kSum + kMultiply + kCommit + Wait(0),
               "fault:wgmma_without_fence", "has a register that line 17 reads or writes"},
        Misuse{"used_before_the_wait", kFence + kMultiply + kCommit + kSum + Wait(0),
               "fault:wgmma_in_flight", "of the wgmma.mma_async of line 14, for which no"},
        Misuse{"not_committed", kFence + kMultiply + Wait(0) + kSum, "fault:wgmma_in_flight",
               "reads or writes a register of the wgmma.mma_async of line 14"},
        Misuse{"waits_for_another", kFence + kMultiply + kCommit + Wait(1) + kSum,
               "fault:wgmma_in_flight", "of the wgmma.mma_async of line 14"},
        Misuse{"outside",
               kFence +
                   "  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %m, "
                   "%far, 1, 1, 1, 0, 0;\n",
               "fault:bad_descriptor",
               "goes on to byte 2255 of shared memory, of which the CTA has 2048"},
        Misuse{"another_shape",
               kFence + kMultiply +
                   "  wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %m, "
                   "%m, 1, 1, 1;\n" +
                   kCommit + Wait(0),
               "fault:wgmma_in_flight",
               "of the product of line 14, which is in flight and of another"},
        Misuse{"one_warp_elsewhere",
               kWarp1 + "  @%p2 bra OTHER;\n" + kFence + kCommit + Wait(0) +
                   "  bra DONE;\nOTHER:\n" + kFence + Wait(0) + "DONE:\n",
               "fault:partial_warpgroup", "comes to an instruction of four warps, where warp "},
        Misuse{"one_warp_leaves", kWarp1 + "  @%p2 exit;\n" + kFence + kCommit + Wait(0),
               "fault:partial_warpgroup", "four warps"},
        Misuse{"block_too_small", kFence, "fault:partial_warpgroup",
               "comes to an instruction of four warps, of which its block has 1", 32},
        Misuse{"another_descriptor",
               kWarp1 + "  @%p2 add.u64 %m, %m, 1;\n" + kFence + kMultiply + kCommit + Wait(0),
               "fault:divergent_operand", "names other matrices than warp "},
        Misuse{"lanes_differ", "  cvt.u64.u32 %m, %r1;\n" + kFence + kMultiply,
               "fault:divergent_operand", "than lane 0 of its warp"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PtxWgmmaFlight, OtherShapesMayFollowAFenceOrAWait) {
  const std::string other =
      "  wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %m, %m, 0, 1, "
      "1;\n";
  for (const std::string& between : {kFence, kCommit + Wait(0)}) {
    const Ended run = RunBody(kFence + kMultiply + between + other + kCommit + Wait(0));
    EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  }
}

TEST(PtxWgmmaFlight, OtherFormsAreRefused) {
  for (const std::string instruction :
       {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%f1, %f2, %f3, %f4}, %m, %m, 1, 1, 1, "
        "0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3}, %m, %m, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %m, %m, 1, 1, 1, "
        "0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %m, %m, 1, 2, 1, "
        "0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %m, %m, 1, 1, 1, "
        "0, 2;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %m, %m, 1, 1, 1, "
        "0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.bf16.bf16.bf16 {%r1, %r2}, %m, %m, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1, %r2}, %m, %m, 1;",
        "wgmma.mma_async.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %m, %m, 1, 1, 1, 0, "
        "0;"}) {
    try {
      RunBody("  " + instruction);
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":13:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
