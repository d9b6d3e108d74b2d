// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cover points of the shared-memory scope.
#ifndef MUSTER_SIM_LOCKSTEP_MB_COVER_H_
#define MUSTER_SIM_LOCKSTEP_MB_COVER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/cover_points.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// The points that are not crosses; mb_cover_points.cpp has their names.
enum class MbSpot : unsigned {
  // From commit to commit.
  kBackToBack,
  kTwoApart,
  kThreeApart,
  kOtherWord,
  kThreeSources,
  kLacking,
  // Groups that are more than one update, and those that are a sum.
  kSplitCompletion,
  kSplitThreeCompletions,
  kSplitRefused,
  kSumArrivals,
  kSumExpects,
  kSumCompletes,
  // Parked waits.
  kPark,
  kParkMany,
  kWake,
  kWakeMany,
  kExpire,
  kExpireOwn,
  kParkedEnd,
  kParkedSuspend,
  kSlotTaken,
  kNotWhole,
  kBesideOthers,
  kNoTime,
  kLimitPassed,
  kStopped,
  kLeaveSoon,
  // Tokens.
  kTokenNow,
  kTokenNext,
  // Words.
  kBelowZero,
  kTxMax,
  kTxMin,
  kCountMax,
  kPendingMax,
  kDropToNone,
  // Layouts and reports.
  kLayoutIs,
  kLayoutIsNot,
  kInitV1,
  kCountMaxV1,
  kPendingMaxV1,
  kReportFirst,
  kReportAgain,
  kHeldBack,
  kBothComplete,
  kReportGiven,
  kReportNone,
  kReportWake,
  kConditionalFalse,
  kConditionalTrue,
  kConditionalParks,
  kConditionalWakes,
  kConditionalStays,
  kConditionalV0,
  kSplitV1,
  kLastWord,
  kLastCta,
  kLastWarp,
  // Hazards.
  kInitOverLive,
  kUninitialised,
  kLateParity,
  kStoreOverWaiters,
  kUnfinishedAsync,
  kArrivalPastPhase,
  // Memory and cores.
  kStore,
  kStoreBesideHeld,
  kRestore,
  kWaits,
  kWaitsFar,
  kYield,
  kLateData,
  kStallRead,
  kStallWrite,
  kStallResponse,
  kStallIssue,
  kStallAsync,
  kStallRemote,
  kDrainPassed,
  kDrainParked,
  kDrainMany,
  kBarrierWaitsForIt,
  kCount,
};

// The outcomes of an operation that is not refused.
enum MbOutcome : unsigned { kStays, kPhaseCompletes, kFalse, kTrue, kParks };

class MbCover {
 public:
  MbCover(const Config& config, CoverPoints* points);

  // Observes one cycle: its pins, and the events (commits in the cycle before) with their effects.
  void Observe(std::uint64_t cycle, const Inputs& in, const Outputs& out,
               const std::vector<MbEvent>& events, const MbEffects* effects);

  // Forgets the state of the run before.
  void NextRun();

 private:
  static constexpr unsigned kSources = 3;     // that the unit sees
  static constexpr unsigned kOutcomes = 5;    // but for refusals
  static constexpr unsigned kSizes = 3;       // of a group: one lane, several, all
  static constexpr std::uint64_t kSoon = 16;  // cycles between an update and the end of its CTA
  static constexpr unsigned kNear = 6;        // cycles between a wait and a completion
  using Place = std::pair<unsigned, std::uint32_t>;

  struct Commit {
    std::uint64_t cycle = 0;
    Place place;
    bool completed = false;
  };
  // A group that has not committed as a whole.
  struct Group {
    std::uint32_t rest = 0;
    MbOp op = MbOp::kArrive;
    unsigned completions = 0;
    bool split = false;
  };
  struct Parked {
    std::uint64_t commit = 0;
    std::uint64_t limit = 0;
    bool own = false;  // the unit's own limit
    bool conditional = false;
    Place place;
  };
  struct Token {
    Place place;
    std::uint64_t completions = 0;  // of its word, then
    bool valid = false;
  };

  void Hit(MbSpot spot) { points_.Count(spots_[static_cast<unsigned>(spot)]); }
  void DefineCrosses();
  void CountPins(const Inputs& pins, const Outputs& out_pins);
  void CountStep(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects);
  void CountSplit(const MbOperation& operation, const MbEffects& effects, bool refused);
  void CountWord(const MbOperation& operation, const MbEffects& effects);
  void CountWait(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects);
  void CountCompletion(std::uint64_t cycle, const MbEffects& effects);
  void CountTokens(const MbOperation& operation, const MbEffects& effects);
  void CountLayout(const MbOperation& operation, const MbEffects& effects);
  void CountLeave(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);
  void CountHazards(std::uint32_t hazards);
  std::uint32_t TakesPart(const MbOperation& group);
  void CountBeside(const MbOperation& operation);
  std::deque<Group>& GroupsOf(MbSource source, unsigned warp);
  bool IsPart(const MbOutputs::Commit& commit);

  const Config config_;
  CoverPoints& points_;

  std::array<unsigned, static_cast<unsigned>(MbSpot::kCount)> spots_{};
  std::array<std::array<std::array<unsigned, kOutcomes>, kSources>, kNumMbOps> outcomes_{};
  std::array<std::array<std::array<unsigned, kNumFaultCauses>, kSources>, kNumMbOps> faults_{};
  std::array<std::array<unsigned, kSizes>, kNumMbOps> sizes_{};
  std::array<unsigned, kNear + 1> completion_after_park_{};
  std::array<unsigned, kNear + 1> wait_after_completion_{};

  // The run so far.
  std::array<Commit, kNear> commits_{};  // the latest first
  std::array<std::deque<Group>, kMaxWarps + 2> groups_;
  std::array<Parked, kMaxWarps> parked_{};
  std::uint64_t parked_warps_ = 0;
  std::array<std::array<Token, kMaxLanes>, kMaxWarps> tokens_{};
  std::map<Place, std::uint64_t> completions_;
  std::map<Place, std::uint64_t> words_;  // of layout v1, after the latest update
  // By slot, the cycle in which the latest operation of another CTA committed there.
  std::array<std::optional<std::uint64_t>, kMaxCtas> remote_{};
  bool reading_ = false;  // granted in an earlier cycle
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_MB_COVER_H_
