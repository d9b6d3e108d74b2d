// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/special_registers.h"

#include <string_view>
#include <unordered_map>

#include "sim/ptx/program/directives.h"

namespace muster::ptx {
namespace {

const std::unordered_map<std::string_view, SpecialRegister>& Specials() {
  static const std::unordered_map<std::string_view, SpecialRegister> specials = {
      {"%tid.x", {Special::kTidX, Type::kU32}},
      {"%tid.y", {Special::kTidY, Type::kU32}},
      {"%tid.z", {Special::kTidZ, Type::kU32}},
      {"%ntid.x", {Special::kNtidX, Type::kU32}},
      {"%ntid.y", {Special::kNtidY, Type::kU32}},
      {"%ntid.z", {Special::kNtidZ, Type::kU32}},
      {"%ctaid.x", {Special::kCtaidX, Type::kU32}},
      {"%ctaid.y", {Special::kCtaidY, Type::kU32}},
      {"%ctaid.z", {Special::kCtaidZ, Type::kU32}},
      {"%nctaid.x", {Special::kNctaidX, Type::kU32}},
      {"%nctaid.y", {Special::kNctaidY, Type::kU32}},
      {"%nctaid.z", {Special::kNctaidZ, Type::kU32}},
      {"%laneid", {Special::kLaneId, Type::kU32}},
      {"%warpid", {Special::kWarpId, Type::kU32}},
      {"%nwarpid", {Special::kNumWarps, Type::kU32}},
      {"%lanemask_eq", {Special::kLaneMaskEq, Type::kU32}},
      {"%lanemask_le", {Special::kLaneMaskLe, Type::kU32}},
      {"%lanemask_lt", {Special::kLaneMaskLt, Type::kU32}},
      {"%lanemask_ge", {Special::kLaneMaskGe, Type::kU32}},
      {"%lanemask_gt", {Special::kLaneMaskGt, Type::kU32}},
      {"%clock", {Special::kClock, Type::kU32}},
      {"%clock_hi", {Special::kClockHi, Type::kU32}},
      {"%clock64", {Special::kClock64, Type::kU64}},
      {"%globaltimer", {Special::kGlobalTimer, Type::kU64}},
      {"%globaltimer_lo", {Special::kGlobalTimerLo, Type::kU32}},
      {"%globaltimer_hi", {Special::kGlobalTimerHi, Type::kU32}},
      {"%smid", {Special::kSmId, Type::kU32}},
      {"%nsmid", {Special::kNumSm, Type::kU32}},
      {"%gridid", {Special::kGridId, Type::kU64}},
      {"%dynamic_smem_size", {Special::kDynamicShared, Type::kU32}},
      {"%aggr_smem_size", {Special::kAggregateShared, Type::kU32}},
      {"%total_smem_size", {Special::kTotalShared, Type::kU32}},
      {"%clusterid.x", {Special::kClusterIdX, Type::kU32}},
      {"%clusterid.y", {Special::kClusterIdY, Type::kU32}},
      {"%clusterid.z", {Special::kClusterIdZ, Type::kU32}},
      {"%nclusterid.x", {Special::kNumClustersX, Type::kU32}},
      {"%nclusterid.y", {Special::kNumClustersY, Type::kU32}},
      {"%nclusterid.z", {Special::kNumClustersZ, Type::kU32}},
      {"%cluster_ctaid.x", {Special::kClusterCtaidX, Type::kU32}},
      {"%cluster_ctaid.y", {Special::kClusterCtaidY, Type::kU32}},
      {"%cluster_ctaid.z", {Special::kClusterCtaidZ, Type::kU32}},
      {"%cluster_nctaid.x", {Special::kClusterNctaidX, Type::kU32}},
      {"%cluster_nctaid.y", {Special::kClusterNctaidY, Type::kU32}},
      {"%cluster_nctaid.z", {Special::kClusterNctaidZ, Type::kU32}},
      {"%cluster_ctarank", {Special::kClusterRank, Type::kU32}},
      {"%cluster_nctarank", {Special::kClusterCtas, Type::kU32}},
      {"%is_explicit_cluster", {Special::kExplicitCluster, Type::kPred}},
      {"%reserved_smem_offset_begin", {Special::kReservedBegin, Type::kU32}},
      {"%reserved_smem_offset_end", {Special::kReservedEnd, Type::kU32}},
      {"%reserved_smem_offset_cap", {Special::kReservedCap, Type::kU32}},
      {"%reserved_smem_offset_0", {Special::kReserved0, Type::kU32}},
      {"%reserved_smem_offset_1", {Special::kReserved1, Type::kU32}},
      {"%envreg1", {Special::kWorkspaceHigh, Type::kU32}},
      {"%envreg2", {Special::kWorkspaceLow, Type::kU32}},
      {"%current_graph_exec", {Special::kZero, Type::kU64}}};
  return specials;
}

// %envreg0 to 31, and %pm0 to 7, %pm0_64 to 7_64: there is no driver that sets them, save those
// that hold the address of a cooperative grid's workspace, and nothing is monitored.
const SpecialRegister* NumberedSpecial(std::string_view name) {
  static constexpr SpecialRegister kNothing = {Special::kZero, Type::kU32};
  static constexpr SpecialRegister kWideNothing = {Special::kZero, Type::kU64};
  const bool environment = name.substr(0, 7) == "%envreg";
  if (!environment && name.substr(0, 3) != "%pm") {
    return nullptr;
  }
  std::string_view number = name.substr(environment ? 7 : 3);
  const bool wide = !environment && number.size() == 4 && number.substr(1) == "_64";
  number = number.substr(0, wide ? 1 : number.size());
  const bool digits = number.find_first_not_of("0123456789") == std::string_view::npos;
  if (number.empty() || number.size() > 2 || !digits) {
    return nullptr;
  }
  return NumberIn(number) < (environment ? 32 : 8) ? (wide ? &kWideNothing : &kNothing) : nullptr;
}

}  // namespace

const SpecialRegister* FindSpecial(std::string_view name) {
  const auto found = Specials().find(name);
  return found == Specials().end() ? NumberedSpecial(name) : &found->second;
}

}  // namespace muster::ptx
