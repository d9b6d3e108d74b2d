// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The gathering of lanes at a non-aligned barrier: a thread waits there for all the threads of its
// warp that have not exited, and then the warp arrives, once per instruction.
#ifndef MUSTER_SIM_PTX_GATHER_H_
#define MUSTER_SIM_PTX_GATHER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/golden/operation.h"
#include "sim/ptx/instruction.h"

namespace muster::ptx {

// Lanes of one warp at a barrier instruction.
struct Arrival {
  // Where a reduction's result goes.
  struct Result {
    std::uint32_t frame;
    Slot slot;
    std::uint32_t lanes;
  };

  OpKind kind = OpKind::kSync;
  std::uint32_t bar = 0;  // as in the registers, not cut to what the hardware holds
  std::uint32_t count = 0;
  std::uint32_t lanes = 0;
  std::uint32_t operand = 0;  // the predicate of each lane
  std::uint32_t pc = 0;
  std::uint32_t line = 0;
  bool divergent_operand = false;
  bool diverged_aligned = false;
  std::vector<Result> results;
};

// The interface that a warp-scope unit can take over.
class LaneGather {
 public:
  LaneGather() = default;
  LaneGather(const LaneGather&) = delete;
  LaneGather& operator=(const LaneGather&) = delete;
  virtual ~LaneGather() = default;

  // A new warp takes the slot.
  virtual void Reset(unsigned warp) = 0;
  // Lanes came to a barrier, and stand there until Take hands them out.
  virtual void Come(unsigned warp, const Arrival& arrival) = 0;
  // Hands out the next warp instruction if all `live` lanes have come. Those that come to it
  // together become one; then the next, until all lanes are handed out.
  virtual bool Take(unsigned warp, std::uint32_t live, Arrival* arrival) = 0;
};

// The same in software.
class FrontEndGather : public LaneGather {
 public:
  void Reset(unsigned warp) override;
  void Come(unsigned warp, const Arrival& arrival) override;
  bool Take(unsigned warp, std::uint32_t live, Arrival* arrival) override;

 private:
  struct Warp {
    std::vector<Arrival> held;  // by lowest lane, once all have come
    std::uint32_t lanes = 0;    // in `held`
    bool complete = false;      // all have come: hand out what is left
  };
  std::array<Warp, kMaxWarps> warps_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_GATHER_H_
