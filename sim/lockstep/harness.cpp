// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The SystemC side of the lockstep: loosely timed, temporally decoupled, no clock. One thread runs
// the unit for a quantum of cycles before it waits; what commits goes to the golden model by
// b_transport.
#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "sim/golden/golden_tlm.h"
#include "sim/golden/log.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/files.h"
#include "sim/lockstep/fresh_context.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mb_checker.h"
#include "sim/lockstep/monitor.h"
#include "sim/lockstep/report.h"
#include "sim/lockstep/scoreboard.h"
#include "sim/lockstep/wave_guard.h"

// libsystemc wants one; programs here have a main of their own.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

namespace muster::lockstep {
namespace {

constexpr unsigned kQuantum = 500;             // cycles between two waits
constexpr unsigned kStackBytes = 1024 * 1024;  // an FST dump is deep
constexpr std::uint64_t kSweepPeriod = 1024;   // cycles; a power of two
constexpr std::uint64_t kQuietCycles = 8;      // after the last commit, before the last sweep
constexpr std::uint64_t kLongestDrain = 10'000;

// One unit with its golden model and all that checks it.
class Station : public sc_core::sc_module {
 public:
  // `number`: of the unit in a run of several, or -1.
  Station(const sc_core::sc_module_name& name, const Config& config, std::unique_ptr<Dut> dut,
          Driver* driver, const Options& options, int number, Result* result)
      : sc_core::sc_module(name),
        config_(config),
        options_(options),
        number_(number),
        driver_(*driver),
        dut_(std::move(dut)),
        period_(kCycleNs, sc_core::SC_NS),
        golden_("golden", config, period_),
        socket_("socket"),
        result_(*result) {
    socket_.bind(golden_.socket);
    BeginChecks(0);
    batch_.effects = effects_.data();
    batch_.operations = monitor_->commits().operations.data();
    golden::Prepare(&batch_, &payload_);
    if (!options.log.empty()) {
      log_ = std::make_unique<golden::LogWriter>(Numbered(options.log, number_), config.name,
                                                 options.seed);
    }
  }

  // What the unit sees in this cycle, on its own. False: it is done.
  bool DriveUnchecked(std::uint64_t cycle) { return driver_.Drive(cycle, dut_->out, &dut_->in); }
  bool ClockUnchecked(std::uint64_t cycle) {
    Trace(cycle);
    dut_->Settle();
    dut_->Clock();
    return Asserted(cycle);
  }

  // Sets the pins: the driver's, and, when it has nothing left, such that the unit runs empty.
  // False: it is, and what remains in it was looked at.
  bool Drive(std::uint64_t cycle, bool enough);
  // Runs the cycle and checks it, at the local time *ahead. False: see the result's report.
  bool Clock(std::uint64_t cycle, sc_core::sc_time* ahead);

  // Ends the run with a mismatch, unless it has ended with one already.
  [[gnu::cold]] bool Stop(std::uint64_t cycle, const Mismatch& mismatch);

  void Finish() {
    EndTrace();
    if (!options_.wave.empty() && !traced_) {
      result_.untraced.push_back(Numbered(options_.wave, number_));
    }
    TakeWaits();
    if (log_ && !log_->Close()) {
      result_.ending = Ending::kError;
      result_.report = log_->error();
    }
    if (!wave_error_.empty()) {
      const bool mismatch = result_.ending == Ending::kMismatch;
      result_.ending = mismatch ? Ending::kMismatch : Ending::kError;
      result_.report = mismatch ? result_.report + wave_error_ + "\n" : wave_error_;
    }
  }

 private:
  void BeginChecks(std::uint64_t cycle);
  void TakeWaits();
  void Trace(std::uint64_t cycle);
  void EndTrace();
  bool Reset(std::uint64_t cycle);
  bool Check(std::uint64_t cycle, sc_core::sc_time* ahead);
  bool Asserted(std::uint64_t cycle);
  void Log(std::uint64_t cycle);
  void Count(const Outputs& out);
  bool Busy() const {
    return !monitor_->Idle() || scoreboard_->ResponsesOutstanding() || !mb_checker_->Idle();
  }

