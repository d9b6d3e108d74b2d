// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// mbarriers: what threads get, who waits, and what is reported of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_mbarrier_kernel.h"

namespace muster::ptx {
namespace {

TEST(PtxMbarrier, EveryForm) {
  // Each completes a phase of 64 arrivals, of all threads or those with which count it is.
  const char* const arrivals[] = {
      "mbarrier.arrive.b64 state, [%d3];",
      "mbarrier.arrive.shared.b64 state, [a];",
      "mbarrier.arrive.shared.b64 state, [%r5];",
      "mbarrier.arrive.shared::cta.b64 state, [%r5];",
      "mbarrier.arrive.release.cta.shared::cta.b64 state, [a];",
      "mbarrier.arrive.relaxed.cluster.b64 state, [%d3];",
      "mbarrier.arrive.b64 state, [%d3], 1;",
      "mbarrier.arrive.expect_tx.shared.b64 state, [a], 0;",
      "mbarrier.arrive.expect_tx.shared.b64 state, [a], 16; mbarrier.complete_tx.b64 [%d3], 16;",
      ("mbarrier.expect_tx.relaxed.cta.shared.b64 [a], 8; mbarrier.arrive.b64 state, [%d3];"
       " mbarrier.complete_tx.shared::cta.b64 [a], 8;"),
      "mbarrier.arrive_drop.shared.b64 state, [a];",
      "mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 state, [a], 0;",
      ("@%p1 mbarrier.arrive.noComplete.release.cta.shared.b64 _, [a], 1; bar.sync 1;"
       " @!%p1 mbarrier.arrive.b64 _, [%d3]; mov.u64 state, 0;"),
      "cp.async.mbarrier.arrive.noinc.shared.b64 [a]; mov.u64 state, 0;",
      ("cp.async.mbarrier.arrive.b64 [%d3]; mbarrier.arrive.shared::cluster.b64 _, [a];"
       " mov.u64 state, 0;"),
  };
  const char* const waits[] = {
      "test_wait.b64 done, [%d3], state;",
      "test_wait.shared::cta.b64 done, [a], state;",
      "test_wait.parity.acquire.cta.shared.b64 done, [a], 0;",
      "try_wait.shared.b64 done, [%r5], state;",
      "try_wait.relaxed.cluster.b64 done, [%d3], state, 0;",
      "try_wait.parity.shared.b64 done, [a], 0;",
      "try_wait.parity.shared.b64 done, [a], %r10, 5000;",
  };
  for (const char* const arrival : arrivals) {
    for (const char* const wait : waits) {
      const Ended run(Threads(64, "64",
                              std::string(arrival) + "\nWAIT: mbarrier." + wait +
                                  " @!done bra WAIT; mov.u32 %r10, 7;"));
      ASSERT_EQ(run.outcome(), "completes") << arrival << wait << run.grid().problem();
      EXPECT_EQ(run.Words(0), All(64, 7)) << arrival << wait;
      EXPECT_TRUE(run.grid().hazards().empty()) << arrival << wait;
    }
  }
}

TEST(PtxMbarrier, EachLaneGetsTheWordBeforeItsOwnArrival) {
  for (const char* const config : {"small", "default", "full"}) {
    const Ended run(Threads(64, "100",
                            "@%p2 mbarrier.arrive.noComplete.shared.b64 state, [a], 2;"
                            " @%p2 mbarrier.pending_count.b64 %r10, state;"),
                    config);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(run.Words(0)[lane], lane < 32 ? 100 - 2 * lane : 0);
    }
  }
}

TEST(PtxMbarrier, LanesOfOneInstructionNameSeveralWordsAndCounts) {
  // Four words; a lane's count is its number modulo 3, plus 1. Each word gets 8 lanes: 16 less one.
  const Ended run(Threads(32, "1", R"(
  and.b32 %r11, %r2, 3; mad.lo.u32 %r12, %r11, 8, %r6; setp.lt.u32 %p4, %r2, 4;
  @%p4 mbarrier.init.shared.b64 [%r12], 100; bar.warp.sync -1;
  rem.u32 %r13, %r2, 3; add.u32 %r13, %r13, 1;
  mbarrier.arrive.shared.b64 state, [%r12], %r13; mbarrier.pending_count.b64 %r10, state;)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  std::uint32_t pending[4] = {100, 100, 100, 100};
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.Words(0)[lane], pending[lane % 4]) << lane;
    pending[lane % 4] -= lane % 3 + 1;
  }
}

