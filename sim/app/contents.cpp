// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/app/files.h"
#include "sim/ptx/launch/element.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

// Returns the buffer with the name given in an option.
std::size_t BufferOf(const ptx::Manifest& manifest, const char* option, const std::string& name) {
  const auto found = std::find_if(manifest.buffers.begin(), manifest.buffers.end(),
                                  [&](const ptx::Buffer& buffer) { return buffer.name == name; });
  if (found == manifest.buffers.end()) {
    throw ptx::InputError(
        fmt::format("{} {}: there is no such buffer or symbol", option, ptx::Printable(name)));
  }
  return static_cast<std::size_t>(found - manifest.buffers.begin());
}

// Splits a --dump into name and file.
std::pair<std::string, std::string> Dump(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw ptx::InputError(fmt::format("--dump {} is not BUFFER=FILE", ptx::Printable(text)));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Returns the elements of a buffer, eight on a line.
std::string Shown(const ptx::Buffer& buffer, const std::vector<std::uint8_t>& bytes) {
  constexpr std::uint64_t kInLine = 8;
  constexpr std::uint64_t kMost = 256;
  std::string text = fmt::format("{} {}, {} elements\n", buffer.Word(), buffer.name, buffer.count);
  for (std::uint64_t i = 0; i < std::min(buffer.count, kMost); ++i) {
    text += i % kInLine == 0 ? fmt::format("  [{}]", i) : "";
    text += " " + ptx::FormatElement(buffer.type, &bytes[i * Bytes(buffer.type)]);
    text += i % kInLine == kInLine - 1 || i + 1 == buffer.count ? "\n" : "";
  }
  if (buffer.count > kMost) {
    text += fmt::format("  ... and {} more; --dump {}=FILE writes them all\n", buffer.count - kMost,
                        buffer.name);
  }
  return text;
}

}  // namespace

void CheckContents(const ptx::Manifest& manifest, const RunOptions& options) {
  for (const std::string& name : options.show) {
    BufferOf(manifest, "--show", name);
  }
  for (const std::string& dump : options.dumps) {
    BufferOf(manifest, "--dump", Dump(dump).first);
  }
}

std::vector<std::string> FinalOutputs(const RunOptions& options) {
  std::vector<std::string> outputs;
  for (const std::string& file : {options.report, options.page}) {
    if (!file.empty()) {
      outputs.push_back(file);
    }
  }
  for (const std::string& dump : options.dumps) {
    outputs.push_back(Dump(dump).second);
  }
  return outputs;
}

void GiveContents(const ptx::Manifest& manifest, const RunOptions& options,
                  const ContentsOf& contents_of, RunResult* result) {
  const auto known = [&](std::size_t buffer) {
    std::optional<std::vector<std::uint8_t>> bytes = contents_of(buffer);
    if (!bytes) {
      const ptx::Buffer& own = manifest.buffers[buffer];
      result->text += fmt::format("{} {} is not known after this\n", own.Word(), own.name);
    }
    return bytes;
  };
  for (const std::string& name : options.show) {
    const std::size_t buffer = BufferOf(manifest, "--show", name);
    if (const auto bytes = known(buffer)) {
      result->text += Shown(manifest.buffers[buffer], *bytes);
    }
  }
  for (const std::string& dump : options.dumps) {
    const auto [name, file] = Dump(dump);
    if (const auto bytes = known(BufferOf(manifest, "--dump", name))) {
      WriteFile(file, std::string(bytes->begin(), bytes->end()));
    }
  }
  for (std::size_t i = 0; i < manifest.buffers.size() && options.keeps_contents; ++i) {
    result->contents.push_back(contents_of(i).value_or(std::vector<std::uint8_t>()));
  }
  if (!options.report.empty()) {
    WriteFile(options.report, JsonText(result->report));
  }
}

}  // namespace muster::app
