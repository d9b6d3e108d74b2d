// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/bounds.h"

#include <algorithm>
#include <cstdint>

#include "sim/isa/config.h"
#include "sim/isa/latency.h"

namespace muster::lockstep {
namespace {

std::uint64_t AtLeastPowerOfTwo(std::uint64_t n) {
  std::uint64_t power = 2;
  while (power < n) {
    power *= 2;
  }
  return power;
}

// The longest waits, by the structure of the unit: rtl/README.md explains the names and the sums.
Waits Longest(const Config& config, bool lag) {
  const std::uint64_t ports = config.num_issue;
  const std::uint64_t warps = config.num_warps;
  const std::uint64_t extra = lag ? 1 : 0;

  // How long a group holds up those after it, and the round in which each port leads once.
  const std::uint64_t clear = 4;
  const std::uint64_t issue = config.state ? 6 : ports + 2 + extra;
  const std::uint64_t lifecycle = 6 + extra;
  const std::uint64_t round = ports * (issue + lifecycle);

  // Select to commit.
  const std::uint64_t checks = config.state ? 6 : 3;
  const std::uint64_t through = checks + 2 * ports - 1 + extra;
  // At the front of a port, until select takes it: an operation, and one with a response.
  const std::uint64_t front = lifecycle + round + ports + 1;
  const std::uint64_t read = ports > 1 ? round + front + 1 + (ports - 2) * (ports + 11) : front + 8;
  const std::uint64_t worst = config.reduce ? read : front;

  const std::uint64_t span = std::min<std::uint64_t>(warps, 8);
  const std::uint64_t groups = (warps + span - 1) / span;
  const std::uint64_t parked = config.drain ? warps - 1 : 0;
  const std::uint64_t passing = ports > 1 ? worst : front;

  Waits longest{};
  longest[kIssueWait] = parked * round + worst;
  longest[kCommitWait] = (ports > 1 ? worst : 0) + through;
  longest[kDrainWait] =
      config.drain ? (warps + span) * round + (groups + 2) * (passing + ports + 2) + through : 0;
  longest[kLeaveWait] = checks + issue + 2 * (ports + extra) + 6;
  longest[kLaunchWait] =
      std::max<std::uint64_t>(warps, kNumBars) * (clear + issue) + longest[kLeaveWait];
  longest[kResponseWait] = !config.reduce ? 0 : ports > 1 ? 3 : 2;
  return longest;
}

// The longest waits at mbarriers: rtl/mbarrier/README.md explains the names and the sums.
MbWaits MbLongest(const Config& config) {
  // A lane by itself takes a cycle, or the time until a place for a response is free again, of
  // those that the groups after it leave.
  const std::uint64_t back = 3;
  const std::uint64_t after = 4;
  const std::uint64_t left = config.mb_responses > after ? config.mb_responses - after : 1;
  const std::uint64_t lane = std::max<std::uint64_t>(1, (back + left - 1) / left);
  const std::uint64_t sum = 6;
  const std::uint64_t split = 3;
  const std::uint64_t group = config.lanes ? sum + split + kWarpSize * lane : 1;

  const std::uint64_t stages = 5;
  const std::uint64_t through = stages * (group + 1);
  const std::uint64_t round = 2 * (group + 1);  // a group of a warp, and one of another CTA
  const std::uint64_t place = 7;                // that the group before in the same place has had
  const std::uint64_t parked = config.drain ? config.num_warps - 1 : 0;

  MbWaits longest{};
  longest[kMbIssueWait] = parked * round + through + place;
  longest[kMbOtherWait] = 3 * (group + 1);
  longest[kMbCommitWait] = through + (config.drain ? longest[kMbOtherWait] + place : 0);
  longest[kMbDrainWait] =
      config.drain ? config.num_warps * (round + 1) + longest[kMbCommitWait] : 0;
  return longest;
}

}  // namespace

Bounds BoundsOf(const Config& config) {
  const bool lag = config.reduce || config.state || config.num_issue > 1;
  Bounds bounds{};
  const Latency latency = LatencyOf(config);
  bounds.latency = latency.effect;
  bounds.accept = latency.issue + latency.effect;
  bounds.start =
      static_cast<unsigned>(AtLeastPowerOfTwo(std::max(config.num_ctas, config.num_warps))) + 1;
  bounds.longest = Longest(config, lag);
  bounds.mb_longest = MbLongest(config);
  return bounds;
}

unsigned WarpMask(unsigned num_warps) {
  unsigned mask = 1;
  while (mask < num_warps - 1) {
    mask = mask * 2 + 1;
  }
  return mask;
}

}  // namespace muster::lockstep
