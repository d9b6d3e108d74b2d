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
#include "tb/lockstep/fields.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {
namespace {

constexpr unsigned kWildBars = 3;
constexpr std::uint32_t kApart = std::uint32_t{1} << 24;  // of a warp's state word

unsigned KindOf(OpKind arrival) {
  return static_cast<unsigned>(IsReduction(arrival) ? static_cast<BarKind>(arrival)
                                                    : BarKind::kSync);
}

}  // namespace

std::uint16_t RandomDriver::Threads(unsigned warps) const {
  return static_cast<std::uint16_t>(warps * config_.warp_size);
}

// Any operation, on few barriers and with small counts, so that operations meet at one entry.
Operation RandomDriver::WildStep(const Cta& cta, unsigned /*warp*/) {
  Operation operation;
  operation.kind = random_.Percent(85) ? AnyArrival() : random_.Pick(all_);
  if (config_.state && random_.OneIn(5)) {
    operation.kind = cta.owes || random_.OneIn(2) ? OpKind::kR2bWarp : OpKind::kR2bBar;
  }
  if (random_.Percent(60) && IsArrival(operation.kind)) {
    const bool reduces = config_.reduce && (cta.slot + cta.size) % 2 != 0;
    operation.kind = reduces ? OpKind::kRedPopc : OpKind::kSync;
  }
  if (config_.split && random_.OneIn(12)) {
    operation.kind = OpKind::kWait;
  }
  operation.bar = Byte(random_.Below(kWildBars));
  operation.count = Threads(random_.Percent(40) ? 0 : random_.Below(cta.size + 1));
  const BarState open = DecodeBarWord(words_[cta.slot][operation.bar]);
  if (open.arrived != 0 && random_.OneIn(6)) {
    operation.count = Threads(open.expected);  // it may differ in kind
  }
  operation.lanes = random_.Percent(80) ? kAllLanes : random_.Word();
  operation.operand = random_.Word();
  // State words, mostly where they may be written.
  const bool owes = cta.owes;
  if (operation.kind == OpKind::kR2bBar) {
    operation.operand = BarWord(cta);
    Seek(
        cta, [](const BarState& entry) { return entry.arrived == 0; }, &operation);
  } else if (operation.kind == OpKind::kR2bWarp) {
    operation.operand = WarpWord(cta);
    if (owes || random_.Percent(80)) {
      Seek(
          cta,
          [owes](const BarState& entry) {
            return entry.arrived != 0 && (entry.expected == 0) == owes;
          },
          &operation);
      operation.operand = WaitingWord(cta, operation.bar);
      operation.operand |= config_.split && random_.Percent(20) ? kApart : 0;
    }
  }
  return operation;
}

