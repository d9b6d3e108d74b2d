// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/litmus/naive.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "tb/litmus/operations.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;
using Matrix = std::vector<std::vector<bool>>;

class Guesser {
 public:
  explicit Guesser(const Test& test)
      : test_(test), operations_(test), source_(operations_.size()) {}

  Outcomes Guess() {
    GuessSources(0);
    return outcomes_;
  }

 private:
  std::size_t size() const { return operations_.size(); }

  // Each read reads from any write of that memory but itself.
  void GuessSources(std::size_t i) {
    if (i == size()) {
      if (Compute()) {
        GuessFences();
      }
      return;
    }
    if (!operations_[i].reads) {
      GuessSources(i + 1);
      return;
    }
    for (std::size_t write = 0; write < size(); ++write) {
      if (write != i && operations_[write].writes &&
          operations_[write].memory == operations_[i].memory) {
        source_[i] = write;
        GuessSources(i + 1);
      }
    }
  }

  // Computes what each operation reads and writes, once what it depends on is known. What never
  // gets known comes from thin air.
  bool Compute() {
    written_.assign(size(), std::nullopt);
    registers_.clear();
    for (std::size_t round = 0; round <= size(); ++round) {
      registers_.clear();
      for (const Thread& thread : test_.threads) {
        registers_.emplace_back(thread.initial.begin(), thread.initial.end());
      }
      for (std::size_t i = 0; i < size(); ++i) {
        ComputeOne(i);
      }
    }
    for (std::size_t i = 0; i < size(); ++i) {
      if (operations_[i].writes && !written_[i]) {
        return false;
      }
    }
    return true;
  }

  void ComputeOne(std::size_t i) {
    const Operation& operation = operations_[i];
    if (operation.initial) {
      written_[i] = test_.memory[operation.memory];
      return;
    }
    auto& registers = registers_[operation.thread];
    const Instruction& what = *operation.what;
    const auto of = [&](const Operand& operand) {
      return operand.reg ? registers[*operand.reg] : std::optional(operand.constant);
    };
    const auto read = operation.reads ? written_[source_[i]] : std::nullopt;
    if (what.kind == Kind::kArithmetic) {
      const auto a = of(what.a);
      const auto b = of(*what.b);
      registers[what.result] = a && b ? std::optional(*a + *b) : std::nullopt;
    }
    if (operation.writes) {
      const auto operand = of(what.a);
      if (!operation.reads || what.op == Operator::kExchange) {
        written_[i] = operand;
      } else {
        written_[i] = read && operand ? std::optional(*read + *operand) : std::nullopt;
      }
    }
    if (what.kind == Kind::kLoad || what.kind == Kind::kAtom) {
      registers[what.result] = read;
    }
  }

  // Puts the fence.sc operations into any order.
  void GuessFences() {
    std::vector<std::size_t> fences;
    for (std::size_t i = 0; i < size(); ++i) {
      if (operations_.IsScFence(i)) {
        fences.push_back(i);
      }
    }
    do {
      fence_place_.assign(size(), 0);
      for (std::size_t place = 0; place < fences.size(); ++place) {
        fence_place_[fences[place]] = place;
      }
      if (OrderCausally()) {
        GuessCoherence(0);
      }
    } while (std::next_permutation(fences.begin(), fences.end()));
  }

  bool Observes(std::size_t write, std::size_t read) const {
    std::size_t at = read;
    for (std::size_t steps = 0; steps < size(); ++steps) {
      if (!operations_[at].reads || !operations_.AreMorallyStrong(at, source_[at])) {
        return false;
      }
      at = source_[at];
      if (at == write) {
        return true;
      }
    }
    return false;
  }

  bool Synchronizes(std::size_t a, std::size_t b) const {
    const Operation& x = operations_[a];
    const Operation& y = operations_[b];
    if (x.initial || y.initial || a == b) {
      return false;
    }
    if (operations_.IsScFence(a) && operations_.IsScFence(b) &&
        operations_.AreMorallyStrong(a, b) && fence_place_[a] < fence_place_[b]) {
      return true;
    }
    if (x.IsBarrier() && y.IsBarrier() && !operations_.InOneThread(a, b) && x.round == y.round &&
        InOneCta(operations_.ThreadOf(a), operations_.ThreadOf(b))) {
      return true;
    }
    return operations_.AreMorallyStrong(a, b) && PatternsMeet(a, b);
  }

  // Whether a is the first operation of a release pattern and b the last of an acquire pattern, and
  // the read of this observes the write of that.
  bool PatternsMeet(std::size_t a, std::size_t b) const {
    for (std::size_t write = 0; write < size(); ++write) {
      for (std::size_t read = 0; read < size(); ++read) {
        if (operations_.Releases(a, write) && operations_.Acquires(read, b) &&
            Observes(write, read)) {
          return true;
        }
      }
    }
    return false;
  }

