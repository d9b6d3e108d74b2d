// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/fence_port.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::ptx {

std::vector<FencePins*> FencePort::pins() {
  std::vector<FencePins*> pins;
  for (FencePins& tracker : pins_) {
    pins.push_back(&tracker);
  }
  return pins;
}

void FencePort::Begin(std::uint64_t cycle) {
  // An access carries the epoch that its tracker showed when it began.
  begun_ = {};
  for (auto access = accesses_.rbegin(); access != accesses_.rend() && access->begun == cycle_;
       ++access) {
    begun_[access->pin.of] |= Bit(access->warp);
    access->pin.epoch = (At(access->warp).out.epoch[access->pin.of] & BitOf(access->warp)) != 0;
  }
  cycle_ = cycle;
  for (FencePins& tracker : pins_) {
    tracker.in.begun.clear();
    tracker.in.done.clear();
  }
  ForEachBit(requests_, [&](unsigned warp) {
    FencePins& tracker = At(warp);
    if ((tracker.out.acknowledge & BitOf(warp)) == 0) {
      return;
    }
    acknowledged_ |= Bit(warp);
    requests_ &= ~Bit(warp);
    tracker.in.request &= ~BitOf(warp);
    for (std::uint64_t& named : tracker.in.classes) {
      named &= ~BitOf(warp);
    }
  });
}

// Of a warp and class one access is performed in a cycle, the oldest first.
void FencePort::Present(std::uint64_t busy) {
  for (unsigned k = 0; k < pins_.size(); ++k) {
    pins_[k].in.busy[static_cast<unsigned>(AccessClass::kGeneric)] =
        busy >> k * kFenceWarps & (Bit(kFenceWarps) - 1);
  }
  WarpsByClass done{};
  const auto ends = [&](const Access& access) {
    const std::uint64_t warp = Bit(access.warp);
    if (access.begun == cycle_ || !IsPerformed(access) || (done[access.pin.of] & warp) != 0) {
      return false;
    }
    done[access.pin.of] |= warp;
    At(access.warp).in.done.push_back(access.pin);
    return true;
  };
  accesses_.erase(std::remove_if(accesses_.begin(), accesses_.end(), ends), accesses_.end());
}

// The trackers have shown what room there was before the accesses of the cycle before: after one of
// a class the next waits a cycle.
bool FencePort::HasRoom(unsigned warp, ClassSet classes) {
  bool full = false;
  bool follows = false;
  ForEachBit(classes, [&](unsigned of) {
    full = full || (At(warp).out.full[of] & BitOf(warp)) != 0;
    follows = follows || (begun_[of] & Bit(warp)) != 0;
  });
  held_back_ += full ? 1 : 0;
  return !full && !follows;
}

// The access that the warp's instruction has begun by this class in this cycle.
FencePort::Access* FencePort::Add(unsigned warp, AccessClass of) {
  for (auto access = accesses_.rbegin(); access != accesses_.rend() && access->begun == cycle_;
       ++access) {
    if (access->warp == warp && access->pin.of == static_cast<unsigned>(of)) {
      return &*access;
    }
  }
  Access access;
  access.pin = {next_++, static_cast<std::uint8_t>(warp % kFenceWarps),
                static_cast<std::uint8_t>(of), false};
  access.warp = warp;
  access.begun = cycle_;
  At(warp).in.begun.push_back(access.pin);
  accesses_.push_back(access);
  return &accesses_.back();
}

void FencePort::Begin(unsigned warp, AccessClass of, std::uint64_t until) {
  Access* const access = Add(warp, of);
  access->until = std::max(access->until, until);
}

std::shared_ptr<const void> FencePort::Hold(unsigned warp, ClassSet classes) {
  std::shared_ptr<const void> held;
  ForEachBit(classes, [&](unsigned of) {
    Access* const access = Add(warp, static_cast<AccessClass>(of));
    if (held == nullptr) {
      held = access->held.lock();
    }
    if (held == nullptr) {
      held = std::make_shared<char>();
    }
    access->until = kHeld;
    access->held = held;
  });
  return held;
}

bool FencePort::Drain(unsigned warp, std::uint32_t pc, std::uint32_t lanes, ClassSet classes) {
  Asked& asked = asked_[warp];
  const bool is_theirs = asked.pc == pc && (asked.lanes & lanes) != 0;
  if (Drains(warp) || (asked.lanes != 0 && !is_theirs)) {
    return false;
  }
  if (is_theirs && (acknowledged_ >> warp & 1) != 0) {
    acknowledged_ &= ~Bit(warp);
    const bool all = (lanes & ~asked.lanes) == 0;
    asked.lanes = 0;
    if (all) {
      return true;
    }
    // Others have come, whose accesses may have begun after that.
  }
  asked = {pc, lanes};
  ++drains_;
  requests_ |= Bit(warp);
  FenceInputs& in = At(warp).in;
  in.request |= BitOf(warp);
  ForEachBit(classes, [&](unsigned of) { in.classes[of] |= BitOf(warp); });
  return false;
}

}  // namespace muster::ptx
