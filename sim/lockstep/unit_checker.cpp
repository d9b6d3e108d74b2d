// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/unit_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/files.h"
#include "sim/lockstep/report.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kSweepPeriod = 1024;  // cycles; a power of two
constexpr std::uint64_t kQuietCycles = 8;     // after the last commit, before the last sweep
constexpr std::uint64_t kLongestDrain = 10'000;

}  // namespace

UnitChecker::UnitChecker(const sc_core::sc_module_name& name, const Config& config,
                         std::unique_ptr<Dut> dut, Others beside, Driver* driver,
                         const Options& options, int number, Result* result)
    : sc_core::sc_module(name),
      config_(config),
      options_(options),
      number_(number),
      wave_(Numbered(options.wave, number), options.wave_from, options.wave_to),
      warp_wave_(OfWarpScope(wave_.path()), options.wave_from, options.wave_to),
      driver_(*driver),
      dut_(std::move(dut)),
      period_(kCycleNs, sc_core::SC_NS),
      golden_("golden", config, tlm::Timing::kTold),
      socket_("socket"),
      with_mbarriers_(driver->has_mbarriers()),
      skipper_(options.lazy && options.gates == Gating::kNone && options.wave.empty() &&
                   dut_->CanCatchUp(),
               IdlePeriod(config), MbIdlePeriod(config)),
      result_(*result) {
  socket_.bind(golden_.socket);
  if (beside.warp) {
    warp_.emplace(std::move(beside.warp), driver->warp_pins());
  }
  const std::vector<AtomicPins*> atomic_pins = driver->atomic_pins();
  for (std::size_t bank = 0; bank < beside.atomics.size(); ++bank) {
    atomics_.emplace_back(std::move(beside.atomics[bank]), atomic_pins[bank]);
    atomics_waves_.emplace_back(OfAtomics(wave_.path(), static_cast<unsigned>(bank)),
                                options.wave_from, options.wave_to);
  }
  const std::vector<FencePins*> fence_pins = driver->fence_pins();
  for (std::size_t k = 0; k < beside.fences.size(); ++k) {
    fences_.emplace_back(std::move(beside.fences[k]), fence_pins[k]);
    fences_waves_.emplace_back(OfFences(wave_.path(), static_cast<unsigned>(k)), options.wave_from,
                               options.wave_to);
  }
  BeginChecks(0);
  if (!options.log.empty()) {
    log_.emplace(config, options, number);
  }
}

void UnitChecker::Finish() {
  wave_.End(dut_.get());
  if (wave_.missed()) {
    result_.untraced.push_back(wave_.path());
  }
  if (warp_) {
    warp_wave_.End(&*warp_);
  }
  for (std::size_t bank = 0; bank < atomics_.size(); ++bank) {
    atomics_waves_[bank].End(&atomics_[bank]);
    result_.NotWritten(atomics_waves_[bank].error());
    result_.atomic_updates += atomics_[bank].checker().counts().updates;
  }
  for (std::size_t k = 0; k < fences_.size(); ++k) {
    fences_waves_[k].End(&fences_[k]);
    result_.NotWritten(fences_waves_[k].error());
    result_.fence_drains += fences_[k].checker().counts().drains;
  }
  TakeWaits();
  if (warp_) {
    result_.warp_requests += warp_->checker().counts().requests;
    result_.warp_lanes += warp_->checker().counts().lanes;
  }
  if (const std::string error = log_ ? log_->Close() : ""; !error.empty()) {
    result_.ending = Ending::kError;
    result_.report = error;
  }
  for (const std::string& error : {wave_.error(), warp_wave_.error()}) {
    result_.NotWritten(error);
  }
}

