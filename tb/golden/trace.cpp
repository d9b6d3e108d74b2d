// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/golden/trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "tb/golden/trace_text.h"

namespace muster::golden {
namespace {

constexpr std::uint32_t kPhase = std::uint32_t{1} << 29;  // of an entry's state word

const std::map<std::string, OpKind>& Mnemonics() {
  static const std::map<std::string, OpKind> mnemonics = {
      {"SYNC", OpKind::kSync},
      {"ARV", OpKind::kArrive},
      {"RED.AND", OpKind::kRedAnd},
      {"RED.OR", OpKind::kRedOr},
      {"RED.POPC", OpKind::kRedPopc},
      {"B2R.BAR", OpKind::kB2rBar},
      {"B2R.WARP", OpKind::kB2rWarp},
      {"B2R.RESULT", OpKind::kB2rResult},
      {"R2B.BAR", OpKind::kR2bBar},
      {"R2B.WARP", OpKind::kR2bWarp},
      {"launch", OpKind::kLaunch},
      {"open", OpKind::kOpen},
      {"join", OpKind::kJoin},
      {"exit", OpKind::kExit},
      {"suspend", OpKind::kSuspend},
      {"end", OpKind::kEnd},
      {"ARV.PHASE", OpKind::kArrivePhase},
      {"WAIT", OpKind::kWait},
  };
  return mnemonics;
}

const std::vector<std::string>& KindNames() {
  static const std::vector<std::string> names = {"none", "sync", "and", "or", "popc"};
  return names;
}

// The tokens of a line, taken one by one.
class Tokens {
 public:
  explicit Tokens(const std::string& text) : in_(text) { in_ >> token_; }

  bool AtEnd() const { return token_.empty(); }
  std::string Next() {
    std::string token = token_;
    token_.clear();
    in_ >> token_;
    return token;
  }
  bool Accept(std::string_view token) {
    const bool accepted = token_ == token;
    if (accepted) {
      Next();
    }
    return accepted;
  }

