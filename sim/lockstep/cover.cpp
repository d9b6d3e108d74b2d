// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/cover.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/state_word.h"
#include "sim/lockstep/bounds.h"

namespace muster::lockstep {
namespace {

// The features that a configuration needs to reach a point.
enum Needs : unsigned {
  kAny = 0,
  kReduce = 1,
  kState = 2,
  kFaults = 4,
  kDrain = 8,
  kLanes = 16,
  kPorts2 = 32,  // issue ports
  kPorts3 = 64,
  kPorts4 = 128,
  kCtas2 = 256,      // CTA slots
  kOwnPlaces = 512,  // warps that the unit lacks have places of their own
  kShared = 1024,    // warps that the unit lacks share places of warps that it has
  kWarps8 = 2048,    // eight warps
  kJoin = 4096,
  kSplit = 8192,
  kSmallWarps = 16384,  // warps lack lanes that the ports have
  kResult = 32768,      // reductions whose results warps keep
  kBare = 65536,        // reductions whose results warps do not keep
};

unsigned Has(const Config& config) {
  return (config.reduce ? kReduce : 0U) | (config.reduce ? config.result ? kResult : kBare : 0U) |
         (config.state ? kState : 0U) | (config.faults ? kFaults : 0U) |
         (config.drain ? kDrain : 0U) | (config.lanes ? kLanes : 0U) | (config.join ? kJoin : 0U) |
         (config.split ? kSplit : 0U) | (config.num_issue >= 2 ? kPorts2 : 0U) |
         (config.num_issue >= 3 ? kPorts3 : 0U) | (config.num_issue >= 4 ? kPorts4 : 0U) |
         (config.num_ctas >= 2 ? kCtas2 : 0U) |
         (config.num_warps <= WarpMask(config.num_warps) ? kOwnPlaces : 0U) |
         (WarpMask(config.num_warps) + 1 < kMaxWarps ? kShared : 0U) |
         (config.num_warps >= 8 ? kWarps8 : 0U) | (config.warp_size < kMaxLanes ? kSmallWarps : 0U);
}

struct SpotRow {
  Spot spot;
  const char* name;
  unsigned needs;
};

constexpr std::array kSpots = {
    SpotRow{Spot::kBySync, "complete.by_sync", kAny},
    SpotRow{Spot::kByArrive, "complete.by_arrive", kAny},
    SpotRow{Spot::kByRed, "complete.by_red", kReduce},
    SpotRow{Spot::kByExit, "complete.by_exit", kAny},
    SpotRow{Spot::kByMergedSet, "complete.by_merged_set", kPorts2},
    SpotRow{Spot::kInsideMergedSet, "complete.inside_merged_set", kPorts2},
    SpotRow{Spot::kNobodyWaits, "complete.nobody_waits", kAny},
    SpotRow{Spot::kAllOfUnit, "complete.all_warps_of_unit", kAny},
    SpotRow{Spot::kExitSync, "complete.by_exit.sync", kAny},
    SpotRow{Spot::kExitAnd, "complete.by_exit.and", kReduce},
    SpotRow{Spot::kExitOr, "complete.by_exit.or", kReduce},
    SpotRow{Spot::kExitPopc, "complete.by_exit.popc", kReduce},
    SpotRow{Spot::kRestoredCompletes, "complete.restored", kState},
    SpotRow{Spot::kReuseNextCycle, "reuse.next_cycle", kAny},
    SpotRow{Spot::kReuseOtherKind, "reuse.next_cycle_other_kind", kReduce | kFaults},
    SpotRow{Spot::kSameEntryNext, "order.same_entry_next_cycle", kAny},
    SpotRow{Spot::kOtherBarNext, "order.other_barrier_next_cycle", kAny},
    SpotRow{Spot::kOtherCtaNext, "order.other_cta_next_cycle", kCtas2},
    SpotRow{Spot::kRedExitBefore, "order.red_and_exit.exit_before", kReduce},
    SpotRow{Spot::kRedExitWithin, "order.red_and_exit.exit_between", kReduce},
    SpotRow{Spot::kRedExitLast, "order.red_and_exit.exit_last", kReduce},
    SpotRow{Spot::kMerge2, "merge.two", kPorts2},
    SpotRow{Spot::kMerge3, "merge.three", kPorts3},
    SpotRow{Spot::kMerge4, "merge.four", kPorts4},
    SpotRow{Spot::kMergeRed, "merge.reduction", kPorts2 | kReduce},
    SpotRow{Spot::kMergeRefused, "merge.one_refused", kPorts2 | kFaults},
    SpotRow{Spot::kPopcZero, "result.popc.none", kReduce},
    SpotRow{Spot::kPopcAll, "result.popc.all_lanes_of_cta", kReduce},
    SpotRow{Spot::kAndTrue, "result.and.true", kReduce},
    SpotRow{Spot::kAndFalse, "result.and.false", kReduce},
    SpotRow{Spot::kOrTrue, "result.or.true", kReduce},
    SpotRow{Spot::kOrFalse, "result.or.false", kReduce},
    SpotRow{Spot::kReadIdle, "b2r_bar.idle", kReduce},
    SpotRow{Spot::kReadRunning, "b2r_bar.running", kReduce},
    SpotRow{Spot::kReadByWaiting, "b2r_bar.by_waiting_warp", kReduce},
    SpotRow{Spot::kReadWarpWaiting, "b2r_warp.waiting", kReduce},
    SpotRow{Spot::kReadWarpCopy, "b2r_warp.with_copy", kResult},
    SpotRow{Spot::kReadWarpBare, "b2r_warp.after_reduction_without_copies", kBare},
    SpotRow{Spot::kResultNone, "b2r_result.none", kResult},
    SpotRow{Spot::kResultPopc, "b2r_result.popc", kResult},
    SpotRow{Spot::kResultPred, "b2r_result.pred", kResult},
    SpotRow{Spot::kWriteIdle, "r2b_bar.idle", kState},
    SpotRow{Spot::kWriteAll, "r2b_bar.all_warps", kState},
    SpotRow{Spot::kWriteCount, "r2b_bar.count", kState},
    SpotRow{Spot::kWriteRed, "r2b_bar.reduction", kState},
    SpotRow{Spot::kWriteCopy, "r2b_warp.with_copy", kState},
    SpotRow{Spot::kWriteWaiting, "r2b_warp.waiting", kState},
    SpotRow{Spot::kRefusedIdleValue, "r2b_bar.small_value_of_idle_refused", kState | kFaults},
    SpotRow{Spot::kRefusedSyncValue, "r2b_bar.small_value_of_sync_refused", kState | kFaults},
    SpotRow{Spot::kRefusedWarpValue, "r2b_warp.small_value_of_none_refused", kState | kFaults},
    SpotRow{Spot::kRefusedOverArrivals, "r2b_bar.over_arrivals_refused", kState | kFaults},
    SpotRow{Spot::kRefusedWaitAtIdle, "r2b_warp.waits_at_idle_refused", kState | kFaults},
    SpotRow{Spot::kRefusedWaitUnowed, "r2b_warp.waits_unowed_refused", kState | kFaults},
    SpotRow{Spot::kRefusedOtherKind, "r2b_warp.waits_of_other_kind_refused", kState | kFaults},
    SpotRow{Spot::kRefusedOtherBarrier, "r2b_warp.waits_of_other_barrier_refused",
            kState | kFaults},
    SpotRow{Spot::kRefusedResult, "r2b_warp.waits_with_result_refused", kState | kFaults},
    SpotRow{Spot::kSuspendRunning, "save.running_barrier", kState},
    SpotRow{Spot::kSuspendWaiting, "save.waiting_warp", kState},
    SpotRow{Spot::kRestoredWakes, "restore.waiting_warp_released", kState},
    SpotRow{Spot::kRestoreOtherSlot, "restore.other_slot", kState | kCtas2},
    SpotRow{Spot::kRestoreOtherWarps, "restore.other_warps", kState},
    SpotRow{Spot::kRestoreSlotUsed, "restore.slot_used_meanwhile", kState},
    SpotRow{Spot::kLaunchOne, "launch.one_warp", kAny},
    SpotRow{Spot::kLaunchAll, "launch.all_warps_of_unit", kAny},
    SpotRow{Spot::kLaunchAfterExits, "launch.with_exited_warps", kState},
    SpotRow{Spot::kOpenSlotUsed, "open.slot_just_left", kJoin},
    SpotRow{Spot::kJoinFirst, "join.first", kJoin},
    SpotRow{Spot::kJoinLast, "join.last", kJoin},
    SpotRow{Spot::kJoinSomeLanes, "join.some_lanes", kJoin | kLanes},
    SpotRow{Spot::kJoinAgain, "join.warp_that_exited", kJoin},
    SpotRow{Spot::kJoinLeftOver, "join.warp_left_over", kJoin},
    SpotRow{Spot::kJoinAmidArrivals, "join.while_others_wait_for_all", kJoin},
    SpotRow{Spot::kJoinAmidCleaning, "join.amid_cleaning", kJoin | kCtas2},
    SpotRow{Spot::kExitBeforeJoins, "exit.before_all_have_joined", kJoin},
    SpotRow{Spot::kLeaveBeforeJoins, "leave.before_all_have_joined", kJoin},
    SpotRow{Spot::kExitSomeLanes, "exit.some_lanes", kLanes},
    SpotRow{Spot::kExitLastLanes, "exit.last_lanes", kLanes},
    SpotRow{Spot::kExitWhole, "exit.whole_warp", kAny},
    SpotRow{Spot::kEndIdle, "end.idle", kAny},
    SpotRow{Spot::kLastCta, "slot.last_cta", kAny},
    SpotRow{Spot::kLastWarp, "slot.last_warp", kAny},
    SpotRow{Spot::kWarpBetween, "slot.none.with_own_place", kFaults | kOwnPlaces},
    SpotRow{Spot::kWarpBeyond, "slot.none.shares_a_place", kFaults | kShared},
    SpotRow{Spot::kWaitAtOnce, "wait.at_once", kSplit},
    SpotRow{Spot::kWaitAfterCompletion, "wait.in_the_cycle_after_the_completion", kSplit},
    SpotRow{Spot::kWaitIdle, "wait.idle", kSplit},
    SpotRow{Spot::kWaitCount, "wait.count", kSplit},
    SpotRow{Spot::kWaitAll, "wait.all_warps", kSplit | kFaults},
    SpotRow{Spot::kWaitRed, "wait.reduction", kSplit | kReduce},
    SpotRow{Spot::kApartWithArrived, "wait.released_with_arrived_warps", kSplit},
    SpotRow{Spot::kApartAlone, "wait.released_without_others", kSplit},
    SpotRow{Spot::kApartByRed, "wait.released_by_red", kSplit | kReduce},
    SpotRow{Spot::kApartJustBefore, "wait.in_the_cycle_before_the_completion", kSplit},
    SpotRow{Spot::kPhaseSetByExit, "phase.set_by_exit", kSplit},
    SpotRow{Spot::kPhaseClearedByExit, "phase.cleared_by_exit", kSplit},
    SpotRow{Spot::kAnswers1, "arrive_phase.answers_1", kSplit},
    SpotRow{Spot::kAnswerParked, "arrive_phase.parked", kSplit | kDrain},
    SpotRow{Spot::kReadIdlePhase1, "b2r_bar.idle_in_phase_1", kSplit},
    SpotRow{Spot::kReadRunningPhase1, "b2r_bar.running_in_phase_1", kSplit},
    SpotRow{Spot::kWritePhase1, "r2b_bar.phase_1", kSplit | kState},
    SpotRow{Spot::kWriteApartIdle, "r2b_warp.apart_at_idle", kSplit | kState},
    SpotRow{Spot::kWriteApartRed, "r2b_warp.apart_at_reduction", kSplit | kState},
    SpotRow{Spot::kWriteApartOwed, "r2b_warp.apart_while_others_are_owed", kSplit | kState},
    SpotRow{Spot::kRefusedApart, "r2b_warp.apart_without_waiting_refused",
            kSplit | kState | kFaults},
    SpotRow{Spot::kSuspendApart, "save.apart_warp", kSplit | kState},
    SpotRow{Spot::kRestoredApart, "restore.apart_warp_released", kSplit | kState},
    SpotRow{Spot::kLateWait, "hazard.late_wait", kSplit | kFaults},
    SpotRow{Spot::kLacking, "lanes.lacking.operation", kSmallWarps},
    SpotRow{Spot::kJoinLacking, "lanes.lacking.join", kSmallWarps | kJoin},
    SpotRow{Spot::kExitLacking, "lanes.lacking.exit", kSmallWarps},
    SpotRow{Spot::kRepeatedArrival, "hazard.repeated_arrival", kAny},
    SpotRow{Spot::kUnfinishedBarrier, "hazard.unfinished_barrier", kAny},
    SpotRow{Spot::kFencePassed, "fence.passed", kDrain},
    SpotRow{Spot::kFenceParked, "fence.parked", kDrain},
    SpotRow{Spot::kFenceManyParked, "fence.many_parked", kDrain | kWarps8},
    SpotRow{Spot::kStallResponse, "stall.response", kReduce},
    SpotRow{Spot::kStallIssue, "stall.issue", kAny},
    SpotRow{Spot::kStallBusy, "stall.busy_warp", kAny},
    SpotRow{Spot::kStallLifecycle, "stall.lifecycle", kAny},
    SpotRow{Spot::kStallExit, "stall.exit", kAny},
    SpotRow{Spot::kExitAmidLaunch, "exit.amid_launch", kAny},
};
static_assert(kSpots.size() == static_cast<std::size_t>(Spot::kCount), "a name for each spot");

constexpr std::array kArrivals = {OpKind::kSync,  OpKind::kArrive,  OpKind::kRedAnd,
                                  OpKind::kRedOr, OpKind::kRedPopc, OpKind::kArrivePhase};
// The others of an issue port.
constexpr std::array kOthers = {OpKind::kWait,      OpKind::kB2rBar, OpKind::kB2rWarp,
                                OpKind::kB2rResult, OpKind::kR2bBar, OpKind::kR2bWarp};

// Roles of an arrival in its generation.
enum Role : unsigned { kOpens, kJoins, kCompletes, kAlone };
constexpr std::array kRoles = {"opens", "joins", "completes", "alone"};
constexpr std::array kModes = {"all_warps", "count"};

// Which operations can be refused for which cause.
bool CanBeRefused(const Config& config, OpKind kind, FaultCause cause) {
  switch (cause) {
    case FaultCause::kBadLaunch:
      return kind == OpKind::kLaunch || kind == OpKind::kOpen;
    case FaultCause::kBadJoin:
      return kind == OpKind::kJoin;
    case FaultCause::kCtaNotResident:
      return kind != OpKind::kLaunch && kind != OpKind::kOpen;
    case FaultCause::kWarpNotLive:
      return !IsLifecycle(kind) || kind == OpKind::kExit;
    case FaultCause::kWarpWaiting:
      return (!IsLifecycle(kind) || kind == OpKind::kExit) && kind != OpKind::kB2rBar &&
             kind != OpKind::kB2rWarp;
    case FaultCause::kBadStateWord:
      return kind == OpKind::kR2bBar || kind == OpKind::kR2bWarp;
    case FaultCause::kRestoreUnfinished:
      return config.state && (IsArrival(kind) || kind == OpKind::kWait || kind == OpKind::kExit);
    case FaultCause::kArvWithoutCount:
      return GoesOn(kind);
    case FaultCause::kCountNotMultiple:
    case FaultCause::kCountAboveCta:
    case FaultCause::kCountMismatch:
      return IsArrival(kind);
    case FaultCause::kKindMismatch:
      return IsArrival(kind) && config.reduce;
    default:
      return false;
  }
}

unsigned Code(OpKind kind) { return static_cast<unsigned>(kind); }

}  // namespace

Cover::Cover(const Config& config)
    : config_(config), mb_(config, &points_), resets_(config, &points_), idle_(config, &points_) {
  const unsigned has = Has(config);
  for (const SpotRow& row : kSpots) {
    if ((row.needs & ~has) == 0) {
      spots_[static_cast<unsigned>(row.spot)] = points_.Define(row.name);
    }
  }
  DefineCrosses();
  NextRun();
}

void Cover::DefineCrosses() {
  std::vector<OpKind> operations;
  for (const OpKind kind : kArrivals) {
    if (Has(config_, kind)) {
      operations.push_back(kind);
    }
  }
  for (const OpKind kind : operations) {
    for (unsigned mode = 0; mode < kModes.size(); ++mode) {
      for (unsigned role = 0; role < kRoles.size(); ++role) {
        if (!GoesOn(kind) || mode == 1) {  // ARV needs a count
          arrivals_[Code(kind)][mode][role] = points_.Define(
              fmt::format("operation.{}.{}.{}", Name(kind), kModes[mode], kRoles[role]));
        }
      }
    }
  }
  for (const OpKind kind : kOthers) {
    if (Has(config_, kind)) {
      operations.push_back(kind);
    }
  }
  operations.push_back(OpKind::kExit);
  for (const OpKind kind : operations) {
    no_lanes_[Code(kind)] = points_.Define(fmt::format("lanes.none.{}", Name(kind)));
    if (IsArrival(kind)) {
      some_lanes_[Code(kind)] = points_.Define(fmt::format("lanes.some.{}", Name(kind)));
    }
  }
  operations.insert(operations.end(), {OpKind::kLaunch, OpKind::kSuspend, OpKind::kEnd});
  if (config_.join) {
    operations.insert(operations.end(), {OpKind::kOpen, OpKind::kJoin});
  }
  for (unsigned cause = 1; cause < kNumFaultCauses && config_.faults; ++cause) {
    for (const OpKind kind : operations) {
      if (CanBeRefused(config_, kind, static_cast<FaultCause>(cause))) {
        faults_[cause][Code(kind)] = points_.Define(
            fmt::format("fault.{}.{}", Name(static_cast<FaultCause>(cause)), Name(kind)));
      }
    }
  }
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    bars_[bar] = points_.Define(fmt::format("complete.barrier_{}", bar));
  }
}