TEST(PtxMbarrier, MemoryIsOrderedForEverySeed) {
  // Each round reads what the thread of another warp stored before its arrival.
  const std::string body = R"(
  mov.u32 %r11, flag; mad.lo.u32 %r12, %r1, 4, %r11; xor.b32 %r13, %r1, 32;
  mad.lo.u32 %r13, %r13, 4, %r11; mov.u32 %r14, 0;
ROUND:
  add.u32 %r15, %r14, %r1; st.shared.u32 [%r12], %r15; mbarrier.arrive.shared.b64 state, [a];
W1: mbarrier.try_wait.shared.b64 done, [a], state; @!done bra W1;
  ld.shared.u32 %r16, [%r13]; add.u32 %r10, %r10, %r16; mbarrier.arrive.shared.b64 state, [a];
W2: mbarrier.test_wait.shared.b64 done, [a], state; @!done bra W2;
  add.u32 %r14, %r14, 1; setp.lt.u32 %p4, %r14, 8; @%p4 bra ROUND;
)";
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    const Ended run(Threads(64, "64", body), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t thread = 0; thread < 64; ++thread) {
      ASSERT_EQ(run.Words(0)[thread], 8 * (thread ^ 32) + 28) << seed;
    }
    const std::vector<MbarrierRow> rows = run.grid().Mbarriers();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].phases, 16U);
    EXPECT_EQ(rows[0].arrivals, 64U * 16);
  }
}

TEST(PtxMbarrier, OtherLanesGoOnWhileSomeAreParked) {
  // Half of a warp waits, the other half lets it go; its own wait is answered at once.
  const Ended run(Threads(32, "16", R"(
  @%p3 bra SECOND;
  mbarrier.try_wait.parity.shared.b64 done, [a], 0, 100000; selp.u32 %r10, 1, 2, done; bra END;
SECOND:
  mov.u32 %r11, 0;
L: add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, 20; @%p4 bra L;
  mbarrier.try_wait.parity.shared.b64 done, [a], 0, 100000; selp.u32 %r10, 3, 4, done;
  mbarrier.arrive.shared.b64 _, [a];
END:)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_LT(run.cycles(), 5000U);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.Words(0)[lane], lane < 16 ? 4U : 1U);
  }
}

TEST(PtxMbarrier, OtherLanesParkAsSomeAreWoken) {
  // Half of warp 0 waits at `a`, half at `b`, until warp 1 arrives there, later and later. Who is
  // woken at `b` sees what was stored before.
  const std::string body = R"(
  @%p1 mbarrier.init.shared.b64 [b], 1; mov.u32 %r11, 0; bar.sync 0;
ROUND:
  and.b32 %r12, %r11, 1; mov.u32 %r14, 0;
  @!%p2 bra ARRIVE; @%p3 bra SECOND;
FIRST: mbarrier.try_wait.parity.shared.b64 done, [a], %r12; @!done bra FIRST; bra MEET;
SECOND: mbarrier.try_wait.parity.shared.b64 done, [b], %r12; @!done bra SECOND;
  ld.shared.u32 %r13, [flag]; sub.u32 %r13, %r13, %r11; or.b32 %r10, %r10, %r13; bra MEET;
ARRIVE: add.u32 %r14, %r14, 1; setp.le.u32 %p4, %r14, %r11; @%p4 bra ARRIVE;
  setp.ne.u32 %p5, %r2, 0; @%p5 bra MEET; mbarrier.arrive.shared.b64 _, [a];
LATER: add.u32 %r14, %r14, 1; setp.lt.u32 %p4, %r14, 60; @%p4 bra LATER;
  st.shared.u32 [flag], %r11; mbarrier.arrive.shared.b64 _, [b];
MEET:
  bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, 40; @%p4 bra ROUND;)";
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const Ended run(Threads(64, "1", body), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(0), All(64, 0)) << seed;
  }
}

