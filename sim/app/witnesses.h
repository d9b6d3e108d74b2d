// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs the witnesses of findings on the unit and shrinks them, for as long as there is time.
#ifndef MUSTER_SIM_APP_WITNESSES_H_
#define MUSTER_SIM_APP_WITNESSES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "sim/explore/causes.h"
#include "sim/explore/explorer.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/ptx/launch/choice.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::app {

// Of a finding, or of what is not confirmed.
template <typename T>
ptx::Schedule ScheduleOf(const ptx::Manifest& manifest, const T& finding) {
  ptx::Schedule schedule{finding.turns, finding.needed, manifest.config, manifest.seed};
  if (ptx::HasChoices(manifest)) {
    schedule.input = manifest.input;
  }
  return schedule;
}

class Witnesses {
 public:
  struct Time {
    std::function<double()> spent;  // seconds
    double limit = 0;
    std::function<void(const std::string& doing, std::uint64_t count)> say;
  };

  // Both must outlive this object.
  Witnesses(const ptx::Manifest& manifest, const Config& config, Time time)
      : manifest_(manifest), config_(config), time_(std::move(time)) {}

  // Replays the witness of each finding on the unit, in lockstep; those of the findings that will
  // be told come first. A finding whose witness does not show it there, or for whose witness there
  // is no time, becomes a suspicion.
  void Verify(explore::Explored* explored, const explore::World& world);
  // Shrinks the witnesses that are told, each for an equal part of what is left of the time, and of
  // ten seconds of the processor. One that
  // the unit does not follow then stays as it is.
  void Shrink(explore::Causes* causes, explore::World* world,
              const explore::Explorer::Judge& judge);

  bool mismatch() const { return mismatch_; }  // the RTL and the golden model disagreed
  bool refused() const { return refused_; }    // a witness did not show its finding on the unit

 private:
  std::string Replays(explore::Finding* finding);
  double Left() const { return time_.limit - time_.spent(); }

  const ptx::Manifest& manifest_;
  const Config& config_;
  const Time time_;
  bool mismatch_ = false;
  bool refused_ = false;
};

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_WITNESSES_H_
