// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The clusters of a grid: which one is next, and which are resident in which slots. All CTAs of a
// cluster have the same slot, each in the unit of its rank. Knows nothing of warps.
#ifndef MUSTER_SIM_PTX_RUNTIME_CLUSTERS_H_
#define MUSTER_SIM_PTX_RUNTIME_CLUSTERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/cluster_operation.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class Clusters {
 public:
  // `slots`: how many CTAs a unit holds. The launch must outlive this object.
  Clusters(const Launch& launch, unsigned slots);
  // Returns to the state in which no cluster has started.
  void Reset();

  // Clusters start or are cancelled in the order of the grid.
  std::uint64_t begun() const { return begun_; }
  bool AllBegun() const { return begun_ == launch_.Clusters(); }
  bool AllEnded() const { return left_ == 0; }
  std::optional<unsigned> FreeSlot() const;  // the lowest
  unsigned resident() const;
  // Starts the next cluster in the slot. Its CTAs are added later.
  Cluster& Start(unsigned slot);
  // Cancels the next cluster, and returns the answer to try_cancel: all zeros if none is left.
  CancelResponse Cancel();
  // A CTA of the cluster has ended. Returns true if it was the last, so that the slot is free.
  bool EndCta(unsigned slot);

  unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
  const Cluster& At(unsigned slot) const { return slots_[slot].cluster; }
  bool IsResident(unsigned slot) const { return slots_[slot].ctas_left != 0; }
  // Returns the place of the cluster in the order of the grid.
  std::uint64_t NumberOf(unsigned slot) const { return slots_[slot].number; }
  // Returns the linear ids of a cluster's CTAs, by rank.
  std::vector<std::uint64_t> CtasOf(std::uint64_t number) const;
  // Sets the place in the grid, and the cluster, of the CTA of that rank.
  void Place(const Cluster& cluster, unsigned rank, Cta* cta) const;

 private:
  struct Slot {
    Cluster cluster;
    std::uint64_t number = 0;
    unsigned ctas_left = 0;
  };

  const Launch& launch_;
  std::vector<Slot> slots_;
  std::uint64_t begun_ = 0;
  std::uint64_t left_ = 0;  // not yet ended
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_CLUSTERS_H_
