// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/source_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "sim/ptx/program/demangle.h"
#include "sim/ptx/program/inlined_calls.h"
#include "sim/ptx/program/program.h"

namespace muster::ptx {
namespace {

constexpr unsigned kMostInlined = 64;  // in each other

// The words of a directive: names, numbers and what stands in quotes.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto in_word = [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '$' || c == '.';
    };
    if (text[at] == '"') {
      const std::size_t end = std::min(text.find('"', at + 1), text.size());
      words.emplace_back(text.substr(at + 1, end - at - 1));
      at = end + 1;
    } else if (in_word(static_cast<unsigned char>(text[at]))) {
      const std::size_t from = at;
      while (at < text.size() && in_word(static_cast<unsigned char>(text[at]))) {
        ++at;
      }
      words.emplace_back(text.substr(from, at - from));
    } else {
      ++at;
    }
  }
  return words;
}

std::uint32_t NumberAt(const std::vector<std::string>& words, std::size_t at) {
  return at < words.size() ? static_cast<std::uint32_t>(std::strtoul(words[at].c_str(), nullptr, 0))
                           : 0;
}

// The last of what is sorted by ptx_line that begins before or at `line`.
template <typename Item>
const Item* LastUpTo(const std::vector<Item>& items, std::uint32_t line) {
  const auto after =
      std::upper_bound(items.begin(), items.end(), line,
                       [](std::uint32_t a, const Item& b) { return a < b.ptx_line; });
  return after == items.begin() ? nullptr : &*(after - 1);
}

// The last of the places that is in the folder of the first, or below it: those of libraries are
// elsewhere. Of no places, 0.
std::size_t LastOwn(const std::vector<SourcePlace>& places) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::string folder = std::filesystem::path(places.front().file).parent_path().string();
    const std::string& file = places[i].file;
    const bool is_below = folder.empty() ? std::filesystem::path(file).is_relative()
                                         : file.rfind(folder + "/", 0) == 0;
    last = is_below ? i : last;
  }
  return last;
}

std::string FileAndLine(const SourcePlace& place) {
  return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
}

// Adds what DWARF says of inlined calls to places of which .loc says nothing: a call is a place of
// its own, of an earlier .loc, that is inlined into the call around it. Places are sorted by line,
// and one of them lasts until the next, the next function, or a border of a call.
template <typename Loc>
void AddCalls(const syntax::Module& module, std::vector<Loc>* locs) {
  const InlinedCalls calls(module);
  const std::set<std::uint32_t> borders = calls.Borders();
  if (borders.empty()) {
    return;
  }
  std::set<std::uint32_t> begins;  // of functions
  for (const syntax::Function& function : module.functions) {
    begins.insert(function.at.line);
  }
  const std::vector<Loc> given = std::move(*locs);
  locs->clear();
  const auto add = [&](std::uint32_t line, Loc loc) {
    loc.ptx_line = line;
    if (!loc.inlined_at) {
      for (const auto& [site, called] : calls.At(line, {loc.site.file, loc.site.line})) {
        locs->push_back({line, {site.first, site.second, 0}, loc.function, loc.inlined_at});
        loc.inlined_at = locs->back().site;
        loc.function = called;
      }
    }
    locs->push_back(std::move(loc));
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t line = given[i].ptx_line;
    const auto begin = begins.upper_bound(line);
    std::uint32_t end = begin == begins.end() ? std::numeric_limits<std::uint32_t>::max() : *begin;
    end = i + 1 < given.size() ? std::min(end, given[i + 1].ptx_line) : end;
    add(line, given[i]);
    for (auto at = borders.upper_bound(line); at != borders.end() && *at < end; ++at) {
      add(*at, given[i]);
    }
  }
}

}  // namespace

SourceMap::SourceMap(const syntax::Module& module) {
  for (const syntax::DebugText& file : module.files) {
    ReadFile(file);
  }
  for (const syntax::DebugText& section : module.sections) {
    ReadStrings(section);
  }
  for (const syntax::DebugText& loc : module.locs) {
    ReadLoc(loc);
  }
  AddCalls(module, &locs_);
  for (const syntax::Function& function : module.functions) {
    if (function.has_body && !locs_.empty()) {
      functions_.push_back({function.at.line, Demangled(function.name)});
    }
  }
}

