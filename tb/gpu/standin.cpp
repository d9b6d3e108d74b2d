// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A stand-in for NVIDIA's driver: the functions of libcuda that a launch needs, and in place of a
// GPU the kernels of kernels.ptx, written once more in C++. The types are those of the driver API's
// reference manual, and not those of sim/gpu, which must agree with them.
//
// What the environment says of it:
//   STANDIN_DEVICES=N           how many GPUs there are (1)
//   STANDIN_CAPABILITY=N        what they are (90)
//   STANDIN_TRAP=N              what the kernel `trap` ends with (715)
//   STANDIN_FAIL=NAME=N,...     functions that return this
//   STANDIN_KILL=NAME           a function in which the process ends by a signal
//   STANDIN_STUCK=NAME          a function that does not return
//   STANDIN_LOG=FILE            where each call is noted: the process, the name, what it is given
#include "tb/gpu/standin.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using standin::Enter;
using standin::kInvalidValue;
using standin::kSuccess;
using standin::Setting;
using standin::Words;

namespace {

enum : int {
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kIllegalAddress = 700,
  kInvalidCluster = 912,
};

// Where the GPU sees memory of the host: elsewhere than the host does.
constexpr std::uint64_t kShift = std::uint64_t{1} << 60;
constexpr unsigned kSharedByDefault = 48 * 1024;

struct Launch {
  std::string kernel;
  unsigned grid[3] = {};
  unsigned block[3] = {};
  unsigned cluster[3] = {1, 1, 1};
  unsigned dynamic_shared = 0;
  bool cooperative = false;
  bool programmatic = false;
  std::vector<std::uint64_t> words;  // of the arguments: eight bytes of each
  std::vector<std::uint8_t> structure;
};

struct Module {
  std::string text;
  std::map<std::string, std::vector<std::uint32_t>> variables;
};

struct Function {
  Module* module;
  std::string name;
  int max_dynamic_shared = 0;
  int non_portable = 0;
};

struct State {
  std::map<char*, std::size_t> registered;
  std::vector<std::pair<Launch, Module*>> pending;
  bool stream = false;    // there is one
  int sticky = kSuccess;  // after a trap each call returns it
  int late = kSuccess;    // a trap of which the driver learns later
  int later = kSuccess;   // one of which it learns when it maps memory the next time
};
State state;

void Note(const std::string& text) {
  if (const char* const path = std::getenv("STANDIN_LOG")) {
    std::ofstream(path, std::ios::app) << getpid() << " " + text + "\n";
  }
}

}  // namespace

const char* standin::Setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

int standin::Enter(const std::string& name, const std::string& given) {
  Note(name + (given.empty() ? "" : " ") + given);
  if (name == Setting("STANDIN_KILL", "")) {
    std::raise(SIGKILL);
  }
  while (name == Setting("STANDIN_STUCK", "")) {
    pause();
  }
  std::istringstream failing(Setting("STANDIN_FAIL", ""));
  std::string one;
  while (std::getline(failing, one, ',')) {
    if (one.rfind(name + "=", 0) == 0) {
      return std::atoi(one.c_str() + name.size() + 1);
    }
  }
  return state.sticky;
}

std::uint32_t* standin::Words(std::uint64_t pointer, std::size_t bytes) {
  char* const host = reinterpret_cast<char*>(pointer - kShift);
  for (const auto& [begin, size] : state.registered) {
    if (host >= begin && host + bytes <= begin + size) {
      return reinterpret_cast<std::uint32_t*>(host);
    }
  }
  return nullptr;
}