void Cover::Forget() {
  entries_.assign(std::size_t{config_.num_ctas} * kNumBars, Entry());
  live_.fill(0);
  exited_.fill(false);
  gone_.fill(0);
  over_.fill(0);
  unjoined_.fill(0);
  left_.fill(0);
  waiting_ = 0;
  apart_ = 0;
  restored_waiting_ = 0;
  latest_cycle_ = 0;
  mb_.NextRun();
  idle_.NextRun();
}

void Cover::Observe(std::uint64_t cycle, const Inputs& in, const Outputs& out,
                    const Commits& commits, const Effects* effects, const golden::Model& model) {
  CountPins(in, out);
  resets_.Observe(in, out);
  idle_.Observe(in, out, model);
  bool refused = false;
  unsigned arrivals = 0;
  bool reduction = false;
  for (unsigned i = 0; i < commits.count; ++i) {
    Operation operation = commits.operations[i];
    const bool lacking = (operation.lanes & ~LanesOfWarp(config_)) != 0;
    operation.lanes &= LanesOfWarp(config_);
    CountCommit({cycle, operation, commits.about[i], effects[i], i, lacking}, model);
    refused = refused || effects[i].fault != FaultCause::kNone;
    arrivals += static_cast<unsigned>(effects[i].entry_written);
    reduction = reduction || IsReduction(commits.operations[i].kind);
  }
  if (commits.count >= 2) {
    Hit(commits.count == 2 ? Spot::kMerge2 : commits.count == 3 ? Spot::kMerge3 : Spot::kMerge4);
    if (arrivals >= 2 && reduction) {
      Hit(Spot::kMergeRed);
    }
    if (arrivals >= 1 && refused) {
      Hit(Spot::kMergeRefused);
    }
  }
  waiting_ = model.Waiting();
  apart_ = model.Apart();
}

