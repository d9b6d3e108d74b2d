// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/debug_types.h"

#include <fmt/format.h>

#include <utility>

#include "sim/ptx/program/dwarf.h"

namespace muster::ptx {
namespace dwarf {

constexpr unsigned kDeepest = 16;  // types in each other

constexpr std::uint8_t kOpAddress = 0x03;
constexpr std::uint8_t kOpPlusConstant = 0x23;

bool HasMembers(std::uint64_t tag) { return tag == kStruct || tag == kClass || tag == kUnion; }

}  // namespace dwarf

class DwarfReader {
 public:
  explicit DwarfReader(const syntax::Module& module)
      : info_(dwarf::SectionOf(module, ".debug_info")),
        abbreviations_(dwarf::SectionOf(module, ".debug_abbrev")) {}

  void Read(DebugTypes* types) const {
    std::vector<std::uint64_t> open;  // the entries that an entry is in, and itself
    dwarf::ForEachEntry(info_, abbreviations_, [&](const dwarf::Entry& one) {
      DebugTypes::Entry entry = EntryOf(one);
      if (!entry.symbol.empty()) {
        types->variables_[entry.symbol] = entry.type;
      }
      open.resize(one.depth);
      if (!open.empty()) {
        types->entries_[open.back()].children.push_back(one.at);
      }
      open.push_back(one.at);
      types->entries_[one.at] = std::move(entry);
    });
  }

 private:
  DebugTypes::Entry EntryOf(const dwarf::Entry& one) const {
    DebugTypes::Entry entry;
    entry.tag = one.tag;
    entry.name = one.Text(dwarf::kName);
    entry.type = one.Number(dwarf::kType);
    entry.size = one.Number(dwarf::kByteSize);
    entry.count = one.attributes.count(dwarf::kUpperBound) != 0 ? one.Number(dwarf::kUpperBound) + 1
                                                                : one.Number(dwarf::kCount);
    if (const auto at = one.attributes.find(dwarf::kMemberLocation); at != one.attributes.end()) {
      entry.offset = at->second.is_block ? Constant(at->second) : at->second.number;
    }
    if (const auto at = one.attributes.find(dwarf::kLocation);
        at != one.attributes.end() && one.tag == dwarf::kVariable) {
      entry.symbol = Address(at->second);
    }
    return entry;
  }

  // What an expression adds to an address.
  std::uint64_t Constant(const dwarf::Value& block) const {
    dwarf::Reader reader(info_.data);
    reader.Seek(block.from);
    return reader.Fixed(1) == dwarf::kOpPlusConstant ? reader.Leb() : 0;
  }

  // The symbol of an expression that is an address, or "".
  std::string Address(const dwarf::Value& block) const {
    return block.is_block && block.from < info_.data.size() &&
                   info_.data[block.from] == dwarf::kOpAddress
               ? info_.SymbolAt(block.from + 1)
               : "";
  }

  const dwarf::SectionBytes info_;
  const dwarf::SectionBytes abbreviations_;
};

DebugTypes::DebugTypes(const syntax::Module& module) { DwarfReader(module).Read(this); }

const DebugTypes::Entry* DebugTypes::Plain(std::uint64_t at) const {
  for (unsigned i = 0; i < dwarf::kDeepest; ++i) {
    const auto found = entries_.find(at);
    if (found == entries_.end()) {
      return nullptr;
    }
    const Entry& entry = found->second;
    if (entry.tag != dwarf::kTypedef && entry.tag != dwarf::kConst &&
        entry.tag != dwarf::kVolatile) {
      return &entry;
    }
    at = entry.type;
  }
  return nullptr;
}

std::uint64_t DebugTypes::SizeOf(std::uint64_t at) const {
  const Entry* const entry = Plain(at);
  if (entry == nullptr || entry->tag != dwarf::kArray) {
    return entry == nullptr ? 0 : entry->size;
  }
  const Entry* const element = Plain(entry->type);
  std::uint64_t size = element == nullptr || element->tag == dwarf::kArray ? 0 : element->size;
  for (const std::uint64_t bounds : entry->children) {
    size *= entries_.at(bounds).count;
  }
  return size;
}

std::string DebugTypes::ElementOf(const Entry& array, std::uint64_t offset, unsigned depth) const {
  std::uint64_t size = SizeOf(array.type);
  if (size == 0) {
    return "";
  }
  const std::uint64_t element = offset / size;
  std::uint64_t inner = 1;  // elements of the dimensions behind this one
  for (const std::uint64_t bounds : array.children) {
    inner *= entries_.at(bounds).count;
  }
  if (inner == 0) {
    return "";  // bounds that are not known
  }
  std::string text;
  for (const std::uint64_t bounds : array.children) {
    const std::uint64_t count = entries_.at(bounds).count;
    inner /= count;
    text += fmt::format("[{}]", element / inner % count);
  }
  return text + MemberOf(array.type, offset % size, depth + 1);
}

// Ends at what is as wide as an mbarrier.
std::string DebugTypes::MemberOf(std::uint64_t type, std::uint64_t offset, unsigned depth) const {
  constexpr std::uint64_t kWord = 8;
  const Entry* const entry = Plain(type);
  if (entry == nullptr || depth > dwarf::kDeepest || (offset == 0 && SizeOf(type) == kWord)) {
    return "";
  }
  if (entry->tag == dwarf::kArray) {
    return ElementOf(*entry, offset, depth);
  }
  for (const std::uint64_t child :
       dwarf::HasMembers(entry->tag) ? entry->children : std::vector<std::uint64_t>{}) {
    const Entry& member = entries_.at(child);
    const std::uint64_t size = SizeOf(member.type);
    if ((member.tag != dwarf::kMember && member.tag != dwarf::kInheritance) ||
        offset < member.offset || offset - member.offset >= size) {
      continue;
    }
    return (member.name.empty() ? "" : "." + member.name) +
           MemberOf(member.type, offset - member.offset, depth + 1);
  }
  return offset == 0 ? "" : fmt::format("+{:#x}", offset);
}

std::string DebugTypes::MemberAt(const std::string& variable, std::uint64_t offset) const {
  const auto found = variables_.find(variable);
  return found == variables_.end() || offset >= SizeOf(found->second)
             ? ""
             : MemberOf(found->second, offset, 0);
}

}  // namespace muster::ptx
