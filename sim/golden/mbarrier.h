// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of mbarriers, written from PTX ISA 9.7.13.15 and, for layouts and reports, from
// PTX ISA 9.4, 9.7.15.16: objects with a phase and three counts. It carries out the operation of
// each lane at once, one after another. It knows no cycles: it is told when a time limit has
// passed.
#ifndef MUSTER_SIM_GOLDEN_MBARRIER_H_
#define MUSTER_SIM_GOLDEN_MBARRIER_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"

namespace muster::golden {

// The mbarriers of all CTAs of a core.
class Mbarriers {
 public:
  // `core` knows which CTAs are resident, and which warps are live and wait at a named barrier.
  // `layouts`: objects may have layout v1. Without it no operation can give them that, and all
  // waits are for primary phases.
  Mbarriers(const Model& core, std::uint32_t smem_bytes, bool layouts = false)
      : core_(core), smem_bytes_(smem_bytes), layouts_(layouts) {}

  void Reset();

  // Carries out any event, by the functions below.
  MbEffects Do(const MbEvent& event);

  // Carries an operation out and returns its effects.
  MbEffects Step(const MbOperation& given);

  // The time limit of a parked warp has passed. Nothing happens if it has been answered.
  MbEffects Expire(unsigned warp);

  // The CTA leaves its slot by kSuspend or kEnd. Its shared memory is lost.
  MbEffects Leave(unsigned cta, OpKind kind);

  // An ordinary store to the eight bytes at `addr`, which need not hold an mbarrier.
  MbEffects Store(unsigned cta, std::uint32_t addr, std::uint64_t word);
  // The same where a restored CTA had an mbarrier: it is one again.
  void Restore(unsigned cta, std::uint32_t addr, std::uint64_t word);

  // The value that an ordinary load reads. Memory that was never stored to reads 0.
  std::uint64_t Word(unsigned cta, std::uint32_t addr) const;

  const Model& core() const { return core_; }

  // Warps with a parked try_wait, of all CTAs, and the lanes of one warp that are parked.
  WarpSet Parked() const { return parked_; }
  std::uint32_t ParkedLanes(unsigned warp) const { return waiters_[warp].lanes; }

  // Words that hold an object, and what is known of one, for reports.
  std::vector<std::uint32_t> Objects(unsigned cta) const;
  std::string Describe(unsigned cta, std::uint32_t addr) const;

 private:
  static constexpr std::int64_t kNoPhase = -1;  // unknown

  // Of each thread of a warp the phase that it will wait for by parity: that of its latest
  // arrive-on, or of its latest wait if that was answered false.
  struct Meant : std::array<std::int64_t, kMaxLanes> {
    Meant() { fill(kNoPhase); }
  };

  struct Object {
    // What the text counts.
    std::uint64_t phase = 0;  // phases completed since init
    std::int64_t pending = 0;
    std::int64_t expected = 0;
    std::int64_t tx = 0;
    bool v1 = false;                // the layout; v0 has no reports
    std::uint64_t conditional = 0;  // conditional phases completed since init
    MbReport report = 0;            // of the current primary phase,
    MbReport last = 0;              // and of the one before

    // The lock and reserved bits of an ordinary store: an update clears them.
    std::uint64_t stray = 0;

    // What only hazards and reports need.
    bool initialised = false;              // by init, and not since invalidated or stored over
    WarpSet came = 0;                      // warps that arrived in the current phase
    std::vector<Meant> meant;              // by warp; of primary phases,
    std::vector<Meant> meant_conditional;  // and of conditional ones
    // By parity, the latest phase of which any thread was given a token.
    std::array<std::int64_t, 2> token = {kNoPhase, kNoPhase};
  };

  struct Waiter {
    std::uint32_t lanes = 0;
    std::uint8_t cta = 0;
    std::uint32_t addr = 0;
    std::uint64_t phase = 0;
    bool conditional = false;  // it is a conditional phase
  };

  FaultCause JudgeCore(const MbOperation& operation) const;
  FaultCause JudgeOperands(const MbOperation& operation) const;
  static FaultCause JudgeWord(const MbOperation& operation, const Object& object);
  static std::int64_t MostPending(const Object& object);
  static bool IsExhausted(const Object& object);

  void StepLane(const MbOperation& operation, unsigned lane, Object* object, MbEffects* effects);
  void Init(const MbOperation& operation, Object* object, MbEffects* effects);
  void Arrive(const MbOperation& operation, unsigned lane, Object* object, MbEffects* effects);
  void TestCompletion(const MbOperation& operation, Object* object, MbEffects* effects);
  static void Wait(const MbOperation& operation, unsigned lane, Object* object, MbEffects* effects);
  void Park(const MbOperation& operation, const Object& object, MbEffects* effects);
  void Answer(unsigned warp, bool complete, MbEffects* effects);
  void NoteOverwritten(unsigned cta, std::uint32_t addr, MbEffects* effects) const;
  Object FromWord(std::uint64_t word) const;
  static std::uint64_t ToWord(const Object& object);
  static std::int64_t* MeantBy(Object* object, unsigned warp, unsigned lane, bool conditional);

  const Model& core_;
  std::uint32_t smem_bytes_;
  bool layouts_;
  std::array<std::map<std::uint32_t, Object>, kMaxCtas> words_;
  std::array<std::uint64_t, kMaxCtas> outstanding_{};  // asynchronous arrive-ons
  WarpSet parked_ = 0;
  std::array<Waiter, kMaxWarps> waiters_;
};

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_MBARRIER_H_
