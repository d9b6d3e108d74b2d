// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/mb_cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_word.h"

namespace muster::lockstep {
namespace {

unsigned Code(MbOp op) { return static_cast<unsigned>(op); }

}  // namespace

void MbCover::NextRun() {
  commits_.fill(Commit());
  for (std::deque<Group>& groups : groups_) {
    groups.clear();
  }
  parked_warps_ = 0;
  for (auto& tokens : tokens_) {
    tokens.fill(Token());
  }
  completions_.clear();
  words_.clear();
  remote_.fill(std::nullopt);
  reading_ = false;
}

void MbCover::Observe(std::uint64_t cycle, const Inputs& in, const Outputs& out,
                      const std::vector<MbEvent>& events, const MbEffects* effects) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const MbEvent& event = events[i];
    CountHazards(effects[i].hazards);
    switch (event.kind) {
      case MbEvent::Kind::kStep:
        CountStep(cycle - 1, event.operation, effects[i]);
        break;
      case MbEvent::Kind::kExpire:
        parked_warps_ &= ~Bit(event.operation.warp);
        Hit(MbSpot::kExpire);
        if (parked_[event.operation.warp].own) {
          Hit(MbSpot::kExpireOwn);
        }
        break;
      case MbEvent::Kind::kLeave:
        CountLeave(cycle, event, effects[i]);
        break;
      case MbEvent::Kind::kStore:
        Hit(MbSpot::kStore);
        words_.erase(Place(event.operation.cta, event.operation.addr));
        if (out.mb.held_valid != 0) {
          Hit(MbSpot::kStoreBesideHeld);
        }
        break;
      case MbEvent::Kind::kRestore:
        Hit(MbSpot::kRestore);
        break;
    }
  }
  CountPins(in, out);
}

void MbCover::CountPins(const Inputs& pins, const Outputs& out_pins) {
  const MbInputs& in = pins.mb;
  const MbOutputs& out = out_pins.mb;
  const auto hit = [this](bool when, MbSpot spot) {
    if (when) {
      Hit(spot);
    }
  };
  hit(in.issue_valid && !out.issue_ready, MbSpot::kStallIssue);
  hit(in.async_valid && !out.async_ready, MbSpot::kStallAsync);
  hit(in.remote_valid && !out.remote_ready, MbSpot::kStallRemote);
  hit(out.read_valid && !in.read_ready, MbSpot::kStallRead);
  hit(out.write_valid && !in.write_ready, MbSpot::kStallWrite);
  hit(out.response_valid && !in.response_ready, MbSpot::kStallResponse);
  // From data to write: the second waits for the third, which is split.
  const bool waits = out.commit_valid && (out.held_valid & 6) == 6 && IsPart(out.commit);
  hit(waits, MbSpot::kWaits);
  hit(waits && (out.held_valid & 1) != 0 && out.held[0] == out.held[1] &&
          out.held[1] == out.held[2],
      MbSpot::kWaitsFar);
  hit(in.yield, MbSpot::kYield);
  hit(in.stopped_ns != 0 && parked_warps_ != 0, MbSpot::kStopped);
  hit(reading_ && !in.rdata_valid, MbSpot::kLateData);
  reading_ = (reading_ && !in.rdata_valid) || (out.read_valid && in.read_ready);
  hit(Ones(out.fence_req) >= 4, MbSpot::kDrainMany);
  hit(in.issue_valid && in.async_valid && in.remote_valid && in.issue.addr == in.async.addr &&
          in.issue.addr == in.remote.addr && in.issue.cta == in.async.cta &&
          in.issue.cta == in.remote.cta,
      MbSpot::kThreeSources);
  hit((out.busy & out_pins.fence_req) != 0, MbSpot::kBarrierWaitsForIt);
  if (in.issue_valid && out.issue_ready) {
    const bool drained = !in.issue.releasing || (in.fence_ack >> in.issue.warp & 1) != 0;
    Hit(drained ? MbSpot::kDrainPassed : MbSpot::kDrainParked);
    CountBeside(in.issue);
    GroupsOf(MbSource::kWarp, in.issue.warp).push_back({TakesPart(in.issue), in.issue.op});
  }
  if (in.async_valid && out.async_ready) {
    GroupsOf(MbSource::kAsync, 0).push_back({in.async.lanes, in.async.op});
  }
  if (in.remote_valid && out.remote_ready) {
    GroupsOf(MbSource::kRemote, 0).push_back({TakesPart(in.remote), in.remote.op});
  }
}