 private:
  std::istringstream in_;
  std::string token_;
};

std::uint32_t KindCode(const std::string& name) {
  for (std::uint32_t code = 0; code < KindNames().size(); ++code) {
    if (name == KindNames()[code]) {
      return code;
    }
  }
  ADD_FAILURE() << "no kind of barrier: " << name;
  return 0;
}

// "popc 1/4 17 phase 1", "idle phase 1"
std::uint32_t ParseEntry(Tokens* tokens) {
  const std::string first = tokens->Next();
  if (first.rfind("0x", 0) == 0) {
    return Number32(first);
  }
  const auto phase = [tokens] {
    return tokens->Accept("phase") ? Number32(tokens->Next()) << 29 : 0;
  };
  if (first == "idle") {
    return phase();
  }
  const std::uint32_t kind = KindCode(first);
  const std::string counts = tokens->Next();
  const std::size_t slash = counts.find('/');
  const std::uint32_t arrived = Number32(counts.substr(0, slash));
  const std::string of = counts.substr(slash + 1);
  const std::uint32_t expected = of == "all" ? 0 : Number32(of);
  std::uint32_t word = kind << 26 | expected << 19 | arrived << 12 | phase();
  word |= tokens->AtEnd() ? 0 : Number32(tokens->Next());
  return word | phase();
}

// "popc 17 of 3 waits 5", "none waits 5 apart"
std::uint32_t ParseWarp(Tokens* tokens) {
  const std::string first = tokens->Next();
  if (first.rfind("0x", 0) == 0) {
    return Number32(first);
  }
  std::uint32_t word = KindCode(first) << 16;
  if (first != "none") {
    word |= Number32(tokens->Next());
    EXPECT_TRUE(tokens->Accept("of"));
    word |= Number32(tokens->Next()) << 12;
  }
  if (tokens->Accept("waits")) {
    word |= 1U << 23 | Number32(tokens->Next()) << 19;
    word |= tokens->Accept("apart") ? 1U << 24 : 0;
  }
  return word;
}

std::string EntryText(std::uint32_t word) {
  const std::uint32_t kind = word >> 26 & 7;
  const std::string phase = (word & kPhase) != 0 ? " phase 1" : "";
  if ((word & ~kPhase) == 0) {
    return "idle" + phase;
  }
  if (kind == 0 || kind >= KindNames().size() || word >> 30 != 0) {
    return fmt::format("{:#x}", word);
  }
  const std::uint32_t expected = word >> 19 & 0x7f;
  std::string text = fmt::format("{} {}/{}", KindNames()[kind], word >> 12 & 0x7f,
                                 expected == 0 ? "all" : std::to_string(expected));
  if ((word & 0xfff) != 0) {
    text += fmt::format(" {}", word & 0xfff);
  }
  return text + phase;
}

std::string WarpText(std::uint32_t word) {
  const std::uint32_t kind = word >> 16 & 7;
  if (kind >= KindNames().size() || word >> 25 != 0) {
    return fmt::format("{:#x}", word);
  }
  std::string text = KindNames()[kind];
  if ((word & 0xffff) != 0 || kind != 0) {
    text += fmt::format(" {} of {}", word & 0xfff, word >> 12 & 0xf);
  }
  if ((word >> 23 & 1) != 0) {
    text += fmt::format(" waits {}", word >> 19 & 0xf);
  }
  text += (word >> 24 & 1) != 0 ? " apart" : "";
  return text;
}

std::string ResponseText(OpKind kind, const Effects& effects) {
  if (kind == OpKind::kB2rBar) {
    return EntryText(effects.data);
  }
  if (kind == OpKind::kB2rWarp) {
    return WarpText(effects.data);
  }
  if (effects.pred) {
    return effects.data == 0 ? "true" : fmt::format("{} and true", effects.data);
  }
  return std::to_string(effects.data);
}

// Launch, and open, which names no warps.
void ParseLaunch(Tokens* tokens, Operation* operation) {
  operation->cta = static_cast<std::uint8_t>(Number32(tokens->Next()));
  unsigned count = 0;
  while (!tokens->AtEnd() && !tokens->Accept("size")) {
    operation->warps |= std::uint64_t{1} << Number32(tokens->Next());
    ++count;
  }
  operation->size = static_cast<std::uint8_t>(tokens->AtEnd() ? count : Number32(tokens->Next()));
}

// Everything of the model that can be seen, to show that an operation changed nothing.
std::string StateText(const Model& model, const Config& config) {
  std::string text = fmt::format("live {:#x} waiting {:#x}", model.Live(), model.Waiting());
  for (unsigned warp = 0; warp < config.num_warps; ++warp) {
    fmt::format_to(std::back_inserter(text), " warp {:#x}", model.WarpWord(warp));
  }
  for (unsigned cta = 0; cta < config.num_ctas; ++cta) {
    fmt::format_to(std::back_inserter(text), "\nCTA {} {} live {:#x}, {} to join", cta,
                   model.Resident(cta), model.LiveWarps(cta), model.ToJoin(cta));
    for (unsigned bar = 0; bar < kNumBars; ++bar) {
      text += "\n" + model.Describe(cta, bar);
      fmt::format_to(std::back_inserter(text), " {:#x}", model.EntryWord(cta, bar));
    }
  }
  return text;
}

std::string Trim(const std::string& text) {
  Tokens tokens(text);
  std::string trimmed;
  while (!tokens.AtEnd()) {
    trimmed += (trimmed.empty() ? "" : " ") + tokens.Next();
  }
  return trimmed;
}

const Config& Find(std::string_view name) {
  const Config* config = FindConfig(name);
  EXPECT_NE(config, nullptr) << name;
  return *config;
}

}  // namespace

Operation ParseOperation(const std::string& text) {
  std::string spaced = text;
  for (char& c : spaced) {
    c = c == ':' || c == ',' ? ' ' : c;
  }
  Tokens tokens(spaced);
  Operation operation;
  std::string who = tokens.Next();
  if (Mnemonics().count(who) != 0) {
    operation.kind = Mnemonics().at(who);
    if (operation.kind == OpKind::kLaunch || operation.kind == OpKind::kOpen) {
      ParseLaunch(&tokens, &operation);
    } else {
      operation.cta = static_cast<std::uint8_t>(Number32(tokens.Next()));
    }
    EXPECT_TRUE(tokens.AtEnd());
    return operation;
  }
  const std::size_t dot = who.find('.');
  if (dot != std::string::npos) {
    operation.cta = static_cast<std::uint8_t>(Number32(who.substr(0, dot)));
    who.erase(0, dot + 1);
  }
  operation.warp = static_cast<std::uint8_t>(Number32(who));
  operation.lanes = kAllLanes;
  const std::string mnemonic = tokens.Next();
  EXPECT_EQ(Mnemonics().count(mnemonic), 1) << "no operation: " << mnemonic;
  operation.kind = Mnemonics().at(mnemonic);
  if (NamesEntry(operation.kind)) {
    operation.bar = static_cast<std::uint8_t>(Number32(tokens.Next()));
  }
  if (operation.kind == OpKind::kR2bBar) {
    operation.operand = ParseEntry(&tokens);
  } else if (operation.kind == OpKind::kR2bWarp) {
    operation.operand = ParseWarp(&tokens);
  }
  while (!tokens.AtEnd()) {
    const std::string token = tokens.Next();
    if (token.rfind("p=", 0) == 0) {
      operation.operand = Number32(token.substr(2));
    } else if (token.rfind("lanes=", 0) == 0) {
      operation.lanes = Number32(token.substr(6));
    } else if (operation.kind == OpKind::kWait) {
      operation.operand = Number32(token);
    } else {
      operation.count = static_cast<std::uint16_t>(Number32(token));
    }
  }
  return operation;
}

std::string Describe(const Operation& operation, const Effects& effects) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
  if (effects.fault != FaultCause::kNone) {
    add(fmt::format("fault {}", Name(effects.fault)));
  }
  if (effects.entry_written || effects.completed) {
    const bool named = !IsLifecycle(operation.kind) && effects.cta == operation.cta &&
                       effects.bar == operation.bar;
    if (!named) {
      add(effects.cta == operation.cta ? fmt::format("bar {}", effects.bar)
                                       : fmt::format("CTA {} bar {}", effects.cta, effects.bar));
    }
    const bool writes = operation.kind == OpKind::kR2bBar;
    const std::string word = EntryText(writes ? effects.word : effects.word & ~kPhase);
    add(effects.completed && effects.entry_written && word == "idle" ? "completes" : word);
  }
  if (effects.completed && effects.released == 0) {
    add("releases nobody");
  }
  if (effects.released != 0) {
    add("release");
    for (unsigned warp = 0; warp < kMaxWarps; ++warp) {
      if ((effects.released >> warp & 1) != 0) {
        add(std::to_string(warp));
      }
    }
  }
  // Released without a kind, or a result without anyone to take it, must not pass unseen.
  const BarKind plain = effects.released != 0 ? BarKind::kSync : BarKind::kIdle;
  if (effects.released_kind != plain || effects.released_value != 0) {
    add(fmt::format("with {} {}", Name(effects.released_kind), effects.released_value));
  }
  if (effects.responds || effects.data != 0 || effects.pred) {
    add((effects.responds ? "reads " : "leaks ") + ResponseText(operation.kind, effects));
  }
  for (unsigned i = 0; i < kNumHazards; ++i) {
    if ((effects.hazards >> i & 1) != 0) {
      add(fmt::format("hazard {}", Name(static_cast<Hazard>(i))));
    }
  }
  return text;
}

