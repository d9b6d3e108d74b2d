// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs that keep to a schedule: accesses, named barriers, mbarriers, exits; and what cannot be.
#include "tb/unit/ptx_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "sim/ptx/launch/report.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kOrderSeeds = 4;
constexpr std::uint32_t kAll = ~0U;

// `words` of u32, at %d1; %r1 is the thread, %r2 its warp, %r3 its lane, bar an mbarrier.
Kernel Body(std::uint32_t threads, std::uint32_t words, const std::string& body,
            std::uint32_t ctas = 1) {
  Kernel kernel(R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<12>; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;
)" + body + "\nEND: ret; // EXIT\n}\n",
                threads, ctas);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, words)};
  return kernel;
}

std::vector<unsigned> Orders(unsigned count) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::string Sentence(const Session& session) {
  const std::string text = TextReport(session, session.Judge(), {});
  const std::size_t at = text.find("schedule: ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(PtxSchedule, StoresOfTwoWarpsToOneWord) {
  const Kernel kernel = Body(64, 1, "  st.global.u32 [%d1], %r2; // STORE\n");
  for (std::uint64_t seed = 1; seed <= kOrderSeeds; ++seed) {
    for (const unsigned last : {0U, 1U}) {
      const Followed run(kernel, {{"STORE", 1 - last, kAll}, {"STORE", last, kAll}}, seed);
      ASSERT_EQ(run.outcome(), "completes");
      EXPECT_EQ(run.Words(0)[0], last);
      EXPECT_EQ(run.turns(), 2);
      EXPECT_EQ(Sentence(run.session()), "schedule: all 2 turns, in order");
      EXPECT_EQ(run.session().Judge().code, ExitCode::kAsExpected);
    }
  }
}

// Each lane leaves its number, and takes that of the lane before it.
TEST(PtxSchedule, LanesOfOneWarp) {
  const Kernel kernel = Body(8, 9, R"(
  add.u32 %r4, %r1, 1; mad.wide.u32 %d2, %r1, 4, %d1;
  atom.global.exch.b32 %r5, [%d1], %r4; // SWAP
  st.global.u32 [%d2+4], %r5;)");
  Random random(7);
  for (std::uint64_t seed = 1; seed <= 4 * kOrderSeeds; ++seed) {
    std::vector<unsigned> order = Orders(8);
    for (unsigned i = 7; i > 0; --i) {
      std::swap(order[i], order[random.Below(i + 1)]);
    }
    std::vector<Listed> rows;
    rows.reserve(order.size());
    for (const unsigned lane : order) {
      rows.push_back({"SWAP", 0, 1U << lane});
    }
    const Followed run(kernel, rows, seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.turns(), 8);
    std::uint32_t before = 0;
    for (const unsigned lane : order) {
      EXPECT_EQ(run.Words(0)[1 + lane], before) << lane;
      before = lane + 1;
    }
  }
}

// The lanes of a turn that need each other before they come there do not come together.
TEST(PtxSchedule, LanesThatCannotComeTogether) {
  const Kernel kernel = Body(32, 2,
                             R"(
  setp.ne.u32 %p1, %r3, 0; mov.u32 %r4, 1;
  @!%p1 bra SWAP;
AGAIN: ld.volatile.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra AGAIN;
SWAP: atom.global.exch.b32 %r5, [%d1], %r4; // SWAP
  atom.global.add.u32 %r5, [%d1+4], 1; // COUNT)"
                             "\n");
  for (std::uint64_t seed = 1; seed <= kOrderSeeds; ++seed) {
    const Followed run(kernel, {{"SWAP", 0, kAll}, {"COUNT", 0, kAll}}, seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.turns(), 2);
    EXPECT_EQ(run.Words(0)[1], 32);
  }
}

TEST(PtxSchedule, TimesOfALoop) {
  // The n-th round of warp w leaves 16 w + n + 1.
  const Kernel kernel = Body(64, 33, R"(
  mov.u32 %r6, 0; setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
AGAIN: mad.lo.u32 %r4, %r2, 16, %r6; mad.wide.u32 %d2, %r4, 4, %d1; add.u32 %r4, %r4, 1;
  atom.global.exch.b32 %r5, [%d1], %r4; // SWAP
  st.global.u32 [%d2+4], %r5;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 4; @%p2 bra AGAIN;)");
  for (const std::vector<unsigned>& warps : std::vector<std::vector<unsigned>>{
           {0, 1, 1, 0, 1, 0, 0, 1}, {1, 1, 1, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 1, 1, 1, 0}}) {
    std::uint32_t times[2] = {};
    std::vector<Listed> rows;
    for (const unsigned warp : warps) {
      rows.push_back({"SWAP", warp, 1, ++times[warp]});
    }
    const Followed run(kernel, rows);
    ASSERT_EQ(run.outcome(), "completes");
    std::uint32_t before = 0;
    for (const Listed& row : rows) {
      EXPECT_EQ(run.Words(0)[1 + row.warp * 16 + row.time - 1], before);
      before = row.warp * 16 + row.time;
    }
  }
}

// A lane whose guard is false has not executed the instruction.
TEST(PtxSchedule, AFalseGuardIsNoExecution) {
  const Kernel kernel = Body(64, 1, R"(
  mov.u32 %r6, 0;
AGAIN: setp.eq.u32 %p1, %r6, %r2;
  @%p1 st.global.u32 [%d1], %r2; // STORE
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 2; @%p2 bra AGAIN;)");
  for (const unsigned last : {0U, 1U}) {
    const Followed run(kernel, {{"STORE", 1 - last, kAll}, {"STORE", last, kAll}});
    EXPECT_EQ(run.turns(), 2);
    EXPECT_EQ(run.Words(0)[0], last);
  }
}

TEST(PtxSchedule, ArrivalsAtANamedBarrier) {
  const Kernel kernel = Body(96, 1,
                             R"(
  setp.eq.u32 %p1, %r2, 2; @%p1 bra SYNC;
  bar.arrive 1, 96; // ARRIVE
  bra END;
SYNC: bar.sync 1, 96; // SYNC)"
                             "\n");
  std::vector<unsigned> order = Orders(3);
  do {
    for (std::uint64_t seed = 1; seed <= kOrderSeeds; ++seed) {
      std::vector<Listed> rows;
      rows.reserve(order.size());
      for (const unsigned warp : order) {
        rows.push_back({warp == 2 ? "SYNC" : "ARRIVE", warp, kAll});
      }
      const Followed run(kernel, rows, seed);
      ASSERT_EQ(run.outcome(), "completes");
      EXPECT_EQ(run.turns(), 3);
      EXPECT_EQ(run.WarpsAt(1), order);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// A warp whose lanes come to a barrier by several instructions arrives once, when all have come.
TEST(PtxSchedule, OneArrivalOfSeveralInstructions) {
  const Kernel kernel = Body(64, 1,
                             R"(
  setp.lt.u32 %p1, %r3, 16; @%p1 bra LOW;
  barrier.sync 1; // HIGH
  bra END;
LOW: barrier.sync 1; // LOW)"
                             "\n");
  for (const unsigned first : {0U, 1U}) {
    const std::vector<Listed> rows{{"LOW", first, 0xffff},
                                   {"HIGH", first, 0xffff0000},
                                   {"HIGH", 1 - first, 0xffff0000},
                                   {"LOW", 1 - first, 0xffff}};
    const Followed run(kernel, rows);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.turns(), 4);
    EXPECT_EQ(run.WarpsAt(1), (std::vector<unsigned>{first, 1 - first}));
  }
}

TEST(PtxSchedule, AccessesAndBarriersTogether) {
  // Warp 1 passes the barrier of an earlier generation only after warp 0 has stored.
  const Kernel kernel = Body(64, 2, R"(
  setp.eq.u32 %p1, %r2, 1; @%p1 bra SECOND;
  bar.arrive 1, 64; // ARRIVE
  mov.u32 %r4, 7; st.global.u32 [%d1], %r4; // STORE
  bra END;
SECOND: bar.sync 1, 64; // SYNC
  ld.global.u32 %r4, [%d1]; // LOAD
  st.global.u32 [%d1+4], %r4;)");
  const Listed arrive{"ARRIVE", 0, kAll};
  const Listed store{"STORE", 0, kAll};
  const Listed sync{"SYNC", 1, kAll};
  const Listed load{"LOAD", 1, kAll};
  for (std::uint64_t seed = 1; seed <= kOrderSeeds; ++seed) {
    EXPECT_EQ(Followed(kernel, {arrive, store, sync, load}, seed).Words(0)[1], 7);
    EXPECT_EQ(Followed(kernel, {sync, arrive, store, load}, seed).Words(0)[1], 7);
    EXPECT_EQ(Followed(kernel, {sync, arrive, load, store}, seed).Words(0)[1], 0);
  }
}

Kernel TwoArrivalsAndAWait(const std::string& wait) {
  return Body(96, 1, R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [bar], 64; // INIT
  bar.sync 0; setp.eq.u32 %p2, %r2, 2; @%p2 bra WAIT;
  mbarrier.arrive.shared.b64 _, [bar]; // ARRIVE
  bra END;
WAIT: setp.ne.u32 %p3, %r3, 0; @%p3 bra END;
AGAIN: )" + wait);
}

TEST(PtxSchedule, ArrivalsAndATestOfAnMbarrier) {
  const Kernel kernel = TwoArrivalsAndAWait(
      "mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0; // WAIT\n"
      "selp.u32 %r4, 1, 2, %p4; st.global.u32 [%d1], %r4;\n");
  std::vector<unsigned> order = Orders(3);
  do {
    for (std::uint64_t seed = 1; seed <= kOrderSeeds; ++seed) {
      for (const char* const config : {"default", "small", "vortex_like"}) {
        std::vector<Listed> rows;
        rows.reserve(order.size());
        for (const unsigned warp : order) {
          rows.push_back({warp == 2 ? "WAIT" : "ARRIVE", warp, warp == 2 ? 1 : kAll});
        }
        const Followed run(kernel, rows, seed, config);
        ASSERT_EQ(run.outcome(), "completes") << config;
        EXPECT_EQ(run.turns(), 3) << config;
        EXPECT_EQ(run.Words(0)[0], order[2] == 2 ? 1 : 2);
        std::vector<unsigned> warps;
        for (const Committed& commit : run.commits()) {
          if (commit.of_mbarrier && commit.op != MbOp::kInit &&
              (warps.empty() || warps.back() != commit.warp)) {
            warps.push_back(commit.warp);
          }
        }
        EXPECT_EQ(warps, order);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(PtxSchedule, AWaitThatParksHasHadItsTurn) {
  const Kernel kernel = TwoArrivalsAndAWait(
      "mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; // WAIT\n @!%p4 bra AGAIN;\n");
  const Followed run(kernel, {{"WAIT", 2}, {"ARRIVE", 1, kAll}, {"ARRIVE", 0, kAll}});
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 3);
}

// Half of a warp's lanes arrive before another warp does, the others after it.
TEST(PtxSchedule, LanesOfAnMbarrierInstruction) {
  const Kernel kernel = TwoArrivalsAndAWait("bra END;\n");
  const Followed run(kernel,
                     {{"ARRIVE", 0, 0xff00ff00}, {"ARRIVE", 1, kAll}, {"ARRIVE", 0, 0x00ff00ff}});
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 3);
  std::vector<std::uint32_t> lanes{0};
  unsigned before = 0;
  for (const Committed& commit : run.commits()) {
    if (commit.of_mbarrier && commit.op == MbOp::kArrive) {
      if (commit.warp != before) {
        lanes.push_back(0);
        before = commit.warp;
      }
      lanes.back() |= commit.lanes;
    }
  }
  EXPECT_EQ(lanes, (std::vector<std::uint32_t>{0xff00ff00, kAll, 0x00ff00ff}));
}

TEST(PtxSchedule, Exits) {
  const Kernel kernel = Body(96, 1, "");
  const Followed run(
      kernel, {{"EXIT", 2, kAll}, {"EXIT", 0, 0xf0}, {"EXIT", 1, kAll}, {"EXIT", 0, 0xffffff0f}});
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 4);
  std::vector<unsigned> warps;
  for (const Committed& commit : run.commits()) {
    warps.push_back(commit.warp);
  }
  EXPECT_EQ(warps, (std::vector<unsigned>{2, 0, 1, 0}));
}

TEST(PtxSchedule, OfSeveralCtas) {
  const Kernel kernel = Body(32, 1,
                             R"(
  mov.u32 %r4, %ctaid.x; st.global.u32 [%d1], %r4; // STORE)"
                             "\n",
                             3);
  std::vector<unsigned> order = Orders(3);
  do {
    std::vector<Listed> rows;
    rows.reserve(order.size());
    for (const unsigned cta : order) {
      rows.push_back({"STORE", 0, kAll, 1, "executes", cta});
    }
    const Followed run(kernel, rows);
    EXPECT_EQ(run.turns(), 3);
    EXPECT_EQ(run.Words(0)[0], order.back());
  } while (std::next_permutation(order.begin(), order.end()));
}

// What cannot be: the run goes on without the rest of the schedule, and says where that ended.
TEST(PtxSchedule, Impossible) {
  const Kernel kernel = Body(64, 1,
                             R"(
  st.global.u32 [%d1], %r2; // BEFORE
  bar.sync 0; // SYNC
  st.global.u32 [%d1], %r2; // AFTER)"
                             "\n");
  for (const char* const config : {"default", "small"}) {
    const Followed run(kernel, {{"BEFORE", 1, kAll}, {"AFTER", 1, kAll}, {"SYNC", 0, kAll}}, 1,
                       config);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.turns(), 1);
    EXPECT_EQ(
        Sentence(run.session()),
        "schedule: 1 of 3 turns; the 2nd, warp 1 of CTA (0,0,0) at line 10 (lanes 0xffffffff, "
        "time 1), could not come: it waits at barrier 0 (line 9)");
    const Verdict verdict = run.session().Judge();
    EXPECT_EQ(verdict.code, ExitCode::kDiffers);
    const auto json = JsonReport(run.session(), verdict, {});
    EXPECT_EQ(json["schedule"].dump(), R"({"turns":3,"followed":1})");
  }
  const Followed late(kernel, {{"BEFORE", 0, kAll, 2}});
  EXPECT_EQ(late.outcome(), "completes");
  EXPECT_EQ(late.turns(), 0);
  EXPECT_NE(Sentence(late.session()).find("could not come: its CTA has ended"), std::string::npos)
      << Sentence(late.session());
}

TEST(PtxSchedule, TheCyclesAreUsedUpBefore) {
  Kernel kernel = Body(32, 1,
                       R"(
AGAIN: add.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra AGAIN;
  st.global.u32 [%d1], %r2; // STORE)"
                       "\n");
  kernel.manifest.max_cycles = 2000;
  const Followed run(kernel, {{"STORE", 0, kAll}});
  EXPECT_EQ(run.outcome(), "timeout");
  EXPECT_EQ(run.turns(), 0);
  EXPECT_NE(Sentence(run.session()).find("could not come: the cycles were used up before"),
            std::string::npos)
      << Sentence(run.session());
}

// Others spin for what waits for a turn that cannot come.
TEST(PtxSchedule, ImpossibleAndSpinning) {
  const Kernel kernel = Body(64, 2,
                             R"(
  setp.eq.u32 %p1, %r2, 1; @%p1 bra SECOND;
AGAIN: ld.volatile.global.u32 %r4, [%d1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra AGAIN;
  st.global.u32 [%d1+4], %r4; // LAST
  bra END;
SECOND: mov.u32 %r4, 5; st.volatile.global.u32 [%d1], %r4; // FLAG)"
                             "\n");
  const Followed run(kernel, {{"LAST", 0, kAll}, {"FLAG", 1, kAll}});
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 0);
  EXPECT_EQ(run.Words(0)[1], 5);
}

TEST(PtxSchedule, EndsInADeadlockOrAFault) {
  // Warp 1 arrives twice: both in one generation, or one in each.
  const Kernel twice = Body(64, 1,
                            R"(
  setp.eq.u32 %p1, %r2, 1; @%p1 bra SECOND;
  bar.sync 1, 64; // ONE
  bar.sync 1, 64; // TWO
  bra END;
SECOND: bar.arrive 1, 64; // ARRIVE)"
                            "\n");
  const Followed deadlock(twice, {{"ARRIVE", 1, kAll}, {"ONE", 0, kAll}, {"TWO", 0, kAll}});
  EXPECT_EQ(deadlock.outcome(), "deadlock");
  EXPECT_EQ(deadlock.turns(), 3);
  EXPECT_EQ(deadlock.session().Judge().code, ExitCode::kDeadlock);
  const Kernel outside =
      Body(64, 1, "  setp.eq.u32 %p1, %r1, 33; @%p1 st.global.u32 [%d1+4096], %r2; // STORE\n");
  const Followed fault(outside, {{"STORE", 1, 2}});
  EXPECT_EQ(fault.outcome(), "memory_fault");
  EXPECT_EQ(fault.turns(), 1);
  const Kernel above = Body(64, 1,
                            R"(
  bar.sync 1, 40; // SYNC)"
                            "\n");
  const Followed refused(above, {{"SYNC", 1, kAll}});
  EXPECT_EQ(refused.outcome(), "fault:count_not_multiple");
  EXPECT_EQ(refused.turns(), 1);
}

TEST(PtxSchedule, ThreadsThatAreNotThere) {
  const Kernel kernel = Body(40, 1, "  st.global.u32 [%d1], %r2; // STORE\n");
  const auto refusal = [&](const Listed& row) {
    try {
      Followed(kernel, {row});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({"STORE", 0, 1, 1, "executes", 1}),
            "the schedule's turns[0] names CTA 1 of a grid of 1");
  EXPECT_EQ(refusal({"STORE", 2}), "the schedule's turns[0] names warp 2 of CTAs with 2");
  EXPECT_EQ(refusal({"STORE", 1, 0x100}),
            "the schedule's turns[0] names the lanes 0x00000100 of a warp with 8 threads");
}

}  // namespace
}  // namespace muster::ptx
