// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which loops end, and which are a deadlock.
#include <gtest/gtest.h>

#include <string>

#include "sim/ptx/launch/report.h"
#include "sim/ptx/program/op_class.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A kernel with two warps, a mbarrier of one arrival, and a result for each thread. The body begins
// in line 10.
Kernel Loops(const std::string& body, const std::string& others = "") {
  Kernel kernel(Header("sm_90") + R"(.visible .entry test(.param .u64 out, .param .u64 word) {
  .reg .pred %p<8>; .reg .pred done; .reg .b32 %r<20>; .reg .b64 %d<12>;
  .shared .align 8 .b64 a; .shared .align 4 .b32 flag;
  ld.param.u64 %d1, [out]; ld.param.u64 %d3, [word]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid;
  mad.wide.u32 %d2, %r1, 4, %d1; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32;
  @%p1 mbarrier.init.shared.b64 [a], 1; mov.u32 %r10, 1; bar.sync 0; @!%p2 bra OTHERS;
)" + body + "\n  bra DONE;\nOTHERS: " +
                    others + "\nDONE: st.global.u32 [%d2], %r10; ret;\n}\n",
                64);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 64), MakeBuffer("word", Type::kU32, 1)};
  return kernel;
}

TEST(PtxEndless, WhatAClockGuardsMayEndALoop) {
  // Warp 0 polls, and when its time has come it does, once, what lets warp 1 arrive.
  const char* const acts[] = {
      "@%p5 barrier.cluster.arrive;",
      "@%p5 st.volatile.shared.u32 [flag], 1; @%p5 barrier.cluster.arrive;",
      "@%p5 barrier.arrive 1, 64; @%p5 barrier.cluster.arrive;",
  };
  for (const char* const act : acts) {
    const Ended run(Loops(std::string("mov.u32 %r11, %clock; mov.u32 %r13, 0;"
                                      " W: mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11;"
                                      " setp.gt.u32 %p4, %r12, 30000; setp.eq.u32 %p5, %r13, 0;"
                                      " and.pred %p5, %p4, %p5; @%p5 mov.u32 %r13, 1; ") +
                              act +
                              " mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W;",
                          "barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 %p3, %r1, 32;"
                          " @%p3 mbarrier.arrive.shared.b64 _, [a];"));
    EXPECT_EQ(run.outcome(), "completes") << act;
    EXPECT_GT(run.cycles(), 30'000U) << act;
  }
}

// Loops that look at memory until it changes, or at nothing.
const char* const kSpins[] = {
    "W: ld.volatile.global.u32 %r11, [%d3]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
    "W: ld.acquire.cta.shared.u32 %r11, [flag]; nanosleep.u32 100; setp.eq.u32 %p3, %r11, 0;"
    " @%p3 bra W;",
    // Locks that a thread holds.
    "atom.shared.exch.b32 %r11, [flag], 1;"
    " W: atom.shared.cas.b32 %r11, [flag], 0, 1; setp.ne.u32 %p3, %r11, 0; @%p3 bra W;",
    "W: atom.global.exch.b32 %r11, [%d3], 1; setp.ne.u32 %p3, %r11, 0; @%p3 bra W; bra W;",
    // It sleeps the longer the longer it waits: by a counter, by a clock.
    "mov.u32 %r12, 8; W: ld.volatile.shared.u32 %r11, [flag]; setp.ne.u32 %p3, %r11, 0;"
    " @%p3 bra V; nanosleep.u32 %r12; shl.b32 %r12, %r12, 1; min.u32 %r12, %r12, 256; bra W; V:",
    "mov.u64 %d5, %globaltimer; W: ld.volatile.shared.u32 %r11, [flag]; setp.ne.u32 %p3, %r11, 0;"
    " @%p3 bra V; mov.u64 %d6, %globaltimer; sub.u64 %d6, %d6, %d5; setp.lt.u64 %p5, %d6, 9000;"
    " @%p5 bra S; nanosleep.u32 300; bra W; S: shr.u64 %d7, %d6, 5; cvt.u32.u64 %r16, %d7;"
    " nanosleep.u32 %r16; bra W; V:",
    // It lets time pass before each look.
    "W: mov.u32 %r12, %clock; S: mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r12;"
    " setp.lt.u32 %p4, %r13, 500; @%p4 bra S; ld.volatile.shared.u32 %r11, [flag];"
    " setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
    // One lane, while the others wait for it; lanes that ask each other.
    "setp.ne.u32 %p4, %r2, 0; @%p4 bra V; W: ld.volatile.shared.u32 %r11, [flag];"
    " setp.eq.u32 %p3, %r11, 0; @%p3 bra W; V: bar.warp.sync -1;",
    "setp.ne.u32 %p4, %r2, 0; @%p4 bra V; W: ld.volatile.shared.u32 %r11, [flag];"
    " setp.eq.u32 %p3, %r11, 0; @%p3 bra W; V: bar.sync 2, 64;",
    "W: ld.volatile.shared.u32 %r11, [flag]; setp.eq.u32 %p3, %r11, %r1;"
    " vote.sync.any.pred %p3, %p3, -1; @%p3 bra W;",
    // In a function's way: its frame is in local memory.
    ".local .align 4 .b32 mine; mov.u64 %d8, mine; W: ld.volatile.shared.u32 %r11, [flag];"
    " st.local.u32 [%d8], %r11; ld.local.u32 %r12, [%d8]; setp.eq.u32 %p3, %r12, 0; @%p3 bra W;",
    "W: bra W;",
};

TEST(PtxEndless, SpinsThatNobodyCanEndAreADeadlock) {
  const char* const others[] = {
      "", "bar.sync 1, 64;", "X: ld.volatile.shared.u32 %r11, [flag+0]; bra X;",
      ("setp.lt.u32 %p6, %r2, 3; @%p6 bra Y; bar.warp.sync 0xfffffff8; bra X; Y: bar.sync 1, 64;"
       " X: mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra X;")};
  for (const char* const spin : kSpins) {
    for (const char* const other : others) {
      const Ended run(Loops(spin, other));
      ASSERT_EQ(run.outcome(), "deadlock") << spin << other;
      EXPECT_LT(run.cycles(), 40'000U) << spin << other;
      const std::string text = TextReport(run.session(), run.verdict(), {});
      EXPECT_NE(text.find("warp 0"), std::string::npos) << text;
    }
  }
}

TEST(PtxEndless, ADeadlockSaysWhoRepeatsALoop) {
  const Ended run(
      Loops("W: ld.volatile.global.u32 %r11, [%d3];\n"
            " setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
            "bar.sync 1, 64;"));
  ASSERT_EQ(run.outcome(), "deadlock");
  const std::string text = TextReport(run.session(), run.verdict(), {});
  EXPECT_NE(text.find("missing  warp 0, which repeats a loop: lanes 0xffffffff stand at line 1"),
            std::string::npos)
      << text;
  const auto report = JsonReport(run.session(), run.verdict(), {});
  EXPECT_EQ(report["deadlock"][1]["warp"], 0);
  EXPECT_EQ(text.find("--max-cycles"), std::string::npos);
}

TEST(PtxEndless, ADeadlockSaysWhatALoopReads) {
  const struct {
    const char* spin;
    const char* reads;  // empty: that is not known
  } rows[] = {
      {"W: ld.acquire.gpu.global.u32 %r11, [%d3];\n setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       ", and read 0 at byte 0 of buffer word (line 10)"},
      {"W: ld.acquire.cta.shared.u32 %r11, [flag];\n nanosleep.u32 100;"
       " setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       ", and read 0 at flag (0x8) (line 10)"},
      {"atom.shared.exch.b32 %r11, [flag], 7;\n W: atom.shared.cas.b32 %r11, [flag], 0, 1;"
       " setp.ne.u32 %p3, %r11, 0; @%p3 bra W;",
       ", and read 7 at flag (0x8) (line 11)"},
      {"mov.u32 %r12, -5; st.shared.u32 [flag], %r12;\n W: ld.volatile.shared.s16 %r11, [flag+0];"
       " setp.lt.s32 %p3, %r11, 0; @%p3 bra W;",
       ", and read -5 at flag (0x8) (line 11)"},
      {"mov.f32 %r12, 0f3FC00000; st.shared.f32 [flag], %r12;\n"
       "W: ld.volatile.shared.f32 %r11, [flag]; setp.gt.f32 %p3, %r11, 0f3F800000; @%p3 bra W;",
       ", and read 1.5 at flag (0x8) (line 11)"},
      // The pointer is found anew each time round; each lane has an address of its own.
      {"W: ld.param.u64 %d4, [out]; mad.wide.u32 %d5, %r2, 4, %d4;\n"
       "ld.volatile.global.u32 %r11, [%d5]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       ", and lane 0 reads 0 at byte 0 of buffer out (line 11)"},
      {"W: ld.volatile.global.u32 %r11, [%d3];\n ld.volatile.shared.u32 %r12, [flag];"
       " or.b32 %r11, %r11, %r12; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       ", and read 0 at byte 0 of buffer word (line 10), read 0 at flag (0x8) (line 11)"},
      // Two addresses in turn.
      {"W: mov.u32 %r14, flag; ld.volatile.shared.u32 %r11, [%r14]; mov.u32 %r14, a;"
       " ld.volatile.shared.u32 %r12, [%r14]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       ""},
      // Memory of its own.
      {".local .align 4 .b32 mine; W: ld.volatile.local.u32 %r11, [mine]; bra W;", ""},
      {"W: bra W;", ""},
  };
  for (const auto& row : rows) {
    const Ended run(Loops(row.spin, "bar.sync 1, 64;"));
    ASSERT_EQ(run.outcome(), "deadlock") << row.spin;
    const std::string text = TextReport(run.session(), run.verdict(), {});
    const std::size_t at = text.find("missing  warp 0, which ");
    ASSERT_NE(at, std::string::npos) << text;
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const std::size_t reads = line.find(", and ");
    EXPECT_EQ(reads == std::string::npos ? "" : line.substr(reads), row.reads) << line;
  }
}

TEST(PtxEndless, AWaitThatIsTriedInALoopIsSaidOnce) {
  const struct {
    const char* body;
    bool once;
  } rows[] = {
      {"W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra W;", true},
      {"W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; nanosleep.u32 50; @!done bra W;",
       true},
      {"W: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra W;", true},
      // It looks at a flag, too; it has tried once.
      {"W: mbarrier.test_wait.parity.shared.b64 done, [a], 0; ld.volatile.shared.u32 %r11, [flag];"
       " setp.eq.and.u32 %p3, %r11, 0, !done; @%p3 bra W;",
       false},
      {"mbarrier.test_wait.parity.shared.b64 done, [a], 0;"
       " W: ld.volatile.shared.u32 %r11, [flag]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       false},
  };
  for (const auto& row : rows) {
    const Ended run(Loops(row.body));
    ASSERT_EQ(run.outcome(), "deadlock") << row.body;
    const std::string text = TextReport(run.session(), run.verdict(), {});
    EXPECT_NE(text.find("waits    warp 0 at line 10: waits for parity 0"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("CTA (0,0,0), warp 0 repeats a loop") == std::string::npos, row.once)
        << text;
    EXPECT_EQ(run.grid().StuckWarps().empty(), row.once) << row.body;
  }
}

TEST(PtxEndless, SpinsThatSomebodyEndsAreNone) {
  const struct {
    const char* spin;
    const char* other;
  } rows[] = {
      // It gives up: by a counter, by a clock.
      {"W: add.u32 %r12, %r12, 1; setp.gt.u32 %p4, %r12, 20000; @%p4 bra V;"
       " ld.volatile.shared.u32 %r11, [flag]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W; V:",
       ""},
      {"mov.u32 %r12, %clock; W: mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r12;"
       " setp.gt.u32 %p4, %r13, 30000; @%p4 bra V; ld.volatile.shared.u32 %r11, [flag];"
       " setp.eq.u32 %p3, %r11, 0; @%p3 bra W; V:",
       "bar.sync 1, 32;"},
      // The other warp sets the flag, later: it has counted, or waited for its time.
      {"W: ld.volatile.shared.u32 %r11, [flag]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       "X: add.u32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, 20000; @%p4 bra X;"
       " st.volatile.shared.u32 [flag], 1;"},
      {"W: ld.volatile.global.u32 %r11, [%d3]; setp.eq.u32 %p3, %r11, 0; @%p3 bra W;",
       "mov.u32 %r12, %clock; X: mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r12;"
       " setp.lt.u32 %p4, %r13, 30000; @%p4 bra X; red.global.add.u32 [%d3], 1;"},
      // It looks once, when its time has come, whatever the loop is like.
      {"mov.u32 %r12, %clock; W: mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r12;"
       " setp.lt.u32 %p4, %r13, 30000; @%p4 bra W; ld.volatile.shared.u32 %r11, [flag];",
       "bar.sync 1, 32;"},
      {"mov.u32 %r12, %clock; W: mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r12;"
       " setp.gt.u32 %p4, %r13, 30000; @%p4 bra V; mov.u32 %r14, 7; bra W; V:"
       " mbarrier.test_wait.parity.shared.b64 done, [a], 0;",
       ""},
      // It waits for its time before each of three looks.
      {"X: mov.u32 %r12, %clock; W: mov.u32 %r13, %clock; sub.u32 %r13, %r13, %r12;"
       " setp.lt.u32 %p4, %r13, 10000; @%p4 bra W; ld.volatile.shared.u32 %r11, [flag];"
       " add.u32 %r14, %r14, 1; setp.lt.u32 %p5, %r14, 3; @%p5 bra X;",
       ""},
      // Lanes that count to 61 and to 64, over and over, until both are at 0 again.
      {"setp.eq.u32 %p4, %r2, 0; selp.u32 %r13, 61, 64, %p4; mov.u32 %r12, 1;"
       " W: add.u32 %r12, %r12, 1; rem.u32 %r12, %r12, %r13; setp.eq.u32 %p3, %r12, 0;"
       " vote.sync.all.pred %p3, %p3, -1; @!%p3 bra W;",
       ""},
  };
  for (const auto& row : rows) {
    const Ended run(Loops(row.spin, row.other));
    EXPECT_EQ(run.outcome(), "completes") << row.spin << row.other;
    EXPECT_GT(run.cycles(), 15'000U) << row.spin;
  }
}

// Waits as libraries write them, with a limit far beyond the cycles of a run.
TEST(PtxEndless, LongTimeLimitsDoNotPutOffADeadlock) {
  const char* const waits[] = {
      "W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 10000000; @done bra V; bra W; V:",
      "setp.lt.u32 %p4, %r2, 7; @%p4 bra V; W: mbarrier.try_wait.parity.shared.b64 done, [a], 0,"
      " 10000000; @!done bra W; V: bar.sync 2, 64;",
      "W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 0xffffffff; mov.u32 %r11, %clock;"
      " nanosleep.u32 100000; ld.volatile.shared.u32 %r12, [flag]; setp.ne.or.u32 %p3, %r12, 0, "
      "done; @!%p3 bra W;",
      "nanosleep.u32 30000; W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 10000000;"
      " @!done bra W;",
  };
  const char* const others[] = {
      "", "bar.sync 1, 64;", "X: ld.volatile.shared.u32 %r11, [flag]; bra X;",
      "X: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 20000000; @!done bra X;"};
  for (const char* const wait : waits) {
    for (const char* const other : others) {
      const Ended run(Loops(wait, other));
      ASSERT_EQ(run.outcome(), "deadlock") << wait << other;
      EXPECT_LT(run.cycles(), 60'000U) << wait << other;
    }
  }
}

TEST(PtxEndless, WhatComesAfterALongTimeLimitCounts) {
  const struct {
    const char* wait;
    const char* other;
  } rows[] = {
      // Another warp arrives at last.
      {"W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 10000000; @!done bra W;",
       "nanosleep.u32 60000; setp.eq.u32 %p3, %r1, 32; @%p3 mbarrier.arrive.shared.b64 _, [a];"},
      // When the limit has passed it gives up, stores, or counts up to something.
      {"mbarrier.try_wait.parity.shared.b64 done, [a], 0, 60000;", ""},
      {"W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 60000; @done bra V;"
       " st.volatile.shared.u32 [flag], 1; bra W; V:",
       "X: ld.volatile.shared.u32 %r11, [flag]; setp.eq.u32 %p3, %r11, 0; @%p3 bra X;"
       " setp.eq.u32 %p3, %r1, 32; @%p3 mbarrier.arrive.shared.b64 _, [a];"},
      {"W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 20000; add.u32 %r12, %r12, 1;"
       " setp.lt.u32 %p3, %r12, 4; @%p3 bra W;",
       ""},
      {"W: mbarrier.try_wait.parity.shared.b64 done, [a], 0, 60000; mov.u32 %r12, %clock;"
       " setp.lt.u32 %p3, %r12, 100000; @%p3 bra W;",
       "bar.sync 1, 32;"},
  };
  for (const auto& row : rows) {
    const Ended run(Loops(row.wait, row.other));
    EXPECT_EQ(run.outcome(), "completes") << row.wait << row.other;
  }
}

}  // namespace
}  // namespace muster::ptx
