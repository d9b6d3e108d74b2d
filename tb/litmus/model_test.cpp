// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What sim/litmus says of the tests that ship, what it reads, and what it refuses.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/litmus/answer.h"
#include "sim/litmus/kernel.h"
#include "sim/litmus/parser.h"
#include "sim/litmus/report.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::litmus {
namespace {

std::string TextOf(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string VerdictOf(const std::string& text, const Options& options = Options()) {
  const litmus::Test test = Parse("test.litmus", text);
  return fmt::format("{}", fmt::join(Verdict(Solve(test, options)), ", "));
}

// A test of two threads of one CTA, with a cell for each.
std::string TestOf(const std::string& memory, const std::string& first, const std::string& second,
                   const std::string& question) {
  return fmt::format("PTX test\n{{\n{}\n}}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n {} | {} ;\n{}\n",
                     memory, first, second, question);
}

TEST(LitmusModel, SaysWhatTheFilesSay) {
  const std::filesystem::path folder = std::filesystem::path(MUSTER_ROOT) / "sim/kernels/litmus";
  unsigned files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".litmus") {
      continue;
    }
    ++files;
    const std::string text = TextOf(entry.path());
    const litmus::Test test = Parse(entry.path().string(), text);
    EXPECT_EQ(test.name, entry.path().stem().string());
    EXPECT_NE(text.find("\nText: "), std::string::npos) << test.file << " quotes no sentence";
    EXPECT_EQ(VerdictOf(text), test.verdict) << test.file;
  }
  EXPECT_GE(files, 60U);
}

TEST(LitmusModel, ReadsAllForms) {
  const litmus::Test test =
      Parse("test.litmus",
            "PTX all forms\n\"A line for readers.\"\nVerdict: allowed, race\n"
            "{ x = 0x10; (* of two\nlines *) y @ surface aliases x; P0:r1 = -2; };\n"
            " P0@cta 1, cluster 2, gpu 3 | P1@cta 0,gpu 0 ; // the threads\n"
            " LC00: ld.volatile r0, [x] | membar.gl           ;\n"
            " sust.weak y, r1           | fence.proxy.alias   ;\n"
            " beq r0, 1, LC00           |                     ;\n"
            "locations [x; P0:r0]\nfilter (P0:r0 > 1 \\/ not x <= 2);\n"
            "~exists (0:r0 = 3 /\\ (P0:r1 >= 1 \\/ [x] != 1));\n");
  EXPECT_EQ(test.verdict, "allowed, race");
  EXPECT_EQ(test.memory, std::vector<std::int64_t>{16});
  EXPECT_EQ(test.locations[1].proxy, Proxy::kSurface);
  EXPECT_EQ(test.locations[1].address, test.locations[0].address);
  EXPECT_EQ(test.threads[0].cta, 1U);
  EXPECT_EQ(test.threads[0].cluster, 2U);
  EXPECT_EQ(test.threads[0].gpu, 3U);
  EXPECT_EQ(test.threads[0].initial, (std::vector<std::int64_t>{0, -2}));
  ASSERT_EQ(test.threads[0].instructions.size(), 3U);
  EXPECT_EQ(test.threads[0].instructions[0].order, Order::kRelaxed);
  EXPECT_EQ(test.threads[0].instructions[0].scope, Scope::kSys);
  EXPECT_EQ(test.threads[0].instructions[2].target, 0U);
  EXPECT_EQ(test.threads[1].instructions[0].order, Order::kSc);
  EXPECT_EQ(test.threads[1].instructions[0].scope, Scope::kGpu);
  EXPECT_EQ(test.threads[1].instructions[1].kind, Instruction::Kind::kAliasFence);
  EXPECT_EQ(test.filter->Text(), "P0:r0 > 1 \\/ not (x <= 2)");
  EXPECT_EQ(test.condition.Text(), "P0:r0 == 3 /\\ (P0:r1 >= 1 \\/ x != 1)");
  EXPECT_EQ(test.quantifier, litmus::Test::Quantifier::kNotExists);
}

