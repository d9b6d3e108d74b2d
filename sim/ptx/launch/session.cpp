// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/config.h"
#include "sim/ptx/launch/arguments.h"
#include "sim/ptx/launch/compare.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/runtime/clusters.h"
#include "sim/ptx/runtime/fits.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kReservedAlign = 128;
constexpr std::uint32_t kMaxSharedBytes = 227 * 1024;  // where dynamic_shared asks for more
constexpr std::uint64_t kMaxGrid = 0x7fffffff;         // CTAs, in any direction

// The code asks where the system's part of shared memory is.
bool UsesReservedShared(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    const auto* const read = std::get_if<SpecialRead>(&i.payload);
    return read != nullptr && read->special >= Special::kReservedBegin &&
           read->special <= Special::kReserved1;
  });
}

std::string Product(const std::vector<std::uint64_t>& extent) {
  return fmt::format("{}", fmt::join(extent, "x"));
}

// What the kernel's own directives say of the block.
void CheckBlock(const Function& kernel, const Launch& launch) {
  if (!kernel.required_threads.empty()) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t required =
          i < kernel.required_threads.size() ? kernel.required_threads[i] : 1;
      if (launch.block[i] == required) {
        continue;
      }
      throw InputError(fmt::format("the kernel {} requires a block of {} threads (.reqntid)",
                                   kernel.name, Product(kernel.required_threads)));
    }
  }
  if (kernel.max_threads.empty()) {
    return;
  }
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 32;  // and a product of two fits
  std::uint64_t most = 1;
  for (const std::uint64_t extent : kernel.max_threads) {
    most = std::min(most * extent, kEnough);
  }
  if (launch.Threads() > most) {
    throw InputError(
        fmt::format("a block of {} threads is more than the kernel {} allows: {} "
                    "(.maxntid)",
                    launch.Threads(), kernel.name, most));
  }
}

// The kernels of a launch, and of those after it that may overlap.
std::vector<std::string> KernelsOf(const Manifest& manifest, std::size_t index) {
  std::vector<std::string> kernels;
  for (std::size_t i = 0; i < manifest.OverlapFrom(index); ++i) {
    kernels.push_back(manifest.LaunchAt(index + i).kernel);
  }
  return kernels;
}

}  // namespace

std::string DifferencesText(const Verdict& verdict) {
  std::string text;
  for (const std::string& difference : verdict.differences) {
    text += fmt::format("NOT AS EXPECTED: {}\n", difference);
  }
  return text;
}

std::string OutcomeName(const Grid& grid) {
  switch (grid.outcome()) {
    case Outcome::kCompletes:
      return "completes";
    case Outcome::kDeadlock:
      return "deadlock";
    case Outcome::kFault:
      return "fault:" + grid.faults().front().name;
    case Outcome::kMemoryFault:
      return "memory_fault";
    case Outcome::kAssert:
      return "assert";
    default:
      return "timeout";
  }
}

Session::Session(const Manifest& manifest, const Config& config, std::uint64_t seed)
    : Session(manifest, 0, std::make_shared<Device>(manifest), config, seed) {
  Enter();
}

Session::Session(const Manifest& manifest, std::size_t index, std::shared_ptr<Device> device,
                 const Config& config, std::uint64_t seed)
    : manifest_(manifest),
      index_(index),
      config_(config),
      seed_(seed),
      device_(std::move(device)),
      program_(device_->Load(OwnAt(0).ptx, KernelsOf(manifest, index))) {
  launch_.programmatic.resize(program_->kernels.size() - 1);
  for (std::size_t i = 0; i < launch_.Launches(); ++i) {
    const std::string which = Which(i);
    const std::string where =
        fmt::format("{}: {}{}", manifest.path, which, which.empty() ? "" : ": ");
    try {
      Prepare(i, i == 0 ? &launch_ : &launch_.programmatic[i - 1]);
    } catch (const DoesNotFit& error) {
      throw DoesNotFit(where + error.what());
    } catch (const InputError& error) {
      throw InputError(where + error.what());
    }
  }
  launch_.Number();
  // Each launch has an order of its own.
  grid_ = std::make_unique<ClockedGrid>(config_, *program_, launch_, device_->memory(),
                                        seed + index * 0xbf58476d1ce4e5b9U);
  if (manifest.late) {
    grid_->PerformLate(device_->memory(), seed + index * 0x94d049bb133111ebU);
  }
}