bool UnitChecker::Drive(std::uint64_t cycle, bool enough) {
  Inputs& in = dut_->in;
  in.stopped = 0;
  in.mb.stopped_ns = 0;
  in.mb.stores.clear();
  in.mb.announced.clear();
  if (driving_) {
    if (enough) {
      result_.ending = Ending::kMaxCycles;
      driving_ = false;
    } else {
      driving_ = driver_.Drive(cycle, dut_->out, &in);
    }
    if (driving_) {
      return true;
    }
    drain_from_ = cycle;
    quiet_from_ = cycle;
  }
  if (in.reset) {
    in = Inputs();
  }
  in.fence_ack = ~std::uint64_t{0};
  in.mb.fence_ack = ~std::uint64_t{0};
  if (warp_) {
    warp_->RunEmpty();
  }
  for (CheckedAtomics& bank : atomics_) {
    bank.RunEmpty();
  }
  for (CheckedFences& tracker : fences_) {
    tracker.RunEmpty();
  }
  driver_.Serve(dut_->out, &in);  // which sees what was taken in the cycle before
  in.issue_valid &= static_cast<std::uint8_t>(~dut_->out.issue_ready);
  in.lifecycle_valid = in.lifecycle_valid && !dut_->out.lifecycle_ready;
  in.exit_valid = in.exit_valid && !dut_->out.exit_ready;
  in.response_ready = true;
  in.mb.issue_valid = in.mb.issue_valid && !dut_->out.mb.issue_ready;
  in.mb.async_valid = in.mb.async_valid && !dut_->out.mb.async_ready;
  in.mb.remote_valid = in.mb.remote_valid && !dut_->out.mb.remote_ready;
  in.mb.response_ready = true;
  if (Busy()) {
    quiet_from_ = cycle + 1;
    return cycle < drain_from_ + kLongestDrain ||
           Stop(cycle, {"commit", "an operation never commits", "each accepted operation commits"});
  }
  if (cycle == quiet_from_ + kQuietCycles) {
    scoreboard_->StartSweep();
    skipper_.BeginLastSweep();
  }
  return cycle < quiet_from_ + 2 * kQuietCycles || scoreboard_->Sweeping();
}

std::uint64_t UnitChecker::SleepsUntil(std::uint64_t cycle) {
  const bool sleeps = driving_ && !dut_->in.reset && !Busy() && !scoreboard_->Sweeping();
  const std::uint64_t until = sleeps ? driver_.SleepsUntil(cycle) : cycle;
  if (until <= cycle) {
    awake_ = std::max(awake_, cycle);
  }
  return cycle <= awake_ + kQuietCycles ? cycle : std::min(until, mb_checker_->EarliestLimit());
}

void UnitChecker::StandStill(std::uint64_t cycles) {
  dut_->in.stopped = cycles;
  dut_->in.mb.stopped_ns = static_cast<std::uint32_t>(cycles * config_.clock_period_ps / kPsPerNs);
}

bool UnitChecker::Address(std::uint64_t cycle) {
  if (cycle % kSweepPeriod == kSweepPeriod - 1) {
    scoreboard_->StartSweep();
    skipper_.BeginSweep();
  }
  const bool sweeping = scoreboard_->Sweeping();
  if (sweeping) {
    scoreboard_->Address(&dut_->in);
  }
  return sweeping;
}

bool UnitChecker::Clock(std::uint64_t cycle, sc_core::sc_time* ahead) {
  const bool sweeping = Address(cycle);
  const bool skips = skipper_.Skip(dut_->in, dut_->out, sweeping);
  if (!skips) {
    RunCycle(cycle, sweeping);
  } else {
    scoreboard_->ReadNothing();
    ++result_.left_out;
  }
  if (!dut_->lost.empty()) {
    result_.ending = Ending::kError;
    result_.report = dut_->lost;
    return false;
  }
  bool good = true;
  if (skips && skipper_.skipped() > kQuietCycles && ExpectsNothing()) {
    *ahead += period_;
    good = CheckBeside(cycle);
  } else {
    good = CheckSettled(cycle, ahead);
  }
  return Asserted(cycle) && good;
}

// The checks of the latest cycles would be those of this one, too.
bool UnitChecker::ExpectsNothing() const {
  const MbInputs& mb = dut_->in.mb;
  return monitor_->Idle() && !scoreboard_->ResponsesOutstanding() && mb_checker_->Idle() &&
         golden_.mbarriers().Parked() == 0 && mb.stores.empty() && mb.announced.empty() &&
         options_.cover == nullptr;
}

void UnitChecker::RunCycle(std::uint64_t cycle, bool sweeping) {
  const bool mb_skips = skipper_.SkipMbarriers(dut_->in, dut_->out);
  const std::uint64_t skipped = skipper_.TakeSkipped();
  const std::uint64_t mb_skipped = mb_skips ? 0 : skipper_.TakeSkippedByMbarriers();
  if (skipped != 0 || mb_skipped != 0) {
    dut_->CatchUp(skipped, mb_skipped);
  }
  Trace(cycle);
  dut_->Settle();
  // A debug read needs a clock edge.
  dut_->in.gated = options_.gates == Gating::kUnit && dut_->out.idle && !sweeping;
  result_.gated += static_cast<std::uint64_t>(dut_->in.gated);
  GateMbarriers();
  dut_->in.mb.gated = dut_->in.mb.gated || mb_skips;
  result_.mb_left_out += static_cast<std::uint64_t>(mb_skips);
  dut_->Clock();
  skipper_.NoteRun(dut_->out);
}