// The lanes of the group, without those that a warp lacks.
std::uint32_t MbCover::TakesPart(const MbOperation& group) {
  const std::uint32_t all = LanesOfWarp(config_);
  if ((group.lanes & ~all) != 0) {
    Hit(MbSpot::kLacking);
  }
  return group.lanes & all;
}

// Lanes of a warp wait by two instructions at a time: one by token, one by parity.
void MbCover::CountBeside(const MbOperation& operation) {
  const std::deque<Group>& groups = GroupsOf(MbSource::kWarp, operation.warp);
  if (IsTryWait(operation.op) && std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        return IsTryWait(group.op) && group.op != operation.op;
      })) {
    Hit(MbSpot::kBesideOthers);
  }
}

std::deque<MbCover::Group>& MbCover::GroupsOf(MbSource source, unsigned warp) {
  return groups_[source == MbSource::kWarp    ? warp
                 : source == MbSource::kAsync ? kMaxWarps
                                              : kMaxWarps + 1];
}

// Lanes of the group are left after this commit.
bool MbCover::IsPart(const MbOutputs::Commit& commit) {
  const std::deque<Group>& groups = GroupsOf(commit.source, commit.warp);
  return !groups.empty() && (groups.front().rest & ~commit.lanes) != 0;
}

void MbCover::CountStep(std::uint64_t cycle, const MbOperation& operation,
                        const MbEffects& effects) {
  const unsigned code = Code(operation.op);
  const auto source = static_cast<unsigned>(operation.source);
  const FaultCause cause = effects.fault[First(operation.lanes)];
  const bool refused = cause != FaultCause::kNone;
  CountSplit(operation, effects, refused);
  if (refused) {
    points_.Count(faults_[code][source][static_cast<unsigned>(cause)]);
    return;
  }
  if (operation.source == MbSource::kRemote) {
    remote_[operation.cta] = cycle;
  }
  const Place place(operation.cta, operation.addr);
  const auto at = [&](unsigned cycles) {
    const Commit& earlier = commits_[cycles - 1];
    return earlier.cycle + cycles == cycle && earlier.place == place;
  };
  const bool next = commits_[0].cycle + 1 == cycle;
  if (at(1)) {
    Hit(MbSpot::kBackToBack);
  } else if (next) {
    Hit(MbSpot::kOtherWord);
    if (at(2)) {
      Hit(MbSpot::kTwoApart);
    } else if (commits_[1].cycle + 2 == cycle && at(3)) {
      Hit(MbSpot::kThreeApart);
    }
  }
  if (operation.source == MbSource::kWarp) {
    points_.Count(sizes_[code][operation.lanes == LanesOfWarp(config_) ? 2
                               : Ones(operation.lanes) == 1            ? 0
                                                                       : 1]);
    if (operation.warp == config_.num_warps - 1) {
      Hit(MbSpot::kLastWarp);
    }
  }
  if (operation.addr == config_.smem_bytes - 8) {
    Hit(MbSpot::kLastWord);
  }
  if (operation.cta == config_.num_ctas - 1) {
    Hit(MbSpot::kLastCta);
  }
  CountTokens(operation, effects);
  if (config_.report) {
    CountLayout(operation, effects);
  }
  const bool completed = effects.completions != 0;
  if (IsMbWait(operation.op)) {
    CountWait(cycle, operation, effects);
  } else {
    points_.Count(outcomes_[code][source][completed ? kPhaseCompletes : kStays]);
    CountWord(operation, effects);
  }
  if (completed) {
    completions_[place] += effects.completions;
    CountCompletion(cycle, effects);
  }
  std::copy_backward(commits_.begin(), commits_.end() - 1, commits_.end());
  commits_[0] = {cycle, place, completed};
}

void MbCover::CountSplit(const MbOperation& operation, const MbEffects& effects, bool refused) {
  std::deque<Group>& groups = GroupsOf(operation.source, operation.warp);
  if (groups.empty()) {
    return;
  }
  Group& group = groups.front();
  group.rest &= ~operation.lanes;
  group.completions += effects.completions;
  if (group.split && refused) {
    Hit(MbSpot::kSplitRefused);
  }
  if (group.rest != 0 && effects.completions != 0) {
    Hit(MbSpot::kSplitCompletion);
  }
  if (group.completions == 3) {
    Hit(MbSpot::kSplitThreeCompletions);
  }
  group.split = true;
  if (group.rest == 0) {
    groups.pop_front();
  }
}

