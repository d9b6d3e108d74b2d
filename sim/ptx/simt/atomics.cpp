// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/atomics.h"

#include <array>
#include <cstdint>
#include <optional>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/memory_access.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWordOfAtomic = 8;

// The CTA of the warp's cluster in whose shared memory this is; null: none.
const Cta* OwnerOf(const Warp& warp, const std::uint8_t* at) {
  for (const Cta* const cta : warp.cta->cluster->ctas) {
    if (cta != nullptr && !cta->exited && ByteIn(cta->shared, at) != kElsewhere) {
      return cta;
    }
  }
  return nullptr;
}

}  // namespace

AtomicOp AtomicOpOf(Atomic op, Type type) {
  switch (op) {
    case Atomic::kAdd:
      switch (ElementOf(type)) {
        case Type::kF16:
          return AtomicOp::kHAdd;
        case Type::kBF16:
          return AtomicOp::kBAdd;
        case Type::kF32:
        case Type::kF64:
          return AtomicOp::kFAdd;
        default:
          return AtomicOp::kAdd;
      }
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

std::optional<AtomicSize> AtomicSizeOf(unsigned bytes) {
  switch (bytes) {
    case 2:
      return AtomicSize::k16;
    case 4:
      return AtomicSize::k32;
    case 8:
      return AtomicSize::k64;
    case 16:
      return AtomicSize::k128;
    default:
      return std::nullopt;
  }
}

// In shared memory of the cluster, away from mbarriers. All else is done in place.
std::optional<StepEvent> MemoryAccess::ReachAtomic(Warp* warp, std::size_t index,
                                                   std::uint32_t active) {
  const Group group = warp->groups[index];
  const auto& access = x_.program.code[group.pc].As<AtomicAccess>();
  const std::optional<AtomicSize> size =
      access.count == 1 ? AtomicSizeOf(Bytes(access.type)) : std::nullopt;
  if (!x_.has_atomics || !size) {
    return std::nullopt;
  }
  const Lanes lanes = x_.LanesOf(warp, group, active);
  const auto base = lanes.Read(access.address.base);
  AtomicCall& call = warp->atomic;
  AtomicInstruction& instruction = call.instruction;
  call.away = 0;
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const Span span = SpanOf(warp, lane, Op::kAtomic, access, access.address.From(base[lane]));
    const Cta* const cta = span.own == BytesOf(*size) ? OwnerOf(*warp, span.at) : nullptr;
    if (cta == nullptr || cta->atomics == nullptr) {
      return std::nullopt;
    }
    const std::uint64_t byte = ByteIn(cta->shared, span.at);
    if (cta->port != nullptr && cta->port->Watches(cta->slot, byte, span.own)) {
      return std::nullopt;
    }
    if (cta != warp->cta) {
      call.away |= 1U << lane;
      call.rank[lane] = static_cast<std::uint8_t>(cta->rank);
    }
    instruction.addr[lane] = static_cast<std::uint32_t>(byte);
  }
  const bool swaps = access.op == Atomic::kCompareSwap;
  instruction.op = AtomicOpOf(access.op, access.type);
  instruction.size = *size;
  instruction.is_signed = IsSigned(access.type);
  instruction.cta = static_cast<std::uint8_t>(warp->cta->slot);
  instruction.warp = static_cast<std::uint8_t>(warp->slot);
  instruction.lanes = active;
  instruction.has_answer = access.answers;
  instruction.releasing = access.ordering.Releases();
  const auto fill = [&](Slot from, std::array<std::uint64_t, kMaxLanes>* operands) {
    if (from == kNoSlot) {
      lanes.ForEach([&](unsigned lane) { (*operands)[lane] = 0; });
    } else {
      lanes.ForEach(
          [&, values = lanes.Read(from)](unsigned lane) { (*operands)[lane] = values[lane]; });
    }
  };
  fill(swaps ? access.c[0] : access.b[0], &instruction.operand);
  fill(swaps ? access.b[0] : kNoSlot, &instruction.compare);
  if (*size == AtomicSize::k128) {
    fill(swaps ? access.c[1] : access.b[1], &instruction.operand_upper);
    fill(swaps ? access.b[1] : kNoSlot, &instruction.compare_upper);
  }
  if (x_.tracks_unknown) {
    x_.changed |= unknowns_.SpreadAccess(warp, lanes, group.frame) != 0;
  }
  call.line = x_.program.code[group.pc].line;
  call.pass = x_.replay == nullptr ? 0 : x_.replay->pass();
  call.frame = group.frame;
  call.d = access.d[0];
  call.d_upper = access.d[1];
  Advance(warp, index);
  return StepEvent::kAtomic;
}

// The whole word in which the value was, or a half of it.
void MemoryAccess::AnswerAtomic(Warp* warp, unsigned lane, bool upper, std::uint64_t word) {
  const AtomicInstruction& instruction = warp->atomic.instruction;
  if (instruction.size == AtomicSize::k128) {
    warp->Register(warp->atomic.frame, upper ? warp->atomic.d_upper : warp->atomic.d, lane) = word;
    return;
  }
  const unsigned bits = 8 * BytesOf(instruction.size);
  warp->Register(warp->atomic.frame, warp->atomic.d, lane) =
      word >> 8 * (instruction.addr[lane] % kWordOfAtomic) & (~std::uint64_t{0} >> (64 - bits));
}

// What was there may have become unknown since the instruction.
void MemoryAccess::EndAtomic(Warp* warp) {
  const AtomicCall& call = warp->atomic;
  for (std::uint32_t rest = x_.tracks_unknown ? call.instruction.lanes : 0; rest != 0;
       rest &= rest - 1) {
    const unsigned lane = First(rest);
    const bool away = (call.away >> lane & 1) != 0;
    const Cta& cta = away ? *warp->cta->cluster->ctas[call.rank[lane]] : *warp->cta;
    SetUnknown(warp, call.frame, {call.d, call.d_upper}, 1U << lane,
               cta.unknown.Find(call.instruction.addr[lane], BytesOf(call.instruction.size)));
  }
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
