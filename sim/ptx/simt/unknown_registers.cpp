// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/unknown_registers.h"

#include "sim/isa/bits.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {

Origin UnknownIn(const Warp& warp, std::uint32_t frame, const std::vector<Slot>& slots,
                 std::uint32_t lanes, unsigned* where) {
  for (const Slot slot : slots) {
    if (slot == kNoSlot || IsLiteral(slot)) {
      continue;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = First(rest);
      if (const Origin origin = warp.unknown.At(frame + static_cast<std::uint32_t>(slot), lane)) {
        if (where != nullptr) {
          *where = lane;
        }
        return origin;
      }
    }
  }
  return 0;
}

void SetUnknown(Warp* warp, std::uint32_t frame, const std::vector<Slot>& slots,
                std::uint32_t lanes, Origin origin) {
  for (const Slot slot : slots) {
    if (slot != kNoSlot && !IsLiteral(slot)) {
      ForEachBit(lanes, [&](unsigned lane) {
        warp->unknown.Set(frame + static_cast<std::uint32_t>(slot), lane, origin);
      });
    }
  }
}

}  // namespace muster::ptx
