// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Says where lanes stand and what they wait for, for reports. Changes nothing.
#ifndef MUSTER_SIM_PTX_SIMT_STANDING_H_
#define MUSTER_SIM_PTX_SIMT_STANDING_H_

#include <cstdint>
#include <string>

#include "sim/isa/fault.h"
#include "sim/ptx/simt/collectives.h"
#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/warpgroup_unit.h"

namespace muster::ptx {

// Why the warp unit refuses what lanes of a warp came to.
struct Refusal {
  std::uint32_t line = 0;
  std::string why;
};

class Standing {
 public:
  Standing(const Execution* execution, const Collectives* collectives,
           const WarpgroupUnit* warpgroup_unit)
      : x_(*execution), collectives_(*collectives), warpgroup_unit_(*warpgroup_unit) {}

  // "lanes 0x0000ffff wait at barrier 2 (line 38)"
  std::string Describe(const Warp& warp, const Group& group) const;
  Refusal DescribeRefusal(const Warp& warp, FaultCause cause, std::uint32_t lanes) const;

 private:
  const Execution& x_;
  const Collectives& collectives_;
  const WarpgroupUnit& warpgroup_unit_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_STANDING_H_
