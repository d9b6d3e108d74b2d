// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/bounds.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sim/isa/config.h"
#include "sim/isa/latency.h"
#include "sim/port/driver.h"

namespace muster::lockstep {
namespace {

// Of cycles in which the clock stands still.
constexpr std::uint64_t kAhead = 16;          // so many before something happens run
constexpr std::uint64_t kFewest = 64;         // for less the clock does not stop
constexpr std::uint64_t kMostNs = 1U << 31U;  // at a time (rtl/mbarrier/README.md)

std::uint64_t AtLeastPowerOfTwo(std::uint64_t n) {
  std::uint64_t power = 2;
  while (power < n) {
    power *= 2;
  }
  return power;
}

// The drain of an issue port looks at so many warps at once, one such group after the other.
std::uint64_t DrainSpan(std::uint64_t warps) { return std::min<std::uint64_t>(warps, 8); }
std::uint64_t DrainGroups(std::uint64_t warps) {
  return (warps + DrainSpan(warps) - 1) / DrainSpan(warps);
}

// The longest waits, by the structure of the unit: rtl/WAITS.md explains the names and the sums.
Waits Longest(const Config& config) {
  const std::uint64_t ports = config.num_issue;
  const std::uint64_t warps = config.num_warps;

  // How long a group holds up those after it.
  const std::uint64_t clear = 3;
  const std::uint64_t exit = 4;
  const std::uint64_t slow = ports > 1 ? 8 : 7;  // lifecycle operations and R2B
  const std::uint64_t arrival = 4 + ports - 1;
  const std::uint64_t issue = config.state ? slow + ports - 1 : arrival;
  const std::uint64_t turn = exit + issue + exit + clear;  // of an issue port

  // Select to commit.
  const std::uint64_t through = std::max<std::uint64_t>(config.state ? 8 : ports + 4, 2 * ports);
  // At the front of a port, until select takes it: an operation, and one with a response.
  const std::uint64_t front = slow + exit + ports * turn + ports + 1;
  const std::uint64_t read =
      ports > 1 ? ports * turn + front + 1 + (ports - 2) * turn : front + through;
  const std::uint64_t worst = config.reduce || config.split ? read : front;

  // Rounds, in each of which every port leads once, ours with an arrival. A lifecycle operation
  // other than a clear is the end of a walk, or the only one. An arrival that is answered may have
  // to wait for a place, as a read does.
  const std::uint64_t place = ports > 1 ? 2 * (ports - 1) * turn : through;
  const auto rounds = [&](std::uint64_t number) {
    return number * (ports * turn - issue + arrival + (config.split ? place : 0)) +
           (number * ports / kNumBars + 1) * (slow - clear);
  };

  const std::uint64_t span = DrainSpan(warps);
  const std::uint64_t groups = DrainGroups(warps);
  const std::uint64_t parked = config.drain ? warps - 1 : 0;
  const std::uint64_t passing = ports > 1 ? worst : front;

  Waits longest{};
  longest[kIssueWait] = rounds(parked) + worst;
  const std::uint64_t ahead = ports > 1 ? worst : 0;  // in the register between drain and select
  longest[kCommitWait] = 2 * ahead + through;
  longest[kDrainWait] =
      config.drain ? rounds(warps + span) + (groups + 2) * (passing + ports + 2) + ahead + through
                   : 0;
  // One operation of the lifecycle port, and a walk: of a launch, or one that cleans a slot.
  const std::uint64_t lifecycle = 2 * (issue + exit) + slow + 2;
  const std::uint64_t walk =
      std::max<std::uint64_t>(warps, kNumBars) * (exit + clear + exit + issue);
  const std::uint64_t cleaning = config.join ? walk : 0;
  longest[kLeaveWait] = cleaning + lifecycle;
  longest[kLaunchWait] = cleaning + walk + lifecycle;
  longest[kOpenWait] = config.join ? cleaning + lifecycle : 0;
  longest[kJoinWait] = config.join ? lifecycle : 0;
  longest[kExitWait] = config.drain || ports > 1 ? 12 : 11;
  longest[kResponseWait] =
      config.reduce || config.split ? LatencyOf(config).response + (ports > 1 ? 1 : 0) : 0;
  return longest;
}

// The longest waits at mbarriers: rtl/WAITS.md explains the names and the sums.
MbWaits MbLongest(const Config& config) {
  // A lane by itself takes a cycle, or the time until a place for a response is free again, of
  // those that the groups after it leave.
  const std::uint64_t back = 3;
  const std::uint64_t stages = config.drain ? 6 : 5;  // operations between acceptance and commit
  const std::uint64_t after = stages - 1;
  const std::uint64_t left = config.mb_responses > after ? config.mb_responses - after : 1;
  const std::uint64_t lane = std::max<std::uint64_t>(1, (back + left - 1) / left);
  const std::uint64_t sum = 6;
  const std::uint64_t split = 3;
  const std::uint64_t group = config.lanes ? sum + split + config.warp_size * lane : 1;

  const std::uint64_t through = stages * (group + 1);
  // A group of a warp, one of another CTA, and that of a copy engine, which has one lane.
  const std::uint64_t round = 2 * (group + 1) + 2;
  // Until a place for a response is free again: the group that holds it may have waited for a
  // round.
  const std::uint64_t place = 7 + round;
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
  Bounds bounds{};
  const Latency latency = LatencyOf(config);
  bounds.latency = latency.effect;
  bounds.accept = latency.issue + latency.effect;
  const std::uint64_t slots = AtLeastPowerOfTwo(config.num_ctas) * (config.join ? kNumBars : 1);
  bounds.start = static_cast<unsigned>(std::max(slots, AtLeastPowerOfTwo(config.num_warps))) + 1;
  bounds.longest = Longest(config);
  bounds.mb_longest = MbLongest(config);
  return bounds;
}

std::uint64_t StandsStill(std::uint64_t cycle, std::uint64_t until, std::uint64_t clock_period_ps) {
  if (until == Driver::kNever || until < cycle + kAhead + kFewest) {
    return 0;
  }
  const std::uint64_t idle = std::min(until - cycle - kAhead, kMostNs * kPsPerNs / clock_period_ps);
  return idle - idle % (kPsPerNs / std::gcd(clock_period_ps, kPsPerNs));
}

std::uint64_t IdlePeriod(const Config& config) {
  return config.drain ? DrainGroups(config.num_warps) : 1;
}

std::uint64_t MbIdlePeriod(const Config& config) {
  const std::uint64_t warps = config.num_warps;
  return config.mb_limit ? std::lcm(warps, kPsPerNs / std::gcd(config.clock_period_ps, kPsPerNs))
                         : (config.drain ? warps : 1);
}

unsigned WarpMask(unsigned num_warps) {
  unsigned mask = 1;
  while (mask < num_warps - 1) {
    mask = mask * 2 + 1;
  }
  return mask;
}

}  // namespace muster::lockstep
