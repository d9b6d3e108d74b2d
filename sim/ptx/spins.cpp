// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/spins.h"

#include <algorithm>

#include "sim/ptx/random.h"

namespace muster::ptx {
namespace {

// Functions that have a body, by where it begins.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ByEntry(const Program& program) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> functions;
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    if (program.functions[i].has_body) {
      functions.emplace_back(program.functions[i].entry, i);
    }
  }
  std::sort(functions.begin(), functions.end());
  return functions;
}

bool ReadsClock(const Instruction& i) {
  const auto special = static_cast<Special>(i.mode);
  return i.op == Op::kSpecial && special >= Special::kClock && special <= Special::kGlobalTimerHi;
}

// It does nothing but write registers.
bool OnlyComputes(const Instruction& i) {
  switch (i.op) {
    case Op::kStore:
    case Op::kAtomic:
    case Op::kCopy:
    case Op::kCopyGroup:
    case Op::kBulk:
    case Op::kStoreAsync:
    case Op::kTryCancel:
    case Op::kBranch:
    case Op::kBranchIndexed:
    case Op::kCall:
    case Op::kReturn:
    case Op::kExit:
    case Op::kTrap:
    case Op::kRuntime:
    case Op::kExchange:
    case Op::kBarrier:
    case Op::kMbarrier:
      return false;
    default:
      return true;
  }
}

// Marks what depends on a clock in the instruction. Returns whether anything is marked anew.
bool MarkTimed(Instruction* i, std::vector<bool>* timed) {
  const auto is_timed = [&](Slot slot) {
    return slot != kNoSlot && !IsLiteral(slot) && (*timed)[static_cast<std::size_t>(slot)];
  };
  if (!ReadsClock(*i) && !is_timed(i->guard) && !std::any_of(i->a.begin(), i->a.end(), is_timed)) {
    return false;
  }
  bool fresh = false;
  for (const Slot slot : i->d) {
    if (slot != kNoSlot && !is_timed(slot)) {
      (*timed)[static_cast<std::size_t>(slot)] = true;
      fresh = true;
    }
  }
  i->timed = !OnlyComputes(*i);
  return fresh;
}

std::uint64_t Mix(std::uint64_t state, std::uint64_t value) { return Random(state ^ value).Next(); }

}  // namespace

void MarkTimed(Program* program) {
  const auto functions = ByEntry(*program);
  for (std::size_t k = 0; k < functions.size(); ++k) {
    Function& function = program->functions[functions[k].second];
    const std::size_t end =
        k + 1 < functions.size() ? functions[k + 1].first : program->code.size();
    function.timed.assign(function.slots, false);
    for (bool fresh = true; fresh;) {
      fresh = false;
      for (std::size_t pc = function.entry; pc < end; ++pc) {
        fresh |= MarkTimed(&program->code[pc], &function.timed);
      }
    }
  }
}

Spins::Spins(const Program& program) : program_(program), functions_(ByEntry(program)) {}

const Function& Spins::FunctionAt(std::uint32_t pc) const {
  const auto behind =
      std::upper_bound(functions_.begin(), functions_.end(), std::make_pair(pc, ~std::uint32_t{0}));
  return program_.functions[std::prev(behind)->second];
}

// Registers of all its frames, and its local memory.
std::uint64_t Spins::StateOf(const Warp& warp, const Group& group, unsigned lane) const {
  std::uint64_t state = Mix(group.pc, warp.timed);
  std::uint32_t pc = group.pc;
  std::uint32_t frame = group.frame;
  while (true) {
    const Function& function = FunctionAt(pc);
    const auto at = [&](std::uint32_t slot) {
      return warp.registers[(std::size_t{frame} + slot) * kWarpSize + lane];
    };
    for (std::uint32_t slot = 0; slot < function.slots; ++slot) {
      state = function.timed[slot] ? state : Mix(state, at(slot));
    }
    if (frame == 0) {
      break;
    }
    pc = static_cast<std::uint32_t>(at(kReturnSlot)) - 1;
    frame = static_cast<std::uint32_t>(at(kFrameSlot));
  }
  for (const std::uint8_t byte : warp.local[lane]) {
    state = Mix(state, byte);
  }
  return state;
}

void Spins::Visit(const Warp& warp, const Group& group, std::uint32_t lanes) {
  ForEachBit(lanes, [&](unsigned index) {
    Lane& lane = lanes_[warp.slot][index];
    const std::uint64_t state = StateOf(warp, group, index);
    if (lane.epoch != epoch_) {
      lane = {epoch_, state, 0, 1, 0};
    } else if (lane.state == state) {
      ++lane.repeats;
      lane.steps = 0;
    } else if (++lane.steps >= lane.limit) {
      lane = {epoch_, state, 0, 2 * lane.limit, 0};
    }
  });
}

std::uint32_t Spins::Repeating(unsigned warp) const {
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Lane& state = lanes_[warp][lane];
    lanes |= (state.epoch == epoch_ && state.repeats >= kRepeats ? 1U : 0U) << lane;
  }
  return lanes;
}

}  // namespace muster::ptx
