// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions of several lanes, atomics of all widths, copies and fences.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// The words that 32 threads store from %r10.
std::vector<std::uint32_t> Lanes(const std::string& body, const std::string& target = "sm_90",
                                 std::uint64_t seed = 1) {
  Kernel kernel(".version 8.6\n.target " + target + R"(
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<8>;
  .reg .b128 %q<4>; .shared .align 16 .b8 s[1024];
  ld.param.u64 %d1, [out]; mov.u32 %r1, %laneid; mad.wide.u32 %d2, %r1, 4, %d1;
)" + body + "\n st.global.u32 [%d2], %r10; ret;\n}\n");
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 64)};
  const Ended run(kernel, "default", seed);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  auto words = run.Words(0);
  words.resize(32);
  return words;
}

template <typename F>
std::vector<std::uint32_t> Each(F f) {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    words[lane] = f(lane);
  }
  return words;
}

TEST(PtxWarp, Matches) {
  EXPECT_EQ(Lanes("and.b32 %r2, %r1, 3; match.any.sync.b32 %r10, %r2, -1;"),
            Each([](std::uint32_t lane) { return 0x11111111U << (lane & 3U); }));
  EXPECT_EQ(Lanes("cvt.u64.u32 %d3, %r1; shr.u64 %d3, %d3, 4; mov.u32 %r3, 0xffff;"
                  "setp.ge.u32 %p1, %r1, 16; @%p1 shl.b32 %r3, %r3, 16;"
                  "match.all.sync.b64 %r10|%p2, %d3, %r3; @!%p2 mov.u32 %r10, 1;"),
            Each([](std::uint32_t lane) { return lane < 16 ? 0xffffU : 0xffff0000U; }));
  EXPECT_EQ(Lanes("match.all.sync.b32 %r2|%p2, %r1, -1; selp.u32 %r10, 7, %r2, %p2;"),
            Each([](std::uint32_t) { return 0U; }));
}

// The unit answers each value by itself.
TEST(PtxWarp, LanesThatMatchTogetherGoOnTogether) {
  EXPECT_EQ(Lanes("and.b32 %r2, %r1, 7; match.any.sync.b32 %r3, %r2, -1; activemask.b32 %r10;"),
            Each([](std::uint32_t) { return ~0U; }));
}

// Lanes at two instructions match each other; lanes at one instruction have two masks.
TEST(PtxWarp, LanesApartMatch) {
  EXPECT_EQ(Lanes("and.b32 %r2, %r1, 3; mov.u32 %r10, 0; mov.u32 %r6, 0; setp.lt.u32 %p1, %r1, 16;"
                  "and.b32 %r3, %r1, 8; setp.eq.u32 %p2, %r3, 0;"
                  "selp.b32 %r4, 0x00ff00ff, 0xff00ff00, %p2;\n"
                  "L: @%p1 bra A; match.any.sync.b32 %r3, %r2, -1; bra J;\n"
                  "A: match.any.sync.b32 %r3, %r2, -1;\n"
                  "J: xor.b32 %r10, %r10, %r3; match.any.sync.b32 %r3, %r2, %r4;"
                  "xor.b32 %r10, %r10, %r3; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 21;"
                  "@%p3 bra L;"),
            Each([](std::uint32_t lane) {
              const std::uint32_t alike = 0x11111111U << (lane & 3U);
              return alike ^ (alike & ((lane & 8U) == 0 ? 0x00ff00ffU : 0xff00ff00U));
            }));
}

TEST(PtxWarp, Reductions) {
  const std::string signed_value = "sub.s32 %r2, %r1, 10; ";
  const auto all = [](std::uint32_t value) { return Each([=](std::uint32_t) { return value; }); };
  EXPECT_EQ(Lanes(signed_value + "redux.sync.add.s32 %r10, %r2, -1;"), all(496 - 320));
  EXPECT_EQ(Lanes(signed_value + "redux.sync.min.s32 %r10, %r2, -1;"), all(-10));
  EXPECT_EQ(Lanes(signed_value + "redux.sync.min.u32 %r10, %r2, -1;"), all(0));
  EXPECT_EQ(Lanes(signed_value + "redux.sync.max.s32 %r10, %r2, -1;"), all(21));
  EXPECT_EQ(Lanes("redux.sync.or.b32 %r10, %r1, -1;"), all(31));
  EXPECT_EQ(Lanes("redux.sync.and.b32 %r10, %r1, -1;"), all(0));
  EXPECT_EQ(Lanes("redux.sync.xor.b32 %r10, %r1, -1;"), all(0));
  // -0, a NaN in lane 3, and numbers: -0 is the least magnitude that is not the absolute one.
  const std::string floats =
      "cvt.rn.f32.s32 %f1, %r1; mov.f32 %f2, 0fFFC00000; setp.eq.u32 %p1, %r1, 3;"
      "selp.f32 %f1, %f2, %f1, %p1; setp.eq.u32 %p1, %r1, 5; @%p1 mov.f32 %f1, 0fC1000000;";
  EXPECT_EQ(Lanes(floats + "redux.sync.min.f32 %r10, %f1, -1;", "sm_100a"), all(0xc1000000));
  EXPECT_EQ(Lanes(floats + "redux.sync.min.abs.f32 %r10, %f1, -1;", "sm_100a"), all(0));
  EXPECT_EQ(Lanes(floats + "redux.sync.max.NaN.f32 %r10, %f1, -1;", "sm_100a"), all(0x7fffffff));
}

