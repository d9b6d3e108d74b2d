// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/device_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/simt/printf.h"

namespace muster::ptx {
namespace {

constexpr std::size_t kMaxText = 1U << 16;
constexpr std::uint64_t kHeapBytes = 8U << 20;  // CUDA's default

}  // namespace

// The text at a generic address, as far as it can be read.
std::string DeviceRuntime::TextAt(Warp* warp, unsigned lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kMaxText) {
    const std::uint8_t* const at =
        x_.space.Resolve(warp, lane, Space::kGeneric, address++, 1, false);
    if (at == nullptr) {
      break;
    }
    const UnknownPlace there = x_.space.UnknownAt(warp, lane, Space::kGeneric, address - 1);
    const bool known = there.bytes->Find(there.at, 1) == 0;
    if (known && *at == 0) {
      break;
    }
    text.push_back(known ? static_cast<char>(*at) : '?');
  }
  return text;
}

// Prints what the format and the arguments, laid out as in a structure, say. Returns how many
// arguments there were.
std::uint32_t DeviceRuntime::Print(Warp* warp, unsigned lane, std::uint64_t format,
                                   std::uint64_t arguments) {
  std::uint32_t count = 0;
  const auto next = [&](unsigned bytes) {
    arguments = (arguments + bytes - 1) & ~std::uint64_t{bytes - 1};
    const std::uint8_t* const at =
        x_.space.Resolve(warp, lane, Space::kGeneric, arguments, bytes, false);
    std::uint64_t value = 0;
    if (at != nullptr) {
      std::memcpy(&value, at, bytes);
    }
    arguments += bytes;
    ++count;
    return value;
  };
  printed_.Add(FormatPrintf(TextAt(warp, lane, format), next,
                            [&](std::uint64_t at) { return TextAt(warp, lane, at); }));
  return count;
}

StepEvent DeviceRuntime::ExecuteRuntime(Warp* warp, const Group& group, std::uint32_t active) {
  const Lanes lanes = x_.LanesOf(warp, group, active);
  const std::uint32_t line = lanes.instruction.line;
  const auto& call = lanes.instruction.As<RuntimeCall>();
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const auto place = [&](Slot offset) {
      return &warp->local[lane]
                         [warp->Register(group.frame, kStackSlot, lane) + lanes.Read(offset)[lane]];
    };
    const auto argument = [&](unsigned k, std::size_t bytes) {
      std::uint64_t value = 0;
      std::memcpy(&value, place(call.arguments[k]), bytes);
      return value;
    };
    std::uint64_t result = 0;
    std::size_t result_bytes = 8;
    switch (call.function) {
      case Runtime::kAssert:
        x_.Fault(*warp, lane, line,
                 fmt::format("{}:{}: assertion \"{}\" failed", TextAt(warp, lane, argument(1, 8)),
                             argument(2, 4), TextAt(warp, lane, argument(0, 8))));
        return StepEvent::kAssert;
      case Runtime::kPrint:
        result = Print(warp, lane, argument(0, 8), argument(1, 8));
        result_bytes = 4;
        break;
      case Runtime::kMalloc:
        result = x_.memory->Allocate(argument(0, 8), kHeapBytes);
        break;
      case Runtime::kFree:
        if (!x_.memory->Free(argument(0, 8))) {
          return x_.Fault(*warp, lane, line,
                          fmt::format("frees {:#x}, which malloc has not given", argument(0, 8)));
        }
        break;
    }
    if (call.result != kNoSlot) {
      std::memcpy(place(call.result), &result, result_bytes);
    }
  }
  return StepEvent::kNone;
}

