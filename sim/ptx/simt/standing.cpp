// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/standing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/warp_operation.h"

namespace muster::ptx {

// What waits at each instruction: lanes that name different members come to different ones.
std::string Standing::Describe(const Warp& warp, const Group& group) const {
  const Instruction& i = x_.program.code[group.pc];
  if (group.state == Group::State::kReady || group.state == Group::State::kAwaitsTurn) {
    return fmt::format("lanes {:#010x} stand at {}", group.lanes, x_.program.Place(i.line));
  }
  if (i.op == Op::kExchange) {
    std::vector<std::string> instructions;
    for (std::uint32_t rest = group.lanes; rest != 0;) {
      const std::uint32_t members = collectives_.MembersOf(warp, group, First(rest));
      std::uint32_t lanes = 0;
      ForEachBit(rest, [&](unsigned lane) {
        lanes |= (collectives_.MembersOf(warp, group, lane) == members ? 1U : 0U) << lane;
      });
      rest &= ~lanes;
      const std::uint32_t missing =
          members & warp.live & ~collectives_.CameTo(warp, group, members);
      instructions.push_back(fmt::format("lanes {:#010x} wait at {} for lanes {:#010x} ({})", lanes,
                                         muster::Name(i.As<WarpExchange>().op), missing,
                                         x_.program.Place(i.line)));
    }
    return fmt::format("{}", fmt::join(instructions, ", "));
  }
  std::string at;
  if (i.op == Op::kClusterBarrier) {
    at = "barrier.cluster";
  } else if (group.state == Group::State::kAsked) {
    at = "an mbarrier";
  } else if (group.state == Group::State::kAsleep) {
    at = "nanosleep";
  } else if (i.op == Op::kRegisterLimit && group.state == Group::State::kAwaitsResource) {
    at = warpgroup_unit_.DescribeRegisters(warp);
  } else if (group.state == Group::State::kAwaitsResource) {
    at = fmt::format("tcgen05.alloc for {} columns of tensor memory, of which {} are allocated",
                     x_.ValueOf(warp, group, i.As<TensorAllocation>().columns, First(group.lanes)),
                     warp.cta->tensor->allocated());
  } else if (IsOfWholeWarp(i.op)) {
    at = "a matrix instruction";
  } else {
    at = fmt::format("barrier {}",
                     x_.ValueOf(warp, group, i.As<CtaBarrier>().id, First(group.lanes)));
  }
  return fmt::format("lanes {:#010x} wait at {} ({})", group.lanes, at, x_.program.Place(i.line));
}

Refusal Standing::DescribeRefusal(const Warp& warp, FaultCause cause, std::uint32_t lanes) const {
  Refusal refusal;
  std::vector<std::string> others;
  for (const Group& group : warp.groups) {
    if (group.state != Group::State::kHeld) {
      continue;
    }
    const Instruction& i = x_.program.code[group.pc];
    if ((group.lanes & lanes) == 0) {
      if (cause == FaultCause::kMaskMismatch || i.op != Op::kExchange) {
        others.push_back(Describe(warp, group));
      }
      continue;
    }
    refusal.line = i.line;
    Group rest = group;
    rest.lanes &= ~lanes;
    if (rest.lanes != 0) {
      others.push_back(Describe(warp, rest));
    }
    if (cause == FaultCause::kNotAMember) {
      refusal.why = fmt::format("{} with the member mask {:#010x}, which does not name them all",
                                Name(i.As<WarpExchange>().op),
                                collectives_.MembersOf(warp, group, First(group.lanes & lanes)));
    } else {
      Group refused = group;
      refused.lanes &= lanes;
      refusal.why = Describe(warp, refused);
    }
  }
  if (cause == FaultCause::kMaskMismatch) {
    refusal.why += fmt::format(", {}: neither can go on", fmt::join(others, ", "));
  } else if (cause == FaultCause::kBarrierMismatch) {
    refusal.why += fmt::format(
        ", {}: all lanes of a warp must come to the same barrier, with the same count and form",
        fmt::join(others, ", "));
  }
  return refusal;
}

}  // namespace muster::ptx
