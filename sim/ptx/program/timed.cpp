// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/timed.h"

#include <algorithm>
#include <cstddef>

#include "sim/isa/mbarrier_operation.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {
namespace {

constexpr std::size_t kLongestDelay = 256;  // instructions

// Marks the registers that the instruction writes. Returns whether one is marked anew.
bool MarkResults(const Instruction& i, std::vector<bool>* timed) {
  bool fresh = false;
  for (const Slot slot : ResultsOf(i)) {
    if (!(*timed)[static_cast<std::size_t>(slot)]) {
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
  const std::vector<Slot> sources = SourcesOf(*i);
  if (OpClassOf(*i) != OpClass::kVolatile && !is_timed(i->guard) &&
      !std::any_of(sources.begin(), sources.end(), is_timed)) {
    return false;
  }
  i->timed = !OnlyWritesRegisters(*i);
  return MarkResults(*i, timed);
}

// Where a loop looks at what may end it.
bool Looks(const Instruction& i) {
  const bool waits = i.op == Op::kMbarrier && IsMbWait(i.As<Mbarrier>().op);
  return (waits || OpClassOf(i) == OpClass::kLoad) && i.guard == kNoSlot;
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
    const std::vector<std::uint32_t> next = NextOf(code, pc);
    open.insert(open.end(), next.begin(), next.end());
  }
  return between;
}

// Whether one or more steps within `between` lead from one instruction to another.
bool Leads(const std::vector<Instruction>& code, const std::vector<std::uint32_t>& between,
           std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> reached{from};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::uint32_t next : NextOf(code, reached[i])) {
      if (next == to) {
        return true;
      }
      if (std::find(between.begin(), between.end(), next) != between.end() &&
          std::find(reached.begin(), reached.end(), next) == reached.end()) {
        reached.push_back(next);
      }
    }
  }
  return false;
}

// Marks the branches of a loop around a branch by a clock, all of it in `between`: whoever goes
// round there has not looked meanwhile, and leaves when the time has come.
void MarkDelays(std::vector<Instruction>* code, const std::vector<std::uint32_t>& between,
                std::uint32_t branch) {
  for (const std::uint32_t pc : between) {
    Instruction& i = (*code)[pc];
    if (i.op == Op::kBranch && Leads(*code, between, pc, branch)) {
      i.As<Branch>().delays = true;
    }
  }
}

}  // namespace

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
          MarkDelays(&program->code, delay, pc);
          for (const std::uint32_t between : delay) {
            fresh |= MarkResults(program->code[between], &function.timed);
          }
        }
      }
    }
  }
}

}  // namespace muster::ptx
