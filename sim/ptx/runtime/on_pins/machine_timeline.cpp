// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Records barriers, mbarriers, and lanes that wait for each other, in the timeline.
#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

using Kind = Timeline::Kind;

Timeline::WarpName Machine::NameOf(unsigned warp) const {
  return {residents_.LinearCta(warp), residents_.IndexInCta(warp)};
}

// Records an operation that was not refused.
void Machine::Record(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  Timeline* const timeline = grid_.timeline();
  if (timeline == nullptr) {
    return;
  }
  const unsigned warp = operation.warp;
  const std::uint64_t cta = residents_.ctas[operation.cta].cta.linear_id;
  if (operation.kind == OpKind::kLaunch) {
    ForEachBit(operation.warps, [&](unsigned fresh) { timeline->Begin(NameOf(fresh), cycle); });
  }
  if (IsArrival(operation.kind)) {
    const Timeline::Place place{Kind::kBarrier, cta, operation.bar};
    timeline->Arrive(NameOf(warp), place, LineOf(operation), cycle);
    if (IsWaiting(operation.kind)) {
      timeline->BeginWait(NameOf(warp), place, ~0U, LineOf(operation), cycle);
    }
  }
  if (effects.completed) {
    const Timeline::WarpName by = NameOf(warp);
    timeline->Complete({Kind::kBarrier, cta, effects.bar}, &by, LineOf(operation), cycle);
  }
  if (operation.kind == OpKind::kExit && residents_.warps[warp].warp.live == 0) {
    timeline->End(NameOf(warp), cycle);
  }
}

void Machine::Record(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  Timeline* const timeline = grid_.timeline();
  if (timeline == nullptr) {
    return;
  }
  const MbOperation& operation = event.operation;
  const bool own = operation.source == MbSource::kWarp;
  if (event.kind == MbEvent::Kind::kStep) {
    const Timeline::Place place{Kind::kMbarrier, residents_.ctas[operation.cta].cta.linear_id,
                                operation.addr};
    const Timeline::WarpName name = own ? NameOf(operation.warp) : Timeline::WarpName();
    if (WaitsForPhase(operation) && own) {
      timeline->EndWait(name, Kind::kMbarrier, effects.complete, cycle);
      if (const std::uint32_t left = operation.lanes & ~effects.complete; left != 0) {
        timeline->BeginWait(name, place, left, operation.tag, cycle);
      }
    } else if (IsMbArrival(operation.op) && own) {
      timeline->Arrive(name, place, operation.tag, cycle);
    }
    if (effects.completions != 0) {
      timeline->Complete(place, own ? &name : nullptr, operation.tag, cycle);
    }
  }
  for (const MbAnswer& answer : effects.answers) {
    if (answer.complete) {
      timeline->EndWait(NameOf(answer.warp), Kind::kMbarrier, answer.lanes, cycle);
    }
  }
}

// A wait at a barrier ends when the warp continues.
void Machine::RecordRelease(unsigned warp) {
  if (Timeline* const timeline = grid_.timeline(); timeline != nullptr) {
    timeline->EndWait(NameOf(warp), Kind::kBarrier, ~0U, grid_.cycle());
  }
}

void Machine::RecordCluster(unsigned warp, ClusterStep step) {
  Timeline* const timeline = grid_.timeline();
  if (timeline == nullptr) {
    return;
  }
  const WarpSlot& slot = residents_.warps[warp];
  const Timeline::Place place{Kind::kCluster, slot.warp.cta->cluster->ctas.front()->linear_id, 0};
  const Arrival& arrival = slot.warp.arrival;
  switch (step) {
    case ClusterStep::kArrives:
      timeline->Arrive(NameOf(warp), place, arrival.line, grid_.cycle());
      break;
    case ClusterStep::kWaits:
      timeline->BeginWait(NameOf(warp), place, arrival.lanes, arrival.line, grid_.cycle());
      break;
    case ClusterStep::kLeaves:
      timeline->EndWait(NameOf(warp), Kind::kCluster, ~0U, grid_.cycle());
      break;
  }
}

// No lane of the warp can proceed, and some wait for others of the warp.
void Machine::RecordLanes(unsigned warp, std::uint64_t cycle) {
  Timeline* const timeline = grid_.timeline();
  if (timeline == nullptr) {
    return;
  }
  const Timeline::WarpName name = NameOf(warp);
  for (const Group& group : residents_.warps[warp].warp.groups) {
    if (group.state == Group::State::kHeld || group.state == Group::State::kAligned) {
      timeline->BeginWait(name, {Kind::kLanes, name.first, name.second}, group.lanes,
                          program_.code[group.pc].line, cycle);
    }
  }
}

}  // namespace muster::ptx
