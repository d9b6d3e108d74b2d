// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/collectives.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/warp_operation.h"
#include "sim/isa/warp_size.h"

namespace muster::ptx {
namespace {

using LaneWords = std::array<std::uint32_t, kWarpSize>;

// shfl.sync as the text has it (9.7.9.6): the lane that each one reads, or itself where that is out
// of its segment.
struct Shuffle {
  LaneWords value{};  // that the lane gives
  LaneWords source{};
  std::uint32_t inside = 0;  // lanes whose source is in their segment

  void Place(unsigned lane, ShuffleMode mode, std::uint64_t from, std::uint64_t clamp) {
    const auto offset = static_cast<unsigned>(from & 0x1f);
    const auto limit = static_cast<unsigned>(clamp & 0x1f);
    const auto segment = static_cast<unsigned>(clamp >> 8 & 0x1f);
    const auto last = static_cast<int>((lane & segment) | (limit & ~segment));
    int other = 0;
    switch (mode) {
      case ShuffleMode::kUp:
        other = static_cast<int>(lane) - static_cast<int>(offset);
        break;
      case ShuffleMode::kDown:
        other = static_cast<int>(lane + offset);
        break;
      case ShuffleMode::kBfly:
        other = static_cast<int>(lane ^ offset);
        break;
      case ShuffleMode::kIdx:
        other = static_cast<int>((lane & segment) | (offset & ~segment));
        break;
    }
    const bool is_inside = mode == ShuffleMode::kUp ? other >= last : other <= last;
    inside |= (is_inside ? 1U : 0U) << lane;
    source[lane] = is_inside ? static_cast<unsigned>(other) : lane;
  }
};

}  // namespace

WarpRequest RequestOf(const Warp& warp, WarpOp op) {
  WarpRequest request;
  request.op = op;
  request.warp = static_cast<std::uint8_t>(warp.slot);
  request.cta = static_cast<std::uint8_t>(warp.cta->slot);
  request.live = warp.live;
  return request;
}

// Lanes that name different members come to different instructions.
StepEvent Collectives::ReachExchange(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  const Lanes lanes = x_.LanesOf(warp, warp->groups[index], active);
  const auto& i = lanes.instruction.As<WarpExchange>();
  WarpRequest request = RequestOf(*warp, i.op);
  request.mode = i.mode;
  request.abs = i.abs;
  request.nan = i.nan;
  std::uint32_t preds = 0;
  if (IsVote(i.op)) {
    lanes.ForEach([&, value = lanes.Read(i.value)](unsigned lane) {
      preds |= ((value[lane] != 0) != i.negated ? 1U : 0U) << lane;
    });
  } else if (HasValues(i.op)) {
    lanes.ForEach(
        [&, value = lanes.Read(i.value)](unsigned lane) { request.values[lane] = value[lane]; });
  }
  for (std::uint32_t rest = active; rest != 0; rest &= ~request.lanes) {
    request.key = active;
    request.lanes = rest;
    if (i.members != kNoSlot) {
      const auto members = lanes.Read(i.members);
      request.key = static_cast<std::uint32_t>(members[First(rest)]);
      ForEachBit(rest, [&](unsigned lane) {
        const bool same = static_cast<std::uint32_t>(members[lane]) == request.key;
        request.lanes &= ~((same ? 0U : 1U) << lane);
      });
    }
    request.preds = preds & request.lanes;
    x_.warp_unit->Request(request);
  }
  x_.rendezvous_lanes += static_cast<unsigned>(__builtin_popcount(active));
  Hold(warp, index, Group::State::kHeld);
  return StepEvent::kNone;
}

// The members that the lane of a group names.
std::uint32_t Collectives::MembersOf(const Warp& warp, const Group& group, unsigned lane) const {
  const Slot members = x_.program.code[group.pc].As<WarpExchange>().members;
  if (members == kNoSlot) {
    return group.lanes;
  }
  return x_.ValueOf(warp, group, members, lane);
}

// Lanes that wait at the same collective with the same members, wherever in the program.
std::uint32_t Collectives::CameTo(const Warp& warp, const Group& group,
                                  std::uint32_t members) const {
  const auto& wanted = x_.program.code[group.pc].As<WarpExchange>();
  std::uint32_t came = 0;
  for (const Group& other : warp.groups) {
    const Instruction& i = x_.program.code[other.pc];
    if (other.state != Group::State::kHeld || i.op != Op::kExchange) {
      continue;
    }
    const auto& exchange = i.As<WarpExchange>();
    const bool same = exchange.op == wanted.op && exchange.mode == wanted.mode &&
                      exchange.abs == wanted.abs && exchange.nan == wanted.nan;
    ForEachBit(same ? other.lanes : 0, [&](unsigned lane) {
      came |= (MembersOf(warp, other, lane) == members ? 1U : 0U) << lane;
    });
  }
  return came;
}

// What the first of these lanes gives that is unknown, at the collectives where they stand.
Origin Collectives::GivenUnknown(const Warp& warp, std::uint32_t lanes) const {
  Origin origin = 0;
  for (const Group& group : warp.groups) {
    const Instruction& i = x_.program.code[group.pc];
    if (origin == 0 && group.state == Group::State::kHeld && i.op == Op::kExchange) {
      origin =
          UnknownIn(warp, group.frame, {i.As<WarpExchange>().value}, group.lanes & lanes, nullptr);
    }
  }
  return origin;
}

void Collectives::Answer(Warp* warp, const WarpAnswer& answer) {
  Shuffle shuffle;
  std::array<Origin, kWarpSize> unknown{};  // what each lane gives
  for (const Group& group : warp->groups) {
    const std::uint32_t here = group.lanes & answer.lanes;
    if (group.state != Group::State::kHeld || here == 0) {
      continue;
    }
    if (answer.op != WarpOp::kSync && x_.livelock != nullptr) {
      x_.livelock->Exchange(
          warp->slot, answer.lanes | (MembersOf(*warp, group, First(here)) & warp->live), x_.cycle);
    }
    if (answer.op == WarpOp::kShuffle) {
      const Lanes lanes = x_.LanesOf(warp, group, here);
      const auto& i = lanes.instruction.As<WarpExchange>();
      lanes.ForEach([&, value = lanes.Read(i.value), from = lanes.Read(i.from),
                     clamp = lanes.Read(i.clamp)](unsigned lane) {
        shuffle.value[lane] = static_cast<std::uint32_t>(value[lane]);
        unknown[lane] = UnknownIn(*warp, group.frame, {i.value}, 1U << lane, nullptr);
        shuffle.Place(lane, static_cast<ShuffleMode>(i.mode), from[lane], clamp[lane]);
      });
    }
  }
  const bool is_pred = answer.op == WarpOp::kVoteAll || answer.op == WarpOp::kVoteAny ||
                       answer.op == WarpOp::kVoteUni;
  const auto result = [&](unsigned lane) -> std::uint32_t {
    return answer.op == WarpOp::kShuffle ? shuffle.value[shuffle.source[lane]]
           : is_pred                     ? std::uint32_t{answer.pred}
                                         : answer.data;
  };
  const auto predicate = [&](unsigned lane) -> bool {
    return answer.op == WarpOp::kShuffle ? (shuffle.inside >> lane & 1) != 0
           : answer.op == WarpOp::kElect ? lane == answer.data
                                         : answer.pred;
  };
  const auto give = [&](const Group& group, std::uint32_t here) {
    const Lanes lanes = x_.LanesOf(warp, group, here);
    const auto& i = lanes.instruction.As<WarpExchange>();
    if (i.d != kNoSlot) {
      lanes.ForEach([&, d = lanes.Write(i.d)](unsigned lane) { d[lane] = result(lane); });
    }
    if (x_.tracks_unknown) {
      const bool shuffles = answer.op == WarpOp::kShuffle;
      const Origin any =
          shuffles ? 0 : GivenUnknown(*warp, MembersOf(*warp, group, First(here)) | here);
      lanes.ForEach([&](unsigned lane) {
        SetUnknown(warp, group.frame, {i.d}, 1U << lane,
                   shuffles ? unknown[shuffle.source[lane]] : any);
      });
      SetUnknown(warp, group.frame, {i.predicate}, here, any);
    }
    if (i.predicate != kNoSlot) {
      lanes.ForEach([&, d = lanes.Write(i.predicate)](unsigned lane) {
        d[lane] = std::uint64_t{predicate(lane)};
      });
    }
  };
  if (answer.op != WarpOp::kMatchAny) {
    Resume(warp, answer.lanes, Group::State::kHeld, give);
    return;
  }
  // Each value is answered by itself. Lanes that have come together go on together, when all of
  // them are answered.
  warp->matched |= answer.lanes;
  std::uint32_t complete = 0;
  for (const Group& group : warp->groups) {
    const std::uint32_t here = group.lanes & answer.lanes;
    if (group.state != Group::State::kHeld || here == 0) {
      continue;
    }
    give(group, here);
    const std::uint32_t members = MembersOf(*warp, group, First(here));
    std::uint32_t together = 0;
    ForEachBit(group.lanes, [&](unsigned lane) {
      together |= (MembersOf(*warp, group, lane) == members ? 1U : 0U) << lane;
    });
    complete |= (together & ~warp->matched) == 0 ? together : 0;
  }
  warp->matched &= ~complete;
  Resume(warp, complete, Group::State::kHeld, [](const Group&, std::uint32_t) {});
}

}  // namespace muster::ptx
