// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A running grid, and those launched after it that may overlap with it: launches clusters on the
// cores of a run, ends them, and keeps the outcome, faults and hazards of the run. Knows
// neither what answers the cores nor when a run without a fault ends; what is derived from this
// class decides that.
#ifndef MUSTER_SIM_PTX_RUNTIME_GRID_H_
#define MUSTER_SIM_PTX_RUNTIME_GRID_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/cluster_operation.h"
#include "sim/ptx/runtime/barrier_arrivals.h"
#include "sim/ptx/runtime/clusters.h"
#include "sim/ptx/runtime/core.h"
#include "sim/ptx/simt/printf.h"
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

enum class Outcome : std::uint8_t {
  kCompletes,
  kDeadlock,
  kFault,
  kMemoryFault,
  kAssert,
  kTimeout,  // still running when the cycles or steps were used up
};

class Grid {
 public:
  // `ctas`: how many CTAs a core holds.
  Grid(const Launch& launch, unsigned ctas)
      : launch_(launch), clusters_(launch, ctas), over_(launch.Launches()) {}
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  virtual ~Grid() = default;

  bool ending() const { return ending_; }
  Outcome outcome() const { return outcome_; }
  // The fault, memory fault or assertion that ended the run.
  const std::vector<Incident>& faults() const { return faults_; }
  const std::string& problem() const { return problem_; }
  const std::vector<Incident>& hazards() const { return hazards_; }
  const Clusters& clusters() const { return clusters_; }
  const Printed& printed() const { return printed_; }  // the output of the kernel
  std::uint64_t cycle() const { return cycle_; }
  std::string CtaName(std::uint64_t linear_id) const { return launch_.CtaName(linear_id); }
  // How many CTAs have not been launched.
  std::uint64_t CtasNotBegun() const {
    const Launch& next = launch_.OfCluster(clusters_.begun());
    const std::uint64_t begun = clusters_.begun() - next.first_cluster;
    return launch_.AllCtas() - next.first_cta - begun * next.ClusterCtas();
  }

  // The interface for cores.
  Printed* printed() { return &printed_; }
  ScheduleReplay* replay() const { return replay_; }  // null: the run follows no schedule
  // Something has changed that threads of any CTA may see.
  virtual void Change(std::uint64_t cycle) = 0;
  // Records a fault. The first one ends the run.
  void EndWithFault(Outcome outcome, Incident incident, std::string problem = "");
  // Records the first hazard of each kind and line, and counts the others.
  void AddHazard(Incident incident);
  // The CTA in that slot of a core has ended. The slots of a cluster are free for the next one when
  // all its CTAs have ended.
  void CtaEnded(unsigned unit, unsigned cta);
  // The CTA ends: transfers to its memory are lost, which is a fault of another CTA that sent one.
  virtual void Abandon(const Cta* cta) = 0;
  // An operation of a CTA has reached a CTA that has exited: a fault of the sender.
  void EndWithLost(const Transfer& lost) { cores_[lost.issuer->unit]->EndWithLost(lost); }

 protected:
  // Returns to the state in which nothing has been launched.
  void Reset();
  // The next core, by unit.
  void Add(Core* core) { cores_.push_back(core); }
  const std::vector<Core*>& cores() const { return cores_; }
  void End(Outcome outcome);

  // Starts clusters in the order of the grid, in the lowest free slots, while there is room.
  void LaunchClusters();
  bool HasRoom() const;
  void LaunchCluster();

  // clusterlaunchcontrol.try_cancel by a CTA of the launch.
  CancelResponse CancelNext(const Launch& launch);

  // What the cluster scope is told. It has slots for so many grids: a launch takes one when the
  // last one but so many is over.
  static constexpr std::size_t kGridSlots = 2;
  static constexpr unsigned GridOf(std::size_t launch) {
    return static_cast<unsigned>(launch % kGridSlots);
  }
  virtual void Request(const ClusterLife& life) = 0;
  void AnnounceLaunches();
  void EndLaunch(std::size_t launch);  // all that it has done to memory is performed
  bool IsOver(std::size_t launch) const { return over_[launch]; }
  std::size_t announced() const { return announced_; }
  // By grid slot: whether dependents may be launched.
  virtual std::uint8_t Launchable() const = 0;
  // Whether the launch of the next cluster has begun, or may.
  bool LaunchMayBegin() const;
  // Whether the next cluster may start, if there is room.
  virtual bool MayStart() const { return true; }
  virtual void OnStart(const Cluster& cluster) = 0;  // it has started
  virtual void OnEnd() {}                            // the run ends
  // Completes the place of an incident.
  virtual void Locate(Incident* incident) const { static_cast<void>(incident); }
  static void Add(Incident incident, std::vector<Incident>* incidents);

  const Launch& launch_;
  Clusters clusters_;
  ScheduleReplay* replay_ = nullptr;
  std::uint64_t cycle_ = 0;

 private:
  void Open(const Launch& launch, std::size_t index, unsigned slot);
  void End(const CtaPlace& place);
  void RetireCancelled();

  std::vector<Core*> cores_;
  Printed printed_;
  std::vector<bool> over_;  // by launch
  std::size_t announced_ = 0;
  std::vector<std::size_t> cancelled_;  // launches of clusters that the cluster scope waits for
  bool ending_ = false;
  Outcome outcome_ = Outcome::kTimeout;
  std::string problem_;
  std::vector<Incident> faults_;
  std::vector<Incident> hazards_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_GRID_H_
