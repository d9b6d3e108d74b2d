// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/bench/stimulus.h"

#include <algorithm>
#include <cstdint>

namespace muster::bench {
namespace {

constexpr std::uint32_t kAllLanes = 0xffffffff;

std::uint64_t FirstWarps(unsigned count) {
  return count == kMaxWarps ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Presents the launch of CTA 0 with so many warps. True: it was accepted in the cycle before.
bool Launch(unsigned warps, const Outputs& seen, Inputs* inputs) {
  if (inputs->lifecycle_valid && seen.lifecycle_ready) {
    inputs->lifecycle_valid = false;
    return true;
  }
  inputs->lifecycle_valid = true;
  inputs->lifecycle = Operation{};
  inputs->lifecycle.kind = OpKind::kLaunch;
  inputs->lifecycle.warps = FirstWarps(warps);
  inputs->lifecycle.size = static_cast<std::uint8_t>(warps);
  return false;
}

Operation Arrival(OpKind kind, unsigned warp, unsigned count) {
  Operation operation;
  operation.kind = kind;
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.bar = 1;
  operation.count = static_cast<std::uint16_t>(count);
  operation.lanes = kAllLanes;
  return operation;
}

}  // namespace

std::uint64_t Gather::All() const { return FirstWarps(gathering_.warps); }

bool Gather::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  inputs->fence_ack = gathering_.drain ? seen.fence_req : ~std::uint64_t{0};
  if (!launched_) {
    launched_ = Launch(gathering_.warps, seen, inputs);
    next_ = cycle + kQuiet;
    return true;
  }
  Accept(cycle, seen, inputs);
  Present(cycle, inputs);
  if (seen.released == All()) {
    times_.released = cycle - 1;
  }
  return times_.released == 0;
}

void Gather::Accept(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  const unsigned fired = inputs->issue_valid & seen.issue_ready;
  if (fired == 0) {
    return;
  }
  if (accepted_ == 0) {
    times_.first = cycle - 1;
  }
  accepted_ += static_cast<unsigned>(__builtin_popcount(fired));
  times_.last = cycle - 1;
  inputs->issue_valid &= static_cast<std::uint8_t>(~fired);
  if (gathering_.last_alone && accepted_ + 1 == gathering_.warps) {
    next_ = cycle + kQuiet;
  }
}

void Gather::Present(std::uint64_t cycle, Inputs* inputs) {
  const bool one_at_a_time = gathering_.cycles_per_warp != 0;
  for (unsigned port = 0; port < config_.num_issue && presented_ < gathering_.warps; ++port) {
    const bool last = presented_ + 1 == gathering_.warps;
    const bool held = cycle < next_ || (gathering_.last_alone && last && accepted_ != presented_);
    if (held || ((inputs->issue_valid >> port) & 1U) != 0) {
      continue;
    }
    inputs->issue[port] = Arrival(OpKind::kSync, presented_++, 0);
    inputs->issue_valid |= static_cast<std::uint8_t>(1U << port);
    if (one_at_a_time) {
      next_ = cycle + gathering_.cycles_per_warp;
    }
  }
}

bool Stream::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  inputs->fence_ack = ~std::uint64_t{0};
  if (!launched_) {
    launched_ = Launch(config_.num_warps, seen, inputs);
    from_ = cycle + kQuiet;
    return true;
  }
  if (cycle < from_) {
    return true;
  }
  const unsigned fired = inputs->issue_valid & seen.issue_ready;
  accepted_ += static_cast<unsigned>(__builtin_popcount(fired));
  const unsigned ports = config_.num_issue;
  for (unsigned port = 0; port < ports; ++port) {
    const unsigned bit = 1U << port;
    if ((inputs->issue_valid & bit) == 0) {
      inputs->issue[port] = Arrival(OpKind::kArrive, port, config_.num_warps * config_.warp_size);
    } else if ((fired & bit) != 0) {
      const unsigned next = inputs->issue[port].warp + ports;
      inputs->issue[port].warp = static_cast<std::uint8_t>(next % config_.num_warps);
    }
    inputs->issue_valid |= static_cast<std::uint8_t>(bit);
  }
  return cycle < from_ + cycles_;
}

}  // namespace muster::bench
