// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A streaming multiprocessor as far as the barrier unit can tell: it runs the warps of the CTAs
// that the grid gives it, and drives the unit's pins with the barriers that they come to.
#ifndef MUSTER_SIM_PTX_SM_MACHINE_H_
#define MUSTER_SIM_PTX_SM_MACHINE_H_

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
#include "sim/port/driver.h"
#include "sim/ptx/simt/cluster_unit.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/spins.h"
#include "sim/ptx/simt/warp_unit.h"
#include "sim/ptx/sm/census.h"
#include "sim/ptx/sm/mb_census.h"
#include "sim/ptx/sm/mb_port.h"

namespace muster::ptx {

class Grid;
enum class Outcome : std::uint8_t;

class Machine : public lockstep::Driver {
 public:
  // The program must fit the configuration (CheckFits).
  Machine(Grid* grid, unsigned rank, const Config& config, const Program& program,
          const Launch& launch, Memory* memory, std::uint64_t seed);

  // The grid's side. A CTA takes the slot, and the lowest warps that are free, if there is room;
  // both are free again when the grid says so.
  bool HasRoom() const;
  Cta* LaunchCta(unsigned slot, const Cluster* cluster);
  std::vector<std::uint32_t> LiveLanes(unsigned slot) const;  // of the CTA's warps
  void Free(unsigned slot);
  // Something may go on by itself, at once or when its time has come.
  bool IsBusy() const;
  const CopyEngine& engine() const { return engine_; }
  // The CTA, of any machine, ends. Returns what another one has sent and is lost by it, if any.
  std::optional<Transfer> Abandon(const Cta* cta) { return engine_.Abandon(cta); }
  // All lanes that run repeat loops, and nothing has changed for long.
  bool Repeats(std::uint64_t cycle);
  // What waits at an aligned barrier only for lanes that repeat arrives without them. Returns
  // whether there is any.
  bool EndPatience();
  // Something has changed that a thread can see.
  void Change(std::uint64_t cycle) { spins_.Change(cycle); }
  // A warp of this machine has sent it, and the CTA has exited before it came there.
  void EndWithLost(const Transfer& lost, std::uint64_t cycle);

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  std::uint64_t SleepsUntil(std::uint64_t cycle) const override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override;

  std::vector<BarrierRow> Barriers() const { return census_.Rows(); }
  std::uint64_t releases() const { return census_.releases(); }
  std::uint64_t Operations(OpKind kind) const { return operations_[static_cast<unsigned>(kind)]; }
  const Interpreter& interpreter() const { return interpreter_; }
  const MbCensus& mbarriers() const { return mb_census_; }
  MbPort* mb_port() { return port_.get(); }  // null: the program has no mbarriers
  std::string MbarrierAt(std::uint32_t address) const { return MbarrierName(program_, address); }
  // Who waits for whom at this moment.
  std::vector<StuckBarrier> StuckBarriers() const;
  std::vector<StuckMbarrier> StuckMbarriers() const;
  std::vector<StuckWarp> StuckWarps() const;
  // Warps that were still under way when the run ended, and where.
  std::vector<StuckWarp> RunningWarps() const;
  // Adds the CTA of the cluster. Returns whether one of its warps waits at barrier.cluster.
  bool DescribeCluster(const Cluster& cluster, StuckCluster* row) const;

 private:
  enum class Phase : std::uint8_t {
    kFree,       // the slot has no warp
    kBlocked,    // its launch or an exit has not been committed
    kReady,      // runs
    kIssuing,    // at a barrier, on its way to a port
    kWaiting,    // accepted, and waits to be released
    kArriving,   // at barrier.cluster, on its way there
    kInCluster,  // waits there
    kAsking,     // at an mbarrier instruction, on its way to the port
    kAsleep,     // no lane can go on before the unit answers, or its time has come
    kStuck,      // its lanes wait for each other
    kExited,
  };
  struct WarpSlot {
    Warp warp;
    Phase phase = Phase::kFree;
    unsigned cta = 0;                  // slot
    std::uint64_t issue_at = 0;        // the first cycle in which it may be presented
    std::uint64_t wakes_at = 0;        // asleep: likewise, in which lanes go on by themselves
    std::uint64_t memory_until = 0;    // its accesses are performed by then
    std::uint64_t drain_until = 0;     // likewise those before the operation in flight
    std::uint64_t mb_drain_until = 0;  // and those before the mbarrier operation in flight
    std::uint32_t issued_line = 0;     // of the operation in flight
    std::uint32_t cluster_line = 0;    // of its latest barrier.cluster.arrive
    std::uint32_t exit_line = 0;
    std::uint32_t excused = 0;  // lanes whose wait at an invalidated mbarrier is over
  };
  struct CtaSlot {
    Cta cta;
    bool taken = false;
    bool ended = false;
    std::uint64_t warps = 0;   // slots
    std::uint64_t exited = 0;  // of those: exit committed
  };
  void SetPhase(unsigned warp, Phase phase);
  unsigned IndexInCta(unsigned warp) const { return warps_[warp].warp.first_thread / kWarpSize; }
  std::uint64_t LinearCta(unsigned warp) const { return ctas_[warps_[warp].cta].cta.linear_id; }
  ClusterWarp InCluster(unsigned warp) const { return {warps_[warp].cta, rank_, IndexInCta(warp)}; }

