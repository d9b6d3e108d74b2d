// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The SystemC side of the lockstep: loosely timed, temporally decoupled, no clock. One thread runs
// the unit for a quantum of cycles before it waits; what commits goes to the golden model by
// b_transport.
#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>

#include "sim/golden/golden_tlm.h"
#include "sim/golden/log.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/monitor.h"
#include "sim/lockstep/report.h"
#include "sim/lockstep/scoreboard.h"

// libsystemc wants one; programs here have a main of their own.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

namespace muster::lockstep {
namespace {

constexpr unsigned kQuantum = 500;             // cycles between two waits
constexpr unsigned kStackBytes = 1024 * 1024;  // an FST dump is deep
constexpr std::uint64_t kSweepPeriod = 1024;   // cycles; a power of two
constexpr std::uint64_t kQuietCycles = 8;      // after the last commit, before the last sweep
constexpr std::uint64_t kLongestDrain = 10'000;

// A second elaboration in one process needs a simulation context of its own.
class FreshContext {
 public:
  FreshContext() : context_(std::make_unique<sc_core::sc_simcontext>()) {
    sc_core::sc_curr_simcontext = context_.get();
    sc_core::sc_default_global_context = context_.get();
  }
  FreshContext(const FreshContext&) = delete;
  FreshContext& operator=(const FreshContext&) = delete;
  ~FreshContext() {
    sc_core::sc_curr_simcontext = nullptr;
    sc_core::sc_default_global_context = nullptr;
  }

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

class Harness : public sc_core::sc_module {
 public:
  Harness(const sc_core::sc_module_name& name, const Config& config, std::unique_ptr<Dut> dut,
          Driver* driver, const Options& options)
      : sc_core::sc_module(name),
        config_(config),
        options_(options),
        driver_(*driver),
        dut_(std::move(dut)),
        period_(kCycleNs, sc_core::SC_NS),
        golden_("golden", config, period_),
        socket_("socket"),
        monitor_(config),
        scoreboard_(config, golden_.model()) {
    socket_.bind(golden_.socket);
    batch_.effects = effects_.data();
    batch_.operations = monitor_.commits().operations.data();
    golden::Prepare(&batch_, &payload_);
    if (!options.log.empty()) {
      log_ = std::make_unique<golden::LogWriter>(options.log, config.name, options.seed);
    }
    SC_HAS_PROCESS(Harness);
    SC_THREAD(Loop);
    set_stack_size(kStackBytes);
  }

  Result Finish() {
    result_.cycles = cycle_;
    result_.waits = monitor_.waits();
    result_.waits[kResponseWait] = scoreboard_.longest_response();
    if (log_ && !log_->Close()) {
      result_.ending = Ending::kError;
      result_.report = log_->error();
    }
    return std::move(result_);
  }

 private:
  void Loop() {
    const std::clock_t start = std::clock();
    bool running = true;
    while (running) {
      for (unsigned i = 0; i < kQuantum && running; ++i) {
        running = options_.checked ? CheckedCycle() : UncheckedCycle();
        ++cycle_;
      }
      wait(ahead_);
      ahead_ = sc_core::SC_ZERO_TIME;
    }
    result_.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    dut_->CloseTrace();
  }

  // Runs one cycle. False: it was the last.
  bool UncheckedCycle() {
    ahead_ += period_;
    if (cycle_ >= options_.max_cycles) {
      result_.ending = Ending::kMaxCycles;
      return false;
    }
    if (!driver_.Drive(cycle_, dut_->out, &dut_->in)) {
      return false;
    }
    Trace();
    dut_->Settle();
    dut_->Clock();
    return Asserted();
  }

  bool CheckedCycle() {
    if (!Drive()) {
      return false;
    }
    if (cycle_ % kSweepPeriod == kSweepPeriod - 1) {
      scoreboard_.StartSweep();
    }
    if (scoreboard_.Sweeping()) {
      scoreboard_.Address(&dut_->in);
    }
    Trace();
    dut_->Settle();
    dut_->Clock();
    const bool good = Check();  // of what was settled
    return Asserted() && good;
  }

  // The unit's own assertions hold.
  bool Asserted() {
    return AssertionFailure().empty() || Stop({"assertion", "fails", AssertionFailure()});
  }

  void Trace() {
    if (options_.wave.empty()) {
      return;
    }
    if (cycle_ == options_.wave_from) {
      dut_->OpenTrace(options_.wave, cycle_);
    } else if (cycle_ == options_.wave_to + 1) {
      dut_->CloseTrace();
    }
  }

  bool Enough() const {
    return cycle_ >= options_.max_cycles &&
           (result_.commits >= options_.min_commits || cycle_ >= 4 * options_.max_cycles);
  }