void UnitChecker::GateMbarriers() {
  dut_->in.mb.gated = options_.gates != Gating::kNone && dut_->out.mb.idle;
  result_.mb_gated += static_cast<std::uint64_t>(dut_->in.mb.gated);
}

bool UnitChecker::CheckSettled(std::uint64_t cycle, sc_core::sc_time* ahead) {
  if (dut_->in.reset) {
    *ahead += period_;
    return Reset(cycle);
  }
  in_reset_ = false;
  const bool good = Check(cycle, ahead);  // of what was settled
  return CheckBeside(cycle) && good;
}

bool UnitChecker::CheckBeside(std::uint64_t cycle) {
  bool good = !warp_ || warp_->Clock(cycle, true) || Stop(cycle, *warp_->checker().mismatch());
  for (std::size_t bank = 0; bank < atomics_.size() && good; ++bank) {
    good = atomics_[bank].Clock(cycle, true) || StopAtomics(cycle, bank);
  }
  for (std::size_t k = 0; k < fences_.size() && good; ++k) {
    good =
        fences_[k].Clock(cycle, true) || Stop(cycle, *fences_[k].checker().mismatch(),
                                              fmt::format("tracker {} of fences{}", k, OfUnit()));
  }
  return good;
}

std::string UnitChecker::OfUnit() const {
  return number_ < 0 ? "" : fmt::format(" of unit {}", number_);
}

bool UnitChecker::StopAtomics(std::uint64_t cycle, std::size_t bank) {
  const AtomicsChecker& checker = atomics_[bank].checker();
  return Stop(cycle, *checker.mismatch(), fmt::format("bank {} of the atomics{}", bank, OfUnit()),
              nullptr, &checker);
}

bool UnitChecker::StopAsserted(std::uint64_t cycle) {
  if (result_.ending == Ending::kMismatch) {
    result_.report += Beside(failed_);
  }
  return Stop(cycle, MismatchOf(failed_, *scoreboard_, *mb_checker_));
}

void UnitChecker::BeginChecks(std::uint64_t cycle) {
  monitor_.emplace(config_, cycle);
  scoreboard_.emplace(config_, golden_.model());
  mb_checker_.emplace(config_, golden_.mbarriers());
  awake_ = cycle + BoundsOf(config_).start;  // the unit itself is busy after a reset
}

void UnitChecker::TakeWaits() {
  for (unsigned wait = 0; wait < kNumWaits; ++wait) {
    result_.waits[wait] = std::max(result_.waits[wait], monitor_->waits()[wait]);
  }
  for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
    result_.mb_waits[wait] = std::max(result_.mb_waits[wait], mb_checker_->waits()[wait]);
  }
  result_.waits[kResponseWait] =
      std::max(result_.waits[kResponseWait], scoreboard_->longest_response());
}

// A cycle in reset: all operations are dropped on both sides, and the outputs must be quiet.
bool UnitChecker::Reset(std::uint64_t cycle) {
  if (!in_reset_) {
    ++result_.resets;
    if (options_.cover != nullptr) {
      options_.cover->Reset(golden_.model(), golden_.mbarriers());
    }
    if (log_) {
      log_->WriteReset(cycle);
    }
    TakeWaits();
    golden_.Reset();
  }
  in_reset_ = true;
  BeginChecks(cycle + 1);
  const std::optional<Mismatch> loud = LoudInReset(dut_->out);
  return !loud || Stop(cycle, *loud);
}

bool UnitChecker::Check(std::uint64_t cycle, sc_core::sc_time* ahead) {
  const Inputs& in = dut_->in;
  const Outputs& out = dut_->out;
  if (!monitor_->Check(cycle, in, out)) {
    return Stop(cycle, *monitor_->mismatch());
  }
  if (config_.mbarrier && !mb_checker_->Check(cycle, in, out)) {
    return Stop(cycle, *mb_checker_->mismatch());
  }
  const Commits& commits = monitor_->commits();
  const std::vector<MbEvent>& events = mb_checker_->events();
  if ((commits.count != 0 || !events.empty()) && !Transport(cycle, *ahead)) {
    return false;
  }
  *ahead += period_;
  const Effects* const effects = transaction_.extension().effects();
  const MbEffects* const mb_effects = transaction_.extension().mb_effects();
  if (commits.count != 0) {
    result_.commits += commits.count;
    ++result_.commit_cycles;
    if (!scoreboard_->Expect(cycle, commits, effects)) {
      return Stop(cycle, *scoreboard_->mismatch());
    }
  }
  if (config_.mbarrier && !mb_checker_->Compare(cycle, in, out, mb_effects)) {
    return Stop(cycle, *mb_checker_->mismatch());
  }
  if (!events.empty()) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      driver_.OnMbEvent(mb_checker_->CycleOf(events[i], cycle), events[i], mb_effects[i]);
    }
  }
  for (unsigned i = 0; i < commits.count; ++i) {
    driver_.OnCommit(cycle, commits.operations[i], effects[i]);
  }
  if (log_) {
    log_->Write(cycle, commits, *mb_checker_, transaction_.extension(), driver_);
  }
  if (options_.cover != nullptr) {
    options_.cover->Observe(cycle, in, out, commits, effects, golden_.model());
    options_.cover->Observe(cycle, in, out, events, mb_effects);
  }
  Count(out);
  if (!CheckIdle(cycle)) {
    return false;
  }
  return scoreboard_->Compare(cycle, in, out) || Stop(cycle, *scoreboard_->mismatch());
}

