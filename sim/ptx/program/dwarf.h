// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Debug information of a PTX file: DWARF as text.
#ifndef MUSTER_SIM_PTX_PROGRAM_DWARF_H_
#define MUSTER_SIM_PTX_PROGRAM_DWARF_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx::dwarf {

enum Tag : std::uint64_t {
  kArray = 0x01,
  kClass = 0x02,
  kMember = 0x0d,
  kStruct = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInheritance = 0x1c,
  kInlinedSubroutine = 0x1d,
  kSubrange = 0x21,
  kConst = 0x26,
  kSubprogram = 0x2e,
  kVariable = 0x34,
  kVolatile = 0x35,
};
enum Attribute : std::uint64_t {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kLowPc = 0x11,
  kHighPc = 0x12,
  kUpperBound = 0x2f,
  kAbstractOrigin = 0x31,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kDeclFile = 0x3a,
  kDeclLine = 0x3b,
  kSpecification = 0x47,
  kType = 0x49,
  kCallFile = 0x58,
  kCallLine = 0x59,
};

// The bytes of a section, and the symbols that stand in it.
struct SectionBytes {
  std::vector<std::uint8_t> data;
  std::map<std::size_t, std::string> symbols;

  // The symbol that begins there, or "".
  std::string SymbolAt(std::size_t at) const {
    const auto symbol = symbols.find(at);
    return symbol == symbols.end() ? "" : symbol->second;
  }
};
// Empty: the file has no such section.
SectionBytes SectionOf(const syntax::Module& module, std::string_view name);

// Reads numbers and texts; beyond the end all is 0.
class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& data) : data_(data) {}

  bool AtEnd() const { return at_ >= data_.size(); }
  std::size_t at() const { return at_; }
  void Seek(std::size_t at) { at_ = std::min(at, data_.size()); }
  void Skip(std::uint64_t count) {
    at_ += static_cast<std::size_t>(std::min<std::uint64_t>(count, data_.size() - at_));
  }
  std::uint64_t Fixed(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width && !AtEnd(); ++i) {
      value |= std::uint64_t{data_[at_++]} << 8 * i;
    }
    return value;
  }
  std::uint64_t Leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !AtEnd() && shift < 64; shift += 7) {
      const std::uint8_t byte = data_[at_++];
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) {
        break;
      }
    }
    return value;
  }
  std::string Text() {
    std::string text;
    while (!AtEnd() && data_[at_] != 0) {
      text.push_back(static_cast<char>(data_[at_++]));
    }
    Skip(1);
    return text;
  }

 private:
  const std::vector<std::uint8_t>& data_;
  std::size_t at_ = 0;
};

// The value of an attribute: a number, a text, or where its bytes are.
struct Value {
  std::uint64_t number = 0;  // of a reference: from the begin of the section
  std::string text;
  bool is_block = false;
  std::size_t from = 0;
};

// An entry of .debug_info.
struct Entry {
  std::uint64_t at = 0;   // where it begins
  std::size_t depth = 0;  // in how many others it is
  std::uint64_t tag = 0;
  std::map<std::uint64_t, Value> attributes;

  std::uint64_t Number(std::uint64_t attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? 0 : found->second.number;
  }
  std::string Text(std::uint64_t attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second.text;
  }
};

// Visits the entries in their order; ends at one that is not understood. Reads units with 32-bit
// offsets, which have the first table of abbreviations.
void ForEachEntry(const SectionBytes& info, const SectionBytes& abbreviations,
                  const std::function<void(const Entry&)>& visit);

}  // namespace muster::ptx::dwarf

#endif  // MUSTER_SIM_PTX_PROGRAM_DWARF_H_
