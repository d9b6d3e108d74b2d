// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/cluster_unit.h"

namespace muster::ptx {
namespace {

unsigned CountOf(std::uint32_t lanes) { return static_cast<unsigned>(__builtin_popcount(lanes)); }

}  // namespace

void FrontEndClusterUnit::Launch(unsigned cluster, unsigned ctas,
                                 const std::vector<std::uint32_t>& live) {
  Cluster& fresh = clusters_[cluster];
  fresh = {};
  fresh.warps_per_cta = static_cast<unsigned>(live.size());
  for (unsigned rank = 0; rank < ctas; ++rank) {
    for (const std::uint32_t lanes : live) {
      fresh.warps.push_back({lanes, 0, 0});
      fresh.missing += CountOf(lanes);
    }
  }
}

bool FrontEndClusterUnit::Arrive(const ClusterWarp& warp, std::uint32_t lanes) {
  Warp& state = At(warp);
  if (((state.arrived | state.passed) & lanes) != 0) {
    return false;
  }
  Cluster& cluster = clusters_[warp.cluster];
  state.arrived |= lanes;
  cluster.missing -= CountOf(lanes);
  EndPhaseIfComplete(&cluster);
  return true;
}

bool FrontEndClusterUnit::Wait(const ClusterWarp& warp, std::uint32_t lanes) {
  Warp& state = At(warp);
  if ((lanes & ~state.passed) != 0) {
    return false;
  }
  state.passed &= ~lanes;
  return true;
}

void FrontEndClusterUnit::Exit(const ClusterWarp& warp, std::uint32_t lanes) {
  Warp& state = At(warp);
  Cluster& cluster = clusters_[warp.cluster];
  cluster.missing -= CountOf(lanes & ~state.arrived);
  state.live &= ~lanes;
  state.arrived &= ~lanes;
  state.passed &= ~lanes;
  EndPhaseIfComplete(&cluster);
}

void FrontEndClusterUnit::EndPhaseIfComplete(Cluster* cluster) {
  if (cluster->missing != 0) {
    return;
  }
  for (Warp& warp : cluster->warps) {
    warp.passed |= warp.arrived;
    warp.arrived = 0;
    cluster->missing += CountOf(warp.live);
  }
}

}  // namespace muster::ptx
