// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/golden/mbarrier_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "tb/golden/trace.h"
#include "tb/golden/trace_text.h"

namespace muster::golden {
namespace {

constexpr std::uint32_t kAllLanes = 0xffffffff;
constexpr const char* kConfig = "small";
constexpr const char* kPendingCount = "pending_count";

using Words = std::vector<std::string>;

// The words of a line; brackets, commas and colons only separate them.
Words Split(std::string text) {
  for (char& c : text) {
    c = std::string_view("[],:").find(c) != std::string_view::npos ? ' ' : c;
  }
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::string ReportText(const char* what, MbReport report) {
  return report == 0 ? "" : fmt::format(" {} {:#x}", what, report & 0xff);
}

std::string WordText(std::uint64_t word, bool layouts) {
  const MbWord fields = DecodeMbWord(word, layouts);
  EXPECT_EQ(Encode(fields), word) << "bits that mean nothing";
  EXPECT_FALSE(fields.lock || fields.reserved);
  std::string text =
      fmt::format("p{} {}/{}", fields.phase ? 1 : 0, fields.pending, fields.expected);
  if (fields.tx != 0) {
    text += fmt::format(" tx {}", fields.tx);
  }
  if (fields.v1) {
    text += fmt::format(" v1 c{}", fields.conditional ? 1 : 0);
  }
  return text + ReportText("report", fields.report) + ReportText("last", fields.last);
}

std::string WarpsText(const std::vector<MbAnswer>& answers, bool complete) {
  std::string text;
  for (const MbAnswer& answer : answers) {
    if (answer.complete == complete) {
      text += fmt::format(" {}", answer.warp);
    }
  }
  return text;
}

bool IsRefused(const MbEffects& effects, unsigned lane) {
  return effects.fault[lane] != FaultCause::kNone;
}

std::string FaultText(const MbOperation& operation, const MbEffects& effects) {
  std::map<FaultCause, std::uint32_t> lanes;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if (IsRefused(effects, lane)) {
      lanes[effects.fault[lane]] |= 1U << lane;
    }
  }
  std::string text;
  for (const auto& [cause, refused] : lanes) {
    text += fmt::format(" fault {}", Name(cause));
    if (refused != operation.lanes) {
      text += fmt::format(" lanes={:#x}", refused);
    }
  }
  return text;
}

std::string TokenText(const MbOperation& operation, const MbEffects& effects, bool layouts) {
  std::string text;
  unsigned count = 0;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if ((operation.lanes >> lane & 1) != 0 && !IsRefused(effects, lane)) {
      text += (count++ == 0 ? " " : ", ") + WordText(effects.token[lane], layouts);
    } else {
      EXPECT_EQ(effects.token[lane], 0U);
    }
  }
  return text.empty() ? text : (count == 1 ? " token" : " tokens") + text;
}

std::string WaitText(const MbOperation& operation, const MbEffects& effects) {
  EXPECT_EQ(effects.parked & (effects.complete | ~operation.lanes), 0U);
  if (effects.parked != 0) {
    EXPECT_EQ(effects.parked, operation.lanes);
    return " parks";
  }
  if (effects.complete != 0) {
    EXPECT_EQ(effects.complete, operation.lanes);
    return " true" + ReportText("report", effects.report);
  }
  return IsRefused(effects, static_cast<unsigned>(__builtin_ctz(operation.lanes))) ? "" : " false";
}

// What an operation, a store, a time limit or the end of a CTA did besides its own result.
std::string RestText(const MbEffects& effects) {
  std::string text;
  for (const bool complete : {true, false}) {
    const std::string warps = WarpsText(effects.answers, complete);
    if (!warps.empty()) {
      text += fmt::format(" answers {} to{}", complete, warps);
    }
    for (const MbAnswer& answer : effects.answers) {
      if (answer.complete == complete && answer.report != 0) {
        text += fmt::format(" (warp {}:{})", answer.warp, ReportText("report", answer.report));
      }
    }
  }
  for (unsigned i = 0; i < kNumHazards; ++i) {
    if ((effects.hazards >> i & 1) != 0) {
      text += fmt::format(" hazard {}", Name(static_cast<Hazard>(i)));
    }
  }
  return text;
}

std::string EffectsText(const MbOperation& operation, const MbEffects& effects, bool layouts) {
  std::string text = FaultText(operation, effects);
  if (effects.completions != 0) {
    text += effects.completions == 1 ? " completes"
                                     : fmt::format(" completes {} phases", effects.completions);
  }
  if (effects.written) {
    text += " " + WordText(effects.word, layouts);
  }
  if (operation.has_token) {
    text += TokenText(operation, effects, layouts);
  }
  if (IsMbWait(operation.op) && operation.lanes != 0) {
    text += WaitText(operation, effects);
  }
  return text + RestText(effects);
}

}  // namespace

