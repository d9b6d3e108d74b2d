// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a step of a run has to do with what other actors do: the objects that it used, and how.
#ifndef MUSTER_SIM_EXPLORE_TOUCH_H_
#define MUSTER_SIM_EXPLORE_TOUCH_H_

#include <cstdint>

namespace muster::explore {

struct Touch {
  enum class Mode : std::uint8_t {
    kRead,      // memory
    kWrite,     // memory, or an object that is made or ended
    kJoin,      // an arrival that completes nothing
    kComplete,  // one that does
    kWait,      // a wait for a phase that is complete, or not
    kPass,      // a wait that whoever completes the phase lets go, sooner or later
  };
  std::uint64_t object = 0;
  Mode mode = Mode::kRead;
};

// Objects: four bytes of memory, a named barrier, a cluster's barrier. An mbarrier is memory.
inline constexpr std::uint64_t kNamedBarriers = ~std::uint64_t{1};
inline constexpr std::uint64_t kClusterBarriers = ~std::uint64_t{2};
constexpr std::uint64_t ObjectOf(std::uint64_t owner, std::uint64_t index) {
  return (owner + 1) * 0x9e3779b97f4a7c15U ^ index;
}

// Whether two steps that came one right after the other, `a` first, could have different effects
// the other way round.
constexpr bool Conflict(const Touch& a, const Touch& b) {
  if (a.object != b.object) {
    return false;
  }
  using Mode = Touch::Mode;
  if (a.mode == Mode::kPass || b.mode == Mode::kPass) {
    return false;
  }
  if (a.mode == Mode::kWrite || b.mode == Mode::kWrite || a.mode == Mode::kComplete) {
    return true;
  }
  return b.mode == Mode::kComplete && a.mode == Mode::kWait;
}

// Whether `b` comes after `a` because of `a`: as above, or it needs it.
constexpr bool Follows(const Touch& a, const Touch& b) {
  using Mode = Touch::Mode;
  return Conflict(a, b) ||
         (a.object == b.object && ((a.mode == Mode::kJoin && b.mode == Mode::kComplete) ||
                                   (a.mode == Mode::kComplete && b.mode == Mode::kPass)));
}

// Whether two steps that could both be next might have different effects one after the other.
constexpr bool MayConflict(const Touch& a, const Touch& b) {
  using Mode = Touch::Mode;
  return Conflict(a, b) || Conflict(b, a) ||
         (a.object == b.object && (a.mode == Mode::kComplete || b.mode == Mode::kComplete) &&
          a.mode != Mode::kPass && b.mode != Mode::kPass);
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_TOUCH_H_
