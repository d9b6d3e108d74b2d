// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Constrained-random traffic for a cluster scope: grids, clusters and CTAs come and go, lanes of
// their warps arrive, wait and exit in any order, together or apart, and CTAs reach each other.
#ifndef MUSTER_TB_TRAFFIC_CLUSTER_TRAFFIC_H_
#define MUSTER_TB_TRAFFIC_CLUSTER_TRAFFIC_H_

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

// What the cores do beside the cluster scope, which its traffic must fit. This one does nothing.
class Core {
 public:
  Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  virtual ~Core() = default;

  virtual unsigned LargestCluster() { return kMaxRanks; }
  virtual unsigned LargestGrid() { return 6; }
  // Whether a CTA may take the slot, and the warp slot be one of it. If so it is prepared, then
  // launched, or dropped.
  virtual bool MayLaunch(unsigned /*unit*/, unsigned /*slot*/) { return true; }
  virtual bool IsFree(unsigned /*unit*/, unsigned /*warp*/) { return true; }
  virtual void Prepare(const ClusterLife& /*life*/, const std::vector<unsigned>& /*warps*/) {}
  virtual bool IsPrepared(unsigned /*unit*/, unsigned /*slot*/) { return true; }
  virtual void Launched(unsigned /*unit*/, unsigned /*slot*/) {}
  virtual void Dropped(unsigned /*unit*/, unsigned /*slot*/) {}
  // The CTA had better end, since its lanes wait for others that may never come.
  virtual bool IsStuck(unsigned /*unit*/, unsigned /*slot*/) { return false; }
  // The CTA is to end: it begins nothing new. Returns whether nothing of it is under way. Then it
  // has ended.
  virtual bool MayEnd(unsigned /*unit*/, unsigned /*slot*/) { return true; }
  virtual void Ended(unsigned /*unit*/, unsigned /*slot*/) {}
  // Of the live lanes, those that may execute something for the cluster scope now.
  virtual std::uint32_t FreeLanes(unsigned /*unit*/, unsigned /*warp*/, std::uint32_t live) {
    return live;
  }
  virtual bool MayExit(unsigned /*unit*/, unsigned /*warp*/) { return true; }
  virtual void Exits(unsigned /*unit*/, const ClusterRequest& /*request*/) {}
  // Requests and operations that the core has; it knows best what becomes of them.
  virtual std::optional<ClusterRequest> NextRequest(unsigned /*unit*/) { return std::nullopt; }
  virtual std::optional<RemoteSend> NextSend(unsigned /*unit*/) { return std::nullopt; }
  virtual std::uint32_t BarrierOf(unsigned /*unit*/, unsigned /*slot*/, std::uint32_t any) {
    return any;
  }
  // Whether this one may be sent, which the core has not asked for. Then it is presented.
  virtual bool MaySend(const RemoteSend& /*send*/) { return true; }
  virtual void Sends(unsigned /*unit*/, const RemoteSend& /*send*/) {}
  virtual bool MayCancel(unsigned /*cluster*/) { return true; }
};

class Traffic {
 public:
  struct Cta {
    unsigned unit = 0, slot = 0, cluster = 0, rank = 0;
    std::vector<unsigned> warps;  // slots of the unit
    bool leaving = false;
  };

  // `checker`: what the model knows.
  Traffic(const ClusterConfig& config, const lockstep::ClusterChecker& checker, std::uint64_t seed,
          Core* core)
      : config_(config), checker_(checker), core_(*core), random_(seed) {}

  // The live lanes of a warp, once exits that are presented have been carried out.
  std::uint32_t live(unsigned unit, unsigned warp) const { return warps_[unit][warp].live; }
  const std::vector<Cta>& ctas() const { return ctas_; }  // that have not been ended
  const Cta* FindCta(unsigned unit, unsigned slot) const;
  unsigned SizeOf(unsigned cluster) const { return cluster_size_[cluster]; }

  // Sets the inputs of the next cycle; `out` is what the block showed in the one before, in which
  // `in` was driven.
  void Drive(std::uint64_t cycle, const ClusterOutputs& out, ClusterInputs* in);
  // After a reset.
  void Forget() {
    launch_.reset();
    ctas_.clear();
    cluster_size_.fill(0);
  }
  // With true, nothing new begins; with false, it does again.
  void Rest(bool rests) { rests_ = rests; }
  // No grid, cluster or CTA comes any more, and no lane is held up: all exit.
  void Finish() { finishing_ = true; }
  bool Finished() const { return ctas_.empty() && !launch_; }

 private:
  struct Warp {
    std::uint32_t live = ~std::uint32_t{0};
  };

  unsigned Below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  bool OneIn(unsigned n) { return Below(n) == 0; }
  std::uint32_t SomeOf(std::uint32_t lanes);

  std::optional<ClusterLife> NextLife(std::uint64_t cycle, const ClusterInputs& in);
  // A request of the CTA is presented or under way.
  bool IsBusy(const Cta& cta, const ClusterInputs& in) const;
  std::optional<ClusterLife> NextEnd(const ClusterInputs& in);
  std::optional<ClusterLife> Launch(std::uint64_t cycle, const ClusterInputs& in);
  void DriveUnit(std::uint64_t cycle, unsigned u, const ClusterOutputs& out, ClusterInputs* in);
  // Nothing can be on its way to the CTA that had the slot.
  bool IsForgotten(unsigned unit, unsigned slot, std::uint64_t cycle) const;
  std::optional<ClusterLife> Prepared(std::uint64_t cycle);
  void Accepted(const ClusterLife& life);
  std::optional<ClusterRequest> NextRequest(unsigned unit, const ClusterInputs& in);
  std::optional<ClusterRequest> RequestOf(const Cta& cta, unsigned warp);
  std::optional<ClusterRequest> StrayRequest(unsigned unit, const ClusterInputs& in);
  bool IsTaken(unsigned unit, unsigned warp) const;
  std::uint8_t NextRank(unsigned cluster);
  std::optional<RemoteSend> NextSend(unsigned unit);
  std::optional<CancelRequest> NextCancel(std::uint64_t cycle, unsigned unit);
  const Cta* AnyCta(unsigned unit);

  const ClusterConfig config_;
  const lockstep::ClusterChecker& checker_;
  Core& core_;
  std::mt19937_64 random_;
  bool rests_ = false;
  bool finishing_ = false;
  std::vector<Cta> ctas_;
  std::array<unsigned, kMaxClusters> cluster_size_{};
  std::array<unsigned, kMaxClusters> cluster_grid_{};  // of its CTAs; kMaxGrids: there are none yet
  std::map<std::pair<unsigned, unsigned>, std::pair<unsigned, unsigned>>
      last_;  // {unit, slot}: {cluster, rank}
  std::array<std::array<Warp, kMaxWarps>, kMaxUnits> warps_{};
  std::optional<ClusterLife> launch_;  // that is prepared
  std::vector<unsigned> free_warps_;   // of the launch that is prepared or presented
  std::uint32_t operand_ = 0;
};

}  // namespace muster::cluster

#endif  // MUSTER_TB_TRAFFIC_CLUSTER_TRAFFIC_H_
