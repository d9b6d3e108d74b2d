// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Interpreter: lanes that follow a schedule.
#include "sim/isa/bits.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {

// Returns the lanes that have to wait for their turn at the group's instruction.
std::uint32_t Interpreter::AwaitsTurn(const Warp& warp, const Group& group) const {
  if (!x_.replay->Lists(group.pc) && !TakesResource(x_.program.code[group.pc])) {
    return 0;
  }
  const std::uint32_t active = x_.Active(warp, group, x_.program.code[group.pc]);
  return active & ~x_.replay->MayExecute(warp, group.pc, active);
}

// Returns the lanes at a wait for copies that are not done: a schedule may hold the copies back.
std::uint32_t Interpreter::AtCopies(Warp* warp, const Group& group) const {
  const Instruction& i = x_.program.code[group.pc];
  std::uint32_t waits = 0;
  const auto* const order = std::get_if<WarpgroupOrder>(&i.payload);
  if (group.state == Group::State::kReady && order != nullptr && order->op == WarpgroupOp::kWait &&
      !warp->products.Done(order->groups, false)) {
    return group.lanes;
  }
  if (group.state == Group::State::kReady && i.op == Op::kCopyGroup &&
      i.As<CopyGroup>().op != CopyGroupOp::kCommit) {
    ForEachBit(x_.Active(*warp, group, i), [&](unsigned lane) {
      waits |= copies_.ExecuteCopyGroup(warp, x_.LanesOf(warp, group, 1U << lane)) ? 0 : 1U << lane;
    });
  }
  return waits;
}

// Splits off the lanes that have to wait for their turn, and makes the lanes ready whose turn has
// come.
void Interpreter::TakeTurns(Warp* warp) {
  bool stood = false;
  for (Group& group : warp->groups) {
    if (group.state == Group::State::kAwaitsTurn) {
      group.state = Group::State::kReady;
      --warp->held;
      stood = true;
    }
  }
  if (stood) {
    MergeAll(warp);
  }
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    Group group = warp->groups[i];
    const std::uint32_t copies = AtCopies(warp, group);
    const std::uint32_t waits = copies != 0                           ? copies
                                : group.state == Group::State::kReady ? AwaitsTurn(*warp, group)
                                                                      : 0;
    if (waits == 0 || copies == group.lanes) {
      continue;
    }
    warp->groups[i].lanes &= ~waits;
    group.lanes = waits;
    if (copies == 0) {
      group.state = Group::State::kAwaitsTurn;
      ++warp->held;
    }
    if (warp->groups[i].lanes == 0) {
      warp->groups[i] = group;
    } else {
      warp->groups.push_back(group);
    }
  }
}

StepEvent Interpreter::ExecuteReplayed(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const std::uint32_t active =
      x_.replay->Lists(group.pc) ? x_.Active(*warp, group, x_.program.code[group.pc]) : 0;
  if (active == 0) {
    return Execute(warp, index);
  }
  const std::uint64_t before = x_.warp_instructions;
  x_.replay->Begin(*warp, group.pc, active);
  const StepEvent event = Execute(warp, index);
  x_.replay->End(x_.warp_instructions != before, event == StepEvent::kAtomic);
  return event;
}

bool Interpreter::IsHeldByReplay(Warp* warp, const Group& group) const {
  return group.state == Group::State::kAwaitsTurn ||
         (x_.replay != nullptr && AtCopies(warp, group) != 0);
}

}  // namespace muster::ptx
