// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Barriers, diverged lanes, and what is reported of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/simt/warp_unit.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_threads.h"

namespace muster::ptx {
namespace {

using threads::All;
using threads::kStore;
using threads::Threads;

TEST(PtxBarrier, EveryForm) {
  // Each form, by all 64 threads; the reductions' results are added up.
  const struct {
    const char* form;
    std::uint32_t value;
  } rows[] = {
      {"bar.sync 0; mov.u32 %r10, 1;", 1},
      {"bar.sync 3, 64; mov.u32 %r10, 1;", 1},
      {"mov.u32 %r5, 5; bar.sync %r5; mov.u32 %r10, 1;", 1},
      {"mov.u32 %r5, 5; mov.u32 %r6, 64; bar.cta.sync %r5, %r6; mov.u32 %r10, 1;", 1},
      {"barrier.sync 15; mov.u32 %r10, 1;", 1},
      {"barrier.cta.sync.aligned 15, 64; mov.u32 %r10, 1;", 1},
      {"@%p4 bar.arrive 1, 64; @!%p4 bar.sync 1, 64; mov.u32 %r10, 1;", 1},
      {"@%p4 barrier.arrive 1, 64; @!%p4 barrier.sync 1, 64; mov.u32 %r10, 1;", 1},
      {"bar.red.popc.u32 %r10, 0, %p1;", 23},
      {"bar.red.popc.u32 %r10, 0, !%p1;", 41},
      {"bar.cta.red.popc.u32 %r10, 2, 64, %p1;", 23},
      {"barrier.red.popc.u32 %r10, 2, 64, !%p1;", 41},
      {"barrier.cta.red.popc.aligned.u32 %r10, 2, %p1;", 23},
      {"bar.red.and.pred %p2, 0, %p1; selp.u32 %r10, 1, 0, %p2;", 0},
      {"bar.red.and.pred %p2, 0, %p3; selp.u32 %r10, 1, 0, %p2;", 1},
      {"bar.red.or.pred %p2, 0, %p1; selp.u32 %r10, 1, 0, %p2;", 1},
      {"barrier.red.or.pred %p2, 0, 64, !%p3; selp.u32 %r10, 1, 0, %p2;", 0},
      {"barrier.red.and.pred %p1, 0, %p1; selp.u32 %r10, 1, 0, %p1;", 0},
  };
  for (const auto& row : rows) {
    for (const char* const config : {"small", "default", "full"}) {
      const Ended run(Threads(64, std::string("setp.lt.u32 %p1, %r1, 23; setp.lt.u32 %p3, %r1, 64;"
                                              " setp.eq.u32 %p4, %r3, 0;") +
                                      row.form + kStore),
                      config);
      ASSERT_EQ(run.outcome(), "completes") << row.form << run.grid().problem();
      EXPECT_EQ(run.Words(0), All(64, row.value)) << row.form;
      EXPECT_TRUE(run.grid().hazards().empty()) << row.form;
    }
  }
}

TEST(PtxBarrier, MemoryIsOrderedForEverySeed) {
  // Each round reads what another warp wrote in the round before.
  const std::string body = R"(
  shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r7, %r6, %r5;
  add.u32 %r8, %r1, 33; rem.u32 %r8, %r8, 128; shl.b32 %r8, %r8, 2; add.u32 %r8, %r6, %r8;
  mov.u32 %r9, 0; st.shared.u32 [%r7], %r1;
LOOP:
  bar.sync 0; ld.shared.u32 %r10, [%r8]; bar.sync 1; add.u32 %r11, %r10, 1;
  st.shared.u32 [%r7], %r11; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra LOOP;
)" + kStore;
  const std::vector<std::uint32_t> first = Ended(Threads(128, body)).Words(0);
  EXPECT_EQ(first[5], (5 + 20 * 33) % 128 + 19U);
  for (std::uint64_t seed = 2; seed < 20; ++seed) {
    EXPECT_EQ(Ended(Threads(128, body), "default", seed).Words(0), first) << seed;
  }
}

TEST(PtxBarrier, SameSeedSameRun) {
  const std::string body = "bar.sync 0; bar.red.popc.u32 %r10, 0, %p1;" + kStore;
  const Ended a(Threads(256, body, "sm_80", 9), "default", 5);
  const Ended b(Threads(256, body, "sm_80", 9), "default", 5);
  const Ended c(Threads(256, body, "sm_80", 9), "default", 6);
  EXPECT_EQ(a.cycles(), b.cycles());
  EXPECT_NE(a.cycles(), c.cycles());
}

TEST(PtxBarrier, WavesOfCtas) {
  const Ended run(
      Threads(96, "bar.red.popc.u32 %r10, 0, %p1; add.u32 %r10, %r10, %ctaid.x;" + kStore, "sm_80",
              50),
      "small");
  ASSERT_EQ(run.outcome(), "completes");
  for (std::uint32_t i = 0; i < 96 * 50; ++i) {
    ASSERT_EQ(run.Words(0)[i], i / 96);
  }
}

TEST(PtxBarrier, PartialWarps) {
  const Ended run(
      Threads(40, "setp.ge.u32 %p1, %r1, 0; bar.red.popc.u32 %r10, 0, 64, %p1;" + kStore));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0), All(40, 40));
}

