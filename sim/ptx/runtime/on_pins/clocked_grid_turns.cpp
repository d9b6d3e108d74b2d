// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The grid's part in a schedule: wakes machines when turns have happened, and drops the rest of the
// schedule when nothing else can proceed.
#include <fmt/format.h>

#include "sim/ptx/runtime/on_pins/clocked_grid.h"

namespace muster::ptx {

void ClockedGrid::set_replay(ScheduleReplay* replay) {
  replay_ = replay;
  for (const auto& machine : machines_) {
    machine->set_replay(replay);
  }
  if (cluster_port_ != nullptr) {
    cluster_port_->set_replay(replay);
  }
}

void ClockedGrid::TakeTurns(std::uint64_t cycle) {
  if (replay_->TakeMoved()) {
    NoteTurns(cycle);
    for (const auto& machine : machines_) {
      machine->WakeAll();
    }
    Change(cycle);
  }
}

void ClockedGrid::NoteTurns(std::uint64_t cycle) {
  for (; timeline_ != nullptr && noted_turns_ < replay_->followed(); ++noted_turns_) {
    const Turn& turn = replay_->At(noted_turns_);
    timeline_->TakeTurn({turn.cta, turn.warp}, static_cast<std::uint32_t>(noted_turns_ + 1),
                        turn.what == Turn::What::kStarts ? 0 : program_.code[turn.pc].line, cycle);
  }
}

// Nothing can proceed: let lanes come apart, or drop the schedule.
bool ClockedGrid::DropTurns(std::uint64_t cycle) {
  if (ending() || replay_ == nullptr || !replay_->active()) {
    return false;
  }
  if (!replay_->LetApart()) {
    NoteMissed();
    replay_->Drop();
  }
  quiet_ = 0;
  Change(cycle);
  return true;
}

void ClockedGrid::NoteMissed() {
  if (replay_ == nullptr || !replay_->active() || !missed_.empty()) {
    return;
  }
  const Turn& turn = replay_->Head();
  const Launch& launch = launch_.OfCta(turn.cta);
  const auto place = PointOf(turn.cta - launch.first_cta, launch.grid);
  std::array<std::uint32_t, 3> cluster{};
  for (unsigned i = 0; i < 3; ++i) {
    cluster[i] = place[i] / launch.cluster[i];
  }
  const std::uint64_t number = launch.first_cluster + LinearOf(cluster, launch.GridOfClusters());
  const bool begun = number < clusters_.begun();
  if (turn.what == Turn::What::kStarts) {
    missed_ = begun ? "it has started before, or was cancelled" : "there is no room for it";
    return;
  }
  for (const auto& machine : machines_) {
    if (const std::optional<std::string> where = machine->wait_report().At(turn.cta, turn.warp)) {
      missed_ = *where;
      return;
    }
  }
  missed_ = begun ? "its CTA has ended" : "its CTA has not begun";
}

}  // namespace muster::ptx
