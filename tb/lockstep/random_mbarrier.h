// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Constrained-random mbarriers, beside the named barriers of the same CTAs and warps: warp
// instructions as sequences of groups, copy engines and other CTAs that arrive and complete, stores
// of the cores, a bank of shared memory with moods of its own.
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
  // What it asks of whom the CTAs and warps belong to.
  class Crew {
   public:
    virtual ~Crew() = default;
    virtual std::uint64_t AbleWarps() const = 0;  // may issue an instruction in this cycle
    virtual unsigned CtaOf(unsigned warp) const = 0;
    virtual std::uint32_t LanesOf(unsigned warp) const = 0;  // live
    virtual std::uint32_t RunningCtas() const = 0;           // sets of slots: at work, and
    virtual std::uint32_t OpenCtas() const = 0;              // ... not yet on their way out, and
    virtual std::uint32_t LeavingCtas() const = 0;           // ... waiting to go there
  };

  RandomMbarrier(const Config& config, const Crew& crew, std::uint64_t seed);

  // At the start of a cycle: the bank, and what the unit took and answered in the one before.
  void Begin(std::uint64_t cycle, const MbOutputs& seen, MbInputs* in);
  // The bank alone, while the unit runs empty.
  void Serve(const MbOutputs& seen, MbInputs* in) { bank_.Cycle(seen, in); }
  // What is presented in this cycle.
  void Present(MbInputs* in);
  // Nobody begins anything, or (again) all do.
  void Rest(bool rests) { rests_ = rests; }
  void OnEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);

  // Sets of warps: with a group between valid and commit; those, and with an instruction that is
  // not all presented, or that waits for an answer; with a parked wait.
  std::uint64_t busy() const { return busy_; }
  std::uint64_t engaged() const { return engaged_; }
  std::uint64_t parked() const { return parked_; }
  // Of these, those that had better be left to the unit's own time limit.
  std::uint64_t patient() const { return patient_; }
  // Busy, but nothing else: their lanes go on.
  std::uint64_t passing() const { return busy_ & ~waiting_ & ~continuing_; }
  // Nothing but parked waits is left of these warps, or at the words of this CTA.
  bool Quiet(unsigned cta, std::uint64_t warps) const {
    return flying_[cta] == 0 && ((busy_ | continuing_ | (waiting_ & ~parked_)) & warps) == 0;
  }

  void Launched(unsigned cta);
  void Left(unsigned cta, std::uint64_t warps);
  // What a CTA has in shared memory, and that it is to have it again.
  std::vector<MbInputs::Store> Save(unsigned cta) const;
  void Restore(unsigned cta, const std::vector<MbInputs::Store>& words);
  bool Restoring(unsigned cta) const;

 private:
  // A word of shared memory, and what is on its way to it.
  struct Cell {
    std::uint64_t word = 0;
    bool object = false;   // an mbarrier
    unsigned updates = 0;  // lanes of groups on their way that are no waits; of these:
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
    std::uint32_t answered = 0;         // were parked, and are told so soon
    unsigned flying = 0;                // lanes of groups between valid and commit
    std::deque<std::uint32_t> answers;  // lanes of the responses to come
    MbPlace place;                      // of the parked lanes
    bool phase = false;
    std::uint64_t help = 0;  // the cycle from which on somebody sees to their turn
    bool patient = false;    // they are to wait for the unit's own limit
    std::array<Token, kWarpSize> tokens{};
  };

  // A warp instruction, lane by lane.
  struct Instruction {
    MbOperation common;
    std::array<std::uint32_t, kWarpSize> addr{};
    std::array<std::uint32_t, kWarpSize> operand{};
    std::array<bool, kWarpSize> phase{};
  };

  // How things go for a while.
  struct Mood {
    unsigned start = 30;  // percent of cycles in which a warp begins an instruction
    unsigned async = 20;  // ... and each other source has something
    unsigned remote = 20;
    unsigned focus = 0;    // percent that goes to one word
    unsigned cold = 5;     // percent that goes anywhere
    unsigned illegal = 0;  // percent that is to be refused
    unsigned stores = 1;   // percent of cycles in which a core stores to a word
    unsigned response = 100;
    unsigned wide = 40;   // percent of instructions with all lanes
    unsigned gather = 0;  // percent that are to park at one word
  };

  // random_mbarrier.cpp: pins, memory, what is on its way.
  std::uint64_t Load(MbPlace place) override;
  void Store(MbPlace place, std::uint64_t word) override;
  void NewMood();
  void DriveStores(MbInputs* in);
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

  // random_mb_plan.cpp: what is asked.
  std::uint32_t PickAddr(unsigned cta);
  std::uint32_t PickLanes(std::uint32_t among);
  MbOp PickOp(const Cell& cell);
  std::uint32_t PickOperand(MbOp op, const Cell& cell, unsigned lanes);
  std::uint32_t PickHint();
  void Plan(unsigned at);
  bool PlanTokenWait(const Warp& warp, Instruction* instruction);
  void Spread(unsigned cta, Instruction* instruction);
  void Coalesce(const Instruction& instruction, std::deque<MbOperation>* groups) const;
  void Spoil(const Cell& cell, MbOperation* operation);
  bool PickOther(MbSource source, MbOperation* operation);
  bool PickAmbush(MbOperation* operation);
  bool PickHelp(MbOperation* operation);
  std::uint64_t AnyWord();

  const Config config_;
  const Crew& crew_;
  const bool exact_;  // nothing may be presented that would be refused
  Random random_;
  Bank bank_;
  Mood mood_;
  bool rests_ = false;
  std::uint64_t cycle_ = 0;
  std::uint64_t next_mood_ = 0;

  std::array<std::map<std::uint32_t, Cell>, kMaxCtas> cells_;
  std::array<std::array<std::uint32_t, 4>, kMaxCtas> hot_{};  // addresses
  std::array<unsigned, kMaxCtas> flying_{};                   // lanes of groups at its words
  std::array<std::deque<MbInputs::Store>, kMaxCtas> restoring_;
  MbPlace focus_;
  std::optional<MbInputs::Store> store_;  // of a core, waits for the bank
  // An arrival that completes a phase soon behind a wait for it.
  std::optional<MbOperation> ambush_;
  std::uint64_t ambush_at_ = 0;

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
