// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/clusters.h"

#include <algorithm>

namespace muster::ptx {

Clusters::Clusters(const Launch& launch, unsigned slots)
    : launch_(launch), slots_(slots), left_(launch.Clusters()) {}

void Clusters::Reset() {
  for (Slot& slot : slots_) {
    slot.ctas_left = 0;
  }
  begun_ = 0;
  left_ = launch_.Clusters();
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
  Slot& taken = slots_[slot];
  taken.number = begun_;
  taken.ctas_left = launch_.ClusterCtas();
  taken.cluster.slot = slot;
  taken.cluster.id = PointOf(begun_++, launch_.GridOfClusters());
  taken.cluster.ctas.clear();
  return taken.cluster;
}

CancelResponse Clusters::Cancel() {
  if (AllBegun()) {
    return {};
  }
  --left_;
  const auto first = PointOf(begun_++, launch_.GridOfClusters());
  return {first[0] * launch_.cluster[0], first[1] * launch_.cluster[1],
          first[2] * launch_.cluster[2], 1};
}

bool Clusters::EndCta(unsigned slot) {
  if (--slots_[slot].ctas_left != 0) {
    return false;
  }
  --left_;
  return true;
}

std::vector<std::uint64_t> Clusters::CtasOf(std::uint64_t number) const {
  Cluster cluster;
  cluster.id = PointOf(number, launch_.GridOfClusters());
  std::vector<std::uint64_t> ctas;
  for (unsigned rank = 0; rank < launch_.ClusterCtas(); ++rank) {
    Cta cta;
    Place(cluster, rank, &cta);
    ctas.push_back(cta.linear_id);
  }
  return ctas;
}

void Clusters::Place(const Cluster& cluster, unsigned rank, Cta* cta) const {
  const auto place = PointOf(rank, launch_.cluster);
  for (unsigned i = 0; i < 3; ++i) {
    cta->id[i] = cluster.id[i] * launch_.cluster[i] + place[i];
  }
  cta->linear_id = LinearOf(cta->id, launch_.grid);
  cta->cluster = &cluster;
  cta->rank = rank;
  cta->exited = false;
  cta->last = false;
  cta->exited_warps = 0;
  cta->tensor = nullptr;
  cta->shared.assign(launch_.shared_bytes, 0);
}

}  // namespace muster::ptx
