// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A streaming multiprocessor as far as the barrier unit can tell: it launches the CTAs of a grid in
// waves, runs their warps, and drives the unit's pins with the barriers that they come to.
#ifndef MUSTER_SIM_PTX_MACHINE_H_
#define MUSTER_SIM_PTX_MACHINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "sim/golden/operation.h"
#include "sim/lockstep/driver.h"
#include "sim/ptx/census.h"
#include "sim/ptx/interpreter.h"
#include "sim/ptx/mb_census.h"
#include "sim/ptx/mb_port.h"
#include "sim/ptx/random.h"
#include "sim/ptx/spins.h"
#include "sim/ptx/warp_unit.h"

namespace muster::ptx {

enum class Outcome : std::uint8_t {
  kCompletes,
  kDeadlock,
  kFault,
  kMemoryFault,
  kAssert,
  kTimeout,  // still running when the cycles were used up
};

class Machine : public lockstep::Driver {
 public:
  // The program must fit the configuration (CheckFits).
  Machine(const Config& config, const Program& program, const Launch& launch, Memory* memory,
          std::uint64_t seed);

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  void OnCommit(std::uint64_t cycle, const Operation& operation,
                const golden::Effects& effects) override;
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event,
                 const golden::MbEffects& effects) override;

  Outcome outcome() const { return outcome_; }
  // Of a fault, memory fault or assert.
  const std::vector<Incident>& faults() const { return faults_; }
  const std::string& problem() const { return problem_; }
  const std::vector<Incident>& hazards() const { return hazards_; }
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
  std::string CtaName(std::uint64_t linear_id) const;  // "(1,0,0)"

 private:
  enum class Phase : std::uint8_t {
    kFree,     // the slot has no warp
    kBlocked,  // its launch or an exit has not been committed
    kReady,    // runs
    kIssuing,  // at a barrier, on its way to a port
    kWaiting,  // accepted, and waits to be released
    kAsking,   // at an mbarrier instruction, on its way to the port
    kAsleep,   // no lane can go on before the unit answers
    kStuck,    // its lanes wait for each other
    kExited,
  };
  struct WarpSlot {
    Warp warp;
    Phase phase = Phase::kFree;
    unsigned cta = 0;                  // slot
    std::uint64_t issue_at = 0;        // the first cycle in which it may be presented
    std::uint64_t memory_until = 0;    // its accesses are performed by then
    std::uint64_t drain_until = 0;     // likewise those before the operation in flight
    std::uint64_t mb_drain_until = 0;  // and those before the mbarrier operation in flight
    std::uint32_t issued_line = 0;     // of the operation in flight
    std::uint32_t exit_line = 0;
  };
  struct CtaSlot {
    Cta cta;
    bool taken = false;
    std::uint64_t warps = 0;   // slots
    std::uint64_t exited = 0;  // of those: exit committed
  };

  std::uint64_t Bit(unsigned warp) const { return std::uint64_t{1} << warp; }
  void SetPhase(unsigned warp, Phase phase);
  unsigned IndexInCta(unsigned warp) const { return warps_[warp].warp.first_thread / kWarpSize; }
  std::uint64_t LinearCta(unsigned warp) const { return ctas_[warps_[warp].cta].cta.linear_id; }

  void Accept(const Outputs& seen, Inputs* inputs);
  void Release(const Outputs& seen);
  void Request(const Operation& operation);
  void LaunchCtas();
  void RunWarps(std::uint64_t cycle);
  void StepWarp(unsigned warp, std::uint64_t cycle);
  void ComeToBarrier(unsigned warp, std::uint64_t cycle);
  void ExitLanes(unsigned warp);
  void Present(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void AcknowledgeFences(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  bool IsDeadlocked(std::uint64_t cycle);
  void End(Outcome outcome);
  void EndWithProblem(Outcome outcome, unsigned warp, std::uint64_t cycle);
  void AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                 std::uint64_t cycle);
  void CommitLifecycle(const Operation& operation, const golden::Effects& effects,
                       std::uint64_t cycle);
  std::vector<StuckWarp> WarpsIn(std::initializer_list<Phase> phases) const;

  // machine_mbarrier.cpp
  void BeginMbarriers(const Outputs& seen, Inputs* inputs, std::uint64_t cycle);
  void Reply(const MbReply& reply, std::uint64_t cycle);
  void ComeToMbarrier(unsigned warp, std::uint64_t cycle);
  void PostArrivals(unsigned warp, std::uint32_t lanes,
                    const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t line);
  void StepMbarrier(std::uint64_t cycle, const MbOperation& operation,
                    const golden::MbEffects& effects, std::uint32_t line);
  void PresentMbarriers(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void FaultAtMbarrier(FaultCause cause, unsigned warp, const MbOperation& operation,
                       std::uint32_t line, std::uint64_t cycle);
  void AddMbHazards(std::uint32_t hazards, unsigned warp, const MbOperation& operation,
                    std::uint32_t line, std::uint64_t cycle);
  std::uint64_t MbBusy() const { return port_ == nullptr ? 0 : port_->busy(); }
  bool SpinsForEver(std::uint64_t cycle);
  bool Repeats(unsigned warp) const;

  const char* FrontEndFault(const Arrival& arrival, unsigned warp) const;
  Whereabouts Where(unsigned warp) const;

  const Config config_;
  const Program& program_;
  const Launch& launch_;
  FrontEndWarpUnit warp_unit_;
  Interpreter interpreter_;
  Random random_;
  Census census_;

  std::vector<WarpSlot> warps_;
  std::vector<CtaSlot> ctas_;
  std::uint64_t ready_ = 0;  // warps by phase
  std::uint64_t issuing_ = 0;
  std::uint64_t blocked_ = 0;
  std::uint64_t asleep_ = 0;
  std::uint64_t outstanding_ = 0;  // warps with accesses that are not performed
  std::uint64_t presented_ = 0;    // warps at a port
  std::array<unsigned, kMaxIssue> at_port_{};
  std::deque<Operation> lifecycle_;  // to be done, in order
  std::uint64_t next_cta_ = 0;       // of the grid
  std::uint64_t ctas_left_ = 0;      // not yet ended
  unsigned in_flight_ = 0;           // lifecycle requests, and barriers at a port, to commit
  unsigned quiet_ = 0;               // cycles in which nothing could go on

  // Of a program that has mbarriers.
  std::unique_ptr<MbPort> port_;
  MbCensus mb_census_;
  std::unique_ptr<Spins> spins_;

  bool ending_ = false;
  bool left_ = false;  // Drive has returned false in this cycle
  Outcome outcome_ = Outcome::kTimeout;
  std::string problem_;
  std::vector<Incident> faults_;
  std::vector<Incident> hazards_;
  std::array<std::uint64_t, 32> operations_{};
};

// Throws InputError where the kernel cannot run on the configuration at all: the block is too large
// for it, or it lacks an instruction.
void CheckFits(const Config& config, const Program& program, const Launch& launch);
bool UsesMbarriers(const Program& program);
// Likewise of mbarriers; the launch has its shared memory.
void CheckMbarriersFit(const Config& config, const Program& program, const Launch& launch);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_MACHINE_H_
