// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A core on the pins of a unit: decides in each cycle which warps run, and carries the operations
// of the core to the unit's ports and their effects back. Knows cycles and pins; what instructions
// do is known to the core, and what concerns several CTAs goes through the grid.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_MACHINE_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_MACHINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"
#include "sim/port/driver.h"
#include "sim/ptx/runtime/core.h"
#include "sim/ptx/runtime/on_pins/atomic_port.h"
#include "sim/ptx/runtime/on_pins/cluster_port.h"
#include "sim/ptx/runtime/on_pins/fence_port.h"
#include "sim/ptx/runtime/on_pins/issue_pins.h"
#include "sim/ptx/runtime/on_pins/mb_port.h"
#include "sim/ptx/runtime/on_pins/remote_order.h"
#include "sim/ptx/runtime/on_pins/timeline.h"
#include "sim/ptx/runtime/on_pins/wait_report.h"
#include "sim/ptx/runtime/on_pins/warp_port.h"
#include "sim/ptx/runtime/on_pins/warp_times.h"
#include "sim/ptx/runtime/scopes.h"
#include "sim/ptx/simt/copy_engine.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {

class ClockedGrid;

class Machine : public lockstep::Driver, public Scopes {
 public:
  // The program must fit the configuration (CheckFits).
  Machine(ClockedGrid* grid, unsigned unit, const Config& config, const Program& program,
          const Launch& launch, Memory* memory, std::uint64_t seed);

  // The interface for the grid.
  Core& core() { return core_; }
  const Core& core() const { return core_; }
  bool TakesLaunch() const;  // launches are queued some at a time
  // Whether something may proceed by itself, at once or at a later time.
  bool IsBusy() const;
  CopyEngine& engine() { return engine_; }
  // Accesses are performed late, which must outlive the machine.
  void set_late(LateSink* late);
  // Whether all running lanes repeat loops and nothing has changed for a long time.
  bool Repeats(std::uint64_t cycle);
  // Sets the schedule that warps follow; lets waiting warps check whether it is their turn.
  void set_replay(ScheduleReplay* replay);
  void WakeAll();
  // Something that a thread can see has changed.
  void Change(std::uint64_t cycle) { core_.livelock().Change(cycle); }
  // The cluster scope's answers: lanes of the warp continue, a request of the warp has ended.
  void LeaveCluster(unsigned warp, std::uint32_t lanes);
  void SettleCluster(unsigned warp);
  // The network may deliver an operation of another CTA.
  bool TakesRemote() const {
    return (port_ == nullptr || port_->TakesRemote()) && remote_order_.TakesRemote() &&
           (atomic_port_ == nullptr || atomic_port_->TakesRemote());
  }
  // One has arrived; the answer to an update of a warp of this core has.
  void TakeRemote(const Transfer& sent);
  void TakeAnswer(const AtomicResponse& answer);
  // Delivers the response to try_cancel and completes its bytes at the mbarrier. Returns false if
  // that cannot be done in this cycle.
  bool WriteResponse(const CancelStep& write, std::uint32_t line, std::uint64_t cycle);
  void CompleteResponse(const CancelStep& complete, const ClusterPort::Cancel& cancel);
  // Warps without outstanding accesses.
  std::uint64_t DrainedWarps(std::uint64_t cycle) const;

  // lockstep::Driver
  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  std::uint64_t SleepsUntil(std::uint64_t cycle) const override;
  std::vector<FencePins*> fence_pins() override {
    return fence_port_ == nullptr ? std::vector<FencePins*>() : fence_port_->pins();
  }
  ClusterPins* cluster_pins() override;
  bool has_mbarriers() const override { return port_ != nullptr; }
  std::vector<AtomicPins*> atomic_pins() override {
    return atomic_port_ == nullptr ? std::vector<AtomicPins*>() : atomic_port_->pins();
  }
  WarpPins* warp_pins() override { return warp_port_ == nullptr ? nullptr : warp_port_->pins(); }
  std::uint32_t LineOf(const Operation& operation) const override;
  std::uint32_t LineOf(const MbEvent& event) const override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override;

