// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in a schedule: reports what has committed.
#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

void Machine::set_replay(ScheduleReplay* replay) {
  core_.interpreter().set_replay(replay);
  engine_.set_replay(replay);
}

void Machine::WakeAll() {
  ForEachBit(residents_.asleep | residents_.stuck,
             [&](unsigned warp) { residents_.SetPhase(warp, WarpPhase::kReady); });
}

void Machine::CommitTurn(const Operation& operation) {
  ScheduleReplay* const replay = grid_.replay();
  const bool exits = operation.kind == OpKind::kExit;
  if (replay == nullptr || (!exits && !IsArrival(operation.kind))) {
    return;
  }
  WarpTimes& times = times_.warps[operation.warp];
  if (exits || times.issued_listed) {
    replay->Commit(residents_.warps[operation.warp].warp, exits ? Op::kExit : Op::kBarrier,
                   config_.lanes ? operation.lanes : ~0U);
    times.issued_listed = times.issued_listed && exits;
  }
}

void Machine::CommitTurn(const MbOperation& operation) {
  ScheduleReplay* const replay = grid_.replay();
  if (replay == nullptr || operation.pass == 0) {
    return;
  }
  switch (operation.source) {
    case MbSource::kAsync:
      replay->Perform(operation.pass, 1);
      break;
    case MbSource::kRemote:
      replay->Perform(operation.pass, Ones(operation.lanes));
      break;
    default:
      replay->Commit(operation.pass, operation.lanes);
  }
}

// Whether exits alone are in flight, and wait for operations of their warps that the schedule holds
// back.
bool Machine::ExitsStand() const { return grid_.replay() != nullptr && pins_.ExitsStand(); }

}  // namespace muster::ptx