TEST(PtxBarrier, ExitedThreadsAreNotWaitedFor) {
  // Odd lanes and warp 2 exit; the others meet, aligned and not.
  const Ended run(Threads(96, R"(
  and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 1; @%p1 exit;
  setp.eq.u32 %p2, %r3, 2; @%p2 ret;
  setp.eq.u32 %p3, %r5, 0; bar.red.popc.u32 %r10, 0, %p3; barrier.red.popc.u32 %r11, 1, %p3;
  add.u32 %r10, %r10, %r11;)" + kStore));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0)[0], 64U);
  EXPECT_EQ(run.Words(0)[62], 64U);
  EXPECT_EQ(run.Words(0)[1], 0U);
  EXPECT_TRUE(run.grid().hazards().empty());
}

TEST(PtxBarrier, LanesReconvergeBeforeAlignedBarriers) {
  // Every lane loops for as many rounds as its number; all come to the barrier as one.
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Ended run(Threads(64, R"(
  mov.u32 %r10, 0;
LOOP: setp.ge.u32 %p1, %r10, %r2; @%p1 bra DONE; add.u32 %r10, %r10, 1; bra LOOP;
DONE: bar.sync 0;)" + kStore),
                    "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_TRUE(run.grid().hazards().empty());
    for (std::uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(run.Words(0)[i], i % 32);
    }
  }
}

TEST(PtxBarrier, NonAlignedLanesAreGathered) {
  // Two paths to one barrier: the warp arrives once, each path gets its own destination.
  const Ended run(Threads(64, R"(
  setp.lt.u32 %p1, %r2, 10; setp.lt.u32 %p2, %r1, 40; @%p1 bra LOW;
  barrier.red.popc.u32 %r10, 0, 64, %p2; add.u32 %r10, %r10, 1000; bra DONE;
LOW: barrier.red.popc.u32 %r11, 0, 64, !%p2; mov.u32 %r10, %r11;
DONE:)" + kStore));
  ASSERT_EQ(run.outcome(), "completes") << run.outcome();
  // True lanes: 22 + 0 of warp 0; of warp 1, none of 42 to 63 and 32 to 41 less 32 to 39.
  EXPECT_EQ(run.Words(0)[0], 24U);
  EXPECT_EQ(run.Words(0)[20], 1024U);
  EXPECT_TRUE(run.grid().hazards().empty());
  EXPECT_EQ(run.grid().Operations(OpKind::kRedPopc), 2U);
}

// A warp arrives at one barrier: lanes that come to another one, or with another count or form,
// while others wait, are refused. Report and JSON name both.
TEST(PtxBarrier, LanesOfAWarpComeToOneBarrier) {
  const auto run = [](const std::string& high, const std::string& low, std::uint64_t seed) {
    return Ended(Threads(32, "  setp.lt.u32 %p1, %r2, 16; @%p1 bra LOW;\n  " + high +
                                 " bra DONE;\nLOW: " + low + "\nDONE:" + kStore),
                 "default", seed);
  };
  const std::string apart[][2] = {{"barrier.sync 1, 32;", "barrier.sync 2, 32;"},
                                  {"barrier.sync 1;", "barrier.arrive 1, 32;"},
                                  {"barrier.sync 1;", "barrier.sync 1, 32;"},
                                  {"barrier.sync 1;", "barrier.red.popc.u32 %r10, 1, %p1;"},
                                  {"barrier.sync 1;", "barrier.cluster.arrive;"}};
  for (const auto& row : apart) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      EXPECT_EQ(run(row[0], row[1], seed).outcome(), "fault:barrier_mismatch") << row[1];
    }
  }
  const Ended two = run(apart[0][0], apart[0][1], 1);
  const std::string text = TextReport(two.session(), two.verdict(), {two.cycles(), 0.1});
  for (const char* const part : {": barrier_mismatch: warp 0 of CTA (0,0,0), lanes 0x",
                                 "lanes 0xffff0000 wait at barrier 1 (line 9)",
                                 "lanes 0x0000ffff wait at barrier 2 (line 10)",
                                 ": all lanes of a warp must come to the same barrier"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const auto report = JsonReport(two.session(), two.verdict(), {});
  EXPECT_EQ(report["faults"][0]["cause"], "barrier_mismatch");
  EXPECT_EQ(run("barrier.sync 1;", "barrier.sync 1;", 1).outcome(), "completes");
  EXPECT_EQ(run("exit;", "barrier.sync 1;", 1).outcome(), "completes");
  EXPECT_EQ(run("barrier.sync 2; exit;", "barrier.sync 2; barrier.sync 1;", 1).outcome(),
            "completes");
}

TEST(PtxBarrier, Faults) {
  const struct {
    const char* body;
    const char* outcome;
    const char* why = "";
  } rows[] = {
      {"bar.sync 16;", "fault:bad_barrier_id", "the barriers are 0 to 15"},
      {"mov.u32 %r5, 0xffffffff; bar.sync %r5;", "fault:bad_barrier_id",
       "the barriers are 0 to 15"},
      {"bar.sync 0, 4096;", "fault:bad_count", "the thread count 4096 is above 4095"},
      {"add.u32 %r5, %r2, 10; barrier.sync %r5;", "fault:divergent_operand"},
      {"setp.eq.u32 %p1, %r2, 9; @%p1 barrier.sync 0, 4096;", "fault:bad_count",
       "the thread count 4096 is above 4095"},
      {"bar.sync 0, 33;", "fault:count_not_multiple",
       "the thread count 33 is not a multiple of 32"},
      {"bar.sync 0, 96;", "fault:count_above_cta", "96 threads, of 64 in the CTA"},
      {"bar.arrive 0, 0;", "fault:arv_without_count",
       "an arrival that does not wait needs a thread count"},
      {"setp.eq.u32 %p1, %r3, 0; @%p1 bra A; bar.sync 0; ret; A: bar.sync 0, 64;",
       "fault:count_mismatch", "64 threads"},
      {"setp.eq.u32 %p1, %r3, 0; @%p1 bra A; bar.sync 0; ret; A: bar.red.or.pred %p1, 0, %p1;",
       "fault:kind_mismatch", " came before it at line 8 to "},
  };
  for (const auto& row : rows) {
    const Ended run(Threads(64, row.body));
    EXPECT_EQ(run.outcome(), row.outcome);
    ASSERT_EQ(run.grid().faults().size(), 1U);
    const std::string& why = run.grid().faults()[0].explanation;
    EXPECT_NE(why.find(row.why), std::string::npos) << why;
    EXPECT_EQ(why.empty(), *row.why == '\0') << why;
    EXPECT_EQ(run.grid().faults()[0].line, 8U);
    EXPECT_EQ(static_cast<int>(run.verdict().code), 5);
  }
  // A unit without faults must not see them.
  EXPECT_EQ(Ended(Threads(64, "bar.sync 0, 33;"), "vortex_like").outcome(),
            "fault:count_not_multiple");
}

TEST(PtxBarrier, HazardsNameTheirLines) {
  const Ended repeated(Threads(64, R"(
  setp.eq.u32 %p1, %r3, 0; @%p1 bra A; ret;
A: bar.arrive 1, 64;
  bar.sync 1, 64; mov.u32 %r10, 1;)" + kStore));
  ASSERT_EQ(repeated.outcome(), "completes");
  EXPECT_EQ(repeated.Hazards(Hazard::kRepeatedArrival), 1U);
  EXPECT_EQ(repeated.grid().hazards()[0].line, 11U);
  const Ended unfinished(Threads(64, "\nbar.arrive 1, 96;", "sm_80", 2));
  EXPECT_EQ(unfinished.outcome(), "fault:count_above_cta");
  const Ended left(Threads(64, "setp.eq.u32 %p1, %r3, 0;\n@%p1 bar.arrive 1, 64;", "sm_80", 2));
  ASSERT_EQ(left.outcome(), "completes");
  EXPECT_EQ(left.Hazards(Hazard::kUnfinishedBarrier), 2U);
  EXPECT_EQ(left.grid().hazards()[0].line, 9U);
}

TEST(PtxBarrier, DeadlockReportNamesWhoIsWhere) {
  const Ended run(Threads(128, R"(
  setp.eq.u32 %p1, %r3, 0; @%p1 bra A; setp.eq.u32 %p2, %r3, 1; @%p2 bra B;
  setp.eq.u32 %p3, %r3, 2; @%p3 exit;
  bar.arrive 1, 96; bar.sync 5, 64; ret;
A: bar.sync 1, 96;
B: bar.sync 4, 64; ret;)"));
  ASSERT_EQ(run.outcome(), "deadlock");
  EXPECT_EQ(static_cast<int>(run.verdict().code), 3);
  const auto stuck = run.grid().StuckBarriers();
  ASSERT_EQ(stuck.size(), 3U);
  EXPECT_EQ(stuck[0].id, 1U);
  EXPECT_EQ(stuck[0].arrived, 2U);
  EXPECT_EQ(stuck[0].expected, 3U);
  ASSERT_EQ(stuck[0].came.size(), 2U);
  ASSERT_EQ(stuck[0].missing.size(), 2U);
  EXPECT_EQ(stuck[0].missing[0].what, "waits at barrier 4");
  EXPECT_EQ(stuck[0].missing[0].line, 13U);
  EXPECT_EQ(stuck[0].missing[1].what, "has exited");
  EXPECT_EQ(stuck[0].missing[1].line, 10U);
  EXPECT_EQ(stuck[1].id, 4U);
  EXPECT_EQ(stuck[2].id, 5U);
  const auto report = JsonReport(run.session(), run.verdict(), {run.cycles(), 0.1});
  for (const char* const key :
       {"outcome", "cycles", "warp_instructions", "thread_instructions", "operations", "releases",
        "barriers", "faults", "hazards", "simulated_khz", "config", "seed"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["deadlock"][0]["missing"][1]["line"], 10);
  const std::string text = TextReport(run.session(), run.verdict(), {run.cycles(), 0.1});
  EXPECT_NE(text.find("CTA (0,0,0), barrier 1 (sync): 2 of 3 warps have arrived"),
            std::string::npos);
  EXPECT_NE(text.find("missing  warp 2, which has exited (line 10)"), std::string::npos);
}

// Three groups, each of which waits for lanes of the next one.
TEST(PtxBarrier, LanesThatWaitForTheirOwnWarpAreADeadlock) {
  const Ended run(Threads(32, R"(
  setp.lt.u32 %p1, %r2, 8; @%p1 bra A; setp.lt.u32 %p1, %r2, 16; @%p1 bra B;
  bar.warp.sync 0xffff00ff; ret;
A: bar.warp.sync 0x0000ffff; ret;
B: vote.sync.all.pred %p2, %p1, 0xffffff00;)"));
  ASSERT_EQ(run.outcome(), "deadlock");
  const auto stuck = run.grid().StuckWarps();
  ASSERT_EQ(stuck.size(), 1U);
  const std::string text = TextReport(run.session(), run.verdict(), {run.cycles(), 0.1});
  EXPECT_NE(text.find("warp 0 waits for its own lanes: "), std::string::npos);
  for (const char* const part :
       {"lanes 0xffff0000 wait at bar.warp.sync for lanes 0x000000ff (line 10)",
        "lanes 0x000000ff wait at bar.warp.sync for lanes 0x0000ff00 (line 11)",
        "lanes 0x0000ff00 wait at vote.sync.all for lanes 0xffff0000 (line 12)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// Of two groups that wait for each other, the second one is refused.
TEST(PtxBarrier, LanesInEachOthersWayAreRefused) {
  const Ended run(Threads(32, R"(
  setp.lt.u32 %p1, %r2, 16; @%p1 bra LOW;
  bar.warp.sync -1; ret;
LOW: barrier.sync 0;)"));
  ASSERT_EQ(run.outcome(), "fault:mask_mismatch");
  const std::string text = TextReport(run.session(), run.verdict(), {run.cycles(), 0.1});
  EXPECT_NE(text.find(": mask_mismatch: warp 0 of CTA (0,0,0), lanes 0x"), std::string::npos);
  for (const char* const part :
       {"lanes 0x0000ffff wait at barrier 0 (line 11)",
        "lanes 0xffff0000 wait at bar.warp.sync for lanes 0x0000ffff (line 10)",
        ": neither can go on"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const auto report = JsonReport(run.session(), run.verdict(), {});
  EXPECT_EQ(report["faults"][0]["cause"], "mask_mismatch");
  EXPECT_NE(report["faults"][0]["message"].get<std::string>().find("neither"), std::string::npos);
}

TEST(PtxBarrier, SpinningLanesMakeProgress) {
  // Each lane takes a lock that only the lane before it passes on; the waiting ones spin.
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Ended run(Threads(64, R"(
  mov.u32 %r10, 0;
SPIN: atom.shared.cas.b32 %r5, [s], %r1, 1000; setp.ne.u32 %p1, %r5, %r1; @%p1 bra SPIN;
  add.u32 %r10, %r1, 1; st.shared.u32 [s], %r10;)" +
                                    kStore),
                    "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.Words(0)[63], 64U);
  }
}

TEST(PtxBarrier, DivergedLanesTakeTurns) {
  // Lanes 0 and 1 pass a number to and fro, each spinning on the other; then all lanes take a lock
  // with a long section under it. Every seed ends, and soon; each in an order of its own.
  const std::string body = R"(
  mov.u32 %r10, 0; setp.gt.u32 %p1, %r2, 1; @%p1 bra MEET;
AGAIN: add.u32 %r5, %r10, %r10; add.u32 %r5, %r5, %r2;
WAIT: ld.volatile.shared.u32 %r6, [s]; setp.ne.u32 %p2, %r6, %r5; @%p2 bra WAIT;
  add.u32 %r6, %r6, 1; st.volatile.shared.u32 [s], %r6;
  add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 50; @%p3 bra AGAIN;
MEET: bar.warp.sync -1;
TAKE: atom.shared.cas.b32 %r7, [s+8], 0, 1; setp.ne.u32 %p4, %r7, 0; @%p4 bra TAKE;
  mov.u32 %r8, 0;
WORK: ld.shared.u32 %r9, [s+12]; add.u32 %r9, %r9, 1; st.shared.u32 [s+12], %r9;
  add.u32 %r8, %r8, 1; setp.lt.u32 %p5, %r8, 40; @%p5 bra WORK;
  mov.u32 %r10, %r9; atom.shared.exch.b32 %r7, [s+8], 0;)" +
                           kStore;
  std::vector<std::uint64_t> cycles;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Ended run(Threads(32, body), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.outcome();
    EXPECT_LT(run.cycles(), 60'000U);
    auto turns = run.Words(0);
    std::sort(turns.begin(), turns.end());
    for (std::uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(turns[i], 40 * (i + 1));
    }
    cycles.push_back(run.cycles());
  }
  EXPECT_EQ(Ended(Threads(32, body), "default", 7).cycles(), cycles.back());
  std::sort(cycles.begin(), cycles.end());
  EXPECT_GT(std::unique(cycles.begin(), cycles.end()) - cycles.begin(), 5);
}

TEST(PtxBarrier, DeadlocksCountTheCtasThatHaveNotBegun) {
  // Three CTAs wait until all have come, where there is room for two.
  Kernel kernel = Threads(32, R"(
  atom.global.add.u32 %r5, [%d1], 1;
WAIT: ld.volatile.global.u32 %r5, [%d1]; setp.lt.u32 %p1, %r5, 96; @%p1 bra WAIT; ret;)",
                          "sm_80", 3);
  kernel.manifest.max_cycles = 30'000;
  EXPECT_EQ(Ended(kernel, "default").outcome(), "completes");
  const Ended run(kernel, "small");
  ASSERT_EQ(run.outcome(), "deadlock");
  const std::string text = TextReport(run.session(), run.verdict(), {});
  EXPECT_NE(text.find("  1 CTA has not begun: there is room"), std::string::npos) << text;
}

TEST(PtxBarrier, TimeoutsSayWhereEveryoneIs) {
  Kernel kernel = Threads(64, "setp.eq.u32 %p1, %r3, 0;\n@%p1 bar.sync 3, 64;\nL: bra L;");
  kernel.manifest.max_cycles = 2000;
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "timeout");
  const std::string text = TextReport(run.session(), run.verdict(), {run.cycles(), 0.1});
  EXPECT_NE(text.find("barrier 3 (sync): 1 of 2 warps have arrived"), std::string::npos) << text;
  EXPECT_NE(text.find("warp 1 runs: lanes 0xffffffff stand at line 10"), std::string::npos) << text;
}

TEST(PtxBarrier, WarpWideInstructions) {
  const Ended run(Threads(32, R"(
  setp.lt.u32 %p1, %r2, 16; @%p1 bra LOW;
  vote.sync.ballot.b32 %r10, %p1, 0xffff0000; bar.warp.sync -1; bra DONE;
LOW: setp.eq.u32 %p2, %r2, 3; vote.sync.ballot.b32 %r10, %p2, 0xffff; bar.warp.sync -1;
DONE: shfl.sync.down.b32 %r11, %r2, 1, 0x1f, -1; shfl.sync.bfly.b32 %r12, %r2, 1, 0x1f, -1;
  shfl.sync.idx.b32 %r13|%p3, %r2, 5, 0x1f, -1; shfl.sync.up.b32 %r14, %r2, 2, 0, -1;
  vote.sync.all.pred %p4, %p3, -1; selp.u32 %r15, 1, 0, %p4;
  mad.lo.u32 %r10, %r11, 256, %r10; mad.lo.u32 %r10, %r12, 65536, %r10;
  add.u32 %r10, %r10, %r13; add.u32 %r10, %r10, %r14; add.u32 %r10, %r10, %r15;)" +
                                  kStore));
  ASSERT_EQ(run.outcome(), "completes");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t ballot = lane < 16 ? 8 : 0;
    const std::uint32_t down = lane == 31 ? 31 : lane + 1;
    const std::uint32_t up = lane < 2 ? lane : lane - 2;
    EXPECT_EQ(run.Words(0)[lane], ballot + down * 256 + (lane ^ 1) * 65536 + 5 + up + 1);
  }
}

}  // namespace
}  // namespace muster::ptx
