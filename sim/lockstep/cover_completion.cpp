// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cover points of completions, and of waits for phases.
#include <array>
#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/state_word.h"
#include "sim/lockstep/cover.h"

namespace muster::lockstep {

// The codes of the reductions are those of their operations.
BarKind Cover::KindOf(OpKind arrival) {
  return IsReduction(arrival) ? static_cast<BarKind>(arrival) : BarKind::kSync;
}

void Cover::CountCompletion(const Event& event, const golden::Model& model) {
  const Effects& effects = event.effects;
  const OpKind by = event.operation.kind;
  Entry& entry = EntryOf(effects.cta, effects.bar);
  const BarState before = DecodeBarWord(entry.word);
  const BarKind kind = entry.word != 0 ? static_cast<BarKind>(before.kind) : KindOf(by);
  const bool reduction = kind != BarKind::kSync;
  Count(bars_[effects.bar]);
  if (by == OpKind::kExit) {
    constexpr std::array kByExit = {Spot::kExitSync, Spot::kExitAnd, Spot::kExitOr,
                                    Spot::kExitPopc};
    Hit(Spot::kByExit);
    Hit(kByExit[static_cast<unsigned>(kind) - 1]);
  } else {
    Hit(by == OpKind::kSync ? Spot::kBySync : GoesOn(by) ? Spot::kByArrive : Spot::kByRed);
  }
  if (event.index > 0) {
    Hit(Spot::kByMergedSet);
  }
  if (effects.released == 0) {
    Hit(Spot::kNobodyWaits);
  }
  if (Ones(effects.released) == config_.num_warps) {
    Hit(Spot::kAllOfUnit);
  }
  if (entry.restored) {
    Hit(Spot::kRestoredCompletes);
  }
  if ((effects.released & restored_waiting_) != 0) {
    Hit(Spot::kRestoredWakes);
  }
  if (reduction && before.expected == 0 && entry.word != 0) {
    if (by == OpKind::kExit) {
      Hit(Spot::kRedExitLast);
    } else if (entry.exit_within) {
      Hit(Spot::kRedExitWithin);
    } else if (entry.exit_before) {
      Hit(Spot::kRedExitBefore);
    }
  }
  if (effects.released != 0 && reduction) {
    const bool set = effects.released_value != 0;
    if (kind == BarKind::kPopc) {
      const unsigned all = Ones(model.LiveWarps(effects.cta)) * config_.warp_size;
      if (!set || effects.released_value == all) {
        Hit(set ? Spot::kPopcAll : Spot::kPopcZero);
      }
    } else if (kind == BarKind::kAnd) {
      Hit(set ? Spot::kAndTrue : Spot::kAndFalse);
    } else {
      Hit(set ? Spot::kOrTrue : Spot::kOrFalse);
    }
  }
  CountPhase(event);
  restored_waiting_ &= ~effects.released;
  entry.restored = false;
  entry.completed_kind = kind;
  entry.completed = event.cycle;
  entry.completed_port = event.about.port;
}

void Cover::CountWait(const Event& event) {
  Entry& entry = EntryOf(event.operation.cta, event.operation.bar);
  if (event.effects.released != 0) {
    Hit(Spot::kWaitAtOnce);
    if (entry.completed != 0 && entry.completed + 1 == event.cycle) {
      Hit(Spot::kWaitAfterCompletion);
    }
    return;
  }
  const BarState state = DecodeBarWord(entry.word);
  Hit(state.kind == 0                                      ? Spot::kWaitIdle
      : state.kind > static_cast<unsigned>(BarKind::kSync) ? Spot::kWaitRed
      : state.expected == 0                                ? Spot::kWaitAll
                                                           : Spot::kWaitCount);
  if ((event.effects.hazards >> static_cast<unsigned>(Hazard::kLateWait) & 1) != 0) {
    Hit(Spot::kLateWait);
  }
  entry.waited = event.cycle;
}

// A completion, which changes the phase and releases the warps that wait for it.
void Cover::CountPhase(const Event& event) {
  const Effects& effects = event.effects;
  if (event.operation.kind == OpKind::kExit) {
    Hit(DecodeBarWord(effects.word).phase ? Spot::kPhaseSetByExit : Spot::kPhaseClearedByExit);
  }
  const std::uint64_t apart = effects.released & apart_;
  if (apart == 0) {
    return;
  }
  Hit(apart == effects.released ? Spot::kApartAlone : Spot::kApartWithArrived);
  if (effects.released_kind != BarKind::kSync) {
    Hit(Spot::kApartByRed);
  }
  if (EntryOf(effects.cta, effects.bar).waited + 1 == event.cycle) {
    Hit(Spot::kApartJustBefore);
  }
  if ((apart & restored_waiting_) != 0) {
    Hit(Spot::kRestoredApart);
  }
}

// R2B.WARP of a warp that waits apart. The CTA owes warps while its arrived ones of an entry of all
// warps do not wait yet.
void Cover::CountApart(unsigned cta, const WarpState& state) {
  const BarState entry = DecodeBarWord(EntryOf(cta, state.wait_bar).word);
  if (entry.kind == 0) {
    Hit(Spot::kWriteApartIdle);
  } else if (entry.kind > static_cast<unsigned>(BarKind::kSync)) {
    Hit(Spot::kWriteApartRed);
  }
  unsigned counted = 0;
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    const BarState other = DecodeBarWord(EntryOf(cta, bar).word);
    counted += other.expected == 0 ? other.arrived : 0;
  }
  if (counted > Ones(waiting_ & ~apart_ & warps_[cta])) {
    Hit(Spot::kWriteApartOwed);
  }
}

}  // namespace muster::lockstep
