// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A grid on its way: which cluster is launched next, and when and how the run ends. Each CTA of a
// cluster runs on a machine, and so a unit, of its own, by its rank; without clusters there is one.
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
#include "sim/ptx/simt/turnstile.h"

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

  // One for each unit of the run, by rank.
  std::vector<lockstep::Driver*> Drivers() const;

  Outcome outcome() const { return outcome_; }
  // Of a fault, memory fault or assert.
  const std::vector<Incident>& faults() const { return faults_; }
  const std::string& problem() const { return problem_; }
  const std::vector<Incident>& hazards() const { return hazards_; }
  // What is legal and yet not always what was meant.
  const std::vector<Incident>& notes() const { return notes_; }
  std::vector<BarrierRow> Barriers() const;
  std::uint64_t Releases() const;
  std::uint64_t Operations(OpKind kind) const;
  std::uint64_t WarpInstructions() const;
  std::uint64_t ThreadInstructions() const;
  // Lanes that executed a collective, or came apart to a barrier.
  std::uint64_t RendezvousLanes() const;
  std::vector<MbarrierRow> Mbarriers() const;
  std::uint64_t Operations(MbOp op) const;
  std::string MbarrierAt(std::uint32_t address) const {
    return machines_.front()->MbarrierAt(address);
  }
  // What the kernel has printed.
  const Printed& printed() const { return printed_; }
  // Who waits for whom at this moment.
  std::vector<StuckBarrier> StuckBarriers() const;
  std::vector<StuckMbarrier> StuckMbarriers() const;
  std::vector<StuckCluster> StuckClusters() const;
  std::vector<StuckWarp> StuckWarps() const;
  // Warps that were still under way when the run ended, and where.
  std::vector<StuckWarp> RunningWarps() const;
  std::string CtaName(std::uint64_t linear_id) const;  // "(1,0,0)"
  // CTAs for which there has been no room yet.
  std::uint64_t CtasNotBegun() const {
    return (launch_.Clusters() - clusters_.begun()) * launch_.ClusterCtas();
  }

  // The run keeps to it from now on; it must outlive the grid.
  void set_turnstile(Turnstile* turnstile);
  // Why the next turn of the schedule could not come, once the run has ended without it.
  const std::string& missed() const { return missed_; }
  // Everything that happens is recorded there from now on.
  void set_timeline(Timeline* timeline) { timeline_ = timeline; }
  Timeline* timeline() const { return timeline_; }  // null: nobody records
  std::uint64_t cycle() const { return cycle_; }

  // The machines' side. All of them are driven in the order of their ranks in each cycle; the first
  // begins it, and the last concludes it.
  bool ending() const { return ending_; }
  void Begin(unsigned rank, std::uint64_t cycle) {
    if (rank == 0) {
      if (turnstile_ != nullptr) {
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
  // Something has changed that a thread of any CTA may see.
  void Change(std::uint64_t cycle);
  void End(Outcome outcome);
  void EndWithFault(Outcome outcome, Incident incident, std::string problem = "");
  void AddHazard(Incident incident) { Add(std::move(incident), &hazards_); }
  void AddNote(Incident incident) { Add(std::move(incident), &notes_); }
  const Clusters& clusters() const { return clusters_; }
  // Null: the run keeps to no schedule.
  Turnstile* turnstile() { return turnstile_; }
  bool TurnsMove() const { return turnstile_ != nullptr && turnstile_->moved(); }
  // Null: the program has no use for the cluster scope.
  ClusterPort* cluster_port() { return cluster_port_.get(); }
  ClusterPins* cluster_pins() { return cluster_port_ == nullptr ? nullptr : cluster_port_->pins(); }
  // What the lockstep knows of it, for reports; null: nothing.
  const golden::ClusterScope* cluster_model() const {
    return cluster_port_ == nullptr ? nullptr : cluster_port_->pins()->model.get();
  }
  void PresentCluster(std::uint64_t cycle);
  bool ClusterPresents() const { return cluster_port_ != nullptr && cluster_port_->Presents(); }
  bool ClusterMoves() const { return cluster_port_ != nullptr && cluster_port_->Moves(); }
  // Operations wait for their turns, so that barriers of the cluster may wait for them.
  bool HoldsSends() const { return cluster_port_ != nullptr && cluster_port_->Held() != 0; }
  Printed* printed() { return &printed_; }
  // The CTA in that slot of a machine has ended. Slots are free for the next cluster when all CTAs
  // of theirs have.
  void CtaEnded(unsigned rank, unsigned slot);
  // Operations of a warp of the CTA are on their way to other CTAs' mbarriers.
  bool IsSending(const Cta* cta, unsigned warp) const;
  // The CTA ends; what is on its way to its memory is lost. Returns what another CTA has sent of
  // it, if any.
  std::optional<Transfer> Abandon(const Cta* cta);
  // What a CTA has sent to another one has found that it has exited: a fault of the sender.
  void EndWithLost(const Transfer& lost, std::uint64_t cycle) {
    machines_[lost.issuer->rank]->EndWithLost(lost, cycle);
  }

  // Loops without end are looked for in the first such cycle from this one on, ...
  static std::uint64_t LookFrom(std::uint64_t cycle) {
    return (cycle + kLookEvery - 1) / kLookEvery * kLookEvery;
  }
  // ... and were for the last time in this one.
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
  Turnstile* turnstile_ = nullptr;
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
