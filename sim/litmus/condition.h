// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A condition on the final contents of registers and memory.
#ifndef MUSTER_SIM_LITMUS_CONDITION_H_
#define MUSTER_SIM_LITMUS_CONDITION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::litmus {

// The contents when all threads have ended. A word of memory can be unknown.
struct Finals {
  std::vector<std::vector<std::int64_t>> registers;  // by thread
  std::vector<std::optional<std::int64_t>> memory;
};

// A constant, a register of a thread, or a word of memory.
struct Term {
  enum class Kind { kConstant, kRegister, kMemory };
  Kind kind = Kind::kConstant;
  std::int64_t constant = 0;
  unsigned thread = 0;
  unsigned index = 0;  // of the register, or of the memory
  std::string text;

  std::optional<std::int64_t> In(const Finals& finals) const;
};

// A tree of comparisons. What depends on unknown memory is neither true nor false.
struct Condition {
  enum class Kind { kTrue, kCompare, kAnd, kOr, kNot };
  Kind kind = Kind::kTrue;
  std::string comparison;  // "==", "!=", "<", "<=", ">", ">="
  Term left;
  Term right;
  std::vector<Condition> parts;

  std::optional<bool> In(const Finals& finals) const;
  std::string Text() const;
  // Adds the registers that the condition names, as (thread, register).
  void AddRegisters(std::vector<std::pair<unsigned, unsigned>>* registers) const;
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_CONDITION_H_
