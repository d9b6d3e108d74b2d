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
#include "sim/ptx/launch/element.h"
#include "sim/ptx/launch/manifest_reader.h"
#include "sim/ptx/launch/manifest_schema.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/program/types.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 28;  // of all buffers
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 28;

}  // namespace

ManifestReader::ManifestReader(const std::string& path)
    : path_(path), file_(JsonFile(path, "manifest")), root_(file_->root()) {}

void ManifestReader::Fail(const std::string& at, const std::string& what) const {
  if (file_) {
    file_->Fail(at, what);
  }
  throw InputError(fmt::format("{} {}", Printable(where_(at)), Printable(what)));
}

void ManifestReader::ReadBuffers(const Json& object, Manifest* manifest) const {
  std::uint64_t left = kMaxBufferBytes;
  for (const auto& [name, value] : object.items()) {
    const std::string at = "buffers." + name;
    Buffer buffer;
    buffer.name = name;
    buffer.type = ElementTypeOf(value["type"].get<std::string>());
    buffer.count = value["count"].get<std::uint64_t>();
    if (buffer.count * Bytes(buffer.type) > left) {
      Fail(at, fmt::format("brings the buffers to more than {} bytes", kMaxBufferBytes));
    }
    left -= buffer.count * Bytes(buffer.type);
    buffer.initial = Initial(value.value("init", Json("zero")), buffer, at + ".init");
    With(value, "init",
         [&](const Json& init) { buffer.choice = ChoiceOf(init, buffer.type, at + ".init"); });
    manifest->buffers.push_back(std::move(buffer));
  }
}

Argument ManifestReader::ReadArgument(const Json& value, const Manifest& manifest,
                                      const std::string& at) const {
  const auto member = value.items().begin();
  const std::string inside = at + "." + member.key();
  Argument argument;
  if (member.key() == "buffer") {
    argument.buffer = member.value().get<std::string>();
    const bool there =
        std::any_of(manifest.buffers.begin(), manifest.buffers.end(),
                    [&](const Buffer& buffer) { return buffer.name == argument.buffer; });
    if (!there) {
      Fail(at, fmt::format("names the buffer {}, which is not there", argument.buffer));
    }
  } else if (member.key() == "tensor_map") {
    argument.map = member.value().get<std::string>();
    if (manifest.MapOf(argument.map) == nullptr) {
      Fail(at, fmt::format("names the tensor map {}, which is not there", argument.map));
    }
  } else if (member.key() == "texture" || member.key() == "surface") {
    argument.buffer = member.value().get<std::string>();
    argument.is_surface = member.key() == "surface";
    if (manifest.TextureOf(argument.buffer) == nullptr) {
      Fail(at, fmt::format("names the texture {}, which is not there", argument.buffer));
    }
  } else if (member.key() == "multicast") {
    argument.buffer = member.value().get<std::string>();
    const bool there =
        std::any_of(manifest.multicasts.begin(), manifest.multicasts.end(),
                    [&](const Multicast& other) { return other.name == argument.buffer; });
    if (!there) {
      Fail(at, fmt::format("names the multicast object {}, which is not there", argument.buffer));
    }
  } else if (member.key() == "struct") {
    argument.members = ReadArguments(member.value(), manifest, inside);
  } else {
    argument.type = ElementTypeOf(member.key());
    argument.choice = ChoiceOf(member.value(), argument.type, inside);
    argument.bits = argument.choice ? 0 : Element(member.value(), argument.type, inside);
  }
  return argument;
}

std::vector<Argument> ManifestReader::ReadArguments(const Json& list, const Manifest& manifest,
                                                    const std::string& at) const {
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < list.size(); ++i) {
    arguments.push_back(ReadArgument(list[i], manifest, fmt::format("{}[{}]", at, i)));
  }
  return arguments;
}

void ManifestReader::ReadExpected(const Json& object, Manifest* manifest) const {
  for (const auto& [name, value] : object.items()) {
    const std::string at = "expect." + name;
    const auto buffer =
        std::find_if(manifest->buffers.begin(), manifest->buffers.end(),
                     [&, &wanted = name](const Buffer& other) { return other.name == wanted; });
    if (buffer == manifest->buffers.end()) {
      Fail(at, "names a buffer or symbol that is not there");
    }
    buffer->expected = Contents(value, *buffer, at);
  }
}

