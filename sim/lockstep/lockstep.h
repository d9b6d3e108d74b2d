// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The lockstep check: the Verilated unit and the golden model side by side, compared in every
// cycle. One call runs one unit from reset to the end of its stimulus.
#ifndef MUSTER_SIM_LOCKSTEP_LOCKSTEP_H_
#define MUSTER_SIM_LOCKSTEP_LOCKSTEP_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/power_up.h"
#include "sim/port/driver.h"

namespace muster::lockstep {

class Cover;
class Dut;
class WarpDut;

// The clock edges that are left out.
enum class Gating : std::uint8_t {
  kNone,
  kMbarriers,  // of mb_clk_i, in cycles in which mb_idle_o is high
  kUnit,       // and of clk_i, in cycles in which idle_o is high
};

struct Options {
  std::uint64_t seed = 1;                // only named in reports; a driver has its own
  PowerUp power_up;                      // of the Verilated unit
  std::uint64_t max_cycles = 1'000'000;  // that are run; those that are skipped do not count
  bool skips = true;  // what Driver::SleepsUntil allows; needs the unit's pin mb_stopped_ns_i
  Gating gates = Gating::kNone;
  bool lazy = false;  // cycles in which the unit, or its mbarriers, are idle are not run where
                      // nothing would differ
  std::uint64_t min_commits = 0;  // a run goes on beyond max_cycles for these, up to eightfold
  std::string wave;  // an FST file, or empty; files.h names those of other units and scopes
  std::uint64_t wave_from = 0;  // the cycles that it shows
  std::uint64_t wave_to = std::numeric_limits<std::uint64_t>::max();
  std::string log;  // a JSONL log of the commits, or empty
  // Returns what the log says of a line of the driver's program, as the text of a JSON object.
  std::function<std::string(std::uint32_t line)> place;
  bool checked = true;     // false: only the Verilated unit runs, with its assertions, as fast as
                           // it can; the driver is not told of commits
  std::string rerun;       // the command line that repeats this run, for reports
  Cover* cover = nullptr;  // counts functional cover points, if there
  // Told of the cycle and of the commits so far, every so many seconds of a run that takes long.
  std::function<void(std::uint64_t cycle, std::uint64_t commits)> progress;
  std::chrono::seconds progress_every{10};
  std::function<std::unique_ptr<Dut>()>
      make_dut;  // makes a unit, out of reset; empty: the Verilated one
  std::function<std::unique_ptr<WarpDut>()> make_warp_dut;  // likewise a warp scope beside it
};

enum class Ending {
  kDone,  // the driver had nothing left
  kMaxCycles,
  kMismatch,  // the unit and the golden model differ, or a handshake broke a rule
  kError,     // nothing has run, or the unit is out of reach: see report
};

// The waits for the unit. Cycles that the unit cannot influence do not count (rtl/WAITS.md).
enum Wait : unsigned {
  kIssueWait,     // valid to ready at an issue port, the warp not busy
  kCommitWait,    // acceptance to commit, no drain in between
  kDrainWait,     // acknowledge of a drain to commit
  kLaunchWait,    // launch: valid to commit
  kOpenWait,      // open: likewise
  kJoinWait,      // join: likewise
  kLeaveWait,     // suspend, end: valid, or the last commit that it waits for, to commit
  kExitWait,      // exit: likewise
  kResponseWait,  // commit to response valid
  kNumWaits,
};
inline constexpr std::array<const char*, kNumWaits> kWaitNames = {
    "issue", "commit", "drain", "launch", "open", "join", "leave", "exit", "response"};
using Waits = std::array<std::uint64_t, kNumWaits>;  // in cycles

// The waits for the shared-memory scope. Cycles in which the memory stalls or a response is not
// taken do not count (rtl/WAITS.md).
enum MbWait : unsigned {
  kMbIssueWait,   // valid to ready at the issue port, no group of the warp on its way
  kMbOtherWait,   // valid to ready of a copy engine or another CTA
  kMbCommitWait,  // acceptance to commit of the last lane, no drain in between
  kMbDrainWait,   // acknowledge of a drain to that commit
  kNumMbWaits,
};
inline constexpr std::array<const char*, kNumMbWaits> kMbWaitNames = {"mb issue", "mb other",
                                                                      "mb commit", "mb drain"};
using MbWaits = std::array<std::uint64_t, kNumMbWaits>;  // in cycles

struct Result {
  Ending ending = Ending::kDone;
  std::uint64_t cycles = 0;       // those that were skipped included
  std::uint64_t skipped = 0;      // of these cycles, those that were not run
  std::uint64_t gated = 0;        // cycles that were run without a clock edge
  std::uint64_t mb_gated = 0;     // cycles of units that were run without an edge of mb_clk_i
  std::uint64_t left_out = 0;     // cycles of units that were not run, being idle
  std::uint64_t mb_left_out = 0;  // cycles that only their mbarriers were not run, being idle
  std::uint64_t resets = 0;
  std::uint64_t commits = 0;
  std::uint64_t commit_cycles = 0;  // in which something committed
  std::uint64_t releases = 0;       // completions that released at least one warp
  std::uint64_t faults = 0;
  // Of the shared-memory scope.
  std::uint64_t mb_commits = 0;
  std::uint64_t mb_phases = 0;
  std::uint64_t mb_wakes = 0;     // warps
  std::uint64_t mb_expiries = 0;  // likewise
  std::uint64_t mb_faults = 0;
  // Of the warp scopes beside the units.
  std::uint64_t warp_requests = 0;       // accepted
  std::uint64_t warp_lanes = 0;          // that came with these, and did not just exit
  std::uint64_t atomic_updates = 0;      // of the atomics beside the units
  std::uint64_t fence_drains = 0;        // that the trackers beside the units have acknowledged
  std::uint64_t cluster_operations = 0;  // of the cluster scope: requests, operations sent, cancels
  Waits waits{};                         // the longest seen
  MbWaits mb_waits{};
  double seconds = 0;                 // of the processor, for the cycles alone
  std::string what;                   // the field of a mismatch
  std::string report;                 // the text of a mismatch or an error
  std::vector<std::string> untraced;  // waveforms not written: their units ended before wave_from

  // A file could not be written, says the sentence (empty: it could). The run ends in an error; if
  // it has ended in a mismatch, its report gets the sentence as well.
  void NotWritten(const std::string& sentence);
};

// Runs a unit of `config` for each driver, side by side, until all drivers have finished,
// max_cycles have run, or the first mismatch. Units share nothing: data pass from one to another
// only between the drivers. Several runs in one process are allowed, one after the other.
Result Run(const Config& config, const std::vector<Driver*>& drivers, const Options& options);
Result Run(const Config& config, Driver& driver, const Options& options);  // one unit

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_LOCKSTEP_H_
