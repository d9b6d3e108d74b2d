// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/json_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

JsonLines LinesOf(const std::string& path, const std::string& what, const std::string& text) {
  if (const std::size_t byte = text.find('\0'); byte != std::string::npos) {
    const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(byte), '\n');
    throw InputError(fmt::format("{}:{}: the {} is not text", path, 1 + lines, what));
  }
  try {
    return JsonLines(text);
  } catch (const JsonError& error) {
    throw InputError(
        fmt::format("{}:{}: the {} {}", path, error.line, what, Printable(error.what)));
  }
}

}  // namespace

JsonFile::JsonFile(const std::string& path, const std::string& what)
    : path_(path),
      what_(what),
      text_(ReadFile(path, what)),
      lines_(LinesOf(path, what, text_)),
      root_(nlohmann::json::parse(text_)) {}

void JsonFile::Fail(const std::string& at, const std::string& what) const {
  // Where the member itself is missing, the line of what should hold it.
  std::string holder = at;
  while (lines_.LineOf(holder) == 0) {
    const std::size_t cut = holder.find_last_of(".[");
    holder = cut == std::string::npos ? "" : holder.substr(0, cut);
  }
  const std::string subject = at.empty() ? "the " + what_ : Printable(at);
  throw InputError(
      fmt::format("{}:{}: {} {}", path_, lines_.LineOf(holder), subject, Printable(what)));
}

void JsonFile::CheckKeys() const {
  if (!lines_.duplicate().empty()) {
    Fail(lines_.duplicate(), "is there twice");
  }
}

}  // namespace muster::ptx
