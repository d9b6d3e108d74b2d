// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/axil_pins.h"

#include <Vaxil_four.h>
#include <Vaxil_odd.h>
#include <Vaxil_one.h>
#include <verilated.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/port/pins.h"
#include "sim/port/structs.h"
#include "tb/unit/clocked.h"

namespace muster::axil {
namespace {

template <class Verilated, unsigned kIssue>
class AdapterOf : public Adapter {
 public:
  void Set(bool reset, const Requests& requests, const Pins& pins, const Shown& shown) override {
    dut_.rst_ni = reset ? 0 : 1;
    SetBus(requests, &dut_);
    dut_.lifecycle_valid_i = pins.lifecycle_valid ? 1 : 0;
    dut_.lifecycle_ready_i = pins.lifecycle_ready ? 1 : 0;
    Operation lifecycle;
    lifecycle.kind =
        static_cast<OpKind>(static_cast<unsigned>(OpKind::kLaunch) + pins.lifecycle_op);
    lifecycle.cta = static_cast<std::uint8_t>(pins.lifecycle_cta);
    sv::lifecycle_t::Put(lifecycle, &dut_.lifecycle_i);
    Outputs unit;
    unit.commit_lifecycle = pins.commit_lifecycle;
    unit.debug_waiting = pins.debug_warp.waiting;
    unit.debug_live = pins.debug_warp.live;
    unit.debug_warp_cta = static_cast<std::uint8_t>(pins.debug_warp.cta);
    unit.entry_valid = shown.report.has_value();
    if (shown.report) {
      unit.entry_cta = static_cast<std::uint8_t>(shown.report->cta);
      unit.entry_bar = static_cast<std::uint8_t>(shown.report->bar);
      unit.entry_word = shown.report->word;
    }
    sv::commit_t::Put(unit, &dut_.commit_i);
    sv::debug_warp_t::Put(unit, &dut_.debug_warp_i);
    dut_.debug_word_i = pins.debug_word;
    dut_.fault_valid_i = 0;
    dut_.mb_fault_valid_i = 0;
    for (const Fault& fault : shown.faults) {
      SetFault(fault);
    }
    dut_.eval();
  }
  void Clock() override { EndCycle(&dut_); }
  Answers Get() const override { return GetBus(dut_); }
  DebugIndex Index() const override {
    return {dut_.debug_cta_o, dut_.debug_bar_o, dut_.debug_warp_o};
  }

 private:
  void SetFault(const Fault& fault) {
    if (fault.port >= kMbarriers) {
      dut_.mb_fault_valid_i = 1;
      MbOutputs::Fault of_word;
      of_word.cause = static_cast<FaultCause>(fault.cause);
      of_word.source = static_cast<MbSource>(fault.port - kMbarriers);
      of_word.warp = static_cast<std::uint8_t>(fault.warp);
      of_word.lanes = fault.lanes;
      of_word.place = {static_cast<std::uint8_t>(fault.cta), fault.address};
      sv::mb_fault_t::Put(of_word, &dut_.mb_fault_i);
      return;
    }
    // One is of the lifecycle port or of the exit port; the other's pins hold something else.
    const bool exits = fault.port == kLifecycle && fault.warp % 2 != 0;
    const unsigned p = fault.port == kLifecycle ? kIssue + (exits ? 1 : 0) : fault.port;
    if (fault.port == kLifecycle) {
      const unsigned other = exits ? kIssue : kIssue + 1;
      Put(other, {fault.port, ~fault.cause, ~fault.cta, ~fault.warp, 0, 0, 0});
    }
    dut_.fault_valid_i |= static_cast<std::uint8_t>(1U << p);
    Put(p, fault);
  }
  void Put(unsigned port, const Fault& fault) {
    Outputs::Fault of_port;
    of_port.cause = static_cast<FaultCause>(fault.cause);
    of_port.cta = static_cast<std::uint8_t>(fault.cta);
    of_port.warp = static_cast<std::uint8_t>(fault.warp);
    of_port.lanes = fault.lanes;
    of_port.bar = static_cast<std::uint8_t>(fault.bar);
    sv::fault_t::Put(of_port, &dut_.fault_i, port * sv::fault_t::kWidth);
  }

