// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the lifecycle port is asked for: launches, opens and joins, suspends and ends; and
// operations that are refused there.
#include <array>
#include <utility>

#include "sim/isa/bits.h"
#include "tb/lockstep/fields.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {

void RandomDriver::DriveLifecycle(const Outputs& seen, Inputs* inputs) {
  if (inputs->lifecycle_valid && !seen.lifecycle_ready) {
    return;
  }
  inputs->lifecycle_valid = random_.Percent(knobs_.lifecycle) && PickLifecycle(&inputs->lifecycle);
  if (inputs->lifecycle_valid) {
    ++lifecycle_flying_;
    if (inputs->lifecycle.kind == OpKind::kJoin) {
      inputs->lifecycle.lanes |= LanesBeyond(config_, &random_);
    }
  }
}

bool RandomDriver::PickLifecycle(Operation* operation) {
  const bool stray = lifecycle_flying_ == 0 && random_.Percent(knobs_.stray);
  if (stray && random_.Percent(25) && StrayLifecycle(operation)) {
    return true;
  }
  if (!requests_.empty() && random_.Percent(70)) {
    const Operation& request = requests_.front();
    const bool leaves = IsLeave(request.kind);
    Cta* cta = residents_[request.cta];
    // An operation that is still at a port when its CTA ends is refused, if misuse is.
    if (!leaves || ((config_.faults || (cta->warps & presented_) == 0) &&
                    (cta->warps & exiting_) == 0 && mbarriers_.Quiet(cta->slot, cta->warps) &&
                    (config_.mb_limit || (mbarriers_.parked() & cta->warps) == 0))) {
      if (leaves) {
        cta->state = State::kGone;
      }
      *operation = request;
      requests_.pop_front();
      return true;
    }
  }
  return stray && StrayLifecycle(operation);
}

// ------------------------------------------------------------------------------------------------
// Joins
// ------------------------------------------------------------------------------------------------

// Asks, from time to time, for the join of one of the CTA's warps. A stray operation of the warp
// has committed by then, and been refused.
void RandomDriver::MaybeJoin(Cta* cta) {
  const std::uint64_t able = cta->unasked & ~(presented_ | flying_ | exiting_);
  if (able == 0 || !random_.OneIn(cta->unhurried ? 12 : 2)) {
    return;
  }
  unsigned warp = random_.Bit(able);
  const unsigned index = indices_[warp];
  const std::uint64_t again = cta->gone & FreeWarps();
  if (again != 0 && random_.Percent(50)) {
    warp = Move(cta, index, random_.Bit(again));
  }
  Operation join;
  join.kind = OpKind::kJoin;
  join.cta = Byte(cta->slot);
  join.warp = Byte(warp);
  join.lanes = cta->saved ? cta->saved_lanes[index] : LanesOfWarp(config_);
  if (cta->wild && random_.Percent(50)) {
    join.lanes = random_.Word();
    join.lanes |= 1U << random_.Below(config_.warp_size);
  }
  cta->unasked &= ~Bit(warp);
  requests_.push_back(join);
}

// A warp that has not joined takes another warp slot, which is free; returns it.
unsigned RandomDriver::Move(Cta* cta, unsigned index, unsigned to) {
  const unsigned from = std::exchange(cta->slots[index], to);
  owners_[from] = nullptr;
  owners_[to] = cta;
  indices_[to] = index;
  cta->unjoined ^= Bit(from) | Bit(to);
  cta->unasked ^= Bit(from) | Bit(to);
  return to;
}

void RandomDriver::Opened(Cta* cta) {
  Launched(cta);
  cta->state = cta->saved ? State::kJoining : State::kRunning;
}

void RandomDriver::Joined(Cta* cta, const Operation& join) {
  const std::uint64_t bit = Bit(join.warp);
  cta->unjoined &= ~bit;
  cta->warps |= bit;
  cta->lanes[indices_[join.warp]] =
      config_.lanes ? join.lanes & LanesOfWarp(config_) : LanesOfWarp(config_);
  Refresh(join.warp);
  if (cta->state == State::kJoining && cta->unjoined == 0) {
    Restored(cta);
  }
}

