// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The grid's part in a schedule: who waited for a turn goes on when others have happened, and what
// is left of the schedule is dropped when nothing else can go on.
#include <fmt/format.h>

#include "sim/ptx/runtime/on_pins/grid.h"

namespace muster::ptx {

void Grid::set_turnstile(Turnstile* turnstile) {
  turnstile_ = turnstile;
  for (const auto& machine : machines_) {
    machine->set_turnstile(turnstile);
  }
  if (cluster_port_ != nullptr) {
    cluster_port_->set_turnstile(turnstile);
  }
}

// It is the turn of the cluster, or no turn is of it.
bool Grid::MayStart(std::uint64_t cluster) const {
  return turnstile_ == nullptr || turnstile_->MayStart(clusters_.CtasOf(cluster));
}

void Grid::TakeTurns(std::uint64_t cycle) {
  if (turnstile_->TakeMoved()) {
    for (const auto& machine : machines_) {
      machine->WakeAll();
    }
    Change(cycle);
  }
}

// Nothing goes on.
bool Grid::DropTurns(std::uint64_t cycle) {
  if (ending_ || turnstile_ == nullptr || !turnstile_->active()) {
    return false;
  }
  if (!turnstile_->LetApart()) {
    NoteMissed();
    turnstile_->Drop();
  }
  quiet_ = 0;
  Change(cycle);
  return true;
}

void Grid::NoteMissed() {
  if (turnstile_ == nullptr || !turnstile_->active() || !missed_.empty()) {
    return;
  }
  const Turn& turn = turnstile_->Head();
  const auto place = PointOf(turn.cta, launch_.grid);
  std::array<std::uint32_t, 3> cluster{};
  for (unsigned i = 0; i < 3; ++i) {
    cluster[i] = place[i] / launch_.cluster[i];
  }
  const bool begun = LinearOf(cluster, launch_.GridOfClusters()) < clusters_.begun();
  if (turn.what == Turn::What::kStarts) {
    missed_ = begun ? "it has started before, or was cancelled" : "there is no room for it";
    return;
  }
  for (const auto& machine : machines_) {
    if (const std::optional<std::string> where = machine->who_waits().At(turn.cta, turn.warp)) {
      missed_ = *where;
      return;
    }
  }
  missed_ = begun ? "its CTA has ended" : "its CTA has not begun";
}

}  // namespace muster::ptx
