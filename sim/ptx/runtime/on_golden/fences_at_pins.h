// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the tracker that answers fences at its pins with the golden model alone. What it calls an
// epoch, the golden model has as periods.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_FENCES_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_FENCES_AT_PINS_H_

#include <cstdint>
#include <utility>

#include "sim/golden/fence_tracker.h"
#include "sim/isa/bits.h"
#include "sim/port/fence_pins.h"

namespace muster::ptx {

class GoldenFences {
 public:
  explicit GoldenFences(FencePins* pins)
      : model_(kFenceWarps, kAccessClasses, kMost), pins_(pins) {}

  void Clock() {
    const FenceInputs& in = pins_->in;
    std::uint64_t driven = in.request;
    for (const auto* const accesses : {&in.begun, &in.done}) {
      for (const FenceInputs::Access& access : *accesses) {
        driven |= Bit(access.warp);
      }
    }
    // What is driven shows in the cycle after it, too.
    const std::uint64_t changed = driven | std::exchange(driven_, driven);
    ForEachBit(changed, [&](unsigned warp) { Show(warp); });
    for (const FenceInputs::Access& access : in.begun) {
      model_.Begin(access.warp, access.of, access.number, Has(pins_->out.epoch[access.of], access));
    }
    for (const FenceInputs::Access& access : in.done) {
      model_.End(access.warp, access.number);
    }
    ForEachBit(changed, [&](unsigned warp) {
      model_.Request(warp, (in.request >> warp & 1) != 0, NamedBy(warp, in.classes),
                     (pins_->out.acknowledge >> warp & 1) != 0);
    });
  }

 private:
  static constexpr unsigned kMost = 15;

  static bool Has(std::uint64_t warps, const FenceInputs::Access& access) {
    return (warps >> access.warp & 1) != 0;
  }
  static ClassSet NamedBy(unsigned warp, const WarpsByClass& warps) {
    ClassSet classes = 0;
    for (unsigned of = 0; of < kAccessClasses; ++of) {
      classes |= (warps[of] >> warp & 1) != 0 ? 1U << of : 0;
    }
    return classes;
  }
  static void Set(unsigned warp, bool value, std::uint64_t* warps) {
    *warps = value ? *warps | Bit(warp) : *warps & ~Bit(warp);
  }

  void Show(unsigned warp) {
    const FenceInputs& in = pins_->in;
    FenceOutputs& out = pins_->out;
    for (unsigned of = 0; of < kAccessClasses; ++of) {
      Set(warp, !model_.HasRoom(warp, of), &out.full[of]);
      Set(warp, model_.Period(warp, of) % 2 != 0, &out.epoch[of]);
    }
    const ClassSet classes = NamedBy(warp, in.classes);
    Set(warp,
        (NamedBy(warp, in.busy) & classes) == 0 &&
            model_.Acknowledges(warp, (in.request >> warp & 1) != 0, classes),
        &out.acknowledge);
  }

  golden::FenceTracker model_;
  FencePins* const pins_;
  std::uint64_t driven_ = 0;  // warps for which something was, in the latest cycle
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_FENCES_AT_PINS_H_
