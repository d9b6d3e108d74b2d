// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Replays a schedule on the unit, in lockstep.
#ifndef MUSTER_SIM_APP_VERIFY_H_
#define MUSTER_SIM_APP_VERIFY_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::app {

struct Replay {
  std::string outcome;
  std::size_t turns = 0;
  std::size_t followed = 0;  // how many of these have happened
  bool mismatch = false;     // the RTL and the golden model disagree
  // Whether the run does not complete, leaves other results than expected, or meets a hazard that
  // the manifest does not name.
  bool is_bad = false;
};

// Runs the only launch of a manifest, by the schedule if there is one. `look` may look at what it
// has left after so many cycles; it finds a timeline there if the run `records` one.
using Look = std::function<void(const ptx::Session&, std::uint64_t cycles)>;
Replay ReplayOnUnit(const ptx::Manifest& manifest, const Config& config,
                    std::optional<ptx::Schedule> schedule, const Look& look = {},
                    bool records = false);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_VERIFY_H_
