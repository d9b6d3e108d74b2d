// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that the lanes of a warp execute together, on matrices that they hold in parts.
#include <fmt/format.h>

#include "sim/isa/bits.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {

// "all threads in the warp must execute the same" instruction: lanes that come apart wait for the
// others, as at an aligned barrier.
Interpreter::Event Interpreter::ReachMatrix(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  return active == warp->live ? ExecuteMatrix(warp, index) : AwaitAll(warp, index);
}

// The text leaves a warp undefined of which a thread has exited. A warp that its block does not
// fill lacks threads, too.
Interpreter::Event Interpreter::ExecuteMatrix(Warp* warp, std::size_t index) {
  constexpr std::uint32_t kAllLanes = ~0U;
  const Group group = warp->groups[index];
  const Lanes lanes = LanesOf(warp, group, group.lanes);
  if (group.lanes != kAllLanes) {
    return Misuse(*warp, First(group.lanes), lanes.instruction.line, "partial_warp",
                  fmt::format("comes to a matrix instruction with {} lanes of its warp, and not 32",
                              Ones(group.lanes)));
  }
  if (lanes.instruction.op < Op::kTensorAllocation) {
    if (lanes.instruction.op == Op::kWarpgroupProduct ||
        lanes.instruction.op == Op::kWarpgroupOrder) {
      return ExecuteWarpgroup(warp, index);
    }
    Compute(lanes);
  } else if (const std::optional<Event> event = ExecuteTensor(warp, group, lanes); !event) {
    warp->held += group.state == Group::State::kReady ? 1 : 0;
    warp->groups[index].state = Group::State::kAwaitsColumns;
    return Event::kNone;
  } else if (*event != Event::kNone) {
    return *event;
  }
  if (group.state != Group::State::kReady) {
    --warp->held;
    warp->groups[index].state = Group::State::kReady;
  }
  Advance(warp, index);
  return Event::kNone;
}

}  // namespace muster::ptx
