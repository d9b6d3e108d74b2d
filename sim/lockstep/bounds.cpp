// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/bounds.h"

#include <cstdint>
#include <limits>

namespace muster::lockstep {

Bounds BoundsOf(const Config& config) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  Bounds bounds{};
  const bool lag = config.reduce || config.state || config.num_issue > 1;
  bounds.latency = lag ? 2 : 1;
  bounds.accept = bounds.latency + (config.num_issue > 1 ? 3 : 2);
  bounds.longest = {kNone, kNone, kNone, kNone};
  return bounds;
}

}  // namespace muster::lockstep
