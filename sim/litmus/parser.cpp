// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/litmus/instruction_parser.h"
#include "sim/litmus/lexer.h"
#include "sim/litmus/names.h"
#include "sim/ptx/syntax/error.h"

namespace muster::litmus {
namespace {

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  return begin == std::string_view::npos
             ? ""
             : std::string(text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin));
}

class Parser {
 public:
  Parser(const std::string& file, std::string_view text) {
    test_.file = file;
    const std::size_t memory = std::min(text.find('{'), text.size());
    ParseHead(text.substr(0, memory));
    words_.emplace(
        file, text, memory,
        static_cast<unsigned>(1 + std::count(text.begin(), text.begin() + memory, '\n')));
  }

  Test Parse() {
    words_->Expect("{");
    while (!words_->TakeIf("}")) {
      if (!words_->TakeIf(";")) {
        ParseDeclaration();
      }
    }
    words_->TakeIf(";");
    ParseThreads();
    ParseInstructions();
    for (const auto& [reg, value] : registers_) {
      const auto& [thread, name] = reg;
      if (thread >= test_.threads.size()) {
        words_->FailAt(value.line, fmt::format("there is no thread P{}", thread));
      }
      test_.threads[thread].initial[names_.RegisterOf(thread, name)] = value.value;
    }
    ParseQuestion();
    return std::move(test_);
  }

 private:
  struct Initial {
    std::int64_t value = 0;
    unsigned line = 0;
  };

  // The name, and lines for readers, of which "Verdict: ..." says what the answer should be.
  void ParseHead(std::string_view head) {
    const std::string first = Trimmed(head.substr(0, head.find('\n')));
    if (first.substr(0, 4) != "PTX " && first.substr(0, 4) != "ptx ") {
      throw ptx::InputError(
          fmt::format(R"({}:1: a litmus test of PTX begins with "PTX" and its name)", test_.file));
    }
    test_.name = ptx::Printable(Trimmed(first.substr(4)));
    constexpr std::string_view kVerdict = "\nVerdict:";
    const std::size_t verdict = head.find(kVerdict);
    if (verdict != std::string_view::npos) {
      const std::string_view rest = head.substr(verdict + kVerdict.size());
      test_.verdict = Trimmed(rest.substr(0, rest.find('\n')));
    }
  }

  // "x = 1", "P0:r1 = 1" or "y @ surface aliases x".
  void ParseDeclaration() {
    const unsigned line = words_->Next().line;
    if (const auto thread = words_->Ahead(1).text == ":" ? TakeThread(&*words_) : std::nullopt) {
      words_->Expect(":");
      const std::string name = words_->TakeName("a register");
      words_->Expect("=");
      registers_[{*thread, name}] = {TakeValue(), line};
      return;
    }
    const std::string name = words_->TakeName("the name of memory");
    if (names_.FindLocation(name)) {
      words_->FailAt(line, fmt::format("{} is declared twice", name));
    }
    if (words_->TakeIf("@")) {
      return ParseAlias(name);
    }
    words_->Expect("=");
    const std::int64_t value = TakeValue();
    const unsigned location = names_.LocationOf(name);
    test_.memory[test_.locations[location].memory] = value;
  }

  std::int64_t TakeValue() {
    const auto value = words_->TakeNumber();
    if (!value) {
      words_->Fail(fmt::format(R"(a number should stand where "{}" does (addresses in memory and )"
                               "registers are not supported)",
                               ptx::Printable(words_->Next().text)));
    }
    return *value;
  }

