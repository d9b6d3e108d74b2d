// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/warp_barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/warp_operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/simt/collectives.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxBarrierCount = 4095;  // that the hardware holds

std::uint32_t KeyOf(const Arrival& arrival) {
  switch (arrival.cluster) {
    case ClusterForm::kArrive:
    case ClusterForm::kArriveRelaxed:
      return ClusterKey(GatherKind::kClusterArrive);
    case ClusterForm::kWait:
      return ClusterKey(GatherKind::kClusterWait);
    case ClusterForm::kNone:
      break;
  }
  return BarrierKey(arrival.bar, arrival.count, arrival.kind);
}

// The inverse. A warp's arrival at barrier.cluster releases if that of some lane does.
Arrival BarrierOf(std::uint32_t key, std::uint32_t preds) {
  const ClusterForm forms[] = {ClusterForm::kNone,
                               preds != 0 ? ClusterForm::kArrive : ClusterForm::kArriveRelaxed,
                               ClusterForm::kWait};
  Arrival arrival;
  arrival.cluster = forms[key >> 20 & 0x3];
  arrival.kind = static_cast<OpKind>(key >> 16 & 0xf);
  arrival.count = key >> 4 & 0xfff;
  arrival.bar = key & 0xf;
  arrival.operand = preds;
  return arrival;
}

}  // namespace

StepEvent WarpBarriers::ReachGridControl(Warp* warp, std::size_t index, std::uint32_t active) {
  const Instruction& i = x_.program.code[warp->groups[index].pc];
  Part(warp, index, active);
  warp->grid_control = {i.As<GridControl>().waits, active, i.line};
  Advance(warp, index);
  return StepEvent::kGrid;
}

// Lanes come to a barrier that is not aligned. If they are all lanes that the warp has, it arrives;
// else they wait for the others.
StepEvent WarpBarriers::Gather(Warp* warp, std::size_t index) {
  const Group here = warp->groups[index];
  if (here.lanes == warp->live) {
    return Arrive(warp, index);
  }
  if (const std::optional<unsigned> lane = Differing(warp, here)) {
    return RefuseDiffering(warp, here, *lane);
  }
  const Arrival arrival = ArrivalOf(warp, here);
  if (arrival.bar >= kNumBars || arrival.count > kMaxBarrierCount) {
    warp->arrival = arrival;  // which is refused
    return StepEvent::kBarrier;
  }
  WarpRequest request = RequestOf(*warp, WarpOp::kGather);
  request.lanes = here.lanes;
  request.key = KeyOf(arrival);
  request.preds = arrival.operand;
  x_.warp_unit->Request(request);
  x_.rendezvous_lanes += static_cast<unsigned>(__builtin_popcount(here.lanes));
  Hold(warp, index, Group::State::kHeld);
  return StepEvent::kNone;
}

// A lane of the group that names another barrier or count than the lowest one, if there is any.
std::optional<unsigned> WarpBarriers::Differing(Warp* warp, const Group& group) const {
  const Instruction& i = x_.program.code[group.pc];
  if (i.op == Op::kClusterBarrier) {
    return std::nullopt;
  }
  const Lanes lanes = x_.LanesOf(warp, group, group.lanes);
  const auto bar = lanes.Read(i.As<CtaBarrier>().id);
  const auto count = lanes.Read(i.As<CtaBarrier>().count);
  const unsigned first = First(group.lanes);
  std::optional<unsigned> differs;
  lanes.ForEach([&](unsigned lane) {
    if (!differs && (bar[lane] != bar[first] || count[lane] != count[first])) {
      differs = lane;
    }
  });
  return differs;
}

StepEvent WarpBarriers::RefuseDiffering(Warp* warp, const Group& group, unsigned lane) {
  const auto& barrier = x_.program.code[group.pc].As<CtaBarrier>();
  const auto names = [&](unsigned of) {
    return fmt::format("barrier {} and count {}", x_.ValueOf(*warp, group, barrier.id, of),
                       x_.ValueOf(*warp, group, barrier.count, of));
  };
  const unsigned first = First(group.lanes);
  return x_.Misuse(*warp, lane, x_.program.code[group.pc].line, "divergent_operand",
                   fmt::format("names {}, and lane {} of its warp {}, in one instruction",
                               names(lane), first, names(first)));
}

Arrival WarpBarriers::ArrivalOf(Warp* warp, const Group& group) const {
  const Instruction& i = x_.program.code[group.pc];
  Arrival arrival;
  arrival.lanes = group.lanes;
  arrival.line = i.line;
  if (i.op == Op::kClusterBarrier) {
    arrival.cluster = i.As<ClusterBarrier>().op;
    arrival.operand = arrival.cluster == ClusterForm::kArrive ? group.lanes : 0;
    return arrival;
  }
  const Lanes lanes = x_.LanesOf(warp, group, group.lanes);
  const auto& barrier = i.As<CtaBarrier>();
  const auto bar = lanes.Read(barrier.id);
  const auto count = lanes.Read(barrier.count);
  const unsigned first = First(group.lanes);
  arrival.kind = barrier.kind;
  arrival.bar = static_cast<std::uint32_t>(bar[first]);
  arrival.count = static_cast<std::uint32_t>(count[first]);
  if (IsReduction(arrival.kind)) {
    const auto c = lanes.Read(barrier.predicate);
    lanes.ForEach([&](unsigned lane) {
      if ((c[lane] != 0) != barrier.negated) {
        arrival.operand |= 1U << lane;
      }
    });
    arrival.results.push_back({group.frame, barrier.d, group.lanes});
  }
  return arrival;
}

// The group, which has all lanes of its warp, arrives.
StepEvent WarpBarriers::Arrive(Warp* warp, std::size_t index) {
  Group& group = warp->groups[index];
  if (const std::optional<unsigned> lane = Differing(warp, group)) {
    return RefuseDiffering(warp, group, *lane);
  }
  warp->arrival = ArrivalOf(warp, group);
  if (group.state != Group::State::kReady) {
    --warp->held;
  }
  group.state = Group::State::kReady;
  Advance(warp, index);
  return StepEvent::kBarrier;
}

// The warp arrives with these lanes, at the barrier that they wait for.
void WarpBarriers::TakeArrival(Warp* warp, const WarpArrival& given) {
  Arrival& arrival = warp->arrival;
  arrival = BarrierOf(given.key, given.preds);
  arrival.lanes = given.lanes;
  for (const Group& group : warp->groups) {
    const std::uint32_t here = group.lanes & given.lanes;
    if (group.state != Group::State::kHeld || here == 0) {
      continue;
    }
    const Instruction& i = x_.program.code[group.pc];
    if ((here & (given.lanes & -given.lanes)) != 0) {
      arrival.line = i.line;
    }
    if (arrival.cluster == ClusterForm::kNone && IsReduction(arrival.kind)) {
      arrival.results.push_back({group.frame, i.As<CtaBarrier>().d, here});
    }
  }
  Resume(warp, given.lanes, Group::State::kHeld, [](const Group&, std::uint32_t) {});
}

void WarpBarriers::WriteResult(Warp* warp, std::uint32_t value) {
  for (const Arrival::Result& result : warp->arrival.results) {
    ForEachBit(result.lanes,
               [&](unsigned lane) { warp->Register(result.frame, result.slot, lane) = value; });
  }
}

}  // namespace muster::ptx