  // Finds causality order; says whether nothing contradicts it so far.
  bool OrderCausally() {
    Matrix step(size(), std::vector<bool>(size()));
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        step[a][b] = operations_.InProgramOrder(a, b) || Synchronizes(a, b);
      }
    }
    Matrix preserved(size());
    for (std::size_t a = 0; a < size(); ++a) {
      preserved[a] = PreservedFrom(a, step);
    }
    causality_ = preserved;
    for (std::size_t x = 0; x < size(); ++x) {
      for (std::size_t z = 0; z < size(); ++z) {
        for (std::size_t y = 0; y < size(); ++y) {
          causality_[x][y] = causality_[x][y] || (Observes(x, z) && preserved[z][y]);
        }
      }
    }
    return !HasFenceCycle(step);
  }

  // Walks along the base causality paths from an access, by which the way to its memory changes at
  // each proxy fence: it is an address and a proxy, and a CTA if the proxy is not the generic one.
  std::vector<bool> PreservedFrom(std::size_t from, const Matrix& step) const {
    std::vector<bool> reached(size());
    const Operation& x = operations_[from];
    if (!x.IsAccess()) {
      return reached;
    }
    if (x.initial) {
      for (std::size_t i = 0; i < size(); ++i) {
        reached[i] = !operations_[i].initial && operations_[i].IsAccess() &&
                     operations_[i].memory == x.memory;
      }
      return reached;
    }
    using Way = std::tuple<std::size_t, unsigned, Proxy, unsigned>;  // where, address, proxy, CTA
    std::set<Way> seen;
    std::vector<Way> open{{from, x.address, x.what->proxy, CtaAt(from, x.what->proxy)}};
    while (!open.empty()) {
      const Way way = open.back();
      open.pop_back();
      const auto& [at, address, proxy, cta] = way;
      for (std::size_t next = 0; next < size(); ++next) {
        if (!step[at][next]) {
          continue;
        }
        const Operation& y = operations_[next];
        if (y.IsAccess() && y.memory == x.memory && y.address == address &&
            y.what->proxy == proxy && CtaAt(next, proxy) == cta) {
          reached[next] = true;
        }
        std::vector<Way> ways{{next, address, proxy, cta}};
        if (y.what->kind == Kind::kProxyFence) {
          const Proxy other = y.what->proxy;
          if (proxy == Proxy::kGeneric) {
            ways.emplace_back(next, address, other, CtaAt(next, other));
          } else if (proxy == other && CtaAt(next, other) == cta) {
            ways.emplace_back(next, address, Proxy::kGeneric, 0);
          }
        } else if (y.what->kind == Kind::kAliasFence && proxy == Proxy::kGeneric) {
          for (const Location& location : test_.locations) {
            if (location.memory == x.memory) {
              ways.emplace_back(next, location.address, proxy, cta);
            }
          }
        }
        for (const Way& further : ways) {
          if (seen.insert(further).second) {
            open.push_back(further);
          }
        }
      }
    }
    return reached;
  }

  // A number of the CTA: all are one for the generic proxy.
  unsigned CtaAt(std::size_t i, Proxy proxy) const {
    return proxy == Proxy::kGeneric
               ? 0
               : 1 + CtaOf(test_, static_cast<unsigned>(operations_[i].thread));
  }

  // Whether a fence.sc that is later in Fence-SC order comes first in base causality order.
  bool HasFenceCycle(Matrix base) const {
    for (std::size_t b = 0; b < size(); ++b) {
      for (std::size_t a = 0; a < size(); ++a) {
        for (std::size_t c = 0; c < size(); ++c) {
          base[a][c] = base[a][c] || (base[a][b] && base[b][c]);
        }
      }
    }
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        if (operations_.IsScFence(a) && operations_.IsScFence(b) &&
            operations_.AreMorallyStrong(a, b) && fence_place_[b] < fence_place_[a] && base[a][b]) {
          return true;
        }
      }
    }
    return false;
  }

  // Puts the writes of each word into any order, the initial contents first.
  void GuessCoherence(unsigned memory) {
    if (memory == 0) {
      write_place_.assign(size(), 0);
    }
    if (memory == test_.memory.size()) {
      Judge();
      return;
    }
    std::vector<std::size_t> writes;
    for (std::size_t i = test_.memory.size(); i < size(); ++i) {
      if (operations_[i].writes && operations_[i].memory == memory) {
        writes.push_back(i);
      }
    }
    do {
      for (std::size_t place = 0; place < writes.size(); ++place) {
        write_place_[writes[place]] = place + 1;
      }
      GuessCoherence(memory + 1);
    } while (std::next_permutation(writes.begin(), writes.end()));
  }

  // Keeps of the guess what coherence order relates: what is morally strong, or in causality order.
  Matrix Coherence() const {
    Matrix order(size(), std::vector<bool>(size()));
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        order[a][b] =
            operations_[a].writes && operations_[b].writes &&
            operations_[a].memory == operations_[b].memory && write_place_[a] < write_place_[b] &&
            (operations_[a].initial || operations_.AreMorallyStrong(a, b) || causality_[a][b]);
      }
    }
    for (std::size_t b = 0; b < size(); ++b) {
      for (std::size_t a = 0; a < size(); ++a) {
        for (std::size_t c = 0; c < size(); ++c) {
          order[a][c] = order[a][c] || (order[a][b] && order[b][c]);
        }
      }
    }
    return order;
  }

  void Judge() {
    const Matrix coherence = Coherence();
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        if (BreaksAnAxiom(a, b, coherence)) {
          return;
        }
      }
    }
    if (!HasLocationCycle(coherence)) {
      Record(coherence);
    }
  }

  bool BreaksAnAxiom(std::size_t a, std::size_t b, const Matrix& coherence) const {
    const Operation& x = operations_[a];
    const Operation& y = operations_[b];
    if (!x.IsAccess() || !y.IsAccess() || x.memory != y.memory) {
      return false;
    }
    // Coherence.
    if (x.writes && y.writes && causality_[a][b] && write_place_[a] >= write_place_[b]) {
      return true;
    }
    // Causality, both parts.
    if (x.reads && y.writes && causality_[a][b] && source_[a] == b) {
      return true;
    }
    if (x.writes && y.reads && causality_[a][b] && coherence[source_[b]][a]) {
      return true;
    }
    // Atomicity of read-modify-write operations.
    return x.reads && x.writes && y.writes && operations_.AreMorallyStrong(a, b) &&
           coherence[source_[a]][b] && coherence[b][a];
  }

  // Sequential consistency per location: looks for a way back along the edges from each operation.
  bool HasLocationCycle(const Matrix& coherence) const {
    Matrix edge(size(), std::vector<bool>(size()));
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        const Operation& x = operations_[a];
        const Operation& y = operations_[b];
        const bool communicates = (y.reads && source_[b] == a) || coherence[a][b] ||
                                  (x.reads && y.writes && a != b && coherence[source_[a]][b]);
        edge[a][b] = x.IsAccess() && y.IsAccess() && operations_.AreMorallyStrong(a, b) &&
                     (operations_.InProgramOrder(a, b) || communicates);
      }
    }
    for (std::size_t begin = 0; begin < size(); ++begin) {
      std::vector<std::size_t> open{begin};
      std::vector<bool> seen(size());
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (edge[at][begin]) {
          return true;
        }
        for (std::size_t next = 0; next < size(); ++next) {
          if (edge[at][next] && !seen[next]) {
            seen[next] = true;
            open.push_back(next);
          }
        }
      }
    }
    return false;
  }

  void Record(const Matrix& coherence) {
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        const Operation& x = operations_[a];
        const Operation& y = operations_[b];
        outcomes_.race = outcomes_.race ||
                         (a != b && !x.initial && !y.initial && x.IsAccess() && y.IsAccess() &&
                          x.memory == y.memory && (x.writes || y.writes) && !causality_[a][b] &&
                          !causality_[b][a] && !operations_.AreMorallyStrong(a, b));
      }
    }
    std::vector<std::int64_t> finals;
    for (const auto& registers : registers_) {
      for (const auto& value : registers) {
        finals.push_back(*value);
      }
    }
    RecordMemory(0, coherence, &finals);
  }

  // Any write that no other follows can be the last one.
  void RecordMemory(unsigned memory, const Matrix& coherence, std::vector<std::int64_t>* finals) {
    if (memory == test_.memory.size()) {
      outcomes_.finals.insert(*finals);
      return;
    }
    for (std::size_t i = 0; i < size(); ++i) {
      const bool last =
          std::find(coherence[i].begin(), coherence[i].end(), true) == coherence[i].end();
      if (operations_[i].writes && operations_[i].memory == memory && last) {
        finals->push_back(*written_[i]);
        RecordMemory(memory + 1, coherence, finals);
        finals->pop_back();
      }
    }
  }

  const Test& test_;
  Operations operations_;
  std::vector<std::size_t> source_;  // of each read
  std::vector<std::optional<std::int64_t>> written_;
  std::vector<std::vector<std::optional<std::int64_t>>> registers_;
  std::vector<std::size_t> fence_place_;
  std::vector<std::size_t> write_place_;
  Matrix causality_;
  Outcomes outcomes_;
};

}  // namespace

Outcomes TryAll(const Test& test) { return Guesser(test).Guess(); }

}  // namespace muster::litmus
