// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the report of a deadlock says first, and which warps it calls missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sim/ptx/launch/report.h"
#include "sim/ptx/launch/wait_text.h"
#include "sim/ptx/program/ahead.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_mbarrier_kernel.h"

namespace muster::ptx {
namespace {

std::string ReportOf(const Ended& run) { return TextReport(run.session(), run.verdict(), {}); }

std::vector<std::string> LinesOfReport(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// The lines between the one that begins with `first` and the one that begins with `last`.
std::vector<std::string> BetweenLines(const std::string& text, const std::string& first,
                                      const std::string& last) {
  const std::vector<std::string> lines = LinesOfReport(text);
  const auto begins = [](const std::string& with) {
    return [with](const std::string& line) { return line.rfind(with, 0) == 0; };
  };
  const auto from = std::find_if(lines.begin(), lines.end(), begins(first));
  const auto to = std::find_if(from, lines.end(), begins(last));
  return from == lines.end() || to == lines.end() ? std::vector<std::string>{}
                                                  : std::vector<std::string>(from + 1, to);
}

// A ring with a producer in lane 0 of warp 0, warps 1 to 3 with nothing to do, and four consumers:
// `a` is full, `b` is empty. The producer expects so many bytes, which no copy brings, and first
// waits for that parity. Line 12 is the first of it.
Kernel RingOfTwo(const std::string& parity, std::uint32_t ctas = 1) {
  return Threads(256, "1",
                 "@%p1 mbarrier.init.shared.b64 [b], 4; bar.sync 0;\n"
                 "setp.ge.u32 %p4, %r1, 128; @%p4 bra CONSUME;\n"
                 "@!%p1 bra END;\n"
                 "P: mbarrier.try_wait.parity.shared.b64 done, [b], " +
                     parity +
                     "; @!done bra P;\n"
                     "mbarrier.arrive.expect_tx.shared.b64 _, [a], 16;\n"
                     "Q: mbarrier.try_wait.parity.shared.b64 done, [b], 0; @!done bra Q;\n"
                     "bra END;\n"
                     "CONSUME: setp.eq.u32 %p5, %r2, 0;\n"
                     "W: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra W;\n"
                     "@%p5 mbarrier.arrive.shared.b64 _, [b];\n"
                     "END: barrier.sync 1;",
                 ctas);
}

TEST(PtxWaitText, SummaryNamesTheCauseFirst) {
  const Ended run(RingOfTwo("1"));
  ASSERT_EQ(run.outcome(), "deadlock");
  const std::string text = ReportOf(run);
  const auto summary = BetweenLines(text, "Every live warp waits", "In detail:");
  ASSERT_EQ(summary.size(), 2U) << text;
  EXPECT_EQ(summary[0],
            "  mbarrier a (0x0) of CTA (0,0,0): warps 4-7 wait at line 20 for phase 0; 16 bytes to "
            "come, and no copy is under way");
  EXPECT_EQ(summary[1], "  2 more barriers are waited at in vain only because of this");
  const auto json = JsonReport(run.session(), run.verdict(), {});
  ASSERT_EQ(json["causes"].size(), 1U);
  EXPECT_EQ("  " + json["causes"][0].get<std::string>(), summary[0]);
}

TEST(PtxWaitText, WarpsAtOnePlaceAreOneRow) {
  const std::string text = ReportOf(Ended(RingOfTwo("1")));
  EXPECT_NE(text.find("    waits    warps 4-7 at line 20: wait for parity 0, lanes 0xffffffff\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    missing  warps 4-7, which wait at mbarrier a (0x0) (line 20)\n"),
            std::string::npos)
      << text;
}

TEST(PtxWaitText, WarpsThatCannotComeAreNotMissing) {
  const Ended run(RingOfTwo("1"));
  const auto stuck = run.grid().StuckMbarriers();
  ASSERT_EQ(stuck.size(), 2U);
  EXPECT_TRUE(stuck[0].missing.empty() && stuck[0].others.empty()) << "bytes alone are lacking";
  ASSERT_EQ(stuck[1].missing.size(), 4U);
  EXPECT_EQ(stuck[1].missing[0].warp, 4U);
  ASSERT_EQ(stuck[1].others.size(), 3U);
  EXPECT_EQ(stuck[1].others[0].warp, 1U);
  EXPECT_NE(
      ReportOf(run).find("    others   warps 1-3, which come to no such arrival: they wait at "
                         "barrier 1 (line 22)\n"),
      std::string::npos)
      << ReportOf(run);
}

// Where no warp can come, each that has not is missing: one may have left too early.
TEST(PtxWaitText, IfNoWarpCanComeAllAreMissing) {
  const Ended run(Threads(96, "2",
                          "setp.eq.u32 %p5, %r2, 0; setp.ge.u32 %p4, %r1, 32; @%p4 exit;\n"
                          "@%p5 mbarrier.arrive.shared.b64 _, [a];\n"
                          "W: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra W;"));
  ASSERT_EQ(run.outcome(), "deadlock");
  const auto stuck = run.grid().StuckMbarriers();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].missing.size(), 2U);
  EXPECT_TRUE(stuck[0].others.empty());
  EXPECT_NE(ReportOf(run).find("missing  warps 1-2, which have exited (line 12)"),
            std::string::npos)
      << ReportOf(run);
}

TEST(PtxWaitText, ExitedWarpsAreNotMissingWhereLiveOnesCount) {
  const Ended run(Kernel(Header() + R"(.visible .entry test() {
  .reg .pred %p<3>; .reg .b32 %r; mov.u32 %r, %tid.x;
  setp.ge.u32 %p1, %r, 64; @%p1 exit;
  setp.ge.u32 %p2, %r, 32; @%p2 bra B;
  bar.sync 0; ret;
B: bar.sync 1; ret;
})",
                         96));
  ASSERT_EQ(run.outcome(), "deadlock");
  for (const StuckBarrier& barrier : run.grid().StuckBarriers()) {
    ASSERT_EQ(barrier.missing.size(), 1U);
    EXPECT_NE(barrier.missing[0].what, "has exited");
  }
}

