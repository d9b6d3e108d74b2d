// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The lockstep check of the shared-memory scope: it checks the rules of the handshakes, and
// compares the effects of each commit with the golden model.
//
// An answer false that is seen in a cycle was given before the commit of the cycle before
// (rtl/mbarrier/README.md, "Waits"). So a commit is passed to the golden model one cycle late,
// after such answers.
#ifndef MUSTER_SIM_LOCKSTEP_MB_CHECKER_H_
#define MUSTER_SIM_LOCKSTEP_MB_CHECKER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/latency.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/queue.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// One event in the history of a word, and what a report tells of its effects.
struct MbRecord {
  std::uint64_t cycle = 0;
  MbEvent event;
  FaultCause refused = FaultCause::kNone;  // the first lane that was refused
  bool written = false;                    // these as in MbEffects
  bool completes = false;
  bool parked = false;
  bool complete = false;
  std::uint64_t word = 0;
  std::vector<MbAnswer> answers;
};

class MbChecker {
 public:
  MbChecker(const Config& config, const golden::Mbarriers& model);

  // Observes the settled pins of one cycle, and derives the events from them. Returns false if a
  // rule is broken; see mismatch().
  bool Check(std::uint64_t cycle, const Inputs& in, const Outputs& out);
  // These events in order, and their cycle: a commit was in the cycle before.
  const std::vector<MbEvent>& events() const { return events_; }
  std::uint64_t CycleOf(const MbEvent& event, std::uint64_t cycle) const {
    return event.kind == MbEvent::Kind::kStep ? cycle - 1 : cycle;
  }
  // Compares the pins of that cycle with the effects of its events.
  bool Compare(std::uint64_t cycle, const Inputs& in, const Outputs& out, const MbEffects* effects);

  // Whether no operation is presented, on its way, or to be answered by the unit, except for parked
  // warps.
  bool Idle() const { return !held_issue_ && !held_async_ && !held_remote_ && quiet_; }

  // The first cycle in which a parked wait may be answered false; Driver::kNever if no warp is
  // parked.
  std::uint64_t EarliestLimit() const;

  // The latest events at a word.
  std::vector<MbRecord> History(MbPlace place) const;
  std::optional<MbRecord> Latest() const;  // of all
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  const MbWaits& waits() const { return waits_; }

 private:
  // A group between acceptance and commit; some of its lanes may have committed.
  struct Flight {
    MbOperation operation;
    bool drained = true;
    bool parked = false;      // it was not drained when it was accepted
    std::uint64_t since = 0;  // counted_ when it was accepted, or drained if later
  };
  struct Parked {
    std::uint64_t limit = 0;  // the first cycle in which it may be answered false
    std::uint8_t cta = 0;
  };
  struct Response {
    std::uint64_t commit = 0;  // cycle
    MbOperation operation;     // its lanes
    std::array<std::uint64_t, kMaxLanes> token;
    bool complete = false;
    MbReport report = 0;
  };

  // mb_checker.cpp: which events happen.
  bool Rests(std::uint64_t cycle, const MbInputs& in, const MbOutputs& out) const;
  bool TakeFalseAnswers(std::uint64_t cycle, const MbOutputs& out);
  bool CheckSources(const MbInputs& in, const MbOutputs& out);
  bool CheckBank(const MbInputs& in, const MbOutputs& out);
  bool TakeCommit(const MbOutputs::Commit& commit);
  bool CheckResponseHeld(const MbInputs& in, const MbOutputs& out);
  void Accept(const MbInputs& in, const MbOutputs& out);
  bool CountWaits(const MbInputs& in, const MbOutputs& out);
  bool CountWait(MbWait wait, std::uint64_t cycles, const MbOperation& operation);
  [[gnu::cold]] bool TooLong(MbWait wait, std::uint64_t cycles, const MbOperation& operation);
  bool WaitsWhole(unsigned warp) const;
  Queue<Flight>& QueueOf(MbSource source, unsigned warp);

  // mb_values.cpp: the outputs that must follow.
  void NoteLeave(const Inputs& in, const Outputs& out);
  bool CompareStep(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects,
                   const MbOutputs& out);
  bool CompareLeave(const MbOperation& operation, const MbEffects& effects, const MbOutputs& out);
  bool CompareResponse(std::uint64_t cycle, const MbInputs& in, const MbOutputs& out);
  void Keep(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects);
  void Park(std::uint64_t commit, const MbOperation& operation);
  [[gnu::cold]] bool Differ(std::string field, std::string unit, std::string golden);
  [[gnu::cold]] bool Differ(std::string field, std::string unit, std::string golden, MbPlace place);

  unsigned PlaceOf(unsigned warp) const { return warp & warp_mask_; }
  // The group without the lanes that a warp lacks.
  MbOperation TakesPart(MbOperation group) const {
    group.lanes &= LanesOfWarp(config_);
    return group;
  }
  // What the outputs say of the lanes: without EnLanes the unit keeps none.
  std::uint32_t LanesShown(std::uint32_t lanes) const { return config_.lanes ? lanes : 0; }

  const Config config_;
  const golden::Mbarriers& model_;
  const unsigned warp_mask_;
  const MbWaits longest_;
  const Latency latency_;
  std::optional<Mismatch> mismatch_;
  std::vector<MbEvent> events_;

  // In the cycle before: what waited for ready, ...
  bool held_issue_ = false;
  bool held_async_ = false;
  bool held_remote_ = false;
  bool held_read_ = false;
  bool held_write_ = false;
  bool held_response_ = false;
  MbInputs before_in_;
  MbOutputs before_;
  // Of the cycle before: what committed, and the CTA that left.
  std::optional<MbOutputs::Commit> commit_;
  MbOperation committed_;
  std::optional<MbEvent> leave_;

  std::array<Queue<Flight>, kMaxWarps> of_warp_;
  Queue<Flight> of_async_;
  Queue<Flight> of_remote_;
  std::uint64_t busy_ = 0;       // warps with a flight
  std::uint64_t undrained_ = 0;  // of these, the latest not drained
  bool quiet_ = true;            // no flight, no response outstanding
  bool rests_ = false;           // see Rests(), in this cycle
  std::optional<MbPlace> reading_;

  // Cycles that count as waits, so far, and at each port that waits.
  std::uint64_t counted_ = 0;
  std::uint64_t issue_wait_ = 0;
  std::uint64_t async_wait_ = 0;
  std::uint64_t remote_wait_ = 0;
  MbWaits waits_{};

  // Predictions.
  std::array<Parked, kMaxWarps> parked_;
  std::uint64_t deadline_ = ~std::uint64_t{0};  // no parked wait is late before
  std::uint64_t wake_ = 0;                      // in the next cycle,
  MbReport wake_report_ = 0;                    // with this
  Queue<Response> responses_;
  std::uint64_t next_response_ = 0;  // the cycle after the latest that was taken

  static constexpr std::uint64_t kRecords = 512;  // that are kept, a power of two
  static constexpr unsigned kReported = 6;        // records of a word in a report
  std::vector<MbRecord> records_;
  std::uint64_t kept_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_MB_CHECKER_H_
