// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cover points of a whole GPC: of its warp scopes, of the cluster scope, and of what passes between
// these and the units.
#ifndef MUSTER_TB_GPC_GPC_COVER_H_
#define MUSTER_TB_GPC_GPC_COVER_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/cover_points.h"
#include "sim/lockstep/gpc.h"

namespace muster::gpc {

class GpcCover {
 public:
  // `high_ranks`: clusters have more than sixteen CTAs.
  GpcCover(bool has_atomics, bool high_ranks);

  // The pins of a cycle out of reset, which was right, and what the checkers know after it.
  void Observe(std::uint64_t cycle, const lockstep::GpcPins& pins,
               const lockstep::GpcChecks& checks);
  void OnCommit(unsigned unit, const Operation& operation, const Effects& effects);
  void OnMbEvent(const MbEvent& event, const MbEffects& effects);
  // A reset begins after this cycle.
  void Reset(const lockstep::GpcPins& pins, const lockstep::GpcChecks& checks);
  void NextRun();

  lockstep::CoverPoints& points() { return points_; }
  const lockstep::CoverPoints& points() const { return points_; }

 private:
  using WarpKey = std::pair<unsigned, unsigned>;  // unit and warp
  // The lowest lanes of the requests that have come so far, in order.
  using Order = std::vector<unsigned>;
  struct Arrivals {  // of a warp at barrier.cluster, in the phase that runs
    std::uint32_t lanes = 0;
    Order order;
  };

  void Define(const std::string& name);
  void DefineOrders(const std::string& prefix);
  void DefineWarps();
  void DefineCluster();
  void DefineCrossings();
  void DefineAtomics();
  void Hit(const std::string& name);
  void HitOrder(const std::string& prefix, const Order& order);

  void ObserveWarps(std::uint64_t cycle, unsigned u, const lockstep::GpcPins& pins,
                    const lockstep::GpcChecks& checks);
  void CountRequest(std::uint64_t cycle, unsigned u,
                    const lockstep::WarpChecker::Accepted& accepted,
                    const golden::WarpScope& model);
  void CountExit(unsigned u, const WarpRequest& request, const WarpEffects& effects);
  void CountComplete(std::uint64_t cycle, unsigned u, const WarpRequest& request,
                     const WarpEffects& effects);
  void ObserveCluster(std::uint64_t cycle, const lockstep::GpcPins& pins,
                      const lockstep::GpcChecks& checks);
  void CountDone(const lockstep::ClusterChecker::Done& done, const golden::ClusterScope& model);
  void CountArrival(const lockstep::ClusterChecker::Done& done);
  void CountPhases(std::uint64_t cycle, const lockstep::GpcChecks& checks);
  void CountLife(const lockstep::GpcPins& pins);
  void CountCancel(const lockstep::GpcPins& pins);
  void ObserveNetwork(const lockstep::GpcPins& pins, const lockstep::GpcChecks& checks);
  void ObserveAtomics(const lockstep::GpcPins& pins, const lockstep::GpcChecks& checks);
  void ObserveReplies(unsigned u, const lockstep::GpcPins& pins);
  void ObserveCrossing(const lockstep::GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                       lockstep::GpcCrossingChecker::Source shown);

  lockstep::CoverPoints points_;
  std::unordered_map<std::string, unsigned> by_name_;

  // The run so far.
  std::map<WarpKey, std::map<std::pair<std::uint32_t, std::uint32_t>, Order>> groups_;
  std::map<WarpKey, std::uint64_t> completed_;  // the cycle of the latest collective
  std::map<WarpKey, bool> gathered_;            // its operation at the unit is an arrival
  std::map<WarpKey, Arrivals> arrivals_;
  std::map<WarpKey, ClusterWarp> lanes_;  // before the request that takes effect
  std::map<WarpKey, bool> at_grid_;       // lanes really wait
  std::array<unsigned, kMaxClusters> phases_{};
  std::array<std::uint64_t, kMaxClusters> phase_at_{};
  bool multicasts_ = false;   // whether the latest accepted cancel does
  unsigned completions_ = 0;  // completions of that cancel
  std::uint8_t launched_ = 0;
  std::uint8_t flushed_ = 0;
  unsigned to_one_ = 0;        // cycles in a row in which all sent to one unit
  unsigned to_different_ = 0;  // cycles in a row in which each sent to another unit
};

}  // namespace muster::gpc

#endif  // MUSTER_TB_GPC_GPC_COVER_H_
