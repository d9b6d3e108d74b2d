// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cluster scope in the words of cluster_trace.h.
#ifndef MUSTER_TB_GOLDEN_CLUSTER_TEXT_H_
#define MUSTER_TB_GOLDEN_CLUSTER_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"

namespace muster::golden {

std::string EffectsText(const ClusterEffects& effects);
std::string LostText(const RemoteLost& lost);
std::string DeliverText(const DeliverEffects& effects);
std::string StepText(const CancelStep& step);
// Each after the name.
std::string LanesText(const std::vector<ClusterLanes>& all, const std::string& name);
// In the order of units and warps.
std::string Sorted(std::vector<ClusterLanes> all);

std::string WarpText(const ClusterWarp* warp);
std::string MissingText(const ClusterScope& scope, unsigned cluster);
std::string PlaceText(std::optional<CtaPlace> place);
std::string PhasesText(const ClusterScope& scope, unsigned cluster);
std::string GridsText(const ClusterScope& scope);
std::string NextText(const ClusterScope& scope, unsigned target, bool late);
// All that the model shows.
std::string StateText(const ClusterScope& scope);

}  // namespace muster::golden

#endif  // MUSTER_TB_GOLDEN_CLUSTER_TEXT_H_
