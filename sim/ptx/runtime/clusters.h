// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The clusters of a launch, and of those after it that may overlap with it: which one is next, and
// which are resident in which slots. Knows nothing of warps.
//
// A unit runs one CTA of a cluster, if a cluster has no more than there can be units. The CTAs of a
// larger one take turns: rank r is on unit r modulo the units, beside others of its cluster.
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
  // `ctas`: how many CTAs a unit holds. The launch must outlive this object.
  Clusters(const Launch& launch, unsigned ctas);
  // Returns to the state in which no cluster has started.
  void Reset();

  // Clusters start or are cancelled in the order of the launches, and there of the grid.
  std::uint64_t begun() const { return begun_; }
  bool AllBegun() const { return begun_ == all_; }
  bool AllEnded() const { return left_ == 0; }
  std::optional<unsigned> FreeSlot() const;  // the lowest
  unsigned resident() const;
  // Starts the next cluster in the slot. Its CTAs are added later.
  Cluster& Start(unsigned slot);
  // The launch of the next cluster, and whether that is its first one.
  std::size_t NextLaunch() const { return launch_.IndexOfCluster(begun_); }
  bool IsFirst() const { return begun_ == launch_.At(NextLaunch()).first_cluster; }
  // Cancels the next cluster of the launch, and returns the answer to try_cancel: all zeros if none
  // is left.
  CancelResponse Cancel(const Launch& launch);
  // A CTA of the cluster has ended. Returns true if it was the last, so that the slot is free.
  bool EndCta(unsigned slot);

  // How many units the launches take, and where the CTA of that rank of the cluster in a slot is.
  static unsigned UnitsOf(const Launch& launch);
  static unsigned ShareOf(const Launch& launch);  // CTAs of the largest cluster on one unit
  unsigned units() const { return units_; }
  CtaPlace PlaceOf(unsigned slot, unsigned rank) const {
    return {static_cast<std::uint8_t>(rank % units_),
            static_cast<std::uint8_t>(slot * share_ + rank / units_)};
  }
  unsigned SlotOf(unsigned cta) const { return cta / share_; }  // of the cluster
  // How many CTAs of a cluster of so many the unit runs.
  unsigned CtasOn(unsigned unit, unsigned ctas) const {
    return (ctas + units_ - 1 - unit) / units_;
  }

  unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
  const Cluster& At(unsigned slot) const { return slots_[slot].cluster; }
  bool IsResident(unsigned slot) const { return slots_[slot].ctas_left != 0; }
  // Returns the place of the cluster in the order in which they start.
  std::uint64_t NumberOf(unsigned slot) const { return slots_[slot].number; }
  // Returns the linear ids of a cluster's CTAs, by rank.
  std::vector<std::uint64_t> CtasOf(std::uint64_t number) const;
  // Sets the place in the grid, and the cluster, of the CTA of that rank.
  static void Place(const Cluster& cluster, unsigned rank, Cta* cta);

 private:
  struct Slot {
    Cluster cluster;
    std::uint64_t number = 0;
    unsigned ctas_left = 0;
  };

  const Launch& launch_;
  const unsigned units_;
  const unsigned share_;
  const std::uint64_t all_;  // clusters of all launches
  std::vector<Slot> slots_;
  std::uint64_t begun_ = 0;
  std::uint64_t left_;  // not yet ended
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_CLUSTERS_H_