MbTrace::MbTrace(std::string_view config) : MbTrace(*FindConfig(config)) {}
MbTrace::MbTrace(const Config& config)
    : core_(config), layouts_(config.report), mbarriers_(core_, kSmemBytes, layouts_) {}

void MbTrace::Run(std::string_view text) {
  ForEachLine(text, [&](const std::string& line) { RunLine(line); });
}

void MbTrace::RunLine(const std::string& line) {
  const std::size_t arrow = line.find("->");
  const std::string expected =
      arrow == std::string::npos ? std::string() : Trim(line.substr(arrow + 2));
  EXPECT_EQ(Trim(Carry(line.substr(0, arrow))), expected);
}

std::string MbTrace::Carry(const std::string& text) {
  const Words words = Split(text);
  const std::string& first = words.at(0);
  if (first == "suspend" || first == "end") {
    return Leave(text);
  }
  if (first == "expire") {
    return RestText(mbarriers_.Expire(static_cast<unsigned>(Number(words.at(1)))));
  }
  if (first == "load" || first == "store" || first == "restore") {
    const auto cta = static_cast<unsigned>(Number(words.at(1)));
    const auto addr = static_cast<std::uint32_t>(Number(words.at(2)));
    if (first == "load") {
      return fmt::format("{:#x}", mbarriers_.Word(cta, addr));
    }
    const std::uint64_t word = Number(words.at(3));
    MbEffects effects;
    if (first == "store") {
      effects = mbarriers_.Store(cta, addr, word);
      EXPECT_TRUE(effects.written);
      EXPECT_EQ(effects.word, word);
    } else {
      mbarriers_.Restore(cta, addr, word);
    }
    EXPECT_EQ(mbarriers_.Word(cta, addr), word);
    return RestText(effects);
  }
  const bool of_core = first == "launch" || words.at(1) == "exit" || words.at(1) == "SYNC";
  if (of_core) {
    EXPECT_EQ(core_.Step(ParseOperation(text)).fault, FaultCause::kNone);
    return "";
  }
  return CarryOperation(text);
}

std::string MbTrace::Leave(const std::string& text) {
  const Operation operation = ParseOperation(text);
  EXPECT_EQ(core_.Step(operation).fault, FaultCause::kNone);
  return RestText(mbarriers_.Leave(operation.cta, operation.kind));
}

MbTrace::Line MbTrace::ParseLine(const std::string& text) const {
  Words words = Split(text);
  Line line;
  MbOperation& operation = line.operation;
  operation.lanes = 1;
  if (words[0] == "async" || words[0] == "remote") {
    operation.source = words[0] == "async" ? MbSource::kAsync : MbSource::kRemote;
    operation.cta = static_cast<std::uint8_t>(Number(words.at(1)));
    words.erase(words.begin());
  } else {
    const std::size_t dot = words[0].find('.');
    if (dot != std::string::npos) {
      operation.cta = static_cast<std::uint8_t>(Number(words[0].substr(0, dot)));
    }
    operation.warp =
        static_cast<std::uint8_t>(Number(words[0].substr(dot == std::string::npos ? 0 : dot + 1)));
  }
  line.mnemonic = words.at(1);

  std::vector<std::uint32_t> numbers;  // operands after the address
  for (auto word = words.begin() + 2; word != words.end(); ++word) {
    if (*word == "out") {
      operation.source = MbSource::kOutbound;
    } else if (*word == "part") {
      operation.whole = false;
    } else if (*word == "lanes=all") {
      operation.lanes = kAllLanes;
    } else if (word->rfind("behind=", 0) == 0) {
      operation.behind = static_cast<std::uint32_t>(Number(word->substr(7)));
    } else if (word->rfind("lanes=", 0) == 0) {
      operation.lanes = static_cast<std::uint32_t>(Number(word->substr(6)));
    } else if ((*word)[0] == '%') {
      line.name = (*word)[1] == '%' ? *word : fmt::format("{} of warp {}", *word, operation.warp);
    } else if (*word != "_") {
      numbers.push_back(static_cast<std::uint32_t>(Number(*word)));
    }
  }
  if (line.mnemonic == kPendingCount) {
    return line;
  }
  EXPECT_TRUE(FindName(line.mnemonic, &operation)) << "no operation: " << line.mnemonic;
  operation.addr = numbers.at(0);
  auto operand = numbers.begin() + 1;
  if (IsMbWait(operation.op)) {
    operation.phase = line.name.empty() ? *operand++ != 0
                                        : DecodeMbWord(Register(line.name, operation.lanes)).phase;
    operation.has_hint = operand != numbers.end();
  } else {
    operation.has_token = !line.name.empty();
    operation.operand = IsMbArrival(operation.op) ? 1 : 0;
  }
  if (operand != numbers.end()) {
    operation.operand = *operand;
  }
  return line;
}