TEST(PtxMbarrier, TimeLimitsAnswerFalse) {
  const Ended hint(Threads(32, "1",
                           "mbarrier.try_wait.parity.shared.b64 done, [a], 0, 300;"
                           " selp.u32 %r10, 1, 2, done;"));
  EXPECT_EQ(hint.Words(0), All(32, 2));
  EXPECT_GT(hint.cycles(), 300U);
  EXPECT_LT(hint.cycles(), 600U);
  EXPECT_EQ(hint.grid().Mbarriers()[0].limits, 1U);
  const Ended limit(Threads(32, "1",
                            "mbarrier.try_wait.parity.shared.b64 done, [a], 0;"
                            " selp.u32 %r10, 1, 2, done;"));
  EXPECT_EQ(limit.Words(0), All(32, 2));
  EXPECT_GT(limit.cycles(), FindConfig("default")->wait_limit_ns);
}

TEST(PtxMbarrier, AnAlignedBarrierWaitsForLanesThatWait) {
  // As compiled code does: thread 0 waits, then all meet. Warp 1 arrives late.
  const std::string body = R"(
  @!%p1 bra MEET;
W: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra W;
  mov.u32 %r11, 5; st.shared.u32 [flag], %r11;
MEET:
  @%p2 bra JOIN;
  mov.u32 %r11, 0;
L: add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, 3000; @%p4 bra L;
  mbarrier.arrive.shared.b64 _, [a];
JOIN:
  bar.sync 0; ld.shared.u32 %r10, [flag];)";
  const Ended run(Threads(64, "32", body));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), All(64, 5));
  EXPECT_TRUE(run.grid().hazards().empty());
}

TEST(PtxMbarrier, AccessesFollowTheWarpsOwnOperations) {
  // What is stored after an inval stays, for every seed.
  const std::string body = R"(
  mbarrier.arrive.shared.b64 _, [a];
W: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra W;
  bar.sync 0;
  @%p1 mbarrier.inval.shared.b64 [a]; mov.u64 %d5, 99; @%p1 st.shared.u64 [a], %d5;
  @%p1 ld.shared.u64 %d6, [a]; bar.sync 0; ld.shared.u64 %d7, [a]; cvt.u32.u64 %r10, %d7;)";
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Ended run(Threads(64, "64", body), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(0), All(64, 99)) << seed;
    EXPECT_TRUE(run.grid().hazards().empty());
  }
}

TEST(PtxMbarrier, ManyCtasOneAfterTheOther) {
  const Ended run(Threads(64, "64",
                          "mbarrier.arrive.shared.b64 state, [a];"
                          "W: mbarrier.try_wait.shared.b64 done, [a], state; @!done bra W;"
                          " mov.u32 %r10, 1; mbarrier.arrive.shared.b64 _, [a];",
                          50),
                  "small");
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), All(std::size_t{64} * 50, 1));
  EXPECT_EQ(run.grid().Mbarriers().size(), 50U);
}

// An arrival that is refused says which rule it breaks, with its numbers.
TEST(PtxMbarrier, RefusedCountsSayTheirNumbers) {
  const struct {
    const char* count;
    const char* body;
    const char* says;
  } rows[] = {
      {"2", "@%p1 mbarrier.arrive.shared.b64 _, [a], %r10;", "arrive: the count is 0"},
      {"2", "mov.u32 %r11, 0x100000; @%p1 mbarrier.arrive.shared.b64 _, [a], %r11;",
       "arrive: the count 1048576 is above 1048575"},
      {"4", "@%p1 mbarrier.arrive.shared.b64 _, [a]; @%p1 mbarrier.arrive.shared.b64 _, [a], 7;",
       "arrive: 7 arrivals come, and the phase lacks 3 of its 4"},
      {"1",
       "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [a], 16;\n"
       "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [a], 16;",
       "arrive.expect_tx: 1 arrival comes too many: the phase has had all of its 1, and lacks 16 "
       "bytes before the next one begins"},
      {"2", "@%p1 mbarrier.arrive_drop.shared.b64 _, [a], 3;",
       "arrive_drop: 3 arrivals come to be dropped, and a phase expects 2"},
  };
  for (const auto& row : rows) {
    const Ended run(Threads(32, row.count, row.body));
    ASSERT_EQ(run.outcome(), "fault:bad_arrive_count") << row.body;
    EXPECT_EQ(run.grid().faults().front().explanation, row.says);
  }
}