namespace {

unsigned Threads(const Launch& launch) {
  return launch.block[0] * launch.block[1] * launch.block[2];
}

// The kernels: what each of kernels.ptx does, on a GPU that does as the texts say. `overlaps`: the
// next launch may begin before this one ends.
int Execute(const Launch& launch, Module* module, bool overlaps) {
  std::uint32_t* const out = launch.words.empty() ? nullptr : Words(launch.words[0], 256);
  if (out == nullptr) {
    return kIllegalAddress;
  }
  const std::string& name = launch.kernel;
  if (name == "fill") {
    for (unsigned i = 0; i < Threads(launch); ++i) {
      out[i] = i + static_cast<std::uint32_t>(launch.words[1]);
    }
    module->variables["rounds"][0] += module->variables["step"][0];
  } else if (name == "unpack") {
    std::uint32_t a = 0;
    std::uint64_t b = 0;
    std::memcpy(&a, &launch.structure[0], sizeof a);
    std::memcpy(&b, &launch.structure[8], sizeof b);
    out[0] = a;
    out[1] = static_cast<std::uint32_t>(b >> 32);
    out[2] = launch.structure[16];
  } else if (name == "shape") {
    out[0] = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    out[1] = launch.grid[0] * launch.grid[1] * launch.grid[2];
    out[2] = launch.dynamic_shared;
  } else if (name == "mapped") {
    std::memcpy(&out[0], launch.structure.data(), 4);
    out[1] = *Words(launch.words[2], 4);
  } else if (name == "textured") {
    std::uint8_t* const read = standin::Texels(launch.words[1], false);
    std::uint8_t* const stored = standin::Texels(launch.words[2], true);
    if (read == nullptr || stored == nullptr) {
      return kIllegalAddress;
    }
    std::memcpy(&out[0], read + 4, 4);
    std::memcpy(stored + 4, &out[0], 4);
  } else if (name == "crossed") {
    for (unsigned i = 0; i < Threads(launch); ++i) {
      out[i] = 7;
    }
    for (;;) {
      pause();
    }
  } else if (name == "awaits") {
    while (!overlaps) {
      pause();
    }
    out[1] = 7;
  } else if (name == "stores") {
    out[0] = 6;
    out[2] = out[1];
  } else if (name == "late") {
    state.late = std::atoi(Setting("STANDIN_TRAP", "715"));
  } else if (name == "later") {
    state.later = std::atoi(Setting("STANDIN_TRAP", "715"));
  } else if (name == "trap") {
    for (unsigned i = 0; i < Threads(launch); ++i) {
      out[i] = 5;
    }
    return std::atoi(Setting("STANDIN_TRAP", "715"));
  } else if (name == "say") {
    std::printf("said by the kernel\n");
  } else if (name == "raced") {
    out[0] = module->variables.count("muster_turns") != 0 ? 0 : 5;
  } else if (name == "clock") {
    out[0] = 12345;
  }
  return kSuccess;
}

int Submit(const Function& function, Launch launch, const void* stream, void** arguments) {
  const bool large = launch.dynamic_shared > kSharedByDefault;
  const unsigned ctas = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (large && function.max_dynamic_shared < static_cast<int>(launch.dynamic_shared)) {
    return kInvalidValue;
  }
  if (ctas > 8 && function.non_portable == 0) {
    return kInvalidCluster;
  }
  if (!state.stream || stream != &state.stream) {
    return kInvalidHandle;
  }
  launch.kernel = function.name;
  const std::size_t count = function.name == "mapped" || function.name == "textured" ? 3
                            : function.name == "fill" || function.name == "unpack"   ? 2
                                                                                     : 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, arguments[i], function.name == "fill" && i == 1 ? 4 : 8);
    launch.words.push_back(word);
  }
  if (function.name == "unpack" || function.name == "mapped") {
    const auto* const bytes = static_cast<const std::uint8_t*>(arguments[1]);
    launch.structure.assign(bytes, bytes + 24);
  }
  state.pending.emplace_back(std::move(launch), function.module);
  return kSuccess;
}

std::string Text(const Launch& launch) {
  std::ostringstream text;
  text << launch.grid[0] << "," << launch.grid[1] << "," << launch.grid[2] << " " << launch.block[0]
       << "," << launch.block[1] << "," << launch.block[2] << " " << launch.dynamic_shared;
  return text.str();
}