  const Config config_;
  const Options& options_;
  const int number_;
  bool traced_ = false;
  std::unique_ptr<WaveGuard> wave_guard_;  // while a waveform is written
  std::string wave_error_;
  Driver& driver_;
  std::unique_ptr<Dut> dut_;
  sc_core::sc_time period_;
  golden::Target golden_;
  tlm_utils::simple_initiator_socket<Station> socket_;
  // Begun anew by a reset.
  std::optional<Monitor> monitor_;
  std::optional<Scoreboard> scoreboard_;
  std::optional<MbChecker> mb_checker_;
  bool in_reset_ = false;
  std::unique_ptr<golden::LogWriter> log_;
  Result& result_;

  tlm::tlm_generic_payload payload_;
  golden::Batch batch_;
  std::array<golden::Effects, kMaxIssue> effects_;
  std::vector<golden::MbEffects> mb_effects_ = std::vector<golden::MbEffects>(kMaxWarps);

  bool driving_ = true;
  std::uint64_t drain_from_ = 0;
  std::uint64_t quiet_from_ = 0;
};

bool Station::Drive(std::uint64_t cycle, bool enough) {
  Inputs& in = dut_->in;
  in.mb.stores.clear();
  in.mb.told.clear();
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
  driver_.Serve(dut_->out, &in);  // which sees what was taken in the cycle before
  in.issue_valid &= static_cast<std::uint8_t>(~dut_->out.issue_ready);
  in.lifecycle_valid = in.lifecycle_valid && !dut_->out.lifecycle_ready;
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
  }
  return cycle < quiet_from_ + 2 * kQuietCycles || scoreboard_->Sweeping();
}

bool Station::Clock(std::uint64_t cycle, sc_core::sc_time* ahead) {
  if (cycle % kSweepPeriod == kSweepPeriod - 1) {
    scoreboard_->StartSweep();
  }
  if (scoreboard_->Sweeping()) {
    scoreboard_->Address(&dut_->in);
  }
  Trace(cycle);
  dut_->Settle();
  dut_->Clock();
  if (!dut_->lost.empty()) {
    result_.ending = Ending::kError;
    result_.report = dut_->lost;
    return false;
  }
  if (dut_->in.reset) {
    *ahead += period_;
    return Reset(cycle) && Asserted(cycle);
  }
  in_reset_ = false;
  const bool good = Check(cycle, ahead);  // of what was settled
  return Asserted(cycle) && good;
}

// The unit's own assertions hold; a difference found in the same cycle goes first.
bool Station::Asserted(std::uint64_t cycle) {
  const Assertion& failed = FailedAssertion();
  if (!failed.at.empty() && result_.ending == Ending::kMismatch) {
    result_.report += Beside(failed);
  }
  return failed.at.empty() || Stop(cycle, MismatchOf(failed, *scoreboard_, *mb_checker_));
}

void Station::BeginChecks(std::uint64_t cycle) {
  monitor_.emplace(config_, cycle);
  scoreboard_.emplace(config_, golden_.model());
  mb_checker_.emplace(config_, golden_.mbarriers());
}

void Station::TakeWaits() {
  for (unsigned wait = 0; wait < kNumWaits; ++wait) {
    result_.waits[wait] = std::max(result_.waits[wait], monitor_->waits()[wait]);
  }
  for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
    result_.mb_waits[wait] = std::max(result_.mb_waits[wait], mb_checker_->waits()[wait]);
  }
  result_.waits[kResponseWait] =
      std::max(result_.waits[kResponseWait], scoreboard_->longest_response());
}

