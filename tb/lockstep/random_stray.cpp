// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Operations that belong to no program: the steps of CTAs that run without one, and stray
// operations.
//
// A stray operation must not disturb a program. So it is illegal, and the unit refuses it, or it
// has no effect on the program: it reads, it has no lanes, it writes a warp's own copy of a result,
// or it is a barrier of one warp, which completes at once if the entry is idle and is refused if
// not.
#include <array>

#include "sim/isa/bits.h"
#include "sim/isa/state_word.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {
namespace {

constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

unsigned KindOf(OpKind arrival) {
  return static_cast<unsigned>(IsReduction(arrival) ? static_cast<BarKind>(arrival)
                                                    : BarKind::kSync);
}

std::uint8_t Byte(unsigned value) { return static_cast<std::uint8_t>(value); }
std::uint16_t Threads(unsigned warps) { return static_cast<std::uint16_t>(warps * kWarpSize); }

}  // namespace

// Any operation, on few barriers and with small counts, so that operations meet at one entry.
Operation RandomDriver::WildStep(const Cta& cta, unsigned /*warp*/) {
  Operation operation;
  operation.kind = random_.Percent(85) ? AnyArrival() : random_.Pick(all_);
  if (config_.state && random_.OneIn(cta.owes ? 3 : 10)) {
    operation.kind = cta.owes ? OpKind::kR2bWarp : OpKind::kR2bBar;
  }
  if (random_.Percent(60) && IsArrival(operation.kind)) {
    const bool reduces = config_.reduce && (cta.slot + cta.size) % 2 != 0;
    operation.kind = reduces ? OpKind::kRedPopc : OpKind::kSync;
  }
  operation.bar = Byte(random_.Below(3));
  operation.count = Threads(random_.Percent(40) ? 0 : random_.Below(cta.size + 1));
  operation.lanes = random_.Percent(80) ? kAllLanes : random_.Word();
  operation.operand = random_.Word();
  if (operation.kind == OpKind::kR2bBar) {
    operation.operand = BarWord(cta);
  } else if (operation.kind == OpKind::kR2bWarp) {
    operation.operand = WarpWord(cta);
    if (cta.owes || random_.Percent(50)) {
      WarpState state = DecodeWarpWord(operation.operand);
      state.waiting = true;
      state.wait_bar = random_.Below(3);
      operation.operand = Encode(state);
    }
  }
  return operation;
}

Operation RandomDriver::StrayOperation(unsigned warp) {
  const Cta* owner = owners_[warp];
  Operation operation;
  operation.warp = Byte(warp);
  operation.cta =
      Byte(owner != nullptr ? owner->slot
                            : random_.Below(random_.OneIn(2) ? config_.num_ctas : kMaxCtas));
  operation.bar = Byte(random_.Below(kNumBars));
  operation.lanes = random_.Percent(60) ? kAllLanes : random_.Word();
  operation.operand = random_.Word();
  // The warp belongs to another CTA or to none: the operation is refused, whatever it is.
  const bool foreign = owner == nullptr || random_.Percent(25);
  if (foreign) {
    operation.kind = random_.Pick(all_);
    operation.count = Threads(random_.Below(3));
    const unsigned beyond = warp + WarpMask(config_.num_warps) + 1;
    if (beyond < kMaxWarps && random_.Percent(20)) {
      operation.warp = Byte(beyond);
      return operation;
    }
    const unsigned other = random_.Below(kMaxCtas);
    if (owner == nullptr || other != owner->slot) {
      operation.cta = Byte(other);
      return operation;
    }
  }
  if (random_.Percent(12)) {
    operation.kind = random_.Pick(all_);
    operation.count = Threads(random_.Below(3));
    operation.lanes = 0;
    return operation;
  }
  StrayOfWarp(*owner, &operation);
  return operation;
}

