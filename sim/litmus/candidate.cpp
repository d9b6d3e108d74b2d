// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/candidate.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;

}  // namespace

// Walks along the path of one thread.
class Candidate::Builder {
 public:
  Builder(Candidate* candidate, unsigned thread)
      : candidate_(*candidate), thread_(thread), of_(candidate->test_.threads[thread]) {
    for (const std::int64_t value : of_.initial) {
      registers_.push_back(Constant(value));
    }
  }

  void Walk(const Path& path) {
    for (std::size_t i = 0; i < path.steps.size() && candidate_.fits_; ++i) {
      Take(path.steps[i], path.end == Path::End::kSpins && i >= path.spin);
    }
    candidate_.finals_.push_back(registers_);
    candidate_.barriers_.push_back(barriers_);
    candidate_.spins_.push_back(spin_);
    candidate_.controls_.push_back(control_);
  }

 private:
  void Take(const Step& step, bool spins) {
    const Instruction& instruction = of_.instructions[step.instruction];
    switch (instruction.kind) {
      case Kind::kJump:
        return;
      case Kind::kMove:
        registers_[instruction.result] = Of(instruction.a);
        return;
      case Kind::kArithmetic:
        registers_[instruction.result] =
            Operation(instruction.op, Of(instruction.a), Of(*instruction.b));
        return;
      case Kind::kBranch:
        Require(Of(instruction.a), instruction.comparison, Of(*instruction.b), step.taken);
        return;
      default:
        break;
    }
    if (candidate_.events_.size() == kMostEvents) {
      candidate_.fits_ = false;
      return;
    }
    const auto number = static_cast<unsigned>(candidate_.events_.size());
    Event event;
    event.thread = thread_;
    event.instruction = &instruction;
    AddAccess(instruction, step, number, &event);
    if (instruction.kind == Kind::kSync || instruction.kind == Kind::kArrive) {
      BarrierEvent barrier{number, Of(instruction.a), std::nullopt};
      if (instruction.b) {
        barrier.count = Of(*instruction.b);
      }
      barriers_.push_back(barrier);
    }
    ForEach(before_, [&](unsigned earlier) { candidate_.program_order_.Add(earlier, number); });
    before_ |= Of(number);
    spin_ |= spins ? Of(number) : 0;
    candidate_.events_.push_back(event);
    candidate_.dependencies_.push_back(control_ | (event.writes ? ReadsIn(event.value) : 0));
    if (instruction.op == Operator::kCompareAndSwap) {
      Require(Read(number), Comparison::kEqual, Of(instruction.a), step.taken);
      // Whether it writes depends on what it reads.
      candidate_.dependencies_.back() |= Of(number) | ReadsIn(Of(instruction.a));
    }
  }

  void AddAccess(const Instruction& instruction, const Step& step, unsigned number, Event* event) {
    const Kind kind = instruction.kind;
    const bool atomic = kind == Kind::kAtom || kind == Kind::kRed;
    if (!atomic && kind != Kind::kLoad && kind != Kind::kStore) {
      return;
    }
    const Location& location = candidate_.test_.locations[instruction.location];
    event->memory = location.memory;
    event->address = location.address;
    event->reads = kind != Kind::kStore;
    event->writes = kind != Kind::kLoad;
    if (instruction.op == Operator::kCompareAndSwap) {
      event->writes = step.taken;
      event->value = Of(*instruction.b);
    } else if (!atomic || instruction.op == Operator::kExchange) {
      event->value = Of(instruction.a);
    } else {
      event->value = Operation(instruction.op, Read(number), Of(instruction.a));
    }
    if (kind == Kind::kLoad || kind == Kind::kAtom) {
      registers_[instruction.result] = Read(number);
    }
  }

  unsigned Add(const Expression& expression) {
    candidate_.expressions_.push_back(expression);
    return static_cast<unsigned>(candidate_.expressions_.size() - 1);
  }
  unsigned Constant(std::int64_t value) {
    Expression expression;
    expression.constant = value;
    return Add(expression);
  }
  unsigned Read(unsigned event) {
    Expression expression;
    expression.kind = Expression::Kind::kRead;
    expression.event = event;
    return Add(expression);
  }
  unsigned Operation(Operator op, unsigned a, unsigned b) {
    Expression expression;
    expression.kind = Expression::Kind::kOperation;
    expression.op = op;
    expression.a = a;
    expression.b = b;
    return Add(expression);
  }
  unsigned Of(const Operand& operand) {
    return operand.reg ? registers_[*operand.reg] : Constant(operand.constant);
  }
  static constexpr Set Of(unsigned event) { return litmus::Of(event); }

  Set ReadsIn(unsigned index) const {
    const Expression& expression = candidate_.expressions_[index];
    switch (expression.kind) {
      case Expression::Kind::kRead:
        return Of(expression.event);
      case Expression::Kind::kOperation:
        return ReadsIn(expression.a) | ReadsIn(expression.b);
      case Expression::Kind::kConstant:
        break;
    }
    return 0;
  }

  void Require(unsigned a, Comparison comparison, unsigned b, bool holds) {
    candidate_.requirements_.push_back({a, comparison, b, holds});
    control_ |= ReadsIn(a) | ReadsIn(b);
  }

  Candidate& candidate_;
  unsigned thread_;
  const Thread& of_;
  std::vector<unsigned> registers_;  // expressions
  std::vector<BarrierEvent> barriers_;
  Set before_ = 0;   // events of the thread so far
  Set control_ = 0;  // reads on which it depends that the path goes on here
  Set spin_ = 0;
};

Candidate::Candidate(const Test& test, const std::vector<const Path*>& paths) : test_(test) {
  for (unsigned memory = 0; memory < test.memory.size() && memory < kMostEvents; ++memory) {
    Expression contents;
    contents.constant = test.memory[memory];
    expressions_.push_back(contents);
    Event initial;
    initial.writes = true;
    initial.memory = memory;
    initial.value = memory;
    events_.push_back(initial);
    dependencies_.push_back(0);
  }
  for (unsigned thread = 0; thread < paths.size() && fits_; ++thread) {
    ends_.push_back(paths[thread]->end);
    Builder(this, thread).Walk(*paths[thread]);
  }
  Relation sized(static_cast<unsigned>(events_.size()));
  sized |= program_order_;
  program_order_ = sized;
}

}  // namespace muster::litmus