void ManifestReader::ReadTolerance(const Json& object, Manifest* manifest) const {
  for (const auto& [name, value] : object.items()) {
    const std::string at = "tolerance." + name;
    const auto buffer =
        std::find_if(manifest->buffers.begin(), manifest->buffers.end(),
                     [&, &wanted = name](const Buffer& other) { return other.name == wanted; });
    if (buffer == manifest->buffers.end() || !buffer->expected) {
      Fail(at, "names what \"expect\" does not name");
    }
    if (!IsReal(buffer->type)) {
      Fail(at, "is of integers, which are compared bit for bit: floating-point numbers may differ");
    }
    Tolerance& tolerance = buffer->tolerance.emplace();
    With(value, "absolute", [&](const Json& most) { tolerance.absolute = most.get<double>(); });
    With(value, "relative", [&](const Json& most) { tolerance.relative = most.get<double>(); });
    With(value, "ulps", [&](const Json& most) { tolerance.ulps = most.get<std::uint64_t>(); });
  }
}

void ManifestReader::CheckOutcome(const std::string& outcome) const {
  if (outcome.rfind("fault:", 0) != 0) {
    return;
  }
  const std::string cause = outcome.substr(6);
  constexpr std::string_view kFrontEnd[] = {"bad_barrier_id",
                                            "bad_count",
                                            "divergent_operand",
                                            "cancel_after_failure",
                                            "ctaid_of_failure",
                                            "async_to_own_cta",
                                            "partial_warp",
                                            "bad_instruction_descriptor",
                                            "bad_matrix_descriptor",
                                            "bad_tensor_address",
                                            "bad_tensor_size",
                                            "no_peer_cta",
                                            "tensor_lane_not_accessible",
                                            "tensor_memory_in_use",
                                            "tensor_memory_not_allocated",
                                            "tensor_memory_not_released",
                                            "tensor_permit_relinquished",
                                            "partial_warpgroup",
                                            "bad_descriptor",
                                            "wgmma_in_flight",
                                            "wgmma_without_fence",
                                            "bad_tensor_map",
                                            "bad_tensor_copy",
                                            "bad_register_count",
                                            "bad_metadata",
                                            "bad_texture",
                                            "unknown_value"};
  if (std::find(std::begin(kFrontEnd), std::end(kFrontEnd), cause) != std::end(kFrontEnd)) {
    return;
  }
  for (unsigned i = 1; i < kNumFaultCauses; ++i) {
    if (cause == Name(static_cast<FaultCause>(i))) {
      return;
    }
  }
  Fail("outcome", fmt::format("names the fault cause {}, which there is not", cause));
}

// A block's limits are the configurations', and told apart later.
void ManifestReader::ReadLaunch(const Json& object, const Manifest& manifest, const std::string& at,
                                KernelLaunch* launch) const {
  const std::string prefix = at.empty() ? "" : at + ".";
  With(object, "ptx", [&](const Json& value) { launch->ptx = File(value, prefix + "ptx"); });
  With(object, "kernel", [&](const Json& value) { value.get_to(launch->kernel); });
  object["block"].get_to(launch->block);
  With(object, "grid", [&](const Json& value) { value.get_to(launch->grid); });
  With(object, "cluster", [&](const Json& value) {
    const Json list = value.is_number() ? Json{value, 1U, 1U} : value;
    const auto extent = list.get<std::array<std::uint32_t, 3>>();
    if (extent[0] * extent[1] * extent[2] > kMaxClusterCtas) {
      Fail(prefix + "cluster", fmt::format("is of more than {} CTAs", kMaxClusterCtas));
    }
    launch->cluster = extent;
  });
  With(object, "cooperative", [&](const Json& value) { value.get_to(launch->cooperative); });
  With(object, "programmatic", [&](const Json& value) { value.get_to(launch->programmatic); });
  With(object, "dynamic_shared",
       [&](const Json& value) { launch->dynamic_shared = value.get<std::uint32_t>(); });
  With(object, "registers",
       [&](const Json& value) { launch->registers = value.get<std::uint32_t>(); });
  With(object, "args", [&](const Json& value) {
    launch->arguments = ReadArguments(value, manifest, prefix + "args");
  });
}