  // Sets the pins: the driver's, and, when it has nothing left, such that the unit runs empty.
  // False: it is, and what remains in it was looked at.
  bool Drive() {
    Inputs& in = dut_->in;
    if (driving_) {
      if (Enough()) {
        result_.ending = Ending::kMaxCycles;
        driving_ = false;
      } else {
        driving_ = driver_.Drive(cycle_, dut_->out, &in);
      }
      if (driving_) {
        return true;
      }
      drain_from_ = cycle_;
      quiet_from_ = cycle_;
    }
    in.issue_valid &= static_cast<std::uint8_t>(~dut_->out.issue_ready);
    in.lifecycle_valid = in.lifecycle_valid && !dut_->out.lifecycle_ready;
    in.fence_ack = ~std::uint64_t{0};
    in.response_ready = true;
    if (!monitor_.Idle() || scoreboard_.ResponsesOutstanding()) {
      quiet_from_ = cycle_ + 1;
      return cycle_ < drain_from_ + kLongestDrain ||
             Stop({"commit", "an operation never commits", "each accepted operation commits"});
    }
    if (cycle_ == quiet_from_ + kQuietCycles) {
      scoreboard_.StartSweep();
    }
    return cycle_ < quiet_from_ + 2 * kQuietCycles || scoreboard_.Sweeping();
  }

  bool Check() {
    const Inputs& in = dut_->in;
    const Outputs& out = dut_->out;
    if (!monitor_.Check(cycle_, in, out)) {
      return Stop(*monitor_.mismatch());
    }
    const Commits& commits = monitor_.commits();
    if (commits.count != 0) {
      batch_.count = commits.count;
      socket_->b_transport(payload_, ahead_);
      result_.commits += commits.count;
      ++result_.commit_cycles;
      if (!scoreboard_.Expect(cycle_, commits, effects_.data())) {
        return Stop(*scoreboard_.mismatch());
      }
      for (unsigned i = 0; i < commits.count; ++i) {
        driver_.OnCommit(cycle_, commits.operations[i], effects_[i]);
        if (log_) {
          log_->Write(cycle_, commits.operations[i], effects_[i]);
        }
      }
    } else {
      ahead_ += period_;
    }
    if (options_.cover != nullptr) {
      options_.cover->Observe(cycle_, in, out, commits, effects_.data(), golden_.model());
    }
    result_.releases += static_cast<std::uint64_t>(out.released != 0);
    result_.faults += static_cast<std::uint64_t>(__builtin_popcount(out.fault_valid));
    return scoreboard_.Compare(cycle_, in, out) || Stop(*scoreboard_.mismatch());
  }

  // Ends the run with a mismatch, unless it has ended with one already.
  [[gnu::cold]] bool Stop(const Mismatch& mismatch) {
    if (result_.ending != Ending::kMismatch) {
      result_.ending = Ending::kMismatch;
      result_.what = mismatch.field;
      result_.report = Report(config_, options_, cycle_, mismatch, golden_.model(), scoreboard_);
    }
    return false;
  }

  const Config config_;
  const Options& options_;
  Driver& driver_;
  std::unique_ptr<Dut> dut_;
  sc_core::sc_time period_;
  golden::Target golden_;
  tlm_utils::simple_initiator_socket<Harness> socket_;
  Monitor monitor_;
  Scoreboard scoreboard_;
  std::unique_ptr<golden::LogWriter> log_;

  tlm::tlm_generic_payload payload_;
  golden::Batch batch_;
  std::array<golden::Effects, kMaxIssue> effects_;

  sc_core::sc_time ahead_;  // local time, ahead of SystemC's
  std::uint64_t cycle_ = 0;
  bool driving_ = true;
  std::uint64_t drain_from_ = 0;
  std::uint64_t quiet_from_ = 0;
  Result result_;
};

bool Writable(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  return file != nullptr && std::fclose(file) == 0;
}

}  // namespace

Result Run(const Config& config, Driver& driver, const Options& options) {
  Result result;
  result.ending = Ending::kError;
  if (!options.wave.empty() && !Writable(options.wave)) {
    result.report = fmt::format("{}: the waveform cannot be written there", options.wave);
    return result;
  }
  std::unique_ptr<Dut> dut = MakeDut(config);
  if (dut == nullptr) {
    result.report =
        fmt::format("{}: this program was built without the configuration", config.name);
    return result;
  }
  // SystemC prints its copyright where results belong.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  const FreshContext context;
  Harness harness("harness", config, std::move(dut), &driver, options);
  sc_core::sc_start();
  return harness.Finish();
}

}  // namespace muster::lockstep
