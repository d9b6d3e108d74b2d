// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clusterlaunchcontrol: a CTA takes over the work of a cluster that has not started, by the cluster
// scope, and decodes its response.
#include <fmt/format.h>

#include <cstring>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/async_copies.h"

namespace muster::ptx {
namespace {

using Response = std::array<std::uint32_t, 4>;

}  // namespace

StepEvent AsyncCopies::ExecuteTryCancel(Warp* warp, const Lanes& lanes) {
  const std::uint32_t line = lanes.instruction.line;
  const auto& i = lanes.instruction.As<CancelRequest>();
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    if (warp->cta->last) {
      return x_.Misuse(*warp, lane, line, "cancel_after_failure",
                       "tries to cancel a cluster, though its CTA knows that none is left");
    }
    const std::uint64_t to = lanes.Read(i.response)[lane];
    const std::uint64_t mbarrier = lanes.Read(i.mbarrier)[lane];
    Transfer transfer;
    if (to % sizeof(Response) != 0 ||
        !Locate(warp, lane, i.space, to, sizeof(Response), true, &transfer)) {
      return x_.Fault(*warp, lane, line,
                      x_.space.DescribeAccess(*warp, i.space, to, sizeof(Response), true));
    }
    if (transfer.to != warp->cta || !LocateMbarrier(warp, lane, i.space, mbarrier, &transfer)) {
      return x_.Fault(
          *warp, lane, line,
          fmt::format("wants a response at {:#x}, and an mbarrier at {:#x} to hear of it, "
                      "which are not both in its own CTA's shared memory",
                      to, mbarrier));
    }
    CancelCall call{i.multicast,
                    static_cast<std::uint32_t>(transfer.target.front().address),
                    *transfer.mbarrier,
                    line,
                    lane,
                    {}};
    for (const Cta* const cta : warp->cta->cluster->ctas) {
      const bool answered = x_.replay != nullptr && (i.multicast || cta == warp->cta);
      call.passes.push_back(answered ? x_.replay->StartFor(lane, cta->linear_id) : 0);
    }
    cancel_(*warp, call);
  }
  return StepEvent::kNone;
}

StepEvent AsyncCopies::ExecuteQueryCancel(Warp* warp, const Lanes& lanes) {
  const auto& i = lanes.instruction.As<CancelQuery>();
  const bool asks = i.is_canceled != kNoSlot;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const std::array<std::uint64_t, 2> halves{lanes.Read(i.response[0])[lane],
                                              lanes.Read(i.response[1])[lane]};
    Response response;
    std::memcpy(response.data(), halves.data(), sizeof response);
    const bool cancelled = response[3] != 0;
    if (asks) {
      lanes.Write(i.is_canceled)[lane] = cancelled ? 1 : 0;
      warp->cta->last = warp->cta->last || !cancelled;
    } else if (!cancelled) {
      return x_.Misuse(*warp, lane, lanes.instruction.line, "ctaid_of_failure",
                       "asks for the ctaid of a cluster that was not cancelled");
    }
    for (unsigned k = 0; k < 3; ++k) {
      if (i.ctaid[k] != kNoSlot) {
        lanes.Write(i.ctaid[k])[lane] = response[k];
      }
    }
  }
  return StepEvent::kNone;
}

}  // namespace muster::ptx
