// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Aligned barriers, at which lanes wait for all others of their warp, and operands that differ
// between lanes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/fault.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_threads.h"

namespace muster::ptx {
namespace {

using threads::All;
using threads::kStore;
using threads::Threads;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The lanes above 15 of warp 0 come to `bar.sync 0` while the others do something else first.
std::string AlignedBeside(const std::string& others) {
  return "  setp.ge.u32 %p1, %r2, 16; setp.eq.u32 %p4, %r3, 1; @%p1 bra MEET; @%p4 bra MEET;\n  " +
         others + "\nMEET: bar.sync 0;";
}

TEST(PtxBarrier, AlignedLanesWaitForAllOthers) {
  const struct {
    const char* others;
    const char* where;  // they stand
  } rows[] = {
      {"bar.sync 0;", "lanes 0x0000ffff wait at barrier 0"},  // of another instruction
      {"bar.sync 1, 32;", "lanes 0x0000ffff wait at barrier 1"},
      {"bar.arrive 1, 64;", "lanes 0x0000ffff wait at barrier 1"},
      {"barrier.sync 1;", "lanes 0x0000ffff wait at barrier 1"},
      {"bar.warp.sync 0x1ffff;", "lanes 0x0000ffff wait at bar.warp.sync for lanes 0x00010000"},
      {"vote.sync.any.pred %p2, %p1, -1;",
       "lanes 0x0000ffff wait at vote.sync.any for lanes 0xffff0000"},
      {"SPIN: ld.volatile.shared.u32 %r5, [s]; setp.eq.u32 %p2, %r5, 0; @%p2 bra SPIN;",
       "lanes 0x0000ffff stand at"},
  };
  for (const auto& row : rows) {
    const Ended run(Threads(64, AlignedBeside(row.others) + "\n  mov.u32 %r5, 1; @%p4 "
                                                            "st.volatile.shared.u32 [s], %r5;"));
    ASSERT_EQ(run.outcome(), "deadlock") << row.others;
    const std::vector<StuckWarp> stuck = run.grid().StuckWarps();
    ASSERT_EQ(stuck.size(), 1U) << row.others;
    EXPECT_TRUE(Has(stuck[0].where.what, "lanes 0xffff0000 wait at barrier 0")) << row.others;
    EXPECT_TRUE(Has(stuck[0].where.what, row.where)) << stuck[0].where.what;
  }
}

TEST(PtxBarrier, AlignedLanesWaitForOneThatPolls) {
  // Lane 0 polls what warp 1 sets before the barrier.
  const Ended run(Threads(64, R"(
  setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32; mov.u32 %r10, 1;
  @%p2 st.volatile.shared.u32 [s], %r10; @!%p1 bra MEET;
SPIN: ld.volatile.shared.u32 %r5, [s]; setp.eq.u32 %p3, %r5, 0; @%p3 bra SPIN;
MEET: bar.sync 0;)" + kStore));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0), All(64, 1));
}

TEST(PtxBarrier, ExitLetsAlignedLanesArrive) {
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Ended run(
        Threads(64, AlignedBeside("mov.u32 %r5, 0; L: add.u32 %r5, %r5, 1; setp.lt.u32 %p2,"
                                  " %r5, 300; @%p2 bra L; exit;") +
                        "\n  mov.u32 %r10, 1;" + kStore),
        "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.Words(0)[0], 0U);
    EXPECT_EQ(run.Words(0)[16], 1U);
    EXPECT_EQ(run.Words(0)[40], 1U);
  }
}

TEST(PtxBarrier, AlignedLanesWaitHoweverLongOthersRun) {
  // Lane 0 counts for as long as it takes, and the rest of its warp reads what it stores then.
  const Ended run(Threads(64, R"(
  mov.u32 %r5, 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;
LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 30000; @%p2 bra LOOP;
  st.shared.u32 [s], %r5;
MEET: bar.sync 0; ld.shared.u32 %r10, [s];)" +
                                  kStore));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0), All(64, 30000));
}

TEST(PtxBarrier, OldTargetsComeAligned) {
  const std::string body = R"(
  setp.lt.u32 %p1, %r2, 16; @%p1 bra LOW;
  barrier.sync 0; bra DONE;
LOW: barrier.sync 0;
DONE: mov.u32 %r10, 1;)" + kStore;
  EXPECT_EQ(Ended(Threads(32, body)).outcome(), "completes");
  EXPECT_EQ(Ended(Threads(32, body, "sm_61")).outcome(), "deadlock");
}

TEST(PtxBarrier, OperandsThatDifferBetweenLanesAreRefused) {
  const char* const rows[] = {"bar.sync %r5, 64;",      "bar.sync 1, %r6;",
                              "bar.arrive %r5, 64;",    "barrier.sync %r5, 64;",
                              "barrier.arrive 1, %r6;", "bar.red.popc.u32 %r10, %r5, %p1;"};
  for (const char* const row : rows) {
    const Ended run(Threads(64, R"(
  setp.eq.u32 %p1, %r1, 40; selp.u32 %r5, 7, 9, %p1; selp.u32 %r6, 32, 64, %p1; mov.u32 %r10, 1;
  )" + std::string(row) + kStore));
    ASSERT_EQ(run.outcome(), "fault:divergent_operand") << row;
    ASSERT_EQ(run.grid().faults().size(), 1U);
    EXPECT_EQ(run.grid().faults()[0].line, 10U) << row;
    EXPECT_EQ(run.grid().faults()[0].warp, 1U) << row;
    EXPECT_TRUE(Has(run.grid().problem(), "thread (40,0,0) of CTA (0,0,0)")) << row;
  }
  // Lanes that came to one instruction one after the other.
  const Ended run(Threads(32, R"(
  mov.u32 %r5, 0; setp.ge.u32 %p1, %r2, 2; @%p1 exit;
L: add.u32 %r5, %r5, 1; mul.lo.u32 %r6, %r2, 50; setp.lt.u32 %p2, %r5, %r6; @%p2 bra L;
  bar.sync %r2, 32;)"));
  EXPECT_EQ(run.outcome(), "fault:divergent_operand");
}

// The lanes that the guard leaves out go on, and those at the barrier wait for them.
TEST(PtxBarrier, GuardedBarrierOfSomeLanes) {
  const std::string guarded =
      "setp.lt.u32 %p1, %r2, 4; mov.u32 %r10, 0; @%p1 bar.red.popc.u32 %r10, 0, %p1;";
  EXPECT_EQ(Ended(Threads(32, guarded + " bar.sync 1;")).outcome(), "deadlock");
  const Ended run(Threads(32, guarded + kStore));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0)[0], 4U);
  EXPECT_EQ(run.Words(0)[4], 0U);
}

}  // namespace
}  // namespace muster::ptx
