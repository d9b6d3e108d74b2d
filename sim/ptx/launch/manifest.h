// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A launch manifest: which kernel, with what, and what must come of it (sim/MANIFEST.md).
#ifndef MUSTER_SIM_PTX_LAUNCH_MANIFEST_H_
#define MUSTER_SIM_PTX_LAUNCH_MANIFEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/launch/choice.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/tensor_map.h"
#include "sim/ptx/simt/texture.h"

namespace muster::ptx {

// A variable of a PTX file, in global or constant memory.
struct FileSymbol {
  std::string ptx;  // path
  FileVariable variable;
};

// How far a number may be from the one that is expected: no further than one of these says.
struct Tolerance {
  std::optional<double> absolute;
  std::optional<double> relative;     // to the expected number
  std::optional<std::uint64_t> ulps;  // numbers of the type from the one to the other
};

// A tensor map with a name. Its address is the byte of the buffer at which the tensor begins.
struct NamedMap {
  std::string name;
  std::string buffer;
  TensorMap map;
};

// A texture or surface. Its address is the byte of the buffer at which it begins.
struct NamedTexture {
  std::string buffer;
  Texture texture;
};

// A multicast object: an address of it stands for the same byte of each of these buffers.
struct Multicast {
  std::string name;
  std::vector<std::string> buffers;
};

// Memory with a name; or a variable of a PTX file, which is a symbol of the manifest.
struct Buffer {
  std::string name;
  Type type = Type::kU32;
  std::uint64_t count = 0;
  std::vector<std::uint8_t> initial;  // of a symbol it may be empty: as the PTX file has it
  std::optional<std::vector<std::uint8_t>> expected{};
  std::optional<Tolerance> tolerance{};
  std::optional<FileSymbol> symbol{};
  std::vector<std::string> maps{};  // tensor maps that it begins with, one after the other
  std::optional<Choice> choice{};   // what its elements begin with is open

  const char* Word() const { return symbol ? "symbol" : "buffer"; }
};

struct Argument {
  std::string buffer;  // or what has a handle; empty: a scalar, or what else is here
  Type type = Type::kU64;
  std::uint64_t bits = 0;
  std::vector<Argument> members{};  // of a structure, laid out as in C
  std::string map{};                // a tensor map, by value
  std::optional<Choice> choice{};   // it is open
  bool is_surface = false;          // the texture of that name as a surface
};

// A kernel, and what it is launched with.
struct KernelLaunch {
  std::string ptx;     // path
  std::string kernel;  // empty: the file's only one
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::optional<std::array<std::uint32_t, 3>> cluster;
  bool cooperative = false;
  bool programmatic = false;  // it may begin before the launch before it has ended
  std::optional<std::uint32_t> dynamic_shared;
  std::optional<std::uint32_t> registers;  // of a thread, at launch
  std::vector<Argument> arguments;
};

// Of a single launch, it says itself what that is.
struct Manifest : KernelLaunch {
  std::string path;     // of the file, or of the PTX file where there is none
  std::string command;  // what follows "muster run" to run it again; empty: nothing does
  std::vector<KernelLaunch> launches;  // several, one after the other; empty: the single one
  bool inval_is_hazard = false;
  bool hint_is_ignored = false;
  std::vector<Buffer> buffers;
  std::vector<NamedMap> maps;
  std::vector<Multicast> multicasts;
  std::vector<NamedTexture> textures;
  std::string outcome = "completes";
  std::map<std::string, std::uint64_t> hazards;  // those that have a number
  std::string config = "default";
  std::uint64_t seed = 1;
  bool late = false;        // accesses are performed late: an option of a run, and no key
  std::uint64_t input = 1;  // the number of what is drawn for all that is left open
  std::uint64_t max_cycles = 1'000'000;  // of each launch
  // Places of the kernel that are left out (sync_place.h), by number. No file says them.
  std::vector<std::uint32_t> without;

  // Whether a run is to meet the hazard.
  bool Wants(const std::string& hazard) const {
    const auto found = hazards.find(hazard);
    return found != hazards.end() && found->second != 0;
  }
  // The command that runs it again, with this configuration and seed.
  std::string Again(const std::string& config, std::uint64_t seed) const;
  std::size_t LaunchCount() const { return launches.empty() ? 1 : launches.size(); }
  // How many launches, from this one on, may overlap each with the one before.
  std::size_t OverlapFrom(std::size_t index) const;
  // Returns null if there is none of that name.
  const NamedMap* MapOf(const std::string& name) const;
  const NamedTexture* TextureOf(const std::string& name) const;
  const KernelLaunch& LaunchAt(std::size_t index) const {
    return launches.empty() ? *this : launches[index];
  }
};

// Throws InputError with file, line and JSON path.
Manifest ReadManifest(const std::string& path);

// A manifest's path and those of the files that it names, also where it is wrong otherwise.
std::vector<std::string> InputsOf(const std::string& path);

// The whole of a file. Throws InputError.
std::string ReadFile(const std::string& path, const std::string& what);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_MANIFEST_H_
