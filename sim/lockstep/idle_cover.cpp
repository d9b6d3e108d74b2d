// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/idle_cover.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kLong = 32;  // cycles

}  // namespace

IdleCover::IdleCover(const Config& config, CoverPoints* points) : points_(*points) {
  clock_off_ = points_.Define("idle.clock_off");
  long_ = points_.Define("idle.long");
  warps_wait_ = points_.Define("idle.warps_wait");
  ends_[kIssue] = points_.Define("idle.until.issue");
  ends_[kExit] = points_.Define("idle.until.exit");
  ends_[kLifecycle] = points_.Define("idle.until.lifecycle");
  if (config.mbarrier) {
    ends_[kMbIssue] = points_.Define("idle.until.mb_issue");
    ends_[kMbAsync] = points_.Define("idle.until.mb_async");
    ends_[kMbRemote] = points_.Define("idle.until.mb_remote");
    mb_clock_off_ = points_.Define("idle.mb_clock_off");
    cta_leaves_ = points_.Define("idle.mb_clock_off.cta_leaves");
    mb_ends_[kMbIssue] = points_.Define("idle.mb_clock_off.until.issue");
    mb_ends_[kMbAsync] = points_.Define("idle.mb_clock_off.until.async");
    mb_ends_[kMbRemote] = points_.Define("idle.mb_clock_off.until.remote");
  }
  if (config.mbarrier && !config.mb_limit) {
    waits_parked_ = points_.Define("idle.waits_parked");
  }
}

void IdleCover::Observe(const Inputs& in, const Outputs& out, const golden::Model& model) {
  const MbOutputs& mb = out.mb;
  if (mb.commit_valid && mb.commit.parked) {
    parked_ |= std::uint64_t{1} << mb.commit.warp;
  }
  parked_ &= ~(mb.wake | mb.expire);
  ObserveMbarriers(in, out);
  if (in.gated) {
    ++off_;
    points_.Count(clock_off_);
    points_.Count(off_ == kLong ? long_ : CoverPoints::kNone);
    points_.Count(model.Waiting() != 0 ? warps_wait_ : CoverPoints::kNone);
    points_.Count(parked_ != 0 ? waits_parked_ : CoverPoints::kNone);
  } else if (off_ != 0) {
    off_ = 0;
    const std::array<bool, kPorts> presented = {in.issue_valid != 0, in.lifecycle_valid,
                                                in.exit_valid,       in.mb.issue_valid,
                                                in.mb.async_valid,   in.mb.remote_valid};
    for (unsigned port = 0; port < kPorts; ++port) {
      points_.Count(presented[port] ? ends_[port] : CoverPoints::kNone);
    }
  }
}

// The unit works, and its mbarriers have no clock.
void IdleCover::ObserveMbarriers(const Inputs& in, const Outputs& out) {
  if (in.mb.gated && !in.gated) {
    ++mb_off_;
    points_.Count(mb_clock_off_);
    const bool leaves = out.commit_lifecycle && (in.lifecycle.kind == OpKind::kSuspend ||
                                                 in.lifecycle.kind == OpKind::kEnd);
    points_.Count(leaves ? cta_leaves_ : CoverPoints::kNone);
  } else if (mb_off_ != 0) {
    mb_off_ = 0;
    points_.Count(in.mb.issue_valid ? mb_ends_[kMbIssue] : CoverPoints::kNone);
    points_.Count(in.mb.async_valid ? mb_ends_[kMbAsync] : CoverPoints::kNone);
    points_.Count(in.mb.remote_valid ? mb_ends_[kMbRemote] : CoverPoints::kNone);
  }
}

}  // namespace muster::lockstep
