// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/bench/traffic.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/state_word.h"

namespace muster::bench {
namespace {

constexpr unsigned kCtaWarps = 4;          // of most CTAs
constexpr unsigned kMeet = 4;              // rounds, in one of which no warp runs ahead
constexpr unsigned kSpare = kNumBars - 1;  // the barrier of asides
constexpr unsigned kRounds = 150;          // of a CTA, at least; twice as many at most
constexpr std::uint32_t kAllLanes = 0xffffffff;

}  // namespace

// The warps are dealt out to the CTAs in turn, and the first CTA gets twice as many.
Traffic::Traffic(const Config& config, std::uint64_t seed)
    : config_(config),
      random_(seed),
      ctas_(std::min(config.num_ctas, config.num_warps / kCtaWarps)),
      free_slots_(Bit(config.num_ctas) - 1) {
  const auto count = static_cast<unsigned>(ctas_.size());
  for (unsigned warp = 0; warp < config.num_warps; ++warp) {
    Warp& self = warps_[warp];
    self.cta = warp % (count + 1) % count;
    self.index = ctas_[self.cta].size++;
    ctas_[self.cta].warps |= Bit(warp);
  }
  for (Cta& cta : ctas_) {
    Launch(&cta);
  }
}

bool Traffic::Drive(std::uint64_t /*cycle*/, const Outputs& seen, Inputs* inputs) {
  inputs->fence_ack = ~random_.Sparse(config_.drain ? 4 : kMaxWarps);
  inputs->response_ready = !random_.OneIn(16);
  DriveExits(seen, inputs);
  DriveLifecycle(seen, inputs);
  DriveIssue(seen, inputs);
  return true;
}

// ------------------------------------------------------------------------------------------------
// The issue ports
// ------------------------------------------------------------------------------------------------

void Traffic::DriveIssue(const Outputs& seen, Inputs* inputs) {
  const unsigned fired = inputs->issue_valid & seen.issue_ready;
  for (unsigned left = fired; left != 0; left &= left - 1) {
    const Operation& operation = inputs->issue[First(left)];
    flying_ |= Bit(operation.warp);
    waiting_ |= IsWaiting(operation.kind) ? Bit(operation.warp) : 0;
  }
  std::uint64_t done = seen.released;
  waiting_ &= ~seen.released;
  for (unsigned left = seen.commit_valid; left != 0; left &= left - 1) {
    const std::uint64_t warp = Bit(seen.commit_warp[First(left)]);
    flying_ &= ~warp;
    done |= warp & ~waiting_;
  }
  Done(done);

  inputs->issue_valid &= static_cast<std::uint8_t>(~fired);
  std::uint64_t companions = 0;  // warps of the CTA at the port before
  for (unsigned port = 0; port < config_.num_issue; ++port) {
    Operation& operation = inputs->issue[port];
    if ((inputs->issue_valid >> port & 1) == 0 && ready_ != 0) {
      const unsigned warp = PickWarp(companions);
      ready_ &= ~Bit(warp);
      operation = Next(warp);
      inputs->issue_valid |= static_cast<std::uint8_t>(1U << port);
    }
    companions = ctas_[warps_[operation.warp].cta].warps;
  }
}

// Warps of one CTA like to come together: their arrivals may be merged.
unsigned Traffic::PickWarp(std::uint64_t companions) {
  const std::uint64_t preferred = random_.OneIn(4) ? 0 : ready_ & companions;
  return random_.Bit(preferred != 0 ? preferred : ready_);
}

// These warps go on.
void Traffic::Done(std::uint64_t warps) {
  for (; warps != 0; warps &= warps - 1) {
    const unsigned warp = First(warps);
    const Cta& cta = ctas_[warps_[warp].cta];
    const unsigned round = warps_[warp].step / 2;
    if (round + (warps_[warp].index == cta.leaver ? 1 : 0) > cta.rounds) {
      Exit(warp);
    } else {
      ready_ |= Bit(warp);
    }
  }
}

Operation Traffic::Next(unsigned warp) {
  Warp& self = warps_[warp];
  Cta& cta = ctas_[self.cta];
  Operation operation;
  operation.cta = static_cast<std::uint8_t>(cta.slot);
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.lanes = random_.OneIn(4) ? random_.Word() | 1U : kAllLanes;
  operation.operand = random_.OneIn(2) ? random_.Word() : kAllLanes;
  if (self.step++ % 2 == 0) {
    if (Aside(&cta, self, &operation)) {
      return operation;
    }
    ++self.step;
  }
  Arrive(cta, self, &operation);
  return operation;
}

// Barrier kSpare is that of the CTA's first warp: it restores a reduction there that lacks only
// itself, and completes it in the next round.
bool Traffic::Aside(Cta* cta, const Warp& warp, Operation* operation) {
  if (!config_.state || !config_.reduce) {
    return false;
  }
  operation->bar = kSpare;
  if (cta->restored && warp.index == 0) {
    cta->restored = false;
    operation->kind = OpKind::kRedPopc;
    operation->count = static_cast<std::uint16_t>(cta->size * config_.warp_size);
  } else if (warp.index == 0 && Round(warp) + 1 < cta->rounds && random_.OneIn(64)) {
    cta->restored = true;
    BarState word;
    word.kind = static_cast<unsigned>(BarKind::kPopc);
    word.expected = cta->size;
    word.arrived = cta->size - 1;
    word.value = random_.Below(config_.warp_size);
    operation->kind = OpKind::kR2bBar;
    operation->operand = Encode(word);
  } else if (random_.OneIn(256)) {
    WarpState word;
    word.kind = static_cast<unsigned>(BarKind::kPopc);
    word.bar = kSpare;
    word.value = random_.Below(config_.warp_size);
    operation->kind = OpKind::kR2bWarp;
    operation->operand = Encode(word);
  } else if (random_.OneIn(4)) {
    operation->kind =
        random_.Pick(std::array{OpKind::kB2rResult, OpKind::kB2rBar, OpKind::kB2rWarp});
    if (!Has(config_, operation->kind)) {
      operation->kind = OpKind::kB2rWarp;
    }
    operation->bar = static_cast<std::uint8_t>(random_.Below(kNumBars));
  } else {
    return false;
  }
  return true;
}

// What a round is depends on the program and its number alone, so that all warps agree.
void Traffic::Arrive(const Cta& cta, const Warp& warp, Operation* operation) {
  const unsigned round = Round(warp);
  lockstep::Random form(cta.program + round);
  const bool last = round == cta.rounds;
  const bool counted = !last && form.OneIn(2);
  operation->bar = static_cast<std::uint8_t>(round % kSpare);
  operation->kind = OpKind::kSync;
  if (config_.reduce && form.OneIn(3)) {
    operation->kind = form.Pick(std::array{OpKind::kRedAnd, OpKind::kRedOr, OpKind::kRedPopc});
  } else if (counted && round % kMeet != 0) {
    const unsigned waiting = form.Below(3);  // all of them, every other one, none
    operation->kind = waiting + warp.index % 2 > 1 ? OpKind::kArrive : OpKind::kSync;
  }
  operation->count = static_cast<std::uint16_t>(counted ? cta.size * config_.warp_size : 0);
}

// ------------------------------------------------------------------------------------------------
// The life of a CTA
// ------------------------------------------------------------------------------------------------

void Traffic::Launch(Cta* cta) {
  cta->slot = random_.Bit(free_slots_);
  free_slots_ &= ~Bit(cta->slot);
  cta->program = random_.Next();
  cta->rounds = random_.Between(kRounds, 2 * kRounds);
  cta->leaver = random_.Below(cta->size);
  cta->exited = 0;
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.cta = static_cast<std::uint8_t>(cta->slot);
  launch.size = static_cast<std::uint8_t>(cta->size);
  launch.warps = cta->warps;
  requests_.push_back(launch);
}

// Where lanes exit one by one, half of them go first.
void Traffic::Exit(unsigned warp) {
  const Cta& cta = ctas_[warps_[warp].cta];
  Operation exit;
  exit.kind = OpKind::kExit;
  exit.cta = static_cast<std::uint8_t>(cta.slot);
  exit.warp = static_cast<std::uint8_t>(warp);
  exit.lanes = kAllLanes << config_.warp_size / 2;
  if (config_.lanes && random_.OneIn(2)) {
    exits_.push_back(exit);
  }
  exit.lanes = kAllLanes;
  exits_.push_back(exit);
}

// The last warp's exit ends the CTA.
void Traffic::DriveExits(const Outputs& seen, Inputs* inputs) {
  if (inputs->exit_valid && seen.exit_ready) {
    inputs->exit_valid = false;
    exited_.push_back(inputs->exit);
  }
  if (seen.commit_exit) {
    const Operation exit = exited_.front();
    exited_.pop_front();
    Cta& cta = ctas_[warps_[exit.warp].cta];
    if (exit.lanes == kAllLanes && ++cta.exited == cta.size) {
      Operation end;
      end.kind = OpKind::kEnd;
      end.cta = exit.cta;
      requests_.push_back(end);
    }
  }
  if (!inputs->exit_valid && !exits_.empty()) {
    inputs->exit_valid = true;
    inputs->exit = exits_.front();
    exits_.pop_front();
  }
}

void Traffic::DriveLifecycle(const Outputs& seen, Inputs* inputs) {
  if (inputs->lifecycle_valid && seen.lifecycle_ready) {
    inputs->lifecycle_valid = false;
    accepted_.push_back(inputs->lifecycle);
  }
  if (seen.commit_lifecycle) {
    CommitLifecycle();
  }
  if (!inputs->lifecycle_valid && !requests_.empty()) {
    inputs->lifecycle_valid = true;
    inputs->lifecycle = requests_.front();
    requests_.pop_front();
  }
}

void Traffic::CommitLifecycle() {
  const Operation operation = accepted_.front();
  accepted_.pop_front();
  if (operation.kind != OpKind::kLaunch && operation.kind != OpKind::kEnd) {
    return;
  }
  Cta& cta = *std::find_if(ctas_.begin(), ctas_.end(),
                           [&](const Cta& at) { return at.slot == operation.cta; });
  if (operation.kind == OpKind::kEnd) {
    free_slots_ |= Bit(cta.slot);
    Launch(&cta);
    return;
  }
  for (std::uint64_t left = cta.warps; left != 0; left &= left - 1) {
    warps_[First(left)].step = 0;
  }
  ready_ |= cta.warps;
}

}  // namespace muster::bench