// Of the lowest lane.
std::uint64_t MbTrace::Register(const std::string& name, std::uint32_t lanes) const {
  return registers_.at({name, static_cast<unsigned>(__builtin_ctz(lanes))});
}

std::string MbTrace::CarryOperation(const std::string& text) {
  const Line line = ParseLine(text);
  const MbOperation& operation = line.operation;
  if (line.mnemonic == kPendingCount) {
    return std::to_string(PendingCount(Register(line.name, operation.lanes)));
  }
  const Mbarriers before = mbarriers_;
  const MbEffects effects = mbarriers_.Step(operation);
  CheckLaneByLane(operation, effects, before);
  for (unsigned lane = 0; operation.has_token && lane < kMaxLanes; ++lane) {
    if ((operation.lanes >> lane & 1) != 0) {
      registers_[{line.name, lane}] = effects.token[lane];
    }
  }
  if (effects.written) {
    EXPECT_EQ(mbarriers_.Word(operation.cta, operation.addr), effects.word);
  } else if (effects.parked == 0) {
    EXPECT_EQ(StateText(mbarriers_), StateText(before)) << "it changed the state";
  }
  return EffectsText(operation, effects, layouts_);
}

// Lanes that park do so together.
void MbTrace::CheckLaneByLane(const MbOperation& operation, const MbEffects& effects,
                              Mbarriers before) const {
  if (effects.parked != 0) {
    return;
  }
  MbEffects sum;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if ((operation.lanes >> lane & 1) == 0) {
      continue;
    }
    MbOperation one = operation;
    one.lanes = 1U << lane;
    one.behind |= operation.lanes & -(std::uint32_t{2} << lane);
    const MbEffects part = before.Step(one);
    sum.fault[lane] = part.fault[lane];
    sum.token[lane] = part.token[lane];
    sum.complete |= part.complete;
    sum.report = part.complete != 0 ? part.report : sum.report;
    sum.completions += part.completions;
    sum.written = sum.written || part.written;
    sum.word = part.written ? part.word : sum.word;
    sum.answers.insert(sum.answers.end(), part.answers.begin(), part.answers.end());
    sum.hazards |= part.hazards;
  }
  EXPECT_EQ(EffectsText(operation, sum, layouts_), EffectsText(operation, effects, layouts_));
  EXPECT_EQ(StateText(before), StateText(mbarriers_)) << "not what its lanes do one by one";
}

// Everything that can be seen.
std::string MbTrace::StateText(const Mbarriers& mbarriers) const {
  std::string text;
  for (unsigned cta = 0; cta < FindConfig(kConfig)->num_ctas; ++cta) {
    for (std::uint32_t addr = 0; addr < kSmemBytes; addr += 8) {
      if (mbarriers.Word(cta, addr) != 0) {
        text += fmt::format("{:#x} ", mbarriers.Word(cta, addr));
      }
    }
    for (const std::uint32_t addr : mbarriers.Objects(cta)) {
      text += "\n" + mbarriers.Describe(cta, addr);
    }
  }
  for (unsigned warp = 0; warp < kMaxWarps; ++warp) {
    text += fmt::format(" {:#x}", mbarriers.ParkedLanes(warp));
  }
  return text;
}

}  // namespace muster::golden
