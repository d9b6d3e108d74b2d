// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Numbers in comments are subsections of PTX ISA 9.7.13.15; those after "9.4:" are subsections of
// 9.7.15.16 in PTX ISA 9.4, which has layouts and reports.
#include "sim/golden/mbarrier.h"

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"

namespace muster::golden {
namespace {

constexpr std::uint32_t kMbBytes = 8;  // (.1) size and alignment

bool Parity(std::uint64_t phase) { return phase % 2 != 0; }

// The arrive-on's argument (.13: 1 with .expect_tx).
std::int64_t ArriveCount(const MbOperation& operation) {
  return ExpectsTx(operation.op) ? 1 : operation.operand;
}

// What the operation adds to tx-count (.5.1, .5.2).
std::int64_t TxChange(const MbOperation& operation) {
  if (operation.op == MbOp::kCompleteTx) {
    return -std::int64_t{operation.operand};
  }
  return ExpectsTx(operation.op) ? operation.operand : 0;
}

template <typename Visit>
void ForEachLane(std::uint32_t lanes, Visit visit) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    visit(static_cast<unsigned>(__builtin_ctz(left)));
  }
}

}  // namespace

void Mbarriers::Reset() {
  for (auto& words : words_) {
    words.clear();
  }
  outstanding_.fill(0);
  parked_ = 0;
  waiters_.fill(Waiter());
}

MbEffects Mbarriers::Do(const MbEvent& event) {
  const MbOperation& at = event.operation;
  switch (event.kind) {
    case MbEvent::Kind::kStep:
      return Step(at);
    case MbEvent::Kind::kExpire:
      return Expire(at.warp);
    case MbEvent::Kind::kLeave:
      return Leave(at.cta, event.how);
    case MbEvent::Kind::kStore:
      return Store(at.cta, at.addr, event.word);
    case MbEvent::Kind::kRestore:
      Restore(at.cta, at.addr, event.word);
      break;
  }
  return {};
}

// In one piece with what it does for each lane: this is most of the model's time.
[[gnu::flatten]] MbEffects Mbarriers::Step(const MbOperation& given) {
  MbEffects effects;
  MbOperation operation = given;
  operation.lanes &= core_.LanesOfWarp();
  operation.behind &= core_.LanesOfWarp();
  if (!layouts_) {
    operation.asks = MbAsks::kPrimary;
    operation.phase = operation.phase && operation.op != MbOp::kInit;
  }
  if (operation.lanes == 0) {
    return effects;  // no lane executes it
  }
  const auto refuse = [&](FaultCause cause) {
    ForEachLane(operation.lanes, [&](unsigned lane) { effects.fault[lane] = cause; });
  };
  const FaultCause refused = JudgeCore(operation);
  if (refused != FaultCause::kNone || operation.source == MbSource::kOutbound) {
    refuse(refused);
    return effects;
  }
  // (.15) The arrive-on comes upon the completion of the copies, asynchronously.
  std::uint64_t& outstanding = outstanding_[operation.cta];
  if (operation.op == MbOp::kCopyArriveNoInc) {
    ForEachLane(operation.lanes, [&](unsigned) { ++outstanding; });
    return effects;
  }
  if (operation.source == MbSource::kAsync && operation.op == MbOp::kArrive && outstanding != 0) {
    --outstanding;
  }
  const FaultCause bad = JudgeOperands(operation);
  if (bad != FaultCause::kNone) {
    refuse(bad);
    return effects;
  }

  Object& object = words_[operation.cta][operation.addr];
  ForEachLane(operation.lanes, [&](unsigned lane) {
    effects.fault[lane] = JudgeWord(operation, object);
    if (effects.fault[lane] == FaultCause::kNone) {
      StepLane(operation, lane, &object, &effects);
    }
  });
  if (IsTryWait(operation.op) && effects.complete == 0) {
    Park(operation, object, &effects);
  }
  effects.word = ToWord(object);
  return effects;
}

// ------------------------------------------------------------------------------------------------
// What is refused, in order of precedence
// ------------------------------------------------------------------------------------------------

FaultCause Mbarriers::JudgeCore(const MbOperation& operation) const {
  const unsigned cta = operation.cta;
  if (!core_.Resident(cta)) {
    return FaultCause::kCtaNotResident;
  }
  const bool remote =
      operation.source == MbSource::kRemote || operation.source == MbSource::kOutbound;
  if (operation.source == MbSource::kWarp || operation.source == MbSource::kOutbound) {
    if (operation.warp >= kMaxWarps || (core_.LiveWarps(cta) & Bit(operation.warp)) == 0) {
      return FaultCause::kWarpNotLive;
    }
    if ((core_.Waiting() & Bit(operation.warp)) != 0) {
      return FaultCause::kWarpWaiting;
    }
  }
  // (.8) On another CTA's word: arrive, which cannot return a result, expect_tx and complete_tx.
  if (remote && (!IsRemote(operation.op) || operation.has_token)) {
    return FaultCause::kRemoteNotAllowed;
  }
  return FaultCause::kNone;
}

