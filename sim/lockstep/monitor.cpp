// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"

namespace muster::lockstep {
namespace {

Wait LifecycleWait(OpKind kind) {
  switch (kind) {
    case OpKind::kLaunch:
      return kLaunchWait;
    case OpKind::kOpen:
      return kOpenWait;
    case OpKind::kJoin:
      return kJoinWait;
    case OpKind::kExit:
      return kExitWait;
    default:
      return kLeaveWait;
  }
}

bool Same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.cta == b.cta && a.warp == b.warp && a.bar == b.bar &&
         a.count == b.count && a.size == b.size && a.lanes == b.lanes && a.operand == b.operand &&
         a.warps == b.warps;
}

}  // namespace

Monitor::Monitor(const Config& config, std::uint64_t start)
    : config_(config),
      bounds_(BoundsOf(config)),
      warp_mask_(WarpMask(config.num_warps)),
      warps_(~std::uint64_t{0} >> (kMaxWarps - config.num_warps)),
      counted_from_(start + bounds_.start),
      lifecycle_{"the lifecycle port", "lc", "lifecycle", config.num_issue},
      exits_{"the exit port", "exit", "exit", config.num_issue + 1} {}

bool Monitor::Check(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  commits_.count = 0;
  if (response_held_ && !out.response_valid) {
    return Fail("response_valid", "0", "held until ready");
  }
  response_held_ = out.response_valid && !in.response_ready;
  counts_ = !response_held_ && cycle >= counted_from_;
  counted_ += static_cast<std::uint64_t>(counts_);

  if (out.busy != (pending_ & warps_)) {
    return Fail("busy", fmt::format("{:#x}", out.busy),
                fmt::format("{:#x}: from acceptance to commit", pending_ & warps_));
  }
  if (out.fence_req != undrained_) {
    return Fail("fence_req", fmt::format("{:#x}", out.fence_req),
                fmt::format("{:#x}: from acceptance to acknowledge", undrained_));
  }
  if (!CheckLifecycle(cycle, in.lifecycle_valid, out.lifecycle_ready, in.lifecycle, &lifecycle_) ||
      !CheckLifecycle(cycle, in.exit_valid, out.exit_ready, in.exit, &exits_)) {
    return false;
  }
  if ((in.issue_valid | held_) != 0 && !CheckIssue(cycle, in, out)) {
    return false;
  }
  // Acknowledged operations count as drained from this cycle on.
  for (std::uint64_t left = undrained_ & in.fence_ack; left != 0; left &= left - 1) {
    table_[First(left)].since = counted_;
    latest_good_ = std::min(latest_good_, counted_ + bounds_.longest[kDrainWait]);
  }
  undrained_ &= ~in.fence_ack;
  return TakeCommits(out) && (counted_ <= latest_good_ || CheckPending()) &&
         (cycle < counted_from_ || (CheckWaits(&lifecycle_) && CheckWaits(&exits_)));
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
    if (counts_ && (pending_ & bit) == 0 &&
        !CountWait(kIssueWait, ++held_cycles_[port], port, operation)) {
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
  pending.about.parked = drains && ((in.fence_ack | ~warps_) & bit) == 0;
  pending.about.accepted = cycle;
  pending.since = counted_;
  if (pending.about.parked) {
    undrained_ |= bit;
  } else {
    latest_good_ = std::min(latest_good_, counted_ + bounds_.longest[kCommitWait]);
  }
  return true;
}

// One operation at a time is presented, and held until ready; the one before it commits first.
bool Monitor::CheckLifecycle(std::uint64_t cycle, bool valid, bool ready,
                             const Operation& operation, LifecyclePort* port) {
  if (!valid) {
    return !port->held || Fail(fmt::format("{}_valid", port->pins), "0", "held until ready");
  }
  if (port->held) {
    if (!Same(operation, port->operations[port->count - 1].operation)) {
      return Fail(port->pins, "changed", "held until ready");
    }
  } else if (!Present(operation, port)) {
    return false;
  }
  port->held = !ready;
  port->operations[port->count - 1].accepted = cycle;
  return true;
}

bool Monitor::Present(const Operation& operation, LifecyclePort* port) {
  if (port->count == port->operations.size()) {
    return Fail(fmt::format("{}_ready", port->pins), "1",
                "0: the operation before has not committed");
  }
  Lifecycle& latest = port->operations[port->count++];
  latest.operation = operation;
  latest.wait = 0;
  latest.awaited = pending_;
  if (operation.kind == OpKind::kExit) {
    latest.awaited &= Bit(operation.warp);
  } else if (!IsLeave(operation.kind)) {
    latest.awaited = 0;
  }
  return true;
}

bool Monitor::TakeCommits(const Outputs& out) {
  if (out.commit_lifecycle || out.commit_exit) {
    if (out.commit_valid != 0 || (out.commit_lifecycle && out.commit_exit)) {
      return Fail("commit",
                  fmt::format("issue {:#x}, lifecycle {:d}, exit {:d}", out.commit_valid,
                              out.commit_lifecycle, out.commit_exit),
                  "one of them in a cycle");
    }
    return TakeCommit(out.commit_exit ? &exits_ : &lifecycle_);
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
    for (LifecyclePort* port_waits : {&lifecycle_, &exits_}) {
      for (unsigned i = 0; i < port_waits->count; ++i) {
        port_waits->operations[i].awaited &= ~bit;
      }
    }
    commits_.operations[commits_.count] = pending.operation;
    commits_.about[commits_.count] = pending.about;
    ++commits_.count;
    if (!CountWait(WaitOf(pending), counted_ - pending.since, port, pending.operation)) {
      return false;
    }
  }
  return true;
}

// A lifecycle operation waits for the operations that were on their way before it.
bool Monitor::TakeCommit(LifecyclePort* port) {
  const auto field = [port] { return fmt::format("commit.{}", port->commits); };
  if (port->count == 0 || (port->count == 1 && port->held)) {
    return Fail(field(), "1", "0: nothing was accepted");
  }
  const Lifecycle& oldest = port->operations[0];
  if (oldest.awaited != 0) {
    return Fail(field(), Describe(oldest.operation),
                fmt::format("not before the operations of warps {:#x}", oldest.awaited));
  }
  commits_.count = 1;
  commits_.operations[0] = oldest.operation;
  commits_.about[0].port = static_cast<std::uint8_t>(port->number);
  commits_.about[0].parked = false;
  commits_.about[0].accepted = oldest.accepted;
  port->operations[0] = port->operations[1];
  --port->count;
  return true;
}

// ------------------------------------------------------------------------------------------------
// Waits
// ------------------------------------------------------------------------------------------------

// Checks whether a wait is too long, and until when no check is needed: operations that come later
// are late later.
bool Monitor::CheckPending() {
  latest_good_ = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t left = pending_ & ~undrained_; left != 0; left &= left - 1) {
    const Pending& pending = table_[First(left)];
    const Wait wait = WaitOf(pending);
    const std::uint64_t last = pending.since + bounds_.longest[wait];
    if (counted_ > last) {
      return CountWait(wait, counted_ - pending.since, pending.about.port, pending.operation);
    }
    latest_good_ = std::min(latest_good_, last);
  }
  return true;
}

