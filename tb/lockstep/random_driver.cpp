// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/random_driver.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/state_word.h"
#include "tb/lockstep/fields.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kRestCycles = 150;  // for what is under way; then it rests

constexpr std::array kBarArrivals = {OpKind::kSync,  OpKind::kArrive,  OpKind::kRedAnd,
                                     OpKind::kRedOr, OpKind::kRedPopc, OpKind::kArrivePhase};
constexpr std::array kReads = {OpKind::kB2rBar, OpKind::kB2rWarp, OpKind::kB2rResult};
constexpr std::array kAll = {OpKind::kSync,    OpKind::kArrive,      OpKind::kRedAnd,
                             OpKind::kRedOr,   OpKind::kRedPopc,     OpKind::kB2rBar,
                             OpKind::kB2rWarp, OpKind::kB2rResult,   OpKind::kR2bBar,
                             OpKind::kR2bWarp, OpKind::kArrivePhase, OpKind::kWait};

template <std::size_t kSize>
std::vector<OpKind> ThoseOf(const Config& config, const std::array<OpKind, kSize>& kinds) {
  std::vector<OpKind> had;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(had),
               [&config](OpKind kind) { return Has(config, kind); });
  return had;
}

}  // namespace

RandomDriver::RandomDriver(const Config& config, const RandomOptions& options)
    : config_(config),
      options_(options),
      arrivals_(ThoseOf(config, kBarArrivals)),
      reads_(ThoseOf(config, kReads)),
      all_(ThoseOf(config, kAll)),
      random_(options.seed),
      mbarriers_(config, *this, options.seed) {
  if (options.dense) {
    knobs_.stray = 0;
  }
}

bool RandomDriver::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  cycle_ = cycle;
  if (observed_left_) {
    return false;
  }
  if (cycle >= next_knobs_ && !options_.dense) {
    SetKnobs();
  }
  if (config_.mbarrier) {
    mbarriers_.Begin(cycle, seen.mb, &inputs->mb);
  }
  MaybeLaunch();
  if (residents_[turn_] != nullptr) {
    LookAfter(residents_[turn_]);
  }
  turn_ = turn_ + 1 == config_.num_ctas ? 0 : turn_ + 1;
  DriveFence(seen, inputs);
  DriveIssue(seen, inputs);
  DriveLifecycle(seen, inputs);
  DriveExit(seen, inputs);
  inputs->response_ready = random_.Percent(knobs_.response);
  if (config_.mbarrier) {
    mbarriers_.Present(&inputs->mb);
  }
  return true;
}

void RandomDriver::Serve(const Outputs& seen, Inputs* inputs) {
  if (config_.mbarrier) {
    mbarriers_.Serve(seen.mb, &inputs->mb);
    inputs->fence_ack = ~mbarriers_.busy();
  }
}