TEST(PtxMbarrier, Faults) {
  const struct {
    const char* body;
    const char* cause;
  } rows[] = {
      {"@%p1 mbarrier.arrive.shared.b64 _, [a+4];", "bad_address"},
      {"mov.u32 %r11, 0x100000; @%p1 mbarrier.arrive.shared.b64 _, [%r11];", "bad_address"},
      {"@%p1 mbarrier.arrive.b64 _, [%d2];", "bad_address"},
      {"@%p1 mbarrier.init.shared.b64 [b], %r10;", "bad_init_count"},
      {"@%p1 mbarrier.init.shared.b64 [b], 0x100000;", "bad_init_count"},
      {"@%p1 mbarrier.arrive.shared.b64 _, [a], %r10;", "bad_arrive_count"},
      {"@%p1 mbarrier.arrive.shared.b64 _, [a], 65;", "bad_arrive_count"},
      {"@%p1 mbarrier.expect_tx.shared.b64 [a], 0x100000;", "tx_overflow"},
      {"mbarrier.expect_tx.shared.b64 [a], 0xfffff;", "tx_overflow"},
      {"@%p1 mbarrier.arrive.noComplete.shared.b64 _, [a], 64;", "nocomplete_completed"},
      {"@%p1 mbarrier.arrive.shared.b64 _, [b];", "word_exhausted"},
      {"@%p1 mbarrier.inval.shared.b64 [a]; @%p1 mbarrier.arrive.shared.b64 state, [a];",
       "word_exhausted"},
      {"@%p1 mbarrier.init.shared.b64 [b], 0xfffff; cp.async.mbarrier.arrive.shared.b64 [b];",
       "pending_overflow"},
  };
  for (const auto& row : rows) {
    const Ended run(Threads(64, "64", row.body));
    ASSERT_EQ(run.outcome(), std::string("fault:") + row.cause) << row.body;
    const Incident& fault = run.grid().faults().front();
    EXPECT_EQ(fault.line, kBody) << row.body;
    EXPECT_NE(fault.lanes, 0U) << row.body;
    EXPECT_FALSE(fault.mbarrier.empty());
    EXPECT_EQ(run.verdict().code, ExitCode::kFault);
    const std::string text = TextReport(run.session(), run.verdict(), {});
    EXPECT_NE(text.find(row.cause), std::string::npos) << text;
  }
}

