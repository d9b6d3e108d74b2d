// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/fence_checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"

namespace muster::lockstep {
namespace {

using golden::FenceTracker;

bool Has(std::uint64_t warps, unsigned warp) { return (warps >> warp & 1) != 0; }

FenceTracker::Classes ClassesOf(const WarpsByClass& named, unsigned warp) {
  FenceTracker::Classes classes = 0;
  for (unsigned of = 0; of < kAccessClasses; ++of) {
    classes |= Has(named[of], warp) ? 1U << of : 0;
  }
  return classes;
}

std::string Describe(const FenceTracker& model, unsigned warp) {
  std::string text;
  for (const FenceTracker::Access& access : model.Outstanding(warp)) {
    text += fmt::format("{}{} of class {}", text.empty() ? "" : ", ", access.number, access.of);
  }
  return text.empty() ? "nothing is outstanding" : "outstanding are " + text;
}

}  // namespace

bool FenceChecker::Wrong(const char* field, const std::string& unit, std::string golden,
                         unsigned warp) {
  mismatch_ = Mismatch{field, fmt::format("warp {}: {}", warp, unit), std::move(golden)};
  return false;
}

bool FenceChecker::Check(const FenceInputs& in, const FenceOutputs& out) {
  // Of other warps nothing is outstanding, and no request waits.
  std::uint64_t warps = open_ | in.request | asked_ | (AllWarps() & ~out.acknowledge);
  for (unsigned of = 0; of < shape_.num_classes; ++of) {
    warps |= in.classes[of] | out.full[of];
  }
  for (; warps != 0; warps &= warps - 1) {
    if (!CheckWarp(First(warps), in, out)) {
      return false;
    }
  }
  const bool good =
      std::all_of(in.begun.begin(), in.begun.end(),
                  [&](const auto& access) { return Begin(access, out); }) &&
      std::all_of(in.done.begin(), in.done.end(), [&](const auto& access) { return End(access); });
  ForEachBit(in.request | asked_, [&](unsigned warp) {
    model_.Request(warp, Has(in.request, warp), ClassesOf(in.classes, warp),
                   Has(out.acknowledge, warp));
  });
  asked_ = in.request & ~out.acknowledge;
  named_ = in.classes;
  return good;
}

// What is true in this cycle, before what happens in it.
bool FenceChecker::CheckWarp(unsigned warp, const FenceInputs& in, const FenceOutputs& out) {
  const bool requested = Has(in.request, warp);
  const FenceTracker::Classes classes = ClassesOf(in.classes, warp);
  if (Has(asked_, warp) && (!requested || classes != ClassesOf(named_, warp))) {
    return Wrong("fence.request", requested ? "names other classes" : "is withdrawn",
                 "is held until it is acknowledged", warp);
  }
  const bool busy = (classes & ClassesOf(in.busy, warp)) != 0;
  const bool performed = model_.Acknowledges(warp, requested, classes);
  const bool acknowledges = Has(out.acknowledge, warp);
  if (acknowledges != (performed && !busy)) {
    return Wrong("fence.ack",
                 fmt::format("{} {} of classes {:#x}",
                             acknowledges ? "acknowledges" : "does not acknowledge",
                             requested ? "a request" : "without a request, and", classes),
                 fmt::format("{}; {}; the request waits for [{}]",
                             busy ? "a class is busy" : "no class is busy", Describe(model_, warp),
                             fmt::join(model_.Awaited(warp), ", ")),
                 warp);
  }
  counts_.held_up += requested && performed && busy ? 1 : 0;
  if (requested && acknowledges) {
    CountDrain(warp, classes);
  }
  return CheckRoom(warp, out);
}

bool FenceChecker::CheckRoom(unsigned warp, const FenceOutputs& out) {
  for (unsigned of = 0; of < shape_.num_classes; ++of) {
    const bool full = Has(open_, warp) && !model_.HasRoom(warp, of);
    if (Has(out.full[of], warp) != full) {
      return Wrong("fence.full", fmt::format("is {} for class {}", full ? "low" : "high", of),
                   Describe(model_, warp), warp);
    }
    if (full) {
      const auto& accesses = model_.Outstanding(warp);
      const auto there = std::count_if(accesses.begin(), accesses.end(),
                                       [of](const auto& access) { return access.of == of; });
      ++counts_.full;
      counts_.both_full += there == 2 * shape_.most ? 1 : 0;
    }
  }
  return true;
}

void FenceChecker::CountDrain(unsigned warp, FenceTracker::Classes classes) {
  const auto& accesses = model_.Outstanding(warp);
  const auto any = [&](bool named) {
    return std::any_of(accesses.begin(), accesses.end(), [&](const auto& access) {
      return ((classes >> access.of & 1) != 0) == named;
    });
  };
  ++counts_.drains;
  counts_.at_once += model_.Waits(warp) ? 0 : 1;
  counts_.overtaken += any(true) ? 1 : 0;
  counts_.passed += any(false) ? 1 : 0;
}

bool FenceChecker::Begin(const FenceInputs::Access& access, const FenceOutputs& out) {
  ++counts_.accesses;
  if (!model_.HasRoom(access.warp, access.of)) {
    return Wrong("fence.begin", fmt::format("an access of class {} begins", access.of),
                 "there is no room for it", access.warp);
  }
  const bool epoch = Has(out.epoch[access.of], access.warp);
  if (!model_.Begin(access.warp, access.of, access.number, epoch)) {
    return Wrong("fence.epoch", fmt::format("{:d} of class {}", epoch, access.of),
                 "one that tells what a request waits for from what came after it", access.warp);
  }
  open_ |= Bit(access.warp);
  return true;
}

bool FenceChecker::End(const FenceInputs::Access& access) {
  const FenceTracker::Access* const begun = model_.Find(access.warp, access.number);
  if (begun == nullptr || begun->of != access.of || begun->epoch != access.epoch) {
    return Wrong("fence.done", fmt::format("access {} of class {}", access.number, access.of),
                 begun == nullptr ? "it has not begun" : "it began otherwise", access.warp);
  }
  model_.End(access.warp, access.number);
  if (model_.Outstanding(access.warp).empty()) {
    open_ &= ~Bit(access.warp);
  }
  return true;
}

}  // namespace muster::lockstep
