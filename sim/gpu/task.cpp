// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/ptx/launch/arguments.h"
#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/program/types.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::gpu {
namespace {

constexpr std::size_t kAlign = 256;  // alignment of a buffer, as in the driver's own allocations

std::uint32_t Product(const std::array<std::uint32_t, 3>& extent) {
  return extent[0] * extent[1] * extent[2];
}

// Returns the cluster size, in CTAs, that the kernel itself requires; 1: none.
std::uint32_t RequiredCluster(const ptx::Function& kernel) {
  std::uint32_t ctas = 1;
  for (const std::uint64_t extent : kernel.required_cluster) {
    ctas *= static_cast<std::uint32_t>(extent);
  }
  return ctas;
}

}  // namespace

Task::Task(ptx::Manifest manifest) : manifest_(std::move(manifest)) {
  if (!manifest_.multicasts.empty()) {
    throw ptx::InputError(fmt::format(
        "{}: has multicast objects, which span several GPUs, and --target cuda runs on one",
        manifest_.path));
  }
  for (std::size_t i = 0; i < manifest_.LaunchCount(); ++i) {
    AddLaunch(manifest_.LaunchAt(i));
    try {
      Arguments(i, 0, {});  // checks number and sizes against the kernel's parameters
    } catch (const ptx::InputError& error) {
      const std::string which = Which(i);
      throw ptx::InputError((which.empty() ? manifest_.path : which) + ": " + error.what());
    }
  }
  for (const ptx::Buffer& buffer : manifest_.buffers) {
    places_.push_back(bytes_);
    bytes_ += (buffer.count * Bytes(buffer.type) + kAlign - 1) / kAlign * kAlign;
  }
}

std::size_t Task::Read(const std::string& path) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path == path) {
      return i;
    }
  }
  files_.push_back({path, ptx::ReadFile(path, "PTX file")});
  return files_.size() - 1;
}

void Task::AddLaunch(const ptx::KernelLaunch& own) {
  Launch launch;
  launch.file = Read(own.ptx);
  File& file = files_[launch.file];
  const auto module = ptx::Parse(file.path, file.text);
  const ptx::Target target = ptx::TargetOf(*module);
  file.architecture = target.architecture;
  file.variant = target.variant;
  const ptx::Program program = ptx::Outline(*module, own.kernel);
  for (const ptx::FileVariable& variable : program.variables) {
    if (manifest_.TextureOf(variable.name) != nullptr) {
      throw ptx::InputError(fmt::format(
          "{}:{}: {} is a variable for a texture: on a GPU, textures are arguments of the kernel",
          file.path, variable.at.line, variable.name));
    }
  }
  launch.kernel = program.Kernel();
  launch.grid = own.grid;
  launch.block = own.block;
  if (own.cluster && launch.kernel.required_cluster.empty()) {
    launch.cluster = own.cluster;
  }
  launch.cluster_ctas = launch.cluster ? Product(*launch.cluster) : RequiredCluster(launch.kernel);
  launch.cooperative = own.cooperative;
  launch.programmatic = own.programmatic;
  launch.dynamic_shared = ptx::DynamicShared(own, program);
  launch.much_shared =
      std::uint64_t{program.dynamic_base} + launch.dynamic_shared > ptx::kSharedBytes;
  launches_.push_back(std::move(launch));
}

std::string Task::Which(std::size_t launch) const {
  return manifest_.launches.empty()
             ? ""
             : fmt::format("launch {} of {}, kernel {}", launch + 1, launches_.size(),
                           ptx::Demangled(launches_[launch].kernel.name));
}

// A symbol keeps the value of its file, unless the manifest has a value for it.
void Task::Fill(std::uint8_t* memory) const {
  std::fill_n(memory, bytes_, std::uint8_t{0});
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::vector<std::uint8_t>& initial = manifest_.buffers[i].initial;
    std::copy(initial.begin(), initial.end(), memory + places_[i]);
  }
}

void Task::Fill(std::uint8_t* memory, const Objects& objects) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    std::uint8_t* to = memory + places_[i];
    for (const std::string& name : manifest_.buffers[i].maps) {
      const ptx::TensorMapImage& image = objects.maps.at(name);
      to = std::copy(image.begin(), image.end(), to);
    }
  }
}

// Returns 0 before the places are known.
std::size_t Task::PlaceOf(const std::string& buffer) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (manifest_.buffers[i].name == buffer) {
      return places_[i];
    }
  }
  return 0;
}

std::vector<std::uint8_t> Task::ContentsIn(const std::uint8_t* memory, std::size_t buffer) const {
  const ptx::Buffer& own = manifest_.buffers[buffer];
  const std::uint8_t* const begin = memory + places_[buffer];
  return {begin, begin + own.count * Bytes(own.type)};
}

std::vector<std::vector<std::uint8_t>> Task::Arguments(std::size_t launch, std::uint64_t memory,
                                                       const Objects& objects) const {
  const auto address_of = [&](const ptx::Argument& argument) {
    const auto& handles = argument.is_surface ? objects.surfaces : objects.textures;
    const auto handle = handles.find(argument.buffer);
    return handle != handles.end() ? handle->second : memory + PlaceOf(argument.buffer);
  };
  const auto image_of = [&](const std::string& name) {
    const auto found = objects.maps.find(name);
    return found == objects.maps.end() ? ptx::TensorMapImage{} : found->second;
  };
  return ptx::ArgumentBytes(manifest_.LaunchAt(launch), launches_[launch].kernel,
                            {address_of, image_of});
}

bool Task::IsSurface(const std::string& texture) const {
  const std::function<bool(const ptx::Argument&)> names_it = [&](const ptx::Argument& argument) {
    return (argument.is_surface && argument.buffer == texture) ||
           std::any_of(argument.members.begin(), argument.members.end(), names_it);
  };
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::vector<ptx::Argument>& arguments = manifest_.LaunchAt(i).arguments;
    if (std::any_of(arguments.begin(), arguments.end(), names_it)) {
      return true;
    }
  }
  return false;
}

std::size_t Task::FileOf(const ptx::FileSymbol& symbol) const {
  const auto file = std::find_if(files_.begin(), files_.end(),
                                 [&](const File& other) { return other.path == symbol.ptx; });
  return static_cast<std::size_t>(file - files_.begin());
}

}  // namespace muster::gpu
