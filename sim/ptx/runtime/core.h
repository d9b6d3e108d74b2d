// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTAs and warps that are resident on one unit: launches and ends them, turns the events of the
// interpreter into operations of the scopes, and takes their effects, faults and hazards. Knows
// neither what answers the operations nor when, nor which warp runs next.
#ifndef MUSTER_SIM_PTX_RUNTIME_CORE_H_
#define MUSTER_SIM_PTX_RUNTIME_CORE_H_

#include <array>
#include <cstdint>
#include <string>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/ptx/runtime/barrier_arrivals.h"
#include "sim/ptx/runtime/mbarrier_arrivals.h"
#include "sim/ptx/runtime/residents.h"
#include "sim/ptx/runtime/scopes.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/livelock_detector.h"
#include "sim/ptx/simt/memory.h"

namespace muster::ptx {

class Grid;
enum class Outcome : std::uint8_t;

class Core {
 public:
  // `unit`: its number among the units of the run. The scopes must outlive the core.
  Core(Grid* grid, unsigned unit, const Config& config, const Program& program,
       const Launch& launch, Memory* memory, std::uint64_t seed, Scopes* scopes);
  // Returns to the state in which no CTA is resident.
  void Reset();

  // A CTA takes the slot and the lowest free warps, if there is room for so many CTAs. Both stay
  // taken until they are freed.
  bool HasRoom(const Launch& launch, unsigned ctas) const {
    return Ones(residents_.free) >= ctas * launch.Warps();
  }
  Cta* LaunchCta(unsigned slot, const Cluster& cluster, unsigned rank);
  void Free(unsigned slot);

  // Runs one instruction of the warp, and presents what comes of it. Accesses, and lanes that can
  // not proceed, concern the caller.
  StepEvent Step(unsigned warp, std::uint64_t cycle);

  // Effects at named barriers. Returns false if the operation was refused, which ends the run.
  void Accept(unsigned warp);
  bool Commit(std::uint64_t cycle, const Operation& operation, const Effects& effects,
              std::uint32_t line);
  void Release(std::uint64_t warps, BarKind kind, std::uint32_t value);

  // The answers of the warp scope.
  void Answer(const WarpAnswer& answer);
  void TakeArrival(const WarpArrival& arrival);
  void Wake(unsigned warp);  // something has changed for waiting lanes of the warp
  void EndWithRefusal(unsigned warp, FaultCause cause, std::uint32_t lanes);

  // The answers of the cluster scope: the warp has arrived; lanes continue; a request was refused.
  void Settle(unsigned warp);
  void LeaveCluster(unsigned warp, std::uint32_t lanes);
  void LeaveGrid(unsigned warp);
  void EndWithClusterFault(unsigned warp, FaultCause cause, std::uint32_t lanes,
                           std::uint32_t line);
  void EndWithCancelLost(const RemoteLost& lost, std::uint32_t line);
  // The network delivers an operation of another CTA; it loses one of this core: its target had
  // exited.
  void Receive(const Transfer& sent);
  void EndWithLost(const Transfer& lost);

  // Atomics on shared memory: a lane is answered; all of the warp's instruction is performed.
  void AnswerAtomic(unsigned warp, unsigned lane, bool upper, std::uint64_t word) {
    MemoryAccess::AnswerAtomic(&residents_.warps[warp].warp, lane, upper, word);
  }
  void EndAtomic(unsigned warp);

  // Effects at mbarriers: all groups of the warp's instruction have been issued; lanes are
  // answered; a group leaves for the CTA of that rank; an event has happened.
  void Issued(unsigned warp) { residents_.SetPhase(warp, WarpPhase::kReady); }
  void Reply(const MbReply& reply);
  void SendRemote(unsigned rank, const MbOperation& operation);
  void Take(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);
  // An operation takes effect: raises its faults and hazards, and returns whether it was executed;
  // then performs it.
  bool Admit(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects);
  void Perform(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects);
  void EndWithMbFault(FaultCause cause, unsigned warp, const MbOperation& operation,
                      std::uint64_t cycle);
  // Another thread has invalidated the operation's object.
  bool IsInvalidatedByAnother(const MbOperation& operation) const {
    return InvalidatedByAnother(operation, WarpOf(operation)) != nullptr;
  }

  Grid& grid() const { return grid_; }
  unsigned unit() const { return unit_; }
  Interpreter& interpreter() { return interpreter_; }
  const Interpreter& interpreter() const { return interpreter_; }
  LivelockDetector& livelock() { return livelock_; }
  const LivelockDetector& livelock() const { return livelock_; }
  Residents& residents() { return residents_; }
  const Residents& residents() const { return residents_; }
  const BarrierArrivals& barriers() const { return barrier_arrivals_; }
  const MbarrierArrivals& mbarriers() const { return mbarrier_arrivals_; }

 private:
  // core.cpp
  void ReachBarrier(unsigned warp);
  void ReachGridControl(unsigned warp);
  void ExitLanes(unsigned warp);
  void CommitLaunch(const Operation& operation);
  void CommitExit(const Operation& operation);
  void CommitEnd(const Operation& operation, const Effects& effects, std::uint64_t cycle);

  // core_mbarrier.cpp
  void ReachMbarrier(unsigned warp);
  void StartArrivals(unsigned warp, std::uint32_t lanes,
                     const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t line,
                     std::uint32_t pass, std::uint64_t cycle);
  unsigned WarpOf(const MbOperation& operation) const;
  bool MeetsInval(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                  std::uint64_t cycle);

  // core_faults.cpp
  Incident IncidentOf(const char* name, unsigned warp, std::uint32_t lanes, std::uint32_t line,
                      std::uint64_t cycle) const;
  Incident IncidentOf(const char* name, unsigned warp, std::uint32_t lanes,
                      std::uint32_t line) const;
  std::string WhyRefused(FaultCause cause, const Operation& operation) const;
  std::string WhyRefused(const MbOperation& operation) const;
  void EndWithProblem(Outcome outcome, const char* cause, unsigned warp);
  void AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                 std::uint64_t cycle);
  void AddMbHazards(std::uint32_t hazards, unsigned warp, const MbOperation& operation,
                    std::uint32_t line, std::uint64_t cycle);
  const MbarrierArrivals::Member* InvalidatedByAnother(const MbOperation& operation,
                                                       unsigned warp) const;
  std::string WhoInvalidated(const MbOperation& operation, unsigned warp) const;

  Grid& grid_;
  const unsigned unit_;
  const Config config_;
  const Program& program_;
  const Launch& launch_;
  Scopes& scopes_;
  Interpreter interpreter_;
  LivelockDetector livelock_;
  Residents residents_;
  BarrierArrivals barrier_arrivals_;
  MbarrierArrivals mbarrier_arrivals_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_CORE_H_
