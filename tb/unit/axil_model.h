// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The AXI4-Lite adapter as its page describes it (rtl/adapters/axil/README.md), cycle by cycle:
// from what the bus's manager and the unit show, what the adapter answers.
#ifndef MUSTER_TB_UNIT_AXIL_MODEL_H_
#define MUSTER_TB_UNIT_AXIL_MODEL_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/isa/operation.h"
#include "tb/unit/axil_bus.h"

namespace muster::axil {

struct Sizes {
  unsigned warps = 8, ctas = 2, issue = 1;
  bool reduce = true;
  bool counters = true;
  std::uint32_t features = 0;  // as FEATURES has them
};

struct Fault {
  unsigned port = 0, cause = 0, cta = 0, warp = 0, bar = 0;
  std::uint32_t lanes = 0, address = 0;
};

struct WarpState {
  bool waiting = false, live = false;
  unsigned cta = 0;
};
using WarpStates = std::array<WarpState, kMaxWarps>;

// What the unit shows in a cycle.
struct Shown {
  struct Report {
    unsigned cta = 0, bar = 0;
    std::uint32_t word = 0;
  };
  struct Slot {
    unsigned cta = 0;
    bool taken = false;  // or left
  };
  std::vector<Fault> faults;  // in order
  std::optional<Report> report;
  std::optional<Slot> slot;  // a launch or an end that was not refused has its outcome
  WarpStates warps;          // to whom reads them in this cycle
};

class Model {
 public:
  explicit Model(const Sizes& sizes) : sizes_(sizes) { Reset(); }
  void Reset();

  // What the adapter answers in this cycle. With `rdata` any, a read came too soon after a write of
  // DEBUG_INDEX, or nothing is read.
  const Answers& answers() const { return answers_; }
  bool any_data() const { return any_data_; }

  void Step(const Requests& requests, const Shown& shown);

  // What has been seen: requests answered with SLVERR, faults lost, reads of an entry within two
  // cycles of its report.
  unsigned refused = 0, late_reports = 0;
  std::uint64_t lost_in_all = 0;

 private:
  static constexpr unsigned kLog = 16;
  using PerBar = std::array<std::uint32_t, kNumBars>;

  std::uint32_t Register(std::uint32_t address) const;
  std::uint32_t Counter(std::uint32_t address) const;
  std::uint32_t DebugWarp() const;
  void StepReads(const Requests& requests);
  void StepWrites(const Requests& requests);
  void Write(std::uint32_t address, std::uint32_t data, std::uint32_t mask);
  void StepFaults(const std::vector<Fault>& faults);
  void StepCounters(const Shown& shown, bool frozen);

  Sizes sizes_;
  Answers answers_;
  bool any_data_ = true;

  // The bus.
  std::optional<std::uint32_t> address_held_, read_held_;
  std::uint32_t data_held_ = 0, mask_held_ = 0;
  bool has_data_ = false;
  unsigned read_age_ = 0;
  std::uint32_t counter_ = 0;  // as it was read

  // Registers.
  bool freeze_, clear_counters_, clear_faults_, take_, reads_counter_;
  std::uint32_t pending_, cleared_, enable_, index_, resident_;
  unsigned index_age_;  // cycles for which it has been as it is
  std::deque<Fault> log_;
  std::uint32_t lost_, falling_;  // and those of the last cycle, which are not in it yet
  std::optional<Fault> taken_;
  std::array<std::array<std::uint32_t, kNumBars>, kMaxCtas> entries_;
  std::array<WarpStates, 3> warps_;  // in this cycle, and those before
  unsigned since_report_;            // of the entry that is indexed

  // Counters: arrivals by entry, sums of them by barrier, and what the last cycle's report changes.
  std::array<std::array<std::uint32_t, kNumBars>, kMaxCtas> arrived_;
  PerBar sums_, change_, completes_, completed_, waited_;
};

}  // namespace muster::axil

#endif  // MUSTER_TB_UNIT_AXIL_MODEL_H_
