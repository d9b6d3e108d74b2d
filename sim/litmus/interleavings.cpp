// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/interleavings.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/litmus/arithmetic.h"
#include "sim/litmus/barrier_table.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;

struct State {
  std::vector<unsigned> at;  // instruction of each thread
  std::vector<std::vector<std::int64_t>> registers;
  std::vector<std::int64_t> memory;
  BarrierTable table;  // of threads
  std::vector<bool> waits;
  bool operator<(const State& other) const {
    return std::tie(at, registers, memory, table, waits) <
           std::tie(other.at, other.registers, other.memory, other.table, other.waits);
  }
};

struct Edge {
  unsigned thread = 0;
  std::size_t to = 0;
};

class Graph {
 public:
  Graph(const Test& test, std::size_t most) : test_(test), most_(most) {}

  Interleavings Find() {
    State first;
    for (const Thread& thread : test_.threads) {
      first.at.push_back(0);
      first.registers.push_back(thread.initial);
    }
    first.memory = test_.memory;
    first.waits.assign(test_.threads.size(), false);
    Number(first);
    for (std::size_t i = 0; i < states_.size() && states_.size() <= most_; ++i) {
      Expand(i);
    }
    Interleavings found;
    found.complete = states_.size() <= most_;
    edges_.resize(states_.size());
    FindComponents();
    found.lasso = lasso_;
    return found;
  }

 private:
  std::size_t Number(const State& state) {
    const auto [found, is_new] = numbers_.emplace(state, states_.size());
    if (is_new) {
      states_.push_back(&found->first);
    }
    return found->second;
  }

  bool HasEnded(const State& state, unsigned thread) const {
    return state.at[thread] == test_.threads[thread].instructions.size() && !state.waits[thread];
  }

  void Expand(std::size_t number) {
    edges_.resize(number + 1);
    for (unsigned thread = 0; thread < test_.threads.size(); ++thread) {
      const State& state = *states_[number];
      if (state.at[thread] != test_.threads[thread].instructions.size() && !state.waits[thread]) {
        State next = state;
        Step(&next, thread);
        const std::size_t to = Number(next);
        edges_[number].push_back({thread, to});
      }
    }
  }

  void Step(State* state, unsigned thread) const {
    const Instruction& instruction = test_.threads[thread].instructions[state->at[thread]];
    std::vector<std::int64_t>& registers = state->registers[thread];
    const auto of = [&](const Operand& operand) {
      return operand.reg ? registers[*operand.reg] : operand.constant;
    };
    std::int64_t* const word = &state->memory[test_.locations[instruction.location].memory];
    ++state->at[thread];
    switch (instruction.kind) {
      case Kind::kLoad:
        registers[instruction.result] = *word;
        break;
      case Kind::kStore:
        *word = of(instruction.a);
        break;
      case Kind::kAtom:
      case Kind::kRed: {
        const std::int64_t old = *word;
        if (instruction.op == Operator::kCompareAndSwap) {
          *word = old == of(instruction.a) ? of(*instruction.b) : old;
        } else {
          *word = Compute(instruction.op, old, of(instruction.a));
        }
        if (instruction.kind == Kind::kAtom) {
          registers[instruction.result] = old;
        }
        break;
      }
      case Kind::kMove:
        registers[instruction.result] = of(instruction.a);
        break;
      case Kind::kArithmetic:
        registers[instruction.result] =
            Compute(instruction.op, of(instruction.a), of(*instruction.b));
        break;
      case Kind::kBranch:
        if (Compare(instruction.comparison, of(instruction.a), of(*instruction.b))) {
          state->at[thread] = instruction.target;
        }
        break;
      case Kind::kJump:
        state->at[thread] = instruction.target;
        break;
      case Kind::kSync:
      case Kind::kArrive:
        state->waits[thread] = instruction.kind == Kind::kSync;
        state->table.Arrive(test_, thread, of(instruction.a),
                            instruction.b ? std::optional(of(*instruction.b)) : std::nullopt,
                            instruction.kind == Kind::kSync, thread);
        break;
      case Kind::kFence:
      case Kind::kProxyFence:
      case Kind::kAliasFence:
        break;
    }
    CompleteAll(state);
  }