void MbCover::CountWord(const MbOperation& operation, const MbEffects& effects) {
  const MbWord word = DecodeMbWord(effects.word, config_.report);
  if (word.tx < 0) {
    Hit(MbSpot::kBelowZero);
  }
  if (word.tx == kMaxMbCount) {
    Hit(MbSpot::kTxMax);
  }
  if (word.tx == -std::int64_t{kMaxMbCount}) {
    Hit(MbSpot::kTxMin);
  }
  if (operation.op == MbOp::kInit && word.expected == kMaxMbCount) {
    Hit(MbSpot::kCountMax);
  }
  if (operation.op == MbOp::kCopyArrive && word.pending == kMaxMbCount) {
    Hit(MbSpot::kPendingMax);
  }
  if (IsMbArrival(operation.op) && effects.completions != 0 && word.expected == 0) {
    Hit(MbSpot::kDropToNone);
  }
  if (Ones(operation.lanes) > 1 && operation.operand > 1) {
    if (IsMbArrival(operation.op) && !ExpectsTx(operation.op)) {
      Hit(MbSpot::kSumArrivals);
    } else if (ExpectsTx(operation.op)) {
      Hit(MbSpot::kSumExpects);
    } else if (operation.op == MbOp::kCompleteTx) {
      Hit(MbSpot::kSumCompletes);
    }
  }
}

void MbCover::CountWait(std::uint64_t cycle, const MbOperation& operation,
                        const MbEffects& effects) {
  const bool parks = effects.parked != 0;
  const bool complete = effects.complete != 0;
  points_.Count(outcomes_[Code(operation.op)][0][parks ? kParks : complete ? kTrue : kFalse]);
  if (complete) {
    const Place place(operation.cta, operation.addr);
    for (unsigned back = 0; back < kNear; ++back) {
      const Commit& commit = commits_[back];
      if (commit.completed && commit.place == place && commit.cycle + kNear >= cycle) {
        points_.Count(wait_after_completion_[cycle - commit.cycle]);
        break;
      }
    }
    return;
  }
  if (!IsTryWait(operation.op)) {
    return;
  }
  if (!parks) {
    Hit(!operation.whole                               ? MbSpot::kNotWhole
        : operation.has_hint && operation.operand == 0 ? MbSpot::kNoTime
                                                       : MbSpot::kSlotTaken);
    return;
  }
  const std::uint64_t ns = operation.has_hint ? operation.operand : config_.wait_limit_ns;
  parked_[operation.warp] = {cycle, cycle + ns * 1000 / config_.clock_period_ps,
                             !operation.has_hint, operation.asks == MbAsks::kConditional,
                             Place(operation.cta, operation.addr)};
  parked_warps_ |= Bit(operation.warp);
  Hit(MbSpot::kPark);
  if (Ones(parked_warps_) >= 4) {
    Hit(MbSpot::kParkMany);
  }
}

void MbCover::CountCompletion(std::uint64_t cycle, const MbEffects& effects) {
  for (const MbAnswer& answer : effects.answers) {
    const Parked& parked = parked_[answer.warp];
    parked_warps_ &= ~Bit(answer.warp);
    Hit(MbSpot::kWake);
    if (cycle - parked.commit <= kNear) {
      points_.Count(completion_after_park_[cycle - parked.commit]);
    }
    if (parked.limit <= cycle) {
      Hit(MbSpot::kLimitPassed);
    }
  }
  if (effects.answers.size() >= 2) {
    Hit(MbSpot::kWakeMany);
  }
}

void MbCover::CountTokens(const MbOperation& operation, const MbEffects& effects) {
  const Place place(operation.cta, operation.addr);
  const std::uint64_t completions = completions_[place];
  for (std::uint32_t left = operation.lanes; left != 0; left &= left - 1) {
    Token& token = tokens_[operation.warp][First(left)];
    if (operation.has_token) {
      token = {place, completions, true};
    } else if ((operation.op == MbOp::kTestWait || operation.op == MbOp::kTryWait) && token.valid &&
               token.place == place) {
      const bool complete = (effects.complete >> First(left) & 1) != 0;
      if (completions == token.completions && !complete) {
        Hit(MbSpot::kTokenNow);
      } else if (completions == token.completions + 1 && complete) {
        Hit(MbSpot::kTokenNext);
      }
    }
  }
}