  VerilatedContext context_;
  Verilated dut_{&context_};
};

template <class Verilated, unsigned kIssue>
std::unique_ptr<Adapter> Make() {
  return std::make_unique<AdapterOf<Verilated, kIssue>>();
}

// Joins, split phase, drain, faults and mbarriers with their limits are on in all of them.
constexpr std::uint32_t kFeatures = 0xaac;
constexpr std::uint32_t kReduce = 0x1001;  // with copies of the results
constexpr std::uint32_t kCounters = 0x100;
constexpr std::uint32_t kReport = 0x2000;

}  // namespace

const std::vector<Variant>& Variants() {
  static const std::vector<Variant> variants = {
      {"one", {8, 2, 1, true, true, kFeatures | kReduce | kCounters}, Make<Vaxil_one, 1>},
      {"four",
       {64, 32, 4, true, true, kFeatures | kReduce | kCounters | kReport},
       Make<Vaxil_four, 4>},
      // One port without reductions: a fault comes a cycle earlier.
      {"odd", {5, 3, 1, false, false, kFeatures}, Make<Vaxil_odd, 1>},
  };
  return variants;
}

void PlayedUnit::Reset() {
  resident_ = {};
  outcomes_ = std::deque<Outcome>(2);
  wait_ = 0;
  pins_ = {};
  shown_.report.reset();
  shown_.slot.reset();
  shown_.faults.clear();
}

Shown::Report PlayedUnit::Put(unsigned cta, unsigned bar, std::uint32_t word) {
  entries_[cta][bar] = {word, cycle_};
  return {cta, bar, word};
}

// An arrival, a completion, or a word that a restore writes; half of them at the entry that is
// read.
std::optional<Shown::Report> PlayedUnit::Update() {
  if (!update.empty()) {
    const Shown::Report next = update.front();
    update.erase(update.begin());
    return Put(next.cta, next.bar, next.word);
  }
  const bool same = Happens(32);
  const unsigned cta = same ? index_.cta : Pick(sizes_.ctas);
  const unsigned bar = same ? index_.bar : Pick(kNumBars);
  if (!Happens(updates) || cta >= sizes_.ctas || !resident_[cta]) {
    return std::nullopt;
  }
  if (Happens(20)) {
    return Put(cta, bar, 0);
  }
  const unsigned arrived = 1 + Pick(sizes_.warps - 1);
  return Put(cta, bar, (1 + Pick(4)) << 26 | Pick(65) << 19 | arrived << 12 | Pick(2049));
}

// The outcome is refused, or changes the slot.
PlayedUnit::Outcome PlayedUnit::CommitLifecycle() {
  const auto [op, cta] = accepted_;
  const bool launch = op < 2;  // or open
  const bool join = op == 4;
  const bool there = cta < sizes_.ctas && resident_[cta];
  Outcome outcome;
  if (launch ? there || cta >= sizes_.ctas : !there) {
    outcome.refused = Fault{kLifecycle, launch ? 1U : 2U, cta, 0, 0, 0, 0};
  } else if (!join) {
    resident_[cta] = launch;
    outcome.slot = Shown::Slot{cta, launch};
    for (unsigned b = 0; b < kNumBars && launch; ++b) {  // an end clears nothing
      entries_[cta][b].word = 0;
    }
  }
  return outcome;
}

void PlayedUnit::StepLifecycle() {
  pins_.commit_lifecycle = pins_.lifecycle_ready;
  if (pins_.lifecycle_ready) {
    accepted_ = {pins_.lifecycle_op, pins_.lifecycle_cta};
    pins_.lifecycle_valid = pins_.lifecycle_ready = false;
    wait_ = 5;
  } else if (wait_ > 0) {
    --wait_;
  }
  if (!pins_.lifecycle_valid) {
    // Without valid the pins hold anything. The next operation may stand there at once.
    pins_.lifecycle_op = Pick(5);
    pins_.lifecycle_cta = Pick(std::min(kMaxCtas, sizes_.ctas + 1));
    pins_.lifecycle_valid = !lifecycle.empty() || Happens(lifecycles);
    wait_ += pins_.lifecycle_valid ? 1 + Pick(4) : 0;
    if (!lifecycle.empty()) {
      std::tie(pins_.lifecycle_op, pins_.lifecycle_cta) = lifecycle.front();
      lifecycle.erase(lifecycle.begin());
    }
  }
  pins_.lifecycle_ready = pins_.lifecycle_valid && wait_ == 0;
}

void PlayedUnit::Begin() {
  ++cycle_;
  StepLifecycle();
  Outcome outcome;
  if (pins_.commit_lifecycle) {
    outcome = CommitLifecycle();
  } else {
    outcome.report = Update();
  }
  outcomes_.push_back(outcome);
  const std::size_t delay = sizes_.reduce || sizes_.issue > 1 ? 2 : 1;
  const Outcome due = outcomes_[outcomes_.size() - 1 - delay];
  outcomes_.pop_front();
  shown_.report = due.report;
  shown_.slot = due.slot;
  shown_.faults = std::exchange(inject, {});
  const bool injected = !shown_.faults.empty();
  for (unsigned p = 0; p < sizes_.issue && !injected; ++p) {
    if (Happens(faults[p])) {
      shown_.faults.push_back(
          {p, 2 + Pick(9), Pick(32), Pick(64), Pick(16), static_cast<std::uint32_t>(random_()), 0});
    }
  }
  if (due.refused) {
    shown_.faults.push_back(*due.refused);
  }
  if (!injected && Happens(faults[kMbarriers])) {
    shown_.faults.push_back({kMbarriers + Pick(3), 11 + Pick(8), Pick(32), Pick(64), 0,
                             static_cast<std::uint32_t>(random_()),
                             static_cast<std::uint32_t>(random_())});
  }
  most_at_once = std::max(most_at_once, static_cast<unsigned>(shown_.faults.size()));
  WarpState& warp = shown_.warps[Pick(sizes_.warps)];
  warp = {Happens(32), Happens(48), Pick(sizes_.ctas)};
}

void PlayedUnit::End(const DebugIndex& index) {
  index_ = index;
  const Entry& entry = entries_[index.cta][index.bar];
  const bool exact = entry.touched + 1 < cycle_;
  pins_.debug_word = exact ? entry.word : static_cast<std::uint32_t>(random_());
  pins_.debug_warp = shown_.warps[index.warp];
}

}  // namespace muster::axil
