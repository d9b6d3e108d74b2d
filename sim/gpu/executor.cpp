// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "sim/gpu/mapped_memory.h"
#include "sim/gpu/tensor_maps.h"
#include "sim/gpu/textures.h"

namespace muster::gpu {
namespace {

// The largest cluster that every GPU with clusters supports.
constexpr std::uint32_t kPortableCluster = 8;
constexpr std::chrono::milliseconds kTrapsLate(10);
constexpr std::size_t kLogBytes = std::size_t{1} << 14;

}  // namespace

void to_json(nlohmann::json& json, const Gpu& gpu) {
  json = {{"name", gpu.name}, {"architecture", gpu.architecture}, {"driver", gpu.driver}};
}

void from_json(const nlohmann::json& json, Gpu& gpu) {
  json.at("name").get_to(gpu.name);
  json.at("architecture").get_to(gpu.architecture);
  json.at("driver").get_to(gpu.driver);
}

// A launch with all that it takes.
struct Executor::Ready {
  const Task::Launch* launch = nullptr;
  cuda::Function function = nullptr;
  std::vector<std::vector<std::uint8_t>> arguments;
};

// The files of a task, loaded by the driver as long as this object exists.
class Executor::Modules {
 public:
  explicit Modules(const Driver& driver) : driver_(driver) {}
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  ~Modules() {
    for (const cuda::Module module : modules_) {
      driver_.ModuleUnload(module);
    }
  }

  Ending Load(const Task::File& file) {
    std::vector<char> log(kLogBytes);
    std::array<int, 2> options{cuda::kErrorLog, cuda::kErrorLogBytes};
    // The driver's interface takes this number as a pointer.
    auto* const bytes = reinterpret_cast<void*>(log.size());  // NOLINT(performance-no-int-to-ptr)
    std::array<void*, 2> values{log.data(), bytes};
    cuda::Module module = nullptr;
    const cuda::Result result =
        driver_.ModuleLoadDataEx(&module, file.text.c_str(), static_cast<unsigned>(options.size()),
                                 options.data(), values.data());
    if (result != cuda::kSuccess) {
      log.back() = '\0';
      return Failed(EndKind::kDoesNotLoad, driver_.NameOf(result),
                    fmt::format("{}: {}", file.path, log.data()));
    }
    modules_.push_back(module);
    return {};
  }
  cuda::Module operator[](std::size_t file) const { return modules_[file]; }

 private:
  const Driver& driver_;
  std::vector<cuda::Module> modules_;
};

Executor::Executor() {
  const auto check = [this](cuda::Result result, const char* what) {
    if (result != cuda::kSuccess) {
      throw NoGpu(fmt::format("cuda: the driver {}: {}", what, driver_.NameOf(result)));
    }
  };
  int count = 0;
  const cuda::Result started = driver_.Init(0);
  if (started != cuda::kNoDevice) {
    check(started, "does not start");
    check(driver_.DeviceGetCount(&count), "does not count its GPUs");
  }
  if (count == 0) {
    throw NoGpu("cuda: the driver finds no GPU here");
  }
  check(driver_.DeviceGet(&device_, 0), "does not open the GPU");
  std::array<char, 256> name{};
  check(driver_.DeviceGetName(name.data(), static_cast<int>(name.size()), device_),
        "does not name the GPU");
  int major = 0;
  int minor = 0;
  int version = 0;
  check(driver_.DeviceGetAttribute(&major, cuda::kCapabilityMajor, device_),
        "does not say what the GPU is");
  check(driver_.DeviceGetAttribute(&minor, cuda::kCapabilityMinor, device_),
        "does not say what the GPU is");
  check(driver_.DriverGetVersion(&version), "does not say its version");
  gpu_ = {name.data(), static_cast<unsigned>(10 * major + minor),
          fmt::format("{}.{}", version / 1000, version % 1000 / 10)};
  cuda::Context context = nullptr;
  check(driver_.DevicePrimaryCtxRetain(&context, device_), "makes no context on the GPU");
  check(driver_.CtxSetCurrent(context), "makes no context on the GPU");
  check(driver_.StreamCreate(&stream_, cuda::kBlocking), "makes no stream on the GPU");
}

Executor::~Executor() {
  driver_.StreamDestroy(stream_);
  driver_.DevicePrimaryCtxRelease(device_);
}

// Whether the GPU can run the PTX. Newer GPUs run PTX for older ones, but an "a" target runs on
// that architecture alone, and an "f" target within its family.
bool Executor::Fits(const Task::File& file) const {
  if (file.variant == 'a') {
    return file.architecture == gpu_.architecture;
  }
  return file.architecture <= gpu_.architecture &&
         (file.variant != 'f' || file.architecture / 10 == gpu_.architecture / 10);
}

Ending Executor::Load(const Task& task, std::uint8_t* memory, Modules* modules) const {
  for (const Task::File& file : task.files()) {
    if (!Fits(file)) {
      return Failed(
          EndKind::kDoesNotFit, "",
          fmt::format("{} is for sm_{}{}, and the GPU is an sm_{}", file.path, file.architecture,
                      file.variant == 0 ? "" : std::string(1, file.variant), gpu_.architecture));
    }
    if (Ending ending = modules->Load(file); ending.kind != EndKind::kCompletes) {
      return ending;
    }
  }
  return CopySymbols(task, memory, *modules, false);
}

// Copies symbols with a value in the manifest from the shared memory to the GPU, or all symbols
// back.
Ending Executor::CopySymbols(const Task& task, std::uint8_t* memory, const Modules& modules,
                             bool back) const {
  const std::vector<ptx::Buffer>& buffers = task.manifest().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].symbol || (!back && buffers[i].initial.empty())) {
      continue;
    }
    const ptx::FileSymbol& symbol = *buffers[i].symbol;
    std::uint8_t* const own = memory + task.PlaceOf(i);
    cuda::Pointer pointer = 0;
    std::size_t bytes = 0;
    cuda::Result result = driver_.ModuleGetGlobal(&pointer, &bytes, modules[task.FileOf(symbol)],
                                                  symbol.variable.name.c_str());
    if (result == cuda::kSuccess) {
      bytes = std::min<std::size_t>(bytes, symbol.variable.bytes);
      result =
          back ? driver_.MemcpyDtoH(own, pointer, bytes) : driver_.MemcpyHtoD(pointer, own, bytes);
    }
    if (result != cuda::kSuccess) {
      return Failed(
          EndKind::kDoesNotLoad, driver_.NameOf(result),
          fmt::format("the driver gives no access to the variable {} of {}{}", symbol.variable.name,
                      symbol.ptx, result == cuda::kNotFound ? ": is it .visible?" : ""));
    }
  }
  return {};
}

