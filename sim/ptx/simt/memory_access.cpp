// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/memory_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sim/isa/bits.h"

namespace muster::ptx {
namespace {

// Rounded to nearest even; NaNs are those of the unit (sim/golden/float_sum.h). In global memory a
// NaN of f64 stays as it is, that of the addend first (sim/golden/hardware).
float Sum(float a, float b) {
  constexpr std::uint32_t kNan = 0x7fffffff;
  const float sum = a + b;
  return std::isnan(sum) ? FromBits<float>(kNan) : sum;
}
double Sum(double a, double b) {
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51;
  constexpr std::uint64_t kInvalid = 0xfff8000000000000;
  for (const double operand : {a, b}) {
    if (std::isnan(operand)) {
      return FromBits<double>(ToBits(operand) | kQuiet);
    }
  }
  const double sum = a + b;
  return std::isnan(sum) ? FromBits<double>(kInvalid) : sum;
}

// The value in memory after the operation; d is what was there.
template <typename T>
T Combine(Atomic op, T old, T b, T c) {
  switch (op) {
    case Atomic::kAdd:
      if constexpr (std::is_floating_point_v<T>) {
        return Sum(old, b);
      }
      return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
    case Atomic::kMin:
      return b < old ? b : old;
    case Atomic::kMax:
      return b > old ? b : old;
    case Atomic::kExchange:
      return b;
    case Atomic::kCompareSwap:
      return old == b ? c : old;
    case Atomic::kIncrement:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case Atomic::kDecrement:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    default:
      break;
  }
  if constexpr (!std::is_floating_point_v<T>) {
    if (op == Atomic::kAnd) {
      return static_cast<T>(old & b);
    }
    if (op == Atomic::kOr) {
      return static_cast<T>(old | b);
    }
    return static_cast<T>(old ^ b);
  }
  return old;
}

template <typename T>
std::uint64_t Swap(std::uint8_t* at, Atomic op, std::uint64_t b, std::uint64_t c) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T fresh = Combine(op, old, FromBits<T>(b), FromBits<T>(c));
  std::memcpy(at, &fresh, sizeof fresh);
  return ToBits<T>(old);
}

// Two halves of 16 bits, or one: each is an atomic operation of its own.
std::uint64_t SwapHalves(std::uint8_t* at, Type type, Atomic op, std::uint64_t b) {
  const Type half = type == Type::kF16 || type == Type::kF16x2 ? Type::kF16 : Type::kBF16;
  std::uint64_t all = 0;
  for (unsigned k = 0; k < Bytes(type) / 2; ++k) {
    std::uint16_t old = 0;
    std::memcpy(&old, at + std::size_t{2} * k, sizeof old);
    const auto fresh = static_cast<std::uint16_t>(CombineHalves(half, op, old, b >> (16 * k)));
    std::memcpy(at + std::size_t{2} * k, &fresh, sizeof fresh);
    all |= std::uint64_t{old} << (16 * k);
  }
  return all;
}

using Wide = std::array<std::uint64_t, 2>;
Wide SwapWide(std::uint8_t* at, Atomic op, const Wide& b, const Wide& c) {
  Wide old;
  std::memcpy(old.data(), at, sizeof old);
  const Wide fresh = op == Atomic::kExchange ? b : old == b ? c : old;
  std::memcpy(at, fresh.data(), sizeof fresh);
  return old;
}

std::uint64_t LoadBits(const std::uint8_t* from, Type type, Type destination) {
  std::uint64_t bits = 0;
  const unsigned bytes = Bytes(type);
  std::memcpy(&bits, from, bytes);
  if (!IsSigned(type)) {
    return bits;
  }
  const unsigned shift = 64 - 8 * bytes;
  const auto extended = static_cast<std::int64_t>(bits << shift) >> shift;
  return static_cast<std::uint64_t>(extended) &
         (~std::uint64_t{0} >> (64 - 8 * Bytes(destination)));
}

constexpr unsigned kMaxAccess = 32;  // bytes

unsigned AccessBytes(const Access& access) { return Bytes(access.type) * access.count; }

// What one lane loads, stores or swaps.
void LoadAll(const Lanes& lanes, const Load& load, unsigned lane, const std::uint8_t* at) {
  for (unsigned k = 0; k < load.count; ++k) {
    const std::uint8_t* const element = at + std::size_t{k} * Bytes(load.type);
    lanes.Write(load.d[k])[lane] = LoadBits(element, load.type, load.to);
  }
}

void StoreAll(const Lanes& lanes, const Store& store, unsigned lane, std::uint8_t* at) {
  const unsigned bytes = Bytes(store.type);
  for (unsigned k = 0; k < store.count; ++k) {
    const std::uint64_t bits = lanes.Read(store.values[k])[lane];
    std::memcpy(at + std::size_t{k} * bytes, &bits, bytes);
  }
}

void SwapAll(const Lanes& lanes, const AtomicAccess& i, unsigned lane, std::uint8_t* at,
             bool global) {
  if (i.type == Type::kB128) {
    const auto pair = [&](Slot low, Slot high) {
      return low == kNoSlot ? Wide{} : Wide{lanes.Read(low)[lane], lanes.Read(high)[lane]};
    };
    const Wide old = SwapWide(at, i.op, pair(i.b[0], i.b[1]), pair(i.c[0], i.c[1]));
    lanes.Write(i.d[0])[lane] = old[0];
    lanes.Write(i.d[1])[lane] = old[1];
    return;
  }
  const std::uint64_t c = i.op == Atomic::kCompareSwap ? lanes.Read(i.c[0])[lane] : 0;
  for (unsigned k = 0; k < i.count; ++k) {
    std::uint8_t* const element = at + std::size_t{k} * Bytes(i.type);
    const std::uint64_t b = lanes.Read(i.b[k])[lane];
    lanes.Write(i.d[k])[lane] = SwapInMemory(element, i.type, i.op, b, c, global);
  }
}

}  // namespace

