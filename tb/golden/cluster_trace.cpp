// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/golden/cluster_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "tb/golden/cluster_text.h"
#include "tb/golden/trace_text.h"

namespace muster::golden {
namespace {

constexpr char kForbidden[] = "must not be presented";
constexpr std::uint32_t kLanesOfWarp = 0xf;

template <typename T = std::uint8_t>
T To(const std::string& text) {
  return static_cast<T>(Number(text));
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) {
      parts.push_back(part);
    }
  }
  return parts;
}

// The value of the word `key=value`, or the default.
std::string Value(const std::vector<std::string>& words, const std::string& key,
                  const std::string& otherwise = "0") {
  for (const std::string& word : words) {
    if (word.rfind(key + "=", 0) == 0) {
      return word.substr(key.size() + 1);
    }
  }
  return otherwise;
}

bool Has(const std::vector<std::string>& words, const std::string& flag) {
  return std::find(words.begin(), words.end(), flag) != words.end();
}

// "0.5" or "3/1".
std::pair<std::uint8_t, std::uint8_t> Pair(const std::string& text, char separator) {
  const std::vector<std::string> parts = Split(text, separator);
  EXPECT_EQ(parts.size(), 2U) << text;
  return {To(parts.at(0)), To(parts.at(1))};
}

std::optional<ClusterOp> FindOp(const std::string& name) {
  for (unsigned code = 0; code < kNumClusterOps; ++code) {
    const auto op = static_cast<ClusterOp>(code);
    if (name == Name(op) || "barrier.cluster." + name == Name(op)) {
      return op;
    }
  }
  return std::nullopt;
}

MbOp FindMbOp(const std::string& name) {
  for (unsigned code = 0; code < kNumMbOps; ++code) {
    if (name == Name(static_cast<MbOp>(code))) {
      return static_cast<MbOp>(code);
    }
  }
  ADD_FAILURE() << "no operation: " << name;
  return MbOp::kArrive;
}

// What one lane after another does is one list.
void Merge(const std::vector<ClusterLanes>& from, std::vector<ClusterLanes>* to) {
  for (const ClusterLanes& lanes : from) {
    const auto same = std::find_if(to->begin(), to->end(), [&](const ClusterLanes& other) {
      return other.unit == lanes.unit && other.warp == lanes.warp;
    });
    if (same == to->end()) {
      to->push_back(lanes);
    } else {
      EXPECT_EQ(same->lanes & lanes.lanes, 0U);
      same->lanes |= lanes.lanes;
    }
  }
}

}  // namespace

void RunClusterTrace(std::string_view text, const ClusterConfig& config) {
  ClusterTrace(config).Run(text);
}

void ClusterTrace::Run(std::string_view text) {
  ForEachLine(text, [&](const std::string& line) { RunLine(line); });
}

void ClusterTrace::RunLine(const std::string& line) {
  const std::size_t arrow = line.find("->");
  EXPECT_EQ(Carry(Trim(line.substr(0, arrow))),
            arrow == std::string::npos ? "" : Trim(line.substr(arrow + 2)));
}

std::string ClusterTrace::Carry(const std::string& text) {
  Words words = Split(text, ' ');
  if (words.at(0).back() == ':') {
    return CarryRequest(words);
  }
  const std::string& what = words.at(0);
  if (what == "live") {
    const auto [unit, warp] = Pair(words.at(1).substr(0, words.at(1).find(':')), '.');
    Live(unit, warp) = To<std::uint32_t>(words.at(2));
    return "";
  }
  if (what == "send" || what == "lose") {
    return CarrySend(words);
  }
  if (what == "deliver") {
    const auto sender = To(words.at(1));
    const auto target = To(words.at(2));
    const bool late = Has(words, "late");
    if (scope_.OnTheWay(sender, target) == 0) {
      return "nothing";
    }
    const std::string next = ", " + NextText(scope_, target, late) + ",";
    std::string text_of_it = DeliverText(scope_.Deliver(sender, target, late));
    EXPECT_NE(next.find(fmt::format(", {} {},", sender, text_of_it)), std::string::npos) << next;
    return text_of_it;
  }
  if (what == "cancel") {
    return CarryCancel(words);
  }
  if (what == "flushed") {
    const auto grid = To(words.at(1));
    return (scope_.Flushes() >> grid & 1) != 0 ? EffectsText(scope_.Flushed(grid)) : kForbidden;
  }
  return what == "grid" || what == "open" || what == "launch" || what == "end" ? CarryLife(words)
                                                                               : Ask(text, words);
}

