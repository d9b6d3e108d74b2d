// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Constrained-random traffic for a cluster scope: grids, clusters and CTAs come and go, lanes of
// their warps arrive, wait and exit in any order, together or apart, and CTAs reach each other.
#ifndef TB_UNIT_CLUSTER_TRAFFIC_H_
#define TB_UNIT_CLUSTER_TRAFFIC_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/cluster_checker.h"
#include "sim/port/cluster_pins.h"

namespace muster::cluster {

class Traffic {
 public:
  // `checker`: what the model knows.
  Traffic(const ClusterConfig& config, const lockstep::ClusterChecker& checker, std::uint64_t seed)
      : config_(config), checker_(checker), random_(seed) {}

  // Sets the inputs of the next cycle; `out` is what the block showed in the one before, in which
  // `in` was driven.
  void Drive(std::uint64_t cycle, const ClusterOutputs& out, ClusterInputs* in);
  // After a reset.
  void Forget() {
    ctas_.clear();
    cluster_size_.fill(0);
  }
  // No grid, cluster or CTA comes any more, and no lane is held up: all exit.
  void Finish() { finishing_ = true; }
  bool Finished() const { return ctas_.empty(); }

 private:
  struct Warp {
    std::uint32_t live = ~std::uint32_t{0};
  };
  struct Cta {
    unsigned unit = 0, slot = 0, cluster = 0, rank = 0;
    std::vector<unsigned> warps;  // slots of the unit
  };

  unsigned Below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  bool OneIn(unsigned n) { return Below(n) == 0; }
  std::uint32_t SomeOf(std::uint32_t lanes);

  std::optional<ClusterLife> NextLife(std::uint64_t cycle, const ClusterInputs& in);
  // A request of the CTA is presented or under way.
  bool IsBusy(const Cta& cta, const ClusterInputs& in) const;
  std::optional<ClusterLife> Launch(std::uint64_t cycle);
  // Nothing can be on its way to the CTA that had the slot.
  bool IsForgotten(unsigned unit, unsigned slot, std::uint64_t cycle) const;
  void Accepted(const ClusterLife& life);
  std::optional<ClusterRequest> NextRequest(unsigned unit);
  std::optional<ClusterRequest> RequestOf(const Cta& cta, unsigned warp);
  std::optional<RemoteSend> NextSend(unsigned unit);
  std::optional<CancelRequest> NextCancel(std::uint64_t cycle, unsigned unit);
  const Cta* AnyCta(unsigned unit);

  const ClusterConfig config_;
  const lockstep::ClusterChecker& checker_;
  std::mt19937_64 random_;
  bool finishing_ = false;
  std::vector<Cta> ctas_;  // that have not been ended
  std::array<unsigned, kMaxClusters> cluster_size_{};
  std::map<std::pair<unsigned, unsigned>, std::pair<unsigned, unsigned>>
      last_;  // {unit, slot}: {cluster, rank}
  std::array<std::array<Warp, kMaxWarps>, kMaxUnits> warps_{};
  std::vector<unsigned> free_warps_;  // of the launch that is presented
  std::uint32_t operand_ = 0;
};

}  // namespace muster::cluster

#endif  // TB_UNIT_CLUSTER_TRAFFIC_H_
