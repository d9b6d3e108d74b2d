// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cover points of resets: which operations were under way as each began.
#ifndef MUSTER_SIM_LOCKSTEP_RESET_COVER_H_
#define MUSTER_SIM_LOCKSTEP_RESET_COVER_H_

#include <array>
#include <cstdint>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/lockstep/cover_points.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

class ResetCover {
 public:
  ResetCover(const Config& config, CoverPoints* points);

  // Another run begins: nothing is under way, and there was no reset before.
  void NextRun() {
    cycles_ = start_;
    reading_ = false;
    going_on_ = 0;
  }
  // Observes the pins of one cycle out of reset.
  void Observe(const Inputs& in, const Outputs& out) {
    ++cycles_;
    going_on_ = GoingOn(in, out);
  }
  // A reset begins after the cycle observed last; the golden models are as they were then.
  void Reset(const golden::Model& model, const golden::Mbarriers& mbarriers);

 private:
  // The states that pins and golden models show.
  enum What : unsigned {
    kOperation,  // between acceptance and commit
    kCommit,     // its effects are still to come
    kIssueHeld,
    kDrain,
    kLaunch,
    kJoin,
    kLeave,  // suspend, end
    kExit,
    kWaitingWarp,
    kResponseHeld,
    kEarly,  // the unit is not yet ready after the reset before
    kMbGroup,
    kMbDrain,
    kMbRead,
    kMbWriteHeld,
    kMbParked,
    kMbResponseHeld,
    kCount,
  };
  static constexpr std::uint32_t Bit(What what) { return std::uint32_t{1} << what; }

  std::uint32_t GoingOn(const Inputs& in, const Outputs& out);

  const std::uint64_t start_;  // cycles until the unit is ready
  CoverPoints& points_;
  std::array<unsigned, kCount> defined_{};
  std::uint64_t cycles_;  // since the reset before; start_: there was none
  bool reading_ = false;  // a word is on its way from memory
  std::uint32_t going_on_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_RESET_COVER_H_
