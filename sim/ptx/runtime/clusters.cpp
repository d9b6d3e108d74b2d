// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/clusters.h"

#include <algorithm>

namespace muster::ptx {

Clusters::Clusters(const Launch& launch, unsigned ctas)
    : launch_(launch),
      units_(UnitsOf(launch)),
      share_(ShareOf(launch)),
      all_(launch.AllClusters()),
      slots_(ctas / share_),
      left_(all_) {}

unsigned Clusters::UnitsOf(const Launch& launch) {
  return std::min(launch.MaxClusterCtas(), kMaxUnits);
}

unsigned Clusters::ShareOf(const Launch& launch) {
  const unsigned units = UnitsOf(launch);
  return (launch.MaxClusterCtas() + units - 1) / units;
}

void Clusters::Reset() {
  for (Slot& slot : slots_) {
    slot.ctas_left = 0;
  }
  begun_ = 0;
  left_ = all_;
}

std::optional<unsigned> Clusters::FreeSlot() const {
  const auto free = std::find_if(slots_.begin(), slots_.end(),
                                 [](const Slot& slot) { return slot.ctas_left == 0; });
  return free == slots_.end() ? std::nullopt
                              : std::optional(static_cast<unsigned>(free - slots_.begin()));
}

unsigned Clusters::resident() const {
  return static_cast<unsigned>(std::count_if(slots_.begin(), slots_.end(),
                                             [](const Slot& slot) { return slot.ctas_left != 0; }));
}

Cluster& Clusters::Start(unsigned slot) {
  const Launch& launch = launch_.OfCluster(begun_);
  Slot& taken = slots_[slot];
  taken.number = begun_;
  taken.ctas_left = launch.ClusterCtas();
  taken.cluster.slot = slot;
  taken.cluster.launch = &launch;
  taken.cluster.id = PointOf(begun_++ - launch.first_cluster, launch.GridOfClusters());
  taken.cluster.ctas.clear();
  return taken.cluster;
}

CancelResponse Clusters::Cancel(const Launch& launch) {
  if (AllBegun() || &launch_.OfCluster(begun_) != &launch) {
    return {};
  }
  --left_;
  const auto first = PointOf(begun_++ - launch.first_cluster, launch.GridOfClusters());
  return {first[0] * launch.cluster[0], first[1] * launch.cluster[1], first[2] * launch.cluster[2],
          1};
}

bool Clusters::EndCta(unsigned slot) {
  if (--slots_[slot].ctas_left != 0) {
    return false;
  }
  --left_;
  return true;
}

std::vector<std::uint64_t> Clusters::CtasOf(std::uint64_t number) const {
  const Launch& launch = launch_.OfCluster(number);
  Cluster cluster;
  cluster.launch = &launch;
  cluster.id = PointOf(number - launch.first_cluster, launch.GridOfClusters());
  std::vector<std::uint64_t> ctas;
  for (unsigned rank = 0; rank < launch.ClusterCtas(); ++rank) {
    Cta cta;
    Place(cluster, rank, &cta);
    ctas.push_back(cta.linear_id);
  }
  return ctas;
}

void Clusters::Place(const Cluster& cluster, unsigned rank, Cta* cta) {
  const Launch& launch = *cluster.launch;
  const auto place = PointOf(rank, launch.cluster);
  for (unsigned i = 0; i < 3; ++i) {
    cta->id[i] = cluster.id[i] * launch.cluster[i] + place[i];
  }
  cta->linear_id = launch.first_cta + LinearOf(cta->id, launch.grid);
  cta->launch = &launch;
  cta->cluster = &cluster;
  cta->rank = rank;
  cta->exited = false;
  cta->last = false;
  cta->exited_warps = 0;
  cta->tensor = nullptr;
  cta->shared.assign(launch.shared_bytes, 0);
}

}  // namespace muster::ptx
