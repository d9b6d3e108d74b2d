// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cover points of state words and of launch, exit and end of CTAs.
#include <algorithm>
#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/state_word.h"
#include "sim/lockstep/cover.h"

namespace muster::lockstep {
namespace {

// How long a slot that a CTA has left is cleaned, at least.
std::uint64_t CleaningCycles(const Config& config) {
  return std::uint64_t{2} * std::max(kNumBars, config.num_warps);
}

}  // namespace

void Cover::CountState(const Event& event, const golden::Model& model) {
  const Operation& operation = event.operation;
  const std::uint64_t self = std::uint64_t{1} << operation.warp;
  switch (operation.kind) {
    case OpKind::kB2rBar: {
      const BarState state = DecodeBarWord(event.effects.data);
      Hit(state.kind != 0 ? Spot::kReadRunning : Spot::kReadIdle);
      if (state.phase) {
        Hit(state.kind != 0 ? Spot::kReadRunningPhase1 : Spot::kReadIdlePhase1);
      }
      if ((model.Waiting() & self) != 0) {
        Hit(Spot::kReadByWaiting);
      }
      break;
    }
    case OpKind::kB2rWarp: {
      const WarpState state = DecodeWarpWord(event.effects.data);
      if (state.waiting) {
        Hit(Spot::kReadWarpWaiting);
      }
      if (state.kind != 0) {
        Hit(config_.result ? Spot::kReadWarpCopy : Spot::kReadWarpBare);
      }
      break;
    }
    case OpKind::kB2rResult: {
      const WarpState state = DecodeWarpWord(model.WarpWord(operation.warp));
      Hit(state.kind == 0                                      ? Spot::kResultNone
          : static_cast<BarKind>(state.kind) == BarKind::kPopc ? Spot::kResultPopc
                                                               : Spot::kResultPred);
      break;
    }
    case OpKind::kR2bBar: {
      const BarState state = DecodeBarWord(operation.operand);
      Entry& entry = EntryOf(operation.cta, operation.bar);
      entry.restored = state.arrived != 0;
      entry.exit_before = exited_[operation.cta];
      entry.exit_within = false;
      Hit(state.arrived == 0    ? Spot::kWriteIdle
          : state.expected == 0 ? Spot::kWriteAll
                                : Spot::kWriteCount);
      if (state.kind > static_cast<unsigned>(BarKind::kSync)) {
        Hit(Spot::kWriteRed);
      }
      if (state.phase) {
        Hit(Spot::kWritePhase1);
      }
      break;
    }
    default: {
      const WarpState state = DecodeWarpWord(operation.operand);
      if (state.kind != 0) {
        Hit(Spot::kWriteCopy);
      }
      if (state.apart) {
        CountApart(operation.cta, state);
      }
      if (state.waiting) {
        Hit(Spot::kWriteWaiting);
        restored_waiting_ |= self;
      }
      break;
    }
  }
}

// A word that is refused for one reason: a small value without a reduction, or its place.
void Cover::CountRefusedWord(const Operation& operation, const golden::Model& model) {
  const unsigned small = config_.warp_size - 1;  // of no whole warp
  if (operation.kind == OpKind::kR2bBar) {
    const BarState state = DecodeBarWord(operation.operand);
    if (DecodeBarWord(model.EntryWord(operation.cta, operation.bar)).expected != 0 &&
        operation.operand == 0) {
      Hit(Spot::kRefusedOverArrivals);
    }
    if (state.value == 0 || state.value > small || state.zero != 0 || state.expected != 0) {
      return;
    }
    if (state.kind == static_cast<unsigned>(BarKind::kIdle) && state.arrived == 0) {
      Hit(Spot::kRefusedIdleValue);
    } else if (state.kind == static_cast<unsigned>(BarKind::kSync) && state.arrived != 0 &&
               state.arrived < Ones(model.LiveWarps(operation.cta))) {
      Hit(Spot::kRefusedSyncValue);
    }
    return;
  }
  const WarpState state = DecodeWarpWord(operation.operand);
  if (state.value != 0 && state.value <= small &&
      operation.operand == state.value) {  // all else is zero
    Hit(Spot::kRefusedWarpValue);
  }
  if (state.apart && !state.waiting && state.zero == 0 && state.wait_bar == 0 && state.kind == 0 &&
      state.bar == 0 && state.value == 0) {
    Hit(Spot::kRefusedApart);
  }
  if (state.waiting && !state.apart && state.zero == 0) {
    CountRefusedWait(state, DecodeBarWord(model.EntryWord(operation.cta, state.wait_bar)));
  }
}

// A warp that must not wait at that entry.
void Cover::CountRefusedWait(const WarpState& state, const BarState& entry) {
  const auto is_reduction = [](unsigned kind) {
    return kind > static_cast<unsigned>(BarKind::kSync) &&
           kind <= static_cast<unsigned>(BarKind::kPopc);
  };
  const bool none = state.kind == 0 && state.bar == 0 && state.value == 0;
  if (!none && (!is_reduction(state.kind) || state.value > 1)) {
    return;  // no warp's, or it may be none's
  }
  const bool same_kind = state.kind == entry.kind;
  const bool same_bar = state.bar == state.wait_bar;
  if (entry.arrived == 0) {
    Hit(Spot::kRefusedWaitAtIdle);
  } else if (!is_reduction(entry.kind)) {
    Hit(Spot::kRefusedWaitUnowed);  // at a count a warp may wait
  } else if (entry.expected != 0) {
    if (!same_kind && same_bar && state.value == 0) {
      Hit(Spot::kRefusedOtherKind);
    } else if (same_kind && !same_bar && state.value == 0) {
      Hit(Spot::kRefusedOtherBarrier);
    } else if (same_kind && same_bar && state.value == 1) {
      Hit(Spot::kRefusedResult);
    }
  }
}

void Cover::TakeSlot(const Operation& operation, std::uint64_t warps) {
  live_[operation.cta] = Ones(warps);
  warps_[operation.cta] = warps;
  exited_[operation.cta] = false;
  gone_[operation.cta] = 0;
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    EntryOf(operation.cta, bar) = Entry();
  }
}

