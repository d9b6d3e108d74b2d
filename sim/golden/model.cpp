// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// "PTX" is PTX ISA 9.7.13.1 (bar, barrier); the other names are sections of the BCU ISA. Where they
// differ, PTX says what a program may observe and the BCU ISA how the machine counts.
#include "sim/golden/model.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdint>
#include <iterator>
#include <string>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"

namespace muster::golden {
namespace {

// Of an entry that is not idle.
bool IsReduction(BarKind kind) { return kind != BarKind::kSync; }

// SYNC and ARV pair with each other; each reduction pairs only with itself (PTX: "should not be
// intermixed"; BAR.RED, notes: a run-time exception).
BarKind KindOf(OpKind kind) {
  switch (kind) {
    case OpKind::kRedAnd:
      return BarKind::kAnd;
    case OpKind::kRedOr:
      return BarKind::kOr;
    case OpKind::kRedPopc:
      return BarKind::kPopc;
    default:
      return BarKind::kSync;
  }
}

// The reduction of the predicates of one more warp (BAR.RED, reduction). Lanes that do not take
// part change nothing.
unsigned Reduce(BarKind kind, unsigned value, std::uint32_t lanes, std::uint32_t predicates) {
  const std::uint32_t true_lanes = lanes & predicates;
  switch (kind) {
    case BarKind::kAnd:
      return value != 0 && true_lanes == lanes ? 1 : 0;
    case BarKind::kOr:
      return value != 0 || true_lanes != 0 ? 1 : 0;
    case BarKind::kPopc:
      return value + Ones(true_lanes);
    default:
      return 0;
  }
}

// What a state word may hold as a reduction's value, if `lanes` lanes took part at most.
bool IsPossibleValue(unsigned kind, unsigned value, unsigned lanes) {
  switch (static_cast<BarKind>(kind)) {
    case BarKind::kAnd:
    case BarKind::kOr:
      return value <= 1;
    case BarKind::kPopc:
      return value <= lanes;
    default:
      return value == 0;
  }
}

}  // namespace

Model::Model(const Config& config) : config_(config) {}

void Model::Reset() { *this = Model(config_); }

Effects Model::Step(const Operation& given) {
  assert(given.bar < kNumBars);
  Operation operation = given;
  operation.lanes &= LanesOfWarp();
  Effects effects;
  if (operation.lanes == 0 && (!IsLifecycle(operation.kind) || operation.kind == OpKind::kExit)) {
    return effects;  // no lane executes it
  }
  effects.fault = Judge(operation);
  if (effects.fault != FaultCause::kNone) {
    return effects;
  }
  switch (operation.kind) {
    case OpKind::kSync:
    case OpKind::kArrive:
    case OpKind::kRedAnd:
    case OpKind::kRedOr:
    case OpKind::kRedPopc:
    case OpKind::kArrivePhase:
      Arrive(operation, &effects);
      break;
    case OpKind::kWait:
      Wait(operation, &effects);
      break;
    case OpKind::kB2rBar:
    case OpKind::kB2rWarp:
    case OpKind::kB2rResult:
      Read(operation, &effects);
      break;
    case OpKind::kR2bBar:
      WriteBar(operation, &effects);
      break;
    case OpKind::kR2bWarp:
      WriteWarp(operation);
      break;
    case OpKind::kLaunch:
      Launch(operation);
      break;
    case OpKind::kOpen:
      Open(operation);
      break;
    case OpKind::kJoin:
      Join(operation);
      break;
    case OpKind::kExit:
      Exit(operation, &effects);
      break;
    case OpKind::kSuspend:
    case OpKind::kEnd:
      Leave(operation, &effects);
      break;
  }
  return effects;
}

// ------------------------------------------------------------------------------------------------
// What is refused, in order of precedence
// ------------------------------------------------------------------------------------------------

FaultCause Model::Judge(const Operation& operation) const {
  if (operation.kind == OpKind::kLaunch || operation.kind == OpKind::kOpen) {
    return JudgeLaunch(operation);
  }
  if (!Resident(operation.cta)) {
    return FaultCause::kCtaNotResident;
  }
  const Cta& cta = ctas_[operation.cta];
  if (operation.kind == OpKind::kSuspend || operation.kind == OpKind::kEnd) {
    return FaultCause::kNone;
  }
  if (operation.kind == OpKind::kJoin) {
    return JudgeJoin(operation);
  }
  if (operation.warp >= config_.num_warps || (cta.live & Bit(operation.warp)) == 0) {
    return FaultCause::kWarpNotLive;
  }
  // A save reads the state of a warp that waits on the warp's behalf.
  const bool saves = operation.kind == OpKind::kB2rBar || operation.kind == OpKind::kB2rWarp;
  if ((waiting_ & Bit(operation.warp)) != 0 && !saves) {
    return FaultCause::kWarpWaiting;
  }
  // Arrivals that R2B.BAR has restored, and that count to all live warps, are those of waiting
  // warps. Until R2B.WARP has restored these warps too, no warp may arrive, wait or exit: otherwise
  // an entry could complete by arrivals for which no warp waits.
  const bool runs = IsArrival(operation.kind) || operation.kind == OpKind::kWait ||
                    operation.kind == OpKind::kExit;
  if (runs && cta.owed != 0) {
    return FaultCause::kRestoreUnfinished;
  }
  if (operation.kind == OpKind::kR2bBar) {
    // A restore writes into a CTA just launched: arrivals that are there are none of the saved
    // ones.
    return IsPossible(DecodeBarWord(operation.operand), cta) &&
                   cta.bars[operation.bar].kind == BarKind::kIdle
               ? FaultCause::kNone
               : FaultCause::kBadStateWord;
  }
  if (operation.kind == OpKind::kR2bWarp) {
    const WarpState state = DecodeWarpWord(operation.operand);
    return IsPossible(state, cta) && (!state.waiting || state.apart || CanWait(state, cta))
               ? FaultCause::kNone
               : FaultCause::kBadStateWord;
  }
  return IsArrival(operation.kind) ? JudgeArrival(operation, cta) : FaultCause::kNone;
}

FaultCause Model::JudgeArrival(const Operation& operation, const Cta& cta) const {
  // PTX: "a non-zero thread count is required for barrier.arrive"; BAR, operands: ARV needs
  // SrcCnt > 0.
  if (GoesOn(operation.kind) && operation.count == 0) {
    return FaultCause::kArvWithoutCount;
  }
  // PTX: "the value must be a multiple of the warp size"; BAR, operands.
  if (operation.count % config_.warp_size != 0) {
    return FaultCause::kCountNotMultiple;
  }
  const unsigned expected = operation.count / config_.warp_size;
  if (expected > cta.size) {
    return FaultCause::kCountAboveCta;
  }
  const Barrier& barrier = cta.bars[operation.bar];
  if (barrier.kind == BarKind::kIdle) {
    return FaultCause::kNone;
  }
  // BAR.ARV: the counts of arrivals that belong together are strictly equal. Count 0 and the
  // explicit count of the whole CTA are two counts.
  if (barrier.expected != expected) {
    return FaultCause::kCountMismatch;
  }
  if (barrier.kind != KindOf(operation.kind)) {
    return FaultCause::kKindMismatch;
  }
  return FaultCause::kNone;
}

// An entry at rest, or one that still lacks arrivals.
bool Model::IsPossible(const BarState& state, const Cta& cta) const {
  if (state.zero != 0 || (state.phase && !config_.split)) {
    return false;
  }
  if (state.kind == 0 && state.expected == 0 && state.arrived == 0 && state.value == 0) {
    return true;
  }
  const bool counts = state.expected == 0
                          ? state.arrived < CountLive(cta)
                          : state.arrived < state.expected && state.expected <= cta.size;
  return state.kind >= static_cast<unsigned>(BarKind::kSync) &&
         state.kind <= static_cast<unsigned>(BarKind::kPopc) && state.arrived != 0 && counts &&
         IsPossibleValue(state.kind, state.value, state.arrived * config_.warp_size);
}

bool Model::IsPossible(const WarpState& state, const Cta& cta) const {
  if (state.zero != 0 || (!state.waiting && state.wait_bar != 0) ||
      (state.apart && !(state.waiting && config_.split))) {
    return false;
  }
  if (state.kind == static_cast<unsigned>(BarKind::kIdle)) {
    return state.value == 0 && state.bar == 0;
  }
  return state.kind >= static_cast<unsigned>(BarKind::kAnd) &&
         state.kind <= static_cast<unsigned>(BarKind::kPopc) &&
         IsPossibleValue(state.kind, state.value, cta.size * config_.warp_size);
}

// A warp that has arrived waits where arrivals are that R2B.BAR has restored: at an entry that
// counts to all live warps, its own is one of them, and still owed. If they are a reduction's, it
// is the latest that the warp took part in, and has no result yet.
bool Model::CanWait(const WarpState& state, const Cta& cta) {
  const Barrier& barrier = cta.bars[state.wait_bar];
  if (barrier.kind == BarKind::kIdle || (barrier.expected == 0 && cta.owed == 0)) {
    return false;
  }
  return !IsReduction(barrier.kind) || (state.kind == static_cast<unsigned>(barrier.kind) &&
                                        state.bar == state.wait_bar && state.value == 0);
}

// ------------------------------------------------------------------------------------------------
// Arrivals
// ------------------------------------------------------------------------------------------------

void Model::Arrive(const Operation& operation, Effects* effects) {
  Cta& cta = ctas_[operation.cta];
  Barrier& barrier = cta.bars[operation.bar];
  const WarpSet self = Bit(operation.warp);

  // The first arrival of a generation says what it counts to and what it reduces.
  if (barrier.kind == BarKind::kIdle) {
    barrier.kind = KindOf(operation.kind);
    barrier.expected = static_cast<std::uint8_t>(operation.count / config_.warp_size);
    barrier.value = barrier.kind == BarKind::kAnd ? 1 : 0;
  }

  // PTX: care must be taken to keep a warp from ARV "followed by any other barrier instruction to
  // the same barrier". It counts all the same.
  if ((barrier.announced & self) != 0) {
    effects->hazards |= HazardBit(Hazard::kRepeatedArrival);
  }
  if ((barrier.came & self) != 0) {
    auto& times = again_[operation.cta][operation.bar];
    if (!barrier.again) {
      barrier.again = true;
      times.fill(0);
    }
    ++times[operation.warp];
  }
  barrier.came |= self;
  Warp& warp = warps_[operation.warp];
  if (operation.kind == OpKind::kArrivePhase) {
    effects->responds = true;
    effects->data = barrier.phase ? 1 : 0;
    warp.tokens[operation.bar] = {true, barrier.phase, barrier.completions};
  }

  // BAR.SYNC, BAR.ARV; BAR.RED, counting: one instruction adds a whole warp, also when
  // only some of its lanes execute it.
  ++barrier.arrived;
  barrier.value = static_cast<std::uint16_t>(
      Reduce(barrier.kind, barrier.value, operation.lanes, operation.operand));
  if (IsWaiting(operation.kind)) {
    barrier.waiting |= self;
    waiting_ |= self;
    warp.wait_bar = operation.bar;
  } else {
    barrier.announced |= self;
  }
  // B2R.WARP tells of the latest reduction that the warp took part in, from its arrival on.
  if (IsReduction(operation.kind)) {
    warp.kind = barrier.kind;
    warp.bar = operation.bar;
    warp.value = 0;
  }

  // BAR.SYNC; BAR.RED, completion: the count itself; or, for count 0, the threads of the CTA less
  // those of the warps that have exited. Warps that have not joined are of the CTA.
  const unsigned target = barrier.expected != 0 ? barrier.expected : CountLive(cta);
  if (barrier.arrived == target) {
    Complete(operation.cta, operation.bar, effects);
  }
  effects->entry_written = true;
  effects->cta = operation.cta;
  effects->bar = operation.bar;
  effects->word = EntryWord(operation.cta, operation.bar);
}

// A phase is one bit: if it is not the entry's, it has completed. A warp waits for one that has
// not, whether the entry holds arrivals or not, and without being one of them.
void Model::Wait(const Operation& operation, Effects* effects) {
  Barrier& barrier = ctas_[operation.cta].bars[operation.bar];
  const WarpSet self = Bit(operation.warp);
  const bool phase = (operation.operand & 1) != 0;
  if (phase != barrier.phase) {
    effects->released = self;
    effects->released_kind = BarKind::kSync;
    effects->cta = operation.cta;
    effects->bar = operation.bar;
    return;
  }
  Warp& warp = warps_[operation.warp];
  const Token& token = warp.tokens[operation.bar];
  if (token.given && token.phase == phase && token.completions != barrier.completions) {
    effects->hazards |= HazardBit(Hazard::kLateWait);
  }
  barrier.waiting |= self;
  waiting_ |= self;
  apart_ |= self;
  warp.wait_bar = operation.bar;
}

// PTX: "the waiting threads are restarted without delay, and the barrier is reinitialized so that
// it can be immediately reused."
void Model::Complete(unsigned cta, unsigned bar, Effects* effects) {
  Barrier& barrier = ctas_[cta].bars[bar];
  effects->completed = true;
  effects->released = barrier.waiting;
  if (barrier.waiting != 0) {
    effects->released_kind = barrier.kind;
    effects->released_value = barrier.value;
  }
  // BAR.RED, reduction: each warp that took part gets its own copy, which its next reduction
  // overwrites. Warps that wait apart took no part.
  if (IsReduction(barrier.kind)) {
    for (WarpSet left = barrier.waiting & ~apart_; left != 0; left &= left - 1) {
      warps_[First(left)].value = barrier.value;
    }
  }
  waiting_ &= ~barrier.waiting;
  apart_ &= ~barrier.waiting;
  barrier.again = false;
  barrier.kind = BarKind::kIdle;
  barrier.expected = 0;
  barrier.arrived = 0;
  barrier.value = 0;
  barrier.waiting = 0;
  barrier.phase = config_.split && !barrier.phase;
  ++barrier.completions;
  barrier.came = 0;
  barrier.announced = 0;
  barrier.former = 0;
}

// ------------------------------------------------------------------------------------------------
// State words and results
// ------------------------------------------------------------------------------------------------

void Model::Read(const Operation& operation, Effects* effects) const {
  effects->responds = true;
  switch (operation.kind) {
    case OpKind::kB2rBar:
      effects->data = EntryWord(operation.cta, operation.bar);
      break;
    case OpKind::kB2rWarp:  // the warp's own copy, whatever has become of the entry since
      effects->data = WarpWord(operation.warp);
      break;
    default: {
      // B2R.RESULT: Rd after POPC, pu after AND and OR. What the text leaves undefined reads 0.
      const WarpState state = DecodeWarpWord(WarpWord(operation.warp));
      const bool popc = state.kind == static_cast<unsigned>(BarKind::kPopc);
      effects->data = popc ? state.value : 0;
      effects->pred = !popc && state.value != 0;
      break;
    }
  }
}

// R2B.BAR writes the counts and the phase of an idle entry, and no waiting warps. It never
// completes by itself.
void Model::WriteBar(const Operation& operation, Effects* effects) {
  Cta& cta = ctas_[operation.cta];
  Barrier& barrier = cta.bars[operation.bar];
  const BarState state = DecodeBarWord(operation.operand);
  barrier.kind = static_cast<BarKind>(state.kind);
  barrier.expected = static_cast<std::uint8_t>(state.expected);
  barrier.arrived = static_cast<std::uint8_t>(state.arrived);
  barrier.value = static_cast<std::uint16_t>(state.value);
  barrier.phase = state.phase;
  cta.owed += HoldsAllWarps(barrier) ? barrier.arrived : 0;
  effects->entry_written = true;
  effects->cta = operation.cta;
  effects->bar = operation.bar;
  effects->word = operation.operand;
}

// R2B.WARP writes the copy, and where the warp waits. It counts no arrival.
void Model::WriteWarp(const Operation& operation) {
  const WarpSet self = Bit(operation.warp);
  Warp& warp = warps_[operation.warp];
  const WarpState state = DecodeWarpWord(operation.operand);
  warp.kind = static_cast<BarKind>(state.kind);
  warp.bar = static_cast<std::uint8_t>(state.bar);
  warp.value = static_cast<std::uint16_t>(state.value);
  if (state.waiting) {
    Cta& cta = ctas_[operation.cta];
    Barrier& barrier = cta.bars[state.wait_bar];
    warp.wait_bar = static_cast<std::uint8_t>(state.wait_bar);
    waiting_ |= self;
    barrier.waiting |= self;
    apart_ |= state.apart ? self : 0;
    cta.owed -= HoldsAllWarps(barrier) && !state.apart ? 1 : 0;
  }
}

std::uint32_t Model::EntryWord(unsigned cta, unsigned bar) const {
  const Barrier& barrier = ctas_[cta].bars[bar];
  BarState state;
  state.value = barrier.value;
  state.arrived = barrier.arrived;
  state.expected = barrier.expected;
  state.kind = static_cast<unsigned>(barrier.kind);
  state.phase = barrier.phase;
  return Encode(state);
}

std::uint32_t Model::WarpWord(unsigned warp) const {
  const Warp& from = warps_[warp];
  WarpState state;
  state.value = config_.result ? from.value : 0;
  state.bar = from.bar;
  state.kind = static_cast<unsigned>(from.kind);
  state.waiting = (waiting_ & Bit(warp)) != 0;
  state.wait_bar = state.waiting ? from.wait_bar : 0;
  state.apart = (apart_ & Bit(warp)) != 0;
  return Encode(state);
}

// Lanes of a warp exit; the last one's exit is the warp's.
void Model::Exit(const Operation& operation, Effects* effects) {
  Cta& cta = ctas_[operation.cta];
  Warp& warp = warps_[operation.warp];
  warp.lanes = config_.lanes ? warp.lanes & ~operation.lanes : 0;
  if (warp.lanes != 0) {
    return;
  }
  cta.live &= ~Bit(operation.warp);
  live_ &= ~Bit(operation.warp);

  // BAR.SYNC; BAR.RED, completion: warps that "have completely exited" count as if they had arrived
  // at an entry that expects all. At most one entry lacks no other warp.
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    const Barrier& barrier = cta.bars[bar];
    if (HoldsAllWarps(barrier) && barrier.arrived == CountLive(cta)) {
      assert(!effects->completed);
      Complete(operation.cta, bar, effects);
      effects->entry_written = true;
      effects->cta = operation.cta;
      effects->bar = static_cast<std::uint8_t>(bar);
      effects->word = EntryWord(operation.cta, bar);
    }
  }
}

}  // namespace muster::golden
