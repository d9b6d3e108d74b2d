// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace muster::app {
namespace {

using explore::BadEnd;
using explore::Kind;
using explore::World;

// Turns hazards into bad ends.
Kind KindOf(const std::string& hazard) {
  const std::map<std::string, Kind> kinds{
      {"repeated_arrival", Kind::kOtherPhase}, {"late_parity", Kind::kLateWait},
      {"late_wait", Kind::kLateWait},          {"init_over_live", Kind::kLifetime},
      {"uninitialised_word", Kind::kLifetime}, {"store_over_waiters", Kind::kLifetime}};
  const auto found = kinds.find(hazard);
  return found == kinds.end() ? Kind::kHazard : found->second;
}

// Judges the ends of orders by the manifest.

}  // namespace

std::vector<BadEnd> Judge::operator()(const World& world) {
  std::vector<BadEnd> bad;
  switch (world.end()) {
    case World::End::kDeadlock:
      bad.push_back({Kind::kDeadlock, "deadlock", std::nullopt});
      break;
    case World::End::kFault:
      bad.push_back(
          {Kind::kFault, world.faults().front().name, explore::PlaceOf(world.faults().front())});
      break;
    case World::End::kCompletes:
      JudgeBuffers(world, &bad);
      break;
    default:
      break;
  }
  std::map<std::pair<std::string, std::uint32_t>, explore::Place> met;  // by name and line
  for (const ptx::Incident& hazard : world.hazards()) {
    met[{hazard.name, hazard.line}] = explore::PlaceOf(hazard);
  }
  for (const auto& [hazard, at] : met) {
    if (!session_.manifest().Wants(hazard.first)) {
      bad.push_back({KindOf(hazard.first), "meets the hazard " + hazard.first, at});
    }
  }
  return bad;
}

void Judge::JudgeBuffers(const World& world, std::vector<BadEnd>* bad) const {
  const std::vector<std::string> differences = session_.Differences(world.memory());
  if (!differences.empty()) {
    bad->push_back({Kind::kWrongResult, differences.front(), std::nullopt});
  }
  // If the manifest states results, compare only those.
  const auto& buffers = session_.manifest().buffers;
  if (std::any_of(buffers.begin(), buffers.end(),
                  [](const ptx::Buffer& buffer) { return buffer.expected.has_value(); })) {
    return;
  }
  Contents contents;
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    contents.push_back(session_.ContentsIn(world.memory(), k));
    const ptx::UnknownBytes unknown = session_.UnknownIn(world.memory(), k);
    for (std::size_t i = 0, bytes = contents[k].size(); i < bytes && !unknown.empty(); ++i) {
      contents[k].push_back(unknown.Find(i, 1) != 0 ? 1 : 0);
    }
  }
  if (first_.empty()) {
    first_ = std::move(contents);
    return;
  }
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    if (contents[k] != first_[k]) {
      bad->push_back({Kind::kDifferingResult,
                      fmt::format("the buffer {} depends on the order", buffers[k].name),
                      std::nullopt});
    }
  }
}

}  // namespace muster::app
