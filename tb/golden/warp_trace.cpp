// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/golden/warp_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/golden/warp_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "tb/golden/trace_text.h"

namespace muster::golden {
namespace {

const std::map<std::string, std::uint8_t>& Modes() {
  static const std::map<std::string, std::uint8_t> modes = {{"up", 0},  {"down", 1}, {"bfly", 2},
                                                            {"idx", 3}, {"b32", 0},  {"b64", 1},
                                                            {"u32", 0}, {"s32", 1},  {"f32", 2}};
  return modes;
}

// The keys of gathers, without barrier and count.
const std::map<std::string, std::uint32_t>& Barriers() {
  static const std::map<std::string, std::uint32_t> barriers = {
      {"barrier.sync", 0x00000},         {"barrier.arrive", 0x10000},
      {"barrier.red.and", 0x20000},      {"barrier.red.or", 0x30000},
      {"barrier.red.popc", 0x40000},     {"barrier.cluster.arrive", 0x100000},
      {"barrier.cluster.wait", 0x200000}};
  return barriers;
}

std::vector<std::string> SplitAt(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

std::string BarrierText(std::uint32_t key) {
  for (const auto& [name, bits] : Barriers()) {
    if ((key & 0xfff0000) == bits) {
      const std::string count = (key & 0xfff0) != 0 ? fmt::format(",{}", key >> 4 & 0xfff) : "";
      return (key >> 20) != 0 ? name : fmt::format("{} {}{}", name, key & 0xf, count);
    }
  }
  return fmt::format("{:#x}", key);
}

std::string PredsText(std::uint32_t preds) {
  return preds != 0 ? fmt::format(" p={:#x}", preds) : "";
}

std::string GroupText(const WarpGroup& group) {
  std::string text = BarrierText(group.key);
  if (group.op != WarpOp::kGather) {
    text = Name(group.op);
    text += group.abs ? ".abs" : "";
    text += group.nan ? ".NaN" : "";
    if (group.op == WarpOp::kShuffle) {
      text += std::array{".up", ".down", ".bfly", ".idx"}.at(group.mode);
    } else if (IsMatch(group.op)) {
      text += std::array{".b32", ".b64"}.at(group.mode);
    } else if (group.op >= WarpOp::kReduxAnd) {
      text += ".b32";
    } else if (IsRedux(group.op)) {
      text += std::array{".u32", ".s32", ".f32"}.at(group.mode);
    }
    text += fmt::format(" {:#x}", group.key);
  }
  return text + fmt::format(" waits {:#x}", group.lanes) + PredsText(group.preds);
}

std::string GroupsText(const WarpScope& scope, unsigned warp) {
  std::string text;
  for (const WarpGroup& group : scope.Groups(warp)) {
    text += (text.empty() ? "" : ", ") + GroupText(group);
  }
  return text;
}

std::string AnswerText(const WarpRequest& request, const WarpAnswer& answer) {
  EXPECT_EQ(answer.warp, request.warp);
  std::string text = answer.op != request.op ? std::string(" ") + Name(answer.op) : "";
  text += fmt::format(" answers {:#x}", answer.lanes);
  const bool is_vote = answer.op >= WarpOp::kVoteAll && answer.op <= WarpOp::kVoteUni;
  const bool has_data =
      answer.op == WarpOp::kElect || answer.op == WarpOp::kBallot || HasValues(answer.op);
  const bool has_pred = is_vote || answer.op == WarpOp::kMatchAll;
  EXPECT_TRUE(has_data || answer.data == 0);
  EXPECT_TRUE(has_pred || !answer.pred);
  text += has_data || has_pred ? " with" : "";
  text += has_data ? fmt::format(" {:#x}", answer.data) : "";
  return text + (has_pred ? (answer.pred ? " true" : " false") : "");
}

std::string EffectsText(const WarpRequest& request, const WarpEffects& effects) {
  std::string text;
  if (effects.fault != FaultCause::kNone) {
    text += fmt::format(" fault {}", Name(effects.fault));
  }
  for (const WarpAnswer& answer : effects.answers) {
    text += AnswerText(request, answer);
  }
  if (effects.arrival) {
    EXPECT_EQ(effects.arrival->warp, request.warp);
    EXPECT_EQ(effects.arrival->cta, request.cta);
    text += fmt::format(" arrives {:#x} at {}", effects.arrival->lanes,
                        BarrierText(effects.arrival->key)) +
            PredsText(effects.arrival->preds);
  }
  return Trim(text);
}

// What opens this group in a restore.
WarpRequest WriteOf(const WarpGroup& group, unsigned warp, const LaneValues& values) {
  WarpRequest request;
  request.op = WarpOp::kWrite;
  request.warp = static_cast<std::uint8_t>(warp);
  request.lanes = group.lanes;
  request.live = EncodeInstruction(group);
  request.key = group.key;
  request.preds = group.preds;
  request.values = values;
  return request;
}

// The mnemonic, without what depends on the operation.
void ParseMnemonic(const std::string& mnemonic, WarpRequest* request) {
  const auto barrier = Barriers().find(mnemonic);
  if (barrier != Barriers().end()) {
    request->op = WarpOp::kGather;
    request->key = barrier->second;
    return;
  }
  for (unsigned code = 0; code < kNumWarpOps; ++code) {
    const auto op = static_cast<WarpOp>(code);
    const std::string name = Name(op);
    if (mnemonic == name || mnemonic.rfind(name + ".", 0) == 0) {
      request->op = op;
      for (const std::string& qualifier : SplitAt(mnemonic.substr(name.size()), '.')) {
        if (qualifier == "abs") {
          request->abs = true;
        } else if (qualifier == "NaN") {
          request->nan = true;
        } else if (!qualifier.empty()) {
          request->mode = Modes().at(qualifier);
        }
      }
      return;
    }
  }
  ADD_FAILURE() << "no operation: " << mnemonic;
}

// The operand of the operation: a mask, barrier and count, or a slot.
void ParseOperand(const std::string& text, WarpRequest* request) {
  if (request->op == WarpOp::kGather) {
    const std::vector<std::string> parts = SplitAt(text, ',');
    request->key |= Number32(parts.at(0));
    request->key |= parts.size() > 1 ? Number32(parts[1]) << 4 : 0;
  } else {
    request->key = Number32(text);
  }
}

void ParseValues(const std::string& text, WarpRequest* request) {
  const std::vector<std::string> values = SplitAt(text, ',');
  unsigned next = 0;
  ForEachBit(request->lanes, [&](unsigned lane) {
    request->values[lane] = Number(values.size() == 1 ? values[0] : values.at(next++));
  });
  EXPECT_TRUE(values.size() == 1 || values.size() == next);
}

}  // namespace

WarpScope SavedAndRestored(const WarpScope& scope) {
  WarpScope restored = scope;
  for (unsigned warp = 0; warp < WarpTrace::kNumWarps; ++warp) {
    restored.Clear(warp);
    EXPECT_EQ(restored.Waiting(warp), 0U);
    const std::vector<WarpGroup>& groups = scope.Groups(warp);
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {  // in any order
      LaneValues values{};
      ForEachBit(HasValues(group->op) ? group->lanes : 0,
                 [&](unsigned lane) { values.at(lane) = scope.Value(warp, lane); });
      const WarpRequest write = WriteOf(*group, warp, values);
      EXPECT_TRUE(restored.MayBePresented(write));
      const WarpEffects effects = restored.Step(write);
      EXPECT_TRUE(effects.fault == FaultCause::kNone && effects.answers.empty() &&
                  !effects.arrival);
    }
  }
  return restored;
}

void RunWarpTrace(std::string_view text, unsigned warp_size) {
  for (const bool restores : {false, true}) {
    SCOPED_TRACE(restores ? "saved and restored before each line" : "");
    WarpTrace(warp_size, restores).Run(text);
  }
}

WarpTrace::WarpTrace(unsigned warp_size, bool restores)
    : warp_size_(warp_size), restores_(restores), scope_(kNumWarps, warp_size) {
  live_.fill(kAllLanes);
}

void WarpTrace::Run(std::string_view text) {
  ForEachLine(text, [&](const std::string& line) { RunLine(line); });
}

void WarpTrace::RunLine(const std::string& line) {
  const std::size_t arrow = line.find("->");
  if (restores_) {
    const WarpScope restored = SavedAndRestored(scope_);
    EXPECT_EQ(StateText(restored), StateText(scope_));
    scope_ = restored;
  }
  EXPECT_EQ(Carry(Trim(line.substr(0, arrow))),
            arrow == std::string::npos ? "" : Trim(line.substr(arrow + 2)));
}

std::string WarpTrace::Carry(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  std::string warp;
  in >> word >> warp;
  if (word == "live") {
    in >> word;
    live_.at(Number(SplitAt(warp, ':')[0])) = Number32(word);
    return "";
  }
  if (word == "clear") {
    scope_.Clear(static_cast<unsigned>(Number(warp)));
    return "";
  }
  if (word == "groups") {
    return GroupsText(scope_, static_cast<unsigned>(Number(warp)));
  }
  return CarryRequest(text);
}

WarpRequest WarpTrace::ParseRequest(const std::string& text) const {
  WarpRequest request;
  std::istringstream in(text);
  std::string word;
  in >> word;
  const std::vector<std::string> slots = SplitAt(word.substr(0, word.find(':')), '.');
  request.cta = static_cast<std::uint8_t>(slots.size() > 1 ? Number(slots[0]) : 0);
  request.warp = static_cast<std::uint8_t>(Number(slots.back()));
  in >> word;
  const bool writes = word == Name(WarpOp::kWrite);
  if (writes) {
    in >> word;
  }
  ParseMnemonic(word, &request);
  const std::uint32_t live = live_.at(request.warp);
  request.lanes = live;
  std::string values;
  while (in >> word) {
    if (word.rfind("lanes=", 0) == 0) {
      request.lanes = Number32(word.substr(6));
    } else if (word.rfind("p=", 0) == 0) {
      request.preds = Number32(word.substr(2));
    } else if (word.rfind("v=", 0) == 0) {
      values = word.substr(2);
    } else {
      ParseOperand(word, &request);
    }
  }
  if (!values.empty()) {
    ParseValues(values, &request);
  }
  request.live = request.op == WarpOp::kExit ? live & ~request.lanes : live;
  if (writes) {
    WarpGroup group;
    group.op = request.op;
    group.mode = request.mode;
    group.abs = request.abs;
    group.nan = request.nan;
    group.key = request.key;
    group.lanes = request.lanes;
    group.preds = request.preds;
    return WriteOf(group, request.warp, request.values);
  }
  return request;
}

std::string WarpTrace::CarryRequest(const std::string& text) {
  const WarpRequest request = ParseRequest(text);
  if (!scope_.MayBePresented(request)) {
    return "must not be presented";
  }
  const WarpScope before = scope_;
  const WarpEffects effects = scope_.Step(request);
  if (effects.fault != FaultCause::kNone) {
    EXPECT_EQ(StateText(scope_), StateText(before)) << "a refused request changes something";
    EXPECT_TRUE(effects.answers.empty() && !effects.arrival);
  } else {
    CheckConserved(request, effects, before);
    if (request.op == WarpOp::kExit) {
      live_.at(request.warp) = request.live;
    } else if (IsRendezvous(request.op)) {
      CheckLaneByLane(request, effects, before);
    }
  }
  return EffectsText(request, effects);
}

// Each lane that waited or came waits now, or is answered or arrives, once.
void WarpTrace::CheckConserved(const WarpRequest& request, const WarpEffects& effects,
                               const WarpScope& before) const {
  const std::uint32_t lanes_of_warp = kAllLanes >> (kMaxLanes - warp_size_);
  const bool comes = IsRendezvous(request.op) || request.op == WarpOp::kWrite;
  const std::uint32_t came = comes ? request.lanes & lanes_of_warp : 0;
  std::uint32_t now = 0;
  const auto add = [&](std::uint32_t lanes) {
    EXPECT_EQ(now & lanes, 0U) << "a lane is in two places";
    now |= lanes;
  };
  for (const WarpGroup& group : scope_.Groups(request.warp)) {
    EXPECT_TRUE(group.lanes != 0 && (group.preds & ~group.lanes) == 0);
    add(group.lanes);
  }
  EXPECT_EQ(scope_.Waiting(request.warp), now);
  for (const WarpAnswer& answer : effects.answers) {
    add(answer.lanes);
  }
  if (effects.arrival) {
    add(effects.arrival->lanes);
  }
  EXPECT_EQ(before.Waiting(request.warp) | came, now);
}

void WarpTrace::CheckLaneByLane(const WarpRequest& request, const WarpEffects& effects,
                                WarpScope before) const {
  std::string text;
  ForEachBit(request.lanes, [&](unsigned lane) {
    WarpRequest one = request;
    one.lanes = 1U << lane;
    one.preds &= one.lanes;
    text += EffectsText(one, before.Step(one));
  });
  EXPECT_EQ(text, EffectsText(request, effects)) << "lane by lane";
  EXPECT_EQ(StateText(before), StateText(scope_)) << "lane by lane";
}

std::string WarpTrace::StateText(const WarpScope& scope) const {
  std::string text;
  for (unsigned warp = 0; warp < kNumWarps; ++warp) {
    text += fmt::format("{}: {}\n", warp, GroupsText(scope, warp));
    for (const WarpGroup& group : scope.Groups(warp)) {
      ForEachBit(HasValues(group.op) ? group.lanes : 0, [&](unsigned lane) {
        text += fmt::format("  value {:#x}\n", scope.Value(warp, lane));
      });
    }
  }
  return text;
}

}  // namespace muster::golden
