// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where lanes wait: barriers, mbarriers, nanosleep. Collectives are in exchange.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/warp_operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kLongestSleepNs = 1'000'000;
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

Interpreter::Event Interpreter::ReachBarrier(Warp* warp, std::size_t index, std::uint32_t active) {
  const Instruction& i = program_.code[warp->groups[index].pc];
  const bool aligned =
      i.op == Op::kBarrier ? i.As<CtaBarrier>().aligned : i.As<ClusterBarrier>().aligned;
  Part(warp, index, active);
  if (!aligned) {
    return Gather(warp, index);
  }
  return active == warp->live ? Arrive(warp, index) : AwaitAll(warp, index);
}

// The group waits until all lanes of its warp stand there.
Interpreter::Event Interpreter::AwaitAll(Warp* warp, std::size_t index) {
  Hold(warp, index, Group::State::kAligned);
  // With the lanes that stood here already, all may have come.
  for (std::size_t k = 0; k < warp->groups.size(); ++k) {
    if (warp->groups[k].state == Group::State::kAligned && warp->groups[k].lanes == warp->live) {
      return Meet(warp, k);
    }
  }
  return Event::kNone;
}

// All lanes of the warp stand at an instruction that waits for them.
Interpreter::Event Interpreter::Meet(Warp* warp, std::size_t index) {
  const Op op = program_.code[warp->groups[index].pc].op;
  return IsOfWholeWarp(op) ? ExecuteMatrix(warp, index) : Arrive(warp, index);
}

Interpreter::Event Interpreter::ReachGridControl(Warp* warp, std::size_t index,
                                                 std::uint32_t active) {
  const Instruction& i = program_.code[warp->groups[index].pc];
  Part(warp, index, active);
  warp->grid_control = {i.As<GridControl>().waits, active, i.line};
  Advance(warp, index);
  return Event::kGrid;
}

// Lanes come to a barrier that is not aligned. If they are all lanes that the warp has, it arrives;
// else they wait for the others.
Interpreter::Event Interpreter::Gather(Warp* warp, std::size_t index) {
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
    return Event::kBarrier;
  }
  WarpRequest request = RequestOf(*warp, WarpOp::kGather);
  request.lanes = here.lanes;
  request.key = KeyOf(arrival);
  request.preds = arrival.operand;
  warp_unit_->Request(request);
  rendezvous_lanes_ += static_cast<unsigned>(__builtin_popcount(here.lanes));
  Hold(warp, index, Group::State::kHeld);
  return Event::kNone;
}