  // Scopes
  void TakeCta(Cta* cta) override;
  void AbandonCta(Cta* cta) override;
  void FreeMemory(unsigned slot) override;
  void Request(const Operation& operation) override { pins_.Request(operation); }
  void Arrive(unsigned warp) override;
  void ExitLanes(unsigned warp) override;
  void ReachCluster(unsigned warp) override;
  void RequestGrid(const ClusterRequest& request, std::uint32_t line) override;
  void Cancel(const Warp& warp, const CancelCall& call) override;
  void Issue(unsigned warp) override;
  void PerformAtomic(unsigned warp) override;
  void AnswerRefused(unsigned warp) override { core_.Reply(port_->TakeRefused(warp)); }
  void Announce(const MbOperation& operation) override { port_->Announce(operation); }
  void Send(Transfer sent) override;
  void Receive(const Transfer& sent) override {
    port_->PostRemote(sent.operation, sent.on_its_way);
  }

  // Null unless accesses are performed late.
  const FencePort* fence_port() const { return fence_port_.get(); }
  std::uint64_t Operations(OpKind kind) const { return operations_[static_cast<unsigned>(kind)]; }
  // The state at present.
  WaitReport wait_report() const;

 private:
  // Lanes of a warp that have exited together.
  struct Leavers {
    unsigned warp = 0;  // of the CTA
    std::uint32_t lanes = 0;
    std::uint32_t line = 0;
    std::uint64_t cycle = 0;
  };

  void Release(const Outputs& seen);
  void RunWarps(std::uint64_t cycle);
  void WakeWarps(std::uint64_t cycle);
  void StepWarp(unsigned warp, std::uint64_t cycle);
  void BeginWarpScope();
  void BeginAtomics(std::uint64_t cycle);
  void PresentAtomics(std::uint64_t cycle);
  std::uint64_t Occupied() const;
  bool Moves() const;  // whether something proceeds by itself, at once
  enum class DryRuns : bool { kNo, kYes };
  bool WarpRepeats(unsigned warp, DryRuns dry_runs);

  // machine_cluster.cpp
  void AskCluster(std::uint64_t cycle);
  bool SendAsync(const Transfer& transfer);
  void ReceiveDue();

  // machine_mbarrier.cpp
  void BeginMbarriers(const Outputs& seen, Inputs* inputs);
  void PresentMbarriers(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  std::uint64_t MbBusy() const { return port_ == nullptr ? 0 : port_->busy(); }

  // machine_notes.cpp
  void AddLeavers(unsigned warp, std::uint64_t cycle);
  void NoteLeavers(const Operation& operation, const Effects& effects, std::uint32_t line,
                   std::uint64_t cycle);
  void NoteFresh(const MbOperation& operation, const MbEffects& effects, std::uint64_t cycle);

  // machine_timeline.cpp
  Timeline::WarpName NameOf(unsigned warp) const;
  void Record(std::uint64_t cycle, const Operation& operation, const Effects& effects);
  void Record(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);
  void RecordRelease(unsigned warp);
  enum class ClusterStep : std::uint8_t { kArrives, kWaits, kLeaves };
  void RecordCluster(unsigned warp, ClusterStep step);
  void RecordLanes(unsigned warp, std::uint64_t cycle);

  // machine_turns.cpp
  void CommitTurn(const Operation& operation);
  void CommitTurn(const MbOperation& operation);
  bool ExitsStand() const;

  ClockedGrid& grid_;
  const unsigned unit_;
  const Config config_;
  const Program& program_;
  CopyEngine engine_;
  Random random_;
  Core core_;
  Residents& residents_;
  CoreTimes times_;
  IssuePins pins_;
  std::uint64_t stepped_ = 0;  // the latest cycle in which a warp went on

  std::unique_ptr<WarpPort> warp_port_;  // null unless lanes of the program may wait for each other
  std::unique_ptr<MbPort> port_;         // null unless the program has mbarriers
  // Updates for other CTAs, and from which cycle on they may leave.
  struct Leaving {
    std::uint64_t from = 0;
    Transfer sent;
  };
  std::deque<Leaving> updates_;
  std::unique_ptr<AtomicPort> atomic_port_;  // null unless it has updates of shared memory
  std::unique_ptr<FencePort> fence_port_;    // null unless accesses are performed late
  RemoteOrder remote_order_;
  std::array<std::vector<Leavers>, kMaxCtas> leavers_;

  bool left_ = false;  // Drive has returned false in this cycle
  std::array<std::uint64_t, 32> operations_{};
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_MACHINE_H_
