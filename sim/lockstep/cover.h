// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Functional cover points: counts of the events that a run has caused. Each configuration has the
// points that its features can reach, and a regression must hit all of them.
#ifndef MUSTER_SIM_LOCKSTEP_COVER_H_
#define MUSTER_SIM_LOCKSTEP_COVER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"
#include "sim/lockstep/cover_points.h"
#include "sim/lockstep/idle_cover.h"
#include "sim/lockstep/mb_cover.h"
#include "sim/lockstep/monitor.h"
#include "sim/lockstep/reset_cover.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// The points that are not crosses; cover.cpp has their names.
enum class Spot : unsigned {
  // Completion.
  kBySync,
  kByArrive,
  kByRed,
  kByExit,
  kByMergedSet,
  kInsideMergedSet,
  kNobodyWaits,
  kAllOfUnit,
  kExitSync,
  kExitAnd,
  kExitOr,
  kExitPopc,
  kRestoredCompletes,
  // Reuse and order.
  kReuseNextCycle,
  kReuseOtherKind,
  kSameEntryNext,
  kOtherBarNext,
  kOtherCtaNext,
  kRedExitBefore,
  kRedExitWithin,
  kRedExitLast,
  // Merged sets.
  kMerge2,
  kMerge3,
  kMerge4,
  kMergeRed,
  kMergeRefused,
  // Results.
  kPopcZero,
  kPopcAll,
  kAndTrue,
  kAndFalse,
  kOrTrue,
  kOrFalse,
  // State words.
  kReadIdle,
  kReadRunning,
  kReadByWaiting,
  kReadWarpWaiting,
  kReadWarpCopy,
  kReadWarpBare,
  kResultNone,
  kResultPopc,
  kResultPred,
  kWriteIdle,
  kWriteAll,
  kWriteCount,
  kWriteRed,
  kWriteCopy,
  kWriteWaiting,
  kRefusedIdleValue,
  kRefusedSyncValue,
  kRefusedWarpValue,
  kRefusedOverArrivals,
  kRefusedWaitAtIdle,
  kRefusedWaitUnowed,
  kRefusedOtherKind,
  kRefusedOtherBarrier,
  kRefusedResult,
  // Save and restore.
  kSuspendRunning,
  kSuspendWaiting,
  kRestoredWakes,
  kRestoreOtherSlot,
  kRestoreOtherWarps,
  kRestoreSlotUsed,
  // Launch, exit and end of CTAs.
  kLaunchOne,
  kLaunchAll,
  kLaunchAfterExits,
  kOpenSlotUsed,
  kJoinFirst,
  kJoinLast,
  kJoinSomeLanes,
  kJoinLacking,
  kJoinAgain,
  kJoinLeftOver,
  kJoinAmidArrivals,
  kJoinAmidCleaning,
  kExitBeforeJoins,
  kLeaveBeforeJoins,
  kExitSomeLanes,
  kExitLastLanes,
  kExitWhole,
  kExitLacking,
  kEndIdle,
  kLastCta,
  kLastWarp,
  kWarpBetween,
  kWarpBeyond,
  // Split phases.
  kWaitAtOnce,
  kWaitAfterCompletion,
  kWaitIdle,
  kWaitCount,
  kWaitAll,
  kWaitRed,
  kApartWithArrived,
  kApartAlone,
  kApartByRed,
  kApartJustBefore,
  kPhaseSetByExit,
  kPhaseClearedByExit,
  kAnswers1,
  kAnswerParked,
  kReadIdlePhase1,
  kReadRunningPhase1,
  kWritePhase1,
  kWriteApartIdle,
  kWriteApartRed,
  kWriteApartOwed,
  kRefusedApart,
  kSuspendApart,
  kRestoredApart,
  // Hazards.
  kLacking,
  kRepeatedArrival,
  kLateWait,
  kUnfinishedBarrier,
  // Handshakes.
  kFencePassed,
  kFenceParked,
  kFenceManyParked,
  kStallResponse,
  kStallIssue,
  kStallBusy,
  kStallLifecycle,
  kStallExit,
  kExitAmidLaunch,
  kCount,
};

class Cover {
 public:
  explicit Cover(const Config& config);
  Cover(const Cover&) = delete;  // its parts refer to its points
  Cover& operator=(const Cover&) = delete;

  // Observes one cycle: its pins, the operations that committed with their effects, and the golden
  // model after them.
  void Observe(std::uint64_t cycle, const Inputs& in, const Outputs& out, const Commits& commits,
               const Effects* effects, const golden::Model& model);
  // The same for events at mbarriers.
  void Observe(std::uint64_t cycle, const Inputs& in, const Outputs& out,
               const std::vector<MbEvent>& events, const MbEffects* effects) {
    mb_.Observe(cycle, in, out, events, effects);
  }

