// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A launch without a manifest: the options of a command line, from which a manifest is made.
#ifndef MUSTER_SIM_PTX_LAUNCH_DIRECT_H_
#define MUSTER_SIM_PTX_LAUNCH_DIRECT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/launch/manifest.h"

namespace muster::ptx {

// The texts of the options, as they were given; what is empty was not.
struct DirectLaunch {
  std::string ptx;     // a path
  std::string kernel;  // plain or mangled; empty: the file's only one
  // Three numbers or fewer: "2", "16,16", "2x2x1".
  std::string grid;
  std::string block;
  std::string cluster;
  std::optional<std::uint64_t> smem;  // bytes of dynamic shared memory
  bool cooperative = false;
  // An argument each, in the order of the kernel's parameters:
  //   NAME=TYPE[COUNT]        a new buffer of zeroes
  //   NAME=TYPE[COUNT]:INIT   one that begins as zero, iota, V (each element), V,V,... or @FILE
  //   NAME                    a buffer that an earlier argument has made
  //   V, TYPE:V               a number, of the parameter's type or of this one
  //   {...}                   as a manifest has it, for structures
  // The name of a tensor map stands for it.
  std::vector<std::string> args;
  std::vector<std::string> buffers;      // NAME=TYPE[COUNT] or NAME=TYPE[COUNT]:INIT, no arguments
  std::vector<std::string> tensor_maps;  // NAME={...}, as a manifest has it
  std::vector<std::string> symbols;      // NAME=TYPE, or NAME=TYPE:INIT, of variables of the file
  std::vector<std::string> expects;      // NAME=V, NAME=V,V,... or NAME=@FILE
  std::vector<std::string> tolerances;   // NAME=absolute:V,relative:V,ulps:N, or some of these
  std::vector<std::string> hazards;      // NAME=COUNT
  std::string outcome;
  std::string after_inval;
  std::string hint;
};

// The manifest that the options come to.
struct DirectManifest {
  Manifest manifest;
  nlohmann::ordered_json members;   // the same, as a manifest file in the current folder has it
  std::vector<std::string> inputs;  // the files that it reads
};

// Reads the PTX file for the types of its parameters. Throws InputError, which names the option.
DirectManifest ManifestOf(const DirectLaunch& launch);

// A word as a shell takes it: in single quotes, unless it has plain characters only.
std::string Quoted(const std::string& word);

// The words of the command line after "muster run", quoted for a shell.
std::string CommandOf(const DirectLaunch& launch);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_DIRECT_H_