void ManifestReader::CheckProgrammatic(const KernelLaunch& launch, const Manifest& manifest,
                                       const std::string& at) const {
  if (manifest.launches.empty()) {
    Fail(at, "is of the first launch: there is none before it that it could overlap with");
  }
  if (launch.cooperative) {
    Fail(at,
         "is of a cooperative launch, whose CTAs must all be there at once: take one of the two "
         "away");
  }
  if (launch.ptx != manifest.launches.back().ptx) {
    Fail(at,
         "is of a launch of another PTX file than the one before it: launches that overlap are "
         "of one file");
  }
}

// Each is of the manifest's PTX file, if it does not name another one.
void ManifestReader::ReadLaunches(const Json& list, Manifest* manifest) const {
  With("ptx", [&](const Json& value) { manifest->ptx = File(value, "ptx"); });
  for (const char* const key : {"kernel", "grid", "block", "cluster", "cooperative",
                                "dynamic_shared", "registers", "args"}) {
    if (root_.contains(key)) {
      Fail(key, "is said by each of \"launches\": write it there");
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = fmt::format("launches[{}]", i);
    KernelLaunch launch;
    launch.ptx = manifest->ptx;
    ReadLaunch(list[i], *manifest, at, &launch);
    if (launch.ptx.empty()) {
      Fail(at, "lacks \"ptx\", which the manifest does not have either");
    }
    if (launch.programmatic) {
      CheckProgrammatic(launch, *manifest, at + ".programmatic");
    }
    manifest->launches.push_back(std::move(launch));
  }
}

Manifest ManifestReader::Read() {
  if (file_) {
    file_->CheckKeys();
  }
  if (const std::optional<SchemaBreach> breach = CheckSchema(kManifestSchema, root_)) {
    Fail(breach->at, breach->what);
  }
  Manifest manifest;
  manifest.path = path_;
  manifest.command = path_;
  With("buffers", [&](const Json& value) { ReadBuffers(value, &manifest); });
  ReadMaps(&manifest);
  With("textures", [&](const Json& value) { ReadTextures(value, &manifest); });
  With("multicast", [&](const Json& value) { ReadMulticasts(value, &manifest); });
  if (root_.contains("launches")) {
    ReadLaunches(root_["launches"], &manifest);
  } else {
    ReadLaunch(root_, manifest, "", &manifest);
  }
  With("symbols", [&](const Json& value) { ReadSymbols(value, &manifest); });
  With("expect", [&](const Json& value) { ReadExpected(value, &manifest); });
  With("tolerance", [&](const Json& value) { ReadTolerance(value, &manifest); });
  With("outcome", [&](const Json& value) {
    value.get_to(manifest.outcome);
    CheckOutcome(manifest.outcome);
  });
  With("hazards", [&](const Json& value) { value.get_to(manifest.hazards); });
  With("after_inval", [&](const Json& value) { manifest.inval_is_hazard = value == "hazard"; });
  With("hint", [&](const Json& value) { manifest.hint_is_ignored = value == "ignored"; });
  With("config", [&](const Json& value) {
    value.get_to(manifest.config);
    if (FindConfig(manifest.config) == nullptr) {
      Fail("config", fmt::format("names the configuration {}, but there are {}", manifest.config,
                                 ConfigNames()));
    }
  });
  With("seed", [&](const Json& value) { manifest.seed = Whole(value, "seed", 0); });
  With("max_cycles",
       [&](const Json& value) { manifest.max_cycles = Whole(value, "max_cycles", 1); });
  Draw(manifest.input, &manifest);
  return manifest;
}

std::string Manifest::Again(const std::string& config, std::uint64_t seed) const {
  return fmt::format("muster run {} --config {} --seed {}{}", command, config, seed,
                     late ? " --late" : "");
}

std::size_t Manifest::OverlapFrom(std::size_t index) const {
  std::size_t count = 1;
  while (index + count < LaunchCount() && LaunchAt(index + count).programmatic) {
    ++count;
  }
  return count;
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
  if (root.is_object() && root.contains("launches")) {
    for (const Json& launch : root["launches"]) {
      add(launch, "ptx");
    }
  }
  for (const char* const section : {"buffers", "symbols", "expect"}) {
    if (!root.is_object() || !root.contains(section)) {
      continue;
    }
    for (const Json& member : root[section]) {
      add(member, "file");
      add(member, "ptx");
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

}  // namespace muster::ptx
