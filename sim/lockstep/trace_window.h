// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A waveform of some cycles of a run.
#ifndef MUSTER_SIM_LOCKSTEP_TRACE_WINDOW_H_
#define MUSTER_SIM_LOCKSTEP_TRACE_WINDOW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/lockstep/wave_guard.h"

namespace muster::lockstep {

// Writes the waveform of a Traced, which has OpenTrace and CloseTrace as Dut has them, from one
// cycle to another.
template <typename Traced>
class TraceWindow {
 public:
  // `path`: the file; empty: none is written. `from`, `to`: the first and the last cycle that it
  // shows.
  TraceWindow(std::string path, std::uint64_t from, std::uint64_t to)
      : path_(std::move(path)), to_(to), next_(path_.empty() ? kNever : from) {}

  // Called in every cycle, before the clock's edge.
  void At(std::uint64_t cycle, Traced* traced) {
    if (cycle >= next_) {
      Change(cycle, traced);
    }
  }

  // Closes the file if it is open.
  void End(Traced* traced) {
    if (guard_) {
      traced->CloseTrace();
      error_ = guard_->Close();
      guard_.reset();
    }
    next_ = kNever;
  }

  const std::string& path() const { return path_; }
  // The file is wanted and was never begun: the run ended before `from`.
  bool missed() const { return !path_.empty() && !begun_; }
  // After End: a sentence that names what went wrong, or nothing.
  const std::string& error() const { return error_; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  [[gnu::cold]] void Change(std::uint64_t cycle, Traced* traced) {
    if (begun_ || cycle > to_) {
      End(traced);
      return;
    }
    guard_ = std::make_unique<WaveGuard>(path_);
    traced->OpenTrace(path_, cycle);
    begun_ = true;
    next_ = to_ == kNever ? kNever : to_ + 1;
  }

  const std::string path_;
  const std::uint64_t to_;
  std::uint64_t next_;  // the cycle in which there is something to do
  std::unique_ptr<WaveGuard> guard_;
  bool begun_ = false;
  std::string error_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_TRACE_WINDOW_H_