std::uint64_t SwapInMemory(std::uint8_t* at, Type type, Atomic op, std::uint64_t b, std::uint64_t c,
                           bool global) {
  if (type == Type::kF32 && op == Atomic::kAdd && global) {
    float old = 0;
    std::memcpy(&old, at, sizeof old);
    const float sum = FlushSubnormal(Sum(FlushSubnormal(old), FlushSubnormal(FromBits<float>(b))));
    std::memcpy(at, &sum, sizeof sum);
    return ToBits(old);
  }
  if (type == Type::kF64 && op == Atomic::kAdd && global) {
    double old = 0;
    std::memcpy(&old, at, sizeof old);
    const auto added = FromBits<double>(b);
    const double sum = std::isnan(added) ? added : std::isnan(old) ? old : Sum(old, added);
    std::memcpy(at, &sum, sizeof sum);
    return ToBits(old);
  }
  if (IsHalf(ElementOf(type))) {
    return SwapHalves(at, type, op, b);
  }
  std::uint64_t old = 0;
  WithNumber(type, [&](auto zero) { old = Swap<decltype(zero)>(at, op, b, c); });
  return old;
}

// The same, of an instruction. A load or an atomic of one element may go on beyond the last byte of
// an allocation: GPUs give out memory in granules (128 bytes of shared memory, 256 of a buffer),
// and compilers carry out an atomic of one or two bytes on the aligned word around them.
MemoryAccess::Span MemoryAccess::SpanOf(Warp* warp, unsigned lane, Op op, const Access& access,
                                        std::uint64_t address) {
  const unsigned bytes = AccessBytes(access);
  const bool write = op != Op::kLoad;
  if ((address & (bytes - 1)) != 0) {
    return {};
  }
  const bool whole = op == Op::kStore || access.count != 1;
  for (unsigned own = bytes; own >= (whole ? bytes : 1); --own) {
    if (std::uint8_t* const at =
            x_.space.Reach(warp, lane, access.address.space, address, own, write);
        at != nullptr) {
      return {at, own};
    }
  }
  return {};
}

