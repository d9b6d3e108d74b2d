// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A table of what the names of a PTX file stand for, scope by scope.
#ifndef MUSTER_SIM_PTX_PROGRAM_SYMBOLS_H_
#define MUSTER_SIM_PTX_PROGRAM_SYMBOLS_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

struct Symbol {
  enum class Kind : std::uint8_t { kRegister, kVariable, kLabel, kFunction, kTargets, kPrototype };
  Kind kind = Kind::kRegister;
  Type type = Type::kNone;   // of a register
  Slot slot = kNoSlot;       // the register; of a range: its first
  std::uint32_t range = 0;   // registers in the range %r<range>, 0: a single one
  std::uint32_t vector = 1;  // elements of a register declared .v2 or .v4
  Space space = Space::kGeneric;
  bool in_frame = false;      // of a variable: its address counts from the frame's local memory
  bool is_parameter = false;  // declared .param
  std::uint64_t address = 0;  // of a variable; of anything else: an index
  std::uint32_t bytes = 0;    // of a variable
};

constexpr std::uint32_t SlotsOf(Type type) { return type == Type::kB128 ? 2 : 1; }

class SymbolTable {
 public:
  SymbolTable() : scopes_(1) {}

  void Begin() { scopes_.emplace_back(); }
  void End() { scopes_.pop_back(); }
  std::size_t depth() const { return scopes_.size(); }

  // Returns false if the innermost scope has the name already.
  bool Declare(std::string_view name, const Symbol& symbol) {
    return scopes_.back().emplace(name, symbol).second;
  }

  void Replace(std::string_view name, const Symbol& symbol) { scopes_.back()[name] = symbol; }

  // The innermost symbol of that name; %r17 is found in a range %r<32>. Returns false if there is
  // none.
  bool Find(std::string_view name, Symbol* symbol) const {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end() && found->second.range == 0) {
        *symbol = found->second;
        return true;
      }
      if (digits == name.size() || digits == 0) {
        continue;
      }
      const auto found = scope->find(name.substr(0, digits));
      if (found == scope->end() || found->second.range == 0) {
        continue;
      }
      std::uint64_t index = 0;
      for (const char c : name.substr(digits)) {
        index = index * 10 + (c - '0');
      }
      if (index >= found->second.range) {
        continue;
      }
      *symbol = found->second;
      symbol->slot += static_cast<Slot>(index * SlotsOf(symbol->type));
      symbol->range = 0;
      return true;
    }
    return false;
  }

 private:
  std::vector<std::unordered_map<std::string_view, Symbol>> scopes_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_SYMBOLS_H_
