// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How unknown values spread through registers and memory, and where the program must not depend
// on one. Knows which operands decide what an instruction does; does not compute.
#ifndef MUSTER_SIM_PTX_SIMT_UNKNOWNS_H_
#define MUSTER_SIM_PTX_SIMT_UNKNOWNS_H_

#include <cstdint>
#include <optional>

#include "sim/ptx/simt/execution.h"

namespace muster::ptx {

class Unknowns {
 public:
  explicit Unknowns(Execution* execution) : x_(*execution) {}

  std::optional<StepEvent> MeetUnknown(Warp* warp, const Group& group, std::uint32_t active);
  StepEvent RefuseUnknown(const Warp& warp, unsigned lane, std::uint32_t line, const char* what,
                          Origin origin);
  Origin OriginOf(std::uint32_t opaque, std::uint32_t line);
  std::uint32_t SpreadAccess(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  void SpreadMatrix(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  struct FramePlace {
    std::uint32_t frame;
    Slot slot;
    std::uint32_t offset;
  };
  void SpreadValue(Warp* warp, unsigned lane, const FramePlace& to, const FramePlace& from,
                   std::uint32_t bytes);

 private:
  Origin UnknownOnStack(Warp* warp, const Group& group, unsigned lane) const;

  Execution& x_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_UNKNOWNS_H_
