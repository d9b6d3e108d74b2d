// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An interface to what counts the accesses of a unit's warps, and lets a warp go on at a fence when
// those before it are performed.
#ifndef MUSTER_SIM_PTX_SIMT_FENCE_SINK_H_
#define MUSTER_SIM_PTX_SIMT_FENCE_SINK_H_

#include <cstdint>
#include <memory>

#include "sim/isa/access_class.h"

namespace muster::ptx {

class FenceSink {
 public:
  FenceSink() = default;
  FenceSink(const FenceSink&) = delete;
  FenceSink& operator=(const FenceSink&) = delete;
  virtual ~FenceSink() = default;

  // Whether an instruction of the warp may access memory by all of these classes in this cycle.
  virtual bool HasRoom(unsigned warp, ClassSet classes) = 0;
  // The instruction that the warp executes in this cycle accesses memory, and it is performed in
  // cycle `until`; by several such calls, in the latest of these.
  virtual void Begin(unsigned warp, AccessClass of, std::uint64_t until) = 0;
  // Likewise, and it is performed when the last copy of what this returns is gone.
  virtual std::shared_ptr<const void> Hold(unsigned warp, ClassSet classes) = 0;
  // These lanes of a warp stand at an instruction that has to wait for accesses of these classes
  // before it. Called in each cycle in which they could go on; returns true once, when they may.
  virtual bool Drain(unsigned warp, std::uint32_t pc, std::uint32_t lanes, ClassSet classes) = 0;
  // Whether lanes of the warp wait there.
  virtual bool Drains(unsigned warp) const = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_FENCE_SINK_H_
