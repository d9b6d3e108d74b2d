// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a report notes though it is legal: barriers that threads pass without others, and waits that
// are over at once; and which lanes a fault is of.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/ptx/launch/incidents.h"
#include "sim/ptx/launch/report.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_mbarrier_kernel.h"

namespace muster::ptx {
namespace {

nlohmann::ordered_json Report(const Ended& run) {
  return JsonReport(run.session(), run.verdict(), {});
}

// Line 12 is the first of the body. All threads have met at barrier 0 before it.
TEST(PtxNote, BarriersThatArePassedWithoutOthers) {
  const Ended run(Threads(96, "1", R"(setp.eq.u32 %p4, %r3, 2;
  @%p4 ret;
  setp.eq.u32 %p4, %r2, 7;
  @%p4 ret;
  bar.sync 1;
  bar.sync 2, 64;
  bar.sync 1;)"));
  ASSERT_EQ(run.verdict().code, ExitCode::kAsExpected);
  const auto notes = Report(run)["notes"];
  ASSERT_EQ(notes.size(), 3U) << notes;
  EXPECT_EQ(notes[0]["note"], "passed_without");
  EXPECT_EQ(notes[0]["line"], kBody + 4);
  EXPECT_EQ(notes[0]["barrier"], 1);
  EXPECT_EQ(notes[0]["count"], 1);
  EXPECT_EQ(notes[0]["message"],
            "passed without 34 threads, of which 32 left at line 13, 2 at line 15");
  EXPECT_EQ(notes[1]["line"], kBody + 5);
  EXPECT_EQ(notes[1]["message"], "passed without 2 threads, which left at line 15")
      << "it waits for two warps, of which no other thread has left";
  EXPECT_NE(
      TextReport(run.session(), run.verdict(), {})
          .find(":17: note passed_without, 1 time: barrier 2 of CTA (0,0,0): passed without 2 "
                "threads, which left at line 15\n"),
      std::string::npos);
}

TEST(PtxNote, AnExitThatCompletesABarrier) {
  const Ended run(Threads(64, "1", R"(@%p2 bra STAY;
  mov.u32 %r12, 0;
LOOP: add.u32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, 400; @%p4 bra LOOP;
  ret;
STAY: bar.sync 1;)"));
  ASSERT_EQ(run.outcome(), "completes");
  const auto notes = Report(run)["notes"];
  ASSERT_EQ(notes.size(), 1U) << notes;
  EXPECT_EQ(notes[0]["line"], kBody + 4) << "of who waits";
  EXPECT_EQ(notes[0]["message"], "passed without 32 threads, which left at line 15");
}

// Copies that a compiler has made of one line of the source are one note.
TEST(PtxNote, CopiesOfALineAreOne) {
  const Ended run(Kernel(Header("sm_90") + R"(.visible .entry test() {
  .reg .pred done; .shared .align 8 .b64 a[2]; .reg .pred %p; .reg .b32 %r;
  mov.u32 %r, %tid.x; setp.ne.u32 %p, %r, 0; @%p bra READY;
  mbarrier.init.shared.b64 [a], 1; mbarrier.init.shared.b64 [a+8], 1;
READY: bar.sync 0;
  .loc 1 7 3
A: mbarrier.try_wait.parity.shared.b64 done, [a], 1; @!done bra A;
  .loc 1 7 3
B: mbarrier.try_wait.parity.shared.b64 done, [a+8], 1; @!done bra B;
  ret;
}
.file 1 "mine.cu"
)"));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.grid().notes().size(), 2U);
  const std::string text = NoteText(run.session());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_EQ(text.rfind("mine.cu:7 in test, ", 0), 0U) << text;
  EXPECT_NE(text.find("note before_first, 2 times: mbarrier a (0x0) and 1 more of CTA (0,0,0): a "
                      "wait is over at once"),
            std::string::npos)
      << text;
}

// Threads leave after the barrier, in 50 CTAs that take the same slots; or when they have arrived
// and the others have not.
TEST(PtxNote, ThreadsThatLeaveLaterAreNotMissed) {
  const Ended run(Threads(64, "1", R"(bar.sync 1;
  @%p3 ret;)",
                          50),
                  "small");
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_TRUE(run.grid().notes().empty());
  for (const char* const config : {"default", "vortex_like"}) {
    const Ended other(Threads(64, "1", R"(@%p2 bra STAY;
  bar.arrive 1, 64;
  ret;
STAY: mov.u32 %r12, 0;
LOOP: add.u32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, 400; @%p4 bra LOOP;
  bar.sync 1, 64;)"),
                      config);
    ASSERT_EQ(other.outcome(), "completes");
    EXPECT_TRUE(other.grid().notes().empty()) << config;
  }
}

// A wait for parity 1 of a fresh mbarrier, again after the next init, and once when a phase is
// complete.
TEST(PtxNote, WaitsForThePhaseBeforeTheFirst) {
  const Ended run(Threads(32, "1", R"(@!%p1 ret;
  mov.u32 %r12, 0;
AGAIN: mbarrier.test_wait.parity.shared.b64 done, [a], 1;
  mbarrier.arrive.shared.b64 _, [a];
  mbarrier.test_wait.parity.shared.b64 done, [a], 0;
  mbarrier.arrive.shared.b64 _, [a];
  mbarrier.test_wait.parity.shared.b64 done, [a], 1;
  mbarrier.inval.shared.b64 [a];
  mbarrier.init.shared.b64 [a], 1;
  add.u32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, 2; @%p4 bra AGAIN;)"));
  ASSERT_EQ(run.verdict().code, ExitCode::kAsExpected) << run.outcome();
  const auto notes = Report(run)["notes"];
  ASSERT_EQ(notes.size(), 1U) << notes;
  EXPECT_EQ(notes[0]["note"], "before_first");
  EXPECT_EQ(notes[0]["line"], kBody + 2);
  EXPECT_EQ(notes[0]["count"], 2);
  EXPECT_EQ(notes[0]["lanes"], "0x00000001");
  EXPECT_EQ(notes[0]["mbarrier"], "a (0x0)");
}

TEST(PtxNote, FaultsNameTheirLanes) {
  const auto fault = [](const std::string& body) {
    return Report(Ended(Threads(64, "1", "setp.eq.u32 %p4, %r1, 37;\n" + body)))["faults"][0];
  };
  for (const char* const body : {"@%p4 ld.shared.u32 %r12, [a+65536];", "@%p4 trap;"}) {
    const auto row = fault(body);
    EXPECT_EQ(row["line"], kBody + 1) << body;
    EXPECT_EQ(row["warp"], 1) << body;
    EXPECT_EQ(row["lanes"], "0x00000020") << body;
  }
}

}  // namespace
}  // namespace muster::ptx