// What differs from thread to thread.
void DeviceRuntime::ExecuteSpecial(Warp* warp, const Lanes& lanes) const {
  const auto& read = lanes.instruction.As<SpecialRead>();
  const Special special = read.special;
  const Launch& launch = *warp->cta->launch;
  std::uint64_t* const d = lanes.Write(read.d);
  const auto each = [&](auto f) { lanes.ForEach([&](unsigned lane) { d[lane] = f(lane); }); };
  switch (special) {
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ:
      return each([&](unsigned lane) {
        return PointOf(
            warp->first_thread + lane,
            launch.block)[static_cast<unsigned>(special) - static_cast<unsigned>(Special::kTidX)];
      });
    case Special::kLaneId:
      return each([](unsigned lane) { return lane; });
    case Special::kLaneMaskEq:
      return each([](unsigned lane) { return 1U << lane; });
    case Special::kLaneMaskLe:
      return each([](unsigned lane) { return ~0U >> (kWarpSize - 1 - lane); });
    case Special::kLaneMaskLt:
      return each([](unsigned lane) { return (1U << lane) - 1; });
    case Special::kLaneMaskGe:
      return each([](unsigned lane) { return ~0U << lane; });
    case Special::kLaneMaskGt:
      return each([](unsigned lane) { return ~0U << lane << 1; });
    default:
      return each([value = UniformSpecial(*warp, special)](unsigned) { return value; });
  }
}

std::uint64_t DeviceRuntime::UniformSpecial(const Warp& warp, Special special) const {
  const Launch& launch = *warp.cta->launch;
  const auto of = [&](Special first) {
    return static_cast<unsigned>(special) - static_cast<unsigned>(first);
  };
  switch (special) {
    case Special::kNtidX:
    case Special::kNtidY:
    case Special::kNtidZ:
      return launch.block[of(Special::kNtidX)];
    case Special::kCtaidX:
    case Special::kCtaidY:
    case Special::kCtaidZ:
      return warp.cta->id[of(Special::kCtaidX)];
    case Special::kNctaidX:
    case Special::kNctaidY:
    case Special::kNctaidZ:
      return launch.grid[of(Special::kNctaidX)];
    case Special::kWarpId:
      return warp.first_thread / kWarpSize;
    case Special::kNumWarps:
      return launch.Warps();
    case Special::kClock:
      return x_.cycle & 0xffffffffU;
    case Special::kClockHi:
      return x_.cycle >> 32;
    case Special::kClock64:
      return x_.cycle;
    case Special::kGlobalTimer:
      return x_.cycle * x_.clock_period_ps / kPsPerNs;
    case Special::kGlobalTimerLo:
      return (x_.cycle * x_.clock_period_ps / kPsPerNs) & 0xffffffffU;
    case Special::kGlobalTimerHi:
      return (x_.cycle * x_.clock_period_ps / kPsPerNs) >> 32;
    case Special::kClusterCtaidX:
    case Special::kClusterCtaidY:
    case Special::kClusterCtaidZ:
      return PointOf(warp.cta->rank, launch.cluster)[of(Special::kClusterCtaidX)];
    case Special::kClusterNctaidX:
    case Special::kClusterNctaidY:
    case Special::kClusterNctaidZ:
      return launch.cluster[of(Special::kClusterNctaidX)];
    case Special::kClusterIdX:
    case Special::kClusterIdY:
    case Special::kClusterIdZ:
      return warp.cta->cluster->id[of(Special::kClusterIdX)];
    case Special::kNumClustersX:
    case Special::kNumClustersY:
    case Special::kNumClustersZ:
      return launch.GridOfClusters()[of(Special::kNumClustersX)];
    case Special::kClusterRank:
      return warp.cta->rank;
    case Special::kSmId:
      return warp.cta->unit;
    case Special::kClusterCtas:
      return launch.ClusterCtas();
    case Special::kNumSm:
      return std::min(launch.ClusterCtas(), kMaxUnits);
    case Special::kExplicitCluster:
      return launch.explicit_cluster ? 1 : 0;
    case Special::kWorkspaceHigh:
      return launch.workspace >> 32;
    case Special::kWorkspaceLow:
      return launch.workspace & 0xffffffffU;
    case Special::kDynamicShared:
      return launch.dynamic_shared;
    case Special::kTotalShared:
    case Special::kReservedBegin:
    case Special::kReserved0:
      return launch.reserved_shared;
    case Special::kReserved1:
      return launch.reserved_shared + kReservedSharedBytes / 2;
    case Special::kAggregateShared:
    case Special::kReservedEnd:
      return launch.shared_bytes;
    case Special::kReservedCap:
      return launch.shared_bytes - launch.reserved_shared;
    default:
      return 0;
  }
}

}  // namespace muster::ptx
