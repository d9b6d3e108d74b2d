// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Launch, save, restore and end of CTAs.
#include <algorithm>
#include <memory>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/state_word.h"
#include "tb/lockstep/fields.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {
namespace {

constexpr unsigned kMaxSaved = 4;        // CTAs that are saved at a time
constexpr std::uint64_t kWildAge = 400;  // cycles that a CTA without a program gets
constexpr std::uint64_t kObservedProgram = 0x6f62736572766564;  // its seed differs by this

Operation Transfer(OpKind kind, unsigned warp) {
  Operation operation;
  operation.kind = kind;
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.lanes = kAllLanes;
  return operation;
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Come
// ------------------------------------------------------------------------------------------------

std::uint64_t RandomDriver::FreeWarps() const {
  std::uint64_t free = 0;
  for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
    if (owners_[warp] == nullptr) {
      free |= Bit(warp);
    }
  }
  return free & ~flying_ & ~exiting_;
}

std::uint64_t RandomDriver::FreeSlots() const {
  std::uint64_t free = 0;
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    if (residents_[slot] == nullptr) {
      free |= Bit(slot);
    }
  }
  return free;
}

void RandomDriver::MaybeLaunch() {
  if (!requests_.empty() || !random_.OneIn(8)) {
    return;
  }
  const unsigned free = Ones(FreeWarps());
  if (free == 0 || FreeSlots() == 0) {
    return;
  }
  if (make_room_) {
    if (free == config_.num_warps) {
      make_room_ = false;
      Create(free);
    }
    return;
  }
  if (options_.observed && ctas_.empty()) {
    return Create(std::min(free, 6U));
  }
  std::vector<Cta*> saved;
  for (const auto& cta : ctas_) {
    if (cta->state == State::kSaved && Ones(cta->saved_warps) <= free) {
      saved.push_back(cta.get());
    }
  }
  if (!saved.empty() && random_.Percent(40)) {
    return Place(saved[random_.Below(static_cast<unsigned>(saved.size()))]);
  }
  Create(random_.Between(1, random_.Percent(60) ? std::min(free, 8U) : free));
}

void RandomDriver::Create(unsigned warps) {
  auto cta = std::make_unique<Cta>();
  cta->observed = options_.observed && ctas_.empty();
  cta->wild = config_.faults && !cta->observed && !options_.dense && random_.Percent(25);
  cta->size = warps;
  if (!cta->wild) {
    ProgramOptions options;
    options.warps = warps;
    options.episodes = cta->observed ? 60 : options_.dense ? 300 : random_.Between(1, 30);
    options.timing_shows = !cta->observed;
    Random own(options_.seed ^ kObservedProgram);
    cta->program = MakeProgram(config_, options, cta->observed ? &own : &random_);
  }
  cta->gates.assign(cta->program.gates, false);
  ctas_.push_back(std::move(cta));
  Place(ctas_.back().get());
}

// Finds a slot for the CTA and one for each of its live warps, and asks for its launch.
void RandomDriver::Place(Cta* cta) {
  std::uint64_t free = FreeWarps();
  cta->slot = random_.Bit(FreeSlots());
  cta->warps = cta->unjoined = cta->unasked = cta->gone = 0;
  cta->unhurried = random_.OneIn(4);
  for (unsigned index = 0; index < cta->size; ++index) {
    if (!cta->saved || cta->saved_lanes[index] != 0) {
      const unsigned warp = random_.Bit(free);
      free &= ~Bit(warp);
      cta->warps |= Bit(warp);
      cta->slots[index] = warp;
      cta->lanes[index] = LanesOfWarp(config_);
      owners_[warp] = cta;
      indices_[warp] = index;
    }
  }
  residents_[cta->slot] = cta;
  cta->state = State::kLaunching;
  // A CTA of which warps have exited comes back by a launch.
  if (config_.join && Ones(cta->warps) == cta->size && random_.Percent(50)) {
    cta->unjoined = cta->unasked = std::exchange(cta->warps, 0);
    return Ask(OpKind::kOpen, cta);
  }
  Ask(OpKind::kLaunch, cta);
}

void RandomDriver::Ask(OpKind kind, Cta* cta) {
  Operation operation;
  operation.kind = kind;
  operation.cta = static_cast<std::uint8_t>(cta->slot);
  if (kind == OpKind::kLaunch || kind == OpKind::kOpen) {
    operation.warps = cta->warps;
    operation.size = static_cast<std::uint8_t>(cta->size);
  } else {
    cta->state = State::kLeaving;
    RefreshAll(*cta);
  }
  requests_.push_back(operation);
}