// Moves the operation, most of the time, to one of the entries of WildStep that fits, if one does.
template <typename Fits>
void RandomDriver::Seek(const Cta& cta, Fits fits, Operation* operation) {
  const unsigned first = operation->bar;
  for (unsigned i = 0; i < kWildBars && random_.Percent(80); ++i) {
    const unsigned bar = (first + i) % kWildBars;
    if (fits(DecodeBarWord(words_[cta.slot][bar]))) {
      operation->bar = Byte(bar);
      return;
    }
  }
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
  // The warp belongs to another CTA or to none, or has not joined: the operation is refused,
  // whatever it is.
  if (owner != nullptr && (owner->unjoined & Bit(warp)) != 0) {
    operation.kind = random_.Pick(all_);
    operation.count = Threads(random_.Below(3));
    return operation;
  }
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
  if (owner == nullptr || (owner->unjoined & Bit(warp)) != 0) {
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
  if (config_.split && cta.wild && random_.Percent(15)) {
    operation->kind = OpKind::kWait;
    return;
  }
  operation->kind = AnyArrival();
  switch (random_.Below(12)) {
    case 0:
      if (config_.state) {
        operation->kind = OpKind::kR2bBar;
        operation->operand = Misplaces(cta, operation) ? BarWord(cta) : BadBarWord(cta);
        return;
      }
      break;
    case 1:
      if (config_.state) {
        operation->kind = OpKind::kR2bWarp;
        operation->operand = Misplaces(cta, operation)
                                 ? Contradict(cta, WaitingWord(cta, operation->bar))
                                 : BadWarpWord(cta);
        return;
      }
      break;
    case 2:
      operation->kind =
          config_.split && random_.Percent(50) ? OpKind::kArrivePhase : OpKind::kArrive;
      operation->count = 0;
      return;
    case 3:
      operation->count = static_cast<std::uint16_t>(Threads(random_.Below(3)) + 1);
      operation->count =
          static_cast<std::uint16_t>(operation->count + random_.Below(config_.warp_size - 1));
      return;
    case 4:
      operation->count = Threads(random_.Between(cta.size + 1, 0xfff / config_.warp_size));
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
    case 9:
    case 10:
      // Not where it would change a phase for which warps wait.
      if (!options_.observed && (cta.program.split_bars >> operation->bar & 1) == 0) {
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

// The warp's next arrival, if it joins an open generation. That cannot complete without the warp,
// but where chance decides who meets whom: there, what should be refused may disturb the program.
const Operation* RandomDriver::Joins(const Cta& cta, unsigned warp) const {
  const Step* step = cta.wild ? nullptr : NextStep(warp);
  return step != nullptr && IsArrival(step->operation.kind) &&
                 DecodeBarWord(words_[cta.slot][step->operation.bar]).arrived != 0
             ? &step->operation
             : nullptr;
}

// Moves a state word to the generation that the warp is about to join, where it is refused: an
// entry's word in any case, that of a waiting warp if it contradicts the reduction, or if no
// restore owes it.
bool RandomDriver::Misplaces(const Cta& cta, Operation* operation) {
  const Operation* next = options_.observed ? nullptr : Joins(cta, operation->warp);
  if (next == nullptr ||
      (operation->kind == OpKind::kR2bWarp && !IsReduction(next->kind) && next->count != 0)) {
    return false;
  }
  operation->bar = next->bar;
  return random_.Percent(80);
}

// Replaces the warp's next arrival by one whose count or kind differs from the open generation's,
// so that it is refused.
bool RandomDriver::Disagree(const Cta& cta, Operation* operation) {
  const Operation* next = Joins(cta, operation->warp);
  if (next == nullptr) {
    return false;
  }
  const BarState state = DecodeBarWord(words_[cta.slot][next->bar]);
  operation->bar = next->bar;
  operation->count = next->count;
  if (random_.Percent(50)) {
    const unsigned other =
        state.expected != 0 && random_.Percent(50) ? 0 : random_.Between(1, cta.size);
    operation->count = Threads(other);
    if (GoesOn(operation->kind) && other == 0) {
      operation->kind = OpKind::kSync;
    }
    return other != state.expected;
  }
  if (GoesOn(operation->kind) && operation->count == 0) {
    operation->kind = OpKind::kSync;
  }
  return KindOf(operation->kind) != state.kind;
}

// ------------------------------------------------------------------------------------------------
// Exits
// ------------------------------------------------------------------------------------------------

bool RandomDriver::ExitOfNoLane(Operation* operation) {
  const unsigned warp = random_.Below(config_.num_warps);
  const Cta* owner = owners_[warp];
  if (owner == nullptr || owner->state != State::kRunning || (owner->unjoined & Bit(warp)) != 0 ||
      ((exiting_ | presented_ | ~Unengaged()) >> warp & 1) != 0) {
    return false;
  }
  operation->kind = OpKind::kExit;
  operation->cta = Byte(owner->slot);
  operation->warp = Byte(warp);
  exiting_ |= Bit(warp);
  return true;
}

// An exit that is refused, or of no lanes. It finds the CTAs as they are now: no launch, suspend or
// end is on its way.
bool RandomDriver::StrayExit(Operation* operation) {
  *operation = Operation();
  if (!config_.faults) {
    return ExitOfNoLane(operation);
  }
  if (lifecycle_flying_ != 0) {
    return false;
  }
  const unsigned warp = random_.Below(config_.num_warps);
  const Cta* owner = owners_[warp];
  const unsigned slot =
      owner != nullptr && random_.Percent(50) ? owner->slot : random_.Below(kMaxCtas);
  const Cta* resident = slot < config_.num_ctas ? residents_[slot] : nullptr;
  const bool settled = resident == nullptr || resident->state == State::kRunning;
  operation->cta = Byte(slot);
  operation->kind = OpKind::kExit;
  switch (random_.Below(2)) {
    case 0:  // of a warp that is not this CTA's, or of no lane
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
    default:  // of one of several lanes of a warp that waits
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

}  // namespace muster::lockstep