// .file 1 "mine.cu"
void SourceMap::ReadFile(const syntax::DebugText& text) {
  const std::vector<std::string> words = Words(text.text);
  if (words.size() >= 3) {
    files_[NumberAt(words, 1)] = words[2];
  }
}

// .loc 1 12 3, function_name NAME, inlined_at 2 20 5; NAME may have + and an offset, which no
// compiler writes.
void SourceMap::ReadLoc(const syntax::DebugText& text) {
  const std::vector<std::string> words = Words(text.text);
  Loc loc;
  loc.ptx_line = text.line;
  loc.site = {NumberAt(words, 1), NumberAt(words, 2), NumberAt(words, 3)};
  for (std::size_t i = 4; i < words.size(); ++i) {
    if (words[i] == "function_name" && i + 1 < words.size()) {
      const auto name = strings_.find(words[i + 1]);
      loc.function = name == strings_.end() ? words[i + 1] : Demangled(name->second);
    } else if (words[i] == "inlined_at") {
      loc.inlined_at = Site{NumberAt(words, i + 1), NumberAt(words, i + 2), NumberAt(words, i + 3)};
    }
  }
  locs_.push_back(std::move(loc));
}

// .section .debug_str { NAME: .b8 115,117,109,0 ... }
void SourceMap::ReadStrings(const syntax::DebugText& section) {
  const std::vector<std::string> words = Words(section.text);
  if (words.size() < 2 || words[1] != ".debug_str") {
    return;
  }
  std::string* name = nullptr;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto first = static_cast<unsigned char>(words[i].front());
    if (std::isdigit(first) != 0) {
      const std::uint32_t byte = NumberAt(words, i);
      if (name != nullptr && byte != 0) {
        name->push_back(static_cast<char>(byte));
      }
    } else if (first != '.') {
      name = &strings_[words[i]];
    }
  }
}

std::string SourceMap::FileOf(const Site& site) const {
  const auto file = files_.find(site.file);
  return file == files_.end() ? fmt::format("file {}", site.file) : file->second;
}

std::vector<SourcePlace> SourceMap::At(std::uint32_t ptx_line) const {
  const Begin* const function = LastUpTo(functions_, ptx_line);
  const Loc* loc = LastUpTo(locs_, ptx_line);
  std::vector<SourcePlace> places;
  if (loc == nullptr || function == nullptr || loc->ptx_line < function->ptx_line ||
      loc->site.line == 0) {
    return places;
  }
  while (loc->inlined_at && places.size() < kMostInlined) {
    places.push_back({FileOf(loc->site), loc->site.line, loc->function});
    // "must have been specified by an earlier .loc": what that is inlined into, if it is.
    const Site at = *loc->inlined_at;
    const Loc* outer = nullptr;
    for (const Loc* other = loc; other-- != locs_.data() && outer == nullptr;) {
      outer = other->ptx_line >= function->ptx_line && other->site == at ? other : nullptr;
    }
    if (outer == nullptr || !outer->inlined_at) {
      places.push_back({FileOf(at), at.line, function->function});
      break;
    }
    loc = outer;
  }
  if (places.empty()) {
    places.push_back({FileOf(loc->site), loc->site.line, function->function});
  }
  std::reverse(places.begin(), places.end());
  return places;
}

std::string SourceMap::Text(std::uint32_t ptx_line) const {
  const std::vector<SourcePlace> places = At(ptx_line);
  const std::size_t own = LastOwn(places);
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || i == own || i + 1 == places.size()) {
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", inlined ", FileAndLine(places[i]),
                          places[i].function.empty() ? "" : " in ", places[i].function);
    }
  }
  return text;
}

std::string SourceMap::OwnLine(std::uint32_t ptx_line) const {
  const std::vector<SourcePlace> places = At(ptx_line);
  return places.empty() ? "" : FileAndLine(places[LastOwn(places)]);
}

std::string Program::Place(std::uint32_t line) const {
  const std::string source = sources.Text(line);
  return source.empty() ? fmt::format("line {}", line)
                        : fmt::format("{}, PTX line {}", source, line);
}

std::string Program::Where(std::uint32_t line) const {
  const std::string source = sources.Text(line);
  return source.empty() ? fmt::format("{}:{}", file, line)
                        : fmt::format("{}, {}:{}", source, file, line);
}

}  // namespace muster::ptx
