// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A streaming multiprocessor as the barrier unit sees it: runs the warps of the CTAs that the grid
// launches on it, and drives the unit's pins with their barriers. Knows nothing of other machines:
// what concerns several CTAs goes through the grid.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_MACHINE_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_MACHINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/port/driver.h"
#include "sim/ptx/runtime/barrier_arrivals.h"
#include "sim/ptx/runtime/mbarrier_arrivals.h"
#include "sim/ptx/runtime/on_pins/cluster_port.h"
#include "sim/ptx/runtime/on_pins/issue_pins.h"
#include "sim/ptx/runtime/on_pins/mb_port.h"
#include "sim/ptx/runtime/on_pins/residents.h"
#include "sim/ptx/runtime/on_pins/timeline.h"
#include "sim/ptx/runtime/on_pins/wait_report.h"
#include "sim/ptx/runtime/on_pins/warp_port.h"
#include "sim/ptx/simt/copy_engine.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/livelock_detector.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {

class Grid;
enum class Outcome : std::uint8_t;

class Machine : public lockstep::Driver {
 public:
  // The program must fit the configuration (CheckFits).
  Machine(Grid* grid, unsigned rank, const Config& config, const Program& program,
          const Launch& launch, Memory* memory, std::uint64_t seed);

  // The interface for the grid. A CTA takes the slot and the lowest free warps, if there is room.
  // Both stay taken until the grid frees them.
  bool HasRoom() const;
  Cta* LaunchCta(unsigned slot, const Cluster* cluster);
  std::vector<std::uint32_t> LiveLanes(unsigned slot) const;  // of the CTA's warps
  void Free(unsigned slot);
  // Whether something may proceed by itself, at once or at a later time.
  bool IsBusy() const;
  const CopyEngine& engine() const { return engine_; }
  // A CTA, of any machine, ends. Returns a transfer of another CTA that is lost by that, or null.
  std::optional<Transfer> Abandon(const Cta* cta) { return engine_.Abandon(cta); }
  // Whether all running lanes repeat loops and nothing has changed for a long time.
  bool Repeats(std::uint64_t cycle);
  // Sets the schedule that warps follow; lets waiting warps check whether it is their turn.
  void set_replay(ScheduleReplay* replay);
  void WakeAll();
  // Something that a thread can see has changed.
  void Change(std::uint64_t cycle) { livelock_.Change(cycle); }
  // The cluster scope's answers: lanes of the warp continue.
  void LeaveCluster(unsigned warp, std::uint32_t lanes);
  void LeaveGrid(unsigned warp);
  // A request of the warp has ended.
  void SettleCluster(unsigned warp, std::uint64_t cycle);
  // A request of the warp was refused.
  void EndWithClusterFault(const ClusterOutputs::Fault& fault, std::uint32_t line,
                           std::uint64_t cycle);
  // The network delivers an operation of another CTA.
  bool TakesRemote() const { return port_ == nullptr || port_->TakesRemote(); }
  void Receive(const Transfer& sent, std::uint64_t cycle);
  // Delivers the response to try_cancel and completes its bytes at the mbarrier. Returns false if
  // that cannot be done in this cycle.
  bool WriteResponse(const CancelStep& write, std::uint32_t line, std::uint64_t cycle);
  void CompleteResponse(const CancelStep& complete, const ClusterPort::Cancel& cancel);
  void EndWithCancelLost(const RemoteLost& lost, std::uint32_t line, std::uint64_t cycle);
  // Warps without outstanding accesses.
  std::uint64_t DrainedWarps(std::uint64_t cycle) const;
  // An operation of a warp of this machine was lost: the target CTA had exited.
  void EndWithLost(const Transfer& lost, std::uint64_t cycle);

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  std::uint64_t SleepsUntil(std::uint64_t cycle) const override;
  ClusterPins* cluster_pins() override;
  bool has_mbarriers() const override { return port_ != nullptr; }
  WarpPins* warp_pins() override { return warp_port_ == nullptr ? nullptr : warp_port_->pins(); }
  std::uint32_t LineOf(const Operation& operation) const override;
  std::uint32_t LineOf(const MbEvent& event) const override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override;

  std::vector<BarrierRow> Barriers() const { return barrier_arrivals_.Rows(); }
  std::uint64_t releases() const { return barrier_arrivals_.releases(); }
  std::uint64_t Operations(OpKind kind) const { return operations_[static_cast<unsigned>(kind)]; }
  const Interpreter& interpreter() const { return interpreter_; }
  const MbarrierArrivals& mbarriers() const { return mbarrier_arrivals_; }
  MbPort* mb_port() { return port_.get(); }  // null: the program has no mbarriers
  std::string MbarrierAt(std::uint32_t address) const { return MbarrierName(program_, address); }
  // The state at present.
  WaitReport wait_report() const;