TEST(PtxMbarrier, Hazards) {
  const struct {
    const char* body;
    Hazard hazard;
    unsigned line;  // of the body
  } rows[] = {
      {"@%p1 mbarrier.init.shared.b64 [a], 3;", Hazard::kInitOverLive, 0},
      {"@%p1 mbarrier.test_wait.parity.shared.b64 done, [b], 0;", Hazard::kUninitialisedWord, 0},
      {"@%p1 st.shared.u64 [a], 5; bar.sync 0;\n@%p1 mbarrier.inval.shared.b64 [a];",
       Hazard::kUninitialisedWord, 1},
      {"@%p1 mbarrier.test_wait.parity.shared.b64 done, [a], 0; setp.eq.u32 %p4, %r1, 1;"
       "@%p4 mbarrier.arrive.shared.b64 _, [a], 64; @%p4 mbarrier.arrive.shared.b64 _, [a], 64;\n"
       "@%p1 mbarrier.test_wait.parity.shared.b64 done, [a], 0;",
       Hazard::kLateParity, 1},
      {"@%p2 mbarrier.try_wait.parity.shared.b64 done, [a], 0, 3000;\n mov.u32 %r11, 0;"
       "L: add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, 60; @%p4 bra L;\n"
       "@!%p2 st.shared.u32 [a], %r11;",
       Hazard::kStoreOverWaiters, 2},
      {"setp.lt.u32 %p4, %r1, 32;\n@%p4 mbarrier.arrive.shared.b64 _, [a], 4;",
       Hazard::kArrivalPastPhase, 1},
      {"setp.eq.u32 %p4, %r1, 0; selp.u32 %r11, 64, 1, %p4; setp.lt.u32 %p4, %r1, 32;\n"
       "@%p4 mbarrier.arrive.shared.b64 _, [a], %r11;",
       Hazard::kArrivalPastPhase, 1},
  };
  for (const auto& row : rows) {
    const Ended run(Threads(64, "64", row.body));
    ASSERT_EQ(run.outcome(), "completes") << row.body << run.grid().problem();
    ASSERT_EQ(run.grid().hazards().size(), 1U) << row.body;
    EXPECT_EQ(run.grid().hazards()[0].name, Name(row.hazard)) << row.body;
    EXPECT_EQ(run.grid().hazards()[0].line, kBody + row.line) << row.body;
    EXPECT_NE(TextReport(run.session(), run.verdict(), {}).find(Name(row.hazard)),
              std::string::npos);
  }
}

// A try_wait of a phase that no thread completes gives up at its hint or, where hints are ignored,
// at the limit of the unit, whatever the hint: also 0, and one beyond the limit.
TEST(PtxMbarrier, HintsMayBeIgnored) {
  const std::uint64_t limit = FindConfig("default")->wait_limit_ns;
  const struct {
    const char* hint;
    std::uint64_t least;  // nanoseconds, of a clock of 1 GHz, if the hint is used
  } rows[] = {{"", limit}, {", 0", 0}, {", 1", 1}, {", 100", 100}, {", 9000", 9000}};
  for (const auto& row : rows) {
    for (const bool ignored : {false, true}) {
      Kernel kernel = Threads(
          32, "64",
          fmt::format("  mov.u32 %r11, %clock;"
                      " mbarrier.try_wait.parity.shared.b64 done, [a], 0{};"
                      " mov.u32 %r12, %clock; sub.u32 %r10, %r12, %r11; @done mov.u32 %r10, 0;",
                      row.hint));
      kernel.manifest.hint_is_ignored = ignored;
      const Ended run(kernel);
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      const std::uint64_t took = run.Words(0)[0];
      const std::uint64_t least = ignored ? limit : row.least;
      EXPECT_GE(took, least) << row.hint;
      EXPECT_LE(took, least + 200) << row.hint;
    }
  }
}

// ------------------------------------------------------------------------------------------------
// Waits without end
// ------------------------------------------------------------------------------------------------

