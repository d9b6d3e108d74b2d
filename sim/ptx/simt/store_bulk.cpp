// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// st.bulk: zeroes in the CTA's shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/memory_access.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kMostBytes = 16777216;
constexpr unsigned kWordsAtOnce = 16;

}  // namespace

// Whether the unit lets all lanes go to shared memory in this cycle.
bool MemoryAccess::MayStoreBulk(const Warp& warp, const Lanes& lanes) const {
  const auto& i = lanes.instruction.As<BulkStore>();
  bool may = true;
  lanes.ForEach([&](unsigned lane) {
    const std::uint64_t byte = SharedByte(ByteOf(i.address.From(lanes.Read(i.address.base)[lane])));
    const std::uint64_t size = lanes.Read(i.size)[lane];
    const bool inside = byte < warp.cta->shared.size() && size <= warp.cta->shared.size() - byte;
    may = may && (!inside || x_.mbarriers->MayAccess(warp.slot, warp.cta->slot, byte,
                                                     static_cast<unsigned>(size), true));
  });
  return may;
}

// "size must be a multiple of 8", "the maximum value of size operand can be 16777216".
StepEvent MemoryAccess::ExecuteStoreBulk(Warp* warp, const Lanes& lanes) {
  const auto& i = lanes.instruction.As<BulkStore>();
  const std::uint32_t line = lanes.instruction.line;
  const auto base = lanes.Read(i.address.base);
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const std::uint64_t address = i.address.From(base[lane]);
    const std::uint64_t size = lanes.Read(i.size)[lane];
    if (size % kWord != 0 || size > kMostBytes || address % kWord != 0) {
      return x_.Fault(*warp, lane, line,
                      fmt::format("writes {} bytes at {:#x} by st.bulk: size and address must be "
                                  "multiples of 8, and the size at most {}",
                                  size, address, kMostBytes));
    }
    const bool generic = i.address.space == Space::kGeneric;
    const std::uint64_t shared = generic ? ByteOf(address) : address;
    if ((generic && SegmentOf(address) != kSharedSegment) || CtaAt(*warp, shared) != warp->cta) {
      return x_.Fault(
          *warp, lane, line,
          fmt::format("writes at {:#x} by st.bulk, which is not in the CTA's own shared "
                      "memory",
                      address));
    }
    std::uint8_t* const at =
        x_.space.Reach(warp, lane, Space::kShared, shared, static_cast<unsigned>(size), true);
    if (at == nullptr) {
      return x_.Fault(
          *warp, lane, line,
          x_.space.DescribeReach(*warp, Space::kShared, shared, static_cast<unsigned>(size), true));
    }
    const bool changed = warp->cta->unknown.Set(SharedByte(shared), size, 0) ||
                         std::any_of(at, at + size, [](std::uint8_t byte) { return byte != 0; });
    std::fill_n(at, size, std::uint8_t{0});
    x_.changed |= changed;
    if (x_.mbarriers != nullptr) {
      x_.mbarriers->Stored(warp->slot, warp->cta->slot, SharedByte(shared),
                           static_cast<unsigned>(size), line);
    }
    for (std::uint64_t done = 0; x_.accesses != nullptr && done < size;) {
      Access access;
      access.type = Type::kB64;
      access.address = i.address;
      const std::uint64_t words = std::min<std::uint64_t>((size - done) / kWord, kWordsAtOnce);
      access.count = static_cast<decltype(access.count)>(words);
      Tell(*warp, lane, lanes.instruction, access, address + done, changed);
      done += words * kWord;
    }
  }
  return StepEvent::kAccess;
}

}  // namespace muster::ptx
