// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/debug_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace muster::ptx {
namespace dwarf {

constexpr unsigned kDeepest = 16;  // types in each other

enum Tag : std::uint64_t {
  kArray = 0x01,
  kClass = 0x02,
  kMember = 0x0d,
  kStruct = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInheritance = 0x1c,
  kSubrange = 0x21,
  kConst = 0x26,
  kVariable = 0x34,
  kVolatile = 0x35,
};
enum Attribute : std::uint64_t {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kUpperBound = 0x2f,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kType = 0x49,
};
constexpr std::uint8_t kOpAddress = 0x03;
constexpr std::uint8_t kOpPlusConstant = 0x23;

// The bytes of a section, and the symbols that stand in it.
struct SectionBytes {
  std::vector<std::uint8_t> data;
  std::map<std::size_t, std::string> symbols;
};

// Of ".b8 1,2" to ".b64 NAME"; labels are of no interest.
SectionBytes SectionOf(std::string_view text) {
  SectionBytes bytes;
  std::size_t width = 0;
  for (std::size_t at = text.find('{'); at < text.size();) {
    const auto in_word = [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '$' || c == '.';
    };
    if (!in_word(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    const std::size_t from = at;
    while (at < text.size() && in_word(static_cast<unsigned char>(text[at]))) {
      ++at;
    }
    const std::string word(text.substr(from, at - from));
    if (word == ".b8" || word == ".b16" || word == ".b32" || word == ".b64") {
      width = static_cast<std::size_t>(std::strtoul(word.c_str() + 2, nullptr, 10)) / 8;
    } else if (at < text.size() && text[at] == ':') {
      ++at;  // a label
    } else if (width != 0) {
      const bool is_number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
      std::uint64_t value = is_number ? std::strtoull(word.c_str(), nullptr, 0) : 0;
      if (!is_number) {
        bytes.symbols[bytes.data.size()] = word;
      }
      for (std::size_t i = 0; i < width; ++i, value >>= 8) {
        bytes.data.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return bytes;
}

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

struct Abbreviation {
  std::uint64_t tag = 0;
  bool has_children = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes;  // with their forms
};

std::map<std::uint64_t, Abbreviation> AbbreviationsIn(const SectionBytes& section) {
  std::map<std::uint64_t, Abbreviation> found;
  Reader reader(section.data);
  while (const std::uint64_t code = reader.Leb()) {
    Abbreviation one;
    one.tag = reader.Leb();
    one.has_children = reader.Fixed(1) != 0;
    while (!reader.AtEnd()) {
      const std::uint64_t attribute = reader.Leb();
      const std::uint64_t form = reader.Leb();
      if (attribute == 0 && form == 0) {
        break;
      }
      one.attributes.emplace_back(attribute, form);
    }
    found.emplace(code, std::move(one));
  }
  return found;
}

// The value of an attribute: a number, a text, or where its bytes are.
struct Value {
  std::uint64_t number = 0;
  std::string text;
  bool is_block = false;
  std::size_t from = 0;
};

// Nothing: the form is not known.
std::optional<Value> ValueOf(Reader* reader, std::uint64_t form) {
  Value value;
  const auto block = [&](std::uint64_t length) {
    value.is_block = true;
    value.number = length;
    value.from = reader->at();
    reader->Skip(length);
  };
  switch (form) {
    case 0x01:  // addr
    case 0x07:  // data8
    case 0x14:  // ref8
      value.number = reader->Fixed(8);
      break;
    case 0x03:
      block(reader->Fixed(2));
      break;
    case 0x04:
      block(reader->Fixed(4));
      break;
    case 0x05:  // data2
    case 0x12:  // ref2
      value.number = reader->Fixed(2);
      break;
    case 0x06:  // data4
    case 0x0e:  // strp: its text is not looked for
    case 0x13:  // ref4
    case 0x17:  // sec_offset
      value.number = reader->Fixed(4);
      break;
    case 0x08:
      value.text = reader->Text();
      break;
    case 0x09:  // block
    case 0x18:  // exprloc
      block(reader->Leb());
      break;
    case 0x0a:
      block(reader->Fixed(1));
      break;
    case 0x0b:  // data1
    case 0x0c:  // flag
    case 0x11:  // ref1
      value.number = reader->Fixed(1);
      break;
    case 0x0d:  // sdata
    case 0x0f:  // udata
    case 0x15:  // ref_udata
      value.number = reader->Leb();
      break;
    case 0x19:  // flag_present
      break;
    default:
      return std::nullopt;
  }
  return value;
}

bool HasMembers(std::uint64_t tag) { return tag == kStruct || tag == kClass || tag == kUnion; }

}  // namespace dwarf

// Of units with 32-bit offsets, which have the first table of abbreviations.
class DwarfReader {
 public:
  DwarfReader(dwarf::SectionBytes info, const dwarf::SectionBytes& abbreviations)
      : info_(std::move(info)),
        abbreviations_(dwarf::AbbreviationsIn(abbreviations)),
        reader_(info_.data) {}

  void Read(DebugTypes* types) {
    while (!reader_.AtEnd()) {
      const std::size_t unit = reader_.at();
      const std::size_t end = unit + 4 + static_cast<std::size_t>(reader_.Fixed(4));
      const std::uint64_t version = reader_.Fixed(2);
      reader_.Skip(5);  // the table, the width of an address
      if (version < 2 || version > 4 || !ReadUnit(unit, end, types)) {
        return;
      }
      reader_.Seek(end);
    }
  }

 private:
  bool ReadUnit(std::size_t unit, std::size_t end, DebugTypes* types) {
    std::vector<std::uint64_t> open;  // entries whose children follow
    while (reader_.at() < end && !reader_.AtEnd()) {
      const std::uint64_t at = reader_.at();
      const std::uint64_t code = reader_.Leb();
      if (code == 0) {
        if (open.empty()) {
          return true;
        }
        open.pop_back();
        continue;
      }
      const auto found = abbreviations_.find(code);
      if (found == abbreviations_.end()) {
        return false;
      }
      DebugTypes::Entry entry;
      entry.tag = found->second.tag;
      for (const auto& [attribute, form] : found->second.attributes) {
        const std::optional<dwarf::Value> value = dwarf::ValueOf(&reader_, form);
        if (!value) {
          return false;
        }
        const bool is_of_unit = form >= 0x11 && form <= 0x15;
        Take(attribute, *value, is_of_unit ? unit : 0, &entry);
      }
      if (!entry.symbol.empty()) {
        types->variables_[entry.symbol] = entry.type;
      }
      if (!open.empty()) {
        types->entries_[open.back()].children.push_back(at);
      }
      types->entries_[at] = std::move(entry);
      if (found->second.has_children) {
        open.push_back(at);
      }
    }
    return true;
  }

  void Take(std::uint64_t attribute, const dwarf::Value& value, std::size_t unit,
            DebugTypes::Entry* entry) const {
    switch (attribute) {
      case dwarf::kName:
        entry->name = value.text;
        break;
      case dwarf::kType:
        entry->type = unit + value.number;
        break;
      case dwarf::kByteSize:
        entry->size = value.number;
        break;
      case dwarf::kUpperBound:
        entry->count = value.number + 1;
        break;
      case dwarf::kCount:
        entry->count = value.number;
        break;
      case dwarf::kMemberLocation:
        entry->offset = value.is_block ? Constant(value) : value.number;
        break;
      case dwarf::kLocation:
        if (value.is_block && value.from < info_.data.size() &&
            info_.data[value.from] == dwarf::kOpAddress && entry->tag == dwarf::kVariable) {
          const auto symbol = info_.symbols.find(value.from + 1);
          entry->symbol = symbol == info_.symbols.end() ? "" : symbol->second;
        }
        break;
      default:
        break;
    }
  }

  std::uint64_t Constant(const dwarf::Value& block) const {
    dwarf::Reader reader(info_.data);
    reader.Seek(block.from);
    return reader.Fixed(1) == dwarf::kOpPlusConstant ? reader.Leb() : 0;
  }

  const dwarf::SectionBytes info_;
  const std::map<std::uint64_t, dwarf::Abbreviation> abbreviations_;
  dwarf::Reader reader_;
};

DebugTypes::DebugTypes(const syntax::Module& module) {
  const auto section = [&](std::string_view name) -> dwarf::SectionBytes {
    for (const syntax::DebugText& text : module.sections) {
      const std::size_t at = text.text.find(name);
      if (at != std::string::npos && at < text.text.find('{')) {
        return dwarf::SectionOf(text.text);
      }
    }
    return {};
  };
  DwarfReader(section(".debug_info"), section(".debug_abbrev")).Read(this);
}

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