std::string ClusterTrace::Ask(const std::string& text, const Words& words) const {
  const std::string& what = words.at(0);
  if (text == "waiting") {
    return Trim(LanesText(scope_.Waiting(), ""));
  }
  if (text == "waiting for grids") {
    return Trim(LanesText(scope_.WaitingForGrids(), ""));
  }
  if (what == "state") {
    const auto [unit, warp] = Pair(words.at(1), '.');
    return Trim(WarpText(scope_.FindWarp(unit, warp)));
  }
  if (what == "missing") {
    return Trim(MissingText(scope_, To(words.at(1))));
  }
  if (what == "phases") {
    return PhasesText(scope_, To(words.at(1)));
  }
  if (what == "place") {
    const auto [cluster, rank] = Pair(words.at(1), '/');
    return PlaceText(scope_.Place(cluster, rank));
  }
  if (what == "grids") {
    return Trim(GridsText(scope_));
  }
  if (what == "next") {
    return NextText(scope_, To(words.at(1)), Has(words, "late"));
  }
  if (what == "on") {
    return std::to_string(scope_.OnTheWay(To(words.at(3)), To(words.at(4))));
  }
  ADD_FAILURE() << "no such line";
  return "";
}

std::string ClusterTrace::CarryLife(const Words& words) {
  ClusterLife life;
  life.size = To<std::uint32_t>(Value(words, "size"));
  if (words.at(0) == "grid") {
    life.grid = To(words.at(1));
    for (const std::string& grid : Split(Value(words, "awaits", ""), ',')) {
      life.awaits |= 1U << Number(grid);
    }
    return CarryStep(life);
  }
  if (words.at(0) == "open") {
    life.op = ClusterLifeOp::kOpen;
    life.cluster = To(words.at(1));
    return CarryStep(life);
  }
  life.op = words.at(0) == "end" ? ClusterLifeOp::kEnd : ClusterLifeOp::kLaunch;
  life.size = To<std::uint32_t>(Value(words, "warps", "1"));
  life.cluster = To(Value(words, "cluster"));
  life.grid = To(Value(words, "grid"));
  life.rank = To(Value(words, "rank"));
  std::string text;
  for (std::size_t i = 1; i < words.size() && words[i].find('=') == std::string::npos; ++i) {
    std::tie(life.unit, life.cta) = Pair(words[i], '.');
    text += CarryStep(life);
    if (!text.empty()) {
      break;
    }
    ++life.rank;
  }
  return text;
}

std::string ClusterTrace::CarryStep(const ClusterLife& life) {
  if (!scope_.MayBePresented(life)) {
    return kForbidden;
  }
  const std::string before = StateText(scope_);
  const ClusterEffects effects = scope_.Step(life);
  EXPECT_EQ(effects.at_fault | effects.go, 0U);
  if (effects.fault != FaultCause::kNone) {
    EXPECT_EQ(StateText(scope_), before) << "a refused operation changes something";
  }
  return EffectsText(effects);
}

std::uint32_t& ClusterTrace::Live(unsigned unit, unsigned warp) {
  return live_.insert({{unit, warp}, kLanesOfWarp}).first->second;
}

std::string ClusterTrace::CarryRequest(const Words& words) {
  const Words slots = Split(words.at(0).substr(0, words.at(0).size() - 1), '.');
  const auto unit = To(slots.at(0));
  ClusterRequest request;
  request.cta = To(slots.at(1));
  request.warp = To(slots.at(2));
  const std::optional<ClusterOp> op = FindOp(words.at(1));
  EXPECT_TRUE(op.has_value()) << "no operation";
  request.op = op.value_or(ClusterOp::kArrive);
  std::uint32_t& live = Live(unit, request.warp);
  request.lanes = To<std::uint32_t>(Value(words, "lanes", std::to_string(live)));
  request.live = request.op == ClusterOp::kExit ? live & ~request.lanes : live;
  if (!scope_.MayBePresented(unit, request)) {
    return kForbidden;
  }
  const ClusterScope before = scope_;
  const ClusterEffects effects = scope_.Step(unit, request);
  if (effects.fault != FaultCause::kNone) {
    EXPECT_EQ(StateText(scope_), StateText(before)) << "a refused request changes something";
  } else {
    live = request.op == ClusterOp::kExit ? request.live : live;
    CheckWaiting(before, unit, request, effects);
    CheckLaneByLane(unit, request, effects, before);
  }
  return EffectsText(effects);
}

