// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sim/golden/log.h"

namespace muster::lockstep {
namespace {

bool Same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.cta == b.cta && a.warp == b.warp && a.bar == b.bar &&
         a.count == b.count && a.size == b.size && a.lanes == b.lanes && a.operand == b.operand &&
         a.warps == b.warps;
}

unsigned First(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

// The smallest 2^n - 1 that holds every warp number of the unit.
unsigned WarpMask(unsigned num_warps) {
  unsigned mask = 1;
  while (mask < num_warps - 1) {
    mask = mask * 2 + 1;
  }
  return mask;
}

}  // namespace

Monitor::Monitor(const Config& config, const golden::Model& model)
    : config_(config),
      bounds_(BoundsOf(config)),
      model_(model),
      warp_mask_(WarpMask(config.num_warps)) {}

bool Monitor::Check(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  commits_.count = 0;
  if (response_held_ && !out.response_valid) {
    return Fail("response_valid", "0", "held until ready");
  }
  stalled_ = out.response_valid && !in.response_ready;
  response_held_ = stalled_;
  stalls_ += static_cast<std::uint64_t>(stalled_);

  if (out.busy != pending_) {
    return Fail("busy", fmt::format("{:#x}", out.busy),
                fmt::format("{:#x}: from acceptance to commit", pending_));
  }
  if (out.fence_req != undrained_) {
    return Fail("fence_req", fmt::format("{:#x}", out.fence_req),
                fmt::format("{:#x}: from acceptance to acknowledge", undrained_));
  }
  if ((in.lifecycle_valid || lifecycle_held_) && !CheckLifecycle(cycle, in, out)) {
    return false;
  }
  if ((in.issue_valid | held_) != 0 && !CheckIssue(cycle, in, out)) {
    return false;
  }
  // What is acknowledged is drained, from this cycle on.
  for (std::uint64_t left = undrained_ & in.fence_ack; left != 0; left &= left - 1) {
    Pending& pending = table_[First(left)];
    pending.since = cycle;
    pending.stalls = stalls_;
  }
  undrained_ &= ~in.fence_ack;
  return TakeCommits(cycle, out);
}

// Valid and payload are held until ready, and two ports never carry the same warp.
bool Monitor::CheckIssue(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  const unsigned valid = in.issue_valid;
  if ((held_ & ~valid) != 0) {
    return Fail("issue_valid", "0", "held until ready");
  }
  const unsigned before = held_;
  held_ = valid & ~static_cast<unsigned>(out.issue_ready);
  std::uint64_t warps = 0;
  for (unsigned left = valid; left != 0; left &= left - 1) {
    const unsigned port = First(left);
    const Operation& operation = in.issue[port];
    const std::uint64_t bit = Bit(operation.warp);
    if ((warps & bit) != 0) {
      return Fail(fmt::format("issue[{}].warp", port), fmt::format("{}", operation.warp),
                  "on one port at a time");
    }
    warps |= bit;
    if ((before >> port & 1) != 0 && !Same(operation, held_operation_[port])) {
      return Fail(fmt::format("issue[{}]", port), "changed", "held until ready");
    }
    if ((held_ >> port & 1) == 0) {
      if (!Accept(cycle, port, in)) {
        return false;
      }
      held_cycles_[port] = 0;
      continue;
    }
    if ((before >> port & 1) == 0) {
      held_operation_[port] = operation;
    }
    if (!stalled_ && (undrained_ & bit) == 0 &&
        !CountWait(++held_cycles_[port], bounds_.longest.issue, "issue_ready", &waits_.issue)) {
      return false;
    }
  }
  return true;
}

bool Monitor::Accept(std::uint64_t cycle, unsigned port, const Inputs& in) {
  const Operation& operation = in.issue[port];
  const std::uint64_t bit = Bit(operation.warp);
  if ((pending_ & bit) != 0) {
    return Fail(
        fmt::format("issue_ready[{}]", port), "1",
        fmt::format("0: warp {} has an operation between acceptance and commit", operation.warp));
  }
  pending_ |= bit;
  const bool drains = config_.drain && IsArrival(operation.kind);
  Pending& pending = table_[First(bit)];
  pending.operation = operation;
  pending.about.port = static_cast<std::uint8_t>(port);
  pending.about.parked = drains && (in.fence_ack & bit) == 0;
  pending.about.accepted = cycle;
  pending.since = cycle;
  pending.stalls = stalls_;
  if (pending.about.parked) {
    undrained_ |= bit;
  }
  return true;
}

// One operation at a time is presented, and held until ready; the one before it commits first.
bool Monitor::CheckLifecycle(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  if (!in.lifecycle_valid) {
    return Fail("lc_valid", "0", "held until ready");
  }
  if (lifecycle_held_) {
    if (!Same(in.lifecycle, lifecycle_[lifecycle_count_ - 1].operation)) {
      return Fail("lc", "changed", "held until ready");
    }
  } else if (!Present(in.lifecycle)) {
    return false;
  }
  Lifecycle& latest = lifecycle_[lifecycle_count_ - 1];
  if (!stalled_ && (undrained_ & latest.warps) == 0 &&
      !CountWait(++latest.cycles, bounds_.longest.lifecycle, "lc_ready", &waits_.lifecycle)) {
    return false;
  }
  lifecycle_held_ = !out.lifecycle_ready;
  latest.accepted = cycle;
  return true;
}

bool Monitor::Present(const Operation& operation) {
  if (lifecycle_count_ == lifecycle_.size()) {
    return Fail("lc_ready", "1", "0: the operation before has not committed");
  }
  Lifecycle& latest = lifecycle_[lifecycle_count_++];
  latest.operation = operation;
  latest.cycles = 0;
  latest.warps = 0;
  if (operation.kind == OpKind::kExit) {
    latest.warps = Bit(operation.warp);
  } else if (operation.kind != OpKind::kLaunch && operation.cta < config_.num_ctas) {
    latest.warps = model_.LiveWarps(operation.cta);
  }
  latest.awaited = pending_ & latest.warps;
  return true;
}

bool Monitor::TakeCommits(std::uint64_t cycle, const Outputs& out) {
  if (out.commit_lifecycle) {
    if (out.commit_valid != 0) {
      return Fail("commit", fmt::format("issue {:#x} and lifecycle", out.commit_valid),
                  "one or the other in a cycle");
    }
    return TakeLifecycleCommit(cycle);
  }
  for (unsigned left = out.commit_valid; left != 0; left &= left - 1) {
    const unsigned port = First(left);
    const unsigned warp = out.commit_warp[port];
    const std::uint64_t bit = Bit(warp);
    const Pending& pending = table_[First(bit)];
    if ((pending_ & bit) == 0 || pending.operation.warp != warp || pending.about.port != port) {
      return Fail(fmt::format("commit[{}].warp", port), fmt::format("{}", warp),
                  "a warp whose operation was accepted at this port, and has not committed");
    }
    if ((undrained_ & bit) != 0) {
      return Fail(fmt::format("commit[{}]", port), fmt::format("warp {}", warp),
                  "not before its drain is acknowledged");
    }
    pending_ &= ~bit;
    for (unsigned i = 0; i < lifecycle_count_; ++i) {
      lifecycle_[i].awaited &= ~bit;
    }
    commits_.operations[commits_.count] = pending.operation;
    commits_.about[commits_.count] = pending.about;
    ++commits_.count;
    if (!CountWait(cycle - pending.since - (stalls_ - pending.stalls), bounds_.longest.commit,
                   "commit", &waits_.commit)) {
      return false;
    }
  }
  return true;
}

// A lifecycle operation waits for what was on its way before it.
bool Monitor::TakeLifecycleCommit(std::uint64_t cycle) {
  if (lifecycle_count_ == 0 || (lifecycle_count_ == 1 && lifecycle_held_)) {
    return Fail("commit.lifecycle", "1", "0: nothing was accepted");
  }
  const Lifecycle& oldest = lifecycle_[0];
  if ((oldest.awaited & pending_) != 0) {
    return Fail("commit.lifecycle", golden::Describe(oldest.operation),
                fmt::format("not before the operations of warps {:#x}", oldest.awaited & pending_));
  }
  commits_.count = 1;
  commits_.operations[0] = oldest.operation;
  commits_.about[0].port = static_cast<std::uint8_t>(config_.num_issue);
  commits_.about[0].parked = false;
  commits_.about[0].accepted = oldest.accepted;
  const std::uint64_t wait = oldest.cycles + (cycle - oldest.accepted);
  lifecycle_[0] = lifecycle_[1];
  --lifecycle_count_;
  return CountWait(wait, bounds_.longest.lifecycle, "lifecycle commit", &waits_.lifecycle);
}

bool Monitor::CountWait(std::uint64_t wait, std::uint64_t longest, const char* what,
                        std::uint64_t* seen) {
  *seen = std::max(*seen, wait);
  return wait <= longest || Fail(what, fmt::format("a wait of {} cycles", wait),
                                 fmt::format("at most {}, as published", longest));
}

bool Monitor::Fail(std::string field, std::string unit, std::string rule) {
  mismatch_ = Mismatch{std::move(field), std::move(unit), std::move(rule)};
  return false;
}

}  // namespace muster::lockstep