TEST(LitmusModel, RefusesWithTheLine) {
  struct Case {
    std::string text;
    std::string error;
  };
  const std::string nop = "st.weak x, 1";
  const auto test = [](const std::string& cell) {
    return TestOf("x = 0;", cell, "", "exists (x == 1)");
  };
  const std::vector<Case> cases{
      {"AArch64 test\n{}\n", ":1: a litmus test of PTX begins with \"PTX\" and its name"},
      {"PTX test\n", ":2: the file ends where \"{\" should stand"},
      {"PTX test\n{\nx = y;\n}\n", ":3: a number should stand where \"y\" does"},
      {"PTX test\n{\nx = 0; x = 1;\n}\n", ":3: x is declared twice"},
      {"PTX test\n{\nx @ local aliases y;\n}\n", ":3: a proxy"},
      {"PTX test\n{\nx @ generic aliases y;\n}\n", ":3: x aliases y, which no line above declares"},
      {"PTX test\n{\nx = 99999999999999999999;\n}\n",
       ":3: \"99999999999999999999\" is not a number"},
      {"PTX test\n{\n(* x = 0;\n}\n", ":3: the comment that begins here has no end"},
      {"PTX test\n{\n}\n P1@cta 0 ;\n", ":4: thread P0 should stand where \"P1\" does"},
      {"PTX test\n{\n}\n P0@warp 0 ;\n", ":4: cta, cluster or gpu should stand"},
      {"PTX test\n{\nP7:r0 = 0;\n}\n P0@cta 0 ;\n \nexists (0 == 0)\n",
       ":3: there is no thread P7"},
      {test("st.weak x, 1 | |"), ":6: this row has more than 2 cells, one for each thread"},
      {test("ld.release.gpu r0, x"),
       ":6: no such instruction in a litmus test: \"ld.release.gpu r0, x\""},
      {test("red.relaxed.gpu.exch x, 1"), ":6: no such instruction"},
      {test("mbarrier.init x, 1"), ":6: no such instruction"},
      {test("fence.proxy.async"), ":6: no such instruction"},
      {test("st.relaxed x, 1"), ":6: \"st.relaxed x, 1\" has no scope"},
      {test("st.weak x 1"), ":6: \",\" should stand before \"1\""},
      {test("st.weak x, 1, 2"), ":6: \"|\" or \";\" should end the instruction before \",\""},
      {test("goto LC00"), ":6: thread P0 has no label LC00"},
      {test("LC00: LC00: goto LC00"), ":6: thread P0 has the label LC00 twice"},
      {TestOf("x = 0;", nop, nop, "exists (P0:r7 == 1)"), ":7: thread P0 has no register r7"},
      {TestOf("x = 0;", nop, nop, "exists (P2:r7 == 1)"), ":7: there is no thread P2"},
      {TestOf("x = 0;", nop, nop, "exists (q == 1)"), ":7: no memory is called q"},
      {TestOf("x = 0;", nop, nop, "exists (x + 1)"), ":7: a comparison"},
      {TestOf("x = 0;", nop, nop, "exists (x == 1) x"), ":7: the file should end before \"x\""},
      {TestOf("x = 0;", nop, nop, ""), ":8: the file ends where \"exists\" should stand"},
  };
  for (const Case& one : cases) {
    try {
      Parse("bad.litmus", one.text);
      ADD_FAILURE() << "accepted: " << one.text;
    } catch (const ptx::InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("bad.litmus" + one.error, 0), 0U)
          << error.what() << "\ninstead of\n"
          << one.error;
    }
  }
}

TEST(LitmusModel, TriesRoundsOfLoops) {
  // The loop adds 1 in each round: the third round is beyond two.
  const std::string text =
      TestOf("x = 0;", "LC00: add r0, r0, 1 ; atom.relaxed.gpu.add r1, x, 1 ; bne r0, 3, LC00", "",
             "exists (x == 3)");
  Options options;
  options.rounds = 1;
  const litmus::Test test = Parse("test.litmus", text);
  const Answer short_answer = Solve(test, options);
  EXPECT_FALSE(short_answer.outcome);
  EXPECT_FALSE(short_answer.complete());
  options.rounds = 2;
  EXPECT_TRUE(Solve(test, options).outcome);
}

