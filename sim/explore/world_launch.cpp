// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Launches CTAs and clusters.
#include <algorithm>

#include "sim/explore/world.h"
#include "sim/explore/world_unit.h"
#include "sim/isa/bits.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::explore {

// Whether there is room for the next cluster.
bool World::HasRoom() const {
  return clusters_.FreeSlot().has_value() &&
         (clusters_.resident() + 1) * launch_.Warps() <= config_.num_warps;
}

// Launches clusters in the order of the grid while there is room.
void World::LaunchClusters() {
  while (!clusters_.AllBegun() && end_ == End::kNone && HasRoom()) {
    LaunchCluster();
  }
}

// Launches the next cluster in the lowest free slot.
void World::LaunchCluster() {
  const unsigned slot = *clusters_.FreeSlot();
  ptx::Cluster& cluster = clusters_.Start(slot);
  ClusterLife life;
  life.op = ClusterLifeOp::kOpen;
  life.cluster = static_cast<std::uint8_t>(slot);
  life.size = launch_.ClusterCtas();
  cluster_scope_.Step(life);
  for (unsigned rank = 0; rank < units_.size(); ++rank) {
    cluster.ctas.push_back(&units_[rank]->CtaAt(slot));
  }
  for (unsigned rank = 0; rank < units_.size(); ++rank) {
    LaunchCta(rank, slot, &cluster);
  }
  for (const auto& unit : units_) {
    ForEachBit(unit->ctas[slot].warps, [&](unsigned warp) {
      if (starts_are_steps_) {
        woken_.push_back(PlaceOf(unit->warps[warp], ~0U, 0));
      }
      Advance(unit.get(), &unit->warps[warp]);
    });
  }
}

void World::LaunchCta(unsigned rank, unsigned slot, const ptx::Cluster* cluster) {
  Unit& unit = *units_[rank];
  CtaState& state = unit.ctas[slot];
  ptx::Cta& cta = state.cta;
  state.taken = true;
  state.warps = state.exited = 0;
  cta.slot = slot;
  clusters_.Place(*cluster, rank, &cta);
  cta.port = &unit;
  cta.engine = &unit;
  unit.watched[slot].assign(cta.shared.size() / sizeof(std::uint64_t), false);
  std::uint64_t occupied = 0;  // slots of CTAs whose clusters have not ended
  for (unsigned other = 0; other < clusters_.slots(); ++other) {
    occupied |= other != slot && clusters_.IsResident(other) ? unit.ctas[other].warps : 0;
  }
  for (unsigned index = 0, warp = 0; index < launch_.Warps(); ++warp) {
    WarpState& fresh = unit.warps[warp];
    if ((occupied >> warp & 1) != 0) {
      continue;
    }
    fresh.warp.slot = warp;
    fresh.warp.cta = &cta;
    fresh.warp.first_thread = index * kWarpSize;
    fresh.index = index++;
    fresh.exists = true;
    fresh.at_barrier = false;
    fresh.in_cluster = fresh.spinning = fresh.stuck_at_copies = 0;
    fresh.waits.clear();
    fresh.due.reset();
    fresh.loops.clear();
    fresh.is_volatile.clear();
    unit.interpreter.Start(&fresh.warp);
    state.warps |= Bit(warp);
  }
  unit.model.Step(LaunchOf(launch_, slot, state.warps));
  ClusterLife life;
  life.op = ClusterLifeOp::kLaunch;
  life.cluster = life.cta = static_cast<std::uint8_t>(slot);
  life.rank = life.unit = static_cast<std::uint8_t>(rank);
  life.size = static_cast<std::uint32_t>(launch_.Warps());
  cluster_scope_.Step(life);
  ForEachBit(state.warps, [&](unsigned warp) {
    const std::uint32_t unfilled = ~unit.warps[warp].warp.live;
    if (unfilled == 0 || !config_.lanes) {
      return;
    }
    Operation exit = ExitOf(config_, unit.warps[warp].warp);
    exit.lanes = unfilled;
    unit.model.Step(exit);
  });
}

}  // namespace muster::explore
