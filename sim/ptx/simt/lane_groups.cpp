// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/lane_groups.h"

#include "sim/isa/bits.h"
#include "sim/ptx/program/program.h"

namespace muster::ptx {
namespace {

// One in so many times the group that runs is a random one, so that lanes which spin let others go
// on; else it is the one that is furthest behind, so that lanes come together again.
constexpr std::uint32_t kRandomPick = 16;

// A group that loops may wait for another one: one in so many times that it goes back, another one
// gets so many turns.
constexpr std::uint32_t kYieldOneIn = 4;
constexpr std::uint32_t kTurns = 16;

// Lanes in a function have yet to come back to those that are not.
bool IsBehind(const Group& a, const Group& b) {
  return a.frame != b.frame ? a.frame > b.frame : a.pc < b.pc;
}

// Whether lanes that stand in the same function have come there by the same calls.
bool SameCalls(Warp* warp, unsigned a, unsigned b, std::uint32_t frame) {
  while (frame != 0 &&
         warp->Register(frame, kReturnSlot, a) == warp->Register(frame, kReturnSlot, b) &&
         warp->Register(frame, kFrameSlot, a) == warp->Register(frame, kFrameSlot, b)) {
    frame = static_cast<std::uint32_t>(warp->Register(frame, kFrameSlot, a));
  }
  return frame == 0;
}

// Gives another group of the warp the next turns.
void Yield(Warp* warp, std::size_t index, Random* random) {
  const auto count = static_cast<std::uint32_t>(warp->groups.size());
  if (count == 1) {
    return;
  }
  const std::size_t other = (index + 1 + random->Below(count - 1)) % count;
  warp->favoured = warp->groups[other].lanes & -warp->groups[other].lanes;
  warp->turns = kTurns;
}

}  // namespace

Group* PickOfSeveral(Warp* warp, Random* random) {
  std::vector<Group>& groups = warp->groups;
  if (warp->turns != 0) {
    --warp->turns;
    for (Group& group : groups) {
      if ((group.lanes & warp->favoured) != 0 && group.state == Group::State::kReady) {
        return &group;
      }
    }
    warp->turns = 0;
  }
  const bool any = random->OneIn(kRandomPick);
  const std::size_t first = any ? random->Below(static_cast<std::uint32_t>(groups.size())) : 0;
  Group* best = nullptr;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& group = groups[(first + i) % groups.size()];
    if (group.state != Group::State::kReady) {
      continue;
    }
    if (any) {
      return &group;
    }
    if (best == nullptr || IsBehind(group, *best)) {
      best = &group;
    }
  }
  return best;
}

void YieldSometimes(Warp* warp, std::size_t index, Random* random) {
  if (warp->groups.size() > 1 && random->OneIn(kYieldOneIn)) {
    Yield(warp, index, random);
  }
}

// Lanes that called a function at several places go through it apart, as the code after each call
// may rely on; but an aligned barrier is one for all.
void MergeWithOther(Warp* warp, std::size_t index) {
  std::vector<Group>& groups = warp->groups;
  const Group group = groups[index];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& other = groups[i];
    if (i == index || other.pc != group.pc || other.frame != group.frame ||
        other.until != group.until || other.state != group.state ||
        (group.state != Group::State::kAligned &&
         !SameCalls(warp, First(group.lanes), First(other.lanes), group.frame))) {
      continue;
    }
    other.lanes |= group.lanes;
    if (group.state != Group::State::kReady) {
      --warp->held;
    }
    Remove(warp, index);
    return;
  }
}

void MergeAll(Warp* warp) {
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    if (i < warp->groups.size()) {
      Merge(warp, i);
    }
  }
}

void Split(Warp* warp, std::size_t index, std::uint32_t lanes, std::uint32_t pc) {
  const Group fresh{pc, warp->groups[index].frame, lanes};
  warp->groups[index].lanes &= ~lanes;
  warp->groups.push_back(fresh);
  Merge(warp, warp->groups.size() - 1);
}

void Part(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group& group = warp->groups[index];
  if (active != group.lanes) {
    Split(warp, index, group.lanes & ~active, group.pc + 1);
  }
}

void Hold(Warp* warp, std::size_t index, Group::State state) {
  warp->groups[index].state = state;
  ++warp->held;
  Merge(warp, index);
}

}  // namespace muster::ptx
