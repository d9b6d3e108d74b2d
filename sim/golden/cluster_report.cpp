// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What checkers and reports ask of the cluster scope.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"

namespace muster::golden {

std::uint8_t ClusterScope::GridsInFlight() const {
  std::uint8_t grids = 0;
  for (const auto& [number, grid] : grids_) {
    grids |= Bit(number);
  }
  return grids;
}

std::uint8_t ClusterScope::Launches() const {
  auto grids = static_cast<std::uint8_t>(Bit(config_.num_grids) - 1);
  for (const auto& [number, grid] : grids_) {
    if (grid.triggered != grid.size) {
      grids &= ~Bit(number);
    }
  }
  return grids;
}

std::uint8_t ClusterScope::Flushes() const {
  std::uint8_t grids = 0;
  for (const auto& [number, grid] : grids_) {
    grids |= grid.completed == grid.size ? Bit(number) : 0;
  }
  return grids;
}

std::uint8_t ClusterScope::Awaits(unsigned grid) const {
  const auto found = grids_.find(grid);
  return found == grids_.end() ? 0 : found->second.awaits;
}

const ClusterScope::Member* ClusterScope::FindMember(unsigned cluster, unsigned rank) const {
  const auto open = clusters_.find(cluster);
  if (open == clusters_.end()) {
    return nullptr;
  }
  const auto member = open->second.members.find(rank);
  return member == open->second.members.end() ? nullptr : &member->second;
}

const ClusterScope::Cta* ClusterScope::Find(const Member& member) const {
  const auto cta = ctas_.find(member.place);
  const bool is_there =
      cta != ctas_.end() && cta->second.serial == member.serial && cta->second.IsThere();
  return is_there ? &cta->second : nullptr;
}

std::optional<CtaPlace> ClusterScope::Place(unsigned cluster, unsigned rank) const {
  const Member* member = FindMember(cluster, rank);
  if (member == nullptr || Find(*member) == nullptr) {
    return std::nullopt;
  }
  return member->place;
}

bool ClusterScope::IsThere(unsigned serial) const {
  return std::any_of(ctas_.begin(), ctas_.end(), [&](const auto& of_slot) {
    return of_slot.second.serial == serial && of_slot.second.IsThere();
  });
}

const ClusterWarp* ClusterScope::FindWarp(unsigned unit, unsigned warp) const {
  for (auto cta = ctas_.lower_bound({static_cast<std::uint8_t>(unit), 0});
       cta != ctas_.end() && cta->first.unit == unit; ++cta) {
    const auto found = cta->second.warps.find(warp);
    if (found != cta->second.warps.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

std::vector<ClusterLanes> ClusterScope::LanesWith(std::uint32_t ClusterWarp::*state) const {
  std::vector<ClusterLanes> all;
  for (const auto& [place, cta] : ctas_) {
    for (const auto& [number, warp] : cta.warps) {
      if (warp.*state != 0) {
        all.push_back({place.unit, static_cast<std::uint8_t>(number), warp.*state});
      }
    }
  }
  return all;
}

std::vector<ClusterLanes> ClusterScope::Waiting() const { return LanesWith(&ClusterWarp::waiting); }

std::vector<ClusterLanes> ClusterScope::WaitingForGrids() const {
  return LanesWith(&ClusterWarp::at_grid);
}

unsigned ClusterScope::Phases(unsigned cluster) const {
  const auto open = clusters_.find(cluster);
  return open == clusters_.end() ? 0 : open->second.phases;
}

bool ClusterScope::IsOpen(unsigned cluster) const {
  const auto open = clusters_.find(cluster);
  if (open == clusters_.end()) {
    return false;
  }
  const auto& members = open->second.members;
  return std::any_of(members.begin(), members.end(), [&](const auto& member) {
    const Cta* const cta = Find(member.second);
    return cta != nullptr && std::any_of(cta->warps.begin(), cta->warps.end(),
                                         [](const auto& warp) { return warp.second.arrived != 0; });
  });
}

bool ClusterScope::LacksNobody(const Cluster& cluster) const {
  const auto has_arrived = [](const auto& warp) {
    return (warp.second.live & ~warp.second.arrived) == 0;
  };
  return cluster.members.size() == cluster.size &&
         std::all_of(cluster.members.begin(), cluster.members.end(), [&](const auto& member) {
           const Cta* const cta = Find(member.second);
           return cta == nullptr ||
                  (cta->unseen == 0 &&
                   std::all_of(cta->warps.begin(), cta->warps.end(), has_arrived));
         });
}

std::vector<ClusterMissing> ClusterScope::Missing(unsigned cluster) const {
  std::vector<ClusterMissing> all;
  const auto open = clusters_.find(cluster);
  for (unsigned rank = 0; open != clusters_.end() && rank < open->second.size; ++rank) {
    ClusterMissing missing;
    missing.rank = static_cast<std::uint8_t>(rank);
    const Member* member = FindMember(cluster, rank);
    if (member == nullptr) {
      all.push_back(missing);
      continue;
    }
    missing.launched = true;
    const Cta* cta = Find(*member);
    if (cta == nullptr) {
      continue;  // it has gone
    }
    missing.unseen = cta->unseen;
    for (const auto& [number, warp] : cta->warps) {
      if ((warp.live & ~warp.arrived) != 0) {
        missing.warps.push_back(
            {member->place.unit, static_cast<std::uint8_t>(number), warp.live & ~warp.arrived});
      }
    }
    if (missing.unseen != 0 || !missing.warps.empty()) {
      all.push_back(missing);
    }
  }
  return all;
}

}  // namespace muster::golden