// What is wrong with the place of an atomic, if anything. "atom with scalar type may be used only
// with .global and .shared spaces [...]. atom with vector type may be used only with .global space
// and with generic addressing where the address points to .global space."
const char* MemoryAccess::Misplaced(Op op, const Access& access, std::uint64_t address) {
  const std::uint64_t segment = SegmentOf(address);
  if (op != Op::kAtomic || access.address.space != Space::kGeneric) {
    return nullptr;
  }
  return segment == kLocalSegment ? "in local memory, where there are no atomics"
         : segment == kSharedSegment && access.count > 1
             ? "in shared memory, but vectors of atomics are for global memory only"
             : nullptr;
}

StepEvent MemoryAccess::ExecuteAccess(Warp* warp, const Group& group, std::uint32_t active) {
  const Lanes lanes = x_.LanesOf(warp, group, active);
  const Instruction& i = lanes.instruction;
  const Access& access = AccessOf(i);
  const Space space = access.address.space;
  const bool write = i.op != Op::kLoad;
  const auto base = lanes.Read(access.address.base);
  const std::uint32_t unknown =
      x_.tracks_unknown ? unknowns_.SpreadAccess(warp, lanes, group.frame) : 0;
  x_.changed |= unknown != 0;
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint64_t address = access.address.From(base[lane]);
    if (const char* const where = Misplaced(i.op, access, address); where != nullptr) {
      return x_.Fault(
          *warp, lane, i.line,
          fmt::format("{} at {:#x} {}", Moves(AccessBytes(access), write), address, where));
    }
    const Span span = SpanOf(warp, lane, i.op, access, address);
    if (span.at == nullptr) {
      return x_.Fault(*warp, lane, i.line,
                      x_.space.DescribeAccess(*warp, space, address, AccessBytes(access), write));
    }
    std::array<std::uint8_t, kMaxAccess> before;
    const bool notes = write && (x_.mbarriers != nullptr || x_.accesses != nullptr ||
                                 x_.late != nullptr || !x_.changed);
    if (notes) {
      std::memcpy(before.data(), span.at, span.own);
    }
    // What lies beyond an allocation's end reads as zeroes, and nothing else is ever there.
    std::array<std::uint8_t, kMaxAccess> word;
    const bool slack = span.own != AccessBytes(access);
    std::uint8_t* const at = slack ? word.data() : span.at;
    if (slack) {
      word.fill(0);
      std::memcpy(at, span.at, span.own);
    }
    if (i.op == Op::kLoad) {
      if (x_.late != nullptr) {
        if (!x_.late->Delays(*warp, group, lane, address)) {
          LoadLate(warp, lanes, lane, address, span);
        }
        continue;
      }
      LoadAll(lanes, i.As<Load>(), lane, at);
    } else if (i.op == Op::kStore) {
      StoreAll(lanes, i.As<Store>(), lane, at);
    } else {
      SwapAll(lanes, i.As<AtomicAccess>(), lane, at,
              !IsShared(space) && SegmentOf(address) != kSharedSegment);
    }
    if (slack && write) {
      if (std::any_of(&word[span.own], word.end(), [](std::uint8_t byte) { return byte != 0; })) {
        return x_.Fault(*warp, lane, i.line,
                        x_.space.DescribeAccess(*warp, space, address, AccessBytes(access), write));
      }
      std::memcpy(span.at, at, span.own);
    }
    if (notes) {
      NoteStore(warp, lanes, lane, before.data(), span);
    }
    if (x_.late != nullptr && i.op == Op::kStore) {
      x_.late->Store(*warp, lane, i, address, before.data(), span.at, span.own);
    } else if (x_.late != nullptr) {
      x_.late->Swap(*warp, lane, i, address, span.own);
    }
    if (x_.accesses != nullptr) {
      Tell(*warp, lane, i, access, address,
           (unknown >> lane & 1) != 0 ||
               (write && std::memcmp(before.data(), span.at, span.own) != 0));
    }
  }
  return StepEvent::kAccess;
}

// A load sees what the model of visibility lets it see, perhaps less than what is there.
void MemoryAccess::LoadLate(Warp* warp, const Lanes& lanes, unsigned lane, std::uint64_t address,
                            const Span& span) {
  std::array<std::uint8_t, kMaxAccess> seen{};
  x_.changed |=
      x_.late->Load(*warp, lane, lanes.instruction, address, span.at, span.own, seen.data());
  LoadAll(lanes, lanes.instruction.As<Load>(), lane, seen.data());
}