  void Accept(const Outputs& seen, Inputs* inputs);
  void Release(const Outputs& seen);
  void Request(const Operation& operation);
  void RunWarps(std::uint64_t cycle);
  void StepWarp(unsigned warp, std::uint64_t cycle);
  void ComeToBarrier(unsigned warp, std::uint64_t cycle);
  void ComeToClusterBarrier(unsigned warp, std::uint64_t cycle);
  void StepClusterBarriers(std::uint64_t cycle);
  void ExitLanes(unsigned warp);
  void Present(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void AcknowledgeFences(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void EndWithProblem(Outcome outcome, const char* cause, unsigned warp, std::uint64_t cycle);
  void CommitLifecycle(const Operation& operation, const Effects& effects, std::uint64_t cycle);
  std::vector<StuckWarp> WarpsIn(std::initializer_list<Phase> phases) const;

  // machine_faults.cpp
  const char* FrontEndFault(const Arrival& arrival, unsigned warp) const;
  void EndWithArrival(const char* cause, unsigned warp, std::uint64_t cycle);
  void AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                 std::uint64_t cycle);
  void NoteOwnCta(std::uint64_t cycle);
  const MbCensus::Member* InvalidatedByAnother(const MbOperation& operation, unsigned warp) const;
  std::string WhoInvalidated(const MbOperation& operation, unsigned warp) const;
  bool MeetsInval(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                  std::uint64_t cycle);

  // machine_mbarrier.cpp
  void BeginMbarriers(const Outputs& seen, Inputs* inputs);
  void Reply(const MbReply& reply);
  void ComeToMbarrier(unsigned warp, std::uint64_t cycle);
  void StartArrivals(unsigned warp, std::uint32_t lanes,
                     const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t line,
                     std::uint64_t cycle);
  void SendRemote(unsigned rank, const MbOperation& operation);
  void StepMbarrier(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects);
  void AbandonMbarriers(unsigned slot, std::uint64_t cycle);
  void PresentMbarriers(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void FaultAtMbarrier(FaultCause cause, unsigned warp, const MbOperation& operation,
                       std::uint64_t cycle);
  void AddMbHazards(std::uint32_t hazards, unsigned warp, const MbOperation& operation,
                    std::uint32_t line, std::uint64_t cycle);
  std::uint64_t MbBusy() const { return port_ == nullptr ? 0 : port_->busy(); }
  enum class Rehearsal : bool { kNo, kYes };
  bool WarpRepeats(unsigned warp, Rehearsal rehearsal);
  void WakeWarps(std::uint64_t cycle);

  bool Moves() const;  // something goes on by itself, at once
  Whereabouts Where(unsigned warp) const;

  Grid& grid_;
  const unsigned rank_;  // of its CTAs in their clusters
  const Config config_;
  const Program& program_;
  const Launch& launch_;
  FrontEndWarpUnit warp_unit_;
  Interpreter interpreter_;
  CopyEngine engine_;
  Spins spins_;
  Random random_;
  Census census_;

  std::vector<WarpSlot> warps_;
  std::vector<CtaSlot> ctas_;
  std::uint64_t ready_ = 0;  // warps by phase
  std::uint64_t issuing_ = 0;
  std::uint64_t blocked_ = 0;
  std::uint64_t asleep_ = 0;
  std::uint64_t arriving_ = 0;
  std::uint64_t in_cluster_ = 0;
  std::uint64_t outstanding_ = 0;                 // warps with accesses that are not performed
  std::uint64_t wakes_at_ = Interpreter::kNever;  // nobody who sleeps wakes before
  std::uint64_t presented_ = 0;                   // warps at a port
  std::array<unsigned, kMaxIssue> at_port_{};
  std::deque<Operation> lifecycle_;  // to be done, in order
  std::uint64_t cycle_ = 0;
  std::uint64_t stepped_ = 0;  // the latest cycle in which a warp went on
  unsigned in_flight_ = 0;     // lifecycle requests, and barriers at a port, to commit

  // Of a program that has mbarriers.
  std::unique_ptr<MbPort> port_;
  MbCensus mb_census_;

  bool left_ = false;  // Drive has returned false in this cycle
  std::array<std::uint64_t, 32> operations_{};
};

// Throws InputError where the kernel cannot run on the configuration at all: the block is too large
// for it, or it lacks an instruction.
void CheckFits(const Config& config, const Program& program, const Launch& launch);
bool UsesMbarriers(const Program& program);
// Likewise of mbarriers; the launch has its shared memory.
void CheckMbarriersFit(const Config& config, const Program& program, const Launch& launch);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SM_MACHINE_H_