FaultCause Mbarriers::JudgeOperands(const MbOperation& operation) const {
  assert(operation.source != MbSource::kAsync || operation.op == MbOp::kCompleteTx ||
         operation.op == MbOp::kReportOn ||
         (operation.op == MbOp::kArrive && operation.operand == 1));
  if (operation.addr % kMbBytes != 0 || operation.addr >= smem_bytes_) {
    return FaultCause::kBadAddress;
  }
  // (.2) The valid ranges, of all 32 bits of an operand.
  // (9.4: .3) An object of layout v1 counts fewer arrivals.
  const bool v1 = operation.op == MbOp::kInit && operation.phase;
  const std::uint32_t most = v1 ? kMaxMbCountV1 : kMaxMbCount;
  if (operation.op == MbOp::kInit && (operation.operand == 0 || operation.operand > most)) {
    return FaultCause::kBadInitCount;
  }
  if (IsMbArrival(operation.op)) {
    const std::int64_t count = ArriveCount(operation);
    if (count == 0 || count > kMaxMbCount) {
      return FaultCause::kBadArriveCount;
    }
  }
  return std::abs(TxChange(operation)) > kMaxMbCount ? FaultCause::kTxOverflow : FaultCause::kNone;
}

FaultCause Mbarriers::JudgeWord(const MbOperation& operation, const Object& object) {
  if (operation.op == MbOp::kInit || operation.op == MbOp::kInval || IsMbWait(operation.op)) {
    return FaultCause::kNone;
  }
  if (IsExhausted(object)) {
    return FaultCause::kWordExhausted;
  }
  // (9.4: .5.2) Layout v0 does not support what could hold back the conditional phase.
  if (operation.op == MbOp::kReportOn && !object.v1) {
    return FaultCause::kWrongLayout;
  }
  const std::int64_t count = IsMbArrival(operation.op) ? ArriveCount(operation) : 0;
  if (count > object.pending || (IsDrop(operation.op) && count > object.expected)) {
    return FaultCause::kBadArriveCount;
  }
  const std::int64_t tx = object.tx + TxChange(operation);
  if (ChangesTx(operation.op) && std::abs(tx) > kMaxMbCount) {
    return FaultCause::kTxOverflow;
  }
  // (.15) "The pending count after the increment should not exceed the limit."
  if (operation.op == MbOp::kCopyArrive && object.pending == MostPending(object)) {
    return FaultCause::kPendingOverflow;
  }
  // (.13, .14) It "must not cause the mbarrier to complete its current phase".
  if (IsNoComplete(operation.op) && object.pending == count && tx == 0) {
    return FaultCause::kNocompleteCompleted;
  }
  return FaultCause::kNone;
}

// (9.4: .3)
std::int64_t Mbarriers::MostPending(const Object& object) {
  return object.v1 ? kMaxMbCountV1 : kMaxMbCount;
}

// (.2) Zero is not a valid expected count: without further arrivals, no phase can complete any
// more.
bool Mbarriers::IsExhausted(const Object& object) {
  return object.expected == 0 && object.pending == 0 && object.tx == 0;
}

// ------------------------------------------------------------------------------------------------
// One lane's operation
// ------------------------------------------------------------------------------------------------

void Mbarriers::StepLane(const MbOperation& operation, unsigned lane, Object* object,
                         MbEffects* effects) {
  // (introduction, .10) Anything but init needs an object.
  if (operation.op != MbOp::kInit && !object->initialised) {
    effects->hazards |= HazardBit(Hazard::kUninitialisedWord);
  }
  if (IsMbWait(operation.op)) {
    Wait(operation, lane, object, effects);
    return;
  }
  effects->written = true;
  object->stray = 0;
  switch (operation.op) {
    case MbOp::kInit:
      Init(operation, object, effects);
      break;
    case MbOp::kInval:
      NoteOverwritten(operation.cta, operation.addr, effects);
      *object = Object();
      break;
    case MbOp::kExpectTx:
      object->tx += TxChange(operation);
      if (kExpectTxCompletes) {
        TestCompletion(operation, object, effects);
      }
      break;
    case MbOp::kCompleteTx:
      object->tx += TxChange(operation);
      TestCompletion(operation, object, effects);
      break;
    case MbOp::kCopyArrive:
      ++object->pending;
      ++outstanding_[operation.cta];
      break;
    case MbOp::kReportOn:
      // (9.4: .10) The payload report is updated: the predicate becomes true, the value is ORed.
      object->report |= kMbReported | (operation.operand & 0xff);
      break;
    default:
      Arrive(operation, lane, object, effects);
      break;
  }
}

