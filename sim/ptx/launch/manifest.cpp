// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/manifest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/ptx/launch/json_lines.h"
#include "sim/ptx/launch/manifest_reader.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 28;  // of all buffers
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 28;
constexpr unsigned kMaxNesting = 100;

}  // namespace

ManifestReader::ManifestReader(const std::string& path)
    : path_(path), text_(ReadFile(path, "manifest")) {
  if (const std::size_t byte = TooDeep(text_, kMaxNesting); byte != std::string::npos) {
    throw InputError(fmt::format("{}:{}: the manifest has more than {} brackets in each other",
                                 path_, LineAt(byte), kMaxNesting));
  }
  if (const std::size_t byte = text_.find('\0'); byte != std::string::npos) {
    throw InputError(fmt::format("{}:{}: the manifest is not text", path_, LineAt(byte)));
  }
  try {
    root_ = Json::parse(text_);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();
    std::size_t byte = 0;
    if (const auto* const syntax = dynamic_cast<const Json::parse_error*>(&error)) {
      byte = syntax->byte;
    } else if (const std::size_t quote = what.find('\''); quote != std::string_view::npos) {
      byte = text_.find(what.substr(quote + 1, what.rfind('\'') - quote - 1));  // a huge number
    }
    throw InputError(fmt::format("{}:{}: the manifest is not JSON: {}", path_, LineAt(byte),
                                 Printable(what.substr(what.find("] ") + 2))));
  }
  lines_.emplace(text_);
}

std::size_t ManifestReader::LineAt(std::size_t byte) const {
  std::string_view before = text_;
  before = before.substr(0, byte);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

void ManifestReader::Fail(const std::string& at, const std::string& what) const {
  // Where the member itself is missing, the line of what should hold it.
  std::string holder = at;
  while (lines_->LineOf(holder) == 0) {
    const std::size_t cut = holder.find_last_of(".[");
    holder = cut == std::string::npos ? "" : holder.substr(0, cut);
  }
  throw InputError(fmt::format("{}:{}: {}{}{}", path_, lines_->LineOf(holder), Printable(at),
                               at.empty() ? "the manifest " : " ", Printable(what)));
}

void ManifestReader::CheckKeys(const Json& object, const std::string& at,
                               const std::vector<std::string_view>& keys) const {
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      std::string known;
      for (const std::string_view name : keys) {
        known.append(known.empty() ? "" : ", ").append(name);
      }
      Fail(fmt::format("{}{}{}", at, at.empty() ? "" : ".", key),
           fmt::format("is not a known key ({})", known));
    }
  }
}

void ManifestReader::ReadBuffers(const Json& object, Manifest* manifest) const {
  std::uint64_t left = kMaxBufferBytes;
  for (const auto& [name, value] : Object(object, "buffers").items()) {
    const std::string at = "buffers." + name;
    Object(value, at);
    CheckKeys(value, at, {"type", "count", "init"});
    for (const char* const key : {"type", "count"}) {
      if (!value.contains(key)) {
        Fail(at, fmt::format(R"(lacks "{}")", key));
      }
    }
    Buffer buffer;
    buffer.name = name;
    buffer.type = ElementType(value["type"], at + ".type");
    buffer.count = Whole(value["count"], at + ".count", 1, kMaxBufferBytes / Bytes(buffer.type));
    if (buffer.count * Bytes(buffer.type) > left) {
      Fail(at, fmt::format("brings the buffers to more than {} bytes", kMaxBufferBytes));
    }
    left -= buffer.count * Bytes(buffer.type);
    buffer.initial = Initial(value.value("init", Json("zero")), buffer, at + ".init");
    manifest->buffers.push_back(std::move(buffer));
  }
}

Argument ManifestReader::ReadArgument(const Json& value, const Manifest& manifest,
                                      const std::string& at) const {
  if (!value.is_object() || value.size() != 1) {
    Fail(at, R"(must be {"buffer": name} or {type: value})");
  }
  const auto member = value.items().begin();
  const std::string inside = at + "." + member.key();
  Argument argument;
  if (member.key() == "buffer") {
    argument.buffer = Text(member.value(), inside);
    const bool there =
        std::any_of(manifest.buffers.begin(), manifest.buffers.end(),
                    [&](const Buffer& buffer) { return buffer.name == argument.buffer; });
    if (!there) {
      Fail(at, fmt::format("names the buffer {}, which is not there", argument.buffer));
    }
  } else if (member.key() == "struct") {
    argument.members = ReadArguments(member.value(), manifest, inside);
    if (argument.members.empty()) {
      Fail(inside, "has no members");
    }
  } else {
    const Type type = TypeOf(member.key());
    if (!IsNumber(type)) {
      Fail(inside, R"(is neither "buffer" nor "struct" nor a type (u8 to s64, f32, f64))");
    }
    argument.type = type;
    argument.bits = Element(member.value(), type, inside);
  }
  return argument;
}

