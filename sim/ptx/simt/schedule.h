// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An order of events that a run is to keep to: what `muster explore` writes as a witness, and what
// `muster run --schedule` follows.
#ifndef MUSTER_SIM_PTX_SIMT_SCHEDULE_H_
#define MUSTER_SIM_PTX_SIMT_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// Some lanes of a warp execute an instruction, or what they have started there is carried out; or a
// cluster starts.
struct Turn {
  enum class What : std::uint8_t {
    kExecutes,  // a memory access: it is done; an operation of the unit: it has committed
    kReads,     // a copy has read its source; try_cancel: the next cluster is taken from the queue
    kPerforms,  // a copy, an asynchronous store, an operation on another CTA's mbarrier, or the
                // response to try_cancel is done
    kStarts,    // the cluster of the CTA: of no warp, lanes or instruction
  };
  std::uint64_t cta = 0;    // linear, in the grid
  unsigned warp = 0;        // of the CTA
  std::uint32_t lanes = 0;  // at least one
  std::uint32_t pc = 0;     // index into Program::code
  std::uint32_t time = 1;   // which of the lanes' executions of it, from 1
  What what = What::kExecutes;
  std::optional<std::uint64_t> to{};  // kPerforms: what goes to this CTA alone, linear
};

// Other threads can see that, and when, it happens.
bool HasTurn(const Instruction& instruction, Turn::What what);

// The turns come in this order. What is not listed may come at any time, and anything after the
// turns that are needed.
struct Schedule {
  std::vector<Turn> turns;
  std::optional<std::size_t> needed;  // so many come; the others are held back until then. Or all.
  std::string config;                 // of the run that it was found in
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> input{};  // likewise, if the manifest leaves any open
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SCHEDULE_H_
