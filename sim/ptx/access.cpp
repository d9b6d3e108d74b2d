// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Loads, stores, atomics, special registers, and what goes wrong with them.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "sim/ptx/interpreter.h"

namespace muster::ptx {
namespace {

constexpr unsigned kClockPeriodNs = 1;
constexpr std::size_t kMaxText = 1024;

// The value in memory after the operation; d is what was there.
template <typename T>
T Combine(Atomic op, T old, T b, T c) {
  switch (op) {
    case Atomic::kAdd:
      if constexpr (std::is_floating_point_v<T>) {
        return old + b;
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
std::uint64_t Exchange(std::uint8_t* at, Atomic op, std::uint64_t b, std::uint64_t c) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T fresh = Combine(op, old, FromBits<T>(b), FromBits<T>(c));
  std::memcpy(at, &fresh, sizeof fresh);
  return ToBits<T>(old);
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

}  // namespace

Interpreter::Event Interpreter::Fault(const Warp& warp, unsigned lane, std::uint32_t line,
                                      const std::string& what) {
  problem_ = fmt::format("{}: {}", ThreadName(warp, lane), what);
  problem_line_ = line;
  return Event::kFault;
}

// The bytes of an access, or null where it is misaligned or not all of them are the thread's.
std::uint8_t* Interpreter::Resolve(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                                   unsigned bytes, bool write) {
  if ((address & (bytes - 1)) != 0) {
    return nullptr;
  }
  if (space == Space::kGeneric) {
    const std::uint64_t segment = SegmentOf(address);
    space = segment == kSharedSegment  ? Space::kShared
            : segment == kLocalSegment ? Space::kLocal
                                       : Space::kGlobal;
    if (space != Space::kGlobal) {
      address = ByteOf(address);
    }
  } else if (space == Space::kGlobal) {
    const std::uint64_t segment = SegmentOf(address);
    if (segment != kGlobalSegment && segment < kFirstBuffer) {
      return nullptr;
    }
  }
  if (space == Space::kShared || space == Space::kLocal) {
    std::vector<std::uint8_t>& memory =
        space == Space::kShared ? warp->cta->shared : warp->local[lane];
    if (address >= memory.size() || memory.size() - address < bytes) {
      return nullptr;
    }
    return memory.data() + address;
  }
  return memory_->Find(address, bytes, write);
}

std::string Interpreter::DescribeAccess(const Warp& warp, Space space, std::uint64_t address,
                                        unsigned bytes, bool write) const {
  const std::string access =
      fmt::format("{} {} byte{}", write ? "writes" : "reads", bytes, bytes == 1 ? "" : "s");
  if ((address & (bytes - 1)) != 0) {
    return fmt::format("{} at {:#x}, which is not a multiple of {}", access, address, bytes);
  }
  const std::uint64_t segment = SegmentOf(address);
  if (space == Space::kShared || (space == Space::kGeneric && segment == kSharedSegment)) {
    return fmt::format("{} at byte {} of shared memory, of which the CTA has {}", access,
                       space == Space::kShared ? address : ByteOf(address),
                       warp.cta->shared.size());
  }
  if (space == Space::kLocal || (space == Space::kGeneric && segment == kLocalSegment)) {
    return fmt::format("{} at byte {} of local memory, which is not the thread's", access,
                       space == Space::kLocal ? address : ByteOf(address));
  }
  const Region* const region = memory_->RegionAt(address);
  if (region != nullptr && !region->name.empty()) {
    if (ByteOf(address) + bytes <= region->bytes.size()) {
      return fmt::format("{} at byte {} of {}, which that instruction cannot reach", access,
                         ByteOf(address), region->name);
    }
    return fmt::format("{} at byte {} of {}, which has {}", access, ByteOf(address), region->name,
                       region->bytes.size());
  }
  // Below a buffer: the address has run back into the gap before it.
  const Region* const next = memory_->RegionAt(address + kSegmentBytes);
  if (next != nullptr && !next->name.empty() && ByteOf(address) > kSegmentBytes / 2) {
    return fmt::format("{} at byte -{} of {}", access, kSegmentBytes - ByteOf(address), next->name);
  }
  return fmt::format("{} at {:#x}, where there is no memory", access, address);
}

Interpreter::Event Interpreter::ExecuteAccess(Warp* warp, const Group& group,
                                              std::uint32_t active) {
  const Lanes lanes = LanesOf(warp, group, active);
  const Instruction& i = lanes.instruction;
  const unsigned bytes = Bytes(i.type);
  const bool write = i.op != Op::kLoad;
  const auto base = lanes.a(0);
  Event event = Event::kAccess;
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    std::uint64_t address = base[lane] + static_cast<std::uint64_t>(i.offset);
    if (i.narrow) {
      address &= 0xffffffffU;
    }
    std::uint8_t* const at = Resolve(warp, lane, i.space, address, bytes * i.vector, write);
    if (at == nullptr) {
      return Fault(*warp, lane, i.line,
                   DescribeAccess(*warp, i.space, address, bytes * i.vector, write));
    }
    if (i.op == Op::kLoad) {
      for (unsigned k = 0; k < i.vector; ++k) {
        lanes.d(k)[lane] = LoadBits(at + std::size_t{k} * bytes, i.type, i.source);
      }
    } else if (i.op == Op::kStore) {
      for (unsigned k = 0; k < i.vector; ++k) {
        const std::uint64_t bits = lanes.a(1 + k)[lane];
        std::memcpy(at + std::size_t{k} * bytes, &bits, bytes);
      }
    } else {
      const std::uint64_t c = i.a[2] == kNoSlot ? 0 : lanes.a(2)[lane];
      WithNumber(i.type, [&](auto zero) {
        lanes.d(0)[lane] =
            Exchange<decltype(zero)>(at, static_cast<Atomic>(i.mode), lanes.a(1)[lane], c);
      });
    }
  }
  return event;
}

// The text at a generic address, as far as it can be read.
std::string Interpreter::TextAt(Warp* warp, unsigned lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kMaxText) {
    const std::uint8_t* const at = Resolve(warp, lane, Space::kGeneric, address++, 1, false);
    if (at == nullptr || *at == 0) {
      break;
    }
    text.push_back(static_cast<char>(*at));
  }
  return text;
}

Interpreter::Event Interpreter::ExecuteAssert(Warp* warp, const Group& group,
                                              std::uint32_t active) {
  const Lanes lanes = LanesOf(warp, group, active);
  const auto lane = static_cast<unsigned>(__builtin_ctz(active));
  const std::uint64_t stack = warp->Register(group.frame, kStackSlot, lane);
  const auto argument = [&](unsigned k, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, &warp->local[lane][stack + lanes.a(k)[lane]], bytes);
    return value;
  };
  Fault(*warp, lane, lanes.instruction.line,
        fmt::format("{}:{}: assertion \"{}\" failed", TextAt(warp, lane, argument(1, 8)),
                    argument(2, 4), TextAt(warp, lane, argument(0, 8))));
  return Event::kAssert;
}

void Interpreter::ExecuteSpecial(Warp* warp, const Lanes& lanes) const {
  const auto special = static_cast<Special>(lanes.instruction.mode);
  std::uint64_t* const d = lanes.d(0);
  const auto all = [&](std::uint64_t value) {
    lanes.ForEach([&](unsigned lane) { d[lane] = value; });
  };
  const auto each = [&](auto f) { lanes.ForEach([&](unsigned lane) { d[lane] = f(lane); }); };
  const auto index = static_cast<unsigned>(special);
  const auto of = [&](Special first) { return index - static_cast<unsigned>(first); };
  switch (special) {
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ:
      return each([&](unsigned lane) {
        return PointOf(warp->first_thread + lane, launch_.block)[of(Special::kTidX)];
      });
    case Special::kNtidX:
    case Special::kNtidY:
    case Special::kNtidZ:
      return all(launch_.block[of(Special::kNtidX)]);
    case Special::kCtaidX:
    case Special::kCtaidY:
    case Special::kCtaidZ:
      return all(warp->cta->id[of(Special::kCtaidX)]);
    case Special::kNctaidX:
    case Special::kNctaidY:
    case Special::kNctaidZ:
      return all(launch_.grid[of(Special::kNctaidX)]);
    case Special::kLaneId:
      return each([](unsigned lane) { return lane; });
    case Special::kWarpId:
      return all(warp->first_thread / kWarpSize);
    case Special::kNumWarps:
      return all(launch_.Warps());
    case Special::kLaneMaskEq:
      return each([](unsigned lane) { return 1U << lane; });
    case Special::kLaneMaskLe:
      return each([](unsigned lane) { return ~0U >> (kWarpSize - 1 - lane); });
    case Special::kLaneMaskLt:
      return each([](unsigned lane) { return (1U << lane) - 1; });
    case Special::kLaneMaskGe:
      return each([](unsigned lane) { return ~0U << lane; });
    case Special::kLaneMaskGt:
      return each([](unsigned lane) { return ~0U << lane << 1; });
    case Special::kClock:
      return all(cycle_ & 0xffffffffU);
    case Special::kClockHi:
      return all(cycle_ >> 32);
    case Special::kClock64:
      return all(cycle_);
    case Special::kGlobalTimer:
      return all(cycle_ * kClockPeriodNs);
    case Special::kGlobalTimerLo:
      return all((cycle_ * kClockPeriodNs) & 0xffffffffU);
    case Special::kGlobalTimerHi:
      return all((cycle_ * kClockPeriodNs) >> 32);
    case Special::kNumSm:
      return all(1);
    case Special::kSmId:
    case Special::kGridId:
      return all(0);
    case Special::kDynamicShared:
      return all(launch_.dynamic_shared);
    case Special::kTotalShared:
      return all(launch_.shared_bytes);
  }
}

}  // namespace muster::ptx