// (.9)
void Mbarriers::Init(const MbOperation& operation, Object* object, MbEffects* effects) {
  // "On a memory location containing a valid mbarrier object [it] is undefined."
  if (object->initialised && !IsExhausted(*object)) {
    effects->hazards |= HazardBit(Hazard::kInitOverLive);
  }
  NoteOverwritten(operation.cta, operation.addr, effects);
  *object = Object();
  object->pending = operation.operand;
  object->expected = operation.operand;
  object->v1 = operation.phase;
  object->initialised = true;
}

// (.13, .14) The drop is for the phases that follow; expect-tx comes before the arrive-on.
void Mbarriers::Arrive(const MbOperation& operation, unsigned lane, Object* object,
                       MbEffects* effects) {
  const std::int64_t count = ArriveCount(operation);
  const auto current = static_cast<std::int64_t>(object->phase);
  if (operation.source == MbSource::kWarp) {
    *MeantBy(object, operation.warp, lane, false) = current;
    if (object->v1) {
      *MeantBy(object, operation.warp, lane, true) = static_cast<std::int64_t>(object->conditional);
    }
    object->came |= Bit(operation.warp);
  }
  if (operation.has_token) {
    effects->token[lane] = ToWord(*object);
    object->token[Parity(object->phase)] = current;
  }
  if (IsDrop(operation.op)) {
    object->expected -= count;
  }
  object->tx += TxChange(operation);
  object->pending -= count;
  TestCompletion(operation, object, effects);
  const std::uint32_t behind = (operation.lanes & -(std::uint32_t{2} << lane)) | operation.behind;
  if (static_cast<std::int64_t>(object->phase) != current && behind != 0) {
    effects->hazards |= HazardBit(Hazard::kArrivalPastPhase);
  }
}

// (.6) The phase completes when both counts have reached zero.
void Mbarriers::TestCompletion(const MbOperation& operation, Object* object, MbEffects* effects) {
  if (object->pending != 0 || object->tx != 0) {
    return;
  }
  // (9.4: .8) The conditional phase advances with the primary one if its report is zero.
  const bool advances = object->report == 0;
  for (WarpSet left = parked_; left != 0; left &= left - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
    const Waiter& waiter = waiters_[warp];
    const bool conditional = waiter.conditional;
    const bool completes = conditional
                               ? advances && Parity(waiter.phase) == Parity(object->conditional)
                               : Parity(waiter.phase) == Parity(object->phase);
    if (waiter.cta == operation.cta && waiter.addr == operation.addr && completes) {
      ForEachLane(waiter.lanes,
                  [&](unsigned lane) { *MeantBy(object, warp, lane, conditional) = kNoPhase; });
      Answer(warp, true, effects);
      if (!conditional) {
        effects->answers.back().report = object->report;
      }
    }
  }
  object->conditional += advances ? 1 : 0;
  object->last = object->report;
  object->report = 0;
  ++object->phase;
  object->pending = object->expected;
  object->came = 0;
  ++effects->completions;
}

// ------------------------------------------------------------------------------------------------
// Waits (.16)
// ------------------------------------------------------------------------------------------------

// "Valid only for the current incomplete phase, for which waitComplete returns False, [and] the
// immediately preceding phase, for which [it] returns True": one parity each. A token may be any
// that was "returned by an mbarrier.arrive instruction on the same mbarrier object during the
// current or the immediately preceding phase", whichever thread it was returned to.
void Mbarriers::Wait(const MbOperation& operation, unsigned lane, Object* object,
                     MbEffects* effects) {
  // (9.4: .21) Whether the object has that layout.
  if (operation.asks == MbAsks::kLayout) {
    effects->complete |= static_cast<std::uint32_t>(object->v1 == operation.phase) << lane;
    return;
  }
  // (9.4: .19) The conditional phase may complete independently, and is asked about by its parity.
  const bool conditional = operation.asks == MbAsks::kConditional;
  const std::uint64_t phase = conditional ? object->conditional : object->phase;
  const auto current = static_cast<std::int64_t>(phase);
  std::int64_t& by_parity = *MeantBy(object, operation.warp, lane, conditional);
  const bool by_token = operation.op == MbOp::kTestWait || operation.op == MbOp::kTryWait;
  const std::int64_t meant = by_token ? object->token[operation.phase] : by_parity;
  if (meant != kNoPhase && Parity(meant) == operation.phase && current - meant >= 2) {
    effects->hazards |= HazardBit(Hazard::kLateParity);
  }
  const bool complete = Parity(phase) != operation.phase;
  effects->complete |= static_cast<std::uint32_t>(complete) << lane;
  if (complete && !conditional) {
    effects->report = object->last;
  }
  by_parity = complete ? kNoPhase : current;
}

