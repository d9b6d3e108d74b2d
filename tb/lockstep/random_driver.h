// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Constrained-random stimulus. CTAs are launched, run a program (or random operations without one),
// are saved and restored, and end. Stray operations, which must be refused or have no effect, and
// stalls on every handshake are mixed in.
#ifndef MUSTER_TB_LOCKSTEP_RANDOM_DRIVER_H_
#define MUSTER_TB_LOCKSTEP_RANDOM_DRIVER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/cover.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"
#include "tb/lockstep/program.h"
#include "tb/lockstep/random.h"
#include "tb/lockstep/random_mbarrier.h"

namespace muster::lockstep {

struct RandomOptions {
  std::uint64_t seed = 1;
  Cover* cover = nullptr;
  bool dense = false;     // no stalls and no pauses: as many operations as the unit accepts
  bool pauses = false;    // every other while nothing new begins, and a while is short
  bool saves = true;      // CTAs are saved and restored
  bool observed = false;  // what the first CTA sees depends on nothing but the seed; ends with it
};

class RandomDriver : public Driver, private RandomMbarrier::Residency {
 public:
  // What a warp of the observed CTA sees: a release, or the result that it reads.
  struct Observation {
    bool read;
    std::uint8_t bar;
    BarKind kind;
    std::uint32_t value;
    bool operator==(const Observation& other) const {
      return read == other.read && bar == other.bar && kind == other.kind && value == other.value;
    }
  };
  using Observations = std::array<std::vector<Observation>, kMaxWarps>;  // by warp, in order