// For units that do not refuse misuse: an operation of a live warp that is legal at any time.
bool RandomDriver::PickHarmless(unsigned warp, Operation* operation) {
  const Cta* owner = owners_[warp];
  if (owner == nullptr) {
    return false;
  }
  const bool may_wait = ((waiting_ | going_to_wait_) >> warp & 1) != 0;
  *operation = Operation();
  operation->warp = Byte(warp);
  operation->cta = Byte(owner->slot);
  operation->bar = Byte(random_.Below(kNumBars));
  operation->operand = random_.Word();
  if (reads_.empty() || random_.Percent(30)) {
    operation->kind = random_.Pick(all_);
    operation->count = Threads(random_.Below(3));
    return true;
  }
  operation->lanes = random_.Word() | 1;
  if (config_.state && !may_wait && !options_.observed && random_.Percent(30)) {
    operation->kind = OpKind::kR2bWarp;
    operation->operand = WarpWord(*owner);
    return true;
  }
  operation->kind = random_.Pick(reads_);
  if (operation->kind == OpKind::kB2rResult && may_wait) {
    operation->kind = OpKind::kB2rWarp;
  }
  return true;
}

// An arrival that opens a generation of another kind, right after one that completed a generation
// at the same entry by itself: in the next cycle, if no other operation comes between.
bool RandomDriver::Echo(Operation* operation) {
  const Cta* cta = solo_.lanes != 0 ? residents_[solo_.cta] : nullptr;
  const std::uint64_t taken =
      flying_ | presented_ | exiting_ | waiting_ | going_to_wait_ | ~Unengaged();
  if (!config_.reduce || cta == nullptr || cta->state != State::kRunning ||
      (cta->warps & ~taken) == 0) {
    return false;
  }
  *operation = solo_;
  operation->warp = Byte(random_.Bit(cta->warps & ~taken));
  do {
    operation->kind = AnyArrival();
  } while (KindOf(operation->kind) == KindOf(solo_.kind));
  solo_ = Operation();
  return true;
}

// Fills in the stray operation of a live warp of the CTA.
void RandomDriver::StrayOfWarp(const Cta& cta, Operation* operation) {
  operation->lanes |= 1;
  operation->kind = AnyArrival();
  switch (random_.Below(10)) {
    case 0:
      if (config_.state) {
        operation->kind = OpKind::kR2bBar;
        operation->operand = BadBarWord(cta);
        return;
      }
      break;
    case 1:
      if (config_.state) {
        operation->kind = OpKind::kR2bWarp;
        operation->operand = BadWarpWord(cta);
        return;
      }
      break;
    case 2:
      operation->kind = OpKind::kArrive;
      operation->count = 0;
      return;
    case 3:
      operation->count =
          static_cast<std::uint16_t>(Threads(random_.Below(3)) + 1 + random_.Below(31));
      return;
    case 4:
      operation->count = Threads(random_.Between(cta.size + 1, 127));
      return;
    case 5:
    case 6:
      if (!options_.observed && Disagree(cta, operation)) {
        return;
      }
      break;
    case 7:
      if (config_.state && !options_.observed) {
        operation->kind = OpKind::kR2bWarp;
        operation->operand = WarpWord(cta);
        return;
      }
      break;
    case 8:
      if (!options_.observed) {
        operation->count = Threads(1);
        solo_ = *operation;
        return;
      }
      break;
    default:
      break;
  }
  if (reads_.empty()) {
    operation->lanes = 0;
  } else if (options_.observed) {
    operation->kind = random_.Pick(std::array{OpKind::kB2rBar, OpKind::kB2rWarp, OpKind::kB2rBar});
  } else {
    operation->kind = random_.Pick(reads_);
  }
}

