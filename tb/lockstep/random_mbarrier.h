// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Constrained-random stimulus for mbarriers, used together with that for the named barriers of the
// same CTAs and warps. Warps issue instructions as sequences of groups, copy engines and other CTAs
// arrive and complete transactions, cores store to shared memory, and its bank answers with random
// latency and stalls.
#ifndef MUSTER_TB_LOCKSTEP_RANDOM_MBARRIER_H_
#define MUSTER_TB_LOCKSTEP_RANDOM_MBARRIER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/port/bank.h"
#include "sim/port/pins.h"
#include "tb/lockstep/random.h"

namespace muster::lockstep {

class RandomMbarrier : private Bank::Words {
 public:
  // What the owner of the CTAs and warps tells about them.
  class Residency {
   public:
    virtual ~Residency() = default;
    virtual std::uint64_t AbleWarps() const = 0;  // may issue an instruction in this cycle
    virtual unsigned CtaOf(unsigned warp) const = 0;
    virtual std::uint32_t LanesOf(unsigned warp) const = 0;  // live
    // Sets of CTA slots: those whose program runs, those that are not about to leave, and those
    // that wait to leave.
    virtual std::uint32_t RunningCtas() const = 0;
    virtual std::uint32_t OpenCtas() const = 0;
    virtual std::uint32_t LeavingCtas() const = 0;
  };

  RandomMbarrier(const Config& config, const Residency& residency, std::uint64_t seed);

  // Called at the start of a cycle: drives the bank, and reads what the unit accepted and answered
  // in the cycle before.
  void Begin(std::uint64_t cycle, const MbOutputs& seen, MbInputs* in);
  // Drives the bank alone, while the unit runs empty.
  void Serve(const MbOutputs& seen, MbInputs* in) { bank_.Cycle(seen, in); }
  // Sets the operations that are presented in this cycle.
  void Present(MbInputs* in);
  // With true, no source begins anything new; with false, all sources do so again.
  void Rest(bool rests) { rests_ = rests; }
  void OnEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);

  // For a unit to which operations of other CTAs come through a network: none is presented here.
  // Suggest chooses one, and Expect is told of each that the unit accepts, also of a copy engine's
  // that is not one of these.
  void LeaveRemoteToOthers() { remote_here_ = false; }
  bool Suggest(MbOperation* operation);
  void Expect(const MbOperation& operation) { Offer(operation); }
  // The address of a word that this CTA uses often.
  std::uint32_t SomeWord(unsigned cta) { return random_.Pick(hot_[cta]); }
  // Called after Present: eight-byte words of another source are to be stored. False: not in this
  // cycle.
  bool Write(const std::vector<MbInputs::Store>& stores, MbInputs* in);

  // Sets of warps. busy: a group of the warp is between valid and commit. engaged: busy, or some
  // groups of the warp's instruction are not yet presented, or the warp waits for an answer.
  // parked: a wait of the warp is parked.
  std::uint64_t busy() const { return busy_; }
  std::uint64_t engaged() const { return engaged_; }
  std::uint64_t parked() const { return parked_; }
  // Those of the parked warps that are left to the unit's own time limit.
  std::uint64_t patient() const { return patient_; }
  // Warps that are busy but wait for nothing: their lanes go on.
  std::uint64_t passing() const { return busy_ & ~waiting_ & ~continuing_; }
  // Nothing but parked waits is left of these warps, or at the words of this CTA.
  bool Quiet(unsigned cta, std::uint64_t warps) const {
    return flying_[cta] == 0 && ((busy_ | continuing_ | (waiting_ & ~parked_)) & warps) == 0;
  }

  void Launched(unsigned cta);
  void Left(unsigned cta, std::uint64_t warps);
  // Save returns the shared memory of a CTA; Restore writes it back when the CTA returns.
  std::vector<MbInputs::Store> Save(unsigned cta) const;
  void Restore(unsigned cta, const std::vector<MbInputs::Store>& words);
  bool Restoring(unsigned cta) const;

 private:
  // A word of shared memory, and the operations on their way to it.
  struct Cell {
    std::uint64_t word = 0;
    bool object = false;   // an mbarrier
    unsigned updates = 0;  // lanes of groups on their way, except waits; of these:
    std::int64_t arrivals = 0;
    std::int64_t drops = 0;
    std::int64_t expects = 0;
    std::int64_t completes = 0;
    unsigned copies = 0;
    unsigned no_completes = 0;
    unsigned overwrites = 0;  // init, inval
  };

  struct Token {
    bool valid = false;
    bool phase = false;
    std::uint32_t addr = 0;
  };

