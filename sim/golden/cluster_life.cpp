// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Grids, clusters and CTAs come and go.
#include <algorithm>
#include <cassert>
#include <cstdint>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"

namespace muster::golden {

bool ClusterScope::MayBePresented(const ClusterLife& life) const {
  if (Judge(life) != FaultCause::kNone) {
    return true;
  }
  switch (life.op) {
    case ClusterLifeOp::kGrid:
      return (life.awaits >> life.grid & 1) == 0 && life.awaits >> config_.num_grids == 0;
    case ClusterLifeOp::kLaunch: {
      const auto& members = clusters_.at(life.cluster).members;
      const Grid& grid = grids_.at(life.grid);
      // The CTAs of a cluster are of one grid, and a grid has no more CTAs than it was said to
      // have.
      return std::all_of(members.begin(), members.end(),
                         [&](const auto& member) { return member.second.grid == life.grid; }) &&
             grid.launched < grid.size;
    }
    case ClusterLifeOp::kOpen:
    case ClusterLifeOp::kEnd:
      break;
  }
  return true;
}

FaultCause ClusterScope::Judge(const ClusterLife& life) const {
  bool is_good = true;
  switch (life.op) {
    case ClusterLifeOp::kGrid:
      is_good = life.grid < config_.num_grids && grids_.count(life.grid) == 0 && life.size != 0;
      break;
    case ClusterLifeOp::kOpen:
      is_good = MayBeOpened(life);
      break;
    case ClusterLifeOp::kLaunch:
      is_good = MayBeLaunched(life);
      break;
    case ClusterLifeOp::kEnd:
      return IsResident({life.unit, life.cta}) ? FaultCause::kNone : FaultCause::kCtaNotResident;
  }
  return is_good ? FaultCause::kNone : FaultCause::kBadLaunch;
}

bool ClusterScope::MayBeOpened(const ClusterLife& life) const {
  if (life.cluster >= config_.num_clusters || life.size == 0 || life.size > config_.num_ranks) {
    return false;
  }
  for (unsigned rank = 0; rank < config_.num_ranks; ++rank) {
    if (Place(life.cluster, rank).has_value()) {
      return false;
    }
  }
  return true;
}

bool ClusterScope::MayBeLaunched(const ClusterLife& life) const {
  const auto cluster = clusters_.find(life.cluster);
  return life.unit < config_.num_units && life.cta < config_.num_ctas &&
         !IsResident({life.unit, life.cta}) && cluster != clusters_.end() &&
         life.rank < cluster->second.size && cluster->second.members.count(life.rank) == 0 &&
         life.size != 0 && life.size <= config_.num_warps && grids_.count(life.grid) != 0;
}

ClusterEffects ClusterScope::Step(const ClusterLife& life) {
  assert(MayBePresented(life));
  ClusterEffects effects;
  effects.fault = Judge(life);
  if (effects.fault != FaultCause::kNone) {
    return effects;
  }
  switch (life.op) {
    case ClusterLifeOp::kGrid: {
      Grid grid;
      grid.size = life.size;
      grid.awaits = life.awaits & GridsInFlight();
      grids_[life.grid] = grid;
      break;
    }
    case ClusterLifeOp::kOpen: {
      Cluster cluster;
      cluster.size = life.size;
      clusters_[life.cluster] = cluster;
      break;
    }
    case ClusterLifeOp::kLaunch:
      Launch(life);
      break;
    case ClusterLifeOp::kEnd:
      End({life.unit, life.cta}, &effects);
      break;
  }
  return effects;
}

void ClusterScope::Launch(const ClusterLife& life) {
  const CtaPlace place = {life.unit, life.cta};
  Cta cta;
  cta.serial = next_serial_++;
  cta.cluster = life.cluster;
  cta.grid = life.grid;
  cta.unseen = life.size;
  ctas_[place] = cta;
  clusters_.at(life.cluster).members[life.rank] = {place, cta.serial, life.grid};
  ++grids_.at(life.grid).launched;
}

// All that is left of it exits.
void ClusterScope::End(CtaPlace place, ClusterEffects* effects) {
  Cta cta = ctas_.at(place);
  ctas_.erase(place);
  if (cta.IsThere()) {
    CompleteCta(&cta, effects);
    TestPhase(cta.cluster, effects);
  }
}

}  // namespace muster::golden
