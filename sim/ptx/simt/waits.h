// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where lanes wait one by one: mbarrier instructions that are answered (PTX ISA 9.7.13.15), and
// nanosleep. Knows the operands of each lane and when lanes go on.
#ifndef MUSTER_SIM_PTX_SIMT_WAITS_H_
#define MUSTER_SIM_PTX_SIMT_WAITS_H_

#include <cstdint>

#include "sim/ptx/simt/execution.h"

namespace muster::ptx {

class Waits {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  explicit Waits(Execution* execution) : x_(*execution) {}

  StepEvent ReachMbarrier(Warp* warp, std::size_t index, std::uint32_t active);
  // Lanes that wait at mbarrier instructions go on.
  void Answer(Warp* warp, const MbReply& reply);
  StepEvent Sleep(Warp* warp, std::size_t index, std::uint32_t active);
  // Groups go on whose time has come, or for which there is enough of what they take.
  void WakeUp(Warp* warp);
  // Returns the first cycle in which a group of the warp that sleeps goes on, or kNever.
  static std::uint64_t WakesAt(const Warp& warp);

 private:
  MbInstruction MbInstructionOf(Warp* warp, const Group& group) const;
  void TakeMask(const Warp& warp, unsigned lane, std::uint32_t mask, std::uint64_t named,
                MbInstruction* mb) const;

  Execution& x_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WAITS_H_