  struct Warp {
    std::deque<MbOperation> rest;  // of its instruction
    std::uint32_t waiting = 0;     // lanes that wait for an answer; of these:
    std::uint32_t parked = 0;
    std::uint32_t answered = 0;         // were parked; their answer is on its way
    unsigned flying = 0;                // lanes of groups between valid and commit
    std::deque<std::uint32_t> answers;  // lanes of the responses to come
    MbPlace place;                      // of the parked lanes
    bool phase = false;
    std::uint64_t help = 0;  // from this cycle on, arrivals that complete their phase are sent
    bool patient = false;    // they wait for the unit's own time limit
    std::array<Token, kMaxLanes> tokens{};
  };

  // A warp instruction, lane by lane.
  struct Instruction {
    MbOperation common;
    std::array<std::uint32_t, kMaxLanes> addr{};
    std::array<std::uint32_t, kMaxLanes> operand{};
    std::array<bool, kMaxLanes> phase{};
  };

  // The knobs of the stimulus. They are set anew every few hundred cycles.
  struct Knobs {
    unsigned start = 30;  // percent of cycles in which a warp begins an instruction
    unsigned async = 20;  // percent of cycles in which each other source has something
    unsigned remote = 20;
    unsigned focus = 0;    // percent that goes to one word
    unsigned cold = 5;     // percent that goes anywhere
    unsigned illegal = 0;  // percent that is to be refused
    unsigned stores = 1;   // percent of cycles in which a core stores to a word
    unsigned response = 100;
    unsigned wide = 40;   // percent of instructions with all lanes
    unsigned gather = 0;  // percent that are to park at one word
  };

  // random_mbarrier.cpp: pins, memory, operations on their way.
  std::uint64_t Load(MbPlace place) override;
  void Store(MbPlace place, std::uint64_t word) override;
  void SetKnobs();
  void DriveStores(MbInputs* in);
  void CarryOut(const MbInputs::Store& store, MbInputs* in);
  void PickStore();
  bool PickIssue(MbOperation* group);
  std::uint64_t AbleWarps();
  void TakeResponse(const MbOutputs::Response& response);
  void Commit(const MbOperation& operation, const MbEffects& effects);
  bool Offer(const MbOperation& group);
  void Charge(const MbOperation& group, int sign);
  bool Fits(const MbOperation& group) const;
  bool Exclusive(MbPlace place) const;
  void Refresh(unsigned warp);
  const Cell& At(unsigned cta, std::uint32_t addr) const;

  // random_mb_plan.cpp: which operations are issued.
  std::uint32_t PickAddr(unsigned cta);
  std::uint32_t PickLanes(std::uint32_t among);
  MbOp PickOp(const Cell& cell);
  std::uint32_t PickOperand(MbOp op, const Cell& cell, unsigned lanes);
  std::uint32_t PickHint();
  void Plan(unsigned at);
  void PlanLayout(MbOperation* common);
  bool PlanTokenWait(const Warp& warp, Instruction* instruction);
  void Spread(unsigned cta, Instruction* instruction);
  void Coalesce(const Instruction& instruction, std::deque<MbOperation>* groups) const;
  void Spoil(const Cell& cell, MbOperation* operation);
  bool PickOther(MbSource source, MbOperation* operation);
  bool PickRace(MbOperation* operation);
  bool PickHelp(MbOperation* operation);
  std::uint64_t AnyWord();

  const Config config_;
  const Residency& residency_;
  const bool exact_;  // no operation that would be refused may be presented
  Random random_;
  Bank bank_;
  Knobs knobs_;
  bool rests_ = false;
  bool remote_here_ = true;
  std::uint64_t cycle_ = 0;
  std::uint64_t next_knobs_ = 0;

  std::array<std::map<std::uint32_t, Cell>, kMaxCtas> cells_;
  std::array<std::array<std::uint32_t, 4>, kMaxCtas> hot_{};  // addresses
  std::array<unsigned, kMaxCtas> flying_{};                   // lanes of groups at its words
  std::array<std::deque<MbInputs::Store>, kMaxCtas> restoring_;
  MbPlace focus_;
  std::optional<MbInputs::Store> store_;  // a store of a core that waits for the bank
  // An arrival that completes a phase soon after a wait for it has been issued.
  std::optional<MbOperation> race_;
  std::uint64_t race_at_ = 0;

  std::array<Warp, kMaxWarps> warps_;
  std::uint64_t busy_ = 0;
  std::uint64_t engaged_ = 0;
  std::uint64_t parked_ = 0;
  std::uint64_t patient_ = 0;
  std::uint64_t waiting_ = 0;     // with a lane that waits for an answer
  std::uint64_t continuing_ = 0;  // with the rest of an instruction
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_RANDOM_MBARRIER_H_
