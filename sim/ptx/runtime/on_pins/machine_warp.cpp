// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in the warp scope: passes answers and refusals to the warps.
#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/fault.h"
#include "sim/ptx/runtime/on_pins/grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

bool UsesWarpScope(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::kExchange || (i.op == Op::kBarrier && !i.As<CtaBarrier>().aligned) ||
           (i.op == Op::kClusterBarrier && !i.As<ClusterBarrier>().aligned);
  });
}

void Machine::BeginWarpScope(std::uint64_t cycle) {
  warp_port_->Begin(cycle);
  if (grid_.ending()) {
    return;
  }
  if (warp_port_->fault()) {
    EndWithRefusal(*warp_port_->fault(), cycle);
    return;
  }
  if (const auto& answer = warp_port_->answer()) {
    interpreter_.Answer(&residents_.warps[answer->warp].warp, *answer);
    Wake(answer->warp);
  }
  if (const auto& arrival = warp_port_->arrival()) {
    interpreter_.TakeArrival(&residents_.warps[arrival->warp].warp, *arrival);
    ReachBarrier(arrival->warp, cycle);
  }
  ForEachBit(warp_port_->settled(), [&](unsigned warp) { Wake(warp); });
}

// Something has changed for waiting lanes of the warp.
void Machine::Wake(unsigned warp) {
  if (((residents_.asleep | residents_.stuck) & Bit(warp)) != 0) {
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

// Returns warps that are at another barrier or exiting, and so cannot arrive now.
std::uint64_t Machine::Occupied() const {
  return ~(residents_.ready | residents_.asleep | residents_.stuck);
}

void Machine::EndWithRefusal(const WarpOutputs::Fault& fault, std::uint64_t cycle) {
  const WarpSlot& slot = residents_.warps[fault.warp];
  const Interpreter::Refusal refusal =
      interpreter_.DescribeRefusal(slot.warp, fault.cause, fault.lanes);
  grid_.EndWithFault(Outcome::kFault,
                     {Name(fault.cause), refusal.line, cycle, residents_.LinearCta(fault.warp),
                      residents_.IndexInCta(fault.warp), 0, fault.lanes},
                     fmt::format("warp {} of CTA {}, lanes {:#010x}, cycle {}: {}",
                                 residents_.IndexInCta(fault.warp),
                                 grid_.CtaName(residents_.LinearCta(fault.warp)), fault.lanes,
                                 cycle, refusal.why));
}

}  // namespace muster::ptx
