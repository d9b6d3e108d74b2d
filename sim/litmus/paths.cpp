// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/paths.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/litmus/arithmetic.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;
using Registers = std::vector<bool>;

constexpr std::size_t kMostPaths = 4096;

bool HasResult(const Instruction& instruction) {
  return instruction.kind == Kind::kLoad || instruction.kind == Kind::kAtom ||
         instruction.kind == Kind::kMove || instruction.kind == Kind::kArithmetic;
}

// The registers whose contents may be read after each instruction's start, the end's included.
class Liveness {
 public:
  Liveness(const Thread& thread, const std::vector<unsigned>& at_end) : thread_(thread) {
    const std::size_t end = thread.instructions.size();
    live_.assign(end + 1, Registers(thread.registers.size()));
    for (const unsigned reg : at_end) {
      live_[end][reg] = true;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = end; i-- != 0;) {
        const Registers before = Before(i);
        changed = changed || before != live_[i];
        live_[i] = before;
      }
    }
  }

  bool IsLive(std::size_t instruction, unsigned reg) const { return live_[instruction][reg]; }

 private:
  Registers Before(std::size_t i) const {
    const Instruction& instruction = thread_.instructions[i];
    Registers live = live_[instruction.kind == Kind::kJump ? instruction.target : i + 1];
    if (instruction.kind == Kind::kBranch) {
      for (std::size_t reg = 0; reg < live.size(); ++reg) {
        live[reg] = live[reg] || live_[instruction.target][reg];
      }
    }
    if (HasResult(instruction)) {
      live[instruction.result] = false;
    }
    for (const Operand& operand : {instruction.a, instruction.b.value_or(Operand())}) {
      if (operand.reg) {
        live[*operand.reg] = true;
      }
    }
    return live;
  }

  const Thread& thread_;
  std::vector<Registers> live_;
};

class Finder {
 public:
  Finder(const Thread& thread, const std::vector<unsigned>& at_end, unsigned rounds)
      : thread_(thread),
        rounds_(rounds),
        live_(thread, at_end),
        known_(thread.initial.begin(), thread.initial.end()) {}

  Paths Find() {
    Visit(0);
    return std::move(found_);
  }

 private:
  // Goes on from an instruction.
  void Visit(unsigned at) {
    if (at == thread_.instructions.size()) {
      Keep(Path::End::kEnds, 0);
      return;
    }
    if (const auto spin = SpinTo(at)) {
      Keep(Path::End::kSpins, *spin);
      return;
    }
    const auto visits = std::count_if(steps_.begin(), steps_.end(),
                                      [&](const Step& step) { return step.instruction == at; });
    if (visits > rounds_ || found_.paths.size() >= kMostPaths) {
      found_.cut = true;
      return;
    }
    const Instruction& instruction = thread_.instructions[at];
    const std::vector<std::optional<std::int64_t>> known = known_;
    steps_.push_back({at, false});
    switch (instruction.kind) {
      case Kind::kJump:
        Visit(instruction.target);
        break;
      case Kind::kBranch:
        VisitBranch(instruction, at);
        break;
      case Kind::kSync:
        Keep(Path::End::kBlocked, 0);
        Visit(at + 1);
        break;
      case Kind::kMove:
        known_[instruction.result] = Known(instruction.a);
        Visit(at + 1);
        break;
      case Kind::kArithmetic: {
        const auto a = Known(instruction.a);
        const auto b = Known(*instruction.b);
        known_[instruction.result] =
            a && b ? std::optional(Compute(instruction.op, *a, *b)) : std::nullopt;
        Visit(at + 1);
        break;
      }
      default:
        VisitAccess(instruction, at);
    }
    steps_.pop_back();
    known_ = known;
  }

  // Takes both ways of a branch, or the one that is known.
  void VisitBranch(const Instruction& instruction, unsigned at) {
    const auto a = Known(instruction.a);
    const auto b = Known(*instruction.b);
    const std::vector<std::optional<std::int64_t>> known = known_;
    for (const bool taken : {false, true}) {
      if (a && b && Compare(instruction.comparison, *a, *b) != taken) {
        continue;
      }
      const bool equal =
          instruction.comparison == (taken ? Comparison::kEqual : Comparison::kNotEqual);
      if (equal && instruction.a.reg && b) {
        known_[*instruction.a.reg] = b;
      } else if (equal && instruction.b->reg && a) {
        known_[*instruction.b->reg] = a;
      }
      steps_.back().taken = taken;
      Visit(taken ? instruction.target : at + 1);
      known_ = known;
    }
  }

  void VisitAccess(const Instruction& instruction, unsigned at) {
    const auto compared = Known(instruction.a);
    if (HasResult(instruction)) {
      known_[instruction.result].reset();
    }
    Visit(at + 1);
    if (instruction.kind == Kind::kAtom && instruction.op == Operator::kCompareAndSwap) {
      known_[instruction.result] = compared;
      steps_.back().taken = true;
      Visit(at + 1);
    }
  }

  std::optional<std::int64_t> Known(const Operand& operand) const {
    return operand.reg ? known_[*operand.reg] : std::optional(operand.constant);
  }

  void Keep(Path::End end, std::size_t spin) { found_.paths.push_back({steps_, end, spin}); }

  // Returns the step from which the path is a round that comes back to `at` and changes nothing.
  std::optional<std::size_t> SpinTo(unsigned at) const {
    for (std::size_t i = steps_.size(); i-- != 0;) {
      const Instruction& instruction = thread_.instructions[steps_[i].instruction];
      const bool swaps = instruction.op != Operator::kCompareAndSwap || steps_[i].taken;
      if (instruction.kind == Kind::kStore || instruction.kind == Kind::kRed ||
          instruction.kind == Kind::kSync || instruction.kind == Kind::kArrive ||
          (instruction.kind == Kind::kAtom && swaps) ||
          (HasResult(instruction) && live_.IsLive(at, instruction.result))) {
        return std::nullopt;
      }
      if (steps_[i].instruction == at) {
        return i;
      }
    }
    return std::nullopt;
  }

  const Thread& thread_;
  unsigned rounds_;
  Liveness live_;
  std::vector<Step> steps_;
  std::vector<std::optional<std::int64_t>> known_;  // contents of registers on the present path
  Paths found_;
};

}  // namespace

Paths FindPaths(const Thread& thread, const std::vector<unsigned>& registers_in_question,
                unsigned rounds) {
  return Finder(thread, registers_in_question, rounds).Find();
}

}  // namespace muster::litmus
