// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/golden/cluster_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"
#include "tb/golden/trace_text.h"

namespace muster::golden {

namespace {

std::string SetText(std::uint32_t set) {
  std::string text;
  ForEachBit(set, [&](unsigned bit) { text += fmt::format("{}{}", text.empty() ? "" : ",", bit); });
  return text;
}

}  // namespace

std::string LanesText(const std::vector<ClusterLanes>& all, const std::string& name) {
  std::string text;
  for (const ClusterLanes& lanes : all) {
    text += fmt::format("{} {}.{}:{:#x}", name, lanes.unit, lanes.warp, lanes.lanes);
  }
  return text;
}

std::string EffectsText(const ClusterEffects& effects) {
  std::string text;
  if (effects.fault != FaultCause::kNone) {
    text += Name(effects.fault);
    text = " fault " + text;
    text += effects.at_fault != 0 ? fmt::format(" {:#x}", effects.at_fault) : "";
  }
  text += effects.go != 0 ? fmt::format(" go {:#x}", effects.go) : "";
  text += LanesText(effects.releases, " release");
  text += LanesText(effects.grid_releases, " grid_release");
  text += effects.launches != 0 ? " launch_o " + SetText(effects.launches) : "";
  text += effects.flushes != 0 ? " flush_o " + SetText(effects.flushes) : "";
  return Trim(text);
}

std::string LostText(const RemoteLost& lost) {
  return fmt::format("lost {}.{} {}/{} {:#x} lanes={:#x}", lost.unit, lost.warp, lost.cluster,
                     lost.rank, lost.addr, lost.lanes);
}

std::string DeliverText(const DeliverEffects& effects) {
  EXPECT_NE(effects.lost.has_value(), effects.delivered.has_value());
  if (effects.lost.has_value()) {
    return LostText(*effects.lost);
  }
  const RemoteOperation& operation = *effects.delivered;
  return fmt::format("{} {}.{} {:#x} lanes={:#x} x={}{}", Name(operation.op), operation.place.unit,
                     operation.place.cta, operation.addr, operation.lanes, operation.operand,
                     operation.has_token ? " token" : "");
}

std::string StepText(const CancelStep& step) {
  if (!step.writes) {
    EXPECT_EQ(step.data, CancelResponse{});
    return fmt::format(" complete {}.{} {:#x} {}", step.place.unit, step.place.cta, step.addr,
                       step.bytes);
  }
  EXPECT_EQ(step.bytes, 0U);
  return fmt::format(" write {}.{} {:#x} {},{},{},{}", step.place.unit, step.place.cta, step.addr,
                     step.data[0], step.data[1], step.data[2], step.data[3]);
}

std::string WarpText(const ClusterWarp* warp) {
  std::string text;
  const auto add = [&](const char* name, std::uint32_t lanes) {
    text += lanes != 0 ? fmt::format(" {} {:#x}", name, lanes) : "";
  };
  if (warp != nullptr) {
    EXPECT_NE(warp->live, 0U);
    EXPECT_EQ((warp->arrived | warp->passed | warp->at_grid) & ~warp->live, 0U);
    EXPECT_EQ(warp->waiting & ~warp->arrived, 0U);
    EXPECT_EQ(warp->arrived & warp->passed, 0U);
    add("live", warp->live);
    add("arrived", warp->arrived);
    add("waiting", warp->waiting);
    add("passed", warp->passed);
    add("at_grid", warp->at_grid);
  }
  return text;
}

std::string MissingText(const ClusterScope& scope, unsigned cluster) {
  std::string text;
  for (const ClusterMissing& missing : scope.Missing(cluster)) {
    text += fmt::format("{}{}:", text.empty() ? "" : ", ", missing.rank);
    text += missing.launched ? "" : " not launched";
    text += missing.unseen != 0 ? fmt::format(" unseen {}", missing.unseen) : "";
    text += LanesText(missing.warps, "");
  }
  return text;
}

std::string PlaceText(std::optional<CtaPlace> place) {
  return place.has_value() ? fmt::format("{}.{}", place->unit, place->cta) : "";
}

std::string PhasesText(const ClusterScope& scope, unsigned cluster) {
  return fmt::format("{}{}", scope.Phases(cluster), scope.IsOpen(cluster) ? " open" : "");
}

std::string GridsText(const ClusterScope& scope) {
  std::string text;
  const std::uint32_t in_flight = scope.GridsInFlight();
  text += in_flight != 0 ? " in flight " + SetText(in_flight) : "";
  const std::uint32_t launches = scope.Launches() & in_flight;
  text += launches != 0 ? " launch_o " + SetText(launches) : "";
  text += scope.Flushes() != 0 ? " flush_o " + SetText(scope.Flushes()) : "";
  for (unsigned grid = 0; grid < kMaxGrids; ++grid) {
    const std::uint32_t awaits = scope.Awaits(grid);
    text += awaits != 0 ? fmt::format(" awaits {}:{}", grid, SetText(awaits)) : "";
  }
  return text;
}

std::string NextText(const ClusterScope& scope, unsigned target, bool late) {
  std::string text;
  for (const auto& [sender, effects] : scope.Next(target, late)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sender, DeliverText(effects));
  }
  return text;
}

std::string Sorted(std::vector<ClusterLanes> all) {
  std::sort(all.begin(), all.end(), [](const ClusterLanes& left, const ClusterLanes& right) {
    return std::tie(left.unit, left.warp) < std::tie(right.unit, right.warp);
  });
  return LanesText(all, "");
}

std::string StateText(const ClusterScope& scope) {
  std::string text = GridsText(scope) + "\n";
  for (unsigned cluster = 0; cluster < kMaxClusters; ++cluster) {
    text += fmt::format("{} phases {} missing {}", cluster, PhasesText(scope, cluster),
                        MissingText(scope, cluster));
    for (unsigned rank = 0; rank < kMaxRanks; ++rank) {
      text += " " + PlaceText(scope.Place(cluster, rank));
    }
    text += "\n";
  }
  for (unsigned unit = 0; unit < kMaxUnits; ++unit) {
    for (unsigned warp = 0; warp < kMaxWarps; ++warp) {
      const ClusterWarp* found = scope.FindWarp(unit, warp);
      text += found != nullptr ? fmt::format("{}.{}{}\n", unit, warp, WarpText(found)) : "";
    }
    for (std::uint8_t cta = 0; cta < kMaxCtas; ++cta) {
      text += scope.IsResident({static_cast<std::uint8_t>(unit), cta}) ? "+" : "-";
    }
    text += "next " + NextText(scope, unit, false) + "\n";
    for (unsigned sender = 0; sender < kMaxUnits; ++sender) {
      text += fmt::format(" {}", scope.OnTheWay(sender, unit));
    }
  }
  return text;
}

}  // namespace muster::golden
