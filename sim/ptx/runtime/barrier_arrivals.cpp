// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/barrier_arrivals.h"

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"

namespace muster::ptx {

void BarrierArrivals::Reset() {
  rows_.clear();
  releases_ = 0;
}

void BarrierArrivals::Launch(unsigned slot, std::uint64_t cta) {
  ctas_[slot] = cta;
  for (Entry& entry : entries_[slot]) {
    entry.members.clear();
  }
  before_[slot] = {};
}

void BarrierArrivals::Commit(std::uint64_t cycle, const Operation& operation,
                             const Effects& effects, unsigned warp, std::uint32_t line) {
  if (!IsArrival(operation.kind) && !effects.completed) {
    return;
  }
  Entry& entry = entries_[effects.cta][effects.bar];
  if (IsArrival(operation.kind)) {
    if (entry.members.empty()) {
      entry.count = operation.count;
    }
    if (entry.members.empty() || IsReduction(operation.kind)) {
      entry.kind = operation.kind;
    }
    entry.members.push_back({warp, line, cycle, IsWaiting(operation.kind)});
  }
  if (!effects.completed) {
    return;
  }
  const std::uint64_t cta = ctas_[effects.cta];
  BarrierRow& row = rows_[{cta, effects.bar}];
  row.cta = cta;
  row.id = effects.bar;
  row.last_arriver = warp;
  ++row.generations;
  if (effects.released != 0) {
    ++releases_;
  }
  for (const Member& member : entry.members) {
    before_[effects.cta][effects.bar] |= Bit(member.warp);
    if (!member.waits) {
      continue;
    }
    row.wait_cycles += cycle - member.cycle;
    row.longest_wait = std::max(row.longest_wait, cycle - member.cycle);
  }
  entry.members.clear();
}

std::vector<BarrierRow> BarrierArrivals::Rows() const {
  std::vector<BarrierRow> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
  }
  return rows;
}

}  // namespace muster::ptx
