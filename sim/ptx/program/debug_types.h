// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The types of variables, from a PTX file's debug information (nvcc's -G, clang's -g): DWARF as
// text, of which only variables at an address and their types are read. What is not understood is
// left out.
#ifndef MUSTER_SIM_PTX_PROGRAM_DEBUG_TYPES_H_
#define MUSTER_SIM_PTX_PROGRAM_DEBUG_TYPES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

class DebugTypes {
 public:
  DebugTypes() = default;
  explicit DebugTypes(const syntax::Module& module);

  // What lies that many bytes into the variable: ".full[2]". Empty: that is not known.
  std::string MemberAt(const std::string& variable, std::uint64_t offset) const;

 private:
  // An entry of .debug_info: a type, a variable, a member or the bounds of an array.
  struct Entry {
    std::uint64_t tag = 0;
    std::string name;
    std::string symbol;      // of a variable: the address that it is at
    std::uint64_t type = 0;  // where its entry begins
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  // of a member
    std::uint64_t count = 0;   // of bounds; 0: it is not known
    std::vector<std::uint64_t> children;
  };

  // The entry of a type without typedef, const and volatile; null: there is none.
  const Entry* Plain(std::uint64_t at) const;
  std::uint64_t SizeOf(std::uint64_t at) const;
  std::string MemberOf(std::uint64_t type, std::uint64_t offset, unsigned depth) const;
  std::string ElementOf(const Entry& array, std::uint64_t offset, unsigned depth) const;

  std::map<std::uint64_t, Entry> entries_;          // by where they begin
  std::map<std::string, std::uint64_t> variables_;  // their types, by symbol

  friend class DwarfReader;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DEBUG_TYPES_H_