Ending Executor::Prepare(const Task::Launch& launch, const Modules& modules, Ready* ready) const {
  const std::string& name = launch.kernel.name;
  ready->launch = &launch;
  cuda::Result result =
      driver_.ModuleGetFunction(&ready->function, modules[launch.file], name.c_str());
  if (result != cuda::kSuccess) {
    return Failed(EndKind::kDoesNotLoad, driver_.NameOf(result),
                  fmt::format("the driver finds no kernel {}: is it .visible?", name));
  }
  if ((launch.cluster || launch.programmatic) && driver_.LaunchKernelEx == nullptr) {
    return Failed(EndKind::kDoesNotLaunch,
                  launch.cluster ? "no_clusters" : "no_programmatic_launches",
                  fmt::format("the driver has no cuLaunchKernelEx: {} came with CUDA 11.8",
                              launch.cluster ? "clusters" : "programmatic launches"));
  }
  const auto set = [&](int attribute, std::uint32_t value) {
    if (result == cuda::kSuccess) {
      result = driver_.FuncSetAttribute(ready->function, attribute, static_cast<int>(value));
    }
  };
  if (launch.much_shared) {
    set(cuda::kMaxDynamicShared, launch.dynamic_shared);
  }
  if (launch.cluster_ctas > kPortableCluster) {
    set(cuda::kNonPortableCluster, 1);
  }
  return result == cuda::kSuccess ? Ending{}
                                  : Failed(EndKind::kDoesNotLaunch, driver_.NameOf(result));
}

cuda::Result Executor::Start(Ready* ready) const {
  const Task::Launch& launch = *ready->launch;
  std::vector<void*> pointers(ready->arguments.size());
  std::transform(ready->arguments.begin(), ready->arguments.end(), pointers.begin(),
                 [](std::vector<std::uint8_t>& argument) { return argument.data(); });
  const auto& grid = launch.grid;
  const auto& block = launch.block;
  if (launch.cluster || launch.programmatic) {
    std::array<cuda::LaunchAttribute, 2> attributes;
    cuda::LaunchConfig config;
    std::copy(grid.begin(), grid.end(), config.grid);
    std::copy(block.begin(), block.end(), config.block);
    config.dynamic_shared = launch.dynamic_shared;
    config.stream = stream_;
    config.attributes = attributes.data();
    if (launch.cluster) {
      cuda::LaunchAttribute& attribute = attributes.at(config.num_attributes++);
      attribute.id = cuda::kClusterDimension;
      std::copy(launch.cluster->begin(), launch.cluster->end(), attribute.extent);
    }
    if (launch.cooperative || launch.programmatic) {  // not both: the manifest refuses that
      cuda::LaunchAttribute& attribute = attributes.at(config.num_attributes++);
      attribute.id = launch.cooperative ? cuda::kCooperative : cuda::kProgrammatic;
      attribute.on = 1;
    }
    return driver_.LaunchKernelEx(&config, ready->function, pointers.data(), nullptr);
  }
  return launch.cooperative
             ? driver_.LaunchCooperativeKernel(ready->function, grid[0], grid[1], grid[2], block[0],
                                               block[1], block[2], launch.dynamic_shared, stream_,
                                               pointers.data())
             : driver_.LaunchKernel(ready->function, grid[0], grid[1], grid[2], block[0], block[1],
                                    block[2], launch.dynamic_shared, stream_, pointers.data(),
                                    nullptr);
}

