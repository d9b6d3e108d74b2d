// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Notes: legal behaviour that is often not intended.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

// Lanes of the warp have exited.
void Machine::AddLeavers(unsigned warp, std::uint64_t cycle) {
  const WarpSlot& slot = residents_.warps[warp];
  leavers_[slot.cta].push_back(
      {residents_.IndexInCta(warp), slot.warp.exited, slot.exit_line, cycle});
}

// A barrier has completed. If threads of the expected warps had exited before, notes that: the
// barrier did not wait for them, which is legal but often not intended.
void Machine::NoteLeavers(const Operation& operation, const Effects& effects, std::uint32_t line,
                          std::uint64_t cycle) {
  const std::vector<Leavers>& leavers = leavers_[operation.cta];
  if (!effects.completed || leavers.empty()) {
    return;
  }
  const BarrierArrivals::Entry& entry = core_.barriers().At(operation.cta, effects.bar);
  const bool arrives = IsArrival(operation.kind);
  const unsigned own = residents_.IndexInCta(operation.warp);
  const bool all = (arrives ? operation.count : entry.count) == 0;
  const auto is_missed = [&](const Leavers& left) {
    const auto member =
        std::find_if(entry.members.begin(), entry.members.end(),
                     [&](const BarrierArrivals::Member& one) { return one.warp == left.warp; });
    // It arrived, and exited afterwards.
    return member != entry.members.end() ? left.cycle < member->cycle
                                         : all || (arrives && left.warp == own);
  };
  std::map<std::uint32_t, unsigned> lines;
  unsigned threads = 0;
  const Leavers* first = nullptr;
  for (const Leavers& left : leavers) {
    if (is_missed(left)) {
      lines[left.line] += Ones(left.lanes);
      threads += Ones(left.lanes);
      first = first == nullptr ? &left : first;
    }
  }
  if (first == nullptr) {
    return;
  }
  std::string where;
  for (const auto& [left_at, count] : lines) {
    const std::string place = program_.Place(left_at);
    where += lines.size() == 1 ? "which left at " + place
             : where.empty()   ? fmt::format("of which {} left at {}", count, place)
                               : fmt::format(", {} at {}", count, place);
  }
  grid_.AddNote(
      {"passed_without", arrives ? line : entry.members.back().line, cycle,
       residents_.ctas[operation.cta].cta.linear_id, first->warp, effects.bar, first->lanes, 1, "",
       fmt::format("passed without {} thread{}, {}", threads, threads == 1 ? "" : "s", where)});
}

// Notes a wait for the phase before the first one of an mbarrier.
void Machine::NoteFresh(const MbOperation& operation, const MbEffects& effects,
                        std::uint64_t cycle) {
  const unsigned warp = operation.warp;
  if (WaitsForPhase(operation) && effects.complete != 0 &&
      core_.mbarriers().IsFresh(operation.cta, operation.addr)) {
    grid_.AddNote({"before_first", operation.tag, cycle, residents_.LinearCta(warp),
                   residents_.IndexInCta(warp), 0, effects.complete, 1,
                   MbarrierName(program_, operation.addr),
                   "a wait is over at once, for the phase before the first: the mbarrier is "
                   "fresh"});
  }
}

}  // namespace muster::ptx
