// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of the warp scope, written from PTX ISA 9.7.13.1 to .3, .8 to .12 and .14, and
// from rtl/warp/README.md where that says what the text leaves open: for each warp, the groups of
// lanes that wait together. It knows no cycles: a request does at once all that comes of it, and
// who uses the model knows when the answers and the arrival appear. Where one request completes
// several collectives, these may be answered in any order: the model has them in the order of their
// lowest lanes. Only that of the answers of one match.any is the contract's.
#ifndef MUSTER_SIM_GOLDEN_WARP_SCOPE_H_
#define MUSTER_SIM_GOLDEN_WARP_SCOPE_H_

#include <cstdint>
#include <vector>

#include "sim/golden/warp_result.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace muster::golden {

class WarpScope {
 public:
  // Lanes from `warp_size` on do not exist: whoever names them, they take no part, and are no live
  // members.
  explicit WarpScope(unsigned num_warps, unsigned warp_size = kMaxLanes);

  // Whether the contract lets a core present this: its lanes live and do not wait, there are
  // predicates of these lanes and instructions alone, and kWrite opens a group that can be open.
  bool MayBePresented(const WarpRequest& given) const;

  // Carries out a request that may be presented, of a warp below num_warps. kRead does nothing
  // here: a slot is a matter of the hardware, and Groups() and Value() are what it shows.
  WarpEffects Step(const WarpRequest& given);

  // Another warp takes the slot, or the warp is suspended: no lane of it waits.
  void Clear(unsigned warp);

  // The groups that are open, in the order of their lowest lanes.
  const std::vector<WarpGroup>& Groups(unsigned warp) const { return warps_[warp].groups; }
  // All lanes that wait, and the value that a lane came with, if it waits at match or redux. Of a
  // 32-bit type the low half is the value.
  std::uint32_t Waiting(unsigned warp) const;
  std::uint64_t Value(unsigned warp, unsigned lane) const { return warps_[warp].values[lane]; }

 private:
  struct Warp {
    std::vector<WarpGroup> groups;
    LaneValues values{};
  };

  WarpRequest WithoutLackingLanes(const WarpRequest& given) const;
  bool MayBeWritten(unsigned warp, const WarpGroup& group) const;
  const WarpGroup* Gather(unsigned warp) const;
  FaultCause Judge(const WarpRequest& request) const;
  FaultCause JudgeMasks(const WarpRequest& request) const;

  void KeepValues(unsigned warp, const WarpGroup& group, const LaneValues& values);
  void Open(unsigned warp, const WarpGroup& group);
  void Come(const WarpRequest& request, WarpEffects* effects);
  void Exit(const WarpRequest& request, WarpEffects* effects);
  void CompleteGather(const WarpRequest& request, WarpEffects* effects);

  std::uint32_t lanes_of_warp_;
  std::vector<Warp> warps_;
};

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_WARP_SCOPE_H_
