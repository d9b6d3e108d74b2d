// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/spins.h"

#include <algorithm>
#include <cstring>

#include "sim/ptx/nature.h"
#include "sim/ptx/random.h"

namespace muster::ptx {
namespace {

constexpr std::size_t kLongestDelay = 256;  // instructions

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

// Marks the registers that the instruction writes. Returns whether one is marked anew.
bool MarkResults(const Instruction& i, std::vector<bool>* timed) {
  bool fresh = false;
  for (const Slot slot : i.d) {
    if (slot != kNoSlot && !(*timed)[static_cast<std::size_t>(slot)]) {
      (*timed)[static_cast<std::size_t>(slot)] = true;
      fresh = true;
    }
  }
  return fresh;
}

// Marks what depends on a clock in the instruction. Returns whether anything is marked anew.
bool MarkTimed(Instruction* i, std::vector<bool>* timed) {
  const auto is_timed = [&](Slot slot) {
    return slot != kNoSlot && !IsLiteral(slot) && (*timed)[static_cast<std::size_t>(slot)];
  };
  if (NatureOf(*i) != Nature::kVolatile && !is_timed(i->guard) &&
      !std::any_of(i->a.begin(), i->a.end(), is_timed)) {
    return false;
  }
  i->timed = !OnlyWritesRegisters(*i);
  return MarkResults(*i, timed);
}

// Where a loop looks at what may end it.
bool Looks(const Instruction& i) {
  const bool waits = i.op == Op::kMbarrier && IsMbWait(static_cast<MbOp>(i.mode));
  return (waits || NatureOf(i) == Nature::kLoads) && i.guard == kNoSlot;
}

// A branch by a clock that does no more than to put off a look: whichever way, that look comes
// next, and until then registers are written, which depend on the clock, too. So is the loop of a
// wait that sleeps the longer the longer it has waited. Returns the branch and all that lies
// between; nothing, if it is no such branch.
std::vector<std::uint32_t> DelayAt(const std::vector<Instruction>& code, std::uint32_t branch) {
  std::vector<std::uint32_t> between;
  std::vector<std::uint32_t> open{branch};
  std::uint32_t look = branch;  // none yet
  while (!open.empty()) {
    const std::uint32_t pc = open.back();
    open.pop_back();
    if (std::find(between.begin(), between.end(), pc) != between.end()) {
      continue;
    }
    const Instruction& i = code[pc];
    if (Looks(i) && (look == branch || look == pc)) {
      look = pc;
      continue;
    }
    between.push_back(pc);
    if ((i.op != Op::kBranch && !OnlyWritesRegisters(i)) || between.size() > kLongestDelay) {
      return {};
    }
    if (i.op == Op::kBranch) {
      open.push_back(i.target);
    }
    if (i.op != Op::kBranch || i.guard != kNoSlot) {
      open.push_back(pc + 1);
    }
  }
  return between;
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
      for (std::uint32_t pc = function.entry; pc < end; ++pc) {
        Instruction& i = program->code[pc];
        fresh |= MarkTimed(&i, &function.timed);
        if (i.timed && i.op == Op::kBranch) {
          const std::vector<std::uint32_t> delay = DelayAt(program->code, pc);
          i.timed = delay.empty();
          for (const std::uint32_t between : delay) {
            fresh |= MarkResults(program->code[between], &function.timed);
          }
        }
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

// Of all its frames.
std::uint64_t Spins::RegistersOf(const Warp& warp, const Group& group, unsigned lane) const {
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
      return state;
    }
    pc = static_cast<std::uint32_t>(at(kReturnSlot)) - 1;
    frame = static_cast<std::uint32_t>(at(kFrameSlot));
  }
}

// Its registers and local memory, and the registers of the lanes that it is bound to.
std::uint64_t Spins::StateOf(const Warp& warp, unsigned lane, std::uint64_t registers) const {
  std::uint64_t state = registers;
  const std::vector<std::uint8_t>& local = warp.local[lane];
  for (std::size_t i = 0; i < local.size(); i += sizeof state) {
    std::uint64_t word = 0;
    std::memcpy(&word, &local[i], std::min(sizeof word, local.size() - i));
    state = Mix(state, word);
  }
  const Bound& bound = bound_[warp.slot];
  if (bound.epoch == epoch_ && (bound.lanes >> lane & 1U) != 0) {
    for (const Group& group : warp.groups) {
      ForEachBit(group.lanes & bound.lanes,
                 [&](unsigned other) { state += Mix(other, RegistersOf(warp, group, other)); });
    }
  }
  return state;
}

// What takes long to look at is looked at only where the registers are as they were.
void Spins::Visit(const Warp& warp, const Group& group) {
  ForEachBit(group.lanes, [&](unsigned index) {
    Lane& lane = lanes_[warp.slot][index];
    const std::uint64_t registers = RegistersOf(warp, group, index);
    const auto keep = [&](std::uint64_t limit) {
      lane = {epoch_, registers, StateOf(warp, index, registers), 0, limit, 0};
    };
    if (lane.epoch != epoch_) {
      keep(1);
    } else if (lane.registers == registers && lane.state == StateOf(warp, index, registers)) {
      ++lane.repeats;
      lane.steps = 0;
    } else if (++lane.steps >= lane.limit) {
      keep(2 * lane.limit);
    }
  });
}

void Spins::Bind(unsigned warp, std::uint32_t lanes) {
  Bound& bound = bound_[warp];
  bound = {epoch_, lanes | (bound.epoch == epoch_ ? bound.lanes : 0)};
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