// A wait for parity 0 at an mbarrier at which nothing has happened mostly should be for parity 1.
TEST(PtxWaitText, HintWhereAWaitStandsAtAFreshMbarrier) {
  const char* const hint =
      "hint     no phase has completed here: a wait for parity 0 waits for the first one, and a "
      "wait for parity 1 is answered at once\n";
  EXPECT_NE(ReportOf(Ended(RingOfTwo("0"))).find(hint), std::string::npos)
      << ReportOf(Ended(RingOfTwo("0")));
  EXPECT_EQ(ReportOf(Ended(RingOfTwo("1"))).find(hint), std::string::npos)
      << "its first wait has passed";
}

TEST(PtxWaitText, CtasInTheSameStateAreOneParagraph) {
  const std::string text = ReportOf(Ended(RingOfTwo("1", 2)));
  EXPECT_NE(text.find("\n  CTAs (0,0,0) (1,0,0), mbarrier a (0x0): phase 0 (parity 0), 0 of 1 "
                      "arrivals pending, tx-count 16, 16 bytes to come\n"),
            std::string::npos)
      << text;
  EXPECT_LE(LinesOfReport(text).size(), 40U);
}

// Two barriers that wait for each other are both causes; a short report needs no summary.
TEST(PtxWaitText, ACircleIsACauseAsAWhole) {
  const auto crossed = [](const std::string& waits) {
    return Kernel(Header() + R"(.visible .entry test() {
  .reg .pred %p<3>; .reg .b32 %r; mov.u32 %r, %tid.x;
  setp.lt.u32 %p1, %r, 32; setp.ge.u32 %p2, %r, 64; @%p2 bra C;
  @%p1 bra A; bar.sync 2, 64; bar.sync 1, 64; bra C;
A: bar.sync 1, 64; bar.sync 2, 64;
C: )" + waits + " ret; }",
                  128);
  };
  const Ended alone(crossed(""));
  ASSERT_EQ(alone.outcome(), "deadlock");
  EXPECT_EQ(ReportOf(alone).find("In detail:"), std::string::npos) << ReportOf(alone);
  const Ended run(crossed("bar.sync 0;"));
  const auto summary = BetweenLines(ReportOf(run), "Every live warp waits", "In detail:");
  ASSERT_EQ(summary.size(), 3U) << ReportOf(run);
  EXPECT_EQ(summary[0],
            "  barrier 1 (sync) of CTA (0,0,0): 1 of 2 warps have arrived; warp 0 waits at line 8; "
            "missing: warp 1, which waits at barrier 2 (line 7)");
  EXPECT_EQ(summary[1],
            "  barrier 2 (sync) of CTA (0,0,0): 1 of 2 warps have arrived; warp 1 waits at line 7; "
            "missing: warp 0, which waits at barrier 1 (line 8)");
}

