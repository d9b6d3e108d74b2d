// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs that perform accesses late, against the memory model: what they end with, it allows; and
// what it allows, they show. Litmus tests as kernels, on the golden model at the pins of units.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/litmus/answer.h"
#include "sim/litmus/kernel.h"
#include "sim/litmus/parser.h"
#include "sim/port/driver.h"
#include "sim/port/fence_pins.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/runtime/on_golden/unit_at_pins.h"
#include "sim/ptx/syntax/error.h"
#include "tb/litmus/random_program.h"
#include "tb/scratch.h"
#include "tb/volume.h"

namespace muster::litmus {
namespace {

using Words = std::vector<std::int64_t>;

// A driver whose tracker lets each fence go as soon as it asks.
class Hasty : public lockstep::Driver {
 public:
  explicit Hasty(lockstep::Driver* driver) : driver_(*driver) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    for (FencePins* const fences : driver_.fence_pins()) {
      fences->out.acknowledge = fences->in.request;
    }
    return driver_.Drive(cycle, seen, inputs);
  }
  void Serve(const Outputs& seen, Inputs* inputs) override { driver_.Serve(seen, inputs); }
  WarpPins* warp_pins() override { return driver_.warp_pins(); }
  std::vector<AtomicPins*> atomic_pins() override { return driver_.atomic_pins(); }
  ClusterPins* cluster_pins() override { return driver_.cluster_pins(); }
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override {
    driver_.OnCommit(cycle, operation, effects);
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override {
    driver_.OnMbEvent(cycle, event, effects);
  }

 private:
  lockstep::Driver& driver_;
};

// A litmus test as a kernel, in files of its own.
class Emitted {
 public:
  explicit Emitted(const litmus::Test& test) {
    const Answer answer = Solve(test, Options());
    const std::filesystem::path file = Scratch() / "late.json";
    std::ofstream(Scratch() / "late.ptx") << KernelOf(test);
    std::ofstream(file) << ManifestOf(test, answer, "late.ptx");
    manifest_ = ptx::ReadManifest(file.string());
    manifest_.max_cycles = 100'000;
  }

  // Returns what the buffers hold after a run that completes; nothing: it does not.
  std::map<std::string, Words> Run(std::uint64_t seed, bool late, bool hasty = false) {
    manifest_.late = late;
    ptx::Session session(manifest_, *FindConfig("default"), seed);
    std::vector<lockstep::Driver*> drivers = session.grid().Drivers();
    std::deque<Hasty> without;
    for (lockstep::Driver*& driver : drivers) {
      driver = hasty ? &without.emplace_back(driver) : driver;
    }
    ptx::RunGolden(*FindConfig("default"), drivers, manifest_.max_cycles);
    std::map<std::string, Words> words;
    for (std::size_t k = 0;
         k < manifest_.buffers.size() && session.grid().outcome() == ptx::Outcome::kCompletes;
         ++k) {
      const std::vector<std::uint8_t> bytes = session.Contents(k);
      Words& of = words[manifest_.buffers[k].name];
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int32_t)) {
        std::int32_t word = 0;
        std::memcpy(&word, &bytes[at], sizeof word);
        of.push_back(word);
      }
    }
    return words;
  }

 private:
  ptx::Manifest manifest_;
};

// The program with a question that names all registers, so that the kernel writes these.
std::string AskAll(const std::string& program) {
  const litmus::Test test = Parse("random", program);
  std::string question = "x == 0";
  for (std::size_t thread = 0; thread < test.threads.size(); ++thread) {
    for (const std::string& name : test.threads[thread].registers) {
      question += fmt::format(" /\\ P{}:{} == 0", thread, name);
    }
  }
  return program.substr(0, program.rfind("exists")) + "exists (" + question + ")\n";
}

