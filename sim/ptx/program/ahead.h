// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The arrivals that a lane may still come to, for reports: a warp that can come to none at a
// barrier is not the one that is missing there.
#ifndef MUSTER_SIM_PTX_PROGRAM_AHEAD_H_
#define MUSTER_SIM_PTX_PROGRAM_AHEAD_H_

#include <cstdint>
#include <map>
#include <vector>

#include "sim/ptx/program/program.h"

namespace muster::ptx {

struct Arrivals {
  std::uint32_t barriers = 0;  // named barriers by number; all of them where a register has it
  bool mbarriers = false;      // at whichever address
};

class Ahead {
 public:
  // `program` must outlive it.
  explicit Ahead(const Program& program) : program_(program) {}

  // The arrivals on any path from this instruction on, itself included. A function may return to
  // each of its callers, and an indirect call may call each function.
  const Arrivals& From(std::uint32_t pc) const;

 private:
  void Add(const Instruction& instruction, Arrivals* arrivals) const;
  std::vector<std::uint32_t> NextOf(std::uint32_t pc) const;

  const Program& program_;
  mutable std::map<std::uint32_t, Arrivals> known_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_AHEAD_H_