void RandomDriver::SetKnobs() {
  next_knobs_ = cycle_ + (options_.pauses ? random_.Between(20, 200) : random_.Between(100, 1500));
  knobs_.issue = random_.Pick(std::array{100U, 100U, 100U, 100U, 40U});
  knobs_.stray = random_.Pick(std::array{0U, 3U, 10U, 40U});
  knobs_.together = random_.Pick(std::array{0U, 50U, 95U});
  knobs_.access = random_.Pick(std::array{1U, 3U, 5U, 7U, 60U});
  knobs_.perform = random_.Pick(std::array{0U, 0U, 0U, 1U, 3U, 5U, 7U});
  knobs_.response = random_.Pick(std::array{100U, 100U, 100U, 30U});
  knobs_.lifecycle = random_.Pick(std::array{100U, 100U, 20U});
  knobs_.patient = random_.Percent(30);
  knobs_.rest = random_.OneIn(options_.pauses ? 2 : 8)
                    ? random_.Pick(std::array{100U, 1000U, 5000U, 20'000U})
                    : 0;
  if (knobs_.rest != 0) {
    next_knobs_ = cycle_ + kRestCycles;
    knobs_.issue = 0;
    knobs_.lifecycle = 0;
    knobs_.perform = 0;
  }
  mbarriers_.Rest(knobs_.rest != 0);
  if (!options_.observed && random_.OneIn(25)) {
    make_room_ = true;
  }
}

// A warp has accesses outstanding from time to time; the acknowledge depends on nothing else.
void RandomDriver::DriveFence(const Outputs& /*seen*/, Inputs* inputs) {
  accessing_ |= random_.Sparse(knobs_.access);
  accessing_ &= ~random_.Sparse(knobs_.perform);
  // A barrier does not overtake the warp's operations on mbarriers; the drain of mbarriers does not
  // wait for these themselves.
  inputs->fence_ack = ~(accessing_ | mbarriers_.busy());
  inputs->mb.fence_ack = ~accessing_;
}

// ------------------------------------------------------------------------------------------------
// Issue
// ------------------------------------------------------------------------------------------------

void RandomDriver::DriveIssue(const Outputs& seen, Inputs* inputs) {
  const unsigned fired = inputs->issue_valid & seen.issue_ready;
  const Operation* lead = nullptr;
  for (unsigned port = 0; port < config_.num_issue; ++port) {
    Operation* operation = &inputs->issue[port];
    const unsigned bit = 1U << port;
    if ((fired & bit) != 0) {
      inputs->issue_valid &= static_cast<std::uint8_t>(~bit);
      presented_ &= ~Bit(PlaceOf(operation->warp));
    }
  }
  for (unsigned port = 0; port < config_.num_issue; ++port) {
    Operation* operation = &inputs->issue[port];
    const unsigned bit = 1U << port;
    if ((inputs->issue_valid & bit) == 0) {
      Flight flight;
      if (!random_.Percent(knobs_.issue) || !PickIssue(lead, operation, &flight)) {
        continue;
      }
      inputs->issue_valid |= static_cast<std::uint8_t>(bit);
      operation->lanes |= LanesBeyond(config_, &random_);
      flight.waits = MakesWait(*operation);
      const unsigned place = PlaceOf(operation->warp);
      presented_ |= Bit(place);
      flying_ |= Bit(place);
      if (flight.waits) {
        going_to_wait_ |= Bit(place);
      }
      flights_[place].push_back(flight);
    }
    lead = operation;
  }
}

bool RandomDriver::PickIssue(const Operation* lead, Operation* operation, Flight* flight) {
  if (random_.Percent(50) && PickTransfer(operation, flight)) {
    return true;
  }
  if (random_.Percent(knobs_.stray) && PickStray(lead, operation, flight)) {
    return true;
  }
  return PickStep(lead, operation, flight) || PickTransfer(operation, flight);
}

bool RandomDriver::PickTransfer(Operation* operation, Flight* flight) {
  for (unsigned i = 0; i < config_.num_ctas; ++i) {
    Cta* cta = residents_[(turn_ + i) % config_.num_ctas];
    if (cta == nullptr || cta->transfers.empty()) {
      continue;
    }
    Operation transfer = cta->transfers.back();
    const std::uint64_t able = cta->warps & ~flying_ & ~mbarriers_.busy();
    if (transfer.warp == Cta::kAnyWarp && able != 0) {
      transfer.warp = static_cast<std::uint8_t>(random_.Bit(able));
    }
    if (transfer.warp == Cta::kAnyWarp || (able >> transfer.warp & 1) == 0) {
      continue;
    }
    cta->transfers.pop_back();
    transfer.cta = static_cast<std::uint8_t>(cta->slot);
    *operation = transfer;
    flight->why = Flight::Why::kTransfer;
    flight->cta = cta;
    return true;
  }
  return false;
}

// An operation that belongs to no program: one that is refused, or has no effect on it.
bool RandomDriver::PickStray(const Operation* lead, Operation* operation, Flight* flight) {
  flight->why = Flight::Why::kStray;
  if (Echo(operation)) {
    return true;
  }
  const unsigned warp = random_.Below(WarpMask(config_.num_warps) + 1);
  const Cta* owner = owners_[warp];
  if (((presented_ | exiting_ | ~Unengaged()) >> warp & 1) != 0 || flights_[warp].size() > 1 ||
      (owner != nullptr && owner->state != State::kRunning) ||
      (owner != nullptr && (owner->unjoined & ~owner->unasked & Bit(warp)) != 0)) {
    return false;
  }
  if (!config_.faults) {
    return PickHarmless(warp, operation);
  }
  *operation = StrayOperation(warp);
  // An arrival of another CTA's warp, where it may merge with that of the first port.
  if (lead != nullptr && IsArrival(lead->kind) && random_.Percent(30) &&
      (owner == nullptr || owner->slot != lead->cta)) {
    *operation = *lead;
    operation->warp = static_cast<std::uint8_t>(warp);
  }
  return true;
}

bool RandomDriver::PickStep(const Operation* lead, Operation* operation, Flight* flight) {
  std::uint64_t able = want_issue_ & ~waiting_ & ~presented_ & ~exiting_ & ~going_to_wait_;
  // With a drain, an arrival may be issued while groups of its warp are on their way.
  able &= Unengaged() | (config_.drain && !knobs_.patient ? mbarriers_.passing() : 0);
  if (knobs_.patient || random_.Percent(50)) {
    able &= ~flying_;
  }
  if (able == 0) {
    return false;
  }
  if (lead != nullptr && IsArrival(lead->kind) && random_.Percent(knobs_.together)) {
    std::uint64_t same = 0;
    for (std::uint64_t left = able; left != 0; left &= left - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
      const Step* step = NextStep(warp);
      if (step != nullptr && owners_[warp]->slot == lead->cta && step->operation.bar == lead->bar) {
        same |= Bit(warp);
      }
    }
    able = same != 0 ? same : able;
  }
  const unsigned warp = random_.Bit(able);
  Cta* cta = owners_[warp];
  const Operation asked = cta->wild ? WildStep(*cta, warp) : NextStep(warp)->operation;
  if ((mbarriers_.busy() >> warp & 1) != 0 && !IsArrival(asked.kind)) {
    return false;
  }
  *operation = asked;
  if (!cta->wild) {
    const Step& step = *NextStep(warp);
    flight->opens = step.opens;
    ++cta->next[indices_[warp]];
    Refresh(warp);
  }
  operation->cta = static_cast<std::uint8_t>(cta->slot);
  operation->warp = static_cast<std::uint8_t>(warp);
  flight->why = Flight::Why::kStep;
  flight->cta = cta;
  return true;
}

// ------------------------------------------------------------------------------------------------
// Exits
// ------------------------------------------------------------------------------------------------

void RandomDriver::DriveExit(const Outputs& seen, Inputs* inputs) {
  if (inputs->exit_valid && !seen.exit_ready) {
    return;
  }
  if (random_.Percent(knobs_.lifecycle) && PickExit(&inputs->exit)) {
    inputs->exit_valid = true;
    inputs->exit.lanes |= LanesBeyond(config_, &random_);
  } else {
    inputs->exit_valid = false;
  }
}

bool RandomDriver::PickExit(Operation* operation) {
  const bool stray = random_.Percent(knobs_.stray);
  if (stray && random_.Percent(25) && StrayExit(operation)) {
    return true;
  }
  if (!trims_.empty()) {
    *operation = trims_.front();
    trims_.pop_front();
    exiting_ |= Bit(operation->warp);
    return true;
  }
  return PickExitStep(operation) || (stray && StrayExit(operation));
}

bool RandomDriver::PickExitStep(Operation* operation) {
  const std::uint64_t able =
      want_exit_ & ~waiting_ & ~presented_ & ~exiting_ & ~going_to_wait_ & Unengaged();
  if (able == 0) {
    return false;
  }
  const unsigned warp = random_.Bit(able);
  Cta* cta = owners_[warp];
  if (cta->wild) {
    *operation = Operation();
    operation->kind = OpKind::kExit;
    operation->lanes = random_.Percent(50) ? random_.Word() : ~std::uint32_t{0};
  } else {
    *operation = NextStep(warp)->operation;
    ++cta->next[indices_[warp]];
  }
  operation->cta = static_cast<std::uint8_t>(cta->slot);
  operation->warp = static_cast<std::uint8_t>(warp);
  exiting_ |= Bit(warp);
  Refresh(warp);
  return true;
}

// ------------------------------------------------------------------------------------------------
// Beside mbarriers
// ------------------------------------------------------------------------------------------------

std::uint64_t RandomDriver::AbleWarps() const {
  const std::uint64_t away = waiting_ | presented_ | exiting_ | going_to_wait_;
  std::uint64_t able = 0;
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    const Cta* cta = residents_[slot];
    if (cta != nullptr && cta->state == State::kRunning && !mbarriers_.Restoring(slot)) {
      able |= cta->warps & ~away;
    }
  }
  return able;
}

std::uint32_t RandomDriver::RunningCtas() const {
  std::uint32_t running = 0;
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    const Cta* cta = residents_[slot];
    if (cta != nullptr && cta->state == State::kRunning && !mbarriers_.Restoring(slot)) {
      running |= std::uint32_t{1} << slot;
    }
  }
  return running;
}