void Session::Prepare(std::size_t index, Launch* launch) {
  launch->kernel = index;
  launch->number = index_ + index + 1;
  launch->grid = OwnAt(index).grid;
  launch->block = OwnAt(index).block;
  launch->inval_is_hazard = manifest_.inval_is_hazard;
  launch->hint_is_ignored = manifest_.hint_is_ignored;
  constexpr std::uint32_t kUnit = 8;  // registers are given out in
  const std::optional<std::uint32_t>& registers = OwnAt(index).registers;
  launch->registers =
      registers ? (*registers + kUnit - 1) / kUnit * kUnit : program_->Kernel(index).registers;
  launch->registers_at_most = !registers && program_->Kernel(index).registers_at_most;
  SetCluster(index, launch);
  CheckFits(config_, *program_, *launch);
  CheckBlock(program_->Kernel(index), *launch);
  SetCooperative(index, launch);
  LayOut(index, launch);
  CheckMbarriersFit(config_, *program_, *launch);
  PassArguments(index, launch);
}

void Session::Enter() {
  device_->Enter(program_);
  device_->memory()->Set(kParamSegment, {"the kernel's parameters", parameters_, false});
}

void Session::Record() {
  timeline_ = std::make_unique<Timeline>();
  grid_->set_timeline(timeline_.get());
}

std::string Session::Which(std::size_t launch) const {
  return manifest_.launches.empty()
             ? ""
             : fmt::format("launch {} of {}, kernel {}", index_ + launch + 1,
                           manifest_.launches.size(), Demangled(program_->Kernel(launch).name));
}

std::string Session::Which() const {
  if (launch_.programmatic.empty()) {
    return Which(0);
  }
  std::vector<std::string> kernels;
  for (std::size_t i = 0; i + 1 < launch_.Launches(); ++i) {
    kernels.push_back(Demangled(program_->Kernel(i).name));
  }
  return fmt::format("launches {} to {} of {}, kernels {} and {}", index_ + 1,
                     index_ + launch_.Launches(), manifest_.launches.size(),
                     fmt::join(kernels, ", "),
                     Demangled(program_->Kernel(launch_.Launches() - 1).name));
}

void Session::Follow(Schedule schedule) {
  for (std::size_t i = 0; i < schedule.turns.size(); ++i) {
    const Turn& turn = schedule.turns[i];
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("the schedule's turns[{}] names {}", i, what));
    };
    const std::uint64_t ctas = launch_.AllCtas();
    if (turn.cta >= ctas) {
      fail(fmt::format("CTA {} of a grid of {}", turn.cta, ctas));
    }
    if (turn.to && *turn.to >= ctas) {
      fail(fmt::format("what goes to CTA {} of a grid of {}", *turn.to, ctas));
    }
    const Launch& launch = launch_.OfCta(turn.cta);
    if (turn.warp >= launch.Warps()) {
      fail(fmt::format("warp {} of CTAs with {}", turn.warp, launch.Warps()));
    }
    const std::uint64_t threads =
        std::min<std::uint64_t>(launch.Threads() - std::uint64_t{turn.warp} * kWarpSize, kWarpSize);
    if (std::uint64_t{turn.lanes} >> threads != 0) {
      fail(fmt::format("the lanes {:#010x} of a warp with {} threads", turn.lanes, threads));
    }
  }
  replay_ = std::make_unique<ScheduleReplay>(std::move(schedule), *program_);
  grid_->set_replay(replay_.get());
}

// What the manifest and the kernel's own directives say of clusters.
unsigned Session::units() const { return Clusters::UnitsOf(launch_); }

