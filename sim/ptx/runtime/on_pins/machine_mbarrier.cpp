// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in mbarriers: moves operations between the core and the port.
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"

namespace muster::ptx {

// The cycle in which Drive returns false has already begun.
void Machine::Serve(const Outputs& seen, Inputs* inputs) {
  if (std::exchange(left_, false)) {
    return;
  }
  if (port_ != nullptr) {
    port_->Begin(seen.mb, &inputs->mb);
  }
  if (atomic_port_ != nullptr) {
    atomic_port_->Begin();
  }
}

void Machine::BeginMbarriers(const Outputs& seen, Inputs* inputs) {
  port_->Begin(seen.mb, &inputs->mb);
  if (port_->accepted()) {
    const unsigned warp = *port_->accepted();
    times_.warps[warp].mb_drain_until = times_.warps[warp].memory_until;
    if (!port_->Issuing(warp)) {
      core_.Issued(warp);
    }
  }
  for (const MbReply& reply : port_->replies()) {
    core_.Reply(reply);
  }
}

void Machine::Issue(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  port_->Issue(warp, slot.cta, slot.warp.mbarrier);
}

void Machine::PresentMbarriers(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  port_->Present(times_.outstanding, grid_.ending(), &inputs->mb);
  if (port_->refusal() && !grid_.ending()) {
    const MbPort::Refusal& refusal = *port_->refusal();
    core_.EndWithMbFault(refusal.cause, refusal.operation.warp, refusal.operation, cycle);
  }
  inputs->mb.fence_ack = ~std::uint64_t{0};
  ForEachBit(times_.outstanding, [&](unsigned warp) {
    if ((seen.mb.fence_req & Bit(warp)) == 0 || cycle < times_.warps[warp].mb_drain_until) {
      inputs->mb.fence_ack &= ~Bit(warp);
    }
  });
}

std::uint32_t Machine::LineOf(const MbEvent& event) const {
  const bool of_time = event.kind == MbEvent::Kind::kExpire || event.kind == MbEvent::Kind::kLeave;
  return of_time ? 0 : event.operation.tag;
}

void Machine::OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  Record(cycle, event, effects);
  if (event.kind == MbEvent::Kind::kStep) {
    CommitTurn(event.operation);
    NoteFresh(event.operation, effects, cycle);
  }
  core_.Take(cycle, event, effects);
}

}  // namespace muster::ptx