std::vector<Argument> ManifestReader::ReadArguments(const Json& list, const Manifest& manifest,
                                                    const std::string& at) const {
  if (!list.is_array()) {
    Fail(at, "must be a list");
  }
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < list.size(); ++i) {
    arguments.push_back(ReadArgument(list[i], manifest, fmt::format("{}[{}]", at, i)));
  }
  return arguments;
}

void ManifestReader::ReadExpected(const Json& object, Manifest* manifest) const {
  for (const auto& [name, value] : Object(object, "expect").items()) {
    const std::string at = "expect." + name;
    const auto buffer =
        std::find_if(manifest->buffers.begin(), manifest->buffers.end(),
                     [&, &wanted = name](const Buffer& other) { return other.name == wanted; });
    if (buffer == manifest->buffers.end()) {
      Fail(at, "names a buffer that is not there");
    }
    buffer->expected = Contents(value, *buffer, at);
  }
}

std::string ManifestReader::ReadOutcome(const Json& value) const {
  std::string outcome = Text(value, "outcome");
  for (const char* const name : {"completes", "deadlock", "memory_fault", "assert", "timeout"}) {
    if (outcome == name) {
      return outcome;
    }
  }
  if (outcome.rfind("fault:", 0) == 0) {
    const std::string cause = outcome.substr(6);
    constexpr std::string_view kFrontEnd[] = {"bad_barrier_id",        "bad_count",
                                              "cluster_arrived_twice", "cancel_after_failure",
                                              "cancel_for_exited",     "ctaid_of_failure"};
    if (std::find(std::begin(kFrontEnd), std::end(kFrontEnd), cause) != std::end(kFrontEnd)) {
      return outcome;
    }
    for (unsigned i = 1; i < kNumFaultCauses; ++i) {
      if (cause == Name(static_cast<FaultCause>(i))) {
        return outcome;
      }
    }
    Fail("outcome", fmt::format("names the fault cause {}, which there is not", cause));
  }
  Fail("outcome", "must be completes, deadlock, fault:CAUSE, memory_fault, assert or timeout");
}

void ManifestReader::ReadHazards(const Json& object, Manifest* manifest) const {
  Object(object, "hazards");
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < kNumHazards; ++i) {
    names.emplace_back(Name(static_cast<Hazard>(i)));
  }
  CheckKeys(object, "hazards", names);
  for (const auto& [name, value] : object.items()) {
    manifest->hazards[name] =
        Whole(value, "hazards." + name, 0, std::numeric_limits<std::uint32_t>::max());
  }
}

// The grid and its blocks.
void ManifestReader::ReadLaunch(Manifest* manifest) const {
  // CUDA's limits of a grid; a block's are the configurations', and told apart later.
  constexpr std::uint64_t kMaxGrid = std::numeric_limits<std::int32_t>::max();
  const std::array<std::uint64_t, 3> grid_limit{kMaxGrid, 65535, 65535};
  const std::array<std::uint64_t, 3> block_limit{1U << 20, 1U << 20, 1U << 20};
  manifest->block = Extent(root_["block"], "block", block_limit);
  With("grid", [&](const Json& value) { manifest->grid = Extent(value, "grid", grid_limit); });
  With("cluster", [&](const Json& value) {
    if (!value.is_number() && !value.is_array()) {
      Fail("cluster", "must be a number or a list of three numbers");
    }
    const Json list = value.is_number() ? Json{value, 1U, 1U} : value;
    manifest->cluster =
        Extent(list, "cluster", {kMaxClusterCtas, kMaxClusterCtas, kMaxClusterCtas});
    const auto& extent = *manifest->cluster;
    if (extent[0] * extent[1] * extent[2] > kMaxClusterCtas) {
      Fail("cluster", fmt::format("is of more than {} CTAs", kMaxClusterCtas));
    }
  });
  With("cooperative", [&](const Json& value) {
    if (!value.is_boolean()) {
      Fail("cooperative", "must be true or false");
    }
    manifest->cooperative = value.get<bool>();
  });
  With("dynamic_shared", [&](const Json& value) {
    manifest->dynamic_shared =
        static_cast<std::uint32_t>(Whole(value, "dynamic_shared", 0, kMaxGrid));
  });
}

