// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Programs of two or three warps, of which one lane each is active, or two lanes of the first one,
// that are small enough to look at every order of their operations.
#ifndef MUSTER_TB_EXPLORE_SMALL_PROGRAM_H_
#define MUSTER_TB_EXPLORE_SMALL_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace muster::explore {

inline constexpr unsigned kMostWarps = 3;
inline constexpr unsigned kMostOperations = 8;  // of a warp
inline constexpr unsigned kMostObjects = 3;     // variables, named barriers from 1 on, mbarriers
inline constexpr unsigned kThreadsOfWarp = 32;

struct Operation {
  enum class Kind : std::uint8_t {
    kLoad,
    kStore,
    kAdd,       // atom.add
    kSync,      // barrier.sync
    kArrive,    // barrier.arrive
    kMbArrive,  // mbarrier.arrive
    kMbWait,    // mbarrier.try_wait.parity, until it is answered true
    kExit,      // before the end of the list
    kWarpSync,  // bar.warp.sync of the two lanes
  };
  enum class Order : std::uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kAcquireRelease };
  Kind kind = Kind::kLoad;
  unsigned object = 0;         // variable or mbarrier: from 0 on; named barrier: its id
  std::uint32_t value = 0;     // stored or added; threads of a named barrier, 0: not given; parity
  Order order = Order::kWeak;  // of loads, stores and adds, the latter never weak
};

struct SmallProgram {
  std::vector<std::vector<Operation>> warps;
  std::vector<bool> shared;        // of each variable: it is in shared memory, not in global memory
  std::vector<unsigned> expected;  // arrivals of each mbarrier
  bool lanes_apart = false;        // the first two of them are lanes 0 and 1 of one warp
};

// The thread of the CTA that carries out a list.
inline unsigned ThreadOf(const SmallProgram& program, unsigned list) {
  return !program.lanes_apart ? kThreadsOfWarp * list : list < 2 ? list : kThreadsOfWarp;
}

// Of the CTA, in whole warps.
inline unsigned ThreadsOf(const SmallProgram& program) {
  const auto lists = static_cast<unsigned>(program.warps.size());
  return kThreadsOfWarp * (program.lanes_apart ? lists - 1 : lists);
}

// An operation, by its warp and its index in the warp's list.
using Site = std::pair<unsigned, unsigned>;

// The results of a program: the variables in global memory (0 for one in shared memory), and the
// value that each operation read.
using Words = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kNotRead = 0xffffffff;

inline std::size_t WordOf(const SmallProgram& program, const Site& site) {
  std::size_t word = program.shared.size() + site.second;
  for (unsigned warp = 0; warp < site.first; ++warp) {
    word += program.warps[warp].size();
  }
  return word;
}
inline std::size_t WordsOf(const SmallProgram& program) {
  return WordOf(program, {static_cast<unsigned>(program.warps.size()), 0});
}

constexpr bool Reads(const Operation& operation) {
  return operation.kind == Operation::Kind::kLoad || operation.kind == Operation::Kind::kAdd;
}
constexpr bool Writes(const Operation& operation) {
  return operation.kind == Operation::Kind::kStore || operation.kind == Operation::Kind::kAdd;
}
constexpr bool IsAccess(const Operation& operation) {
  return Reads(operation) || Writes(operation);
}
constexpr bool IsStrong(const Operation& operation) {
  return operation.order != Operation::Order::kWeak;
}
constexpr bool Acquires(const Operation& operation) {
  return operation.order == Operation::Order::kAcquire ||
         operation.order == Operation::Order::kAcquireRelease;
}
constexpr bool Releases(const Operation& operation) {
  return operation.order == Operation::Order::kRelease ||
         operation.order == Operation::Order::kAcquireRelease;
}

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_SMALL_PROGRAM_H_
