// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The barriers, fences and waits of a kernel, by place, and the kernel without some of them. Knows
// what stands in for an instruction that is gone, and not whether the kernel needs it.
#ifndef MUSTER_SIM_PTX_PROGRAM_SYNC_PLACE_H_
#define MUSTER_SIM_PTX_PROGRAM_SYNC_PLACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/program/program.h"

namespace muster::ptx {

// A place of the source at which threads synchronize: one instruction, or the copies that a
// compiler has made of it; of barrier.cluster the arrival with the wait that follows it.
struct SyncPlace {
  std::vector<std::uint32_t> pcs;
  std::string what;     // "bar.sync 0", "mbarrier.try_wait.parity"
  std::string instead;  // what is tried instead of it, as a clause: "it answers true at once"
  std::string untried;  // why nothing is, as a clause; mostly empty
  std::string unseen;   // what of its absence no run here shows, as a clause; mostly empty
};

// Returns the places in the order of the PTX file. The first one has number 1.
std::vector<SyncPlace> SyncPlacesOf(const Program& program);

// Returns the program without the places of these numbers. Throws InputError if there is no place
// of a number, or nothing can be tried instead of it.
Program Without(Program program, const std::vector<std::uint32_t>& numbers);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_SYNC_PLACE_H_