void RandomDriver::Launched(Cta* cta) {
  ++launches_[cta->slot];
  words_[cta->slot].fill(0);
  cta->launched = cycle_;
  mbarriers_.Launched(cta->slot);
  if (cta->unjoined != 0) {
    return;
  }
  if (cta->saved) {
    return Restored(cta);
  }
  cta->state = State::kRunning;
  RefreshAll(*cta);
}

// A saved CTA has its warps again.
void RandomDriver::Restored(Cta* cta) {
  if (options_.cover != nullptr) {
    if (cta->slot != cta->saved_slot) {
      options_.cover->Hit(Spot::kRestoreOtherSlot);
    }
    if (cta->warps != cta->saved_warps) {
      options_.cover->Hit(Spot::kRestoreOtherWarps);
    }
    const bool same = cta->slot == cta->saved_slot;
    if (launches_[cta->saved_slot] > cta->saved_launches + static_cast<unsigned>(same)) {
      options_.cover->Hit(Spot::kRestoreSlotUsed);
    }
  }
  cta->state = State::kTrimming;
  AskTrims(cta);
}

// ------------------------------------------------------------------------------------------------
// Save and restore, stage by stage
// ------------------------------------------------------------------------------------------------

// The lanes that had exited exit again.
void RandomDriver::AskTrims(Cta* cta) {
  for (unsigned index = 0; index < cta->size; ++index) {
    if (cta->lanes[index] != 0 && cta->saved_lanes[index] != 0 &&
        (cta->lanes[index] & ~cta->saved_lanes[index]) != 0) {
      Operation trim = Transfer(OpKind::kExit, cta->slots[index]);
      trim.cta = static_cast<std::uint8_t>(cta->slot);
      trim.lanes = ~cta->saved_lanes[index];
      trims_.push_back(trim);
      ++cta->transfers_open;
    }
  }
  if (cta->transfers_open == 0) {
    NextTransfers(cta);
  }
}

// The transfers of one stage have committed: goes on to the next.
void RandomDriver::NextTransfers(Cta* cta) {
  switch (cta->state) {
    case State::kTrimming:
      cta->state = State::kWritingBars;
      for (unsigned bar = 0; bar < kNumBars; ++bar) {
        cta->transfers.push_back(Transfer(OpKind::kR2bBar, Cta::kAnyWarp));
        cta->transfers.back().bar = static_cast<std::uint8_t>(bar);
        cta->transfers.back().operand = cta->bar_words[bar];
      }
      break;
    case State::kWritingBars:
      cta->state = State::kWritingWarps;
      for (std::uint64_t left = cta->warps; left != 0; left &= left - 1) {
        const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
        cta->transfers.push_back(Transfer(OpKind::kR2bWarp, warp));
        cta->transfers.back().operand = cta->warp_words[indices_[warp]];
      }
      break;
    case State::kWritingWarps:
      cta->state = State::kRunning;
      mbarriers_.Restore(cta->slot, cta->saved_words);
      RefreshAll(*cta);
      return;
    case State::kFreezing:
      cta->state = State::kReadingWarps;
      for (std::uint64_t left = cta->warps; left != 0; left &= left - 1) {
        cta->transfers.push_back(
            Transfer(OpKind::kB2rWarp, static_cast<unsigned>(__builtin_ctzll(left))));
      }
      break;
    case State::kReadingWarps:
      cta->state = State::kReadingBars;
      for (unsigned bar = 0; bar < kNumBars; ++bar) {
        cta->transfers.push_back(Transfer(OpKind::kB2rBar, Cta::kAnyWarp));
        cta->transfers.back().bar = static_cast<std::uint8_t>(bar);
      }
      break;
    default:
      Ask(OpKind::kSuspend, cta);
      return;
  }
  cta->transfers_open = static_cast<unsigned>(cta->transfers.size());
  for (std::size_t i = cta->transfers.size(); i > 1; --i) {
    std::swap(cta->transfers[i - 1], cta->transfers[random_.Below(static_cast<unsigned>(i))]);
  }
}

// ------------------------------------------------------------------------------------------------
// Run and go
// ------------------------------------------------------------------------------------------------

