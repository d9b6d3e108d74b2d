// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The stimulus of the bench for an mbarrier: every source at one word in every cycle, and warps
// that park before its phase completes. Both take their figures from the pins.
#ifndef MUSTER_TB_BENCH_STORM_H_
#define MUSTER_TB_BENCH_STORM_H_

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/port/bank.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"

namespace muster::bench {

// A CTA of all warps, a memory that grants at once, and the steps up to the first arrival.
class MbStimulus : public lockstep::Driver, private lockstep::Bank::Words {
 public:
  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) final;
  void Serve(const Outputs& seen, Inputs* inputs) final { bank_.Cycle(seen.mb, &inputs->mb); }

 protected:
  MbStimulus(const Config& config, std::uint32_t count) : config_(config), count_(count) {}

  // An operation of a warp, all of whose lanes name the word, or what the other sources have.
  MbOperation At(MbOp op, MbSource source, unsigned warp, std::uint32_t operand) const;
  // From the cycle on in which the word is initialised.
  virtual bool Go(std::uint64_t cycle, const MbOutputs& seen, MbInputs* mb) = 0;

  const Config config_;

 private:
  std::uint64_t Load(MbPlace place) override { return words_[{place.cta, place.addr}]; }
  void Store(MbPlace place, std::uint64_t word) override { words_[{place.cta, place.addr}] = word; }

  const std::uint32_t count_;
  std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> words_;
  lockstep::Bank bank_{this, 0};
  unsigned step_ = 0;
  std::uint64_t from_ = 0;
};

// Warps arrive, copy engines complete transactions that other CTAs expect, all at one word and as
// fast as the ports take them. The phase does not complete.
class Storm final : public MbStimulus {
 public:
  Storm(const Config& config, std::uint64_t cycles);

  double updates_per_cycle() const {
    return static_cast<double>(commits_) / static_cast<double>(cycles_);
  }
  std::uint64_t worst_wait() const { return worst_wait_; }  // at any of the three ports, in cycles

 private:
  bool Go(std::uint64_t cycle, const MbOutputs& seen, MbInputs* mb) override;

  const std::uint64_t cycles_;
  std::uint64_t until_ = 0;
  std::uint64_t commits_ = 0;
  std::array<std::uint64_t, 3> since_{};  // valid, by source
  std::uint64_t worst_wait_ = 0;
};

// All warps but one park; then the last one's arrival completes the phase.
class WakeUp final : public MbStimulus {
 public:
  explicit WakeUp(const Config& config) : MbStimulus(config, 1) {}

  // From the commit that completes the phase to the wake-up of them all.
  std::uint64_t latency() const { return woken_ - completed_; }
  bool done() const { return woken_ != 0; }

 private:
  bool Go(std::uint64_t cycle, const MbOutputs& seen, MbInputs* mb) override;

  unsigned next_ = 1;        // warp
  std::uint64_t alone_ = 0;  // the cycle in which the last one comes
  std::uint64_t completed_ = 0;
  std::uint64_t woken_ = 0;
};

}  // namespace muster::bench

#endif  // MUSTER_TB_BENCH_STORM_H_