TEST(PtxMbarrier, WaitsThatNothingCanEndAreADeadlock) {
  // Warp 0 waits for 64 arrivals; warp 1 does something else for ever, or has gone.
  const char* const waits[] = {
      "W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W;",
      "W: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra W;",
      "W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 40; @!done bra W;",
      "W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done nanosleep.u32 20; @!done bra "
      "W;",
      "W: mov.u32 %r15, %clock; mov.u64 %d5, %globaltimer; add.u32 %r16, %r15, 1;"
      " mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W;",
      // Two mbarriers in turn, a value that has a period of its own, a store that changes nothing.
      "W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; @done bra V; add.u32 %r15, %r15, 1;"
      " and.b32 %r15, %r15, 3; mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W; V:",
      "W: st.shared.u32 [flag], 0; mbarrier.try_wait.parity.shared.b64 done, [a], 0, 50;"
      " @!done bra W;",
      // It polls, then looks at the clock and sleeps longer and longer: as headers have it.
      "mov.u64 %d5, %globaltimer; mov.u32 %r15, 0; W: mbarrier.try_wait.parity.shared.b64 done, "
      "[a], 0, 9;"
      " @done bra V; setp.lt.u32 %p4, %r15, 16; @%p4 bra C; mov.u64 %d6, %globaltimer;"
      " sub.u64 %d6, %d6, %d5; setp.lt.u64 %p5, %d6, 40000; @%p5 bra S; nanosleep.u32 1000; bra W;"
      " S: shr.u64 %d7, %d6, 2; cvt.u32.u64 %r16, %d7; nanosleep.u32 %r16; bra W;"
      " C: add.u32 %r15, %r15, 1; bra W; V:",
      // Half of the warp, while the other half waits for it.
      "@%p3 bra V; W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 50; @!done bra W; V:"
      " bar.warp.sync -1;",
  };
  const char* const others[] = {
      "ret;", "bar.sync 1, 64;",
      ("mbarrier.init.shared.b64 [b], 5; X: mbarrier.try_wait.parity.shared.b64 done, [b], 0;"
       " @!done bra X;")};
  for (const char* const wait : waits) {
    for (const char* const other : others) {
      const Ended run(Threads(64, "64",
                              std::string("@!%p2 bra OTHER; mbarrier.arrive.shared.b64 _, [a];\n") +
                                  wait + "\nbra END;\nOTHER: " + other + "\nEND:"));
      ASSERT_EQ(run.outcome(), "deadlock") << wait << other;
      const std::vector<StuckMbarrier> stuck = run.grid().StuckMbarriers();
      ASSERT_FALSE(stuck.empty());
      EXPECT_EQ(stuck[0].pending, 32U);
      EXPECT_EQ(stuck[0].expected, 64U);
      ASSERT_EQ(stuck[0].came.size(), 1U);
      EXPECT_EQ(stuck[0].came[0].line, kBody);
      ASSERT_EQ(stuck[0].waits.size(), 1U);
      EXPECT_EQ(stuck[0].waits[0].line, kBody + 1);
      ASSERT_EQ(stuck[0].missing.size(), 1U);
      EXPECT_EQ(stuck[0].missing[0].warp, 1U);
      const std::string text = TextReport(run.session(), run.verdict(), {});
      EXPECT_NE(text.find("mbarrier a (0x0): phase 0 (parity 0), 32 of 64 arrivals pending"),
                std::string::npos)
          << text;
    }
  }
}

// Warp 0 completes three phases; warp 1 is told of the first, sleeps meanwhile, and then waits for
// a phase of parity 0, which is the fourth. Warp 2 has nothing to do with the object.
TEST(PtxMbarrier, WaitThatIsLappedIsSeen) {
  const Ended run(
      Threads(96, "32",
              "mov.u32 %r15, %tid.x; setp.lt.u32 %p4, %r15, 32; @%p4 bra FIRST;\n"
              "setp.ge.u32 %p4, %r15, 64; @%p4 bra END;\n"
              "V: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra V;\n"
              "nanosleep.u32 20000;\n"
              "W: mbarrier.try_wait.parity.shared.b64 done, [a], 1; @!done bra W;\n"
              "bra END;\nFIRST: mbarrier.arrive.shared.b64 _, [a]; nanosleep.u32 5000;\n"
              "mbarrier.arrive.shared.b64 _, [a];\nmbarrier.arrive.shared.b64 _, [a];\nEND:"));
  ASSERT_EQ(run.outcome(), "deadlock");
  const std::vector<StuckMbarrier> stuck = run.grid().StuckMbarriers();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].phase, 3U);
  EXPECT_TRUE(stuck[0].parity);
  ASSERT_EQ(stuck[0].waits.size(), 1U);
  EXPECT_EQ(stuck[0].waits[0].what,
            "waits for parity 1, lanes 0xffffffff; phases 1 to 2 completed without its waiting");
  ASSERT_EQ(stuck[0].missing.size(), 1U) << "only warp 0 has ever arrived";
  EXPECT_EQ(stuck[0].missing[0].warp, 0U);
}