Launch LaunchOf(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared) {
  Launch launch;
  const unsigned grid[] = {gx, gy, gz};
  const unsigned block[] = {bx, by, bz};
  std::copy(grid, grid + 3, launch.grid);
  std::copy(block, block + 3, launch.block);
  launch.dynamic_shared = shared;
  return launch;
}

void ReadVariables(Module* module) {
  const std::regex variable(
      R"(\.visible \.(?:global|const) \.u32 (\w+)(?:\[(\d+)\])?( = )?(\d+)?)");
  for (std::sregex_iterator at(module->text.begin(), module->text.end(), variable), end; at != end;
       ++at) {
    const std::size_t count = (*at)[2].matched ? std::stoul((*at)[2]) : 1;
    const std::uint32_t first = (*at)[4].matched ? std::stoul((*at)[4]) : 0;
    std::vector<std::uint32_t>& words = module->variables[(*at)[1]];
    words.resize(count);
    words[0] = first;
  }
}

}  // namespace

extern "C" {

struct Attribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
    int programmatic;
  } value;
};

struct Config {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &state;
  return Enter("cuDevicePrimaryCtxRetain", std::to_string(device));
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return Enter("cuDevicePrimaryCtxRelease_v2", std::to_string(device));
}

int cuCtxSetCurrent(void* context) {
  const int result = Enter("cuCtxSetCurrent");
  return context == &state ? result : kInvalidValue;
}

int cuCtxSynchronize() {
  int result = Enter("cuCtxSynchronize");
  for (std::size_t i = 0; i < state.pending.size() && result == kSuccess; ++i) {
    const auto& [launch, module] = state.pending[i];
    const bool overlaps = i + 1 < state.pending.size() && state.pending[i + 1].first.programmatic;
    result = Execute(launch, module, overlaps);
  }
  state.pending.clear();
  state.sticky = result == kSuccess ? std::exchange(state.late, kSuccess) : result;
  return result;
}

int cuStreamCreate(void** stream, unsigned flags) {
  *stream = &state.stream;
  state.stream = true;
  return Enter("cuStreamCreate", std::to_string(flags));
}

int cuStreamDestroy_v2(void* stream) {
  state.stream = state.stream && stream != &state.stream;
  return Enter("cuStreamDestroy_v2");
}

int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
  state.sticky = state.sticky == kSuccess ? state.later : state.sticky;
  const int result = Enter("cuMemHostRegister_v2", std::to_string(bytes));
  if (result == kSuccess && (flags & 2U) != 0) {
    state.registered[static_cast<char*>(memory)] = bytes;
  }
  return result;
}

int cuMemHostGetDevicePointer_v2(std::uint64_t* pointer, void* memory, unsigned flags) {
  const int result = Enter("cuMemHostGetDevicePointer_v2");
  *pointer = reinterpret_cast<std::uint64_t>(memory) + kShift;
  return flags == 0 && state.registered.count(static_cast<char*>(memory)) != 0 ? result
                                                                               : kInvalidValue;
}

int cuMemHostUnregister(void* memory) {
  state.registered.erase(static_cast<char*>(memory));
  return Enter("cuMemHostUnregister");
}

int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  const int result = Enter("cuMemcpyHtoD_v2", std::to_string(bytes));
  if (result == kSuccess) {
    std::memcpy(reinterpret_cast<void*>(to - kShift), from, bytes);
  }
  return result;
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  const int result = Enter("cuMemcpyDtoH_v2", std::to_string(bytes));
  if (result == kSuccess) {
    std::memcpy(to, reinterpret_cast<void*>(from - kShift), bytes);
  }
  return result;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                       void** values) {
  const int result = Enter("cuModuleLoadDataEx");
  if (result != kSuccess) {
    return result;
  }
  const std::string text = static_cast<const char*>(image);
  char* log = nullptr;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    log = options[i] == 5 ? static_cast<char*>(values[i]) : log;
    bytes = options[i] == 6 ? reinterpret_cast<std::size_t>(values[i]) : bytes;
  }
  const std::size_t wrong = text.find("no_such_instruction");
  if (wrong != std::string::npos) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<long>(wrong), '\n') + 1;
    std::snprintf(log, bytes,
                  "ptxas application ptx input, line %d; error   : Not a name of any "
                  "known instruction: 'no_such_instruction'",
                  static_cast<int>(line));
    return kInvalidPtx;
  }
  auto* const loaded = new Module{text, {}};
  ReadVariables(loaded);
  *module = loaded;
  return kSuccess;
}

