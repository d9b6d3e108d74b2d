// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in a schedule: it tells what has committed.
#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

void Machine::set_turnstile(Turnstile* turnstile) {
  interpreter_.set_turnstile(turnstile);
  engine_.set_turnstile(turnstile);
}

void Machine::WakeAll() {
  ForEachBit(residents_.asleep | residents_.stuck,
             [&](unsigned warp) { residents_.SetPhase(warp, WarpPhase::kReady); });
}

void Machine::CommitTurn(const Operation& operation) {
  Turnstile* const turnstile = grid_.turnstile();
  const bool exits = operation.kind == OpKind::kExit;
  if (turnstile == nullptr || (!exits && !IsArrival(operation.kind))) {
    return;
  }
  WarpSlot& slot = residents_.warps[operation.warp];
  if (exits || slot.issued_listed) {
    turnstile->Commit(slot.warp, exits ? Op::kExit : Op::kBarrier,
                      config_.lanes ? operation.lanes : ~0U);
    slot.issued_listed = slot.issued_listed && exits;
  }
}

void Machine::CommitTurn(const MbOperation& operation) {
  Turnstile* const turnstile = grid_.turnstile();
  if (turnstile == nullptr || operation.pass == 0) {
    return;
  }
  switch (operation.source) {
    case MbSource::kAsync:
      turnstile->Perform(operation.pass, 1);
      break;
    case MbSource::kRemote:
      turnstile->Perform(operation.pass, Ones(operation.lanes));
      break;
    default:
      turnstile->Commit(operation.pass, operation.lanes);
  }
}

// Exits, and nothing else, are under way, and wait for operations of their warps that are held
// back.
bool Machine::ExitsStand() const { return grid_.turnstile() != nullptr && pins_.ExitsStand(); }

}  // namespace muster::ptx
