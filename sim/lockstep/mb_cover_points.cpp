// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The names of the cover points of mbarriers, and which of them a configuration can reach.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/mb_cover.h"

namespace muster::lockstep {
namespace {

// The features that a configuration needs to reach a point.
enum Needs : unsigned {
  kAny = 0,
  kState = 1,
  kFaults = 2,
  kDrain = 4,
  kLanes = 8,
  kLimit = 16,
  kWarps8 = 32,      // eight warps
  kSmallWarps = 64,  // warps lack lanes that the ports have
  kReports = 256,
  kTwoWaits = 128,  // two waits of a warp can be on their way: in drain, or with a place each
};

unsigned Has(const Config& config) {
  return (config.state ? kState : 0U) | (config.faults ? kFaults : 0U) |
         (config.drain ? kDrain : 0U) | (config.lanes ? kLanes : 0U) |
         (config.mb_limit ? kLimit : 0U) | (config.num_warps >= 8 ? kWarps8 : 0U) |
         (config.warp_size < kMaxLanes ? kSmallWarps : 0U) | (config.report ? kReports : 0U) |
         // Of several lanes, groups that are split have a place of their own.
         (config.drain || config.mb_responses > (config.lanes ? 2U : 1U) ? kTwoWaits : 0U);
}

struct SpotRow {
  MbSpot spot;
  const char* name;
  unsigned needs;
};

constexpr std::array kSpots = {
    SpotRow{MbSpot::kBackToBack, "mb.order.same_word_next_cycle", kAny},
    SpotRow{MbSpot::kTwoApart, "mb.order.same_word_two_apart", kAny},
    SpotRow{MbSpot::kThreeApart, "mb.order.same_word_three_apart", kAny},
    SpotRow{MbSpot::kOtherWord, "mb.order.other_word_next_cycle", kAny},
    SpotRow{MbSpot::kThreeSources, "mb.order.three_sources_at_a_word", kAny},
    SpotRow{MbSpot::kLacking, "mb.lanes.lacking", kSmallWarps},
    SpotRow{MbSpot::kSplitCompletion, "mb.split.at_a_completion", kLanes},
    SpotRow{MbSpot::kSplitThreeCompletions, "mb.split.three_completions", kLanes},
    SpotRow{MbSpot::kSplitRefused, "mb.split.rest_refused", kLanes | kFaults},
    SpotRow{MbSpot::kSumArrivals, "mb.sum.arrivals", kLanes},
    SpotRow{MbSpot::kSumExpects, "mb.sum.expect_tx", kLanes},
    SpotRow{MbSpot::kSumCompletes, "mb.sum.complete_tx", kLanes},
    SpotRow{MbSpot::kPark, "mb.park", kAny},
    SpotRow{MbSpot::kParkMany, "mb.park.four_warps", kWarps8},
    SpotRow{MbSpot::kWake, "mb.wake", kAny},
    SpotRow{MbSpot::kWakeMany, "mb.wake.several_warps", kAny},
    SpotRow{MbSpot::kExpire, "mb.expire", kLimit},
    SpotRow{MbSpot::kExpireOwn, "mb.expire.without_hint", kLimit},
    SpotRow{MbSpot::kParkedEnd, "mb.park.cta_ends", kLimit},
    SpotRow{MbSpot::kParkedSuspend, "mb.park.cta_is_saved", kLimit | kState},
    SpotRow{MbSpot::kSlotTaken, "mb.park.not.slot_taken", kLimit},
    SpotRow{MbSpot::kNotWhole, "mb.park.not.part_of_an_instruction", kAny},
    SpotRow{MbSpot::kBesideOthers, "mb.wait.beside_one_of_other_lanes", kTwoWaits},
    SpotRow{MbSpot::kNoTime, "mb.park.not.hint_0", kAny},
    SpotRow{MbSpot::kLimitPassed, "mb.wake.behind_the_limit", kLimit},
    SpotRow{MbSpot::kStopped, "mb.park.clock_stands_still", kLimit},
    SpotRow{MbSpot::kLeaveSoon, "mb.leave.soon_after_another_cta", kAny},
    SpotRow{MbSpot::kTokenNow, "mb.token.current_phase", kAny},
    SpotRow{MbSpot::kTokenNext, "mb.token.next_phase", kAny},
    SpotRow{MbSpot::kBelowZero, "mb.word.complete_before_expect", kAny},
    SpotRow{MbSpot::kTxMax, "mb.word.tx_largest", kAny},
    SpotRow{MbSpot::kTxMin, "mb.word.tx_smallest", kAny},
    SpotRow{MbSpot::kCountMax, "mb.word.expected_largest", kAny},
    SpotRow{MbSpot::kPendingMax, "mb.word.pending_largest_by_copies", kAny},
    SpotRow{MbSpot::kDropToNone, "mb.word.exhausted_by_drop", kAny},
    SpotRow{MbSpot::kLayoutIs, "mb.check_layout.true", kReports},
    SpotRow{MbSpot::kLayoutIsNot, "mb.check_layout.false", kReports},
    SpotRow{MbSpot::kInitV1, "mb.init.layout_v1", kReports},
    SpotRow{MbSpot::kCountMaxV1, "mb.word.v1.expected_largest", kReports},
    SpotRow{MbSpot::kPendingMaxV1, "mb.word.v1.pending_largest_by_copies", kReports},
    SpotRow{MbSpot::kReportFirst, "mb.report_on.first_of_its_phase", kReports},
    SpotRow{MbSpot::kReportAgain, "mb.report_on.again", kReports},
    SpotRow{MbSpot::kHeldBack, "mb.conditional.held_back", kReports},
    SpotRow{MbSpot::kBothComplete, "mb.conditional.completes", kReports},
    SpotRow{MbSpot::kReportGiven, "mb.wait.true_with_report", kReports},
    SpotRow{MbSpot::kReportNone, "mb.wait.true_without_report_at_v1", kReports},
    SpotRow{MbSpot::kReportWake, "mb.wake.with_report", kReports},
    SpotRow{MbSpot::kConditionalFalse, "mb.conditional.wait.false", kReports},
    SpotRow{MbSpot::kConditionalTrue, "mb.conditional.wait.true", kReports},
    SpotRow{MbSpot::kConditionalParks, "mb.conditional.wait.parks", kReports},
    SpotRow{MbSpot::kConditionalWakes, "mb.conditional.wakes", kReports},
    SpotRow{MbSpot::kConditionalStays, "mb.conditional.parked_stays", kReports},
    SpotRow{MbSpot::kConditionalV0, "mb.conditional.wakes_at_v0", kReports},
    SpotRow{MbSpot::kSplitV1, "mb.split.layout_v1", kReports | kLanes},
    SpotRow{MbSpot::kLastWord, "mb.word.last", kAny},
    SpotRow{MbSpot::kLastCta, "mb.word.of_last_cta", kAny},
    SpotRow{MbSpot::kLastWarp, "mb.word.by_last_warp", kAny},
    SpotRow{MbSpot::kInitOverLive, "mb.hazard.init_over_live", kAny},
    SpotRow{MbSpot::kUninitialised, "mb.hazard.uninitialised_word", kAny},
    SpotRow{MbSpot::kLateParity, "mb.hazard.late_parity", kAny},
    SpotRow{MbSpot::kStoreOverWaiters, "mb.hazard.store_over_waiters", kAny},
    SpotRow{MbSpot::kUnfinishedAsync, "mb.hazard.unfinished_async", kAny},
    SpotRow{MbSpot::kArrivalPastPhase, "mb.hazard.arrival_past_phase", kLanes},
    SpotRow{MbSpot::kStore, "mb.store", kAny},
    SpotRow{MbSpot::kStoreBesideHeld, "mb.store.beside_held_words", kAny},
    SpotRow{MbSpot::kRestore, "mb.store.restores", kState},
    SpotRow{MbSpot::kWaits, "mb.split.next_waits", kLanes},
    SpotRow{MbSpot::kWaitsFar, "mb.split.next_two_of_its_word", kLanes},
    SpotRow{MbSpot::kYield, "mb.stall.yield", kAny},
    SpotRow{MbSpot::kLateData, "mb.stall.late_data", kAny},
    SpotRow{MbSpot::kStallRead, "mb.stall.read", kAny},
    SpotRow{MbSpot::kStallWrite, "mb.stall.write", kAny},
    SpotRow{MbSpot::kStallResponse, "mb.stall.response", kAny},
    SpotRow{MbSpot::kStallIssue, "mb.stall.issue", kAny},
    SpotRow{MbSpot::kStallAsync, "mb.stall.async", kAny},
    SpotRow{MbSpot::kStallRemote, "mb.stall.remote", kAny},
    SpotRow{MbSpot::kDrainPassed, "mb.drain.passed", kDrain},
    SpotRow{MbSpot::kDrainParked, "mb.drain.parked", kDrain},
    SpotRow{MbSpot::kDrainMany, "mb.drain.many_parked", kDrain | kWarps8},
    SpotRow{MbSpot::kBarrierWaitsForIt, "mb.drain.barrier_waits_for_it", kDrain},
};
static_assert(kSpots.size() == static_cast<std::size_t>(MbSpot::kCount), "a name for each spot");

constexpr std::array kOutcomeNames = {"stays", "completes", "false", "true", "parks"};
constexpr std::array kSizeNames = {"one", "several", "all"};
// Whether a source may present the operation. Another CTA may also present some that are refused.
bool CanCome(MbOp op, MbSource source) {
  return source == MbSource::kAsync
             ? op == MbOp::kArrive || op == MbOp::kCompleteTx || op == MbOp::kReportOn
             : op != MbOp::kCopyArriveNoInc && op != MbOp::kReportOn;
}

bool CanBe(MbOp op, MbSource source, MbOutcome outcome) {
  if (!CanCome(op, source) || (source == MbSource::kRemote && !IsRemote(op))) {
    return false;
  }
  switch (outcome) {
    case kStays:
      return !IsMbWait(op);
    case kPhaseCompletes:
      return (IsMbArrival(op) && !IsNoComplete(op)) || op == MbOp::kCompleteTx ||
             (op == MbOp::kExpectTx && kExpectTxCompletes);
    case kParks:
      return IsTryWait(op);
    default:
      return IsMbWait(op);
  }
}

bool CanBeRefused(MbOp op, MbSource source, FaultCause cause) {
  if (!CanCome(op, source)) {
    return false;
  }
  if (cause == FaultCause::kRemoteNotAllowed) {
    return source == MbSource::kRemote;
  }
  if (source == MbSource::kRemote && !IsRemote(op)) {
    return false;
  }
  const bool updates = IsMbArrival(op) || ChangesTx(op) || op == MbOp::kCopyArrive;
  switch (cause) {
    case FaultCause::kBadAddress:
      return true;
    case FaultCause::kBadInitCount:
      return op == MbOp::kInit;
    case FaultCause::kBadArriveCount:
      return IsMbArrival(op);
    case FaultCause::kTxOverflow:
      return ChangesTx(op);
    case FaultCause::kWordExhausted:
      return updates || op == MbOp::kReportOn;
    case FaultCause::kWrongLayout:
      return op == MbOp::kReportOn;
    case FaultCause::kPendingOverflow:
      return op == MbOp::kCopyArrive;
    case FaultCause::kNocompleteCompleted:
      return IsNoComplete(op);
    default:
      return false;
  }
}

}  // namespace

MbCover::MbCover(const Config& config, CoverPoints* points) : config_(config), points_(*points) {
  if (!config.mbarrier) {
    return;
  }
  const unsigned has = Has(config);
  for (const SpotRow& row : kSpots) {
    if ((row.needs & ~has) == 0) {
      spots_[static_cast<unsigned>(row.spot)] = points_.Define(row.name);
    }
  }
  DefineCrosses();
}

void MbCover::DefineCrosses() {
  for (unsigned code = 0; code < kNumMbOps; ++code) {
    const auto op = static_cast<MbOp>(code);
    if (op == MbOp::kReportOn && !config_.report) {
      continue;
    }
    for (unsigned number = 0; number < kSources; ++number) {
      const auto source = static_cast<MbSource>(number);
      for (unsigned outcome = 0; outcome < kOutcomes; ++outcome) {
        if (CanBe(op, source, static_cast<MbOutcome>(outcome))) {
          outcomes_[code][number][outcome] = points_.Define(
              fmt::format("mb.{}.{}.{}", Name(op), Name(source), kOutcomeNames[outcome]));
        }
      }
      for (unsigned cause = 1; cause < kNumFaultCauses && config_.faults; ++cause) {
        if (CanBeRefused(op, source, static_cast<FaultCause>(cause))) {
          faults_[code][number][cause] = points_.Define(fmt::format(
              "mb.{}.{}.{}", Name(op), Name(source), Name(static_cast<FaultCause>(cause))));
        }
      }
    }
    for (unsigned size = 0; size < kSizes && config_.lanes; ++size) {
      if (CanCome(op, MbSource::kWarp)) {
        sizes_[code][size] =
            points_.Define(fmt::format("mb.{}.lanes.{}", Name(op), kSizeNames[size]));
      }
    }
  }
  for (unsigned cycles = 1; cycles <= kNear; ++cycles) {
    completion_after_park_[cycles] =
        points_.Define(fmt::format("mb.race.completion_{}_after_park", cycles));
    wait_after_completion_[cycles] =
        points_.Define(fmt::format("mb.race.wait_{}_after_completion", cycles));
  }
}

}  // namespace muster::lockstep