  void ParseAlias(const std::string& name) {
    const std::map<std::string, Proxy> proxies{{"generic", Proxy::kGeneric},
                                               {"constant", Proxy::kConstant},
                                               {"texture", Proxy::kTexture},
                                               {"surface", Proxy::kSurface}};
    const auto proxy = proxies.find(words_->Next().text);
    if (proxy == proxies.end()) {
      words_->Fail(
          fmt::format("a proxy (generic, constant, texture, surface) should stand where "
                      R"("{}" does)",
                      ptx::Printable(words_->Next().text)));
    }
    words_->Take();
    words_->Expect("aliases");
    const std::string other = words_->TakeName("the name of memory");
    const auto of = names_.FindLocation(other);
    if (!of) {
      words_->Fail(fmt::format("{} aliases {}, which no line above declares", name, other));
    }
    names_.AddAlias(name, proxy->second, *of);
  }

  // "P0@cta 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;"
  void ParseThreads() {
    do {
      const Word word = words_->Next();
      const auto number = TakeThread(&*words_);
      if (!number || *number != test_.threads.size()) {
        words_->FailAt(word.line, fmt::format(R"(thread P{} should stand where "{}" does)",
                                              test_.threads.size(), ptx::Printable(word.text)));
      }
      Thread thread;
      words_->Expect("@");
      do {
        const Word scope = words_->Take();
        if (scope.text == "cta") {
          thread.cta = words_->TakeIndex("the CTA");
        } else if (scope.text == "cluster") {
          thread.cluster = words_->TakeIndex("the cluster");
        } else if (scope.text == "gpu") {
          thread.gpu = words_->TakeIndex("the GPU");
        } else {
          words_->FailAt(scope.line, fmt::format(R"(cta, cluster or gpu should stand where "{}" )"
                                                 "does",
                                                 ptx::Printable(scope.text)));
        }
      } while (words_->TakeIf(","));
      test_.threads.push_back(thread);
    } while (words_->TakeIf("|"));
    words_->Expect(";");
  }

  bool AtQuestion() const {
    for (const char* const word : {"exists", "~", "forall", "filter", "locations", ""}) {
      if (words_->Is(word)) {
        return true;
      }
    }
    return false;
  }

  void ParseInstructions() {
    std::vector<InstructionParser> parsers;
    for (unsigned i = 0; i < test_.threads.size(); ++i) {
      parsers.emplace_back(&*words_, &names_, i);
    }
    while (!AtQuestion()) {
      for (unsigned i = 0;; ++i) {
        if (i == parsers.size()) {
          words_->Fail(
              fmt::format("this row has more than {} cells, one for each thread", parsers.size()));
        }
        while (!words_->Is("|") && !words_->Is(";")) {
          parsers[i].Parse(&test_.threads[i].instructions);
        }
        if (words_->TakeIf(";")) {
          break;
        }
        words_->Expect("|");
      }
    }
    for (unsigned i = 0; i < parsers.size(); ++i) {
      parsers[i].Link(&test_.threads[i].instructions);
    }
  }

  void ParseQuestion() {
    if (words_->TakeIf("locations")) {
      while (!words_->TakeIf("]")) {
        if (words_->Next().text.empty()) {
          words_->Expect("]");
        }
        words_->Take();
      }
    }
    if (words_->TakeIf("filter")) {
      test_.filter = ParseCondition(&*words_, test_, names_);
      words_->TakeIf(";");
    }
    if (words_->TakeIf("~")) {
      test_.quantifier = Test::Quantifier::kNotExists;
      words_->Expect("exists");
    } else if (words_->TakeIf("forall")) {
      test_.quantifier = Test::Quantifier::kForall;
    } else {
      words_->Expect("exists");
    }
    test_.condition = ParseCondition(&*words_, test_, names_);
    words_->TakeIf(";");
    if (!words_->Next().text.empty()) {
      words_->Fail(
          fmt::format(R"(the file should end before "{}")", ptx::Printable(words_->Next().text)));
    }
  }

  Test test_;
  Names names_{&test_};
  std::optional<Lexer> words_;
  std::map<std::pair<unsigned, std::string>, Initial> registers_;
};

}  // namespace

Test Parse(const std::string& file, std::string_view text) { return Parser(file, text).Parse(); }

}  // namespace muster::litmus
