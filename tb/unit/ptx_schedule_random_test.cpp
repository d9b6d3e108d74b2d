// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The order in which a random kernel's operations have committed, as a schedule of runs with other
// seeds: they commit in the same order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/ptx/launch/schedule_file.h"
#include "sim/ptx/simt/random.h"
#include "tb/unit/ptx_schedule.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWarps = 4;
constexpr unsigned kRounds = 8;

// Rounds of a named barrier at which some warps arrive and go on, of an mbarrier at which all
// threads arrive and some wait, and of accesses. Each line has one instruction that commits, and
// each round a named barrier of its own.
std::string RandomKernel(std::uint64_t seed) {
  Random random(seed);
  std::string text = R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<12>;
  .shared .align 8 .b64 bar[8]; .shared .align 4 .b32 s[128];
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;
  mov.u32 %r5, bar; mov.u32 %r6, s; mov.u32 %r7, 1; shl.b32 %r7, %r7, %r2;
  setp.eq.u32 %p1, %r1, 0;
)";
  for (unsigned round = 0; round < kRounds; ++round) {
    text += fmt::format("  @%p1 mbarrier.init.shared.b64 [bar+{}], {};\n", 8 * round, 32 * kWarps);
  }
  text += "  bar.sync 0;\n";
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned some = random.Below(1U << kWarps);  // warps
    text += fmt::format("  and.b32 %r8, %r7, {}; setp.ne.u32 %p2, %r8, 0;\n", some | 1);
    switch (random.Below(3)) {
      case 0:
        text += fmt::format("  @!%p2 bar.arrive {0}, {1};\n  @%p2 bar.sync {0}, {1};\n", round + 1,
                            32 * kWarps);
        break;
      case 1:
        text += fmt::format("  setp.lt.u32 %p3, %r3, {};\n", random.Below(33));
        text += fmt::format("  @%p3 mbarrier.arrive.shared.b64 _, [bar+{}];\n", 8 * round);
        text += fmt::format("  @!%p3 mbarrier.arrive.shared.b64 _, [bar+{}];\n", 8 * round);
        text += fmt::format("  @!%p2 bra OVER{0};\nWAIT{0}:\n", round);
        text += fmt::format("  mbarrier.{}_wait.parity.shared.b64 %p4, [bar+{}], 0;\n",
                            random.OneIn(2) ? "try" : "test", 8 * round);
        text += fmt::format("  @!%p4 bra WAIT{0};\nOVER{0}:\n", round);
        break;
      default:
        text += "  @%p2 atom.shared.add.u32 %r9, [s], 1;\n  @!%p2 ld.global.u32 %r9, [%d1];\n";
    }
  }
  return text + "  st.global.u32 [%d1], %r9;\n  ret;\n}\n";
}

// The turns that the commits were. CTA and warp slots are those of a grid of one CTA.
Schedule ScheduleOf(const std::vector<Committed>& commits, const Program& program) {
  Schedule schedule;
  std::map<std::tuple<unsigned, std::uint32_t>, std::array<std::uint32_t, 32>> times;
  for (const Committed& commit : commits) {
    const auto is = [&](const Instruction& i) {
      if (commit.of_mbarrier) {
        return i.op == Op::kMbarrier && i.line == commit.line;
      }
      if (commit.kind == OpKind::kExit) {
        return i.op == Op::kExit;
      }
      return i.op == Op::kBarrier && i.As<CtaBarrier>().kind == commit.kind &&
             program.literals[LiteralIndex(i.As<CtaBarrier>().id)] == commit.bar;
    };
    std::uint32_t pc = 0;
    while (!is(program.code[pc])) {
      ++pc;
    }
    std::array<std::uint32_t, 32>& of_lanes = times[{commit.warp, pc}];
    std::map<std::uint32_t, std::uint32_t> lanes;  // by time: a commit may be of several
    ForEachBit(commit.lanes, [&](unsigned lane) { lanes[++of_lanes[lane]] |= 1U << lane; });
    for (const auto& [time, those] : lanes) {
      schedule.turns.push_back({0, commit.warp, those, pc, time});
    }
  }
  return schedule;
}

// What a run has committed, as text. Lanes of one commit that are at different times are two turns,
// which may be two commits in another run.
std::string Order(const Followed& run) {
  return ScheduleText(ScheduleOf(run.commits(), run.session().program()), run.session().program());
}

TEST(PtxScheduleRandom, TheOrderOfOneRunInOthers) {
  unsigned differing = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Kernel kernel = [&] {
      Kernel made(RandomKernel(seed), 32 * kWarps);
      made.manifest.buffers = {MakeBuffer("out", Type::kU32, 1)};
      return made;
    }();
    const std::string config = seed % 2 == 0 ? "default" : "small";
    const Followed first(kernel, Schedule(), seed, config);
    ASSERT_EQ(first.outcome(), "completes");
    const Schedule schedule = ScheduleOf(first.commits(), first.session().program());
    ASSERT_GE(schedule.turns.size(), kWarps);
    for (const std::uint64_t other : {seed + 100, seed + 200}) {
      const Followed again(kernel, schedule, other, config);
      ASSERT_EQ(again.outcome(), "completes");
      EXPECT_EQ(again.turns(), schedule.turns.size()) << again.session().grid().missed();
      EXPECT_EQ(Order(again), Order(first)) << "kernel " << seed;
      differing += Order(Followed(kernel, Schedule(), other, config)) == Order(first) ? 0 : 1;
    }
    // The same through a file.
    const std::string path =
        WriteTestFile("schedule.json", ScheduleText(schedule, first.session().program()));
    const Followed read(kernel, ReadSchedule(path, first.session().program()), seed + 300, config);
    EXPECT_EQ(Order(read), Order(first));
  }
  EXPECT_GT(differing, 60);  // left to themselves, runs of other seeds go otherwise
}

}  // namespace
}  // namespace muster::ptx
