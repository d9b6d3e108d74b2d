// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a kernel is launched with, and the launches after it that may overlap with it. Their CTAs
// and clusters are numbered through.
#ifndef MUSTER_SIM_PTX_SIMT_LAUNCH_H_
#define MUSTER_SIM_PTX_SIMT_LAUNCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/program/address.h"

namespace muster::ptx {

struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{1, 1, 1};  // CTAs; the grid is a multiple of it
  bool explicit_cluster = false;
  std::uint32_t dynamic_shared = 0;
  std::uint32_t registers = 0;        // of a thread, at first; 0: not known
  bool registers_at_most = false;     // or fewer than these
  std::uint32_t shared_bytes = 0;     // of a CTA, all in all
  std::uint32_t reserved_shared = 0;  // where of that the system's part begins, if there is one
  std::uint64_t workspace = 0;        // of a cooperative grid: where its barrier is
  bool inval_is_hazard = false;  // an operation on an mbarrier that another thread has invalidated
  bool hint_is_ignored = false;  // the time hint of a try_wait
  std::size_t kernel = 0;        // of those of the program
  std::size_t number = 1;        // of those of the manifest, from 1
  std::uint64_t parameters = GenericAddress(kParamSegment, 0);  // where they are in memory
  std::uint64_t first_cta = 0;  // the linear id of its first CTA, after those of launches before it
  std::uint64_t first_cluster = 0;   // likewise, in the order in which clusters start
  std::vector<Launch> programmatic;  // launches after it that may begin before it has ended

  std::uint64_t Threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
  std::uint64_t Warps() const { return (Threads() + kWarpSize - 1) / kWarpSize; }
  std::uint64_t Ctas() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  unsigned ClusterCtas() const { return cluster[0] * cluster[1] * cluster[2]; }
  std::uint64_t Clusters() const { return Ctas() / ClusterCtas(); }
  std::array<std::uint32_t, 3> GridOfClusters() const {
    return {grid[0] / cluster[0], grid[1] / cluster[1], grid[2] / cluster[2]};
  }

  // This launch, or one of those after it.
  std::size_t Launches() const { return 1 + programmatic.size(); }
  const Launch& At(std::size_t index) const { return index == 0 ? *this : programmatic[index - 1]; }
  std::size_t IndexOfCta(std::uint64_t linear_id) const;
  std::size_t IndexOfCluster(std::uint64_t number) const;  // the last one, if there are no more
  const Launch& OfCta(std::uint64_t linear_id) const { return At(IndexOfCta(linear_id)); }
  const Launch& OfCluster(std::uint64_t number) const { return At(IndexOfCluster(number)); }
  // Of all of these together.
  std::uint64_t AllCtas() const;
  std::uint64_t AllClusters() const;
  unsigned MaxClusterCtas() const;
  std::uint64_t MaxWarps() const;
  // Numbers the CTAs and clusters of all of these.
  void Number();
  // "(1,0,0)"; of several launches: "(1,0,0) of launch 2".
  std::string CtaName(std::uint64_t linear_id) const;
};

// A point of a grid or a block, from its linear index.
std::array<std::uint32_t, 3> PointOf(std::uint64_t index,
                                     const std::array<std::uint32_t, 3>& extent);

// The inverse.
std::uint64_t LinearOf(const std::array<std::uint32_t, 3>& point,
                       const std::array<std::uint32_t, 3>& extent);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_LAUNCH_H_