// ------------------------------------------------------------------------------------------------
// Operations that are refused
// ------------------------------------------------------------------------------------------------

// A lifecycle operation that is refused.
bool RandomDriver::StrayLifecycle(Operation* operation) {
  if (!config_.faults) {
    return false;
  }
  *operation = Operation();
  if (random_.Percent(50)) {
    StrayLaunch(operation);
    return true;
  }
  if (config_.join && random_.Percent(50)) {
    return StrayJoin(operation);
  }
  const unsigned slot = random_.Below(kMaxCtas);
  operation->cta = Byte(slot);
  operation->kind = random_.Percent(50) ? OpKind::kSuspend : OpKind::kEnd;
  return slot >= config_.num_ctas || residents_[slot] == nullptr;
}

// A launch or an open that is refused: wrong in one way, if there is room for it. A launch names no
// warp that is live or that the unit lacks.
void RandomDriver::StrayLaunch(Operation* operation) {
  operation->kind = config_.join && random_.Percent(40) ? OpKind::kOpen : OpKind::kLaunch;
  const bool opens = operation->kind == OpKind::kOpen;
  operation->size = 1;
  const std::uint64_t slots = FreeSlots();
  const std::uint64_t warps = FreeWarps();
  const bool room = slots != 0 && (opens || warps != 0);
  operation->warps = warps != 0 ? Bit(random_.Bit(warps)) : 0;
  if (room) {
    operation->cta = Byte(random_.Bit(slots));
  }
  switch (random_.Below(4)) {
    case 0:
      if (!opens) {
        operation->warps = 0;
        return;
      }
      break;
    case 1:
      if (room) {
        operation->size = 0;
        return;
      }
      break;
    case 2:
      if (room) {
        operation->size = Byte(random_.Between(config_.num_warps + 1, 127));
        return;
      }
      break;
    default:
      break;
  }
  // A slot that is taken, or that the unit lacks.
  operation->cta = Byte(config_.num_ctas % kMaxCtas);
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    if (residents_[slot] != nullptr && residents_[slot]->state == State::kRunning) {
      operation->cta = Byte(slot);
      return;
    }
  }
  if (config_.num_ctas == kMaxCtas) {
    operation->warps = 0;
    operation->size = 0;
  }
}

// A join that is refused. What it is refused for holds until it commits: this port is free, and a
// warp that must be live then is kept from its exit.
bool RandomDriver::StrayJoin(Operation* operation) {
  const unsigned slot = random_.Below(random_.OneIn(4) ? kMaxCtas : config_.num_ctas);
  const Cta* cta = slot < config_.num_ctas ? residents_[slot] : nullptr;
  operation->kind = OpKind::kJoin;
  operation->cta = Byte(slot);
  operation->warp = Byte(random_.Below(kMaxWarps));
  operation->lanes = random_.Percent(50) ? kAllLanes : random_.Word();
  if (cta == nullptr || cta->unjoined == 0) {
    return true;  // not resident, or all have joined
  }
  const std::uint64_t live = cta->warps & ~(exiting_ | presented_) & Unengaged();
  switch (random_.Below(3)) {
    case 0:  // without a lane of the warp
      operation->lanes &= ~LanesOfWarp(config_);
      return true;
    case 1:
      operation->warp = Byte(random_.Below(kMaxWarps - config_.num_warps + 1) + config_.num_warps);
      return operation->warp < kMaxWarps;
    default:
      if (live == 0) {
        return false;
      }
      operation->warp = Byte(random_.Bit(live));
      operation->lanes |= 1;
      kept_ = Bit(operation->warp);
      exiting_ |= kept_;
      return true;
  }
}

}  // namespace muster::lockstep