  RandomDriver(const Config& config, const RandomOptions& options);

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  std::uint64_t SleepsUntil(std::uint64_t cycle) const override {
    return knobs_.rest == 0 ? cycle : cycle + knobs_.rest;
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override;

  const Observations& observations() const { return observations_; }
  unsigned observed_saves() const { return observed_saves_; }
  bool observed_finished() const { return observed_finished_; }

 private:
  enum class State : std::uint8_t {
    kLaunching,
    kJoining,       // restore: the warps join
    kTrimming,      // restore: the lanes that had exited exit
    kWritingBars,   // restore: R2B.BAR
    kWritingWarps,  // restore: R2B.WARP
    kRunning,
    kFreezing,      // save: nothing new, what is on its way commits
    kReadingWarps,  // save: B2R.WARP
    kReadingBars,   // save: B2R.BAR, suspend
    kLeaving,       // suspended or ended as soon as its mbarriers are quiet
    kGone,          // its suspend or end is at the port
    kSaved,
  };

  struct Cta {
    Program program;
    bool wild = false;  // runs random operations and no program, until none of its warps can go on
    bool owes = false;  // warps that R2B.BAR counted as waiting may not have been restored yet
    bool observed = false;
    State state = State::kLaunching;
    unsigned slot = 0;
    unsigned size = 0;
    std::uint64_t launched = 0;  // cycle
    std::uint64_t warps = 0;     // slots of its live warps, which have joined
    std::uint64_t unjoined = 0;  // slots of the warps that have not joined
    std::uint64_t unasked = 0;   // of these, those that have not been asked to join
    bool unhurried = false;      // they join at long intervals
    std::uint64_t gone = 0;      // slots of warps that have exited since the launch or open
    std::vector<bool> gates;
    std::array<unsigned, kMaxWarps> next{};        // step, by warp of the CTA as all below
    std::array<std::uint32_t, kMaxWarps> lanes{};  // live lanes
    std::array<unsigned, kMaxWarps> slots{};       // where the warps are
    // State transfers that a save or restore still has to issue, and how many have not committed.
    static constexpr unsigned kAnyWarp = 0xff;  // any live warp of the CTA can run it
    std::vector<Operation> transfers;
    unsigned transfers_open = 0;
    // What was saved.
    bool saved = false;
    std::array<std::uint32_t, kMaxWarps> saved_lanes{};
    std::array<std::uint32_t, kMaxWarps> warp_words{};
    std::array<std::uint32_t, kNumBars> bar_words{};
    unsigned saved_slot = 0;
    std::uint64_t saved_warps = 0;
    std::uint64_t saved_launches = 0;  // in that slot, until then
    std::vector<MbInputs::Store> saved_words;
  };

  // The knobs of the stimulus. They are set anew every few hundred cycles.
  struct Knobs {
    unsigned issue = 100;      // percent of cycles in which a free port gets an operation
    unsigned stray = 2;        // percent of these that belong to no program
    unsigned together = 60;    // percent of these that go where the first port's goes
    unsigned access = 7;       // a warp begins a memory access in a cycle in 2^access
    unsigned perform = 0;      // it is performed in a cycle in 2^perform
    unsigned response = 100;   // percent of cycles in which responses are taken
    unsigned lifecycle = 100;  // percent of cycles in which that port, if free, gets an operation;
                               // likewise the exit port
    unsigned rest = 0;         // nothing new; cycles that may be skipped when nothing is under way
    bool patient = false;      // a warp's next operation is presented when the one before commits
  };

  // What an operation between valid and commit is for: it is stray, a step of the program, or a
  // state transfer of a save or restore.
  struct Flight {
    enum class Why : std::uint8_t { kStray, kStep, kTransfer } why = Why::kStray;
    bool waits = false;
    int opens = -1;      // a gate
    Cta* cta = nullptr;  // of a step or a transfer
  };

  // random_lifecycle.cpp: the lifecycle port.
  void DriveLifecycle(const Outputs& seen, Inputs* inputs);
  bool PickLifecycle(Operation* operation);
  void MaybeJoin(Cta* cta);
  unsigned Move(Cta* cta, unsigned index, unsigned to);
  void Opened(Cta* cta);
  void Joined(Cta* cta, const Operation& join);
  bool StrayLifecycle(Operation* operation);
  void StrayLaunch(Operation* operation);
  bool StrayJoin(Operation* operation);

  // random_driver.cpp: pins and commits.
  void SetKnobs();
  void DriveFence(const Outputs& seen, Inputs* inputs);
  void DriveIssue(const Outputs& seen, Inputs* inputs);
  bool PickIssue(const Operation* lead, Operation* operation, Flight* flight);
  bool PickTransfer(Operation* operation, Flight* flight);
  bool PickStray(const Operation* lead, Operation* operation, Flight* flight);
  bool PickHarmless(unsigned warp, Operation* operation);
  bool PickStep(const Operation* lead, Operation* operation, Flight* flight);
  void DriveExit(const Outputs& seen, Inputs* inputs);
  bool PickExit(Operation* operation);
  bool PickExitStep(Operation* operation);
  void CommitIssue(const Operation& operation, const Effects& effects);
  void CommitTransfer(Cta* cta, const Operation& operation, const Effects& effects);
  void CommitExit(const Operation& operation, const Effects& effects);
  void CommitLifecycle(const Operation& operation, const Effects& effects);
  void Observe(const Operation& operation, const Effects& effects);
  bool TakesPart(const Operation& operation) const {
    return (operation.lanes & LanesOfWarp(config_)) != 0;
  }

  // RandomMbarrier::Residency.
  std::uint64_t AbleWarps() const override;
  unsigned CtaOf(unsigned warp) const override { return owners_[warp]->slot; }
  std::uint32_t LanesOf(unsigned warp) const override {
    return owners_[warp]->lanes[indices_[warp]];
  }
  std::uint32_t RunningCtas() const override;
  std::uint32_t OpenCtas() const override;
  std::uint32_t LeavingCtas() const override { return CtasIn(State::kLeaving, State::kLeaving); }
  std::uint32_t CtasIn(State first, State last) const;
  // Warps that may issue or exit. A warp may not while a group of it is on its way, or while one of
  // its lanes waits for an answer.
  std::uint64_t Unengaged() const { return ~mbarriers_.engaged(); }

  // random_cta.cpp: launch, save, restore and end of CTAs.
  void LookAfter(Cta* cta);
  void MaybeLaunch();
  void Create(unsigned warps);
  void Place(Cta* cta);
  void Ask(OpKind kind, Cta* cta);
  void Launched(Cta* cta);
  void Restored(Cta* cta);
  void NextTransfers(Cta* cta);
  void AskTrims(Cta* cta);
  void Left(Cta* cta, OpKind how);
  void Refresh(unsigned warp);
  void RefreshAll(const Cta& cta);
  const Step* NextStep(unsigned warp) const;
  std::uint64_t FreeWarps() const;
  std::uint64_t FreeSlots() const;

  // random_stray.cpp: operations that belong to no program.
  std::uint16_t Threads(unsigned warps) const;
  Operation WildStep(const Cta& cta, unsigned warp);
  template <typename Fits>
  void Seek(const Cta& cta, Fits fits, Operation* operation);
  OpKind AnyArrival() { return random_.Pick(arrivals_); }
  Operation StrayOperation(unsigned warp);
  void StrayOfWarp(const Cta& cta, Operation* operation);
  const Operation* Joins(const Cta& cta, unsigned warp) const;
  bool Misplaces(const Cta& cta, Operation* operation);
  bool Disagree(const Cta& cta, Operation* operation);
  bool Echo(Operation* operation);
  bool StrayExit(Operation* operation);
  bool ExitOfNoLane(Operation* operation);

  // random_words.cpp: state words.
  std::uint32_t BarWord(const Cta& cta);
  std::uint32_t BadBarWord(const Cta& cta);
  std::uint32_t WarpWord(const Cta& cta);
  std::uint32_t WaitingWord(const Cta& cta, unsigned bar);
  std::uint32_t Contradict(const Cta& cta, std::uint32_t word);
  std::uint32_t BadWarpWord(const Cta& cta);

  // The warp slot whose number a warp number has in the bits that the unit decodes.
  unsigned PlaceOf(unsigned warp) const { return warp & WarpMask(config_.num_warps); }

  const Config config_;
  const RandomOptions options_;
  // The operations of the issue ports that the unit has.
  const std::vector<OpKind> arrivals_;
  const std::vector<OpKind> reads_;
  const std::vector<OpKind> all_;
  Random random_;
  RandomMbarrier mbarriers_;
  Knobs knobs_;
  std::uint64_t cycle_ = 0;
  std::uint64_t next_knobs_ = 0;
  bool make_room_ = false;  // for a CTA of all warps

  std::vector<std::unique_ptr<Cta>> ctas_;  // all that there are, saved ones too
  std::array<Cta*, kMaxCtas> residents_{};  // by slot
  std::array<std::uint64_t, kMaxCtas> launches_{};
  std::array<Cta*, kMaxWarps> owners_{};                               // by warp slot
  std::array<unsigned, kMaxWarps> indices_{};                          // a warp's number in its CTA
  std::array<std::array<std::uint32_t, kNumBars>, kMaxCtas> words_{};  // of the entries
  std::deque<Operation> requests_;                                     // of the CTA scheduler
  std::deque<Operation> trims_;                                        // exits of a restore
  Operation
      solo_;  // the last operation presented, if it completes a generation alone; else no lanes

  // Sets of warp slots.
  std::uint64_t waiting_ = 0;        // at a barrier
  std::uint64_t apart_ = 0;          // at a barrier for a phase, without an arrival
  std::uint64_t presented_ = 0;      // with an operation at a port
  std::uint64_t flying_ = 0;         // with one between valid and commit
  std::uint64_t going_to_wait_ = 0;  // with one between valid and commit that makes it wait
  std::uint64_t exiting_ = 0;        // with an exit between valid and commit
  std::uint64_t kept_ = 0;           // kept from its exit while a join is refused
  std::uint64_t want_issue_ = 0;     // whose next step is an operation
  std::uint64_t want_exit_ = 0;      // whose next step is an exit
  std::uint64_t accessing_ = 0;      // with memory accesses not yet performed
  std::array<std::deque<Flight>, kMaxWarps> flights_;
  unsigned lifecycle_flying_ = 0;  // operations between valid and commit, at that port

  unsigned turn_ = 0;  // the slot looked after in this cycle
  Observations observations_;
  unsigned observed_saves_ = 0;
  bool observed_finished_ = false;
  bool observed_left_ = false;
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_RANDOM_DRIVER_H_