bool MemoryAccess::AwaitLate(Warp* warp, const Group& group) {
  std::vector<LateLoad> due;
  const bool waits =
      x_.late->Await(*warp, group, x_.LanesOf(warp, group, group.lanes), x_.cycle, &due);
  for (const LateLoad& late : due) {
    const Group alone{late.pc, late.frame, 1U << late.lane};
    const Lanes lanes = x_.LanesOf(warp, alone, alone.lanes);
    const Span span =
        SpanOf(warp, late.lane, Op::kLoad, lanes.instruction.As<Load>(), late.address);
    if (span.at != nullptr) {  // memory that has been freed meanwhile has no value
      LoadLate(warp, lanes, late.lane, late.address, span);
    }
  }
  return waits;
}

// What others may access, too.
void MemoryAccess::Tell(const Warp& warp, unsigned lane, const Instruction& i, const Access& access,
                        std::uint64_t address, bool changed) const {
  const bool generic = access.address.space == Space::kGeneric;
  const std::uint64_t segment = SegmentOf(address);
  if (IsShared(access.address.space) || (generic && segment == kSharedSegment)) {
    const std::uint64_t shared = generic ? ByteOf(address) : address;
    x_.accesses->OnAccess(warp, lane, i, access, CtaAt(warp, shared), SharedByte(shared), changed);
  } else if (access.address.space == Space::kGlobal ||
             (generic && IsInGlobalWindow(segment) && segment != kParamSegment)) {
    x_.accesses->OnAccess(warp, lane, i, access, nullptr, address, changed);
  }
}

// Order is kept anyway. Of fence.proxy.tensormap: "the address specified by the operand addr must
// fall within the .global state space".
StepEvent MemoryAccess::ExecuteFence(Warp* warp, const Lanes& lanes) {
  const Address& fenced = lanes.instruction.As<MemoryFence>().address;
  if (fenced.base == kNoSlot) {
    return StepEvent::kNone;
  }
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const std::uint64_t address = fenced.From(lanes.Read(fenced.base)[lane]);
    if (x_.space.Reach(warp, lane, Space::kGlobal, address, 1, false) == nullptr) {
      return x_.Fault(
          *warp, lane, lanes.instruction.line,
          fmt::format("fence.proxy.tensormap of {:#x}, which is not in global memory", address));
    }
  }
  return StepEvent::kNone;
}

// Whether the unit lets all lanes go to shared memory in this cycle.
bool MemoryAccess::MayAccess(Warp* warp, const Lanes& lanes) {
  const Instruction& i = lanes.instruction;
  const Access& access = AccessOf(i);
  const Space space = access.address.space;
  if (!IsShared(space) && space != Space::kGeneric) {
    return true;
  }
  bool may = true;
  lanes.ForEach([&, base = lanes.Read(access.address.base)](unsigned lane) {
    const Span span = SpanOf(warp, lane, i.op, access, access.address.From(base[lane]));
    const std::uint64_t byte = ByteIn(warp->cta->shared, span.at);
    may = may && (byte == kElsewhere || x_.mbarriers->MayAccess(warp->slot, warp->cta->slot, byte,
                                                                span.own, i.op != Op::kLoad));
  });
  return may;
}

// A store is a change if others see it, and the bytes are not what they were.
void MemoryAccess::NoteStore(Warp* warp, const Lanes& lanes, unsigned lane,
                             const std::uint8_t* before, const Span& span) {
  x_.changed |= std::memcmp(before, span.at, span.own) != 0 &&
                ByteIn(warp->local[lane], span.at) == kElsewhere;
  const std::uint64_t byte = ByteIn(warp->cta->shared, span.at);
  if (x_.mbarriers != nullptr && byte != kElsewhere) {
    x_.mbarriers->Stored(warp->slot, warp->cta->slot, byte, span.own, lanes.instruction.line);
  }
}

}  // namespace muster::ptx