Manifest ManifestReader::Read() {
  if (!root_.is_object()) {
    Fail("", "must be an object");
  }
  if (!lines_->duplicate().empty()) {
    Fail(lines_->duplicate(), "is there twice");
  }
  CheckKeys(
      root_, "",
      {"ptx", "kernel", "grid", "block", "cluster", "cooperative", "dynamic_shared", "args",
       "buffers", "expect", "outcome", "hazards", "after_inval", "config", "seed", "max_cycles"});
  for (const char* const key : {"ptx", "block"}) {
    if (!root_.contains(key)) {
      Fail("", fmt::format(R"(lacks "{}")", key));
    }
  }
  Manifest manifest;
  manifest.path = path_;
  manifest.ptx = File(root_["ptx"], "ptx");
  With("kernel", [&](const Json& value) {
    manifest.kernel = Text(value, "kernel");
    if (manifest.kernel.empty()) {
      Fail("kernel", "must not be empty");
    }
  });
  ReadLaunch(&manifest);
  With("buffers", [&](const Json& value) { ReadBuffers(value, &manifest); });
  With("args",
       [&](const Json& value) { manifest.arguments = ReadArguments(value, manifest, "args"); });
  With("expect", [&](const Json& value) { ReadExpected(value, &manifest); });
  With("outcome", [&](const Json& value) { manifest.outcome = ReadOutcome(value); });
  With("hazards", [&](const Json& value) { ReadHazards(value, &manifest); });
  With("after_inval", [&](const Json& value) {
    const std::string choice = Text(value, "after_inval");
    if (choice != "fault" && choice != "hazard") {
      Fail("after_inval", "must be fault or hazard");
    }
    manifest.inval_is_hazard = choice == "hazard";
  });
  With("config", [&](const Json& value) {
    manifest.config = Text(value, "config");
    if (FindConfig(manifest.config) == nullptr) {
      Fail("config", fmt::format("names the configuration {}, but there are {}", manifest.config,
                                 ConfigNames()));
    }
  });
  With("seed", [&](const Json& value) {
    manifest.seed = Whole(value, "seed", 0, std::numeric_limits<std::uint64_t>::max());
  });
  With("max_cycles", [&](const Json& value) {
    manifest.max_cycles = Whole(value, "max_cycles", 1, std::numeric_limits<std::uint64_t>::max());
  });
  return manifest;
}

Manifest ReadManifest(const std::string& path) { return ManifestReader(path).Read(); }

std::vector<std::string> InputsOf(const std::string& path) {
  std::vector<std::string> inputs{path};
  Json root;
  try {
    root = Json::parse(ReadFile(path, "manifest"), nullptr, false);
  } catch (const InputError&) {
    return inputs;
  }
  const auto add = [&](const Json& holder, const char* key) {
    if (holder.is_object() && holder.contains(key) && holder[key].is_string()) {
      inputs.push_back(Beside(path, holder[key].get<std::string>()));
    }
  };
  add(root, "ptx");
  for (const char* const section : {"buffers", "expect"}) {
    if (!root.is_object() || !root.contains(section)) {
      continue;
    }
    for (const Json& member : root[section]) {
      add(member, "file");
      if (member.is_object() && member.contains("init")) {
        add(member["init"], "file");
      }
    }
  }
  return inputs;
}

std::string ReadFile(const std::string& path, const std::string& what) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: the {} is a directory", path, what));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 1U << 16> part;
  while (file.read(part.data(), part.size()), file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) {
      throw InputError(
          fmt::format("{}: the {} is larger than {} bytes", path, what, kMaxFileBytes));
    }
  }
  if (!file.eof()) {
    throw InputError(fmt::format("{}: the {} cannot be read", path, what));
  }
  return text;
}

std::string FormatElement(Type type, const std::uint8_t* element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, Bytes(type));
  if (type == Type::kF32) {
    float value = 0;
    std::memcpy(&value, element, sizeof value);
    return fmt::format("{}", value);
  }
  if (type == Type::kF64) {
    double value = 0;
    std::memcpy(&value, element, sizeof value);
    return fmt::format("{}", value);
  }
  if (!IsSigned(type)) {
    return fmt::format("{}", bits);
  }
  const unsigned shift = 64 - 8 * Bytes(type);
  return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
}

}  // namespace muster::ptx