void Session::SetCluster(std::size_t index, Launch* launch) const {
  const Function& kernel = program_->Kernel(index);
  const KernelLaunch& own = OwnAt(index);
  launch->cluster = own.cluster.value_or(launch->cluster);
  launch->explicit_cluster = own.cluster.has_value();
  if (!kernel.required_cluster.empty()) {
    std::array<std::uint32_t, 3> required{1, 1, 1};
    std::uint64_t ctas = 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(kernel.required_cluster.size(), 3); ++i) {
      ctas = std::min<std::uint64_t>(kernel.required_cluster[i], kMaxClusterCtas + 1) * ctas;
      required[i] = static_cast<std::uint32_t>(kernel.required_cluster[i]);
    }
    if (ctas == 0 || ctas > kMaxClusterCtas) {
      throw InputError(
          fmt::format("the kernel {} requires a cluster of {} CTAs "
                      "(.reqnctapercluster), but there can be 1 to {}",
                      kernel.name, Product(kernel.required_cluster), kMaxClusterCtas));
    }
    if (own.cluster && *own.cluster != required) {
      throw InputError(
          fmt::format("the kernel {} requires a cluster of {} CTAs "
                      "(.reqnctapercluster): \"cluster\" must say so or be left out",
                      kernel.name, Product(kernel.required_cluster)));
    }
    launch->cluster = required;
    launch->explicit_cluster = true;
  }
  if (kernel.blocks_are_clusters) {
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t ctas = std::uint64_t{launch->grid[i]} * launch->cluster[i];
      if (ctas > kMaxGrid) {
        throw InputError(
            fmt::format("a grid of {} clusters is too large: the kernel {} has .blocksareclusters",
                        fmt::join(launch->grid, "x"), kernel.name));
      }
      launch->grid[i] = static_cast<std::uint32_t>(ctas);
    }
  }
  const unsigned ctas = launch->ClusterCtas();
  if (kernel.explicit_cluster && !launch->explicit_cluster) {
    throw InputError(fmt::format(
        "the kernel {} must be launched in clusters (.explicitcluster): \"cluster\" is missing",
        kernel.name));
  }
  if (kernel.max_cluster != 0 && ctas > kernel.max_cluster) {
    throw InputError(
        fmt::format("a cluster of {} CTAs is more than the kernel {} allows: {} (.maxclusterrank)",
                    ctas, kernel.name, kernel.max_cluster));
  }
  for (unsigned i = 0; i < 3; ++i) {
    if (launch->grid[i] % launch->cluster[i] != 0) {
      throw InputError(fmt::format("a grid of {} CTAs is not a multiple of clusters of {}",
                                   fmt::join(launch->grid, "x"), fmt::join(launch->cluster, "x")));
    }
  }
}

// The CTAs of a cooperative grid meet at a word of memory, so all of them must be there at once.
void Session::SetCooperative(std::size_t index, Launch* launch) {
  if (!OwnAt(index).cooperative) {
    return;
  }
  const unsigned together = Clusters::ShareOf(*launch);
  const std::uint64_t at_once =
      std::min<std::uint64_t>(config_.num_ctas,
                              config_.num_warps / std::max<std::uint64_t>(launch->Warps(), 1)) /
      together;
  if (launch->Clusters() > at_once) {
    throw DoesNotFit(fmt::format(
        "a cooperative grid of {} CTAs does not fit the configuration {}, which holds {} of them "
        "at once: use a smaller grid or block, or another --config",
        launch->Ctas(), config_.name, at_once * launch->ClusterCtas()));
  }
  // The size of the workspace, and the barrier's word.
  launch->workspace =
      device_->memory()->Add({"the grid's workspace", std::vector<std::uint8_t>(8), true});
}