void Cover::CountPins(const Inputs& in, const Outputs& out) {
  const unsigned held = in.issue_valid & ~static_cast<unsigned>(out.issue_ready);
  for (unsigned left = held; left != 0; left &= left - 1) {
    const unsigned warp = in.issue[static_cast<unsigned>(__builtin_ctz(left))].warp;
    Hit((out.busy >> warp & 1) != 0 ? Spot::kStallBusy : Spot::kStallIssue);
  }
  if (out.response_valid && !in.response_ready) {
    Hit(Spot::kStallResponse);
  }
  if (in.lifecycle_valid && !out.lifecycle_ready) {
    Hit(Spot::kStallLifecycle);
  }
  if (in.exit_valid && !out.exit_ready) {
    Hit(Spot::kStallExit);
  }
  if (out.commit_exit && in.lifecycle_valid && !out.lifecycle_ready &&
      in.lifecycle.kind == OpKind::kLaunch) {
    Hit(Spot::kExitAmidLaunch);
  }
  if (Ones(out.fence_req) >= 4) {
    Hit(Spot::kFenceManyParked);
  }
}

void Cover::CountCommit(const Event& event, const golden::Model& model) {
  const Operation& operation = event.operation;
  if (event.lacking) {
    Hit(operation.kind == OpKind::kExit   ? Spot::kExitLacking
        : operation.kind == OpKind::kJoin ? Spot::kJoinLacking
                                          : Spot::kLacking);
  }
  if (event.effects.fault != FaultCause::kNone) {
    Count(faults_[static_cast<unsigned>(event.effects.fault)][Code(operation.kind)]);
    if (event.effects.fault == FaultCause::kBadStateWord) {
      CountRefusedWord(operation, model);
    }
    if (event.effects.fault == FaultCause::kWarpNotLive && operation.warp >= config_.num_warps) {
      Hit(operation.warp <= WarpMask(config_.num_warps) ? Spot::kWarpBetween : Spot::kWarpBeyond);
    }
    return;
  }
  const bool of_lanes = !IsLifecycle(operation.kind) || operation.kind == OpKind::kExit;
  if (of_lanes && operation.lanes == 0) {
    Count(no_lanes_[Code(operation.kind)]);
    return;
  }
  if (IsArrival(operation.kind)) {
    CountArrival(event);
  } else if (operation.kind == OpKind::kWait) {
    CountWait(event);
  } else if (!IsLifecycle(operation.kind)) {
    CountState(event, model);
  } else if (operation.kind == OpKind::kLaunch) {
    CountLaunch(operation);
  } else if (operation.kind == OpKind::kOpen) {
    CountOpen(event);
  } else if (operation.kind == OpKind::kJoin) {
    CountJoin(event);
  } else if (operation.kind == OpKind::kExit) {
    CountExit(event, model);
  } else {
    CountLeave(event);
  }
  if (event.effects.completed) {
    CountCompletion(event, model);
  }
  if (event.effects.entry_written) {
    BarState state = DecodeBarWord(event.effects.word);
    state.phase = false;
    EntryOf(event.effects.cta, event.effects.bar).word = Encode(state);
  }
}

