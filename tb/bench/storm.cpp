// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/bench/storm.h"

#include <algorithm>

#include "sim/isa/config.h"
#include "tb/bench/stimulus.h"

namespace muster::bench {
namespace {

constexpr std::uint32_t kAddr = 0x40;  // of the word
constexpr std::uint32_t kBytes = 16;   // of a transaction
constexpr std::uint64_t kLongWaitNs = 1'000'000;

}  // namespace

MbOperation MbStimulus::At(MbOp op, MbSource source, unsigned warp, std::uint32_t operand) const {
  MbOperation operation;
  operation.op = op;
  operation.source = source;
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.lanes = source == MbSource::kWarp && config_.lanes ? ~std::uint32_t{0} : 1;
  operation.addr = kAddr;
  operation.operand = operand;
  return operation;
}

bool MbStimulus::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  MbInputs& mb = inputs->mb;
  inputs->fence_ack = ~std::uint64_t{0};
  mb.fence_ack = ~std::uint64_t{0};
  bank_.Cycle(seen.mb, &mb);
  switch (step_) {
    case 0:
      inputs->lifecycle_valid = true;
      inputs->lifecycle.kind = OpKind::kLaunch;
      inputs->lifecycle.warps = ~std::uint64_t{0} >> (kMaxWarps - config_.num_warps);
      inputs->lifecycle.size = static_cast<std::uint8_t>(config_.num_warps);
      step_ = 1;
      return true;
    case 1:
      if (seen.lifecycle_ready) {
        inputs->lifecycle_valid = false;
        from_ = cycle + kQuiet + std::uint64_t{2} * config_.num_ctas;
        step_ = 2;
      }
      return true;
    case 2:
      if (cycle == from_) {
        mb.issue_valid = true;
        mb.issue = At(MbOp::kInit, MbSource::kWarp, 0, count_);
        mb.issue.lanes = 1;
        step_ = 3;
      }
      return true;
    case 3:
      if (seen.mb.issue_ready) {
        mb.issue_valid = false;
        from_ = cycle + kQuiet;
        step_ = 4;
      }
      return true;
    default:
      return cycle < from_ || Go(cycle, seen.mb, &mb);
  }
}

Storm::Storm(const Config& config, std::uint64_t cycles)
    : MbStimulus(config, kMaxMbCount), cycles_(cycles) {}

bool Storm::Go(std::uint64_t cycle, const MbOutputs& seen, MbInputs* mb) {
  if (until_ == 0) {
    until_ = cycle + cycles_;
    since_.fill(cycle);
    mb->issue_valid = mb->async_valid = mb->remote_valid = true;
    mb->issue = At(MbOp::kArrive, MbSource::kWarp, 0, 1);
    mb->async = At(MbOp::kCompleteTx, MbSource::kAsync, 0, kBytes);
    mb->remote = At(MbOp::kExpectTx, MbSource::kRemote, 0, kBytes);
    return true;
  }
  const std::array<bool, 3> ready = {seen.issue_ready, seen.async_ready, seen.remote_ready};
  for (unsigned source = 0; source < ready.size(); ++source) {
    if (ready[source]) {
      worst_wait_ = std::max(worst_wait_, cycle - 1 - since_[source]);
      since_[source] = cycle;
    }
  }
  if (seen.issue_ready) {
    mb->issue.warp = static_cast<std::uint8_t>((mb->issue.warp + 1U) % config_.num_warps);
  }
  commits_ += static_cast<std::uint64_t>(seen.commit_valid);
  return cycle < until_;
}

bool WakeUp::Go(std::uint64_t cycle, const MbOutputs& seen, MbInputs* mb) {
  if (mb->issue_valid && seen.issue_ready) {
    mb->issue_valid = false;
  }
  if (seen.commit_valid && seen.commit.completed) {
    completed_ = cycle - 1;
  }
  if (completed_ != 0 && seen.wake != 0) {
    woken_ = cycle - 1;
    return false;
  }
  if (!mb->issue_valid && next_ < config_.num_warps) {
    mb->issue_valid = true;
    mb->issue = At(MbOp::kTryWaitParity, MbSource::kWarp, next_++, kLongWaitNs);
    mb->issue.has_hint = true;
    mb->issue.releasing = false;
    alone_ = cycle + kQuiet;
  } else if (cycle == alone_) {
    mb->issue_valid = true;
    mb->issue = At(MbOp::kArrive, MbSource::kWarp, 0, 1);
    mb->issue.lanes = 1;
  }
  return true;
}

}  // namespace muster::bench