void Session::LayOut(std::size_t index, Launch* launch) const {
  if (program_->static_shared > kSharedBytes) {
    throw InputError(fmt::format("the kernel's shared variables take {} bytes, but a CTA has {}",
                                 program_->static_shared, kSharedBytes));
  }
  launch->shared_bytes = program_->static_shared;
  launch->dynamic_shared = DynamicShared(OwnAt(index), *program_);
  if (launch->dynamic_shared != 0) {
    const std::uint64_t all = std::uint64_t{program_->dynamic_base} + launch->dynamic_shared;
    if (all > kMaxSharedBytes) {
      throw InputError(
          fmt::format("dynamic_shared makes {} bytes of shared memory, but a CTA has "
                      "at most {}",
                      all, kMaxSharedBytes));
    }
    launch->shared_bytes = static_cast<std::uint32_t>(all);
  }
  launch->reserved_shared = launch->shared_bytes;
  if (UsesReservedShared(*program_)) {
    launch->reserved_shared =
        (launch->shared_bytes + kReservedAlign - 1) / kReservedAlign * kReservedAlign;
    launch->shared_bytes = launch->reserved_shared + kReservedSharedBytes;
  }
}

void Session::PassArguments(std::size_t index, Launch* launch) {
  const Function& kernel = program_->Kernel(index);
  const std::vector<std::vector<std::uint8_t>> arguments = ArgumentBytes(
      OwnAt(index), kernel,
      {[this](const Argument& argument) { return device_->AddressOf(argument.buffer); },
       [this](const std::string& map) { return device_->ImageOf(map); }});
  std::vector<std::uint8_t> parameters(kernel.param_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::copy(arguments[i].begin(), arguments[i].end(),
              parameters.begin() + kernel.parameters[i].offset);
  }
  if (index == 0) {
    parameters_ = std::move(parameters);
  } else {
    launch->parameters =
        device_->memory()->Add({"the kernel's parameters", std::move(parameters), false});
  }
}

std::vector<std::string> Session::Differences(const Memory& memory) const {
  std::vector<std::string> differences;
  for (std::size_t k = 0; k < manifest_.buffers.size(); ++k) {
    if (!manifest_.buffers[k].expected) {
      continue;
    }
    std::string difference = Difference(manifest_.buffers[k], ContentsIn(memory, k),
                                        UnknownIn(memory, k), memory.origins());
    if (!difference.empty()) {
      differences.push_back(std::move(difference));
    }
  }
  return differences;
}

void Session::Count(HazardCounts* hazards) const {
  for (const Incident& hazard : grid_->hazards()) {
    (*hazards)[hazard.name] += hazard.count;
  }
}

Verdict Session::Judge(const HazardCounts& before) const {
  Verdict verdict;
  verdict.outcome = OutcomeName(*grid_);
  if (verdict.outcome != manifest_.outcome) {
    const std::string which = Which();
    verdict.differences.push_back(fmt::format("{}{}the outcome is {}, where {} was expected", which,
                                              which.empty() ? "" : ": ", verdict.outcome,
                                              manifest_.outcome));
    verdict.code = ExitCode::kDiffers;
    if (manifest_.outcome != "completes") {
      return verdict;
    }
    switch (grid_->outcome()) {
      case Outcome::kDeadlock:
        verdict.code = ExitCode::kDeadlock;
        break;
      case Outcome::kTimeout:
        verdict.code = ExitCode::kTimeout;
        break;
      default:
        verdict.code = ExitCode::kFault;
    }
    return verdict;
  }
  if (grid_->outcome() == Outcome::kCompletes) {
    verdict.differences = Differences(memory());
  }
  HazardCounts met = before;
  Count(&met);
  for (const auto& [name, wanted] : manifest_.hazards) {
    const std::uint64_t there = met[name];
    if (there == wanted) {
      continue;
    }
    verdict.differences.push_back(fmt::format("the hazard {} was met {} time{}, not {}", name,
                                              there, there == 1 ? "" : "s", wanted));
  }
  if (replay_ != nullptr && replay_->followed() != replay_->size()) {
    verdict.differences.emplace_back("the run could not keep to the schedule");
  }
  if (!verdict.differences.empty()) {
    verdict.code = ExitCode::kDiffers;
  }
  return verdict;
}

}  // namespace muster::ptx
