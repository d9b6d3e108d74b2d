// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where lanes wait: barriers, warp-wide instructions, mbarriers, nanosleep.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {
namespace {

// As the report calls it: the instruction, without what its operands tell.
const char* Name(WarpOp op) {
  switch (op) {
    case WarpOp::kSync:
      return "bar.warp.sync";
    case WarpOp::kAll:
    case WarpOp::kAny:
    case WarpOp::kUniform:
    case WarpOp::kBallot:
      return "vote.sync";
    case WarpOp::kMatchAny:
    case WarpOp::kMatchAll:
      return "match.sync";
    case WarpOp::kShuffleUp:
    case WarpOp::kShuffleDown:
    case WarpOp::kShuffleButterfly:
    case WarpOp::kShuffleIndex:
      return "shfl.sync";
    case WarpOp::kElect:
      return "elect.sync";
    default:
      return "redux.sync";
  }
}

constexpr std::uint64_t kLongestSleepNs = 1'000'000;

}  // namespace

Interpreter::Event Interpreter::ReachBarrier(Warp* warp, std::size_t index, std::uint32_t active) {
  const Instruction& i = program_.code[warp->groups[index].pc];
  const bool aligned =
      i.op == Op::kBarrier ? i.As<CtaBarrier>().aligned : i.As<ClusterBarrier>().aligned;
  Part(warp, index, active);
  if (aligned && active == warp->live) {
    return Arrive(warp, index);
  }
  Group& here = warp->groups[index];
  if (!aligned) {
    warp_unit_->Come(warp->slot, ArrivalOf(warp, here));
  }
  Hold(warp, index, aligned ? Group::State::kAligned : Group::State::kHeld);
  // With the lanes that stood here already, all may have come.
  for (std::size_t k = 0; k < warp->groups.size(); ++k) {
    if (warp->groups[k].state == Group::State::kAligned && warp->groups[k].lanes == warp->live) {
      return Arrive(warp, k);
    }
  }
  return Event::kNone;
}

// The lanes that an instruction's guard leaves out go on.
void Interpreter::Part(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group& group = warp->groups[index];
  if (active != group.lanes) {
    Split(warp, index, group.lanes & ~active, group.pc + 1);
  }
}

void Interpreter::Hold(Warp* warp, std::size_t index, Group::State state) {
  warp->groups[index].state = state;
  ++warp->held;
  Merge(warp, index);
}

