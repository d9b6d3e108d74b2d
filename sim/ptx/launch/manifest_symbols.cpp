// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Symbols: variables of the PTX files that a manifest gives values, and may expect values of.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/ptx/launch/element.h"
#include "sim/ptx/launch/manifest_reader.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::ptx {
namespace {

constexpr std::size_t kMaxNames = 20;  // of variables, in a message

// The variables of a file that are meant by a name, mangled or as people say it.
std::vector<FileSymbol> Meant(const std::string& ptx, const std::string& name,
                              std::set<std::string>* known) {
  std::vector<FileSymbol> exact;
  std::vector<FileSymbol> plain;
  const auto module = Parse(ptx, ReadFile(ptx, "PTX file"));
  for (FileVariable& variable : VariablesOf(*module)) {
    known->insert(variable.name);
    const bool is_plain = Demangled(variable.name) == name || PlainName(variable.name) == name;
    if (variable.name == name) {
      exact.push_back({ptx, std::move(variable)});
    } else if (is_plain) {
      plain.push_back({ptx, std::move(variable)});
    }
  }
  return exact.empty() ? plain : exact;
}

}  // namespace

FileSymbol ManifestReader::FindSymbol(const std::string& name, const Json& value,
                                      const Manifest& manifest, const std::string& at) const {
  std::set<std::string> files;
  for (std::size_t i = 0; i < manifest.LaunchCount(); ++i) {
    files.insert(manifest.LaunchAt(i).ptx);
  }
  With(value, "ptx", [&](const Json& ptx) {
    const std::string file = File(ptx, at + ".ptx");
    if (files.count(file) == 0) {
      Fail(at + ".ptx", "names a PTX file of which there is no launch");
    }
    files = {file};
  });
  std::vector<FileSymbol> found;
  std::set<std::string> known;
  for (const std::string& file : files) {
    std::vector<FileSymbol> own = Meant(file, name, &known);
    std::move(own.begin(), own.end(), std::back_inserter(found));
  }
  if (found.size() == 1) {
    return std::move(found.front());
  }
  if (found.empty()) {
    const auto end = std::next(known.begin(), static_cast<long>(std::min(known.size(), kMaxNames)));
    Fail(at, fmt::format("names a variable that is not in {}; {}{}{}", fmt::join(files, " or "),
                         known.empty() ? "it has no .global or .const variable" : "there are ",
                         fmt::join(known.begin(), end, ", "), end == known.end() ? "" : ", ..."));
  }
  std::string list;
  for (const FileSymbol& one : found) {
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", one.variable.name, one.ptx);
  }
  Fail(at, fmt::format("may mean {}: write the whole name, or \"ptx\" beside the type", list));
}

void ManifestReader::ReadSymbols(const Json& object, Manifest* manifest) const {
  for (const auto& [name, value] : object.items()) {
    const std::string at = "symbols." + name;
    if (std::any_of(manifest->buffers.begin(), manifest->buffers.end(),
                    [&, &wanted = name](const Buffer& other) { return other.name == wanted; })) {
      Fail(at, "is the name of a buffer, too");
    }
    Buffer symbol;
    symbol.name = name;
    symbol.type = ElementTypeOf(value["type"].get<std::string>());
    symbol.symbol = FindSymbol(name, value, *manifest, at);
    const std::uint64_t bytes = symbol.symbol->variable.bytes;
    symbol.count = bytes / Bytes(symbol.type);
    if (symbol.count == 0 || bytes % Bytes(symbol.type) != 0) {
      Fail(at + ".type", fmt::format("has {} bytes, of which the {} bytes of {} are no multiple",
                                     Bytes(symbol.type), bytes, symbol.symbol->variable.name));
    }
    With(value, "init", [&](const Json& init) {
      symbol.initial = Initial(init, symbol, at + ".init");
      ReadHeldMaps(init, *manifest, at + ".init", &symbol);
      symbol.choice = ChoiceOf(init, symbol.type, at + ".init");
    });
    manifest->buffers.push_back(std::move(symbol));
  }
}

}  // namespace muster::ptx
