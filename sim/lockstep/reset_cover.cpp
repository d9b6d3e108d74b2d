// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/reset_cover.h"

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"

namespace muster::lockstep {

ResetCover::ResetCover(const Config& config, CoverPoints* points)
    : start_(BoundsOf(config).start), points_(*points), cycles_(start_) {
  struct Row {
    What what;
    const char* name;
    bool there;
  };
  const std::array rows = {
      Row{kOperation, "reset.operation_on_its_way", true},
      Row{kCommit, "reset.right_behind_a_commit", true},
      Row{kIssueHeld, "reset.issue_held", true},
      Row{kDrain, "reset.drain", config.drain},
      Row{kLaunch, "reset.launch_under_way", true},
      Row{kJoin, "reset.join_under_way", config.join},
      Row{kLeave, "reset.end_under_way", true},
      Row{kExit, "reset.exit_under_way", true},
      Row{kWaitingWarp, "reset.warp_waits", true},
      Row{kResponseHeld, "reset.response_held", config.state},
      Row{kEarly, "reset.soon_behind_another", true},
      Row{kMbGroup, "reset.mb.group_on_its_way", config.mbarrier},
      Row{kMbDrain, "reset.mb.drain", config.mbarrier && config.drain},
      Row{kMbRead, "reset.mb.read_on_its_way", config.mbarrier},
      Row{kMbWriteHeld, "reset.mb.write_held", config.mbarrier},
      Row{kMbParked, "reset.mb.parked", config.mbarrier},
      Row{kMbResponseHeld, "reset.mb.response_held", config.mbarrier},
  };
  static_assert(rows.size() == kCount);
  for (const Row& row : rows) {
    if (row.there) {
      defined_[row.what] = points_.Define(row.name);
    }
  }
}

std::uint32_t ResetCover::GoingOn(const Inputs& in, const Outputs& out) {
  const unsigned held = in.issue_valid & ~static_cast<unsigned>(out.issue_ready);
  const bool lifecycle = in.lifecycle_valid && !out.lifecycle_ready;
  const OpKind kind = in.lifecycle.kind;
  reading_ = (reading_ && !in.mb.rdata_valid) || (out.mb.read_valid && in.mb.read_ready);
  const auto set = [](bool is, What what) { return is ? Bit(what) : 0; };
  return set(out.busy != 0, kOperation) |
         set(out.commit_valid != 0 || out.commit_lifecycle || out.commit_exit, kCommit) |
         set(held != 0, kIssueHeld) | set(out.fence_req != 0, kDrain) |
         set(lifecycle && kind == OpKind::kLaunch, kLaunch) |
         set(lifecycle && kind == OpKind::kJoin, kJoin) | set(lifecycle && IsLeave(kind), kLeave) |
         set(in.exit_valid && !out.exit_ready, kExit) |
         set(out.response_valid && !in.response_ready, kResponseHeld) |
         set(out.mb.busy != 0, kMbGroup) | set(out.mb.fence_req != 0, kMbDrain) |
         set(reading_, kMbRead) | set(out.mb.write_valid && !in.mb.write_ready, kMbWriteHeld) |
         set(out.mb.response_valid && !in.mb.response_ready, kMbResponseHeld);
}

void ResetCover::Reset(const golden::Model& model, const golden::Mbarriers& mbarriers) {
  std::uint32_t what = going_on_;
  what |= model.Waiting() != 0 ? Bit(kWaitingWarp) : 0;
  what |= mbarriers.Parked() != 0 ? Bit(kMbParked) : 0;
  what |= cycles_ < start_ ? Bit(kEarly) : 0;
  for (; what != 0; what &= what - 1) {
    points_.Count(defined_[static_cast<unsigned>(__builtin_ctz(what))]);
  }
  cycles_ = 0;
  reading_ = false;
  going_on_ = 0;
}

}  // namespace muster::lockstep
