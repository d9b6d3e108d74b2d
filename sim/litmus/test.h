// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A litmus test as its file states it: memory, threads of a few instructions, and a question.
#ifndef MUSTER_SIM_LITMUS_TEST_H_
#define MUSTER_SIM_LITMUS_TEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/litmus/condition.h"

namespace muster::litmus {

enum class Scope { kCta, kCluster, kGpu, kSys };
enum class Order { kWeak, kRelaxed, kAcquire, kRelease, kAcqRel, kSc };
enum class Proxy { kGeneric, kConstant, kTexture, kSurface };

// A name of memory. Names with one `memory` are aliases of it; generic accesses by names with one
// `address` use the same virtual address.
struct Location {
  std::string name;
  unsigned memory = 0;
  unsigned address = 0;
  Proxy proxy = Proxy::kGeneric;
};

// A register of the thread, or a constant.
struct Operand {
  std::optional<unsigned> reg;
  std::int64_t constant = 0;
};

enum class Operator { kAdd, kSub, kMul, kDiv, kAnd, kOr, kXor, kExchange, kCompareAndSwap };
enum class Comparison { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

struct Instruction {
  enum class Kind {
    kLoad,
    kStore,
    kAtom,
    kRed,
    kFence,
    kProxyFence,
    kAliasFence,
    kSync,
    kArrive,
    kMove,
    kArithmetic,
    kBranch,
    kJump,
  };
  Kind kind = Kind::kMove;
  unsigned line = 0;
  std::string text;
  Order order = Order::kWeak;
  Scope scope = Scope::kSys;
  Proxy proxy = Proxy::kGeneric;
  unsigned location = 0;
  unsigned result = 0;  // register
  Operator op = Operator::kAdd;
  Comparison comparison = Comparison::kEqual;
  // Of a compare-and-swap, what it compares with and what it writes; of a barrier, its number and
  // its count.
  Operand a;
  std::optional<Operand> b;
  unsigned target = 0;  // of a branch or a jump
};

struct Thread {
  unsigned cta = 0;
  std::optional<unsigned> cluster;
  unsigned gpu = 0;
  std::vector<std::string> registers;  // names
  std::vector<std::int64_t> initial;   // of each register
  std::vector<Instruction> instructions;
};

struct Test {
  enum class Quantifier { kExists, kNotExists, kForall };
  std::string file;
  std::string name;
  std::string verdict;  // of a line "Verdict: ..." before the memory, or empty
  std::vector<Location> locations;
  std::vector<std::int64_t> memory;  // initial contents
  std::vector<Thread> threads;
  std::optional<Condition> filter;
  Quantifier quantifier = Quantifier::kExists;
  Condition condition;
};

// Whether two threads are of one CTA, and whether `scope` of thread a includes thread b.
bool InOneCta(const Thread& a, const Thread& b);
bool Includes(Scope scope, const Thread& a, const Thread& b);

// A CTA is known by its first thread.
unsigned CtaOf(const Test& test, unsigned thread);
unsigned ThreadsOfCta(const Test& test, unsigned cta);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_TEST_H_
