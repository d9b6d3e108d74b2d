// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model carries out each operation at once, one after another. It is told which
// operations were requested and in which order, never what the hardware made of them.
#ifndef MUSTER_SIM_GOLDEN_MODEL_H_
#define MUSTER_SIM_GOLDEN_MODEL_H_

#include <array>
#include <cstdint>
#include <string>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"

namespace muster::golden {

// A set of warps: bit w is warp slot w.
using WarpSet = std::uint64_t;

class Model {
 public:
  explicit Model(const Config& config);

  void Reset();

  // Carries the operation out and returns its effects. Misuse is checked in every configuration,
  // also in one whose hardware leaves it undefined.
  Effects Step(const Operation& given);

  std::uint32_t EntryWord(unsigned cta, unsigned bar) const;
  std::uint32_t WarpWord(unsigned warp) const;
  WarpSet Live() const { return live_; }
  WarpSet Waiting() const { return waiting_; }
  WarpSet Apart() const { return apart_; }  // of these, the warps that wait without an arrival
  WarpSet LiveWarps(unsigned cta) const { return ctas_[cta].live; }
  // How many warps have not joined yet, of a CTA that was opened.
  unsigned ToJoin(unsigned cta) const { return ctas_[cta].to_join; }
  std::uint32_t LanesOfWarp() const { return muster::LanesOfWarp(config_); }
  // False of a slot that the unit lacks.
  bool Resident(unsigned cta) const { return cta < kMaxCtas && ctas_[cta].resident; }

  // For the open generation of an entry: the warps that have arrived, how often each has, and the
  // warps that wait. R2B.BAR restores a count, not a set of warps: such arrivals are counted in the
  // entry word alone.
  WarpSet Arrived(unsigned cta, unsigned bar) const { return ctas_[cta].bars[bar].came; }
  unsigned TimesArrived(unsigned cta, unsigned bar, unsigned warp) const;
  WarpSet WaitingAt(unsigned cta, unsigned bar) const { return ctas_[cta].bars[bar].waiting; }

  // The same in words, for reports.
  std::string Describe(unsigned cta, unsigned bar) const;

 private:
  struct Barrier {
    // What the ISA counts. kIdle: everything is zero, but for the phase and warps that wait for it.
    BarKind kind = BarKind::kIdle;
    std::uint8_t expected = 0;  // warps, 0: all live warps
    std::uint8_t arrived = 0;   // warps
    std::uint16_t value = 0;    // the reduction so far
    WarpSet waiting = 0;
    bool phase = false;  // with split phases: changes with each completion

    // What only a report needs.
    bool again = false;        // one of them more than once: see again_
    WarpSet came = 0;          // warps that arrived
    WarpSet announced = 0;     // warps that arrived by ARV
    unsigned completions = 0;  // since the CTA took its slot
    unsigned former = 0;       // arrivals of warps that have exited, whose slots others have joined
  };

  struct Cta {
    bool resident = false;
    unsigned size = 0;     // warps, exited ones included
    unsigned to_join = 0;  // warps that have not joined yet
    WarpSet live = 0;      // warps that have joined, and not exited
    unsigned owed = 0;  // warps that R2B.BAR counts at all-warps entries, and R2B.WARP still owes
    std::array<Barrier, kNumBars> bars;
  };

  // The latest phase of an entry in which a warp was told that it arrived.
  struct Token {
    bool given = false;
    bool phase = false;
    unsigned completions = 0;  // of the entry, until then
  };

  struct Warp {
    std::uint32_t lanes = 0;  // live lanes
    std::uint8_t wait_bar = 0;
    // The latest reduction that it took part in (kIdle: none yet), and its copy of the result: 0 as
    // long as it waits for it.
    BarKind kind = BarKind::kIdle;
    std::uint8_t bar = 0;
    std::uint16_t value = 0;
    std::array<Token, kNumBars> tokens;  // which only a report needs
  };

  FaultCause Judge(const Operation& operation) const;
  FaultCause JudgeLaunch(const Operation& operation) const;
  FaultCause JudgeJoin(const Operation& operation) const;
  FaultCause JudgeArrival(const Operation& operation, const Cta& cta) const;
  // All live warps, as an entry that expects them counts. Those that have not joined are among
  // them.
  static unsigned CountLive(const Cta& cta) { return Ones(cta.live) + cta.to_join; }
  // The entry holds arrivals, and counts to all live warps.
  static bool HoldsAllWarps(const Barrier& barrier) {
    return barrier.kind != BarKind::kIdle && barrier.expected == 0;
  }
  bool IsPossible(const BarState& state, const Cta& cta) const;
  bool IsPossible(const WarpState& state, const Cta& cta) const;
  static bool CanWait(const WarpState& state, const Cta& cta);

  void Arrive(const Operation& operation, Effects* effects);
  void Wait(const Operation& operation, Effects* effects);
  void Complete(unsigned cta, unsigned bar, Effects* effects);
  void Read(const Operation& operation, Effects* effects) const;
  void WriteBar(const Operation& operation, Effects* effects);
  void WriteWarp(const Operation& operation);
  void Launch(const Operation& operation);
  void Open(const Operation& operation);
  void Join(const Operation& operation);
  void Exit(const Operation& operation, Effects* effects);
  void Leave(const Operation& operation, Effects* effects);

  Config config_;
  WarpSet live_ = 0;  // of all CTAs
  WarpSet waiting_ = 0;
  WarpSet apart_ = 0;  // of these, the warps that wait for a phase, without an arrival
  std::array<Cta, kMaxCtas> ctas_;
  std::array<Warp, kMaxWarps> warps_;
  // How often each warp arrived again, by CTA and barrier. This is rare, so it is stored apart.
  std::array<std::array<std::array<std::uint8_t, kMaxWarps>, kNumBars>, kMaxCtas> again_;
};

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_MODEL_H_