// Each lane that waited or came to wait waits now, or goes on, once.
void ClusterTrace::CheckWaiting(const ClusterScope& before, unsigned unit,
                                const ClusterRequest& request,
                                const ClusterEffects& effects) const {
  const auto number = static_cast<std::uint8_t>(unit);
  std::vector<ClusterLanes> came = before.Waiting();
  std::vector<ClusterLanes> at_grid = before.WaitingForGrids();
  if (request.op == ClusterOp::kWait && request.lanes != 0) {
    Merge({{number, request.warp, request.lanes}}, &came);
  }
  if (request.op == ClusterOp::kGridWait && request.lanes != 0) {
    Merge({{number, request.warp, request.lanes}}, &at_grid);
  }
  std::vector<ClusterLanes> are = scope_.Waiting();
  if (effects.go != 0) {
    Merge({{number, request.warp, effects.go}}, &are);
  }
  Merge(effects.releases, &are);
  std::vector<ClusterLanes> are_at_grid = scope_.WaitingForGrids();
  Merge(effects.grid_releases, &are_at_grid);
  EXPECT_EQ(Sorted(came), Sorted(are));
  EXPECT_EQ(Sorted(at_grid), Sorted(are_at_grid));
}

void ClusterTrace::CheckLaneByLane(unsigned unit, const ClusterRequest& request,
                                   const ClusterEffects& effects, ClusterScope before) const {
  ClusterEffects sum;
  ClusterRequest one = request;
  std::uint32_t left = request.lanes;
  ForEachBit(request.lanes, [&](unsigned lane) {
    one.lanes = 1U << lane;
    left &= ~one.lanes;
    one.live = request.op == ClusterOp::kExit ? request.live | left : request.live;
    const ClusterEffects more = before.Step(unit, one);
    EXPECT_EQ(more.fault, FaultCause::kNone);
    sum.go |= more.go;
    Merge(more.releases, &sum.releases);
    Merge(more.grid_releases, &sum.grid_releases);
    sum.launches |= more.launches;
    sum.flushes |= more.flushes;
  });
  EXPECT_EQ(EffectsText(sum), EffectsText(effects)) << "lane by lane";
  EXPECT_EQ(StateText(before), StateText(scope_)) << "lane by lane";
}

std::string ClusterTrace::CarrySend(const Words& words) {
  RemoteSend send;
  const auto [unit, warp] = Pair(words.at(1), '.');
  std::tie(send.cluster, send.rank) = Pair(words.at(2), '/');
  send.warp = warp;
  send.addr = To<std::uint32_t>(words.at(3));
  send.lanes = To<std::uint32_t>(Value(words, "lanes", "1"));
  if (words.at(0) == "lose") {
    const bool is_lost = scope_.Lose({unit, warp, send.lanes, send.cluster, send.rank, send.addr});
    return is_lost ? "lost" : "not lost";
  }
  send.op = FindMbOp(words.at(4));
  send.operand = To<std::uint32_t>(Value(words, "x", "1"));
  send.has_token = Has(words, "token");
  const SendEffects effects = scope_.Send(unit, send, Has(words, "late"));
  return effects.lost.has_value() ? LostText(*effects.lost) : fmt::format("to {}", effects.target);
}

std::string ClusterTrace::CarryCancel(const Words& words) {
  CancelRequest request;
  const auto [unit, warp] = Pair(words.at(1), '.');
  std::tie(request.cluster, request.rank) = Pair(words.at(2), '/');
  request.warp = warp;
  request.addr = To<std::uint32_t>(Value(words, "addr", "0x100"));
  request.mbar = To<std::uint32_t>(Value(words, "mbar", "0x40"));
  request.multicast = Has(words, "multicast");
  if (!scope_.MayBePresented(unit, request)) {
    return kForbidden;
  }
  CancelResponse response{};
  const Words answer = Split(Value(words, "answer", "0,0,0,0"), ',');
  for (std::size_t i = 0; i < response.size(); ++i) {
    response.at(i) = To<std::uint32_t>(answer.at(i));
  }
  const CancelPlan plan = scope_.Cancel(unit, request, Has(words, "late"));
  std::string text = plan.lost.has_value() ? LostText(*plan.lost) : "";
  for (const CancelStep& step : CancelSteps(plan, response)) {
    text += StepText(step);
  }
  return Trim(text);
}

}  // namespace muster::golden