// Each resident CTA has its turn once in num_ctas cycles.
void RandomDriver::LookAfter(Cta* cta) {
  if (cta->state == State::kJoining || cta->state == State::kRunning) {
    MaybeJoin(cta);
  }
  const bool quiet = mbarriers_.Quiet(cta->slot, cta->warps) &&
                     (config_.mb_limit || (mbarriers_.parked() & cta->warps) == 0);
  const bool busy = (cta->warps & (flying_ | exiting_)) != 0 || !quiet;
  if (cta->state == State::kFreezing && !busy) {
    if (cta->warps != 0) {
      return NextTransfers(cta);
    }
    cta->state = State::kRunning;  // the last exits were on their way: it is finished, not saved
  }
  if (cta->state != State::kRunning) {
    return;
  }
  const std::uint64_t able = (want_issue_ | want_exit_) & ~waiting_ & cta->warps;
  const bool parked = (mbarriers_.parked() & cta->warps) != 0;
  if (!busy && able == 0 && cta->unjoined == 0 && (!parked || random_.OneIn(5000))) {
    // Finished, or (without a program, or disturbed) stuck.
    observed_finished_ = observed_finished_ || (cta->observed && cta->warps == 0);
    return Ask(OpKind::kEnd, cta);
  }
  if ((mbarriers_.patient() & cta->warps) != 0) {
    return;
  }
  const unsigned turns = config_.num_ctas;
  const bool old = cta->wild && cycle_ > cta->launched + kWildAge;
  const bool whole = cta->observed || options_.dense;  // comes to its end
  if (!whole && (old || make_room_ || random_.OneIn(6000 / turns))) {
    return Ask(OpKind::kEnd, cta);
  }
  const auto saved = std::count_if(ctas_.begin(), ctas_.end(),
                                   [](const auto& other) { return other->state == State::kSaved; });
  if (config_.state && options_.saves && cta->warps != 0 && cta->unjoined == 0 &&
      saved < kMaxSaved && random_.OneIn((cta->observed ? 600 : 1500) / turns + 1)) {
    cta->state = State::kFreezing;
    RefreshAll(*cta);
  }
}

void RandomDriver::Left(Cta* cta, OpKind how) {
  residents_[cta->slot] = nullptr;
  if (how == OpKind::kSuspend) {
    cta->saved_words = mbarriers_.Save(cta->slot);
  }
  mbarriers_.Left(cta->slot, cta->warps);
  for (unsigned index = 0; index < cta->size; ++index) {
    for (Flight& flight : flights_[cta->slots[index]]) {
      flight.cta = flight.cta == cta ? nullptr : flight.cta;
    }
  }
  for (std::uint64_t left = cta->warps | cta->unjoined; left != 0; left &= left - 1) {
    owners_[static_cast<unsigned>(__builtin_ctzll(left))] = nullptr;
  }
  want_issue_ &= ~cta->warps;
  want_exit_ &= ~cta->warps;
  waiting_ &= ~cta->warps;
  if (how == OpKind::kSuspend) {
    cta->saved = true;
    cta->state = State::kSaved;
    cta->saved_slot = cta->slot;
    cta->saved_warps = cta->warps;
    cta->saved_lanes = cta->lanes;
    cta->saved_launches = launches_[cta->slot];
    observed_saves_ += static_cast<unsigned>(cta->observed);
    return;
  }
  observed_left_ = observed_left_ || cta->observed;
  ctas_.erase(std::find_if(ctas_.begin(), ctas_.end(),
                           [cta](const auto& other) { return other.get() == cta; }));
}

// ------------------------------------------------------------------------------------------------
// The next steps of warps
// ------------------------------------------------------------------------------------------------

// The next step of the warp, if it may be taken.
const Step* RandomDriver::NextStep(unsigned warp) const {
  const Cta& cta = *owners_[warp];
  const unsigned index = indices_[warp];
  const std::vector<Step>& steps = cta.program.steps[index];
  if (cta.next[index] >= steps.size()) {
    return nullptr;
  }
  const Step& step = steps[cta.next[index]];
  return step.after < 0 || cta.gates[static_cast<unsigned>(step.after)] ? &step : nullptr;
}

void RandomDriver::Refresh(unsigned warp) {
  const std::uint64_t bit = Bit(warp);
  want_issue_ &= ~bit;
  want_exit_ &= ~bit;
  const Cta* cta = owners_[warp];
  if (cta == nullptr || cta->state != State::kRunning || (cta->unjoined & bit) != 0) {
    return;
  }
  if (cta->wild) {
    want_issue_ |= bit;
    want_exit_ |= random_.OneIn(cta->owes ? 4 : 30) ? bit : 0;
  } else if (const Step* step = NextStep(warp); step != nullptr) {
    (step->operation.kind == OpKind::kExit ? want_exit_ : want_issue_) |= bit;
  }
}

void RandomDriver::RefreshAll(const Cta& cta) {
  for (std::uint64_t left = cta.warps; left != 0; left &= left - 1) {
    Refresh(static_cast<unsigned>(__builtin_ctzll(left)));
  }
}

}  // namespace muster::lockstep
