// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the threads of a cluster do together: barrier.cluster. A thread arrives once in each phase
// and goes on; later it waits for the end of the phase in which it has arrived. A phase ends when
// all threads of the cluster that have not exited have arrived in it.
#ifndef MUSTER_SIM_PTX_SIMT_CLUSTER_UNIT_H_
#define MUSTER_SIM_PTX_SIMT_CLUSTER_UNIT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/operation.h"

namespace muster::ptx {

// A warp of a resident cluster.
struct ClusterWarp {
  unsigned cluster = 0;  // its slot
  unsigned rank = 0;     // of the CTA
  unsigned warp = 0;     // of the CTA
};

// The interface that a unit of the cluster scope can take over.
class ClusterUnit {
 public:
  ClusterUnit() = default;
  ClusterUnit(const ClusterUnit&) = delete;
  ClusterUnit& operator=(const ClusterUnit&) = delete;
  virtual ~ClusterUnit() = default;

  // A cluster of `ctas` CTAs takes the slot; `live` has the lanes of each warp of a CTA.
  virtual void Launch(unsigned cluster, unsigned ctas, const std::vector<std::uint32_t>& live) = 0;
  // Returns false, and does nothing, if one of the lanes has arrived and not waited since.
  virtual bool Arrive(const ClusterWarp& warp, std::uint32_t lanes) = 0;
  // Returns whether the lanes may go on: the phases in which they arrived have ended. Else they are
  // to ask again.
  virtual bool Wait(const ClusterWarp& warp, std::uint32_t lanes) = 0;
  virtual void Exit(const ClusterWarp& warp, std::uint32_t lanes) = 0;
  // For reports: the live lanes, and those that have arrived in the phase that runs.
  virtual std::uint32_t Live(const ClusterWarp& warp) const = 0;
  virtual std::uint32_t Arrived(const ClusterWarp& warp) const = 0;
};

// The same in software.
class FrontEndClusterUnit : public ClusterUnit {
 public:
  void Launch(unsigned cluster, unsigned ctas, const std::vector<std::uint32_t>& live) override;
  bool Arrive(const ClusterWarp& warp, std::uint32_t lanes) override;
  bool Wait(const ClusterWarp& warp, std::uint32_t lanes) override;
  void Exit(const ClusterWarp& warp, std::uint32_t lanes) override;
  std::uint32_t Live(const ClusterWarp& warp) const override { return At(warp).live; }
  std::uint32_t Arrived(const ClusterWarp& warp) const override { return At(warp).arrived; }

 private:
  struct Warp {
    std::uint32_t live = 0;
    std::uint32_t arrived = 0;  // in the phase that runs
    std::uint32_t passed = 0;   // in one that has ended, and not waited since
  };
  struct Cluster {
    std::vector<Warp> warps;  // of all CTAs, by rank
    unsigned warps_per_cta = 0;
    unsigned missing = 0;  // live threads that have not arrived
  };

  Warp& At(const ClusterWarp& warp) {
    Cluster& cluster = clusters_[warp.cluster];
    return cluster.warps[warp.rank * cluster.warps_per_cta + warp.warp];
  }
  const Warp& At(const ClusterWarp& warp) const {
    const Cluster& cluster = clusters_[warp.cluster];
    return cluster.warps[warp.rank * cluster.warps_per_cta + warp.warp];
  }
  static void EndPhaseIfComplete(Cluster* cluster);

  std::array<Cluster, kMaxCtas> clusters_;  // by slot
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_CLUSTER_UNIT_H_
