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
  std::uint32_t generation = 0;  // of the object: how often it had completed by then
  std::uint32_t form =
      0;  // of an arrival at a named barrier: those of one generation have the same
};

// Objects: four bytes of memory, a named barrier, a cluster's barrier, a CTA, the queue of clusters
// that have not started, what malloc gives. An mbarrier is memory.
inline constexpr std::uint64_t kNamedBarriers = ~std::uint64_t{1};
inline constexpr std::uint64_t kClusterBarriers = ~std::uint64_t{2};
inline constexpr std::uint64_t kCtas = ~std::uint64_t{3};
inline constexpr std::uint64_t kQueue = ~std::uint64_t{4};
inline constexpr std::uint64_t kHeap = ~std::uint64_t{5};
constexpr std::uint64_t ObjectOf(std::uint64_t owner, std::uint64_t index) {
  return (owner + 1) * 0x9e3779b97f4a7c15U ^ index;
}

// Whether two steps, of which `a` came first, could have different effects the other way round.
// Arrivals of one generation have not, whichever of them completes it; but one of another form is
// refused.
constexpr bool Conflict(const Touch& a, const Touch& b) {
  using Mode = Touch::Mode;
  if (a.object != b.object || a.mode == Mode::kPass || b.mode == Mode::kPass) {
    return false;
  }
  if (a.mode == Mode::kWrite || b.mode == Mode::kWrite) {
    return true;
  }
  if (a.mode == Mode::kWait || b.mode == Mode::kWait) {
    return a.mode == Mode::kComplete || b.mode == Mode::kComplete;
  }
  return a.generation != b.generation || a.form != b.form;
}

// Whether two steps that could both be next might have different effects one after the other.
constexpr bool MayConflict(const Touch& a, const Touch& b) {
  using Mode = Touch::Mode;
  // Which arrival of a generation completes it, and so what a wait finds, is a matter of the order.
  const auto decides = [](const Touch& one, const Touch& other) {
    return one.mode == Mode::kComplete || (one.mode == Mode::kWait && other.mode == Mode::kJoin);
  };
  return Conflict(a, b) || (a.object == b.object && a.mode != Mode::kPass &&
                            b.mode != Mode::kPass && (decides(a, b) || decides(b, a)));
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_TOUCH_H_