TEST(PtxWarp, Elections) {
  EXPECT_EQ(Lanes("mov.u32 %r10, 100; mov.u32 %r2, 0xfff0; setp.gt.u32 %p1, %r1, 15;"
                  "@%p1 mov.u32 %r2, 0xffff0000; setp.lt.u32 %p2, %r1, 4; @%p2 bra DONE;"
                  "elect.sync %r10|%p3, %r2; @%p3 add.u32 %r10, %r10, 1000;\nDONE:"),
            Each([](std::uint32_t lane) {
              const std::uint32_t leader = lane < 16 ? 4 : 16;
              return lane < 4 ? 100 : leader + (lane == leader ? 1000 : 0);
            }));
}

TEST(PtxWarp, LanesMeetAtSeveralPlaces) {
  // The same instruction with the same members at two places, whatever the order of the paths.
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    EXPECT_EQ(Lanes("setp.lt.u32 %p1, %r1, 7; @%p1 bra LOW; xor.b32 %r2, %r1, 1;"
                    "redux.sync.add.u32 %r10, %r2, -1; bra DONE;\n"
                    "LOW: redux.sync.add.u32 %r10, 0, -1; add.u32 %r10, %r10, 1000;\nDONE:",
                    "sm_90", seed),
              Each([](std::uint32_t lane) { return 496U - 21 + 1 - 2 + (lane < 7 ? 1000 : 0); }))
        << seed;
  }
}

TEST(PtxWarp, CallsAtSeveralPlacesStayApart) {
  // Lanes below 8 and the others call, at two places, a function that calls another one.
  const std::string text = Header("sm_80") + R"(
.func (.reg .b32 all) outer();
.func (.reg .b32 all) inner();
.visible .entry test(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %laneid; mad.wide.u32 %d2, %r1, 4, %d1;
  setp.lt.u32 %p1, %r1, 8; @%p1 bra LOW;
  call (%r10), outer; bra MEET;
LOW: call (%r10), outer;
MEET: activemask.b32 %r11; popc.b32 %r11, %r11; mad.lo.u32 %r10, %r11, 1000, %r10;
  st.global.u32 [%d2], %r10; ret;
}
.func (.reg .b32 all) outer() { call (all), inner; ret; }
.func (.reg .b32 all) inner() {
  .reg .pred %p<2>; .reg .b32 %r<4>; activemask.b32 %r1; setp.eq.u32 %p1, %r1, %r1; vote.sync.ballot.b32 %r2, %p1, %r1; popc.b32 all, %r2; ret;
}
)";
  Kernel kernel(text);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 32)};
  unsigned together = 0;  // where chance lets one group go on, they are not
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Ended run(kernel, "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(run.Words(0)[lane] % 1000, lane < 8 ? 8U : 24U) << seed;
    }
    together += run.Words(0)[0] / 1000 == 32 ? 1 : 0;
  }
  EXPECT_GT(together, 4U);
}

TEST(PtxWarp, OldFormsTakeTheLanesThatAreThere) {
  EXPECT_EQ(
      Lanes("mov.u32 %r10, 0; setp.lt.u32 %p1, %r1, 4; @%p1 bra LOW; bra DONE;\n"
            "LOW: setp.gt.u32 %p2, %r1, 1; vote.ballot.b32 %r10, %p2;"
            "shfl.down.b32 %r2, %r1, 1, 0x1f; add.u32 %r10, %r10, %r2;\nDONE:",
            "sm_61"),
      Each([](std::uint32_t lane) { return lane >= 4 ? 0 : 12 + (lane == 3 ? 0 : lane + 1); }));
}

