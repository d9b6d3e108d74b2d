// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where decoded instructions go: the program's code and literals, and the registers of the function
// at hand.
#ifndef MUSTER_SIM_PTX_PROGRAM_CODE_H_
#define MUSTER_SIM_PTX_PROGRAM_CODE_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/ptx/program/program.h"

namespace muster::ptx {

class Code {
 public:
  explicit Code(Program* program) : program_(*program) {}

  // The function whose instructions follow.
  void Enter(Function* function) { function_ = function; }

  void Emit(const Instruction& instruction) { program_.code.push_back(instruction); }

  // A register of the function that no name stands for.
  Slot Scratch() { return static_cast<Slot>(function_->slots++); }

  // The operand that stands for a number.
  Slot Literal(std::uint64_t value) {
    const auto [found, fresh] =
        literals_.emplace(value, static_cast<std::uint32_t>(program_.literals.size()));
    if (fresh) {
      program_.literals.push_back(value);
    }
    return LiteralSlot(found->second);
  }

  // Notes an instruction that is not computed. Returns its number.
  std::uint32_t NameOpaque(std::string spelling) {
    program_.opaque.push_back(std::move(spelling));
    return static_cast<std::uint32_t>(program_.opaque.size() - 1);
  }

  Program& program() { return program_; }
  Function& function() { return *function_; }
  std::uint32_t function_index() const {
    return static_cast<std::uint32_t>(function_ - program_.functions.data());
  }

 private:
  Program& program_;
  Function* function_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> literals_;  // their indices
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_CODE_H_
