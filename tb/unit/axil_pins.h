// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The Verilated adapter, and a unit that is there at its observation pins only: entries are
// updated, CTAs come and go, and faults arrive, at random or as a test says.
#ifndef MUSTER_TB_UNIT_AXIL_PINS_H_
#define MUSTER_TB_UNIT_AXIL_PINS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tb/unit/axil_model.h"

namespace muster::axil {

inline constexpr unsigned kLifecycle = 4;  // its port's number in FAULT
inline constexpr unsigned kMbarriers = 5;  // and the first of mbarriers

// What the unit shows to the adapter in a cycle, beside what the model has to know.
struct Pins {
  bool lifecycle_valid = false, lifecycle_ready = false, commit_lifecycle = false;
  unsigned lifecycle_op = 0, lifecycle_cta = 0;
  std::uint32_t debug_word = 0;
  WarpState debug_warp;
};
struct DebugIndex {
  unsigned cta = 0, bar = 0, warp = 0;
};

class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual void Set(bool reset, const Requests& requests, const Pins& pins, const Shown& shown) = 0;
  virtual void Clock() = 0;  // after Set
  virtual Answers Get() const = 0;
  virtual DebugIndex Index() const = 0;
};

// The variants that are Verilated.
struct Variant {
  const char* name;
  Sizes sizes;
  std::unique_ptr<Adapter> (*make)();
};
const std::vector<Variant>& Variants();

class PlayedUnit {
 public:
  PlayedUnit(const Sizes& sizes, std::uint64_t seed) : sizes_(sizes), random_(seed) {}
  void Reset();

  // Of 64 cycles, in how many something happens by itself, on average.
  unsigned updates = 0, lifecycles = 0;
  std::array<unsigned, kMbarriers + 1> faults{};  // by port

  // What a test wants to happen: faults in the next cycle, an update that commits then, and a
  // lifecycle operation (0 launch, 1 open, 2 suspend, 3 end, 4 join) that is accepted then.
  std::vector<Fault> inject;
  std::vector<Shown::Report> update;
  std::vector<std::pair<unsigned, unsigned>> lifecycle;  // operation, CTA

  // The pins of the next cycle; and which entry and warp the adapter reads in it.
  void Begin();
  void End(const DebugIndex& index);
  const Pins& pins() const { return pins_; }
  const Shown& shown() const { return shown_; }

  unsigned most_at_once = 0;  // faults in a cycle

 private:
  struct Entry {
    std::uint32_t word = 0;
    std::uint64_t touched = 0;  // when it was last updated
  };
  struct Outcome {
    std::optional<Shown::Report> report;
    std::optional<Shown::Slot> slot;
    std::optional<Fault> refused;
  };

  unsigned Pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool Happens(unsigned of_64) { return random_() % 64 < of_64; }
  void StepLifecycle();
  Outcome CommitLifecycle();
  std::optional<Shown::Report> Update();
  Shown::Report Put(unsigned cta, unsigned bar, std::uint32_t word);

  Sizes sizes_;
  std::mt19937_64 random_;
  std::uint64_t cycle_ = 8;
  Pins pins_;
  Shown shown_;
  std::array<std::array<Entry, kNumBars>, kMaxCtas> entries_{};
  std::array<bool, kMaxCtas> resident_{};
  std::deque<Outcome> outcomes_{2};  // of the cycles to come
  unsigned wait_ = 0;                // cycles until the lifecycle port may accept an operation
  std::pair<unsigned, unsigned> accepted_;  // operation and CTA of the latest
  DebugIndex index_;
};

}  // namespace muster::axil

#endif  // MUSTER_TB_UNIT_AXIL_PINS_H_