// Lanes that get values from each other, without .sync, and go round for ever are a deadlock.
TEST(PtxWarp, LoopsAroundOldFormsAreFound) {
  Kernel kernel(".version 6.0\n.target sm_61\n.address_size 64\n" + std::string(R"(
.visible .entry test() {
  .reg .pred %p<4>; .reg .b32 %r<4>; mov.u32 %r1, 0; setp.eq.u32 %p1, %r1, 1;
L: vote.ballot.b32 %r2, %p1; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; ret;
})"));
  EXPECT_EQ(Ended(kernel).outcome(), "deadlock");
}

TEST(PtxWarp, ExitedLanesAreNotWaitedFor) {
  const auto out = Lanes(
      "setp.gt.u32 %p1, %r1, 20; @%p1 exit; vote.sync.all.pred %p2, %p3, -1;"
      "vote.sync.ballot.b32 %r10, !%p2, -1;");
  EXPECT_EQ(out[20], 0x1fffffU);
  EXPECT_EQ(out[21], 0U);
}

// Threads that store nothing.
Ended Ends(const std::string& body, std::uint64_t seed = 1) {
  return Ended(Kernel(Header("sm_90") + R"(
.visible .entry test() {
  .reg .pred %p<4>; .reg .b32 %r<8>; mov.u32 %r1, %laneid;
)" + body + "\n ret;\n}\n",
                      32),
               "default", seed);
}

TEST(PtxWarp, LaneThatItsMaskDoesNotNameIsRefused) {
  const Ended run = Ends("setp.gt.u32 %p1, %r1, 3;\n vote.sync.any.pred %p2, %p1, 0xfffffff3;");
  ASSERT_EQ(run.outcome(), "fault:not_a_member");
  ASSERT_EQ(run.grid().faults().size(), 1U);
  EXPECT_EQ(run.grid().faults()[0].lanes, 0xffffffffU);
  EXPECT_EQ(run.grid().faults()[0].line, 8U);
  EXPECT_NE(run.grid().problem().find("vote.sync.any with the member mask 0xfffffff3"),
            std::string::npos)
      << run.grid().problem();
}

TEST(PtxWarp, LanesThatNameEachOtherInDifferentMasksAreRefused) {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Ended run = Ends(
        "mov.u32 %r2, 0x3; setp.gt.u32 %p1, %r1, 0; @%p1 mov.u32 %r2, 0x7; "
        "setp.gt.u32 %p2, %r1, 1; @%p2 exit;\n bar.warp.sync %r2;",
        seed);
    ASSERT_EQ(run.outcome(), "fault:mask_mismatch");
    EXPECT_EQ(run.grid().faults()[0].line, 8U);
    EXPECT_EQ(Ones(run.grid().faults()[0].lanes), 1U);
  }
}

// Two halves wait for each other by one instruction, and their quarters by another one before.
TEST(PtxWarp, SeveralGroupsAreOpenAtOnce) {
  const std::string body = R"(
  shr.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; @%p1 bra Q0; setp.eq.u32 %p1, %r2, 1; @%p1 bra Q1;
  setp.eq.u32 %p1, %r2, 2; @%p1 bra Q2;
  redux.sync.add.u32 %r10, %r1, 0xff00ff00; bra DONE;
Q0: redux.sync.max.u32 %r10, %r1, 0x00ff00ff; bra DONE;
Q1: redux.sync.add.u32 %r10, %r1, 0xff00ff00; bra DONE;
Q2: redux.sync.max.u32 %r10, %r1, 0x00ff00ff;
DONE:)";
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    EXPECT_EQ(Lanes(body, "sm_90", seed), Each([](std::uint32_t lane) {
                return (lane >> 3 & 1) == 0 ? 23U : (8U + 15) * 4 + (24 + 31) * 4;
              }))
        << seed;
  }
}

