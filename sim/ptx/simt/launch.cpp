// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/launch.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::ptx {

std::array<std::uint32_t, 3> PointOf(std::uint64_t index,
                                     const std::array<std::uint32_t, 3>& extent) {
  const std::uint64_t row = index / extent[0];
  return {static_cast<std::uint32_t>(index % extent[0]),
          static_cast<std::uint32_t>(row % extent[1]), static_cast<std::uint32_t>(row / extent[1])};
}

std::uint64_t LinearOf(const std::array<std::uint32_t, 3>& point,
                       const std::array<std::uint32_t, 3>& extent) {
  return point[0] + extent[0] * (point[1] + std::uint64_t{extent[1]} * point[2]);
}

std::size_t Launch::IndexOfCta(std::uint64_t linear_id) const {
  std::size_t index = 0;
  while (index < programmatic.size() && linear_id >= programmatic[index].first_cta) {
    ++index;
  }
  return index;
}

std::size_t Launch::IndexOfCluster(std::uint64_t number) const {
  std::size_t index = 0;
  while (index < programmatic.size() && number >= programmatic[index].first_cluster) {
    ++index;
  }
  return index;
}

std::uint64_t Launch::AllCtas() const {
  const Launch& last = At(programmatic.size());
  return last.first_cta + last.Ctas();
}

std::uint64_t Launch::AllClusters() const {
  const Launch& last = At(programmatic.size());
  return last.first_cluster + last.Clusters();
}

unsigned Launch::MaxClusterCtas() const {
  unsigned most = 0;
  for (std::size_t i = 0; i < Launches(); ++i) {
    most = std::max(most, At(i).ClusterCtas());
  }
  return most;
}

std::uint64_t Launch::MaxWarps() const {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < Launches(); ++i) {
    most = std::max(most, At(i).Warps());
  }
  return most;
}

void Launch::Number() {
  for (std::size_t i = 0; i < programmatic.size(); ++i) {
    const Launch& before = At(i);
    programmatic[i].first_cta = before.first_cta + before.Ctas();
    programmatic[i].first_cluster = before.first_cluster + before.Clusters();
  }
}

std::string Launch::CtaName(std::uint64_t linear_id) const {
  const std::size_t index = IndexOfCta(linear_id);
  const Launch& of = At(index);
  const auto point = PointOf(linear_id - of.first_cta, of.grid);
  const std::string which = programmatic.empty() ? "" : fmt::format(" of launch {}", of.number);
  return fmt::format("({},{},{}){}", point[0], point[1], point[2], which);
}

}  // namespace muster::ptx
