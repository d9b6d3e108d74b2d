// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_golden/golden_grid.h"

namespace muster::ptx {

GoldenGrid::GoldenGrid(const Config& config, const Program& program, const Launch& launch,
                       const Memory& memory)
    : Grid(launch, config.num_ctas), initial_(memory) {
  for (unsigned unit = 0; unit < clusters_.units(); ++unit) {
    machines_.push_back(
        std::make_unique<GoldenMachine>(this, unit, config, program, launch, &memory_));
    Add(&machines_.back()->core());
  }
}

void GoldenGrid::Reset() {
  Grid::Reset();
  memory_ = initial_;
  for (const auto& machine : machines_) {
    machine->Reset();
  }
  cluster_scope_ = golden::ClusterScope();
  AnnounceLaunches();
}

ClusterEffects GoldenGrid::StepCluster(const Core& core, const ClusterRequest& request) {
  const unsigned cluster = core.residents().ctas[request.cta].cta.cluster->slot;
  const unsigned phases = cluster_scope_.Phases(cluster);
  ClusterEffects effects = cluster_scope_.Step(core.unit(), request);
  OnCluster(core, request, effects, cluster_scope_.Phases(cluster) != phases);
  return effects;
}

void GoldenGrid::Request(const ClusterLife& life) {
  const ClusterEffects effects = cluster_scope_.Step(life);
  if (effects.launches != 0) {
    OnLaunchable(effects.launches);
  }
  ReleaseCluster(effects);
}

// Launches whose CTAs have all completed are over when the rest of their transfers is done.
void GoldenGrid::EndLaunches() {
  for (std::size_t i = 0, known = announced(); i < known; ++i) {
    if (!IsOver(i) && (cluster_scope_.Flushes() >> GridOf(i) & 1) != 0 && !IsInFlight(i)) {
      OnLaunchEnd(i);
      const ClusterEffects effects = cluster_scope_.Flushed(GridOf(i));
      EndLaunch(i);
      ReleaseCluster(effects);
    }
  }
}

void GoldenGrid::ReleaseCluster(const ClusterEffects& effects) {
  for (const ClusterLanes& lanes : effects.releases) {
    machines_[lanes.unit]->core().LeaveCluster(lanes.warp, lanes.lanes);
  }
  for (const ClusterLanes& lanes : effects.grid_releases) {
    machines_[lanes.unit]->core().LeaveGrid(lanes.warp);
  }
  if (!effects.releases.empty()) {
    Change(cycle());
    OnClusterRelease(effects.releases);
  }
  if (!effects.grid_releases.empty()) {
    Change(cycle());
    OnGridRelease(effects.grid_releases);
  }
}

}  // namespace muster::ptx
