// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/litmus/random_program.h"

#include <fmt/format.h>

#include <random>

#include "sim/litmus/candidate.h"
#include "sim/litmus/enumerator.h"
#include "sim/litmus/paths.h"

namespace muster::litmus {
namespace {

// Writes a litmus test of two or three threads, with a few instructions for all of them together.
class RandomTest {
 public:
  RandomTest(unsigned seed, bool proxies) : random_(seed), proxies_(proxies) {}

  std::string Write() {
    const unsigned threads = 2 + Below(2);
    const bool proxies = Below(3) == 0 && proxies_;
    const bool barrier = Below(4) == 0;
    names_ = proxies ? std::vector<std::string>{"x", "z", "s"} : std::vector<std::string>{"x", "y"};
    std::string text = "PTX random\n{\nx = 0;\n";
    text += proxies ? "z @ generic aliases x;\ns @ surface aliases x;\n" : "y = 0;\n";
    text += "}\n";
    std::vector<std::vector<std::string>> columns;
    for (unsigned thread = 0; thread < threads; ++thread) {
      columns.push_back({fmt::format("P{}@cta {},gpu 0", thread, Below(2))});
      registers_ = 0;
      const unsigned length = threads == 2 ? 3 : 1 + Below(2);
      const unsigned at = Below(length + 1);
      for (unsigned i = 0; i <= length; ++i) {
        if (barrier && i == at) {
          columns.back().emplace_back("bar.cta.sync 0");
        }
        if (i < length) {
          columns.back().push_back(threads == 2 && i == 1 && Below(2) == 0 ? Fence()
                                                                           : Instruction(proxies));
        }
      }
    }
    for (std::size_t row = 0; row < 5; ++row) {
      for (unsigned thread = 0; thread < threads; ++thread) {
        text +=
            (thread == 0 ? "" : " | ") + (row < columns[thread].size() ? columns[thread][row] : "");
      }
      text += " ;\n";
    }
    return text + "exists (x == 0)\n";
  }

 private:
  unsigned Below(unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_);
  }
  std::string Pick(const std::vector<std::string>& words) {
    return words[Below(static_cast<unsigned>(words.size()))];
  }
  std::string Scope() { return Pick({"cta", "gpu", "gpu"}); }
  std::string Strength(const std::string& order) {
    const std::string chosen = Pick({"weak", "relaxed", order});
    return chosen == "weak" ? chosen : chosen + "." + Scope();
  }
  std::string Result() { return fmt::format("r{}", registers_++); }
  std::string Value() {
    return registers_ != 0 && Below(3) == 0 ? fmt::format("r{}", Below(registers_))
                                            : fmt::format("{}", 1 + Below(2));
  }

  std::string Fence() {
    const std::string scope = Scope();
    return fmt::format("fence.{}.{}", Pick({"acq_rel", "sc", "sc", "acquire", "release"}), scope);
  }

  std::string Instruction(bool proxies) {
    std::string name = Pick(names_);
    const char* const surface = name == "s" ? "su" : "";
    switch (Below(proxies ? 12 : 10)) {
      case 0:
      case 1:
      case 2:
        return fmt::format("{}ld.{} {}, {}", surface, Strength("acquire"), Result(), name);
      case 3:
      case 4:
      case 5: {
        const std::string value = Value();
        return fmt::format("{}st.{} {}, {}", surface, Strength("release"), name, value);
      }
      case 6: {
        const std::string value = Value();
        const std::string operation = Pick({"add", "exch"});
        const std::string scope = Scope();
        return fmt::format("{}atom.{}.{}.{} {}, {}, {}", surface,
                           Pick({"relaxed", "acquire", "release", "acq_rel"}), scope, operation,
                           Result(), name, value);
      }
      case 7: {
        const std::string value = Value();
        const std::string scope = Scope();
        return fmt::format("{}red.{}.{}.add {}, {}", surface, Pick({"relaxed", "release"}), scope,
                           name, value);
      }
      case 8:
      case 9:
        return Fence();
      default:
        return "fence.proxy." + Pick({"alias", "surface"});
    }
  }

  std::mt19937 random_;
  const bool proxies_;
  std::vector<std::string> names_;
  unsigned registers_ = 0;
};

}  // namespace

std::string RandomProgram(unsigned seed, bool proxies) { return RandomTest(seed, proxies).Write(); }

std::set<std::vector<std::int64_t>> Allowed(const litmus::Test& test) {
  std::vector<Paths> paths;
  std::vector<const Path*> chosen;
  paths.reserve(test.threads.size());
  for (const Thread& thread : test.threads) {
    paths.push_back(FindPaths(thread, {}, 0));
    for (const Path& path : paths.back().paths) {
      if (path.end == Path::End::kEnds) {
        chosen.push_back(&path);
      }
    }
  }
  std::set<std::vector<std::int64_t>> finals;
  const Candidate candidate(test, chosen);
  Enumerator(candidate, [] { return true; }).ForEach([&](const Execution& execution) {
    std::vector<std::vector<std::int64_t>> contents{{}};
    for (unsigned thread = 0; thread < test.threads.size(); ++thread) {
      for (const unsigned expression : candidate.finals(thread)) {
        contents[0].push_back(execution.values[expression]);
      }
    }
    for (unsigned memory = 0; memory < test.memory.size(); ++memory) {
      std::vector<std::vector<std::int64_t>> longer;
      for (unsigned i = 0; i < candidate.events().size(); ++i) {
        const Event& event = candidate.events()[i];
        if (event.writes && event.memory == memory && execution.coherence.After(i) == 0) {
          for (std::vector<std::int64_t> final : contents) {
            final.push_back(execution.values[event.value]);
            longer.push_back(final);
          }
        }
      }
      contents = longer;
    }
    finals.insert(contents.begin(), contents.end());
    return true;
  });
  return finals;
}

}  // namespace muster::litmus