// Starts launches that may overlap, and waits for their ends. `first` is the index of the first.
Ending Executor::Complete(std::vector<Ready> launches, std::size_t first) const {
  Ending ending;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < launches.size() && ending.kind == EndKind::kCompletes; ++i) {
    const cuda::Result result = Start(&launches[i]);
    if (result != cuda::kSuccess) {
      ending = Failed(EndKind::kDoesNotLaunch, driver_.NameOf(result));
      ending.launch = first + i;
    }
  }
  if (ending.launch == first && ending.kind != EndKind::kCompletes) {
    return ending;
  }
  // After a trap of one launch the driver refuses the next one.
  const cuda::Result result = driver_.CtxSynchronize();
  std::fflush(stdout);  // the output of the kernels
  if (result != cuda::kSuccess) {
    ending = result == cuda::kLaunchTimeout ? Failed(EndKind::kHangs, "")
                                            : Failed(EndKind::kTrap, driver_.NameOf(result));
  }
  if (ending.kind != EndKind::kDoesNotLaunch) {
    ending.launch = first;
  }
  ending.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ending;
}

Ending Executor::Run(const Task& task, std::uint8_t* memory, const Begins& begins) {
  Ending ending = Launch(task, memory, begins);
  // A kernel can end before the driver learns of its trap.
  if (ending.kind == EndKind::kCompletes) {
    std::this_thread::sleep_for(kTrapsLate);
  }
  if (const std::string trap = Trap(); !trap.empty() && ending.kind == EndKind::kCompletes) {
    ending.kind = EndKind::kTrap;
    ending.name = trap;
  }
  return ending;
}

std::string Executor::Trap() const {
  const cuda::Result result = driver_.CtxSynchronize();
  return result == cuda::kSuccess ? "" : driver_.NameOf(result);
}

Ending Executor::Launch(const Task& task, std::uint8_t* memory, const Begins& begins) const {
  const MappedMemory mapped(driver_, memory, task.bytes());
  if (mapped.result() != cuda::kSuccess) {
    return Failed(EndKind::kDoesNotLaunch, driver_.NameOf(mapped.result()),
                  "the driver does not map the buffers");
  }
  Task::Objects objects;
  Ending ending = MakeTensorMaps(driver_, task, mapped.pointer(), &objects);
  Textures textures(driver_, task, memory);
  if (ending.kind == EndKind::kCompletes) {
    ending = textures.Make(&objects);
  }
  if (ending.kind != EndKind::kCompletes) {
    return ending;
  }
  task.Fill(memory, objects);
  Modules modules(driver_);
  ending = Load(task, memory, &modules);
  double seconds = 0;
  std::size_t count = 0;
  for (std::size_t first = 0; first < task.launches().size() && ending.kind == EndKind::kCompletes;
       first += count) {
    count = task.manifest().OverlapFrom(first);
    std::vector<Ready> launches(count);
    for (std::size_t i = 0; i < count; ++i) {
      ending = Prepare(task.launches()[first + i], modules, &launches[i]);
      ending.launch = first + i;
      if (ending.kind != EndKind::kCompletes) {
        return ending;
      }
      launches[i].arguments = task.Arguments(first + i, mapped.pointer(), objects);
    }
    begins(first);
    ending = Complete(std::move(launches), first);
    seconds += ending.seconds;
  }
  if (ending.kind == EndKind::kCompletes) {
    const std::size_t last = ending.launch;
    ending = CopySymbols(task, memory, modules, true);
    if (ending.kind == EndKind::kCompletes) {
      ending = textures.CopyBack();
    }
    ending.launch = last;
  }
  ending.seconds = seconds;
  return ending;
}

}  // namespace muster::gpu
