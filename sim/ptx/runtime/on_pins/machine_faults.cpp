// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Faults, hazards and notes of the front end itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/runtime/explain.h"
#include "sim/ptx/runtime/on_pins/grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

// Raises a fault of the front end at the warp's latest barrier.
void Machine::EndWithArrival(const char* cause, unsigned warp, std::uint64_t cycle) {
  const Arrival& arrival = residents_.warps[warp].warp.arrival;
  grid_.EndWithFault(Outcome::kFault, {cause, arrival.line, cycle, residents_.LinearCta(warp),
                                       residents_.IndexInCta(warp), arrival.bar, arrival.lanes});
}

void Machine::AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                        std::uint64_t cycle) {
  grid_.AddHazard({Name(hazard), line, cycle, residents_.LinearCta(warp),
                   residents_.IndexInCta(warp), bar, residents_.warps[warp].warp.arrival.lanes});
}

// Lanes of the warp have exited.
void Machine::AddLeavers(unsigned warp, std::uint64_t cycle) {
  const WarpSlot& slot = residents_.warps[warp];
  residents_.ctas[slot.cta].leavers.push_back(
      {residents_.IndexInCta(warp), slot.warp.exited, slot.exit_line, cycle});
}

// A barrier has completed. If threads of the expected warps had exited before, notes that: the
// barrier did not wait for them, which is legal but often not intended.
void Machine::NoteLeavers(const Operation& operation, const Effects& effects, std::uint32_t line,
                          std::uint64_t cycle) {
  const CtaSlot& cta = residents_.ctas[operation.cta];
  if (!effects.completed || cta.leavers.empty()) {
    return;
  }
  const BarrierArrivals::Entry& entry = barrier_arrivals_.At(operation.cta, effects.bar);
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
  for (const Leavers& left : cta.leavers) {
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
      {"passed_without", arrives ? line : entry.members.back().line, cycle, cta.cta.linear_id,
       first->warp, effects.bar, first->lanes, 1, "",
       fmt::format("passed without {} thread{}, {}", threads, threads == 1 ? "" : "s", where)});
}

// Notes a wait for the phase before the first one of an mbarrier.
void Machine::NoteFresh(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                        std::uint64_t cycle) {
  if (IsMbWait(operation.op) && effects.complete != 0 &&
      mbarrier_arrivals_.IsFresh(operation.cta, operation.addr)) {
    grid_.AddNote({"before_first", operation.tag, cycle, residents_.LinearCta(warp),
                   residents_.IndexInCta(warp), 0, effects.complete, 1,
                   MbarrierName(program_, operation.addr),
                   "a wait is over at once, for the phase before the first: the mbarrier is "
                   "fresh"});
  }
}

// Returns which operation invalidated the object, if it was one of another thread.
const MbarrierArrivals::Member* Machine::InvalidatedByAnother(const MbOperation& operation,
                                                              unsigned warp) const {
  const MbarrierArrivals::Member* const inval =
      mbarrier_arrivals_.InvalidatedBy(operation.cta, operation.addr);
  const bool own = inval != nullptr && operation.source == MbSource::kWarp &&
                   inval->warp == residents_.IndexInCta(warp) &&
                   (inval->lanes & operation.lanes) != 0;
  return own ? nullptr : inval;
}

std::string Machine::WhoInvalidated(const MbOperation& operation, unsigned warp) const {
  const MbarrierArrivals::Member* const inval = InvalidatedByAnother(operation, warp);
  return inval == nullptr ? ""
                          : fmt::format(
                                "; warp {} invalidated it at {}, and did not wait for "
                                "the thread that comes here",
                                inval->warp, program_.Place(inval->line));
}

// "Performing any mbarrier operation except mbarrier.init on a memory location that does not
// contain a valid mbarrier object, results in undefined behaviour." If another thread invalidated
// the object, the two threads raced: the run ends, unless the manifest makes this a hazard. Then
// the refused operation changes nothing, and a wait ends, because an object may be invalidated only
// when no thread waits for it.
bool Machine::MeetsInval(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                         std::uint64_t cycle) {
  if (operation.op == MbOp::kInit || operation.op == MbOp::kInval ||
      operation.op == MbOp::kCopyArriveNoInc || InvalidatedByAnother(operation, warp) == nullptr) {
    return false;
  }
  const FaultCause cause = effects.fault[First(operation.lanes)];
  const bool waits = IsMbWait(operation.op);
  if (!waits && cause != FaultCause::kWordExhausted) {
    return false;  // something was stored there since
  }
  if (!launch_.inval_is_hazard) {
    FaultAtMbarrier(FaultCause::kWordExhausted, warp, operation, cycle);
    return true;
  }
  AddMbHazards(1U << static_cast<unsigned>(Hazard::kUninitialisedWord), warp, operation,
               operation.tag, cycle);
  if (waits) {
    residents_.warps[warp].excused |= operation.lanes;
    mbarrier_arrivals_.Step(operation, effects, residents_.IndexInCta(warp), operation.tag);
  } else if (operation.source == MbSource::kWarp && HasResponse(operation)) {
    Reply(port_->TakeRefused(warp));
  }
  return true;
}

}  // namespace muster::ptx