// Replaces the warp's next arrival by one whose count or kind differs from the open generation's.
// That generation cannot complete without the warp, so the arrival is refused.
bool RandomDriver::Disagree(const Cta& cta, Operation* operation) {
  const Step* step = cta.wild ? nullptr : NextStep(operation->warp);
  if (step == nullptr || !IsArrival(step->operation.kind)) {
    return false;
  }
  const BarState state = DecodeBarWord(words_[cta.slot][step->operation.bar]);
  if (state.arrived == 0) {
    return false;
  }
  operation->bar = step->operation.bar;
  operation->count = step->operation.count;
  if (random_.Percent(50)) {
    const unsigned other =
        state.expected != 0 && random_.Percent(50) ? 0 : random_.Between(1, cta.size);
    operation->count = Threads(other);
    if (operation->kind == OpKind::kArrive && other == 0) {
      operation->kind = OpKind::kSync;
    }
    return other != state.expected;
  }
  if (operation->kind == OpKind::kArrive && operation->count == 0) {
    operation->kind = OpKind::kSync;
  }
  return KindOf(operation->kind) != state.kind;
}

// ------------------------------------------------------------------------------------------------
// State words
// ------------------------------------------------------------------------------------------------

// A word that a program could have produced, most of the time.
std::uint32_t RandomDriver::BarWord(const Cta& cta) {
  if (random_.Percent(20)) {
    return 0;
  }
  BarState state;
  state.kind = KindOf(AnyArrival());
  state.arrived = random_.Between(1, 3);
  state.expected = random_.Percent(40) ? 0 : random_.Between(1, cta.size);
  if (state.kind == static_cast<unsigned>(BarKind::kPopc)) {
    state.value = random_.Below(state.arrived * kWarpSize + 1);
  } else if (state.kind != static_cast<unsigned>(BarKind::kSync)) {
    state.value = random_.Below(2);
  }
  return Encode(state);
}

std::uint32_t RandomDriver::BadBarWord(const Cta& cta) {
  BarState state = DecodeBarWord(BarWord(cta));
  switch (random_.Below(7)) {
    case 0:
      state.zero = random_.Between(1, 7);
      break;
    case 1:
      state.kind = random_.Between(5, 7);
      break;
    case 2:  // not idle, but with no arrivals
      state.arrived = 0;
      state.kind = random_.Between(1, 4);
      break;
    case 3:  // as many as are expected, or more
      state.expected = random_.Between(1, cta.size);
      state.arrived = random_.Between(state.expected, 127);
      state.kind = 1;
      state.value = 0;
      break;
    case 4:
      state.arrived = 1;
      state.expected = random_.Between(cta.size + 1, 127);
      break;
    case 5:  // a value without a reduction
      state = BarState();
      state.kind = random_.Below(2);
      state.arrived = state.kind;
      state.value = random_.Between(1, kWarpSize - 1);
      break;
    default:
      state.arrived = 1;
      state.kind = random_.Between(1, 4);
      state.value = state.kind == static_cast<unsigned>(BarKind::kPopc)
                        ? random_.Between(kWarpSize + 1, 0xfff)
                        : random_.Between(2, 0xfff);
      break;
  }
  return Encode(state);
}

std::uint32_t RandomDriver::WarpWord(const Cta& cta) {
  WarpState state;
  if (random_.Percent(80)) {
    state.kind = random_.Between(2, 4);
    state.bar = random_.Below(kNumBars);
    state.value = state.kind == static_cast<unsigned>(BarKind::kPopc)
                      ? random_.Below(cta.size * kWarpSize + 1)
                      : random_.Below(2);
  }
  return Encode(state);
}

std::uint32_t RandomDriver::BadWarpWord(const Cta& cta) {
  WarpState state = DecodeWarpWord(WarpWord(cta));
  switch (random_.Below(5)) {
    case 0:
      state.zero = random_.Between(1, 255);
      break;
    case 1:
      state.kind = random_.Pick(std::array{1U, 5U, 6U, 7U});
      break;
    case 2:  // no copy, but a value or a barrier of one
      state.kind = 0;
      state.value = random_.Below(random_.Percent(50) ? kWarpSize : 0x1000);
      state.bar = state.value == 0 ? 1 : random_.Percent(50) ? 0 : random_.Below(kNumBars);
      break;
    case 3:
      state.kind = random_.Between(2, 4);
      state.value = state.kind == static_cast<unsigned>(BarKind::kPopc)
                        ? random_.Between(cta.size * kWarpSize + 1, 0xfff)
                        : random_.Between(2, 0xfff);
      break;
    default:  // not waiting, but with a barrier waited at
      state.wait_bar = random_.Between(1, kNumBars - 1);
      break;
  }
  return Encode(state);
}

