// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/address.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kLongestSleepNs = 1'000'000;

}  // namespace

// The operands of the group's mbarrier instruction.
MbInstruction Waits::MbInstructionOf(Warp* warp, const Group& group) const {
  const auto& i = x_.program.code[group.pc].As<Mbarrier>();
  const Space space = i.address.space;
  const Lanes lanes = x_.LanesOf(warp, group, group.lanes);
  MbInstruction mb;
  mb.op = i.op;
  mb.asks = i.asks;
  mb.phase = i.v1 ? group.lanes : 0;
  mb.has_hint = i.hint != kNoSlot && !x_.launch.hint_is_ignored;
  mb.has_token = IsMbArrival(mb.op) && i.d != kNoSlot;
  mb.releasing = i.releasing;
  mb.lanes = group.lanes;
  mb.live = warp->live;
  mb.line = x_.program.code[group.pc].line;
  mb.pass = x_.replay == nullptr ? 0 : x_.replay->pass();
  const bool by_parity =
      mb.op == MbOp::kTestWaitParity || mb.op == MbOp::kTryWaitParity || mb.asks == MbAsks::kLayout;
  mb.multicast = i.ctas != kNoSlot;
  mb.own_rank = warp->cta->rank;
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
        mb.outside_what = x_.space.DescribeReach(*warp, space, named, 8, !IsMbWait(mb.op));
      }
      mb.outside |= 1U << lane;
    }
    mb.addr[lane] = static_cast<std::uint32_t>(byte);
    if (mb.multicast) {
      TakeMask(*warp, lane, static_cast<std::uint32_t>(lanes.Read(i.ctas)[lane]), named, &mb);
    } else if (cta != nullptr && cta != warp->cta) {
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

// A multicast of the lane goes to the CTAs of this mask. Without one it is no operation.
void Waits::TakeMask(const Warp& warp, unsigned lane, std::uint32_t mask, std::uint64_t named,
                     MbInstruction* mb) const {
  const std::vector<Cta*>& ctas = warp.cta->cluster->ctas;
  mb->ctas[lane] = mask;
  if (mask == 0) {
    mb->lanes &= ~(1U << lane);
    if (x_.replay != nullptr) {
      x_.replay->Commit(mb->pass, 1U << lane);
    }
    return;
  }
  if (std::uint64_t{mask} >> ctas.size() != 0) {
    if (mb->outside == 0) {
      mb->outside_address = named;
      mb->outside_what =
          fmt::format("goes to the CTAs {:#x} of a cluster of {}", mask, ctas.size());
    }
    mb->outside |= 1U << lane;
  } else if (x_.replay != nullptr) {
    mb->passes.resize(std::size_t{kMaxClusterCtas} * kWarpSize);
    ForEachBit(mask & ~(1U << mb->own_rank), [&](unsigned rank) {
      mb->passes[rank * kWarpSize + lane] = x_.replay->StartFor(lane, ctas[rank]->linear_id);
    });
  }
}

// The lanes stand there until they are answered; where no answer comes they go on.
StepEvent Waits::ReachMbarrier(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  warp->mbarrier = MbInstructionOf(warp, warp->groups[index]);
  if (IsMbWait(warp->mbarrier.op) || warp->mbarrier.has_token) {
    Hold(warp, index, Group::State::kAsked);
  } else {
    Advance(warp, index);
  }
  if ((warp->mbarrier.lanes | warp->mbarrier.outside) == 0) {
    return StepEvent::kNone;
  }
  return StepEvent::kMbarrier;
}

void Waits::Answer(Warp* warp, const MbReply& reply) {
  Resume(warp, reply.lanes, Group::State::kAsked, [&](const Group& group, std::uint32_t here) {
    const Lanes lanes = x_.LanesOf(warp, group, here);
    const auto& i = lanes.instruction.As<Mbarrier>();
    const bool waits = IsMbWait(i.op);
    lanes.ForEach([&, d = lanes.Write(i.d)](unsigned lane) {
      d[lane] = waits ? std::uint64_t{reply.complete} : reply.token[lane];
    });
    // Of a phase that is not complete they are not specified: 0.
    if (i.report_predicate != kNoSlot) {
      lanes.ForEach([&, d = lanes.Write(i.report_predicate)](unsigned lane) {
        d[lane] = (reply.report & kMbReported) != 0 ? 1 : 0;
      });
    }
    if (i.report_value != kNoSlot) {
      lanes.ForEach(
          [&, d = lanes.Write(i.report_value)](unsigned lane) { d[lane] = reply.report & 0xff; });
    }
  });
}

// The text: for a time in [0, 2t], of a millisecond at most. It is t, for each thread; a group of
// lanes that name different times comes apart.
StepEvent Waits::Sleep(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  const Group group = warp->groups[index];
  const auto ns =
      x_.LanesOf(warp, group, active).Read(x_.program.code[group.pc].As<Nanosleep>().ns);
  Remove(warp, index);
  for (std::uint32_t rest = active; rest != 0;) {
    const std::uint64_t time = std::min<std::uint64_t>(ns[First(rest)], kLongestSleepNs);
    Group asleep{group.pc, group.frame, 0, Group::State::kAsleep};
    ForEachBit(rest, [&](unsigned lane) {
      const bool same = std::min<std::uint64_t>(ns[lane], kLongestSleepNs) == time;
      asleep.lanes |= (same ? 1U : 0U) << lane;
    });
    rest &= ~asleep.lanes;
    asleep.until = x_.cycle + (time * kPsPerNs + x_.clock_period_ps - 1) / x_.clock_period_ps;
    warp->groups.push_back(asleep);
    ++warp->held;
    Merge(warp, warp->groups.size() - 1);
  }
  return StepEvent::kNone;
}

std::uint64_t Waits::WakesAt(const Warp& warp) {
  std::uint64_t wakes = kNever;
  for (const Group& group : warp.groups) {
    wakes = group.state == Group::State::kAsleep ? std::min(wakes, group.until) : wakes;
  }
  return wakes;
}

void Waits::WakeUp(Warp* warp) {
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    Group& group = warp->groups[i];
    if (group.state == Group::State::kAsleep && group.until <= x_.cycle) {
      group.state = Group::State::kReady;
      group.until = 0;
      --warp->held;
      Advance(warp, i);
    } else if (group.state == Group::State::kAwaitsResource && x_.MayTake(*warp, group)) {
      group.state = Group::State::kReady;
      --warp->held;
    }
  }
}

}  // namespace muster::ptx
