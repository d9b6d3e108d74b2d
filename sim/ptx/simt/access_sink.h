// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An interface that is told of every access to memory that several threads see.
#ifndef MUSTER_SIM_PTX_SIMT_ACCESS_SINK_H_
#define MUSTER_SIM_PTX_SIMT_ACCESS_SINK_H_

#include <cstdint>
#include <vector>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

struct Cta;
struct TensorRange;
struct Warp;

class AccessSink {
 public:
  AccessSink() = default;
  AccessSink(const AccessSink&) = delete;
  AccessSink& operator=(const AccessSink&) = delete;
  virtual ~AccessSink() = default;

  // A lane has loaded, stored or swapped `access`.count elements: of shared memory of the CTA, or
  // (null) of global memory. `changed`: what was there is not what is there now.
  virtual void OnAccess(const Warp& warp, unsigned lane, const Instruction& instruction,
                        const Access& access, const Cta* owner, std::uint64_t address,
                        bool changed) = 0;
  // A warp has loaded from or stored to its CTA's tensor memory, has allocated or released it.
  virtual void OnTensorAccess(const Warp& warp, const std::vector<TensorRange>& ranges) = 0;
  // It has changed what columns of it or what registers are free, or found too few.
  virtual void OnResource(const Warp& warp) = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_ACCESS_SINK_H_