void Cover::CountOpen(const Event& event) {
  const unsigned cta = event.operation.cta;
  const std::uint64_t cleaning = CleaningCycles(config_);
  TakeSlot(event.operation, 0);
  unjoined_[cta] = event.operation.size;
  if (left_[cta] != 0 && event.cycle - left_[cta] < 2 * cleaning) {
    Hit(Spot::kOpenSlotUsed);
  }
}

void Cover::CountJoin(const Event& event) {
  const unsigned cta = event.operation.cta;
  const std::uint64_t warp = Bit(event.operation.warp);
  const std::uint64_t cleaning = CleaningCycles(config_);
  if (warps_[cta] == 0) {
    Hit(Spot::kJoinFirst);
  }
  if (--unjoined_[cta] == 0) {
    Hit(Spot::kJoinLast);
  }
  if (event.operation.lanes != LanesOfWarp(config_)) {
    Hit(Spot::kJoinSomeLanes);
  }
  if ((gone_[cta] & warp) != 0) {
    Hit(Spot::kJoinAgain);
  }
  if ((over_[cta] & warp) != 0) {
    Hit(Spot::kJoinLeftOver);
  }
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    const BarState state = DecodeBarWord(EntryOf(cta, bar).word);
    if (state.arrived != 0 && state.expected == 0) {
      Hit(Spot::kJoinAmidArrivals);
    }
  }
  for (unsigned other = 0; other < config_.num_ctas; ++other) {
    if (other != cta && left_[other] != 0 && event.cycle - left_[other] < cleaning) {
      Hit(Spot::kJoinAmidCleaning);
    }
  }
  warps_[cta] |= warp;
  ++live_[cta];
  if (event.operation.cta == config_.num_ctas - 1) {
    Hit(Spot::kLastCta);
  }
  if (event.operation.warp == config_.num_warps - 1) {
    Hit(Spot::kLastWarp);
  }
}

void Cover::CountLaunch(const Operation& operation) {
  const unsigned warps = Ones(operation.warps);
  TakeSlot(operation, operation.warps);
  unjoined_[operation.cta] = 0;
  if (warps == 1) {
    Hit(Spot::kLaunchOne);
  }
  if (warps == config_.num_warps) {
    Hit(Spot::kLaunchAll);
  }
  if (operation.size > warps) {
    Hit(Spot::kLaunchAfterExits);
  }
  if (operation.cta == config_.num_ctas - 1) {
    Hit(Spot::kLastCta);
  }
  if ((operation.warps >> (config_.num_warps - 1) & 1) != 0) {
    Hit(Spot::kLastWarp);
  }
}

void Cover::CountExit(const Event& event, const golden::Model& model) {
  const unsigned cta = event.operation.cta;
  const unsigned live = Ones(model.LiveWarps(cta));
  if (live == live_[cta]) {
    Hit(Spot::kExitSomeLanes);
    return;
  }
  Hit(event.operation.lanes == LanesOfWarp(config_) ? Spot::kExitWhole : Spot::kExitLastLanes);
  live_[cta] = live;
  exited_[cta] = true;
  gone_[cta] |= Bit(event.operation.warp);
  if (unjoined_[cta] != 0) {
    Hit(Spot::kExitBeforeJoins);
  }
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    EntryOf(cta, bar).exit_within = true;
  }
}

void Cover::CountLeave(const Event& event) {
  const unsigned cta = event.operation.cta;
  bool running = false;
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    running = running || EntryOf(cta, bar).word != 0;
  }
  left_[cta] = event.cycle;
  over_[cta] = warps_[cta] & ~gone_[cta];
  if (unjoined_[cta] != 0) {
    Hit(Spot::kLeaveBeforeJoins);
  }
  if (event.operation.kind == OpKind::kEnd) {
    const bool unfinished =
        (event.effects.hazards >> static_cast<unsigned>(Hazard::kUnfinishedBarrier) & 1) != 0;
    Hit(unfinished ? Spot::kUnfinishedBarrier : Spot::kEndIdle);
    return;
  }
  if (running) {
    Hit(Spot::kSuspendRunning);
  }
  if ((waiting_ & warps_[cta]) != 0) {
    Hit(Spot::kSuspendWaiting);
  }
  if ((apart_ & warps_[cta]) != 0) {
    Hit(Spot::kSuspendApart);
  }
}

}  // namespace muster::lockstep