void Mbarriers::Park(const MbOperation& operation, const Object& object, MbEffects* effects) {
  const bool at_once = operation.has_hint && operation.operand == 0;
  if (!operation.whole || at_once || (parked_ & Bit(operation.warp)) != 0) {
    return;
  }
  effects->parked = operation.lanes;
  parked_ |= Bit(operation.warp);
  const bool conditional = operation.asks == MbAsks::kConditional;
  waiters_[operation.warp] = {operation.lanes, operation.cta, operation.addr,
                              conditional ? object.conditional : object.phase, conditional};
}

void Mbarriers::Answer(unsigned warp, bool complete, MbEffects* effects) {
  effects->answers.push_back({static_cast<std::uint8_t>(warp), waiters_[warp].lanes, complete, 0});
  waiters_[warp] = Waiter();
  parked_ &= ~Bit(warp);
}

MbEffects Mbarriers::Expire(unsigned warp) {
  MbEffects effects;
  if ((parked_ & Bit(warp)) != 0) {
    Answer(warp, false, &effects);
  }
  return effects;
}

// ------------------------------------------------------------------------------------------------
// Memory, and the life of a CTA
// ------------------------------------------------------------------------------------------------

MbEffects Mbarriers::Leave(unsigned cta, OpKind kind) {
  MbEffects effects;
  for (WarpSet left = parked_; left != 0; left &= left - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
    if (waiters_[warp].cta == cta) {
      Answer(warp, false, &effects);
    }
  }
  if (kind == OpKind::kEnd && outstanding_[cta] != 0) {
    effects.hazards |= HazardBit(Hazard::kUnfinishedAsync);
  }
  outstanding_[cta] = 0;
  words_[cta].clear();
  return effects;
}

MbEffects Mbarriers::Store(unsigned cta, std::uint32_t addr, std::uint64_t word) {
  MbEffects effects;
  NoteOverwritten(cta, addr, &effects);
  words_[cta][addr] = FromWord(word);
  effects.written = true;
  effects.word = word;
  return effects;
}

void Mbarriers::Restore(unsigned cta, std::uint32_t addr, std::uint64_t word) {
  words_[cta][addr] = FromWord(word);
  words_[cta][addr].initialised = true;
}

// (introduction) Waits on an object that is replaced are not answered by the object that replaces
// it.
void Mbarriers::NoteOverwritten(unsigned cta, std::uint32_t addr, MbEffects* effects) const {
  for (WarpSet left = parked_; left != 0; left &= left - 1) {
    const Waiter& waiter = waiters_[__builtin_ctzll(left)];
    if (waiter.cta == cta && waiter.addr == addr) {
      effects->hazards |= HazardBit(Hazard::kStoreOverWaiters);
    }
  }
}

std::uint64_t Mbarriers::Word(unsigned cta, std::uint32_t addr) const {
  const auto found = words_[cta].find(addr);
  return found == words_[cta].end() ? 0 : ToWord(found->second);
}

Mbarriers::Object Mbarriers::FromWord(std::uint64_t word) const {
  const MbWord fields = DecodeMbWord(word, layouts_);
  Object object;
  object.phase = fields.phase ? 1 : 0;
  object.pending = fields.pending;
  object.expected = fields.expected;
  object.tx = fields.tx;
  object.v1 = fields.v1;
  object.conditional = fields.v1 ? std::uint64_t{fields.conditional} : object.phase;
  object.report = fields.report;
  object.last = fields.last;
  object.stray = word ^ ToWord(object);
  return object;
}

std::uint64_t Mbarriers::ToWord(const Object& object) {
  MbWord fields;
  fields.phase = Parity(object.phase);
  fields.pending = static_cast<std::uint32_t>(object.pending);
  fields.expected = static_cast<std::uint32_t>(object.expected);
  fields.tx = object.tx;
  fields.v1 = object.v1;
  fields.conditional = Parity(object.conditional);
  fields.report = object.report;
  fields.last = object.last;
  return Encode(fields) | object.stray;
}

std::int64_t* Mbarriers::MeantBy(Object* object, unsigned warp, unsigned lane, bool conditional) {
  // With layout v0 the two are one.
  std::vector<Meant>& meant = conditional && object->v1 ? object->meant_conditional : object->meant;
  if (meant.size() <= warp) {
    meant.resize(warp + 1);
  }
  return &meant[warp][lane];
}

}  // namespace muster::golden