Trace::Trace(std::string_view config) : Trace(Find(config)) {}
Trace::Trace(const Config& config) : config_(config), model_(config_) {}

void Trace::Run(std::string_view text) {
  ForEachLine(text, [&](const std::string& line) { RunLine(line); });
}

void Trace::RunLine(const std::string& line) {
  const std::size_t arrow = line.find("->");
  const Operation operation = ParseOperation(line.substr(0, arrow));
  const std::string expected =
      arrow == std::string::npos ? std::string() : Trim(line.substr(arrow + 2));

  const std::string before = StateText(model_, config_);
  const Effects effects = model_.Step(operation);
  EXPECT_EQ(Describe(operation, effects), expected);

  if (effects.fault != FaultCause::kNone || IsRead(operation.kind)) {
    EXPECT_EQ(StateText(model_, config_), before) << "it changed the state";
  }
  if (effects.entry_written) {
    EXPECT_EQ(model_.EntryWord(effects.cta, effects.bar), effects.word);
  }
  ExpectPhases(operation, effects);
  EXPECT_EQ(model_.Waiting() & effects.released, 0) << "a released warp still waits";
  EXPECT_EQ(model_.Waiting() & ~model_.Live(), 0) << "a warp waits that is not live";
  EXPECT_EQ(model_.Apart() & ~model_.Waiting(), 0) << "a warp is apart that does not wait";
}

// Each completion changes the phase of its entry, and nothing else does but R2B.BAR and a new CTA.
void Trace::ExpectPhases(const Operation& operation, const Effects& effects) {
  if (effects.completed && config_.split) {
    phases_.at(effects.cta).flip(effects.bar);
  }
  if (effects.entry_written && operation.kind == OpKind::kR2bBar) {
    phases_.at(operation.cta).set(operation.bar, (operation.operand & kPhase) != 0);
  }
  if (effects.fault == FaultCause::kNone && IsLeave(operation.kind)) {
    phases_.at(operation.cta).reset();
  }
  for (unsigned cta = 0; cta < config_.num_ctas; ++cta) {
    for (unsigned bar = 0; bar < kNumBars; ++bar) {
      EXPECT_EQ((model_.EntryWord(cta, bar) & kPhase) != 0, phases_.at(cta).test(bar))
          << "phase of barrier " << bar << " of CTA " << cta;
    }
  }
}

}  // namespace muster::golden
