// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/random_reset.h"

#include "sim/isa/config.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kResetSeed = 0x7265736574;  // its seed differs by this
constexpr unsigned kLongest = 16;                   // between resets are 1 to 2^17 cycles
constexpr unsigned kSoon = 4;                       // below 2^4 cycles
constexpr std::uint64_t kPatience = 20'000;         // cycles that a reset waits for its moment

}  // namespace

RandomReset::RandomReset(const Config& config, const RandomOptions& options)
    : config_(config),
      options_(options),
      random_(options.seed ^ kResetSeed),
      stream_(std::make_unique<RandomDriver>(config, options)) {
  Plan(0);
}

void RandomReset::Plan(std::uint64_t cycle) {
  const unsigned scale = random_.Below(kLongest + 1);
  const unsigned least = 1U << scale;
  from_ = cycle + least + random_.Below(least);
  moment_ = scale < kSoon
                ? Moment::kAny
                : static_cast<Moment>(random_.Below(static_cast<unsigned>(Moment::kNumMoments)));
}

bool RandomReset::Due(std::uint64_t cycle, const Outputs& seen, const Inputs& in) const {
  if (cycle < from_ || cycle > from_ + kPatience) {
    return cycle > from_;
  }
  const bool lifecycle = in.lifecycle_valid && !seen.lifecycle_ready;
  const MbOutputs& mb = seen.mb;
  switch (moment_) {
    case Moment::kDrain:
      return seen.fence_req != 0;
    case Moment::kLaunch:
      return lifecycle && in.lifecycle.kind == OpKind::kLaunch;
    case Moment::kLeave:
      return lifecycle && IsLeave(in.lifecycle.kind);
    case Moment::kJoin:
      return lifecycle && in.lifecycle.kind == OpKind::kJoin;
    case Moment::kExit:
      return in.exit_valid && !seen.exit_ready;
    case Moment::kResponseHeld:
      return seen.response_valid && !in.response_ready;
    case Moment::kMbDrain:
      return mb.fence_req != 0;
    case Moment::kMbRead:
      return mb.read_valid && in.mb.read_ready;
    case Moment::kMbWriteHeld:
      return mb.write_valid && !in.mb.write_ready;
    case Moment::kMbParked:
      return mb.commit_valid && mb.commit.parked;
    case Moment::kMbResponseHeld:
      return mb.response_valid && !in.mb.response_ready;
    default:
      return true;
  }
}

bool RandomReset::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  if (left_ == 0 && Due(cycle, seen, *inputs)) {
    left_ = random_.Percent(50) ? 1 : random_.Between(2, 20);
    options_.seed = random_.Next();
    stream_ = std::make_unique<RandomDriver>(config_, options_);
    // The core's registers may be reset with the unit's, or keep their pins as they are until then.
    if (random_.Percent(50)) {
      *inputs = Inputs();
    }
    inputs->reset = true;
    inputs->mb.rdata_valid = false;  // the memory forgets the read
    return true;
  }
  if (left_ > 1) {
    --left_;
    return true;
  }
  if (left_ == 1) {
    left_ = 0;
    *inputs = Inputs();
    Plan(cycle);
  }
  return stream_->Drive(cycle, seen, inputs);
}

}  // namespace muster::lockstep
