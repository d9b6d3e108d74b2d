// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/special_registers.h"

#include <string_view>
#include <unordered_map>

#include "sim/ptx/program/directives.h"

namespace muster::ptx {
namespace {

const std::unordered_map<std::string_view, Special>& Specials() {
  static const std::unordered_map<std::string_view, Special> specials = {
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneId},
      {"%warpid", Special::kWarpId},
      {"%nwarpid", Special::kNumWarps},
      {"%lanemask_eq", Special::kLaneMaskEq},
      {"%lanemask_le", Special::kLaneMaskLe},
      {"%lanemask_lt", Special::kLaneMaskLt},
      {"%lanemask_ge", Special::kLaneMaskGe},
      {"%lanemask_gt", Special::kLaneMaskGt},
      {"%clock", Special::kClock},
      {"%clock_hi", Special::kClockHi},
      {"%clock64", Special::kClock64},
      {"%globaltimer", Special::kGlobalTimer},
      {"%globaltimer_lo", Special::kGlobalTimerLo},
      {"%globaltimer_hi", Special::kGlobalTimerHi},
      {"%smid", Special::kSmId},
      {"%nsmid", Special::kNumSm},
      {"%gridid", Special::kGridId},
      {"%dynamic_smem_size", Special::kDynamicShared},
      {"%aggr_smem_size", Special::kAggregateShared},
      {"%total_smem_size", Special::kTotalShared},
      {"%clusterid.x", Special::kClusterIdX},
      {"%clusterid.y", Special::kClusterIdY},
      {"%clusterid.z", Special::kClusterIdZ},
      {"%nclusterid.x", Special::kNumClustersX},
      {"%nclusterid.y", Special::kNumClustersY},
      {"%nclusterid.z", Special::kNumClustersZ},
      {"%cluster_ctaid.x", Special::kClusterCtaidX},
      {"%cluster_ctaid.y", Special::kClusterCtaidY},
      {"%cluster_ctaid.z", Special::kClusterCtaidZ},
      {"%cluster_nctaid.x", Special::kClusterNctaidX},
      {"%cluster_nctaid.y", Special::kClusterNctaidY},
      {"%cluster_nctaid.z", Special::kClusterNctaidZ},
      {"%cluster_ctarank", Special::kClusterRank},
      {"%cluster_nctarank", Special::kClusterCtas},
      {"%is_explicit_cluster", Special::kExplicitCluster},
      {"%reserved_smem_offset_begin", Special::kReservedBegin},
      {"%reserved_smem_offset_end", Special::kReservedEnd},
      {"%reserved_smem_offset_cap", Special::kReservedCap},
      {"%reserved_smem_offset_0", Special::kReserved0},
      {"%reserved_smem_offset_1", Special::kReserved1},
      {"%envreg1", Special::kWorkspaceHigh},
      {"%envreg2", Special::kWorkspaceLow},
      {"%current_graph_exec", Special::kZero}};
  return specials;
}

// %envreg0 to 31, and %pm0 to 7, %pm0_64 to 7_64: there is no driver that sets them, save those
// that hold the address of a cooperative grid's workspace, and nothing is monitored.
bool IsNumbered(std::string_view name) {
  const bool environment = name.substr(0, 7) == "%envreg";
  if (!environment && name.substr(0, 3) != "%pm") {
    return false;
  }
  std::string_view number = name.substr(environment ? 7 : 3);
  const bool wide = !environment && number.size() == 4 && number.substr(1) == "_64";
  number = number.substr(0, wide ? 1 : number.size());
  const bool digits = number.find_first_not_of("0123456789") == std::string_view::npos;
  if (number.empty() || number.size() > 2 || !digits) {
    return false;
  }
  return NumberIn(number) < (environment ? 32 : 8);
}

}  // namespace

std::optional<Special> FindSpecial(std::string_view name) {
  if (const auto found = Specials().find(name); found != Specials().end()) {
    return found->second;
  }
  return IsNumbered(name) ? std::optional(Special::kZero) : std::nullopt;
}

}  // namespace muster::ptx
