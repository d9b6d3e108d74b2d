// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/timeline.h"

#include <algorithm>
#include <utility>

namespace muster::ptx {

bool Timeline::Full(std::uint64_t cycle) {
  if (full_at_ == kOpen &&
      rows_.size() + arrivals_.size() + waits_.size() + turns_.size() >= kMaxEvents) {
    full_at_ = cycle;
  }
  return full_at_ != kOpen;
}

std::uint32_t Timeline::RowOf(WarpName warp) const {
  const auto found = row_of_.find(warp);
  return found == row_of_.end() ? kNobody : found->second;
}

std::uint64_t Timeline::PhaseOf(std::uint32_t row, const Place& place) const {
  if (place.kind == Kind::kBarrier || place.kind == Kind::kMbarrier) {
    const auto found = phases_.find(place);
    return found == phases_.end() ? 0 : found->second;
  }
  const auto found = left_.find({row, place});
  return found == left_.end() ? 0 : found->second;
}

void Timeline::Begin(WarpName warp, std::uint64_t cycle) {
  if (!Full(cycle)) {
    row_of_[warp] = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({warp, cycle, kOpen});
  }
}

void Timeline::End(WarpName warp, std::uint64_t cycle) {
  const std::uint32_t row = RowOf(warp);
  if (row == kNobody || Full(cycle)) {
    return;
  }
  rows_[row].end = cycle;
  for (const std::size_t wait : std::exchange(open_[row], {})) {
    waits_[wait].end = cycle;
  }
}

void Timeline::Arrive(WarpName warp, const Place& place, std::uint32_t line, std::uint64_t cycle) {
  const std::uint32_t row = RowOf(warp);
  if (row == kNobody || Full(cycle)) {
    return;
  }
  const std::uint64_t phase = PhaseOf(row, place);
  arrivals_.push_back({row, place, phase, line, cycle});
  if (place.kind == Kind::kCluster) {
    ClusterPhase& joined = cluster_phases_[{place, phase}];
    joined.last = arrivals_.size() - 1;
    Join(&joined);
  }
}

void Timeline::BeginWait(WarpName warp, const Place& place, std::uint32_t lanes, std::uint32_t line,
                         std::uint64_t cycle) {
  const std::uint32_t row = RowOf(warp);
  if (row == kNobody || Full(cycle)) {
    return;
  }
  std::vector<std::size_t>& open = open_[row];
  for (std::size_t i = 0; i < open.size();) {
    Wait& wait = waits_[open[i]];
    const bool same =
        !(wait.from.place < place) && !(place < wait.from.place) && wait.from.line == line;
    if (same) {
      wait.lanes |= lanes;
      return;
    }
    wait.lanes &= ~lanes;
    if (wait.lanes == 0) {
      wait.end = cycle;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  open.push_back(waits_.size());
  waits_.push_back({{row, place, PhaseOf(row, place), line, cycle}, kOpen, lanes});
}

void Timeline::EndWait(WarpName warp, Kind kind, std::uint32_t lanes, std::uint64_t cycle) {
  const std::uint32_t row = RowOf(warp);
  const auto open = open_.find(row);
  if (open == open_.end() || Full(cycle)) {
    return;
  }
  std::vector<std::size_t>& waits = open->second;
  for (std::size_t i = 0; i < waits.size();) {
    Wait& wait = waits_[waits[i]];
    wait.lanes &= wait.from.place.kind == kind ? ~lanes : ~0U;
    if (wait.lanes == 0) {
      Close(waits[i], cycle);
      waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void Timeline::Close(std::size_t wait, std::uint64_t cycle) {
  Wait& closed = waits_[wait];
  closed.end = cycle;
  const Place& place = closed.from.place;
  if (place.kind == Kind::kCluster) {
    ClusterPhase& joined = cluster_phases_[{place, closed.from.phase}];
    joined.waits.push_back(wait);
    Join(&joined);
  }
  if (place.kind == Kind::kCluster || place.kind == Kind::kLanes) {
    left_[{closed.from.row, place}] = closed.from.phase + 1;
  }
}

// The machine learns of the last arrival when it commits, perhaps after the releases.
void Timeline::Join(ClusterPhase* phase) {
  if (phase->last == kNoArrival) {
    return;
  }
  Arrival& last = arrivals_[phase->last];
  for (const std::size_t wait : phase->waits) {
    last.cycle = std::min(last.cycle, waits_[wait].end);
  }
  for (const std::size_t wait : phase->waits) {
    waits_[wait].by = last.row;
    waits_[wait].by_line = last.line;
    waits_[wait].completed = last.cycle;
  }
}

void Timeline::TakeTurn(WarpName warp, std::uint32_t number, std::uint32_t line,
                        std::uint64_t cycle) {
  const std::uint32_t row = RowOf(warp);
  if (row != kNobody && !Full(cycle)) {
    turns_.push_back({row, number, line, cycle});
  }
}

void Timeline::Complete(const Place& place, const WarpName* by, std::uint32_t line,
                        std::uint64_t cycle) {
  if (Full(cycle)) {
    return;
  }
  ++phases_[place];
  const std::uint32_t row = by == nullptr ? kOutside : RowOf(*by);
  for (auto at = row_of_.lower_bound({place.owner, 0});
       at != row_of_.end() && at->first.first == place.owner; ++at) {
    const auto open = open_.find(at->second);
    if (open == open_.end()) {
      continue;
    }
    for (const std::size_t i : open->second) {
      Wait& wait = waits_[i];
      if (wait.from.place < place || place < wait.from.place) {
        continue;
      }
      wait.by = row;
      wait.by_line = line;
      wait.completed = cycle;
    }
  }
}

}  // namespace muster::ptx
