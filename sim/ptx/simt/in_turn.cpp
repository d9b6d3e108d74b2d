// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Lanes that keep to a schedule.
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
    const std::uint32_t waits = group.state == Group::State::kReady ? InLine(*warp, group) : 0;
    if (waits == 0) {
      continue;
    }
    warp->groups[i].lanes &= ~waits;
    group.lanes = waits;
    group.state = Group::State::kInLine;
    ++warp->held;
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
  if (group.state == Group::State::kInLine) {
    return true;
  }
  const Instruction& i = program_.code[group.pc];
  const bool waits_for_copies = turnstile_ != nullptr && group.state == Group::State::kReady &&
                                i.op == Op::kCopyGroup &&
                                i.As<CopyGroup>().op != CopyGroupOp::kCommit;
  const std::uint32_t active = waits_for_copies ? Active(*warp, group, i) : 0;
  return active != 0 && !ExecuteCopyGroup(warp, LanesOf(warp, group, active));
}

}  // namespace muster::ptx
