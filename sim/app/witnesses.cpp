// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/witnesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <exception>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/app/verify.h"
#include "sim/explore/shrink.h"
#include "sim/ptx/launch/report.h"

namespace muster::app {
namespace {

using explore::Finding;
using explore::Kind;

bool IsShown(const Finding& finding, const Replay& replay) {
  if (finding.is_bad && replay.outcome == finding.ending && replay.outcome != "completes") {
    return true;  // the run may have ended before the last turn
  }
  const bool by_order =
      !finding.is_bad || IsRace(finding.what.kind) || finding.what.kind == Kind::kDifferingResult;
  return replay.followed >= finding.needed && (by_order || replay.is_bad);
}

}  // namespace

void Witnesses::Verify(explore::Explored* explored, const explore::World& world) {
  // The rest of the time is for shrinking.
  constexpr double kShare = 0.9;
  std::vector<Finding> told;
  std::vector<Finding> more;
  for (explore::Cause<Finding>& cause : explore::ByCause(*explored, world).findings) {
    told.push_back(std::move(cause.told));
    std::move(cause.more.begin(), cause.more.end(), std::back_inserter(more));
  }
  const std::size_t needed = told.size();
  std::move(more.begin(), more.end(), std::back_inserter(told));
  explored->findings.clear();
  for (std::size_t i = 0; i < told.size(); ++i) {
    Finding& finding = told[i];
    time_.say("running witnesses on the unit", i + 1);
    std::string tried;
    if (i != 0 && time_.spent() > (i < needed ? 1 : kShare) * time_.limit) {
      tried = "there was no time to run its witness on the unit";
    } else {
      try {
        tried = Replays(&finding);
        refused_ = refused_ || !tried.empty();
      } catch (const std::exception& error) {
        tried = fmt::format("the witness cannot be run on the unit: {}", error.what());
        refused_ = true;
      }
    }
    if (tried.empty()) {
      explored->findings.push_back(std::move(finding));
    } else {
      explored->suspicions.push_back(
          {finding.what, tried, std::move(finding.turns), finding.needed});
    }
  }
}

// Replays the witness until it shows the finding within the needed turns; a run may end before
// that. Returns an empty text, or what happened instead.
std::string Witnesses::Replays(Finding* finding) {
  constexpr unsigned kAttempts = 4;
  const Finding wanted = *finding;
  Replay replay;
  const auto look = [finding](const ptx::Session& session, std::uint64_t) {
    if (finding->what.kind == Kind::kDeadlock) {
      finding->lacks = ptx::CausesIn(session);
    }
  };
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    replay = ReplayOnUnit(manifest_, config_, ScheduleOf(manifest_, *finding), look);
    mismatch_ = mismatch_ || replay.mismatch;
    if (!IsShown(*finding, replay)) {
      break;
    }
    // The run may end badly in another way: a fault in one is an endless wait in the other.
    finding->ending = replay.outcome;
    finding->is_bad = replay.is_bad;
    if (replay.followed == replay.turns) {
      return "";
    }
    finding->needed = replay.followed;
  }
  return fmt::format(
      "the unit follows {} of {} turns, and the run ends in {} where the golden models end in {}",
      std::min(replay.followed, wanted.needed), wanted.needed, replay.outcome, wanted.ending);
}

void Witnesses::Shrink(explore::Causes* causes, explore::World* world,
                       const explore::Explorer::Judge& judge) {
  constexpr std::clock_t kMost = 10 * CLOCKS_PER_SEC;  // of the processor, for all of them
  const std::clock_t all_begun = std::clock();
  std::vector<Finding*> told;
  for (explore::Cause<Finding>& cause : causes->findings) {
    told.push_back(&cause.told);
  }
  // No order is told of those that the run itself shows.
  std::stable_partition(told.begin(), told.end(),
                        [](const Finding* one) { return !one->what.of_memory_model; });
  for (std::size_t i = 0; i < told.size() && Left() > 0; ++i) {
    const auto say = [&](std::size_t turns) {
      time_.say(fmt::format("shrinking the witness of finding {} of {}, {}: turns left", i + 1,
                            told.size(), Name(told[i]->what.kind)),
                turns);
    };
    const auto rest = static_cast<std::clock_t>(told.size() - i);
    const std::clock_t begun = std::clock();
    const std::clock_t most = std::max<std::clock_t>(all_begun + kMost - begun, 0) / rest;
    const double end = time_.spent() + Left() / static_cast<double>(rest);
    say(told[i]->turns.size());
    Finding shrunk = explore::Shrink(
        *told[i], world, judge, [&] { return std::clock() > begun + most || time_.spent() > end; },
        say);
    if (shrunk.turns.size() < told[i]->turns.size() && Replays(&shrunk).empty()) {
      *told[i] = std::move(shrunk);
    }
  }
}

}  // namespace muster::app
