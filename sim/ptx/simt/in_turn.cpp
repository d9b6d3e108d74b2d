// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Lanes that keep to a schedule.
#include "sim/isa/bits.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {

// Those that have to wait for their turn at the group's instruction.
std::uint32_t Interpreter::InLine(const Warp& warp, const Group& group) const {
  if (!turnstile_->Lists(group.pc)) {
    return 0;
  }
  const std::uint32_t active = Active(warp, group, program_.code[group.pc]);
  return active & ~turnstile_->MayExecute(warp, group.pc, active);
}

// Those that stand at a wait for copies that are not done: a schedule may hold these back.
std::uint32_t Interpreter::AtCopies(Warp* warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  std::uint32_t waits = 0;
  if (group.state == Group::State::kReady && i.op == Op::kCopyGroup &&
      i.As<CopyGroup>().op != CopyGroupOp::kCommit) {
    ForEachBit(Active(*warp, group, i), [&](unsigned lane) {
      waits |= ExecuteCopyGroup(warp, LanesOf(warp, group, 1U << lane)) ? 0 : 1U << lane;
    });
  }
  return waits;
}

// Lanes that have to wait stand apart; those that need not wait any more are ready.
void Interpreter::TakeTurns(Warp* warp) {
  bool stood = false;
  for (Group& group : warp->groups) {
    if (group.state == Group::State::kInLine) {
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
                                : group.state == Group::State::kReady ? InLine(*warp, group)
                                                                      : 0;
    if (waits == 0 || copies == group.lanes) {
      continue;
    }
    warp->groups[i].lanes &= ~waits;
    group.lanes = waits;
    if (copies == 0) {
      group.state = Group::State::kInLine;
      ++warp->held;
    }
    if (warp->groups[i].lanes == 0) {
      warp->groups[i] = group;
    } else {
      warp->groups.push_back(group);
    }
  }
}

Interpreter::Event Interpreter::ExecuteInTurn(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const std::uint32_t active =
      turnstile_->Lists(group.pc) ? Active(*warp, group, program_.code[group.pc]) : 0;
  if (active == 0) {
    return Execute(warp, index);
  }
  const std::uint64_t before = warp_instructions_;
  turnstile_->Begin(*warp, group.pc, active);
  const Event event = Execute(warp, index);
  turnstile_->End(warp_instructions_ != before);
  return event;
}

bool Interpreter::StandsInLine(Warp* warp, const Group& group) const {
  return group.state == Group::State::kInLine ||
         (turnstile_ != nullptr && AtCopies(warp, group) != 0);
}

}  // namespace muster::ptx
