// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The groups of a warp's lanes (SIMT): lanes that stand at one instruction of one frame run
// together. Knows where lanes stand and which of them run next; does not know what an instruction
// does.
#ifndef MUSTER_SIM_PTX_SIMT_LANE_GROUPS_H_
#define MUSTER_SIM_PTX_SIMT_LANE_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

// Returns the group that runs next, or null if none is ready.
Group* PickOfSeveral(Warp* warp, Random* random);
inline Group* Pick(Warp* warp, Random* random) {
  if (warp->groups.size() != 1) {
    return PickOfSeveral(warp, random);
  }
  Group& only = warp->groups.front();
  return only.state == Group::State::kReady ? &only : nullptr;
}
// Now and then gives another group than this one the next turns.
void YieldSometimes(Warp* warp, std::size_t index, Random* random);
// Joins the group with one that stands at the same place, if there is one.
void MergeWithOther(Warp* warp, std::size_t index);
inline void Merge(Warp* warp, std::size_t index) {
  if (warp->groups.size() != 1) {
    MergeWithOther(warp, index);
  }
}
void MergeAll(Warp* warp);
inline void Remove(Warp* warp, std::size_t index) {
  warp->groups[index] = warp->groups.back();
  warp->groups.pop_back();
}
// Some lanes of the group go their own way, to `pc`.
void Split(Warp* warp, std::size_t index, std::uint32_t lanes, std::uint32_t pc);
// The lanes that an instruction's guard leaves out go on.
void Part(Warp* warp, std::size_t index, std::uint32_t active);
// The group waits in that state.
void Hold(Warp* warp, std::size_t index, Group::State state);
// The group goes on to the next instruction.
inline void Advance(Warp* warp, std::size_t index) {
  ++warp->groups[index].pc;
  Merge(warp, index);
}

// The lanes of a group go to where `place` says, lane by lane; those that `active` leaves out go
// on.
template <typename F>
void Disperse(Warp* warp, std::size_t index, std::uint32_t active, F place) {
  const Group group = warp->groups[index];
  Remove(warp, index);
  if (active != group.lanes) {
    warp->groups.push_back(Group{group.pc + 1, group.frame, group.lanes & ~active});
  }
  for (std::uint32_t rest = active; rest != 0;) {
    Group there = place(First(rest));
    ForEachBit(rest, [&](unsigned lane) {
      const Group other = place(lane);
      if (other.pc == there.pc && other.frame == there.frame) {
        there.lanes |= 1U << lane;
      }
    });
    rest &= ~there.lanes;
    warp->groups.push_back(there);
  }
  MergeAll(warp);
}

// Lanes that stand in that state go on; `leave` is called before, for the lanes of each
// instruction.
template <typename F>
void Resume(Warp* warp, std::uint32_t lanes, Group::State state, F leave) {
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

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_LANE_GROUPS_H_
