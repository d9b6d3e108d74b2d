// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the lanes of one warp do together. At a non-aligned barrier a thread waits for all the
// threads of its warp that have not exited, and then the warp arrives, once per instruction. At a
// warp-wide instruction it waits for the threads that the instruction names.
#ifndef MUSTER_SIM_PTX_SIMT_WARP_UNIT_H_
#define MUSTER_SIM_PTX_SIMT_WARP_UNIT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// Lanes of one warp at a barrier instruction.
struct Arrival {
  // Where a reduction's result goes.
  struct Result {
    std::uint32_t frame;
    Slot slot;
    std::uint32_t lanes;
  };

  ClusterOp cluster = ClusterOp::kNone;  // if at barrier.cluster: what follows has no meaning there
  OpKind kind = OpKind::kSync;
  std::uint32_t bar = 0;  // as in the registers, not cut to what the hardware holds
  std::uint32_t count = 0;
  std::uint32_t lanes = 0;
  std::uint32_t operand = 0;  // the predicate of each lane
  std::uint32_t pc = 0;
  std::uint32_t line = 0;
  bool divergent_operand = false;
  bool diverged_aligned = false;
  bool diverged_barrier = false;  // others of the warp came to another barrier, form or count
  std::vector<Result> results;
};

// Lanes of one warp at a warp-wide instruction that names the same members, and what comes of it.
struct Exchange {
  WarpOp op = WarpOp::kSync;
  Type type = Type::kB32;  // of the values
  bool magnitude = false;
  bool keeps_nan = false;
  std::uint32_t members = 0;
  std::uint32_t lanes = 0;  // that have come
  std::array<std::uint64_t, kWarpSize> value{};
  std::array<std::uint32_t, kWarpSize> from{};   // shfl: the lane or distance,
  std::array<std::uint32_t, kWarpSize> clamp{};  // and its limits
  // The results.
  std::array<std::uint32_t, kWarpSize> result{};
  std::uint32_t predicates = 0;
};

// The interface that a warp-scope unit can take over.
class WarpUnit {
 public:
  WarpUnit() = default;
  WarpUnit(const WarpUnit&) = delete;
  WarpUnit& operator=(const WarpUnit&) = delete;
  virtual ~WarpUnit() = default;

  // A new warp takes the slot.
  virtual void Reset(unsigned warp) = 0;
  // Lanes came to a barrier, or to a warp-wide instruction, and stand there until Take hands them
  // out.
  virtual void Come(unsigned warp, const Arrival& arrival) = 0;
  virtual void Come(unsigned warp, const Exchange& exchange) = 0;
  // Hands out the next arrival if all `live` lanes have come. Those that come to it together become
  // one; then the next, until all lanes are handed out.
  virtual bool Take(unsigned warp, std::uint32_t live, Arrival* arrival) = 0;
  // Hands out an instruction to which all its live members have come, with its results.
  virtual bool Take(unsigned warp, std::uint32_t live, Exchange* exchange) = 0;
};

// The same in software.
class FrontEndWarpUnit : public WarpUnit {
 public:
  void Reset(unsigned warp) override;
  void Come(unsigned warp, const Arrival& arrival) override;
  void Come(unsigned warp, const Exchange& exchange) override;
  bool Take(unsigned warp, std::uint32_t live, Arrival* arrival) override;
  bool Take(unsigned warp, std::uint32_t live, Exchange* exchange) override;

 private:
  struct Warp {
    std::vector<Arrival> held;  // by lowest lane, once all have come
    std::uint32_t lanes = 0;    // in `held`
    bool complete = false;      // all have come: hand out what is left
    std::vector<Exchange> exchanges;
  };
  std::array<Warp, kMaxWarps> warps_;
};

// Computes the results for the lanes that have come.
void Evaluate(Exchange* exchange);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARP_UNIT_H_
