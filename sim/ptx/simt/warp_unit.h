// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the lanes of one warp do together, as rtl/warp/README.md has it: lanes come to a collective,
// or to a barrier that is not aligned, and wait there for others of their warp.
#ifndef MUSTER_SIM_PTX_SIMT_WARP_UNIT_H_
#define MUSTER_SIM_PTX_SIMT_WARP_UNIT_H_

#include <cstdint>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// A warp, or lanes of it, at a barrier instruction.
struct Arrival {
  // The register to which a reduction's result goes.
  struct Result {
    std::uint32_t frame;
    Slot slot;
    std::uint32_t lanes;
  };

  ClusterForm cluster = ClusterForm::kNone;  // at barrier.cluster; kind, bar, count have no meaning
  OpKind kind = OpKind::kSync;
  std::uint32_t bar = 0;  // as in the registers, not cut to what the hardware holds
  std::uint32_t count = 0;
  std::uint32_t lanes = 0;
  std::uint32_t operand = 0;  // the predicate of each lane; of barrier.cluster.arrive: it releases
  std::uint32_t line = 0;
  bool listed = false;  // it is the turn of a schedule
  std::vector<Result> results;
};

// The warp scope, as the interpreter sees it. Its answers and arrivals go to Interpreter::Answer
// and Interpreter::TakeArrival.
class WarpUnit {
 public:
  WarpUnit() = default;
  WarpUnit(const WarpUnit&) = delete;
  WarpUnit& operator=(const WarpUnit&) = delete;
  virtual ~WarpUnit() = default;

  // A new warp takes the slot.
  virtual void Reset(unsigned warp) = 0;
  // Is to be presented, after what was requested before.
  virtual void Request(const WarpRequest& request) = 0;
  // Lanes of the warp may be answered, or may arrive, without another request of it.
  virtual bool IsUnderWay(unsigned warp) const = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARP_UNIT_H_
