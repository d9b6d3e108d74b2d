// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Running grids on the pins of units, one for each CTA of a cluster, or for some of them: begins
// and concludes each cycle of its machines, and decides when the run is complete or a deadlock.
// Knows nothing of pins but the cluster scope's.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLOCKED_GRID_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLOCKED_GRID_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/port/driver.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/runtime/barrier_arrivals.h"
#include "sim/ptx/runtime/grid.h"
#include "sim/ptx/runtime/late_accesses.h"
#include "sim/ptx/runtime/mbarrier_arrivals.h"
#include "sim/ptx/runtime/on_pins/cluster_port.h"
#include "sim/ptx/runtime/on_pins/machine.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/schedule_replay.h"

namespace muster::ptx {

class ClockedGrid : public Grid {
 public:
  // The program must fit the configuration (CheckFits).
  ClockedGrid(const Config& config, const Program& program, const Launch& launch, Memory* memory,
              std::uint64_t seed);

  // The machines, one for each unit of the run, by their numbers.
  std::vector<lockstep::Driver*> Drivers() const;

  // Notes: legal behaviour that is often not intended.
  const std::vector<Incident>& notes() const { return notes_; }
  std::vector<BarrierRow> Barriers() const;
  std::uint64_t Releases() const;
  std::uint64_t Operations(OpKind kind) const;
  std::uint64_t WarpInstructions() const;
  std::uint64_t ThreadInstructions() const;
  // How many lanes executed a collective or arrived apart at a barrier.
  std::uint64_t RendezvousLanes() const;
  std::vector<MbarrierRow> Mbarriers() const;
  std::uint64_t Operations(MbOp op) const;
  std::string MbarrierAt(std::uint32_t address) const { return MbarrierName(program_, address); }
  // What waits for what at present.
  std::vector<StuckBarrier> StuckBarriers() const;
  std::vector<StuckMbarrier> StuckMbarriers() const;
  std::vector<StuckCluster> StuckClusters() const;
  std::vector<StuckWarp> StuckWarps() const;
  // Warps that had not exited when the run ended, with their locations.
  std::vector<StuckWarp> RunningWarps() const;
  // Where all lanes stand that have not exited, and what the mbarriers of their CTAs hold.
  std::vector<LanesAt> Standing() const;
  std::vector<MbarrierWord> MbarrierWords() const;

  // The run follows this schedule from now on; it must outlive the grid.
  void set_replay(ScheduleReplay* replay);
  // Accesses are performed late from now on, by this seed.
  void PerformLate(Memory* memory, std::uint64_t seed);
  const LateAccesses* late() const { return late_.get(); }  // null: they are not
  // How often fences have asked the trackers for a drain; of a late run, how often a warp could not
  // go on since its tracker had no room for what it was to access.
  std::uint64_t Drains() const;
  std::uint64_t HeldBack() const;
  // After the run: why the next turn of the schedule could not come.
  const std::string& missed() const { return missed_; }
  // Records all events of the run there from now on.
  void set_timeline(Timeline* timeline) { timeline_ = timeline; }
  Timeline* timeline() const { return timeline_; }  // null: events are not recorded

  // The interface for machines. In each cycle they are driven in the order of their units; the
  // first one begins the cycle, and the last one concludes it.
  void set_cycle(std::uint64_t cycle) { cycle_ = cycle; }
  void Begin(unsigned unit, std::uint64_t cycle) {
    if (unit == 0) {
      if (replay_ != nullptr) {
        TakeTurns(cycle);
      }
      if (cluster_port_ != nullptr) {
        BeginCluster(cycle);
        FollowLaunches(cycle);
      }
      LaunchClusters();
    }
  }
  void Conclude(unsigned unit, std::uint64_t cycle) {
    if (unit + 1 == machines_.size()) {
      Decide(cycle);
    }
  }
  void Change(std::uint64_t cycle) override;
  void Abandon(const Cta* cta) override;
  void AddNote(Incident incident) { Add(std::move(incident), &notes_); }
  bool TurnsMove() const { return replay_ != nullptr && replay_->moved(); }
  // Null: the program does not use the cluster scope.
  ClusterPort* cluster_port() { return cluster_port_.get(); }
  ClusterPins* cluster_pins() { return cluster_port_ == nullptr ? nullptr : cluster_port_->pins(); }
  // The lockstep's model of the cluster scope, for reports; may be null.
  const golden::ClusterScope* cluster_model() const {
    return cluster_port_ == nullptr ? nullptr : cluster_port_->pins()->model.get();
  }
  void PresentCluster(std::uint64_t cycle);
  bool ClusterPresents() const { return cluster_port_ != nullptr && cluster_port_->Presents(); }
  bool ClusterMoves() const {
    return cluster_port_ != nullptr && (cluster_port_->Moves() || WaitsToBegin());
  }
  // Whether operations wait for their turns, so that barriers of the cluster may wait for them.
  bool HoldsSends() const { return cluster_port_ != nullptr && cluster_port_->Held() != 0; }
  // Whether a launch before that of the CTA is not over, so that griddepcontrol.wait waits for it.
  bool HoldsAtGrid(const Cta& cta) const {
    const std::size_t launch = launch_.IndexOfCta(cta.linear_id);
    return launch != 0 && !IsOver(launch - 1);
  }
  // Whether operations of a warp of the CTA to other CTAs' mbarriers are in flight.
  bool IsSending(const Cta* cta, unsigned warp) const;

  // The first cycle, from this one on, in which to look for endless loops.
  static std::uint64_t LookFrom(std::uint64_t cycle) {
    return (cycle + kLookEvery - 1) / kLookEvery * kLookEvery;
  }
  // The latest cycle in which endless loops were looked for.
  std::uint64_t looked() const { return looked_; }

 private:
  static constexpr std::uint64_t kLookEvery = 256;

  void Request(const ClusterLife& life) override;
  bool MayStart() const override;
  void OnStart(const Cluster& cluster) override;
  void OnEnd() override { NoteMissed(); }
  // clocked_grid_cluster.cpp
  void BeginCluster(std::uint64_t cycle);
  void AnswerWarps();
  void Deliver();
  void Cancel(std::uint64_t cycle);
  // clocked_grid_launches.cpp: launches that overlap.
  void FollowLaunches(std::uint64_t cycle);
  std::uint8_t Flushed() const;
  std::uint8_t Launchable() const override;
  bool WaitsToBegin() const { return begins_at_ > cycle_ && clusters_.IsFirst(); }
  void Decide(std::uint64_t cycle);
  // clocked_grid_turns.cpp: a schedule.
  void TakeTurns(std::uint64_t cycle);
  void NoteTurns(std::uint64_t cycle);
  bool DropTurns(std::uint64_t cycle);
  void NoteMissed();
  bool IsDeadlocked();
  bool SpinsForEver(std::uint64_t cycle);
  template <typename F>
  auto Gather(F of) const;
  template <typename F>
  std::uint64_t Sum(F of) const;

  const Program& program_;
  Random random_;
  std::string missed_;
  std::unique_ptr<ClusterPort> cluster_port_;
  std::unique_ptr<LateAccesses> late_;
  std::vector<std::unique_ptr<Machine>> machines_;  // by unit
  std::size_t beginning_ = 0;                       // the latest launch that may begin, and when:
  std::uint64_t begins_at_ = 0;
  std::uint64_t looked_ = 0;  // for loops without end: the latest cycle
  unsigned quiet_ = 0;        // cycles in which nothing could go on

  Timeline* timeline_ = nullptr;
  std::size_t noted_turns_ = 0;  // in it
  std::vector<Incident> notes_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLOCKED_GRID_H_