// A lane of the group that names another barrier or count than the lowest one, if there is any.
std::optional<unsigned> Interpreter::Differing(Warp* warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  if (i.op == Op::kClusterBarrier) {
    return std::nullopt;
  }
  const Lanes lanes = LanesOf(warp, group, group.lanes);
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

Interpreter::Event Interpreter::RefuseDiffering(Warp* warp, const Group& group, unsigned lane) {
  const auto& barrier = program_.code[group.pc].As<CtaBarrier>();
  const auto names = [&](unsigned of) {
    return fmt::format("barrier {} and count {}", ValueOf(*warp, group, barrier.id, of),
                       ValueOf(*warp, group, barrier.count, of));
  };
  const unsigned first = First(group.lanes);
  return Misuse(*warp, lane, program_.code[group.pc].line, "divergent_operand",
                fmt::format("names {}, and lane {} of its warp {}, in one instruction", names(lane),
                            first, names(first)));
}

Arrival Interpreter::ArrivalOf(Warp* warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  Arrival arrival;
  arrival.lanes = group.lanes;
  arrival.line = i.line;
  if (i.op == Op::kClusterBarrier) {
    arrival.cluster = i.As<ClusterBarrier>().op;
    arrival.operand = arrival.cluster == ClusterForm::kArrive ? group.lanes : 0;
    return arrival;
  }
  const Lanes lanes = LanesOf(warp, group, group.lanes);
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
Interpreter::Event Interpreter::Arrive(Warp* warp, std::size_t index) {
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
  return Event::kBarrier;
}

// The warp arrives with these lanes, at the barrier that they wait for.
void Interpreter::TakeArrival(Warp* warp, const WarpArrival& given) {
  Arrival& arrival = warp->arrival;
  arrival = BarrierOf(given.key, given.preds);
  arrival.lanes = given.lanes;
  for (const Group& group : warp->groups) {
    const std::uint32_t here = group.lanes & given.lanes;
    if (group.state != Group::State::kHeld || here == 0) {
      continue;
    }
    const Instruction& i = program_.code[group.pc];
    if ((here & (given.lanes & -given.lanes)) != 0) {
      arrival.line = i.line;
    }
    if (arrival.cluster == ClusterForm::kNone && IsReduction(arrival.kind)) {
      arrival.results.push_back({group.frame, i.As<CtaBarrier>().d, here});
    }
  }
  Resume(warp, given.lanes, Group::State::kHeld, [](const Group&, std::uint32_t) {});
}

// What waits at each instruction: lanes that name different members come to different ones.
std::string Interpreter::Standing(const Warp& warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  if (group.state == Group::State::kReady || group.state == Group::State::kAwaitsTurn) {
    return fmt::format("lanes {:#010x} stand at {}", group.lanes, program_.Place(i.line));
  }
  if (i.op == Op::kExchange) {
    std::vector<std::string> instructions;
    for (std::uint32_t rest = group.lanes; rest != 0;) {
      const std::uint32_t members = MembersOf(warp, group, First(rest));
      std::uint32_t lanes = 0;
      ForEachBit(rest, [&](unsigned lane) {
        lanes |= (MembersOf(warp, group, lane) == members ? 1U : 0U) << lane;
      });
      rest &= ~lanes;
      const std::uint32_t missing = members & warp.live & ~CameTo(warp, group, members);
      instructions.push_back(fmt::format("lanes {:#010x} wait at {} for lanes {:#010x} ({})", lanes,
                                         muster::Name(i.As<WarpExchange>().op), missing,
                                         program_.Place(i.line)));
    }
    return fmt::format("{}", fmt::join(instructions, ", "));
  }
  std::string at;
  if (i.op == Op::kClusterBarrier) {
    at = "barrier.cluster";
  } else if (group.state == Group::State::kAsked) {
    at = "an mbarrier";
  } else if (group.state == Group::State::kAsleep) {
    at = "nanosleep";
  } else if (i.op == Op::kRegisterLimit && group.state == Group::State::kAwaitsResource) {
    at = DescribeRegisters(warp);
  } else if (group.state == Group::State::kAwaitsResource) {
    at = fmt::format("tcgen05.alloc for {} columns of tensor memory, of which {} are allocated",
                     ValueOf(warp, group, i.As<TensorAllocation>().columns, First(group.lanes)),
                     warp.cta->tensor->allocated());
  } else if (IsOfWholeWarp(i.op)) {
    at = "a matrix instruction";
  } else {
    at = fmt::format("barrier {}", ValueOf(warp, group, i.As<CtaBarrier>().id, First(group.lanes)));
  }
  return fmt::format("lanes {:#010x} wait at {} ({})", group.lanes, at, program_.Place(i.line));
}

std::uint32_t Interpreter::ValueOf(const Warp& warp, const Group& group, Slot slot,
                                   unsigned lane) const {
  return static_cast<std::uint32_t>(
      IsLiteral(slot)
          ? program_.literals[LiteralIndex(slot)]
          : warp.registers[(std::size_t{group.frame} + static_cast<unsigned>(slot)) * kWarpSize +
                           lane]);
}

// The operands of the group's mbarrier instruction.
MbInstruction Interpreter::MbInstructionOf(Warp* warp, const Group& group) const {
  const auto& i = program_.code[group.pc].As<Mbarrier>();
  const Space space = i.address.space;
  const Lanes lanes = LanesOf(warp, group, group.lanes);
  MbInstruction mb;
  mb.op = i.op;
  mb.has_hint = i.hint != kNoSlot && !launch_.hint_is_ignored;
  mb.has_token = IsMbArrival(mb.op) && i.d != kNoSlot;
  mb.releasing = i.releasing;
  mb.lanes = group.lanes;
  mb.live = warp->live;
  mb.line = program_.code[group.pc].line;
  mb.pass = replay_ == nullptr ? 0 : replay_->pass();
  const bool by_parity = mb.op == MbOp::kTestWaitParity || mb.op == MbOp::kTryWaitParity;
  lanes.ForEach([&, base = lanes.Read(i.address.base)](unsigned lane) {
    const std::uint64_t named = i.address.From(base[lane]);
    const bool shared = IsShared(space) || SegmentOf(named) == kSharedSegment;
    const std::uint64_t address = IsShared(space) ? named : ByteOf(named);
    const Cta* const cta = CtaAt(*warp, address);
    const std::uint64_t byte = SharedByte(address);
    const std::uint64_t size = shared && cta != nullptr ? cta->shared.size() : 0;
    if (byte >= size || size - byte < 8) {
      if (mb.outside == 0) {
        mb.outside_address = named;
        mb.outside_what = space_.DescribeReach(*warp, space, named, 8, !IsMbWait(mb.op));
      }
      mb.outside |= 1U << lane;
    }
    mb.addr[lane] = static_cast<std::uint32_t>(byte);
    if (cta != nullptr && cta != warp->cta) {
      mb.remote |= 1U << lane;
      mb.rank[lane] = static_cast<std::uint8_t>(cta->rank);
    }
    if (i.operand != kNoSlot) {
      const std::uint64_t value = lanes.Read(i.operand)[lane];
      if (IsMbWait(mb.op)) {
        mb.phase |= static_cast<std::uint32_t>((by_parity ? value : value >> 63) & 1) << lane;
      } else {
        mb.operand[lane] = static_cast<std::uint32_t>(value);
      }
    }
    if (mb.has_hint) {
      mb.operand[lane] = static_cast<std::uint32_t>(lanes.Read(i.hint)[lane]);
    }
  });
  return mb;
}

// The lanes stand there until they are answered; where no answer comes they go on.
Interpreter::Event Interpreter::ReachMbarrier(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  warp->mbarrier = MbInstructionOf(warp, warp->groups[index]);
  if (IsMbWait(warp->mbarrier.op) || warp->mbarrier.has_token) {
    Hold(warp, index, Group::State::kAsked);
  } else {
    Advance(warp, index);
  }
  return Event::kMbarrier;
}

void Interpreter::Answer(Warp* warp, const MbReply& reply) {
  Resume(warp, reply.lanes, Group::State::kAsked, [&](const Group& group, std::uint32_t here) {
    const Lanes lanes = LanesOf(warp, group, here);
    const auto& i = lanes.instruction.As<Mbarrier>();
    const bool waits = IsMbWait(i.op);
    lanes.ForEach([&, d = lanes.Write(i.d)](unsigned lane) {
      d[lane] = waits ? std::uint64_t{reply.complete} : reply.token[lane];
    });
  });
}

// The text: for a time in [0, 2t], of a millisecond at most. It is t, for each thread; a group of
// lanes that name different times comes apart.
Interpreter::Event Interpreter::Sleep(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  const Group group = warp->groups[index];
  const auto ns = LanesOf(warp, group, active).Read(program_.code[group.pc].As<Nanosleep>().ns);
  Remove(warp, index);
  for (std::uint32_t rest = active; rest != 0;) {
    const std::uint64_t time = std::min<std::uint64_t>(ns[First(rest)], kLongestSleepNs);
    Group asleep{group.pc, group.frame, 0, Group::State::kAsleep};
    ForEachBit(rest, [&](unsigned lane) {
      const bool same = std::min<std::uint64_t>(ns[lane], kLongestSleepNs) == time;
      asleep.lanes |= (same ? 1U : 0U) << lane;
    });
    rest &= ~asleep.lanes;
    asleep.until = cycle_ + (time * kPsPerNs + clock_period_ps_ - 1) / clock_period_ps_;
    warp->groups.push_back(asleep);
    ++warp->held;
    Merge(warp, warp->groups.size() - 1);
  }
  return Event::kNone;
}

std::uint64_t Interpreter::WakesAt(const Warp& warp) {
  std::uint64_t wakes = kNever;
  for (const Group& group : warp.groups) {
    wakes = group.state == Group::State::kAsleep ? std::min(wakes, group.until) : wakes;
  }
  return wakes;
}

void Interpreter::WakeUp(Warp* warp) {
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    Group& group = warp->groups[i];
    if (group.state == Group::State::kAsleep && group.until <= cycle_) {
      group.state = Group::State::kReady;
      group.until = 0;
      --warp->held;
      Advance(warp, i);
    } else if (group.state == Group::State::kAwaitsResource && MayTake(*warp, group)) {
      group.state = Group::State::kReady;
      --warp->held;
    }
  }
}

void Interpreter::WriteResult(Warp* warp, std::uint32_t value) {
  for (const Arrival::Result& result : warp->arrival.results) {
    ForEachBit(result.lanes,
               [&](unsigned lane) { warp->Register(result.frame, result.slot, lane) = value; });
  }
}

}  // namespace muster::ptx
