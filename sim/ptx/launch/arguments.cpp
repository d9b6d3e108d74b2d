// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "sim/ptx/program/types.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

// The alignment that C gives an argument.
std::size_t AlignOf(const Argument& argument) {
  std::size_t align = !argument.map.empty()      ? kTensorMapAlign
                      : argument.members.empty() ? Bytes(argument.type)
                                                 : 1;
  for (const Argument& member : argument.members) {
    align = std::max(align, AlignOf(member));
  }
  return align;
}

std::vector<std::uint8_t> BytesOf(const Argument& argument, const ArgumentValues& values) {
  std::vector<std::uint8_t> bytes;
  if (!argument.map.empty()) {
    const TensorMapImage image = values.image_of(argument.map);
    return {image.begin(), image.end()};
  }
  if (argument.members.empty()) {
    const std::uint64_t bits =
        argument.buffer.empty() ? argument.bits : values.address_of(argument);
    bytes.resize(Bytes(argument.type));
    std::memcpy(bytes.data(), &bits, bytes.size());
    return bytes;
  }
  const auto pad = [&](std::size_t align) {
    bytes.resize((bytes.size() + align - 1) / align * align);
  };
  for (const Argument& member : argument.members) {
    const std::vector<std::uint8_t> own = BytesOf(member, values);
    pad(AlignOf(member));
    bytes.insert(bytes.end(), own.begin(), own.end());
  }
  pad(AlignOf(argument));
  return bytes;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> ArgumentBytes(const KernelLaunch& launch,
                                                     const Function& kernel,
                                                     const ArgumentValues& values) {
  const std::vector<Parameter>& parameters = kernel.parameters;
  if (launch.arguments.size() != parameters.size()) {
    throw InputError(fmt::format("\"args\" has {} arguments, but the kernel {} takes {}",
                                 launch.arguments.size(), kernel.name, parameters.size()));
  }
  std::vector<std::vector<std::uint8_t>> arguments;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    arguments.push_back(BytesOf(launch.arguments[i], values));
    const std::size_t bytes = arguments.back().size();
    if (bytes != parameters[i].bytes) {
      throw InputError(fmt::format("args[{}] has {} byte{}, but the parameter {} has {}", i, bytes,
                                   bytes == 1 ? "" : "s", parameters[i].name, parameters[i].bytes));
    }
  }
  return arguments;
}

std::uint32_t DynamicShared(const KernelLaunch& launch, const Program& program) {
  if (launch.dynamic_shared) {
    return *launch.dynamic_shared;
  }
  return program.has_dynamic_shared ? kSharedBytes - std::min(program.dynamic_base, kSharedBytes)
                                    : 0;
}

}  // namespace muster::ptx
