// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/atomics.h"

#include <optional>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/memory_access.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWordOfAtomic = 8;

AtomicOp OpOf(Atomic op) {
  switch (op) {
    case Atomic::kAdd:
      return AtomicOp::kAdd;
    case Atomic::kMin:
      return AtomicOp::kMin;
    case Atomic::kMax:
      return AtomicOp::kMax;
    case Atomic::kAnd:
      return AtomicOp::kAnd;
    case Atomic::kOr:
      return AtomicOp::kOr;
    case Atomic::kXor:
      return AtomicOp::kXor;
    case Atomic::kExchange:
      return AtomicOp::kExch;
    case Atomic::kCompareSwap:
      return AtomicOp::kCas;
    case Atomic::kIncrement:
      return AtomicOp::kInc;
    case Atomic::kDecrement:
      return AtomicOp::kDec;
  }
  return AtomicOp::kAdd;
}

// Nothing: the unit has no such size or type.
std::optional<AtomicSize> SizeOf(const AtomicAccess& access) {
  if (access.count != 1) {
    return std::nullopt;
  }
  switch (access.type) {
    case Type::kB16:
      return AtomicSize::k16;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
      return AtomicSize::k32;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
      return AtomicSize::k64;
    default:
      return std::nullopt;
  }
}

}  // namespace

// Of integers in the CTA's own shared memory, away from mbarriers, outside of schedules, where all
// values are known. All else is done in place.
std::optional<StepEvent> MemoryAccess::ReachAtomic(Warp* warp, std::size_t index,
                                                   std::uint32_t active) {
  const Group group = warp->groups[index];
  const auto& access = x_.program.code[group.pc].As<AtomicAccess>();
  const std::optional<AtomicSize> size = SizeOf(access);
  if (!x_.has_atomics || x_.replay != nullptr || x_.tracks_unknown || !size) {
    return std::nullopt;
  }
  const Lanes lanes = x_.LanesOf(warp, group, active);
  const auto base = lanes.Read(access.address.base);
  AtomicCall& call = warp->atomic;
  AtomicInstruction& instruction = call.instruction;
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const Span span = SpanOf(warp, lane, Op::kAtomic, access, access.address.From(base[lane]));
    const std::uint64_t byte = ByteIn(warp->cta->shared, span.at);
    if (byte == kElsewhere || span.own != BytesOf(*size) ||
        (x_.mbarriers != nullptr && x_.mbarriers->Watches(warp->cta->slot, byte, span.own))) {
      return std::nullopt;
    }
    instruction.addr[lane] = static_cast<std::uint32_t>(byte);
  }
  const bool swaps = access.op == Atomic::kCompareSwap;
  instruction.op = OpOf(access.op);
  instruction.size = *size;
  instruction.is_signed = IsSigned(access.type);
  instruction.cta = static_cast<std::uint8_t>(warp->cta->slot);
  instruction.warp = static_cast<std::uint8_t>(warp->slot);
  instruction.lanes = active;
  instruction.has_answer = access.answers;
  instruction.releasing = access.ordering.Releases();
  const auto b = lanes.Read(access.b[0]);
  const auto c = lanes.Read(swaps ? access.c[0] : access.b[0]);
  lanes.ForEach([&](unsigned lane) {
    instruction.operand[lane] = c[lane];
    instruction.compare[lane] = swaps ? b[lane] : 0;
  });
  call.frame = group.frame;
  call.d = access.d[0];
  Advance(warp, index);
  return StepEvent::kAtomic;
}

// The whole word in which the value was.
void MemoryAccess::AnswerAtomic(Warp* warp, unsigned lane, std::uint64_t word) {
  const AtomicInstruction& instruction = warp->atomic.instruction;
  const unsigned bits = 8 * BytesOf(instruction.size);
  warp->Register(warp->atomic.frame, warp->atomic.d, lane) =
      word >> 8 * (instruction.addr[lane] % kWordOfAtomic) & (~std::uint64_t{0} >> (64 - bits));
}

// Whether no unit is between the read and the write of a word that a lane stores to.
bool MemoryAccess::MayStoreBesideAtomics(Warp* warp, const Lanes& lanes) {
  bool any = false;
  for (const Cta* const cta : warp->cta->cluster->ctas) {
    any = any || (cta->atomics != nullptr && cta->atomics->HoldsAny());
  }
  if (!any) {
    return true;
  }
  const Access& access = lanes.instruction.op == Op::kStore
                             ? static_cast<const Access&>(lanes.instruction.As<Store>())
                             : lanes.instruction.As<AtomicAccess>();
  bool may = true;
  lanes.ForEach([&, base = lanes.Read(access.address.base)](unsigned lane) {
    const std::uint64_t named = access.address.From(base[lane]);
    const bool shared =
        IsShared(access.address.space) ||
        (access.address.space == Space::kGeneric && SegmentOf(named) == kSharedSegment);
    if (!shared) {
      return;
    }
    const std::uint64_t address = IsShared(access.address.space) ? named : ByteOf(named);
    const Cta* const cta = CtaAt(*warp, address);
    may = may && (cta == nullptr || cta->atomics == nullptr ||
                  cta->atomics->MayStore(cta->slot, SharedByte(address),
                                         Bytes(access.type) * access.count));
  });
  return may;
}

}  // namespace muster::ptx
