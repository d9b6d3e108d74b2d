// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/ptx/runtime/clusters.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

// The largest CTA, in warps, that the configuration holds.
unsigned LargestBlock() {
  unsigned warps = 0;
  for (const Config& config : Configs()) {
    warps = std::max(warps, config.num_warps);
  }
  return warps;
}

}  // namespace

void CheckFits(const Config& config, const Program& program, const Launch& launch) {
  if (config.warp_size != kWarpSize) {
    throw DoesNotFit(fmt::format("the configuration {} has warps of {} lanes: those of PTX have {}",
                                 config.name, config.warp_size, kWarpSize));
  }
  const std::uint64_t warps = launch.Warps();
  if (warps > LargestBlock()) {
    throw InputError(
        fmt::format("a block of {} threads is larger than any configuration holds "
                    "({} threads)",
                    launch.Threads(), LargestBlock() * kWarpSize));
  }
  if (warps > config.num_warps) {
    std::string names;
    for (const Config& other : Configs()) {
      if (other.num_warps < warps) {
        continue;
      }
      names += fmt::format("{}{}", names.empty() ? "" : " or ", other.name);
    }
    throw DoesNotFit(
        fmt::format("a block of {} threads is larger than the configuration {} holds "
                    "({} threads): use --config {}",
                    launch.Threads(), config.name, config.num_warps * kWarpSize, names));
  }
  const unsigned together = Clusters::ShareOf(launch);
  if (together > config.num_ctas || together * warps > config.num_warps) {
    throw DoesNotFit(
        fmt::format("of a cluster of {} CTAs, {} are on one unit, and the configuration {} holds "
                    "{} CTAs and {} threads: use a smaller block, or another --config",
                    launch.MaxClusterCtas(), together, config.name, config.num_ctas,
                    config.num_warps * kWarpSize));
  }
  if (config.reduce) {
    return;
  }
  for (const Instruction& i : program.code) {
    if (i.op != Op::kBarrier || !IsReduction(i.As<CtaBarrier>().kind)) {
      continue;
    }
    throw DoesNotFit(fmt::format("{}:{}: the configuration {} has no barrier reductions",
                                 program.file, i.line, config.name));
  }
}

// Of a unit without EnReport, what an instruction needs.
void CheckReportsFit(const Config& config, const Program& program, const Instruction& i) {
  const bool needs = (i.op == Op::kMbarrier && i.As<Mbarrier>().NeedsReports()) ||
                     (i.op == Op::kBulk && i.As<BulkCopy>().validity != Validity::kDisabled) ||
                     (i.op == Op::kTensor && i.As<TensorCopy>().validity != Validity::kDisabled);
  if (!needs || config.report) {
    return;
  }
  std::string names;
  for (const Config& other : Configs()) {
    if (other.report) {
      names += fmt::format("{}{}", names.empty() ? "" : " or ", other.name);
    }
  }
  throw DoesNotFit(fmt::format(
      "{}:{}: the configuration {} has no reports and layouts of mbarriers (EnReport){}",
      program.file, i.line, config.name, names.empty() ? "" : ": use --config " + names));
}

void CheckMbarriersFit(const Config& config, const Program& program, const Launch& launch) {
  bool any = false;
  for (const Instruction& i : program.code) {
    CheckReportsFit(config, program, i);
    if (i.op != Op::kMbarrier) {
      continue;
    }
    any = true;
    const auto& mbarrier = i.As<Mbarrier>();
    const char* const lacks = !config.mbarrier ? "mbarriers"
                              : mbarrier.hint != kNoSlot && !config.mb_limit
                                  ? "time limits of try_wait"
                                  : nullptr;
    if (lacks != nullptr) {
      throw DoesNotFit(fmt::format("{}:{}: the configuration {} has no {}", program.file, i.line,
                                   config.name, lacks));
    }
  }
  if (any && launch.shared_bytes > config.smem_bytes) {
    throw DoesNotFit(
        fmt::format("a CTA has {} bytes of shared memory, but mbarriers of the "
                    "configuration {} lie in the first {}: use less dynamic_shared",
                    launch.shared_bytes, config.name, config.smem_bytes));
  }
}

bool UsesMbarriers(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::kMbarrier || i.op == Op::kTryCancel || i.op == Op::kTensorCommit ||
           (i.op == Op::kStoreAsync && i.As<AsyncStore>().mbarrier != kNoSlot) ||
           (i.op == Op::kBulk && i.As<BulkCopy>().space != Space::kGlobal) ||
           (i.op == Op::kTensor && i.As<TensorCopy>().mbarrier != kNoSlot);
  });
}

bool UsesSharedAtomics(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return (i.op == Op::kAtomic && i.As<AtomicAccess>().address.space != Space::kGlobal) ||
           (i.op == Op::kStoreAsync && i.As<AsyncStore>().mbarrier != kNoSlot);
  });
}

bool UsesWarpScope(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::kExchange || (i.op == Op::kBarrier && !i.As<CtaBarrier>().aligned) ||
           (i.op == Op::kClusterBarrier && !i.As<ClusterBarrier>().aligned);
  });
}

bool UsesClusterScope(const Program& program, const Launch& launch) {
  return launch.MaxClusterCtas() > 1 || !launch.programmatic.empty() ||
         std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
           return i.op == Op::kClusterBarrier || i.op == Op::kGridControl || i.op == Op::kTryCancel;
         });
}

}  // namespace muster::ptx