void Cover::CountArrival(const Event& event) {
  const Operation& operation = event.operation;
  Entry& entry = EntryOf(operation.cta, operation.bar);
  const bool opens = entry.word == 0;
  const Role role =
      event.effects.completed ? (opens ? kAlone : kCompletes) : (opens ? kOpens : kJoins);
  Count(arrivals_[Code(operation.kind)][operation.count != 0 ? 1 : 0][role]);
  if (operation.lanes != LanesOfWarp(config_)) {
    Count(some_lanes_[Code(operation.kind)]);
  }
  Hit(event.about.parked ? Spot::kFenceParked : Spot::kFencePassed);
  if ((event.effects.hazards >> static_cast<unsigned>(Hazard::kRepeatedArrival) & 1) != 0) {
    Hit(Spot::kRepeatedArrival);
  }
  if (operation.kind == OpKind::kArrivePhase) {
    if (event.effects.data != 0) {
      Hit(Spot::kAnswers1);
    }
    if (event.about.parked) {
      Hit(Spot::kAnswerParked);
    }
  }
  if (opens) {
    entry.exit_before = exited_[operation.cta];
    entry.exit_within = false;
    entry.restored = false;
    if (entry.completed != 0 && entry.completed + 1 == event.cycle) {
      Hit(Spot::kReuseNextCycle);
      if (entry.completed_kind != KindOf(operation.kind)) {
        Hit(Spot::kReuseOtherKind);
      }
      // A member after the completing one in its set opens the next generation.
      if (event.about.port > entry.completed_port &&
          entry.completed_kind == KindOf(operation.kind)) {
        Hit(Spot::kInsideMergedSet);
      }
    }
  }
  if (latest_cycle_ != 0 && latest_cycle_ + 1 == event.cycle) {
    Hit(latest_.cta != operation.cta   ? Spot::kOtherCtaNext
        : latest_.bar != operation.bar ? Spot::kOtherBarNext
                                       : Spot::kSameEntryNext);
  }
  latest_ = operation;
  latest_cycle_ = event.cycle;
}

}  // namespace muster::lockstep