int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return Enter("cuModuleUnload");
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  const int result = Enter("cuModuleGetFunction", name);
  auto* const own = static_cast<Module*>(module);
  if (own->text.find(std::string(".visible .entry ") + name + "(") == std::string::npos) {
    return kNotFound;
  }
  *function = new Function{own, name};
  return result;
}

int cuModuleGetGlobal_v2(std::uint64_t* pointer, std::size_t* bytes, void* module,
                         const char* name) {
  const int result = Enter("cuModuleGetGlobal_v2", name);
  auto& variables = static_cast<Module*>(module)->variables;
  const auto found = variables.find(name);
  if (found == variables.end()) {
    return kNotFound;
  }
  *pointer = reinterpret_cast<std::uint64_t>(found->second.data()) + kShift;
  *bytes = 4 * found->second.size();
  return result;
}

int cuFuncSetAttribute(void* function, int attribute, int value) {
  const int result =
      Enter("cuFuncSetAttribute", std::to_string(attribute) + " " + std::to_string(value));
  auto* const own = static_cast<Function*>(function);
  (attribute == 8 ? own->max_dynamic_shared : own->non_portable) = value;
  return result;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
  const Launch launch = LaunchOf(gx, gy, gz, bx, by, bz, shared);
  const auto& own = *static_cast<Function*>(function);
  const int result = Enter("cuLaunchKernel", own.name + " " + Text(launch));
  return result != kSuccess || extra != nullptr ? result : Submit(own, launch, stream, arguments);
}

int cuLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, void* stream,
                              void** arguments) {
  Launch launch = LaunchOf(gx, gy, gz, bx, by, bz, shared);
  launch.cooperative = true;
  const auto& own = *static_cast<Function*>(function);
  const int result = Enter("cuLaunchCooperativeKernel", own.name + " " + Text(launch));
  return result != kSuccess ? result : Submit(own, launch, stream, arguments);
}

#ifndef STANDIN_IS_OLD
int cuLaunchKernelEx(const Config* config, void* function, void** arguments, void** /*extra*/) {
  Launch launch = LaunchOf(config->gx, config->gy, config->gz, config->bx, config->by, config->bz,
                           config->shared);
  std::string given;
  for (unsigned i = 0; i < config->count; ++i) {
    const Attribute& attribute = config->attributes[i];
    if (attribute.id == 4) {
      launch.cluster[0] = attribute.value.cluster.x;
      launch.cluster[1] = attribute.value.cluster.y;
      launch.cluster[2] = attribute.value.cluster.z;
      given += " cluster " + std::to_string(launch.cluster[0]) + "," +
               std::to_string(launch.cluster[1]) + "," + std::to_string(launch.cluster[2]);
    } else if (attribute.id == 2) {
      launch.cooperative = attribute.value.cooperative != 0;
      given += " cooperative " + std::to_string(attribute.value.cooperative);
    } else if (attribute.id == 6) {
      launch.programmatic = attribute.value.programmatic != 0;
      given += " programmatic " + std::to_string(attribute.value.programmatic);
    } else {
      return kInvalidValue;
    }
  }
  const auto& own = *static_cast<Function*>(function);
  const int result = Enter("cuLaunchKernelEx", own.name + " " + Text(launch) + given);
  return result != kSuccess ? result : Submit(own, launch, config->stream, arguments);
}
#endif

}  // extern "C"