  void CompleteAll(State* state) const {
    const auto live = [&](unsigned cta) {
      std::int64_t threads = 0;
      for (unsigned i = 0; i < test_.threads.size(); ++i) {
        threads += CtaOf(test_, i) == cta && !HasEnded(*state, i) ? 1 : 0;
      }
      return threads;
    };
    for (const BarrierTable::Met& met : state->table.Complete(live)) {
      ForEach(met.members, [&](unsigned thread) { state->waits[thread] = false; });
    }
  }

  // Finds the strongly connected components (Tarjan's algorithm, without recursion).
  void FindComponents() {
    const std::size_t none = ~std::size_t{0};
    std::vector<std::size_t> index(states_.size(), none);
    std::vector<std::size_t> low(states_.size());
    std::vector<bool> open(states_.size());
    std::vector<std::size_t> stack;
    std::vector<std::pair<std::size_t, std::size_t>> calls;  // state, and its next edge
    std::size_t next = 0;
    for (std::size_t root = 0; root < states_.size() && !lasso_; ++root) {
      if (index[root] != none) {
        continue;
      }
      calls.emplace_back(root, 0);
      while (!calls.empty() && !lasso_) {
        const std::size_t state = calls.back().first;
        if (calls.back().second == 0 && index[state] == none) {
          index[state] = low[state] = next++;
          stack.push_back(state);
          open[state] = true;
        }
        if (calls.back().second < edges_[state].size()) {
          const std::size_t to = edges_[state][calls.back().second++].to;
          if (index[to] == none) {
            calls.emplace_back(to, 0);
          } else if (open[to]) {
            low[state] = std::min(low[state], index[to]);
          }
          continue;
        }
        calls.pop_back();
        if (!calls.empty()) {
          low[calls.back().first] = std::min(low[calls.back().first], low[state]);
        }
        if (low[state] == index[state]) {
          std::set<std::size_t> component;
          std::size_t member = none;
          do {
            member = stack.back();
            stack.pop_back();
            open[member] = false;
            component.insert(member);
          } while (member != state);
          JudgeComponent(component);
        }
      }
    }
  }

  // In a fair circle each thread takes a step, unless it has ended or waits all the time.
  void JudgeComponent(const std::set<std::size_t>& component) {
    Lasso lasso;
    lasso.circle.resize(test_.threads.size());
    std::vector<bool> stays(test_.threads.size(), true);
    bool moves = false;
    for (const std::size_t state : component) {
      for (unsigned thread = 0; thread < test_.threads.size(); ++thread) {
        stays[thread] =
            stays[thread] && (HasEnded(*states_[state], thread) || states_[state]->waits[thread]);
      }
      for (const Edge& edge : edges_[state]) {
        if (component.count(edge.to) == 0) {
          continue;
        }
        moves = true;
        auto& circle = lasso.circle[edge.thread];
        const Instruction* const instruction =
            &test_.threads[edge.thread].instructions[states_[state]->at[edge.thread]];
        if (std::find(circle.begin(), circle.end(), instruction) == circle.end()) {
          circle.push_back(instruction);
        }
      }
    }
    for (unsigned thread = 0; thread < test_.threads.size(); ++thread) {
      if (!stays[thread] && lasso.circle[thread].empty()) {
        return;
      }
      std::sort(lasso.circle[thread].begin(), lasso.circle[thread].end());
    }
    if (moves) {
      lasso_ = lasso;
    }
  }

  const Test& test_;
  std::size_t most_;
  std::map<State, std::size_t> numbers_;
  std::vector<const State*> states_;
  std::vector<std::vector<Edge>> edges_;
  std::optional<Lasso> lasso_;
};

}  // namespace

Interleavings Interleave(const Test& test, std::size_t most_states) {
  return Graph(test, most_states).Find();
}

}  // namespace muster::litmus
