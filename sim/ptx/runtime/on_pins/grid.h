// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A running grid: launches clusters, and decides when and how the run ends. Each CTA of a cluster
// runs on the machine, and so the unit, of its rank; without clusters there is one machine. Knows
// nothing of pins but the cluster scope's.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_GRID_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_GRID_H_

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
#include "sim/ptx/runtime/clusters.h"
#include "sim/ptx/runtime/on_pins/cluster_port.h"
#include "sim/ptx/runtime/on_pins/machine.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/printf.h"
#include "sim/ptx/simt/schedule_replay.h"

namespace muster::ptx {

enum class Outcome : std::uint8_t {
  kCompletes,
  kDeadlock,
  kFault,
  kMemoryFault,
  kAssert,
  kTimeout,  // still running when the cycles were used up
};

class Grid {
 public:
  // The program must fit the configuration (CheckFits).
  Grid(const Config& config, const Program& program, const Launch& launch, Memory* memory,
       std::uint64_t seed);

  // The machines, one for each unit of the run, by rank.
  std::vector<lockstep::Driver*> Drivers() const;

  Outcome outcome() const { return outcome_; }
  // The fault, memory fault or assertion that ended the run.
  const std::vector<Incident>& faults() const { return faults_; }
  const std::string& problem() const { return problem_; }
  const std::vector<Incident>& hazards() const { return hazards_; }
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
  std::string MbarrierAt(std::uint32_t address) const {
    return machines_.front()->MbarrierAt(address);
  }
  // The output of the kernel.
  const Printed& printed() const { return printed_; }
  // What waits for what at present.
  std::vector<StuckBarrier> StuckBarriers() const;
  std::vector<StuckMbarrier> StuckMbarriers() const;
  std::vector<StuckCluster> StuckClusters() const;
  std::vector<StuckWarp> StuckWarps() const;
  // Warps that had not exited when the run ended, with their locations.
  std::vector<StuckWarp> RunningWarps() const;
  std::string CtaName(std::uint64_t linear_id) const;  // "(1,0,0)"
  // How many CTAs have not been launched.
  std::uint64_t CtasNotBegun() const {
    return (launch_.Clusters() - clusters_.begun()) * launch_.ClusterCtas();
  }

  // The run follows this schedule from now on; it must outlive the grid.
  void set_replay(ScheduleReplay* replay);
  // After the run: why the next turn of the schedule could not come.
  const std::string& missed() const { return missed_; }
  // Records all events of the run there from now on.
  void set_timeline(Timeline* timeline) { timeline_ = timeline; }
  Timeline* timeline() const { return timeline_; }  // null: events are not recorded
  std::uint64_t cycle() const { return cycle_; }

  // The interface for machines. In each cycle they are driven in the order of their ranks; the
  // first one begins the cycle, and the last one concludes it.
  bool ending() const { return ending_; }
  void Begin(unsigned rank, std::uint64_t cycle) {
    if (rank == 0) {
      if (replay_ != nullptr) {
        TakeTurns(cycle);
      }
      cycle_ = cycle;
      if (cluster_port_ != nullptr) {
        BeginCluster(cycle);
      }
      LaunchClusters();
    }
  }
  void Conclude(unsigned rank, std::uint64_t cycle) {
    if (rank + 1 == machines_.size()) {
      Decide(cycle);
    }
  }
  // Something has changed that threads of any CTA may see.
  void Change(std::uint64_t cycle);
  void End(Outcome outcome);
  void EndWithFault(Outcome outcome, Incident incident, std::string problem = "");
  void AddHazard(Incident incident) { Add(std::move(incident), &hazards_); }
  void AddNote(Incident incident) { Add(std::move(incident), &notes_); }
  const Clusters& clusters() const { return clusters_; }
  // Null: the run follows no schedule.
  ScheduleReplay* replay() { return replay_; }
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
  bool ClusterMoves() const { return cluster_port_ != nullptr && cluster_port_->Moves(); }
  // Whether operations wait for their turns, so that barriers of the cluster may wait for them.
  bool HoldsSends() const { return cluster_port_ != nullptr && cluster_port_->Held() != 0; }
  Printed* printed() { return &printed_; }
  // The CTA in that slot of a machine has ended. A slot is free for the next cluster when all its
  // CTAs have ended.
  void CtaEnded(unsigned rank, unsigned slot);
  // Whether operations of a warp of the CTA to other CTAs' mbarriers are in flight.
  bool IsSending(const Cta* cta, unsigned warp) const;
  // The CTA ends, and transfers to its memory are lost. Returns one that another CTA sent, or null.
  std::optional<Transfer> Abandon(const Cta* cta);
  // An operation of a CTA has reached a CTA that has exited: a fault of the sender.
  void EndWithLost(const Transfer& lost, std::uint64_t cycle) {
    machines_[lost.issuer->rank]->EndWithLost(lost, cycle);
  }

  // The first cycle, from this one on, in which to look for endless loops.
  static std::uint64_t LookFrom(std::uint64_t cycle) {
    return (cycle + kLookEvery - 1) / kLookEvery * kLookEvery;
  }
  // The latest cycle in which endless loops were looked for.
  std::uint64_t looked() const { return looked_; }

 private:
  static constexpr std::uint64_t kLookEvery = 256;

  static void Add(Incident incident, std::vector<Incident>* incidents);
  void LaunchClusters();
  bool MayStart(std::uint64_t cluster) const;
  // grid_cluster.cpp
  void OpenCluster(unsigned slot);
  void BeginCluster(std::uint64_t cycle);
  void AnswerWarps(std::uint64_t cycle);
  void Deliver(std::uint64_t cycle);
  void Cancel(std::uint64_t cycle);
  void Decide(std::uint64_t cycle);
  // grid_turns.cpp: a schedule.
  void TakeTurns(std::uint64_t cycle);
  bool DropTurns(std::uint64_t cycle);
  void NoteMissed();
  bool IsDeadlocked();
  bool SpinsForEver(std::uint64_t cycle);
  template <typename F>
  auto Gather(F of) const;
  template <typename F>
  std::uint64_t Sum(F of) const;

  const Launch& launch_;
  ScheduleReplay* replay_ = nullptr;
  std::string missed_;
  std::unique_ptr<ClusterPort> cluster_port_;
  Printed printed_;
  std::vector<std::unique_ptr<Machine>> machines_;  // by rank
  Clusters clusters_;
  std::uint64_t looked_ = 0;  // for loops without end: the latest cycle
  unsigned quiet_ = 0;        // cycles in which nothing could go on

  Timeline* timeline_ = nullptr;
  std::uint64_t cycle_ = 0;
  bool ending_ = false;
  Outcome outcome_ = Outcome::kTimeout;
  std::string problem_;
  std::vector<Incident> faults_;
  std::vector<Incident> hazards_;
  std::vector<Incident> notes_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_GRID_H_
