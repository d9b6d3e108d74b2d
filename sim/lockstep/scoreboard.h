// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Predicts the outputs of the unit from the golden model, and compares them in every cycle.
#ifndef MUSTER_SIM_LOCKSTEP_SCOREBOARD_H_
#define MUSTER_SIM_LOCKSTEP_SCOREBOARD_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/monitor.h"
#include "sim/log/log.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

class Scoreboard {
 public:
  Scoreboard(const Config& config, const golden::Model& model);

  // Takes the operations that commit in this cycle and their effects in the golden model, one
  // Effects for each. Returns false if they cannot commit together; see mismatch().
  bool Expect(std::uint64_t cycle, const Commits& commits, const Effects* effects);

  // Compares the outputs of this cycle. Returns false if they differ; see mismatch().
  bool Compare(std::uint64_t cycle, const Inputs& in, const Outputs& out);

  // Walks the entries of the resident CTAs, and all warps, through the debug read port: Address()
  // is called before a cycle is settled, and Compare() does the rest.
  void StartSweep();
  bool Sweeping() const { return next_entry_ < end_entry_ || next_warp_ < end_warp_; }
  void Address(Inputs* in);
  void ReadNothing() { addressed_ = Addressed(); }  // of what was addressed in this cycle

  bool ResponsesOutstanding() const { return responses_head_ != responses_tail_; }
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  std::uint64_t longest_response() const { return longest_response_; }

  // The latest operations at an entry, if they are not long ago; oldest first.
  std::vector<log::Record> History(unsigned cta, unsigned bar) const;
  std::optional<log::Record> Latest() const;  // of all

 private:
  // The outputs that a cycle must have.
  struct Slot {
    bool any = false;  // false: nothing is expected, and nothing below is meaningful
    bool entry_valid = false;
    std::uint8_t cta = 0;  // of the release, or of the entry written
    std::uint8_t bar = 0;
    BarKind kind = BarKind::kIdle;
    std::uint8_t fault_valid = 0;
    std::uint16_t value = 0;
    std::uint32_t word = 0;
    std::uint64_t released = 0;
    std::array<Outputs::Fault, kMaxIssue + 2> fault;
  };

  struct Response {
    std::uint64_t commit = 0;  // cycle
    std::uint64_t stalls = 0;  // stalls_ then
    std::uint32_t data = 0;
    std::uint8_t warp = 0;
    bool pred = false;
  };

  static constexpr unsigned kSlots = 8;            // more than the longest latency, a power of two
  static constexpr unsigned kResponses = 16;       // more than a unit holds, a power of two
  static constexpr std::uint64_t kRecords = 4096;  // that are kept, a power of two
  static constexpr unsigned kReported = 4;         // records of an entry in a report
  static constexpr unsigned kQuiet = 8;  // cycles in which a commit becomes visible, a power of two

  bool ExpectOne(std::uint64_t cycle, const Operation& operation, unsigned port,
                 const Effects& effects, Slot* slot);
  bool ExpectResponse(std::uint64_t cycle, unsigned warp, const Effects& effects);
  bool CompareSlot(const Slot& slot, const Outputs& out);
  bool CompareRelease(const Slot& slot, const Outputs& out);
  bool CompareFaults(const Slot& slot, const Outputs& out);
  bool CompareResponse(std::uint64_t cycle, const Inputs& in, const Outputs& out);
  bool InTime(std::uint64_t cycle, const Response& response);
  bool CompareDebugReads(std::uint64_t cycle, const Outputs& out);
  bool CompareEntry(std::uint64_t cycle, unsigned entry, const Outputs& out);
  bool CompareWarp(unsigned warp, const Outputs& out);
  [[gnu::cold]] bool Differ(const char* field, std::string unit, std::string golden, int cta = -1,
                            int bar = -1);

  static unsigned EntryOf(unsigned cta, unsigned bar) { return cta * kNumBars + bar; }

  const Config config_;
  const Bounds bounds_;
  const golden::Model& model_;
  std::optional<Mismatch> mismatch_;

  std::array<Slot, kSlots> slots_;  // by cycle, modulo
  // The golden model's, after the latest commit, and the warps that commits have made live, not
  // live, wait or go, by cycle, modulo.
  std::uint64_t live_ = 0;
  std::uint64_t waiting_ = 0;
  std::array<std::uint64_t, kQuiet> moved_{};

  std::array<Response, kResponses> responses_;  // by number, modulo
  unsigned responses_head_ = 0;
  unsigned responses_tail_ = 0;
  std::uint64_t stalls_ = 0;
  std::uint64_t longest_response_ = 0;

  // Debug reads: next to end are still to be addressed; then what was addressed in this cycle, and
  // in the cycle before, which is answered in this one.
  static constexpr unsigned kNone = kMaxCtas * kNumBars;
  struct Addressed {
    unsigned entry = kNone;
    unsigned warp = kNone;
  };
  unsigned next_entry_ = 0;
  unsigned end_entry_ = 0;
  unsigned next_warp_ = 0;
  unsigned end_warp_ = 0;
  Addressed addressed_;
  Addressed answered_;
  std::vector<std::uint64_t> changed_;  // by entry: the cycle of its latest commit

  std::vector<log::Record> records_;  // of the latest commits: in order, it costs little memory
  std::uint64_t kept_ = 0;            // in all; by number, modulo
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_SCOREBOARD_H_
