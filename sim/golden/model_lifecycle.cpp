// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The life of a CTA: its slot, and its warps' first moment. How warps end is in model.cpp, since an
// exit may complete a barrier.
#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"

namespace muster::golden {

// Launch and open. The CTA scheduler chooses the warps of a launch: it never names one that is live
// or that the unit lacks. An open names none.
FaultCause Model::JudgeLaunch(const Operation& operation) const {
  const bool launch = operation.kind == OpKind::kLaunch;
  const unsigned least = launch ? Ones(operation.warps) : 1;  // the least size
  if (operation.cta >= config_.num_ctas || ctas_[operation.cta].resident || least == 0 ||
      operation.size < least || operation.size > config_.num_warps) {
    return FaultCause::kBadLaunch;
  }
  return FaultCause::kNone;
}

// The CTA is resident.
FaultCause Model::JudgeJoin(const Operation& operation) const {
  const Cta& cta = ctas_[operation.cta];
  if (cta.to_join == 0 || operation.warp >= config_.num_warps ||
      (cta.live & Bit(operation.warp)) != 0 || operation.lanes == 0) {
    return FaultCause::kBadJoin;
  }
  return FaultCause::kNone;
}

void Model::Launch(const Operation& operation) {
  Cta& cta = ctas_[operation.cta];
  cta.resident = true;
  cta.size = operation.size;
  cta.live = operation.warps;
  live_ |= operation.warps;
  for (WarpSet left = operation.warps; left != 0; left &= left - 1) {
    warps_[First(left)] = Warp();
    warps_[First(left)].lanes = LanesOfWarp();
  }
}

void Model::Open(const Operation& operation) {
  Cta& cta = ctas_[operation.cta];
  cta.resident = true;
  cta.size = operation.size;
  cta.to_join = operation.size;
}

void Model::Join(const Operation& operation) {
  Cta& cta = ctas_[operation.cta];
  const WarpSet self = Bit(operation.warp);
  --cta.to_join;
  cta.live |= self;
  live_ |= self;
  warps_[operation.warp] = Warp();
  warps_[operation.warp].lanes = operation.lanes;
  // Arrivals of a warp that had the slot before, and has exited, still count, but are not this
  // warp's.
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    Barrier& barrier = cta.bars.at(bar);
    barrier.former += TimesArrived(operation.cta, bar, operation.warp);
    barrier.came &= ~self;
    barrier.announced &= ~self;
    again_[operation.cta][bar][operation.warp] = 0;
  }
}

// Suspend or end: the slot is empty again, its warps wait no longer, and none is to join.
void Model::Leave(const Operation& operation, Effects* effects) {
  Cta& cta = ctas_[operation.cta];
  if (operation.kind == OpKind::kEnd) {
    for (const Barrier& barrier : cta.bars) {
      if (barrier.kind != BarKind::kIdle) {
        effects->hazards |= HazardBit(Hazard::kUnfinishedBarrier);
      }
    }
  }
  live_ &= ~cta.live;
  waiting_ &= ~cta.live;
  apart_ &= ~cta.live;
  cta = Cta();
}

}  // namespace muster::golden