TEST(PtxAtomic, AllWidths) {
  EXPECT_EQ(Lanes("mov.u16 %h1, 0; mov.u16 %h2, 9; st.shared.u64 [s], 0; bar.warp.sync -1;"
                  "atom.shared.cas.b16 %h3, [s+2], %h1, %h2; bar.warp.sync -1; "
                  "ld.shared.u32 %r10, [s];"),
            Each([](std::uint32_t) { return 0x90000U; }));
  // One lane swaps 0 for 128 bits; the others compare in vain.
  const auto wide = Lanes(
      "st.shared.v2.u64 [s], {0, 0}; bar.warp.sync -1; cvt.u64.u32 %d3, %r1; add.u64 %d3, %d3, 1;"
      "mov.b64 %d4, 77; mov.b128 %q1, {%d3, %d4}; mov.b64 %d5, 0; mov.b128 %q2, {%d5, %d5};"
      "atom.shared.cas.b128 %q3, [s], %q2, %q1; mov.b128 {%d6, %d7}, %q3; or.b64 %d6, %d6, %d7;"
      "setp.eq.u64 %p1, %d6, 0; selp.u32 %r10, 1, 0, %p1;");
  EXPECT_EQ(std::count(wide.begin(), wide.end(), 1U), 1);
  EXPECT_EQ(Lanes("mov.b64 %d4, 5; mov.b64 %d5, 6; mov.b128 %q1, {%d4, %d5};"
                  "mov.u64 %d8, s; cvta.shared.u64 %d8, %d8; atom.exch.b128 %q2, [%d8], %q1;"
                  "ld.shared.b128 %q3, [s]; mov.b128 {%d6, %d7}, %q3; cvt.u32.u64 %r10, %d7;"),
            Each([](std::uint32_t) { return 6U; }));
}

TEST(PtxAtomic, FloatsHalvesAndVectors) {
  EXPECT_EQ(Lanes("st.shared.u64 [s], 0; bar.warp.sync -1; red.shared.add.f32 [s], 0f3FC00000;"
                  "bar.warp.sync -1; ld.shared.f32 %f1, [s]; cvt.rzi.u32.f32 %r10, %f1;"),
            Each([](std::uint32_t) { return 48U; }));
  EXPECT_EQ(Lanes("st.shared.u32 [s], 0x3c000000; bar.warp.sync -1; mov.b32 %r2, 0x3c003800;"
                  "atom.shared.add.noftz.f16x2 %r3, [s], %r2; bar.warp.sync -1;"
                  "ld.shared.u32 %r10, [s];"),
            Each([](std::uint32_t) { return 0x50204c00U; }));  // 33 and 16
  EXPECT_EQ(Lanes("add.u64 %d3, %d1, 128; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;"
                  "red.global.add.v2.f32 [%d3], {%f1, %f2}; bar.warp.sync -1;"
                  "ld.global.v2.f32 {%f3, %f4}, [%d3]; add.f32 %f3, %f3, %f4;"
                  "cvt.rzi.u32.f32 %r10, %f3;"),
            Each([](std::uint32_t) { return 496U + 32; }));
}

TEST(PtxAtomic, OperatorsOn64Bits) {
  const struct {
    const char* op;
    std::uint32_t value;
  } rows[] = {{"add.u64", 496 + 5}, {"min.s64", 0}, {"max.u64", 31},
              {"and.b64", 0},       {"or.b64", 31}, {"xor.b64", 5}};
  for (const auto& row : rows) {
    EXPECT_EQ(
        Lanes("st.shared.u64 [s], 5; bar.warp.sync -1; cvt.u64.u32 %d3, %r1;"
              "atom.acq_rel.cta.shared::cta." +
              std::string(row.op) + " %d4, [s], %d3; bar.warp.sync -1; ld.shared.u32 %r10, [s];"),
        Each([&](std::uint32_t) { return row.value; }))
        << row.op;
  }
}

TEST(PtxMemory, CopiesAreThereWhenTheyAreWaitedFor) {
  EXPECT_EQ(
      Lanes("st.global.u32 [%d2], %r1; bar.warp.sync -1; mov.u64 %d4, s;"
            "setp.lt.u32 %p1, %r1, 8; shl.b32 %r3, %r1, 4; cvt.u64.u32 %d5, %r3;"
            "add.u64 %d4, %d4, %d5; add.u64 %d3, %d1, %d5;"
            "@%p1 cp.async.cg.shared.global [%d4], [%d3], 16;"
            "@!%p1 cp.async.ca.shared.global.L2::128B [%d4+0], [%d1], 8, 4;"
            "cp.async.commit_group; cp.async.wait_group 0; bar.warp.sync -1;"
            "shl.b32 %r4, %r1, 2; mov.u64 %d6, s; cvt.u64.u32 %d7, %r4; add.u64 %d6, %d6, %d7;"
            "ld.shared.u32 %r10, [%d6];"),
      Each([](std::uint32_t lane) { return lane; }));
}

}  // namespace
}  // namespace muster::ptx