// A cycle in reset: whatever was going on is gone, on both sides, and nothing is to be seen.
bool Station::Reset(std::uint64_t cycle) {
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

void Station::Trace(std::uint64_t cycle) {
  if (options_.wave.empty()) {
    return;
  }
  if (cycle == options_.wave_from) {
    wave_guard_ = std::make_unique<WaveGuard>(Numbered(options_.wave, number_));
    dut_->OpenTrace(Numbered(options_.wave, number_), cycle);
    traced_ = true;
  } else if (cycle == options_.wave_to + 1) {
    EndTrace();
  }
}

void Station::EndTrace() {
  dut_->CloseTrace();
  if (wave_guard_) {
    wave_error_ = wave_guard_->Close();
    wave_guard_.reset();
  }
}

bool Station::Check(std::uint64_t cycle, sc_core::sc_time* ahead) {
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
  if (commits.count != 0 || !events.empty()) {
    if (mb_effects_.size() < events.size()) {
      mb_effects_.resize(events.size());
    }
    batch_.count = commits.count;
    batch_.events = events.data();
    batch_.event_effects = mb_effects_.data();
    batch_.event_count = static_cast<unsigned>(events.size());
    socket_->b_transport(payload_, *ahead);
  } else {
    *ahead += period_;
  }
  if (commits.count != 0) {
    result_.commits += commits.count;
    ++result_.commit_cycles;
    if (!scoreboard_->Expect(cycle, commits, effects_.data())) {
      return Stop(cycle, *scoreboard_->mismatch());
    }
  }
  if (config_.mbarrier && !mb_checker_->Compare(cycle, in, out, mb_effects_.data())) {
    return Stop(cycle, *mb_checker_->mismatch());
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    driver_.OnMbEvent(mb_checker_->CycleOf(events[i], cycle), events[i], mb_effects_[i]);
  }
  for (unsigned i = 0; i < commits.count; ++i) {
    driver_.OnCommit(cycle, commits.operations[i], effects_[i]);
  }
  if (log_) {
    Log(cycle);
  }
  if (options_.cover != nullptr) {
    options_.cover->Observe(cycle, in, out, commits, effects_.data(), golden_.model());
    options_.cover->Observe(cycle, in, out, events, mb_effects_.data());
  }
  Count(out);
  return scoreboard_->Compare(cycle, in, out) || Stop(cycle, *scoreboard_->mismatch());
}

void Station::Log(std::uint64_t cycle) {
  const std::vector<MbEvent>& events = mb_checker_->events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    log_->Write(mb_checker_->CycleOf(events[i], cycle), events[i], mb_effects_[i]);
  }
  const Commits& commits = monitor_->commits();
  for (unsigned i = 0; i < commits.count; ++i) {
    log_->Write(cycle, commits.operations[i], effects_[i]);
  }
}

void Station::Count(const Outputs& out) {
  result_.releases += static_cast<std::uint64_t>(out.released != 0);
  result_.faults += static_cast<std::uint64_t>(__builtin_popcount(out.fault_valid));
  const MbOutputs& mb = out.mb;
  result_.mb_commits += static_cast<std::uint64_t>(mb.commit_valid);
  result_.mb_turns += static_cast<std::uint64_t>(mb.commit_valid && mb.commit.turned);
  result_.mb_faults += static_cast<std::uint64_t>(mb.fault_valid);
  if ((mb.wake | mb.expire) != 0) {
    result_.mb_wakes += static_cast<std::uint64_t>(__builtin_popcountll(mb.wake));
    result_.mb_expiries += static_cast<std::uint64_t>(__builtin_popcountll(mb.expire));
  }
}

bool Station::Stop(std::uint64_t cycle, const Mismatch& mismatch) {
  if (result_.ending != Ending::kMismatch) {
    result_.ending = Ending::kMismatch;
    result_.what = mismatch.field;
    result_.report = Report(config_, options_, cycle, number_, mismatch,
                            {golden_.model(), golden_.mbarriers(), *scoreboard_, *mb_checker_});
  }
  return false;
}

