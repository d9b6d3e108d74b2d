// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CTAs come.
#include <algorithm>

#include "sim/explore/world.h"
#include "sim/explore/world_unit.h"
#include "sim/isa/bits.h"

namespace muster::explore {

// For the next cluster.
bool World::HasRoom() const {
  const auto there = static_cast<std::size_t>(std::count_if(
      clusters_.begin(), clusters_.end(), [](const Cluster& one) { return one.ctas_left != 0; }));
  return there < clusters_.size() && (there + 1) * launch_.Warps() <= config_.num_warps;
}

// In the order of the grid, as long as there is room.
void World::LaunchClusters() {
  while (next_cluster_ < launch_.Clusters() && end_ == End::kNone && HasRoom()) {
    LaunchCluster();
  }
}

std::uint64_t World::FirstCtaOf(std::uint64_t cluster) const {
  auto cta = ptx::PointOf(cluster, launch_.GridOfClusters());
  for (unsigned i = 0; i < 3; ++i) {
    cta[i] *= launch_.cluster[i];
  }
  return ptx::LinearOf(cta, launch_.grid);
}

// It takes the lowest free slot.
void World::LaunchCluster() {
  const auto free = std::find_if(clusters_.begin(), clusters_.end(),
                                 [](const Cluster& one) { return one.ctas_left == 0; });
  const auto slot = static_cast<unsigned>(free - clusters_.begin());
  free->ctas_left = static_cast<unsigned>(units_.size());
  free->linear = next_cluster_;
  free->cluster.slot = slot;
  free->cluster.id = ptx::PointOf(next_cluster_++, launch_.GridOfClusters());
  free->cluster.ctas.clear();
  ClusterLife life;
  life.op = ClusterLifeOp::kOpen;
  life.cluster = static_cast<std::uint8_t>(slot);
  life.size = launch_.ClusterCtas();
  cluster_scope_.Step(life);
  for (unsigned rank = 0; rank < units_.size(); ++rank) {
    free->cluster.ctas.push_back(&units_[rank]->CtaAt(slot));
  }
  for (unsigned rank = 0; rank < units_.size(); ++rank) {
    LaunchCta(rank, slot, &free->cluster);
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
  const auto place = ptx::PointOf(rank, launch_.cluster);
  for (unsigned i = 0; i < 3; ++i) {
    cta.id[i] = cluster->id[i] * launch_.cluster[i] + place[i];
  }
  cta.linear_id = ptx::LinearOf(cta.id, launch_.grid);
  cta.cluster = cluster;
  cta.rank = rank;
  cta.exited = cta.last = false;
  cta.shared.assign(launch_.shared_bytes, 0);
  cta.port = &unit;
  cta.engine = &unit;
  unit.watched[slot].assign(cta.shared.size() / sizeof(std::uint64_t), false);
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.cta = static_cast<std::uint8_t>(slot);
  launch.size = static_cast<std::uint8_t>(launch_.Warps());
  std::uint64_t occupied = 0;  // by CTAs of clusters that have not ended
  for (unsigned other = 0; other < clusters_.size(); ++other) {
    occupied |= other != slot && clusters_[other].ctas_left != 0 ? unit.ctas[other].warps : 0;
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
    fresh.spins.clear();
    fresh.is_volatile.clear();
    unit.interpreter.Start(&fresh.warp);
    state.warps |= Bit(warp);
  }
  launch.warps = state.warps;
  unit.model.Step(launch);
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
    Operation exit;
    exit.kind = OpKind::kExit;
    exit.cta = static_cast<std::uint8_t>(slot);
    exit.warp = static_cast<std::uint8_t>(warp);
    exit.lanes = unfilled;
    unit.model.Step(exit);
  });
}

}  // namespace muster::explore
