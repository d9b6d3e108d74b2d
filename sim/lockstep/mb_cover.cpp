// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/mb_cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/golden/mbarrier_word.h"

namespace muster::lockstep {
namespace {

// What a configuration must have for a point to be in reach.
enum Needs : unsigned {
  kAny = 0,
  kState = 1,
  kFaults = 2,
  kDrain = 4,
  kLanes = 8,
  kDrop = 16,
  kLimit = 32,
  kWarps8 = 64,  // eight warps
};

unsigned Has(const Config& config) {
  return (config.state ? kState : 0U) | (config.faults ? kFaults : 0U) |
         (config.drain ? kDrain : 0U) | (config.lanes ? kLanes : 0U) |
         (config.mb_drop ? kDrop : 0U) | (config.mb_limit ? kLimit : 0U) |
         (config.num_warps >= 8 ? kWarps8 : 0U);
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
    SpotRow{MbSpot::kSplitTurn, "mb.split.at_a_turn", kLanes},
    SpotRow{MbSpot::kSplitTurns, "mb.split.three_turns", kLanes},
    SpotRow{MbSpot::kSplitAgain, "mb.split.rest_together", kLanes},
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
    SpotRow{MbSpot::kSlotTaken, "mb.park.not.slot_taken", kLanes},
    SpotRow{MbSpot::kNotWhole, "mb.park.not.part_of_an_instruction", kAny},
    SpotRow{MbSpot::kNoTime, "mb.park.not.hint_0", kAny},
    SpotRow{MbSpot::kLimitPassed, "mb.wake.behind_the_limit", kLimit},
    SpotRow{MbSpot::kTokenNow, "mb.token.current_phase", kAny},
    SpotRow{MbSpot::kTokenNext, "mb.token.next_phase", kAny},
    SpotRow{MbSpot::kBelowZero, "mb.word.complete_before_expect", kAny},
    SpotRow{MbSpot::kTxMax, "mb.word.tx_largest", kAny},
    SpotRow{MbSpot::kTxMin, "mb.word.tx_smallest", kAny},
    SpotRow{MbSpot::kCountMax, "mb.word.expected_largest", kAny},
    SpotRow{MbSpot::kPendingMax, "mb.word.pending_largest_by_copies", kAny},
    SpotRow{MbSpot::kDropToNone, "mb.word.exhausted_by_drop", kDrop},
    SpotRow{MbSpot::kLastWord, "mb.word.last", kAny},
    SpotRow{MbSpot::kLastCta, "mb.word.of_last_cta", kAny},
    SpotRow{MbSpot::kLastWarp, "mb.word.by_last_warp", kAny},
    SpotRow{MbSpot::kInitOverLive, "mb.hazard.init_over_live", kAny},
    SpotRow{MbSpot::kUninitialised, "mb.hazard.uninitialised_word", kAny},
    SpotRow{MbSpot::kLateParity, "mb.hazard.late_parity", kAny},
    SpotRow{MbSpot::kStoreOverWaiters, "mb.hazard.store_over_waiters", kAny},
    SpotRow{MbSpot::kUnfinishedAsync, "mb.hazard.unfinished_async", kAny},
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
    SpotRow{MbSpot::kBarrierBehind, "mb.drain.barrier_behind_it", kDrain},
};
static_assert(kSpots.size() == static_cast<std::size_t>(MbSpot::kCount), "a name for each spot");

// What comes of an operation that is not refused.
enum Outcome : unsigned { kStays, kTurns, kFalse, kTrue, kParks };
constexpr std::array kOutcomeNames = {"stays", "turns", "false", "true", "parks"};
constexpr std::array kSizeNames = {"one", "several", "all"};
constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

unsigned Ones(std::uint64_t bits) { return static_cast<unsigned>(__builtin_popcountll(bits)); }
unsigned First(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }
unsigned Code(MbOp op) { return static_cast<unsigned>(op); }
std::uint64_t Bit(unsigned warp) { return std::uint64_t{1} << warp; }

// What a source may ask for at all; of another CTA, also what is refused.
bool CanCome(MbOp op, MbSource source) {
  return source == MbSource::kAsync ? op == MbOp::kArrive || op == MbOp::kCompleteTx
                                    : op != MbOp::kCopyArriveNoInc;
}

bool CanBe(MbOp op, MbSource source, Outcome outcome) {
  if (!CanCome(op, source) || (source == MbSource::kRemote && !IsRemote(op))) {
    return false;
  }
  switch (outcome) {
    case kStays:
      return !IsMbWait(op);
    case kTurns:
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
      return updates;
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
    if (IsDrop(op) && !config_.mb_drop) {
      continue;
    }
    for (unsigned number = 0; number < kSources; ++number) {
      const auto source = static_cast<MbSource>(number);
      for (unsigned outcome = 0; outcome < kOutcomes; ++outcome) {
        if (CanBe(op, source, static_cast<Outcome>(outcome))) {
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
    turn_behind_park_[cycles] = points_.Define(fmt::format("mb.race.turn_{}_behind_park", cycles));
    wait_behind_turn_[cycles] = points_.Define(fmt::format("mb.race.wait_{}_behind_turn", cycles));
  }
}

void MbCover::NextRun() {
  commits_.fill(Commit());
  for (std::deque<Group>& groups : groups_) {
    groups.clear();
  }
  parked_warps_ = 0;
  for (auto& tokens : tokens_) {
    tokens.fill(Token());
  }
  turns_.clear();
  reading_ = false;
}

void MbCover::Observe(std::uint64_t cycle, const Inputs& in, const Outputs& out,
                      const std::vector<MbEvent>& events, const golden::MbEffects* effects) {
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
        CountLeave(event, effects[i]);
        break;
      case MbEvent::Kind::kStore:
        Hit(MbSpot::kStore);
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
  hit((out.held_valid & 2) != 0, MbSpot::kWaits);
  hit((out.held_valid & 7) == 7 && out.held[0] == out.held[1] && out.held[1] == out.held[2],
      MbSpot::kWaitsFar);
  hit(in.yield, MbSpot::kYield);
  hit(reading_ && !in.rdata_valid, MbSpot::kLateData);
  reading_ = (reading_ && !in.rdata_valid) || (out.read_valid && in.read_ready);
  hit(Ones(out.fence_req) >= 4, MbSpot::kDrainMany);
  hit(in.issue_valid && in.async_valid && in.remote_valid && in.issue.addr == in.async.addr &&
          in.issue.addr == in.remote.addr && in.issue.cta == in.async.cta &&
          in.issue.cta == in.remote.cta,
      MbSpot::kThreeSources);
  hit((out.busy & out_pins.fence_req) != 0, MbSpot::kBarrierBehind);
  if (in.issue_valid && out.issue_ready) {
    const bool drained = !in.issue.releasing || (in.fence_ack >> in.issue.warp & 1) != 0;
    Hit(drained ? MbSpot::kDrainPassed : MbSpot::kDrainParked);
    GroupsOf(MbSource::kWarp, in.issue.warp).push_back({in.issue.lanes});
  }
  if (in.async_valid && out.async_ready) {
    GroupsOf(MbSource::kAsync, 0).push_back({in.async.lanes});
  }
  if (in.remote_valid && out.remote_ready) {
    GroupsOf(MbSource::kRemote, 0).push_back({in.remote.lanes});
  }
}

std::deque<MbCover::Group>& MbCover::GroupsOf(MbSource source, unsigned warp) {
  return groups_[source == MbSource::kWarp    ? warp
                 : source == MbSource::kAsync ? kMaxWarps
                                              : kMaxWarps + 1];
}

void MbCover::CountStep(std::uint64_t cycle, const MbOperation& operation,
                        const golden::MbEffects& effects) {
  const unsigned code = Code(operation.op);
  const auto source = static_cast<unsigned>(operation.source);
  const FaultCause cause = effects.fault[First(operation.lanes)];
  const bool refused = cause != FaultCause::kNone;
  CountSplit(operation, effects, refused);
  if (refused) {
    points_.Count(faults_[code][source][static_cast<unsigned>(cause)]);
    return;
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
    points_.Count(sizes_[code][operation.lanes == kAllLanes ? 2
                               : Ones(operation.lanes) == 1 ? 0
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
  const bool turned = effects.turns != 0;
  if (IsMbWait(operation.op)) {
    CountWait(cycle, operation, effects);
  } else {
    points_.Count(outcomes_[code][source][turned ? kTurns : kStays]);
    CountWord(operation, effects);
  }
  if (turned) {
    turns_[place] += effects.turns;
    CountTurn(cycle, effects);
  }
  std::copy_backward(commits_.begin(), commits_.end() - 1, commits_.end());
  commits_[0] = {cycle, place, turned};
}

void MbCover::CountSplit(const MbOperation& operation, const golden::MbEffects& effects,
                         bool refused) {
  std::deque<Group>& groups = GroupsOf(operation.source, operation.warp);
  if (groups.empty()) {
    return;
  }
  Group& group = groups.front();
  const bool several = Ones(operation.lanes) > 1;
  group.rest &= ~operation.lanes;
  group.turns += effects.turns;
  if (group.split && refused) {
    Hit(MbSpot::kSplitRefused);
  }
  if (group.split && several && !refused) {
    Hit(MbSpot::kSplitAgain);
  }
  if (group.rest != 0 && effects.turns != 0) {
    Hit(MbSpot::kSplitTurn);
  }
  if (group.turns == 3) {
    Hit(MbSpot::kSplitTurns);
  }
  group.split = true;
  if (group.rest == 0) {
    groups.pop_front();
  }
}

void MbCover::CountWord(const MbOperation& operation, const golden::MbEffects& effects) {
  const golden::MbWord word = golden::DecodeMbWord(effects.word);
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
  if (IsMbArrival(operation.op) && effects.turns != 0 && word.expected == 0) {
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
                        const golden::MbEffects& effects) {
  const bool parks = effects.parked != 0;
  const bool complete = effects.complete != 0;
  points_.Count(outcomes_[Code(operation.op)][0][parks ? kParks : complete ? kTrue : kFalse]);
  if (complete) {
    const Place place(operation.cta, operation.addr);
    for (unsigned back = 0; back < kNear; ++back) {
      const Commit& commit = commits_[back];
      if (commit.turned && commit.place == place && commit.cycle + kNear >= cycle) {
        points_.Count(wait_behind_turn_[cycle - commit.cycle]);
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
                             !operation.has_hint};
  parked_warps_ |= Bit(operation.warp);
  Hit(MbSpot::kPark);
  if (Ones(parked_warps_) >= 4) {
    Hit(MbSpot::kParkMany);
  }
}

void MbCover::CountTurn(std::uint64_t cycle, const golden::MbEffects& effects) {
  for (const golden::MbAnswer& answer : effects.answers) {
    const Parked& parked = parked_[answer.warp];
    parked_warps_ &= ~Bit(answer.warp);
    Hit(MbSpot::kWake);
    if (cycle - parked.commit <= kNear) {
      points_.Count(turn_behind_park_[cycle - parked.commit]);
    }
    if (parked.limit <= cycle) {
      Hit(MbSpot::kLimitPassed);
    }
  }
  if (effects.answers.size() >= 2) {
    Hit(MbSpot::kWakeMany);
  }
}

void MbCover::CountTokens(const MbOperation& operation, const golden::MbEffects& effects) {
  const Place place(operation.cta, operation.addr);
  const std::uint64_t turns = turns_[place];
  for (std::uint32_t left = operation.lanes; left != 0; left &= left - 1) {
    Token& token = tokens_[operation.warp][First(left)];
    if (operation.has_token) {
      token = {place, turns, true};
    } else if ((operation.op == MbOp::kTestWait || operation.op == MbOp::kTryWait) && token.valid &&
               token.place == place) {
      const bool complete = (effects.complete >> First(left) & 1) != 0;
      if (turns == token.turns && !complete) {
        Hit(MbSpot::kTokenNow);
      } else if (turns == token.turns + 1 && complete) {
        Hit(MbSpot::kTokenNext);
      }
    }
  }
}

void MbCover::CountLeave(const MbEvent& event, const golden::MbEffects& effects) {
  for (const golden::MbAnswer& answer : effects.answers) {
    parked_warps_ &= ~Bit(answer.warp);
    Hit(event.how == OpKind::kEnd ? MbSpot::kParkedEnd : MbSpot::kParkedSuspend);
  }
  turns_.erase(turns_.lower_bound(Place(event.operation.cta, 0)),
               turns_.lower_bound(Place(event.operation.cta + 1U, 0)));
}

void MbCover::CountHazards(std::uint32_t hazards) {
  constexpr std::array kHazards = {MbSpot::kInitOverLive, MbSpot::kUninitialised,
                                   MbSpot::kLateParity, MbSpot::kStoreOverWaiters,
                                   MbSpot::kUnfinishedAsync};
  for (unsigned i = 0; i < kHazards.size() && hazards != 0; ++i) {
    if ((hazards >> (static_cast<unsigned>(Hazard::kInitOverLive) + i) & 1) != 0) {
      Hit(kHazards[i]);
    }
  }
}

}  // namespace muster::lockstep
