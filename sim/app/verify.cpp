// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/verify.h"

#include <algorithm>
#include <utility>

#include "sim/lockstep/lockstep.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {

Replay ReplayOnUnit(const ptx::Manifest& manifest, const Config& config,
                    std::optional<ptx::Schedule> schedule, const Look& look, bool records) {
  ptx::Session session(manifest, config, manifest.seed);
  if (schedule) {
    session.Follow(std::move(*schedule));
  }
  if (records) {
    session.Record();
  }
  lockstep::Options how;
  how.max_cycles = manifest.max_cycles;
  how.lazy = true;
  const lockstep::Result run = lockstep::Run(config, session.grid().Drivers(), how);
  if (run.ending == lockstep::Ending::kError) {
    throw ptx::InputError(run.report);
  }
  Replay replay;
  replay.outcome = OutcomeName(session.grid());
  if (schedule) {
    replay.turns = session.replay()->size();
    replay.followed = session.replay()->followed();
  }
  // If the unit has no faults, its behaviour after misuse is undefined: a difference is no
  // mismatch.
  const bool misused = !config.faults && !session.grid().faults().empty();
  replay.mismatch = run.ending == lockstep::Ending::kMismatch && !misused;
  const auto& hazards = session.grid().hazards();
  replay.is_bad = replay.outcome != "completes" || !session.Differences(session.memory()).empty() ||
                  std::any_of(hazards.begin(), hazards.end(), [&](const ptx::Incident& hazard) {
                    return !manifest.Wants(hazard.name);
                  });
  if (look) {
    look(session, run.cycles);
  }
  return replay;
}

}  // namespace muster::app