TEST(LitmusModel, LeavesOutRoundsThatChangeNothing) {
  // The first thread waits; of the second form it also counts its rounds, and the question names
  // the count.
  const auto answer = [](const std::string& count, const std::string& question) {
    const litmus::Test test = Parse(
        "test.litmus", TestOf("x = 0;", "LC00: " + count + "ld.relaxed.gpu r1, x ; bne r1, 1, LC00",
                              "st.relaxed.gpu x, 1", question));
    return Solve(test, Options());
  };
  EXPECT_TRUE(answer("", "exists (P0:r1 == 1)").complete());
  const Answer counted = answer("add r0, r0, 1 ; ", "exists (P0:r0 == 2)");
  EXPECT_TRUE(counted.outcome);
  EXPECT_FALSE(counted.complete());
}

TEST(LitmusModel, ComputesWhatIsWritten) {
  const auto verdict = [](const std::string& cell, const std::string& question) {
    return VerdictOf(TestOf("x = 12;", cell, "", question));
  };
  EXPECT_EQ(verdict("red.relaxed.gpu.sub x, 5", "exists (x == 7)"), "allowed");
  EXPECT_EQ(verdict("red.relaxed.gpu.and x, 6", "exists (x == 4)"), "allowed");
  EXPECT_EQ(verdict("red.relaxed.gpu.or x, 3", "exists (x == 15)"), "allowed");
  EXPECT_EQ(verdict("red.relaxed.gpu.xor x, 5", "exists (x == 9)"), "allowed");
  EXPECT_EQ(verdict("red.relaxed.gpu.mul x, 2", "forall (x == 24)"), "forbidden");
  EXPECT_EQ(verdict("red.relaxed.gpu.div x, 4", "forall (x == 3)"), "forbidden");
  EXPECT_EQ(verdict("atom.relaxed.gpu.exch r0, x, 4", "forall (x == 4 /\\ P0:r0 == 12)"),
            "forbidden");
  EXPECT_EQ(verdict("atom.relaxed.gpu.cas r0, x, 12, 4", "forall (x == 4 /\\ P0:r0 == 12)"),
            "forbidden");
  EXPECT_EQ(verdict("atom.relaxed.gpu.cas r0, x, 11, 4", "forall (x == 12 /\\ P0:r0 == 12)"),
            "forbidden");
}

TEST(LitmusModel, GivesReasons) {
  const std::string text = TestOf("x = 0; f = 0;", "st.weak x, 1 ; st.release.cta f, 1", "",
                                  "exists (f == 1 /\\ x == 0)");
  const litmus::Test test = Parse("test.litmus", text);
  const Answer answer = Solve(test, Options());
  const std::string report = Report(test, answer).Text();
  EXPECT_NE(report.find("test.litmus: test: forbidden\n"), std::string::npos) << report;
  EXPECT_NE(report.find("in none of 1 executions"), std::string::npos) << report;
}

TEST(LitmusKernel, IsWrittenForEachTestThatOneCanBe) {
  const std::filesystem::path folder = std::filesystem::path(MUSTER_ROOT) / "sim/kernels/litmus";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".litmus") {
      continue;
    }
    const std::string name = entry.path().stem().string();
    const litmus::Test test = Parse(name, TextOf(entry.path()));
    const bool cannot = name.rfind("proxy", 0) == 0 || name == "mp-gpu-apart";
    try {
      const std::string kernel = KernelOf(test);
      EXPECT_FALSE(cannot) << name;
      ptx::Parse(name, kernel);
    } catch (const ptx::InputError& error) {
      EXPECT_TRUE(cannot) << error.what();
    }
  }
}

TEST(LitmusKernel, ManifestExpectsWhatTheModelSays) {
  const auto manifest = [](const std::string& question) {
    const litmus::Test test = Parse("test.litmus", TestOf("x = 0;", "st.weak x, 1", "", question));
    return ManifestOf(test, Solve(test, Options()), "k.ptx");
  };
  EXPECT_EQ(manifest("exists (x == 0)")["expect"].dump(), R"({"done":[2],"outcome":[0]})");
  EXPECT_EQ(manifest("exists (x == 1)")["expect"].dump(), R"({"done":[2]})");
  EXPECT_EQ(manifest("forall (x == 1)")["expect"].dump(), R"({"done":[2],"outcome":[0]})");
  EXPECT_EQ(manifest("exists (x == 1)")["block"].dump(), "[64,1,1]");
}

}  // namespace
}  // namespace muster::litmus