  // A reset begins.
  void Reset(const golden::Model& model, const golden::Mbarriers& mbarriers) {
    resets_.Reset(model, mbarriers);
    Forget();
  }

  // Counts a point, if the configuration has it.
  void Hit(Spot spot) { Count(spots_[static_cast<unsigned>(spot)]); }

  // Forgets the state of the run before, and keeps the counts.
  void NextRun() {
    Forget();
    resets_.NextRun();
  }

  CoverPoints& points() { return points_; }
  const CoverPoints& points() const { return points_; }

 private:
  // Forgets what a reset ends.
  void Forget();

  // The recent history of a barrier.
  struct Entry {
    std::uint32_t word = 0;
    bool exit_before = false;                 // a warp had exited when the generation began
    bool exit_within = false;                 // a warp has exited since
    bool restored = false;                    // R2B wrote the generation
    BarKind completed_kind = BarKind::kIdle;  // of the generation before
    std::uint64_t completed = 0;              // the cycle in which that generation completed
    unsigned completed_port = 0;              // the port of its last arrival
    std::uint64_t waited = 0;                 // the cycle of the latest wait for its phase
  };

  static constexpr unsigned kKinds = static_cast<unsigned>(OpKind::kExit) + 1;  // codes

  // An operation that commits in this cycle.
  struct Event {
    std::uint64_t cycle;
    const Operation& operation;
    const Commits::About& about;
    const Effects& effects;
    unsigned index;  // among those that commit together
    bool lacking;    // it names lanes that the warp lacks, which are left out above
  };

  // The kind of the generation that an arrival opens.
  static BarKind KindOf(OpKind arrival);

  void Count(unsigned point) { points_.Count(point); }
  void DefineCrosses();

  void CountPins(const Inputs& in, const Outputs& out);
  void CountCommit(const Event& event, const golden::Model& model);
  void CountArrival(const Event& event);
  void CountCompletion(const Event& event, const golden::Model& model);
  void CountState(const Event& event, const golden::Model& model);
  void CountWait(const Event& event);
  void CountPhase(const Event& event);
  void CountApart(unsigned cta, const WarpState& state);
  void CountRefusedWord(const Operation& operation, const golden::Model& model);
  void CountRefusedWait(const WarpState& state, const BarState& entry);
  void CountLaunch(const Operation& operation);
  void CountOpen(const Event& event);
  void CountJoin(const Event& event);
  void TakeSlot(const Operation& operation, std::uint64_t warps);
  void CountExit(const Event& event, const golden::Model& model);
  void CountLeave(const Event& event);
  Entry& EntryOf(unsigned cta, unsigned bar) { return entries_[cta * kNumBars + bar]; }

  const Config config_;
  CoverPoints points_;
  MbCover mb_;
  ResetCover resets_;
  IdleCover idle_;

  // Points by what they count.
  std::array<unsigned, static_cast<unsigned>(Spot::kCount)> spots_{};
  std::array<std::array<std::array<unsigned, 4>, 2>, kKinds> arrivals_{};  // kind, counted, role
  std::array<unsigned, kKinds> no_lanes_{};
  std::array<unsigned, kKinds> some_lanes_{};
  std::array<std::array<unsigned, kKinds>, kNumFaultCauses> faults_{};
  std::array<unsigned, kNumBars> bars_{};

  // The run so far.
  std::vector<Entry> entries_;
  std::array<std::uint64_t, kMaxCtas> warps_{};  // with which the CTA was launched, or that joined
  std::array<std::uint64_t, kMaxCtas> gone_{};   // that exited from the CTA
  std::array<std::uint64_t, kMaxCtas> over_{};   // that the CTA before left live
  std::array<unsigned, kMaxCtas> unjoined_{};
  std::array<std::uint64_t, kMaxCtas> left_{};  // cycle in which the CTA before left
  std::array<unsigned, kMaxCtas> live_{};       // how many of them are live
  std::array<bool, kMaxCtas> exited_{};         // a warp of the CTA has exited
  std::uint64_t waiting_ = 0;                   // warps that waited in the cycle before
  std::uint64_t apart_ = 0;                     // of these, those that waited for a phase
  std::uint64_t restored_waiting_ = 0;          // warps that R2B.WARP made wait
  Operation latest_;                            // the latest accepted arrival
  std::uint64_t latest_cycle_ = 0;              // when it was accepted
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_COVER_H_
