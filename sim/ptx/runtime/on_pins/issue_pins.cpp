// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/issue_pins.h"

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kStall = 8;  // in one of so many cycles such a port asks for nothing

// Presents the next request, if the port is free and may take one.
template <typename May>
void PresentNext(bool* valid, Operation* at_port, std::deque<Operation>* left, May may) {
  if (!*valid && !left->empty() && may(left->front())) {
    *valid = true;
    *at_port = left->front();
    left->pop_front();
  }
}

}  // namespace

void IssuePins::Accept(const Outputs& seen, Inputs* inputs) {
  const unsigned accepted = inputs->issue_valid & seen.issue_ready;
  ForEachBit(accepted, [&](unsigned port) {
    const unsigned warp = at_port_[port];
    times_.warps[warp].drain_until = times_.warps[warp].memory_until;
    presented_ &= ~Bit(warp);
    core_.Accept(warp);
  });
  inputs->issue_valid = static_cast<std::uint8_t>(inputs->issue_valid & ~accepted);
  if (inputs->lifecycle_valid && seen.lifecycle_ready) {
    inputs->lifecycle_valid = false;
  }
  if (inputs->exit_valid && seen.exit_ready) {
    inputs->exit_valid = false;
  }
}

void IssuePins::Present(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  const Residents& residents = core_.residents();
  // Mbarrier operations of a warp come before its exit, and before the end of its CTA.
  const auto unsettled = [&](const Operation& operation) {
    const bool ends = operation.kind == OpKind::kEnd;
    const std::uint64_t warps = ends ? residents.ctas[operation.cta].warps
                                : operation.kind == OpKind::kExit ? Bit(operation.warp)
                                                                  : 0;
    const Cta* const cta = &residents.ctas[operation.cta].cta;
    return (MbBusy() & warps) != 0 ||
           (operation.kind == OpKind::kExit && grid_.IsSending(cta, operation.warp)) ||
           (ends && port_ != nullptr && port_->IsReached(operation.cta, inputs->mb));
  };
  const auto may = [&](const Operation& operation) {
    return !grid_.ending() && !unsettled(operation) && !random_.OneIn(kStall);
  };
  PresentNext(&inputs->lifecycle_valid, &inputs->lifecycle, &lifecycle_, may);
  PresentNext(&inputs->exit_valid, &inputs->exit, &exits_, may);
  std::uint64_t candidates = grid_.ending() ? 0 : residents.issuing & ~presented_ & ~seen.busy;
  candidates &= config_.drain ? ~std::uint64_t{0} : ~MbBusy();
  for (unsigned port = 0; port < config_.num_issue && candidates != 0; ++port) {
    if (((inputs->issue_valid >> port) & 1U) != 0) {
      continue;
    }
    const auto warp = static_cast<unsigned>(__builtin_ctzll(candidates));
    candidates &= candidates - 1;
    WarpTimes& times = times_.warps[warp];
    if (times.issue_at > cycle) {
      continue;
    }
    const Warp& at_barrier = residents.warps[warp].warp;
    const Arrival& arrival = at_barrier.arrival;
    inputs->issue[port] = OperationOf(at_barrier, arrival);
    inputs->issue_valid = static_cast<std::uint8_t>(inputs->issue_valid | (1U << port));
    at_port_[port] = warp;
    presented_ |= Bit(warp);
    times.issued_line = arrival.line;
    times.issued_listed = arrival.listed;
    ++in_flight_;
  }
}

// While the request is low, the acknowledge says that no access is outstanding; while it is high,
// that the accesses before it are performed.
void IssuePins::AcknowledgeFences(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  inputs->fence_ack = ~std::uint64_t{0};
  ForEachBit(times_.outstanding, [&](unsigned warp) {
    const WarpTimes& times = times_.warps[warp];
    if (cycle >= times.memory_until) {
      times_.outstanding &= ~Bit(warp);
      return;
    }
    const bool in_drain = (seen.fence_req & ~presented_ & Bit(warp)) != 0;
    if (!in_drain || cycle < times.drain_until) {
      inputs->fence_ack &= ~Bit(warp);
    }
  });
  inputs->fence_ack &= ~MbBusy();  // an mbarrier operation is an access, too
}

bool IssuePins::ExitsStand() const {
  if (exits_.empty() || in_flight_ != exits_.size()) {
    return false;
  }
  const Operation& first = exits_.front();
  return grid_.IsSending(&core_.residents().ctas[first.cta].cta, first.warp);
}

void IssuePins::Request(const Operation& operation) {
  (operation.kind == OpKind::kExit ? exits_ : lifecycle_).push_back(operation);
  ++in_flight_;
}

}  // namespace muster::ptx