 private:
  void Release(const Outputs& seen);
  void RunWarps(std::uint64_t cycle);
  void StepWarp(unsigned warp, std::uint64_t cycle);
  void ReachBarrier(unsigned warp, std::uint64_t cycle);
  // machine_cluster.cpp
  void ReachClusterBarrier(unsigned warp, std::uint64_t cycle);
  void AskCluster(std::uint64_t cycle);
  void ReachGridControl(unsigned warp);
  void CancelCluster(const Warp& warp, const CancelCall& call);
  void ExitLanes(unsigned warp);
  void EndWithProblem(Outcome outcome, const char* cause, unsigned warp, std::uint64_t cycle);
  void CommitLifecycle(const Operation& operation, const Effects& effects, std::uint64_t cycle);

  // machine_timeline.cpp
  Timeline::WarpName NameOf(unsigned warp) const;
  void Record(std::uint64_t cycle, const Operation& operation, const Effects& effects);
  void Record(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);
  void RecordRelease(unsigned warp);
  enum class ClusterStep : std::uint8_t { kArrives, kWaits, kLeaves };
  void RecordCluster(unsigned warp, ClusterStep step);
  void RecordLanes(unsigned warp, std::uint64_t cycle);

  // machine_faults.cpp
  void EndWithArrival(const char* cause, unsigned warp, std::uint64_t cycle);
  void AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                 std::uint64_t cycle);
  void AddLeavers(unsigned warp, std::uint64_t cycle);
  void NoteLeavers(const Operation& operation, const Effects& effects, std::uint32_t line,
                   std::uint64_t cycle);
  void NoteFresh(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                 std::uint64_t cycle);
  const MbarrierArrivals::Member* InvalidatedByAnother(const MbOperation& operation,
                                                       unsigned warp) const;
  std::string WhoInvalidated(const MbOperation& operation, unsigned warp) const;
  bool MeetsInval(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                  std::uint64_t cycle);

  // machine_turns.cpp
  void CommitTurn(const Operation& operation);
  void CommitTurn(const MbOperation& operation);
  bool ExitsStand() const;

  // machine_warp.cpp
  void BeginWarpScope(std::uint64_t cycle);
  void Wake(unsigned warp);
  void EndWithRefusal(const WarpOutputs::Fault& fault, std::uint64_t cycle);
  std::uint64_t Occupied() const;

  // machine_mbarrier.cpp
  void BeginMbarriers(const Outputs& seen, Inputs* inputs);
  void Reply(const MbReply& reply);
  void ReachMbarrier(unsigned warp, std::uint64_t cycle);
  void StartArrivals(unsigned warp, std::uint32_t lanes,
                     const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t line,
                     std::uint32_t pass, std::uint64_t cycle);
  void SendRemote(unsigned rank, const MbOperation& operation);
  void StepMbarrier(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects);
  void AbandonMbarriers(unsigned slot, std::uint64_t cycle);
  void PresentMbarriers(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void FaultAtMbarrier(FaultCause cause, unsigned warp, const MbOperation& operation,
                       std::uint64_t cycle);
  void AddMbHazards(std::uint32_t hazards, unsigned warp, const MbOperation& operation,
                    std::uint32_t line, std::uint64_t cycle);
  std::uint64_t MbBusy() const { return port_ == nullptr ? 0 : port_->busy(); }
  enum class DryRuns : bool { kNo, kYes };
  bool WarpRepeats(unsigned warp, DryRuns dry_runs);
  void WakeWarps(std::uint64_t cycle);

  bool Moves() const;  // whether something proceeds by itself, at once

  Grid& grid_;
  const unsigned rank_;  // of its CTAs in their clusters
  const Config config_;
  const Program& program_;
  const Launch& launch_;
  Interpreter interpreter_;
  CopyEngine engine_;
  LivelockDetector livelock_;
  Random random_;
  BarrierArrivals barrier_arrivals_;

  Residents residents_;
  IssuePins pins_;
  std::uint64_t cycle_ = 0;
  std::uint64_t stepped_ = 0;  // the latest cycle in which a warp went on

  std::unique_ptr<WarpPort> warp_port_;  // null unless lanes of the program may wait for each other
  // Null unless the program has mbarriers.
  std::unique_ptr<MbPort> port_;
  MbarrierArrivals mbarrier_arrivals_;

  bool left_ = false;  // Drive has returned false in this cycle
  std::array<std::uint64_t, 32> operations_{};
};

// Throws InputError if the kernel cannot run on the configuration: the block is too large, or the
// configuration lacks an instruction.
void CheckFits(const Config& config, const Program& program, const Launch& launch);
bool UsesWarpScope(const Program& program);
bool UsesClusterScope(const Program& program, const Launch& launch);
bool UsesMbarriers(const Program& program);
// Does the same for mbarriers. The launch must have its shared memory.
void CheckMbarriersFit(const Config& config, const Program& program, const Launch& launch);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_MACHINE_H_