// So are two mbarriers at which nothing has happened.
TEST(PtxWaitText, ACircleOfFreshMbarriersIsACauseAsAWhole) {
  const Ended run(RingOfTwo("0"));
  ASSERT_EQ(run.outcome(), "deadlock");
  const auto causes = JsonReport(run.session(), run.verdict(), {})["causes"];
  ASSERT_EQ(causes.size(), 2U) << causes;
  EXPECT_EQ(causes[0],
            "mbarrier a (0x0) of CTA (0,0,0): warps 4-7 wait at line 20 for phase 0; 1 of 1 "
            "arrivals is lacking; missing: warp 0, which waits with lanes 0x00000001 at mbarrier b "
            "(0x8)");
  EXPECT_EQ(causes[1],
            "mbarrier b (0x8) of CTA (0,0,0): warp 0 waits at line 15 for phase 0; 4 of 4 arrivals "
            "are lacking; missing: warps 4-7, which wait at mbarrier a (0x0) (line 20)");
  const auto summary = BetweenLines(ReportOf(run), "Every live warp waits", "In detail:");
  ASSERT_EQ(summary.size(), 4U) << ReportOf(run);
  EXPECT_EQ(summary[2], "  1 more barrier is waited at in vain only because of these");
}

// A warp that repeats a loop is in one row: in each CTA, and beside one that a barrier lacks.
TEST(PtxWaitText, WarpsThatRepeatALoopAreSaidOnce) {
  const std::string spin = Header("sm_90") + R"(.visible .entry test() {
  .reg .pred %p<3>; .reg .b32 %r<3>; .shared .b32 flag; mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 1; mov.u32 %r1, %tid.x; setp.ge.and.u32 %p1, %r1, 32, %p1;
  @%p1 bra END;
W: ld.volatile.shared.u32 %r2, [flag]; bra W;
END: bar.sync 0; ret;
})";
  const std::string text = ReportOf(Ended(Kernel(spin, 64, 3)));
  const auto rows = BetweenLines(text, "Every live warp waits", "operations: ");
  const std::string loop =
      "a loop: lanes 0xffffffff stand at line 8, and read 0 at flag (0x0) (line 8)";
  ASSERT_EQ(rows.size(), 4U) << text;
  EXPECT_EQ(rows[2], "    missing  warp 0, which repeats " + loop);
  EXPECT_EQ(rows[3], "  CTAs (0,0,0) (2,0,0), warps 0-1 repeat " + loop);
}

// Who has exited is told apart from who waits elsewhere, and by the line from which it left.
TEST(PtxWaitText, AWarpThatHasLeftIsNamed) {
  const Ended run(Kernel(Header() + R"(.visible .entry test() {
  .reg .pred %p<5>; .reg .b32 %r; mov.u32 %r, %tid.x;
  setp.lt.u32 %p1, %r, 64; @%p1 bra OTHERS;
  setp.ge.u32 %p2, %r, 224;
  @%p2 bra END;
  bar.sync 1, 192;
OTHERS: bar.sync 2, 256;
  setp.lt.u32 %p3, %r, 32; @%p3 bar.sync 3, 64;
  setp.ge.u32 %p4, %r, 64; @%p4 bar.sync 4, 64;
END:
  ret;
})",
                         256));
  ASSERT_EQ(run.outcome(), "deadlock");
  const auto causes = JsonReport(run.session(), run.verdict(), {})["causes"];
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0],
            "barrier 1 (sync) of CTA (0,0,0): 5 of 6 warps have arrived; warps 2-6 wait at line 9; "
            "no other warp comes to an arrival here: warp 7 has exited (line 8), warps 0-1 wait "
            "elsewhere");
}

