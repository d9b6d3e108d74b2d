// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An order of events that a run is to keep to: what `muster explore` writes as a witness, and what
// `muster run --schedule` follows.
#ifndef MUSTER_SIM_PTX_SIMT_SCHEDULE_H_
#define MUSTER_SIM_PTX_SIMT_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace muster::ptx {

// Some lanes of a warp execute an instruction, or what they have started there is carried out.
struct Turn {
  enum class What : std::uint8_t {
    kExecutes,  // a memory access: it is done; an operation of the unit: it has committed
    kReads,     // a copy to global memory has read its source
    kPerforms,  // a copy, an asynchronous store, or an operation on another CTA's mbarrier is done
  };
  std::uint64_t cta = 0;    // linear, in the grid
  unsigned warp = 0;        // of the CTA
  std::uint32_t lanes = 0;  // at least one
  std::uint32_t pc = 0;     // index into Program::code
  std::uint32_t time = 1;   // which of the lanes' executions of it, from 1
  What what = What::kExecutes;
};

// The turns come in this order. What is not listed may come at any time.
struct Schedule {
  std::vector<Turn> turns;
  std::string config;  // of the run that it was found in
  std::uint64_t seed = 1;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SCHEDULE_H_