// Of an idle unit, clock edges or whole cycles are left out: so it must not be idle while anything
// is under way, nor just after a commit, nor while a time limit runs.
bool UnitChecker::CheckIdle(std::uint64_t cycle) {
  const Inputs& in = dut_->in;
  const Outputs& out = dut_->out;
  const bool mb_begins = PresentsMb(in) || out.mb.commit_valid;
  const bool mb_works = out.mb.busy != 0 || !mb_checker_->Idle() ||
                        (config_.mb_limit && golden_.mbarriers().Parked() != 0);
  mb_idle_.Note(cycle, mb_begins, mb_works);
  idle_.Note(cycle,
             mb_begins || Presents(in) || !monitor_->Idle() || monitor_->commits().count != 0,
             mb_works || out.busy != 0 || scoreboard_->ResponsesOutstanding());
  if (out.idle && !idle_.Allows(cycle)) {
    return Stop(cycle, {"idle", "1", "0: something is under way"});
  }
  if (out.mb.idle && !mb_idle_.Allows(cycle)) {
    return Stop(cycle, {"mb.idle", "1", "0: something is under way"});
  }
  if (config_.mbarrier && out.idle && !out.mb.idle) {
    return Stop(cycle, {"mb.idle", "0", "1: the unit is idle"});
  }
  return with_mbarriers_ || !(in.mb.issue_valid || in.mb.async_valid || in.mb.remote_valid) ||
         Stop(cycle, {"mb.valid", "1", "0 (by the driver, which has no mbarriers)"});
}

// What has happened in this cycle goes to the golden model. The unit is a pipeline and does not
// wait for the effects of one cycle before the next: so what the model adds to the local time is
// left.
bool UnitChecker::Transport(std::uint64_t cycle, const sc_core::sc_time& now) {
  tlm::BarrierExtension& asked = transaction_.extension();
  const Commits& commits = monitor_->commits();
  asked.Clear();
  for (const MbEvent& event : mb_checker_->events()) {
    asked.Add(event);
  }
  for (unsigned i = 0; i < commits.count; ++i) {
    asked.Add(commits.operations[i]);
  }
  sc_core::sc_time shown = now;
  socket_->b_transport(transaction_.Prepared(), shown);
  return transaction_.ok() ||
         Stop(cycle, {"commit", asked.refusal(), "what the core may present to the unit"});
}

void UnitChecker::Count(const Outputs& out) {
  result_.releases += static_cast<std::uint64_t>(out.released != 0);
  result_.faults += static_cast<std::uint64_t>(__builtin_popcount(out.fault_valid));
  const MbOutputs& mb = out.mb;
  result_.mb_commits += static_cast<std::uint64_t>(mb.commit_valid);
  result_.mb_phases += static_cast<std::uint64_t>(mb.commit_valid && mb.commit.completed);
  result_.mb_faults += static_cast<std::uint64_t>(mb.fault_valid);
  if ((mb.wake | mb.expire) != 0) {
    result_.mb_wakes += static_cast<std::uint64_t>(__builtin_popcountll(mb.wake));
    result_.mb_expiries += static_cast<std::uint64_t>(__builtin_popcountll(mb.expire));
  }
}

bool UnitChecker::Stop(std::uint64_t cycle, const Mismatch& mismatch, const std::string& block,
                       const WarpChecker* warps, const AtomicsChecker* atomics) {
  if (result_.ending != Ending::kMismatch) {
    result_.ending = Ending::kMismatch;
    result_.what = mismatch.field;
    const std::string own = number_ < 0 ? "" : "unit " + std::to_string(number_);
    result_.report = Report(config_, options_, cycle, block.empty() ? own : block, mismatch,
                            {golden_.model(), golden_.mbarriers(), *scoreboard_, *mb_checker_,
                             warp_ ? &warp_->checker() : warps, atomics});
  }
  return false;
}

}  // namespace muster::lockstep
