// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of the tracker that answers drains, written from rtl/README.md (Memory drain,
// Fences): of each warp, the numbers of the accesses that are outstanding, and of those that its
// request waits for. It has no counters, and no epochs but as names of what came before a request
// and what came after it. A cycle is: Acknowledges and HasRoom, which say what is true in it; then
// Begin and End, for what happens in it; then Request.
#ifndef MUSTER_SIM_GOLDEN_FENCE_TRACKER_H_
#define MUSTER_SIM_GOLDEN_FENCE_TRACKER_H_

#include <cstdint>
#include <vector>

namespace muster::golden {

class FenceTracker {
 public:
  using Classes = unsigned;  // a set, by bits
  struct Access {
    std::uint64_t number = 0;
    unsigned of = 0;           // its class
    std::uint64_t period = 0;  // requests that had begun to wait for its class before it
    bool epoch = false;        // as it was told when it began
  };

  // `most`: accesses of a warp, class and period.
  FenceTracker(unsigned num_warps, unsigned num_classes, unsigned most)
      : most_(most), warps_(num_warps, Warp{{}, {}, false, Periods(num_classes)}) {}

  // Whether a request for the classes is acknowledged, or, without one, nothing is outstanding.
  bool Acknowledges(unsigned warp, bool requested, Classes classes) const;
  bool HasRoom(unsigned warp, unsigned of) const;
  std::uint64_t Period(unsigned warp, unsigned of) const { return warps_[warp].periods[of]; }
  // An access begins, and is told an epoch. Returns whether that is the epoch of those that are
  // outstanding of the same period, and not that of any other.
  bool Begin(unsigned warp, unsigned of, std::uint64_t number, bool epoch);
  // An access is performed. Returns the access; nothing is outstanding by that number: null.
  const Access* Find(unsigned warp, std::uint64_t number) const;
  void End(unsigned warp, std::uint64_t number);
  // In each cycle of a request, with what was answered in it; without a request: the classes are
  // none.
  void Request(unsigned warp, bool requested, Classes classes, bool acknowledged);

  // What is outstanding, and of that, what the request of the warp waits for.
  const std::vector<Access>& Outstanding(unsigned warp) const { return warps_[warp].accesses; }
  const std::vector<std::uint64_t>& Awaited(unsigned warp) const { return warps_[warp].awaited; }
  bool Waits(unsigned warp) const { return warps_[warp].waits; }

 private:
  using Periods = std::vector<std::uint64_t>;  // by class
  struct Warp {
    std::vector<Access> accesses;
    std::vector<std::uint64_t> awaited;  // numbers
    bool waits = false;                  // a request that was not acknowledged in its first cycle
    Periods periods;
  };

  unsigned most_;
  std::vector<Warp> warps_;
};

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_FENCE_TRACKER_H_