// Layouts, reports and conditional phases.
void MbCover::CountLayout(const MbOperation& operation, const MbEffects& effects) {
  const auto hit = [this](bool when, MbSpot spot) {
    if (when) {
      Hit(spot);
    }
  };
  const Place place(operation.cta, operation.addr);
  const auto found = words_.find(place);
  const bool v1 = found != words_.end();
  if (IsMbWait(operation.op)) {
    const bool complete = effects.complete != 0;
    if (operation.asks == MbAsks::kLayout) {
      Hit(complete ? MbSpot::kLayoutIs : MbSpot::kLayoutIsNot);
    } else if (operation.asks == MbAsks::kPrimary) {
      hit(complete && effects.report != 0, MbSpot::kReportGiven);
      hit(complete && effects.report == 0 && v1, MbSpot::kReportNone);
    } else if (v1) {
      Hit(complete              ? MbSpot::kConditionalTrue
          : effects.parked == 0 ? MbSpot::kConditionalFalse
                                : MbSpot::kConditionalParks);
    }
    return;
  }
  const MbWord before = DecodeMbWord(v1 ? found->second : 0, true);
  const MbWord word = DecodeMbWord(effects.word, true);
  hit(operation.op == MbOp::kInit && word.v1, MbSpot::kInitV1);
  hit(operation.op == MbOp::kInit && word.v1 && word.expected == kMaxMbCountV1,
      MbSpot::kCountMaxV1);
  hit(operation.op == MbOp::kCopyArrive && word.v1 && word.pending == kMaxMbCountV1,
      MbSpot::kPendingMaxV1);
  if (operation.op == MbOp::kReportOn && v1) {
    Hit(before.report == 0 ? MbSpot::kReportFirst : MbSpot::kReportAgain);
  }
  if (effects.completions == 1 && word.v1 && v1) {
    const bool advances = word.conditional != before.conditional;
    Hit(advances ? MbSpot::kBothComplete : MbSpot::kHeldBack);
    for (std::uint64_t left = parked_warps_; left != 0 && !advances; left &= left - 1) {
      const Parked& parked = parked_[First(left)];
      hit(parked.conditional && parked.place == place, MbSpot::kConditionalStays);
    }
  }
  hit(effects.completions != 0 && word.v1 && operation.behind != 0, MbSpot::kSplitV1);
  for (const MbAnswer& answer : effects.answers) {
    hit(answer.report != 0, MbSpot::kReportWake);
    if (parked_[answer.warp].conditional) {
      Hit(word.v1 ? MbSpot::kConditionalWakes : MbSpot::kConditionalV0);
    }
  }
  if (word.v1) {
    words_[place] = effects.word;
  } else {
    words_.erase(place);
  }
}

void MbCover::CountLeave(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  std::optional<std::uint64_t>& remote = remote_[event.operation.cta];
  if (remote && cycle - *remote <= kSoon) {
    Hit(MbSpot::kLeaveSoon);
  }
  remote.reset();
  for (const MbAnswer& answer : effects.answers) {
    parked_warps_ &= ~Bit(answer.warp);
    Hit(event.how == OpKind::kEnd ? MbSpot::kParkedEnd : MbSpot::kParkedSuspend);
  }
  const Place first(event.operation.cta, 0);
  const Place end(event.operation.cta + 1U, 0);
  completions_.erase(completions_.lower_bound(first), completions_.lower_bound(end));
  words_.erase(words_.lower_bound(first), words_.lower_bound(end));
}

void MbCover::CountHazards(std::uint32_t hazards) {
  constexpr std::array kHazards = {std::pair(Hazard::kInitOverLive, MbSpot::kInitOverLive),
                                   std::pair(Hazard::kUninitialisedWord, MbSpot::kUninitialised),
                                   std::pair(Hazard::kLateParity, MbSpot::kLateParity),
                                   std::pair(Hazard::kStoreOverWaiters, MbSpot::kStoreOverWaiters),
                                   std::pair(Hazard::kUnfinishedAsync, MbSpot::kUnfinishedAsync),
                                   std::pair(Hazard::kArrivalPastPhase, MbSpot::kArrivalPastPhase)};
  for (unsigned i = 0; i < kHazards.size() && hazards != 0; ++i) {
    if ((hazards & HazardBit(kHazards[i].first)) != 0) {
      Hit(kHazards[i].second);
    }
  }
}

}  // namespace muster::lockstep