// The order in which warps came is no difference between CTAs.
TEST(PtxWaitText, WarpsAreSortedByNumber) {
  const Ended run(RingOfTwo("1", 2));
  const auto stuck_at = [](std::uint64_t cta, const std::vector<unsigned>& warps) {
    StuckBarrier barrier;
    barrier.cta = cta;
    barrier.id = 1;
    barrier.kind = "sync";
    barrier.arrived = 4;
    barrier.expected = 5;
    for (const unsigned warp : warps) {
      barrier.came.push_back({warp, "waits", 14, true});
    }
    barrier.missing.push_back({7, "has exited", 12, false, "", true});
    return barrier;
  };
  Waiting waiting;
  waiting.barriers = {stuck_at(0, {5, 4, 1, 2}), stuck_at(1, {1, 2, 5, 4})};
  const WaitText text(run.session().program(), run.session().launch(), waiting);
  ASSERT_EQ(text.paragraphs().size(), 1U) << text.Details();
  EXPECT_NE(text.Details().find("  CTAs (0,0,0) (1,0,0), barrier 1 (sync): 4 of 5 warps have "
                                "arrived\n    came     warps 1-2, 4-5 at line 14: wait\n"),
            std::string::npos)
      << text.Details();
}

// What has happened comes before how often it has.
TEST(PtxWaitText, CausesComeBeforeCounters) {
  const auto number_of = [](const std::vector<std::string>& lines, const std::string& words) {
    return std::find_if(
               lines.begin(), lines.end(),
               [&](const std::string& line) { return line.find(words) != std::string::npos; }) -
           lines.begin();
  };
  const auto deadlock = LinesOfReport(ReportOf(Ended(RingOfTwo("1"))));
  EXPECT_EQ(number_of(deadlock, "NOT AS EXPECTED: "), 0);
  EXPECT_EQ(number_of(deadlock, "  mbarrier a (0x0) of CTA (0,0,0)"), 4);
  EXPECT_LT(number_of(deadlock, "In detail:"), number_of(deadlock, "operations: "));
  const Ended fault(Threads(32, "1", "@%p1 mbarrier.arrive.shared.b64 _, [a], 7;"));
  ASSERT_EQ(fault.outcome(), "fault:bad_arrive_count");
  EXPECT_EQ(number_of(LinesOfReport(ReportOf(fault)), "test.ptx:12: bad_arrive_count"), 3)
      << ReportOf(fault);
}

TEST(PtxWaitText, AMismatchIsNotATimeout) {
  Kernel kernel(Header() + R"(.visible .entry test() {
  .reg .b32 %r; .reg .pred %p; mov.u32 %r, 0;
L: add.u32 %r, %r, 1; setp.ne.u32 %p, %r, 0; @%p bra L; ret;
})");
  kernel.manifest.max_cycles = 500;
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "timeout");
  EXPECT_NE(LaunchText(run.session(), "timeout", {}).find("When the cycles were used up:\n"),
            std::string::npos);
  const std::string text = LaunchText(run.session(), "mismatch", {});
  EXPECT_EQ(text.find("used up"), std::string::npos) << text;
  EXPECT_NE(text.find("When the RTL and the golden model came to disagree:\n"), std::string::npos);
}

TEST(PtxAhead, ArrivalsOnAllPaths) {
  const auto module = Parse("k.ptx", Header("sm_90") + R"(.func late() { bar.sync 3; ret; }
.visible .entry test() {
  .reg .pred %p; .reg .b32 %r; .shared .align 8 .b64 a;
  mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 0;
  @%p bra L;
  bar.sync 1; call late; mbarrier.arrive.shared.b64 _, [a]; ret;
L: bar.sync 2; bar.sync %r;
  exit;
})");
  const Program program = Link(*module, "test");
  const Ahead ahead(program);
  const auto at = [&](std::uint32_t line, Op op) {
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
      if (program.code[pc].line == line && program.code[pc].op == op) {
        return pc;
      }
    }
    return 0U;
  };
  EXPECT_EQ(ahead.From(at(7, Op::kSpecial)).barriers, 0xffffU) << "a register has it";
  EXPECT_TRUE(ahead.From(at(7, Op::kSpecial)).mbarriers);
  EXPECT_EQ(ahead.From(at(9, Op::kBarrier)).barriers, 1U << 1 | 1U << 3);
  EXPECT_TRUE(ahead.From(at(9, Op::kCall)).mbarriers) << "after the call's return";
  EXPECT_EQ(ahead.From(at(9, Op::kMbarrier)).barriers, 0U);
  EXPECT_EQ(ahead.From(at(10, Op::kBarrier)).barriers, 0xffffU);
  EXPECT_FALSE(ahead.From(at(10, Op::kBarrier)).mbarriers);
  EXPECT_EQ(ahead.From(at(11, Op::kExit)).barriers, 0U);
}

}  // namespace
}  // namespace muster::ptx