TEST(LitmusLate, RandomProgramsEndAsTheTextAllows) {
  const unsigned programs = Volume(30, 150);
  constexpr unsigned kSeeds = 150;
  std::size_t allowed = 0;
  std::map<bool, std::size_t> shown;
  for (unsigned number = 1; number <= programs; ++number) {
    const std::string text = AskAll(RandomProgram(number, false));
    const litmus::Test test = Parse("random", text);
    const std::set<Words> ends = Allowed(test);
    Emitted emitted(test);
    std::size_t registers = 0;
    for (const litmus::Thread& thread : test.threads) {
      registers += thread.registers.size();
    }
    for (const bool late : {false, true}) {
      std::set<Words> seen;
      for (unsigned seed = 1; seed <= kSeeds; ++seed) {
        auto words = emitted.Run(seed, late);
        ASSERT_FALSE(words.empty()) << "program " << number << ", seed " << seed << "\n" << text;
        Words end = words["registers"];
        end.resize(registers);
        end.insert(end.end(), words["memory"].begin(), words["memory"].end());
        ASSERT_EQ(ends.count(end), 1U)
            << "program " << number << ", seed " << seed << ", late " << late << ": "
            << fmt::format("{}", fmt::join(end, " ")) << "\n"
            << text;
        seen.insert(end);
      }
      shown[late] += seen.size();
    }
    allowed += ends.size();
  }
  EXPECT_GT(shown[true], shown[false] * 3 / 2);
  EXPECT_GT(shown[true] * 3, allowed * 2);
}

// What the text allows and no run shows (sim/LATE.md): stores that are not in one order for all,
// atomic operations that some do not find at once, and a release that is known wherever it is read.
const std::set<std::string> kNotShown = {"2+2w-relaxed",        "atom-add-cta", "atom-and-store",
                                         "corr-weak",           "iriw-acquire", "mp-reduction",
                                         "mp-release-elsewhere"};

TEST(LitmusLate, TheTestsThatShipEndAsTheTextAllows) {
  const unsigned seeds = Volume(250, 1000);
  const std::filesystem::path folder = std::filesystem::path(MUSTER_ROOT) / "sim/kernels/litmus";
  std::set<std::string> not_shown;
  unsigned allowed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const litmus::Test test = Parse(entry.path().string(), text.str());
    const Answer answer = Solve(test, Options());
    if (answer.stuck || answer.lasso) {
      continue;
    }
    unsigned shown = 0;
    try {
      Emitted emitted(test);
      for (unsigned seed = 1; seed <= seeds; ++seed) {
        auto words = emitted.Run(seed, true);
        ASSERT_FALSE(words.empty()) << test.name << ", seed " << seed;
        shown += words["outcome"][0] == 1 ? 1 : 0;
      }
    } catch (const ptx::InputError&) {
      continue;  // no kernel can be written
    }
    if (answer.outcome) {
      ++allowed;
      if (shown == 0) {
        not_shown.insert(test.name);
      }
    } else {
      EXPECT_EQ(shown, 0U) << test.name;
    }
  }
  EXPECT_GE(allowed, 15U);
  EXPECT_EQ(not_shown, kNotShown);
}

// It is the tracker that holds a warp at a fence: with one that does not, fences promise too much,
// and what the text forbids comes about.
TEST(LitmusLate, FencesAreOnlyAsGoodAsTheirTracker) {
  constexpr unsigned kSeeds = 400;
  for (const std::string name : {"mp-fences", "sb-fence-sc", "mp-release-acquire"}) {
    std::ostringstream text;
    text << std::ifstream(std::filesystem::path(MUSTER_ROOT) / "sim/kernels/litmus" /
                          (name + ".litmus"))
                .rdbuf();
    Emitted emitted(Parse(name, text.str()));
    std::map<bool, unsigned> shown;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      for (const bool hasty : {false, true}) {
        shown[hasty] += emitted.Run(seed, true, hasty)["outcome"][0] == 1 ? 1 : 0;
      }
    }
    EXPECT_EQ(shown[false], 0U) << name;
    EXPECT_GT(shown[true], 0U) << name;
  }
}

}  // namespace
}  // namespace muster::litmus
