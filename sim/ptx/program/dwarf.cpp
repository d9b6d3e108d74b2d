// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/dwarf.h"

#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

namespace muster::ptx::dwarf {
namespace {

// Of ".b8 1,2" to ".b64 NAME"; labels are of no interest.
SectionBytes BytesOf(std::string_view text) {
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
      value.from = reader->at();
      value.number = reader->Fixed(8);
      break;
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

bool IsOfUnit(std::uint64_t form) { return form >= 0x11 && form <= 0x15; }  // ref1 to ref_udata

// Reads the entries of a unit; false: one is not understood.
bool ReadUnit(Reader* reader, std::size_t unit, std::size_t end,
              const std::map<std::uint64_t, Abbreviation>& abbreviations,
              const std::function<void(const Entry&)>& visit) {
  for (std::size_t depth = 0; reader->at() < end && !reader->AtEnd();) {
    Entry entry;
    entry.at = reader->at();
    entry.depth = depth;
    const std::uint64_t code = reader->Leb();
    if (code == 0) {
      if (depth == 0) {
        return true;
      }
      --depth;
      continue;
    }
    const auto found = abbreviations.find(code);
    if (found == abbreviations.end()) {
      return false;
    }
    entry.tag = found->second.tag;
    for (const auto& [attribute, form] : found->second.attributes) {
      std::optional<Value> value = ValueOf(reader, form);
      if (!value) {
        return false;
      }
      value->number += IsOfUnit(form) ? unit : 0;
      entry.attributes[attribute] = *std::move(value);
    }
    visit(entry);
    depth += found->second.has_children ? 1 : 0;
  }
  return true;
}

}  // namespace

SectionBytes SectionOf(const syntax::Module& module, std::string_view name) {
  for (const syntax::DebugText& text : module.sections) {
    const std::size_t at = text.text.find(name);
    if (at != std::string::npos && at < text.text.find('{')) {
      return BytesOf(text.text);
    }
  }
  return {};
}

void ForEachEntry(const SectionBytes& info, const SectionBytes& abbreviations,
                  const std::function<void(const Entry&)>& visit) {
  const std::map<std::uint64_t, Abbreviation> known = AbbreviationsIn(abbreviations);
  Reader reader(info.data);
  while (!reader.AtEnd()) {
    const std::size_t unit = reader.at();
    const std::size_t end = unit + 4 + static_cast<std::size_t>(reader.Fixed(4));
    const std::uint64_t version = reader.Fixed(2);
    reader.Skip(5);  // the table, the width of an address
    if (version < 2 || version > 4 || !ReadUnit(&reader, unit, end, known, visit)) {
      return;
    }
    reader.Seek(end);
  }
}

}  // namespace muster::ptx::dwarf