std::uint32_t RandomDriver::OpenCtas() const { return CtasIn(State::kRunning, State::kLeaving); }

std::uint32_t RandomDriver::CtasIn(State first, State last) const {
  std::uint32_t slots = 0;
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    const Cta* cta = residents_[slot];
    if (cta != nullptr && cta->state >= first && cta->state <= last) {
      slots |= std::uint32_t{1} << slot;
    }
  }
  return slots;
}

void RandomDriver::OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  mbarriers_.OnEvent(cycle, event, effects);
}

// ------------------------------------------------------------------------------------------------
// Commits
// ------------------------------------------------------------------------------------------------

void RandomDriver::OnCommit(std::uint64_t cycle, const Operation& operation,
                            const Effects& effects) {
  cycle_ = cycle;
  if (effects.entry_written) {
    words_[effects.cta][effects.bar] = effects.word;
  }
  if (!IsLifecycle(operation.kind)) {
    CommitIssue(operation, effects);
  } else if (operation.kind == OpKind::kExit) {
    CommitExit(operation, effects);
  } else {
    CommitLifecycle(operation, effects);
  }
  if (effects.released != 0) {
    waiting_ &= ~effects.released;
  }
  if (options_.observed) {
    Observe(operation, effects);
  }
  apart_ &= waiting_;
}