bool Monitor::CheckWaits(LifecyclePort* port) {
  for (unsigned i = 0; i < port->count; ++i) {
    Lifecycle& lifecycle = port->operations[i];
    if (lifecycle.awaited == 0 && !CountWait(LifecycleWait(lifecycle.operation.kind),
                                             ++lifecycle.wait, port->number, lifecycle.operation)) {
      return false;
    }
  }
  return true;
}

bool Monitor::CountWait(Wait wait, std::uint64_t cycles, unsigned port,
                        const Operation& operation) {
  waits_[wait] = std::max(waits_[wait], cycles);
  if (cycles <= bounds_.longest[wait]) {
    return true;
  }
  const std::string where = port == exits_.number       ? exits_.name
                            : port == lifecycle_.number ? lifecycle_.name
                                                        : fmt::format("port {}", port);
  return Fail(fmt::format("wait.{}", kWaitNames[wait]),
              fmt::format("{} cycles at {}: {}", cycles, where, Describe(operation)),
              fmt::format("at most {}, as published", bounds_.longest[wait]));
}

bool Monitor::Fail(std::string field, std::string unit, std::string rule) {
  mismatch_ = Mismatch{std::move(field), std::move(unit), std::move(rule)};
  return false;
}

std::optional<Mismatch> LoudInReset(const Outputs& out) {
  const MbOutputs& mb = out.mb;
  const std::array pins = {
      std::pair{"commit.valid", std::uint64_t{out.commit_valid}},
      std::pair{"commit.lifecycle", std::uint64_t{out.commit_lifecycle}},
      std::pair{"commit.exit", std::uint64_t{out.commit_exit}},
      std::pair{"busy", out.busy},
      std::pair{"fence_req", out.fence_req},
      std::pair{"release.warps", out.released},
      std::pair{"response_valid", std::uint64_t{out.response_valid}},
      std::pair{"fault_valid", std::uint64_t{out.fault_valid}},
      std::pair{"entry.valid", std::uint64_t{out.entry_valid}},
      std::pair{"mb.busy", mb.busy},
      std::pair{"mb.fence_req", mb.fence_req},
      std::pair{"mb.wake", mb.wake},
      std::pair{"mb.expire", mb.expire},
      std::pair{"mb.commit.valid", std::uint64_t{mb.commit_valid}},
      std::pair{"mb.response_valid", std::uint64_t{mb.response_valid}},
      std::pair{"mb.fault_valid", std::uint64_t{mb.fault_valid}},
      std::pair{"smem.read_valid", std::uint64_t{mb.read_valid}},
      std::pair{"smem.write_valid", std::uint64_t{mb.write_valid}},
      std::pair{"smem.held_valid", std::uint64_t{mb.held_valid}},
  };
  for (const auto& [name, value] : pins) {
    if (value != 0) {
      return Mismatch{name, fmt::format("{:#x} in reset", value), "0"};
    }
  }
  return std::nullopt;
}

}  // namespace muster::lockstep
