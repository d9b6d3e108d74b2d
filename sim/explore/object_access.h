// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The accesses of a step to shared objects, and which accesses conflict (the dependence relation of
// partial-order reduction).
#ifndef MUSTER_SIM_EXPLORE_OBJECT_ACCESS_H_
#define MUSTER_SIM_EXPLORE_OBJECT_ACCESS_H_

#include <cstdint>

namespace muster::explore {

struct ObjectAccess {
  enum class Mode : std::uint8_t {
    kRead,      // memory
    kWrite,     // memory, or the creation or end of an object
    kArrive,    // an arrival that completes nothing
    kComplete,  // an arrival that completes a generation
    kWait,      // a wait whose answer depends on whether a phase is complete
    kPass,      // a wait that ends after the completion of the phase, whenever that comes
  };
  std::uint64_t object = 0;
  Mode mode = Mode::kRead;
  std::uint32_t generation = 0;  // how often the object had completed before
  // Of an arrival at a named barrier: all arrivals of a generation must have the same form.
  std::uint32_t form = 0;
};

// Objects are words of memory, named barriers, cluster barriers, CTAs, the queue of clusters that
// have not started, the heap, what a CTA has left of columns of tensor memory and of registers, and
// of launches that another one may overlap with: that it may begin, which thread of a CTA has let
// it, and their ends. An mbarrier is memory.
inline constexpr std::uint64_t kNamedBarriers = ~std::uint64_t{1};
inline constexpr std::uint64_t kClusterBarriers = ~std::uint64_t{2};
inline constexpr std::uint64_t kCtas = ~std::uint64_t{3};
inline constexpr std::uint64_t kQueue = ~std::uint64_t{4};
inline constexpr std::uint64_t kHeap = ~std::uint64_t{5};
inline constexpr std::uint64_t kResources = ~std::uint64_t{6};
inline constexpr std::uint64_t kTriggers = ~std::uint64_t{7};
inline constexpr std::uint64_t kLaunchEnds = ~std::uint64_t{8};
inline constexpr std::uint64_t kCtaTriggers = ~std::uint64_t{9};
constexpr std::uint64_t ObjectOf(std::uint64_t owner, std::uint64_t index) {
  return (owner + 1) * 0x9e3779b97f4a7c15U ^ index;
}

// Whether two steps, of which `a` came first, could have other effects in the reverse order.
// Arrivals of one generation commute, whichever completes it, unless their forms differ: then one
// of them is refused.
constexpr bool Conflict(const ObjectAccess& a, const ObjectAccess& b) {
  using Mode = ObjectAccess::Mode;
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

// Whether the effects of two steps that are both enabled may depend on their order.
constexpr bool MayConflict(const ObjectAccess& a, const ObjectAccess& b) {
  using Mode = ObjectAccess::Mode;
  // The order decides which arrival completes a generation, and so what a wait finds.
  const auto decides = [](const ObjectAccess& one, const ObjectAccess& other) {
    return one.mode == Mode::kComplete || (one.mode == Mode::kWait && other.mode == Mode::kArrive);
  };
  return Conflict(a, b) || (a.object == b.object && a.mode != Mode::kPass &&
                            b.mode != Mode::kPass && (decides(a, b) || decides(b, a)));
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_OBJECT_ACCESS_H_
