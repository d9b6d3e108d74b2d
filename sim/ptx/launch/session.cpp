// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/config.h"
#include "sim/ptx/launch/arguments.h"
#include "sim/ptx/launch/compare.h"
#include "sim/ptx/program/demangle.h"
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

}  // namespace

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
      own_(manifest.LaunchAt(index)),
      config_(config),
      seed_(seed),
      device_(std::move(device)),
      program_(device_->Load(own_)) {
  launch_.grid = own_.grid;
  launch_.block = own_.block;
  launch_.inval_is_hazard = manifest.inval_is_hazard;
  launch_.hint_is_ignored = manifest.hint_is_ignored;
  constexpr std::uint32_t kUnit = 8;  // registers are given out in
  launch_.registers =
      own_.registers ? (*own_.registers + kUnit - 1) / kUnit * kUnit : program_->Kernel().registers;
  const std::string which = Which();
  const std::string where =
      fmt::format("{}: {}{}", manifest.path, which, which.empty() ? "" : ": ");
  try {
    Prepare();
  } catch (const DoesNotFit& error) {
    throw DoesNotFit(where + error.what());
  } catch (const InputError& error) {
    throw InputError(where + error.what());
  }
  // Each launch has an order of its own.
  grid_ = std::make_unique<ClockedGrid>(config_, *program_, launch_, device_->memory(),
                                        seed + index * 0xbf58476d1ce4e5b9U);
}

void Session::Prepare() {
  SetCluster();
  CheckFits(config_, *program_, launch_);
  CheckBlock(program_->Kernel(), launch_);
  SetCooperative();
  LayOut();
  CheckMbarriersFit(config_, *program_, launch_);
  PassArguments();
}

void Session::Enter() {
  device_->Enter(program_);
  device_->memory()->Set(kParamSegment, {"the kernel's parameters", parameters_, false});
}

void Session::Record() {
  timeline_ = std::make_unique<Timeline>();
  grid_->set_timeline(timeline_.get());
}

std::string Session::Which() const {
  return manifest_.launches.empty()
             ? ""
             : fmt::format("launch {} of {}, kernel {}", index_ + 1, manifest_.launches.size(),
                           Demangled(program_->Kernel().name));
}

void Session::Follow(Schedule schedule) {
  for (std::size_t i = 0; i < schedule.turns.size(); ++i) {
    const Turn& turn = schedule.turns[i];
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("the schedule's turns[{}] names {}", i, what));
    };
    if (turn.cta >= launch_.Ctas()) {
      fail(fmt::format("CTA {} of a grid of {}", turn.cta, launch_.Ctas()));
    }
    if (turn.to && *turn.to >= launch_.Ctas()) {
      fail(fmt::format("what goes to CTA {} of a grid of {}", *turn.to, launch_.Ctas()));
    }
    if (turn.warp >= launch_.Warps()) {
      fail(fmt::format("warp {} of CTAs with {}", turn.warp, launch_.Warps()));
    }
    const std::uint64_t threads = std::min<std::uint64_t>(
        launch_.Threads() - std::uint64_t{turn.warp} * kWarpSize, kWarpSize);
    if (std::uint64_t{turn.lanes} >> threads != 0) {
      fail(fmt::format("the lanes {:#010x} of a warp with {} threads", turn.lanes, threads));
    }
  }
  replay_ = std::make_unique<ScheduleReplay>(std::move(schedule), *program_);
  grid_->set_replay(replay_.get());
}

// What the manifest and the kernel's own directives say of clusters.
void Session::SetCluster() {
  const Function& kernel = program_->Kernel();
  launch_.cluster = own_.cluster.value_or(launch_.cluster);
  launch_.explicit_cluster = own_.cluster.has_value();
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
    if (own_.cluster && *own_.cluster != required) {
      throw InputError(
          fmt::format("the kernel {} requires a cluster of {} CTAs "
                      "(.reqnctapercluster): \"cluster\" must say so or be left out",
                      kernel.name, Product(kernel.required_cluster)));
    }
    launch_.cluster = required;
    launch_.explicit_cluster = true;
  }
  if (kernel.blocks_are_clusters) {
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t ctas = std::uint64_t{launch_.grid[i]} * launch_.cluster[i];
      if (ctas > kMaxGrid) {
        throw InputError(
            fmt::format("a grid of {} clusters is too large: the kernel {} has .blocksareclusters",
                        fmt::join(launch_.grid, "x"), kernel.name));
      }
      launch_.grid[i] = static_cast<std::uint32_t>(ctas);
    }
  }
  const unsigned ctas = launch_.ClusterCtas();
  if (kernel.explicit_cluster && !launch_.explicit_cluster) {
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
    if (launch_.grid[i] % launch_.cluster[i] != 0) {
      throw InputError(fmt::format("a grid of {} CTAs is not a multiple of clusters of {}",
                                   fmt::join(launch_.grid, "x"), fmt::join(launch_.cluster, "x")));
    }
  }
}

// The CTAs of a cooperative grid meet at a word of memory, so all of them must be there at once.
void Session::SetCooperative() {
  if (!own_.cooperative) {
    return;
  }
  const std::uint64_t at_once = std::min<std::uint64_t>(
      config_.num_ctas, config_.num_warps / std::max<std::uint64_t>(launch_.Warps(), 1));
  if (launch_.Clusters() > at_once) {
    throw DoesNotFit(fmt::format(
        "a cooperative grid of {} CTAs does not fit the configuration {}, which holds {} of them "
        "at once: use a smaller grid or block, or another --config",
        launch_.Ctas(), config_.name, at_once * launch_.ClusterCtas()));
  }
  // The size of the workspace, and the barrier's word.
  launch_.workspace =
      device_->memory()->Add({"the grid's workspace", std::vector<std::uint8_t>(8), true});
}

void Session::LayOut() {
  if (program_->static_shared > kSharedBytes) {
    throw InputError(fmt::format("the kernel's shared variables take {} bytes, but a CTA has {}",
                                 program_->static_shared, kSharedBytes));
  }
  launch_.shared_bytes = program_->static_shared;
  launch_.dynamic_shared = DynamicShared(own_, *program_);
  if (launch_.dynamic_shared != 0) {
    const std::uint64_t all = std::uint64_t{program_->dynamic_base} + launch_.dynamic_shared;
    if (all > kMaxSharedBytes) {
      throw InputError(
          fmt::format("dynamic_shared makes {} bytes of shared memory, but a CTA has "
                      "at most {}",
                      all, kMaxSharedBytes));
    }
    launch_.shared_bytes = static_cast<std::uint32_t>(all);
  }
  launch_.reserved_shared = launch_.shared_bytes;
  if (UsesReservedShared(*program_)) {
    launch_.reserved_shared =
        (launch_.shared_bytes + kReservedAlign - 1) / kReservedAlign * kReservedAlign;
    launch_.shared_bytes = launch_.reserved_shared + kReservedSharedBytes;
  }
}

void Session::PassArguments() {
  const std::vector<std::vector<std::uint8_t>> arguments =
      ArgumentBytes(own_, program_->Kernel(),
                    {[this](const std::string& buffer) { return device_->AddressOf(buffer); },
                     [this](const std::string& map) { return device_->ImageOf(map); }});
  parameters_.resize(program_->param_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::copy(arguments[i].begin(), arguments[i].end(),
              parameters_.begin() + program_->Kernel().parameters[i].offset);
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
