// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random streams with resets between them: at any moment, soon after the reset before, or during a
// given kind of operation. Core and memory are reset with the unit: a new stream follows.
#ifndef MUSTER_TB_LOCKSTEP_RANDOM_RESET_H_
#define MUSTER_TB_LOCKSTEP_RANDOM_RESET_H_

#include <cstdint>
#include <memory>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "tb/lockstep/random.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {

class RandomReset : public Driver {
 public:
  RandomReset(const Config& config, const RandomOptions& options);

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override {
    stream_->OnCommit(cycle, operation, effects);
  }
  void Serve(const Outputs& seen, Inputs* inputs) override { stream_->Serve(seen, inputs); }
  std::uint64_t SleepsUntil(std::uint64_t cycle) const override {
    return left_ != 0 ? cycle : stream_->SleepsUntil(cycle);
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override {
    stream_->OnMbEvent(cycle, event, effects);
  }

 private:
  // What a reset waits for.
  enum class Moment : std::uint8_t {
    kAny,
    kDrain,
    kLaunch,
    kLeave,
    kJoin,
    kExit,
    kResponseHeld,
    kMbDrain,
    kMbRead,
    kMbWriteHeld,
    kMbParked,
    kMbResponseHeld,
    kNumMoments,
  };

  void Plan(std::uint64_t cycle);
  bool Due(std::uint64_t cycle, const Outputs& seen, const Inputs& in) const;

  const Config config_;
  RandomOptions options_;
  Random random_;
  std::unique_ptr<RandomDriver> stream_;
  Moment moment_ = Moment::kAny;
  std::uint64_t from_ = 0;  // the next reset comes in this cycle at the earliest
  unsigned left_ = 0;       // cycles of the one that is under way
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_RANDOM_RESET_H_