TEST(PtxMbarrier, WaitsThatSomethingEndsAreNone) {
  const char* const bodies[] = {
      // The loop counts, or looks at the clock, and gives up.
      "W: add.u32 %r10, %r10, 1; setp.eq.u32 %p4, %r10, 2000; @%p4 bra END;"
      " mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W; END:",
      "mov.u32 %r11, %clock; W: mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11;"
      " setp.gt.u32 %p4, %r12, 60000; @%p4 bra END;"
      " mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W; END:",
      // The clock decides before the wait what is done after it.
      "mov.u32 %r11, %clock; mov.u32 %r13, 0; bra W; L: mov.u32 %r12, %clock;"
      " sub.u32 %r12, %r12, %r11; setp.gt.u32 %p4, %r12, 60000; @%p4 bra X; bra W; X: mov.u32 "
      "%r13, 1;"
      " W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; setp.eq.u32 %p5, %r13, 1; @%p5 bra "
      "END;"
      " @!done bra L; END:",
      // It counts in its own memory.
      "st.local.u32 [%d8], 0; W: ld.local.u32 %r11, [%d8]; add.u32 %r11, %r11, 1;"
      " st.local.u32 [%d8], %r11; setp.eq.u32 %p4, %r11, 3000; @%p4 bra END;"
      " mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W; END:",
      // Warp 1 arrives after a time, by the clock or by a long loop.
      "@%p2 bra W; mov.u32 %r11, %clock; L: mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11;"
      " setp.lt.u32 %p4, %r12, 60000; @%p4 bra L; mbarrier.arrive.shared.b64 _, [a], 2;"
      " W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 200; @!done bra W;",
      // A flag that is set at last: by a thread that sleeps, polled by one whose wait times out.
      "@%p2 bra W; mov.u32 %r11, 0; L: add.u32 %r11, %r11, 1; nanosleep.u32 100;"
      " setp.lt.u32 %p4, %r11, 4000; @%p4 bra L; st.volatile.shared.u32 [flag], 1; bra END;"
      " W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 100;"
      " ld.volatile.shared.u32 %r12, [flag]; setp.eq.u32 %p4, %r12, 0; @%p4 bra W; END:",
  };
  for (const char* const body : bodies) {
    Kernel kernel = Threads(64, "64",
                            std::string(".local .align 4 .b32 mine; mov.u64 %d8, mine;\n") + body +
                                "\nmov.u32 %r10, 1;");
    kernel.manifest.max_cycles = 2'000'000;
    const Ended run(kernel);
    ASSERT_EQ(run.outcome(), "completes") << body;
    EXPECT_EQ(run.Words(0), All(64, 1));
  }
}

TEST(PtxMbarrier, ReportsHaveATable) {
  const Ended run(Threads(64, "64",
                          "mbarrier.arrive.shared.b64 state, [a];"
                          "W: mbarrier.try_wait.shared.b64 done, [a], state; @!done bra W;"));
  const auto json = JsonReport(run.session(), run.verdict(), {});
  EXPECT_EQ(json["mbarrier_operations"]["arrive"], 64);
  EXPECT_EQ(json["mbarriers"][0]["name"], "a (0x0)");
  EXPECT_EQ(json["mbarriers"][0]["phases"], 1);
  EXPECT_EQ(json["mbarriers"][0]["arrivals"], 64);
  EXPECT_EQ(json["mbarriers"][0]["time_limits"], 0);
  EXPECT_NE(TextReport(run.session(), run.verdict(), {}).find("a (0x0)"), std::string::npos);
}

TEST(PtxMbarrier, ConfigurationsThatLackWhatIsNeeded) {
  try {
    const Ended run(Threads(64, "64", "mbarrier.try_wait.parity.shared.b64 done, [a], 0, 50;"),
                    "vortex_like");
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("has no time limits of try_wait"), std::string::npos) << what;
    EXPECT_NE(what.find("test.ptx:12"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace muster::ptx