void RandomDriver::CommitLifecycle(const Operation& operation, const Effects& effects) {
  --lifecycle_flying_;
  exiting_ &= ~kept_;
  kept_ = 0;
  if (effects.fault != FaultCause::kNone) {
    return;
  }
  Cta* cta = residents_[operation.cta];
  switch (operation.kind) {
    case OpKind::kLaunch:
      return Launched(cta);
    case OpKind::kOpen:
      return Opened(cta);
    case OpKind::kJoin:
      return Joined(cta, operation);
    default:
      return Left(cta, operation.kind);
  }
}

void RandomDriver::CommitIssue(const Operation& operation, const Effects& effects) {
  const unsigned place = PlaceOf(operation.warp);
  const Flight flight = flights_[place].front();
  flights_[place].pop_front();
  if (flights_[place].empty()) {
    flying_ &= ~Bit(place);
    going_to_wait_ &= ~Bit(place);
  } else if (!flights_[place].front().waits) {
    going_to_wait_ &= ~Bit(place);
  }
  if (effects.fault == FaultCause::kNone && TakesPart(operation) && flight.waits) {
    waiting_ |= Bit(place);
    apart_ |= WaitsApart(operation) ? Bit(place) : 0;
  }
  if (flight.cta == nullptr) {
    return;
  }
  if ((IsArrival(operation.kind) || operation.kind == OpKind::kWait) && TakesPart(operation)) {
    flight.cta->owes = effects.fault == FaultCause::kRestoreUnfinished;
  } else if (operation.kind == OpKind::kR2bBar && effects.fault == FaultCause::kNone) {
    const BarState state = DecodeBarWord(operation.operand);
    flight.cta->owes = flight.cta->owes || (state.arrived != 0 && state.expected == 0);
  }
  if (flight.why == Flight::Why::kTransfer) {
    CommitTransfer(flight.cta, operation, effects);
  } else if (flight.opens >= 0) {
    flight.cta->gates[static_cast<unsigned>(flight.opens)] = true;
    RefreshAll(*flight.cta);
  } else {
    Refresh(place);
  }
}

void RandomDriver::CommitTransfer(Cta* cta, const Operation& operation, const Effects& effects) {
  if (operation.kind == OpKind::kB2rWarp) {
    cta->warp_words[indices_[operation.warp]] = effects.data;
  } else if (operation.kind == OpKind::kB2rBar) {
    cta->bar_words[operation.bar] = effects.data;
  }
  if (--cta->transfers_open == 0) {
    NextTransfers(cta);
  }
}

void RandomDriver::CommitExit(const Operation& operation, const Effects& effects) {
  const unsigned warp = PlaceOf(operation.warp);
  exiting_ &= ~Bit(warp);
  Cta* cta = owners_[warp];
  if (effects.fault == FaultCause::kNone && TakesPart(operation) && cta != nullptr &&
      cta->slot == operation.cta) {
    std::uint32_t& lanes = cta->lanes[indices_[warp]];
    lanes = config_.lanes ? lanes & ~operation.lanes : 0;
    if (lanes == 0) {
      cta->warps &= ~Bit(warp);
      cta->gone |= Bit(warp);
      owners_[warp] = nullptr;
    }
    if (cta->state == State::kTrimming && --cta->transfers_open == 0) {
      NextTransfers(cta);
    }
  }
  Refresh(warp);
}

void RandomDriver::Observe(const Operation& operation, const Effects& effects) {
  if (effects.fault != FaultCause::kNone) {
    return;
  }
  for (std::uint64_t left = effects.released; left != 0; left &= left - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
    // Whether a wait for a phase still finds it open is a matter of time.
    if (owners_[warp] != nullptr && owners_[warp]->observed && (apart_ >> warp & 1) == 0) {
      observations_[indices_[warp]].push_back(
          {false, effects.bar, effects.released_kind, effects.released_value});
    }
  }
  // Nothing but the program of the observed CTA reads its results.
  if (operation.kind == OpKind::kB2rResult && effects.responds &&
      owners_[operation.warp]->observed) {
    observations_[indices_[operation.warp]].push_back(
        {true, 0, BarKind::kIdle, effects.data << 1 | static_cast<unsigned>(effects.pred)});
  }
}

}  // namespace muster::lockstep