Arrival Interpreter::ArrivalOf(Warp* warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  Arrival arrival;
  arrival.lanes = group.lanes;
  arrival.pc = group.pc;
  arrival.line = i.line;
  if (i.op == Op::kClusterBarrier) {
    arrival.cluster = i.As<ClusterBarrier>().op;
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
  lanes.ForEach([&](unsigned lane) {
    arrival.divergent_operand |= bar[lane] != bar[first] || count[lane] != count[first];
  });
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

// The group arrives, with or without the rest of its warp.
Interpreter::Event Interpreter::Arrive(Warp* warp, std::size_t index) {
  Group& group = warp->groups[index];
  warp->arrival = ArrivalOf(warp, group);
  if (group.lanes != warp->live) {
    for (Group& other : warp->groups) {
      if (other.state == Group::State::kAligned) {
        other.beside |= warp->live;
      }
    }
  }
  warp->arrival.diverged_aligned = (std::exchange(group.beside, 0) & ~group.lanes) != 0;
  if (group.state != Group::State::kReady) {
    --warp->held;
  }
  group.state = Group::State::kReady;
  warp->gives_up = false;
  Advance(warp, index);
  return Event::kBarrier;
}

bool Interpreter::TakeArrival(Warp* warp) {
  if (!warp_unit_->Take(warp->slot, warp->live, &warp->arrival)) {
    return false;
  }
  Resume(warp, warp->arrival.lanes, Group::State::kHeld, [](const Group&, std::uint32_t) {});
  return true;
}

// Lanes that stand in that state go on; `leave` is called before, for the lanes of each
// instruction.
template <typename F>
void Interpreter::Resume(Warp* warp, std::uint32_t lanes, Group::State state, F leave) {
  std::vector<Group> moved;
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    Group& group = warp->groups[i];
    const std::uint32_t here = group.lanes & lanes;
    if (group.state != state || here == 0) {
      continue;
    }
    leave(group, here);
    moved.push_back(Group{group.pc + 1, group.frame, here});
    group.lanes &= ~here;
    if (group.lanes == 0) {
      --warp->held;
      Remove(warp, i);
    }
  }
  for (const Group& group : moved) {
    warp->groups.push_back(group);
    Merge(warp, warp->groups.size() - 1);
  }
}

// Lanes that name different members come to different instructions.
std::string Interpreter::Standing(const Warp& warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  const auto value = [&](Slot slot) {  // the first lane's
    return static_cast<std::uint32_t>(
        IsLiteral(slot)
            ? program_.literals[LiteralIndex(slot)]
            : warp.registers[(std::size_t{group.frame} + static_cast<unsigned>(slot)) * kWarpSize +
                             First(group.lanes)]);
  };
  std::string at;
  if (group.state == Group::State::kReady) {
    return fmt::format("lanes {:#010x} stand at line {}", group.lanes, i.line);
  }
  if (i.op == Op::kExchange) {
    const auto& exchange = i.As<WarpExchange>();
    at = Name(exchange.op);
    if (exchange.members != kNoSlot) {
      at += fmt::format(" for lanes {:#010x}", value(exchange.members) & ~group.lanes);
    }
  } else if (i.op == Op::kClusterBarrier) {
    at = "barrier.cluster";
  } else if (group.state == Group::State::kAsked) {
    at = "an mbarrier";
  } else if (group.state == Group::State::kAsleep) {
    at = "nanosleep";
  } else {
    at = fmt::format("barrier {}", value(i.As<CtaBarrier>().id));
  }
  return fmt::format("lanes {:#010x} wait at {} (line {})", group.lanes, at, i.line);
}

Interpreter::Event Interpreter::ReachExchange(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  const Group& group = warp->groups[index];
  const Lanes lanes = LanesOf(warp, group, active);
  const auto& i = lanes.instruction.As<WarpExchange>();
  Exchange exchange;
  exchange.op = i.op;
  exchange.type = i.type;
  exchange.magnitude = i.magnitude;
  exchange.keeps_nan = i.keeps_nan;
  const auto fill = [&](Slot operand, auto put) {
    if (operand != kNoSlot) {
      lanes.ForEach([&, a = lanes.Read(operand)](unsigned lane) { put(lane, a[lane]); });
    }
  };
  fill(i.value, [&](unsigned lane, std::uint64_t value) {
    exchange.value[lane] = i.negated ? std::uint64_t{value == 0} : value;
  });
  fill(i.from, [&](unsigned lane, std::uint64_t value) {
    exchange.from[lane] = static_cast<std::uint32_t>(value);
  });
  fill(i.clamp, [&](unsigned lane, std::uint64_t value) {
    exchange.clamp[lane] = static_cast<std::uint32_t>(value);
  });
  for (std::uint32_t rest = active; rest != 0; rest &= ~exchange.lanes) {
    exchange.members = active;
    exchange.lanes = rest;
    if (i.members != kNoSlot) {
      const auto members = lanes.Read(i.members);
      exchange.members = static_cast<std::uint32_t>(members[First(rest)]);
      exchange.lanes = 0;
      ForEachBit(rest, [&](unsigned lane) {
        const bool same = static_cast<std::uint32_t>(members[lane]) == exchange.members;
        exchange.lanes |= (same ? 1U : 0U) << lane;
      });
    }
    warp_unit_->Come(warp->slot, exchange);
  }
  Hold(warp, index, Group::State::kHeld);
  TakeExchange(warp);
  return Event::kNone;
}

bool Interpreter::TakeExchange(Warp* warp) {
  Exchange exchange;
  if (!warp_unit_->Take(warp->slot, warp->live, &exchange)) {
    return false;
  }
  if (exchange.op != WarpOp::kSync && spins_ != nullptr && spins_->Settled(cycle_)) {
    spins_->Bind(warp->slot, exchange.lanes);
  }
  Resume(warp, exchange.lanes, Group::State::kHeld, [&](const Group& group, std::uint32_t here) {
    const Lanes lanes = LanesOf(warp, group, here);
    const auto& i = lanes.instruction.As<WarpExchange>();
    if (i.d != kNoSlot) {
      lanes.ForEach([&, d = lanes.Write(i.d)](unsigned lane) { d[lane] = exchange.result[lane]; });
    }
    if (i.predicate != kNoSlot) {
      lanes.ForEach([&, d = lanes.Write(i.predicate)](unsigned lane) {
        d[lane] = (exchange.predicates >> lane) & 1U;
      });
    }
  });
  return true;
}

// The operands of the group's mbarrier instruction.
MbInstruction Interpreter::MbInstructionOf(Warp* warp, const Group& group) const {
  const auto& i = program_.code[group.pc].As<Mbarrier>();
  const Space space = i.address.space;
  const Lanes lanes = LanesOf(warp, group, group.lanes);
  MbInstruction mb;
  mb.op = i.op;
  mb.has_hint = i.hint != kNoSlot;
  mb.has_token = IsMbArrival(mb.op) && i.d != kNoSlot;
  mb.releasing = i.releasing;
  mb.lanes = group.lanes;
  mb.live = warp->live;
  mb.line = program_.code[group.pc].line;
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
        mb.outside_what = DescribeReach(*warp, space, named, 8, !IsMbWait(mb.op));
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
