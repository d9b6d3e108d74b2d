// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Running grids on golden models, with their memory: nothing takes time. What is derived from this
// class is told of each effect, and decides which warp, wait or transfer goes on next. Knows
// neither orders nor memory models.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_GOLDEN_GRID_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_GOLDEN_GRID_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/ptx/runtime/grid.h"
#include "sim/ptx/runtime/on_golden/golden_machine.h"
#include "sim/ptx/simt/memory.h"

namespace muster::ptx {

class GoldenGrid : public Grid, public TransferSink {
 public:
  // The program must fit the configuration. `memory` is the initial memory.
  GoldenGrid(const Config& config, const Program& program, const Launch& launch,
             const Memory& memory);

  const Memory& memory() const { return memory_; }

  // The interface for machines.
  ClusterEffects StepCluster(const Core& core, const ClusterRequest& request);
  // Lanes that the request released continue.
  void ReleaseCluster(const ClusterEffects& effects);
  // Operations have taken effect, or were refused; the state of warps is still the former one.
  virtual void OnBarrier(const Core& core, const Operation& operation, const Effects& effects) = 0;
  virtual void OnCluster(const Core& core, const ClusterRequest& request,
                         const ClusterEffects& effects, bool completes) = 0;
  virtual void OnMbarrier(const Core& core, const MbOperation& operation,
                          const MbEffects& effects) = 0;
  virtual void OnWarpScope(const Core& core, const WarpRequest& request,
                           const WarpEffects& effects) = 0;
  virtual void OnExit(const Core& core, unsigned warp) = 0;  // of lanes of the warp
  // Other warps of the core, and lanes at barrier.cluster, may continue.
  virtual void OnRelease(const Core& core, std::uint64_t warps) = 0;
  virtual void OnClusterRelease(const std::vector<ClusterLanes>& lanes) = 0;
  // Lanes at griddepcontrol.wait continue. Launches have let those after them begin; one is over.
  virtual void OnGridRelease(const std::vector<ClusterLanes>& lanes) = 0;
  virtual void OnLaunchable(std::uint8_t grids) = 0;
  virtual void OnLaunchEnd(std::size_t launch) = 0;
  // Lanes of a warp wait at an mbarrier. They go on by Perform and Core::Reply.
  virtual void OnWait(const Core& core, const MbOperation& wait) = 0;
  virtual void OnCancel(const Core& core, const Warp& warp, const CancelCall& call) = 0;

 protected:
  // Returns to the initial state.
  void Reset();
  GoldenMachine& At(unsigned unit) { return *machines_[unit]; }
  const GoldenMachine& At(unsigned unit) const { return *machines_[unit]; }
  unsigned units() const { return static_cast<unsigned>(machines_.size()); }
  const golden::ClusterScope& cluster_scope() const { return cluster_scope_; }
  void Request(const ClusterLife& life) override;
  std::uint8_t Launchable() const override { return cluster_scope_.Launches(); }
  // Whether transfers of the launch have not been carried out.
  virtual bool IsInFlight(std::size_t launch) const = 0;
  void EndLaunches();

  const Memory& initial_;
  Memory memory_;

 private:
  golden::ClusterScope cluster_scope_;
  std::vector<std::unique_ptr<GoldenMachine>> machines_;  // by unit
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_GOLDEN_GRID_H_