// All units, cycle by cycle.
class Harness : public sc_core::sc_module {
 public:
  Harness(const sc_core::sc_module_name& name, const Config& config,
          std::vector<std::unique_ptr<Dut>> duts, const std::vector<Driver*>& drivers,
          const Options& options)
      : sc_core::sc_module(name), options_(options), period_(kCycleNs, sc_core::SC_NS) {
    for (std::size_t i = 0; i < drivers.size(); ++i) {
      stations_.push_back(std::make_unique<Station>(
          fmt::format("unit{}", i).c_str(), config, std::move(duts[i]), drivers[i], options_,
          drivers.size() > 1 ? static_cast<int>(i) : -1, &result_));
    }
    running_.assign(drivers.size(), true);
    SC_HAS_PROCESS(Harness);
    SC_THREAD(Loop);
    set_stack_size(kStackBytes);
  }

  Result Finish() {
    result_.cycles = cycle_;
    for (const auto& station : stations_) {
      station->Finish();
    }
    return std::move(result_);
  }

 private:
  void Loop() {
    const std::clock_t start = std::clock();
    auto told = std::chrono::steady_clock::now();
    bool running = true;
    while (running) {
      for (unsigned i = 0; i < kQuantum && running; ++i) {
        running = options_.checked ? CheckedCycle() : UncheckedCycle();
        ++cycle_;
      }
      wait(ahead_);
      ahead_ = sc_core::SC_ZERO_TIME;
      if (const auto now = std::chrono::steady_clock::now();
          options_.progress && running && now - told >= options_.progress_every) {
        told = now;
        options_.progress(cycle_, result_.commits + result_.mb_commits);
      }
    }
    result_.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  // Runs one cycle. False: it was the last.
  bool UncheckedCycle() {
    ahead_ += period_;
    if (cycle_ >= options_.max_cycles) {
      result_.ending = Ending::kMaxCycles;
      return false;
    }
    bool any = false;
    for (const auto& station : stations_) {
      any = station->DriveUnchecked(cycle_) || any;
    }
    for (std::size_t i = 0; i < stations_.size() && any; ++i) {
      any = stations_[i]->ClockUnchecked(cycle_);
    }
    return any;
  }

  bool CheckedCycle() {
    const bool enough = Enough();
    bool any = false;
    for (std::size_t i = 0; i < stations_.size(); ++i) {
      running_[i] = running_[i] && stations_[i]->Drive(cycle_, enough);
      any = any || running_[i];
    }
    if (!any || result_.ending == Ending::kMismatch) {
      return false;
    }
    const sc_core::sc_time before = ahead_;
    bool good = true;
    for (std::size_t i = 0; i < stations_.size() && good; ++i) {
      if (running_[i]) {
        ahead_ = before;
        good = stations_[i]->Clock(cycle_, &ahead_);
      }
    }
    return good;
  }

  bool Enough() const {
    return cycle_ >= options_.max_cycles &&
           (result_.commits >= options_.min_commits || cycle_ >= 4 * options_.max_cycles);
  }

  const Options& options_;
  sc_core::sc_time period_;
  std::vector<std::unique_ptr<Station>> stations_;
  std::vector<bool> running_;
  sc_core::sc_time ahead_;  // local time, ahead of SystemC's
  std::uint64_t cycle_ = 0;
  Result result_;
};

}  // namespace

Result Run(const Config& config, Driver& driver, const Options& options) {
  return Run(config, std::vector<Driver*>{&driver}, options);
}

Result Run(const Config& config, const std::vector<Driver*>& drivers, const Options& options) {
  Result result;
  result.ending = Ending::kError;
  if (!options.wave.empty() && !Writable(options.wave)) {
    result.report = fmt::format("{}: the waveform cannot be written there", options.wave);
    return result;
  }
  std::vector<std::unique_ptr<Dut>> duts;
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    duts.push_back(options.make_dut ? options.make_dut() : MakeDut(config, options.power_up));
    if (duts.back() == nullptr) {
      result.report =
          fmt::format("{}: this program was built without the configuration", config.name);
      return result;
    }
  }
  // SystemC prints its copyright where results belong.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  const FreshContext context;
  Harness harness("harness", config, std::move(duts), drivers, options);
  sc_core::sc_start();
  return harness.Finish();
}

}  // namespace muster::lockstep