// ------------------------------------------------------------------------------------------------
// Lifecycle
// ------------------------------------------------------------------------------------------------

bool RandomDriver::ExitOfNoLane(Operation* operation) {
  const unsigned warp = random_.Below(config_.num_warps);
  const Cta* owner = owners_[warp];
  if (owner == nullptr || owner->state != State::kRunning ||
      ((exiting_ | presented_ | ~Unengaged()) >> warp & 1) != 0) {
    return false;
  }
  operation->kind = OpKind::kExit;
  operation->cta = Byte(owner->slot);
  operation->warp = Byte(warp);
  exiting_ |= Bit(warp);
  return true;
}

// A lifecycle operation that is refused, or an exit of no lanes.
bool RandomDriver::StrayLifecycle(Operation* operation) {
  *operation = Operation();
  if (!config_.faults) {
    return ExitOfNoLane(operation);
  }
  const unsigned warp = random_.Below(config_.num_warps);
  const Cta* owner = owners_[warp];
  const unsigned slot =
      owner != nullptr && random_.Percent(50) ? owner->slot : random_.Below(kMaxCtas);
  const Cta* resident = slot < config_.num_ctas ? residents_[slot] : nullptr;
  const bool settled = resident == nullptr || resident->state == State::kRunning;
  operation->cta = Byte(slot);
  switch (random_.Below(4)) {
    case 0:
      StrayLaunch(operation);
      return true;
    case 1:
      operation->kind = random_.Percent(50) ? OpKind::kSuspend : OpKind::kEnd;
      return resident == nullptr;
    case 2:  // an exit of a warp that is not this CTA's, or of no lane
      operation->kind = OpKind::kExit;
      operation->warp = Byte(random_.Below(kMaxWarps));
      if (resident != nullptr && random_.Percent(70)) {
        const std::uint64_t strangers = ~resident->warps & ~exiting_ & ~presented_;
        if (strangers != 0) {
          operation->warp = Byte(random_.Bit(strangers));
        }
      }
      operation->lanes = random_.Word();
      if (settled && resident != nullptr && owners_[PlaceOf(operation->warp)] == resident) {
        operation->lanes = 0;
      }
      break;
    default:  // an exit of one of several lanes of a warp that waits
      operation->kind = OpKind::kExit;
      operation->warp = Byte(warp);
      if (owner == nullptr || owner->state != State::kRunning || (waiting_ >> warp & 1) == 0 ||
          (!config_.lanes && !owner->wild) ||
          (owner->lanes[indices_[warp]] & (owner->lanes[indices_[warp]] - 1)) == 0) {
        return false;
      }
      operation->cta = Byte(owner->slot);
      operation->lanes = owner->lanes[indices_[warp]] & (~owner->lanes[indices_[warp]] + 1);
      break;
  }
  const unsigned place = PlaceOf(operation->warp);
  if (!settled || ((exiting_ | presented_ | ~Unengaged()) >> place & 1) != 0) {
    return false;
  }
  exiting_ |= Bit(place);
  return true;
}

// Wrong in one way, if there is room for it. Never with a warp that is live.
// A launch that is refused. Like any other, it names no warp that is live or that the unit lacks.
void RandomDriver::StrayLaunch(Operation* operation) {
  operation->kind = OpKind::kLaunch;
  operation->size = 1;
  const std::uint64_t slots = FreeSlots();
  const std::uint64_t warps = FreeWarps();
  const bool room = slots != 0 && warps != 0;
  operation->warps = warps != 0 ? Bit(random_.Bit(warps)) : 0;
  if (room) {
    operation->cta = Byte(random_.Bit(slots));
  }
  switch (random_.Below(4)) {
    case 0:
      operation->warps = 0;
      return;
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
  }
}

}  // namespace muster::lockstep
