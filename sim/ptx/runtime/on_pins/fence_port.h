// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Drives the trackers that answer the fences of a unit's warps: tells them of each access when it
// begins and when it is performed, presents what fences ask for, one of a warp at a time, and lets
// a warp go on when its tracker says so. Sees what they show one cycle later. Knows no
// instructions.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_FENCE_PORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_FENCE_PORT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/isa/access_class.h"
#include "sim/isa/operation.h"
#include "sim/port/fence_pins.h"
#include "sim/ptx/simt/fence_sink.h"

namespace muster::ptx {

class FencePort : public FenceSink {
 public:
  explicit FencePort(unsigned num_warps) : pins_((num_warps + kFenceWarps - 1) / kFenceWarps) {}

  std::vector<FencePins*> pins();

  // The cycle begins: takes what the trackers have shown in the one before.
  void Begin(std::uint64_t cycle);
  // Sets the pins. `busy`: warps with operations on mbarriers that are not performed.
  void Present(std::uint64_t busy);

  // FenceSink
  bool HasRoom(unsigned warp, ClassSet classes) override;
  void Begin(unsigned warp, AccessClass of, std::uint64_t until) override;
  std::shared_ptr<const void> Hold(unsigned warp, ClassSet classes) override;
  bool Drain(unsigned warp, std::uint32_t pc, std::uint32_t lanes, ClassSet classes) override;
  bool Drains(unsigned warp) const override { return (requests_ >> warp & 1) != 0; }

  std::uint64_t drains() const { return drains_; }
  std::uint64_t held_back() const { return held_back_; }  // steps of warps, for want of room

 private:
  static constexpr std::uint64_t kHeld = ~std::uint64_t{0};

  struct Access {
    FenceInputs::Access pin;  // to the tracker
    unsigned warp = 0;        // of the unit
    std::uint64_t begun = 0;
    std::uint64_t until = 0;         // kHeld: while `held` is not expired
    std::weak_ptr<const void> held;  // by what carries it out
  };
  // What lanes of a warp have asked for, last.
  struct Asked {
    std::uint32_t pc = 0;
    std::uint32_t lanes = 0;  // 0: nothing, or they have gone on
  };

  Access* Add(unsigned warp, AccessClass of);
  bool IsPerformed(const Access& access) const {
    return access.until == kHeld ? access.held.expired() : access.until <= cycle_;
  }

  FencePins& At(unsigned warp) { return pins_[warp / kFenceWarps]; }
  static std::uint64_t BitOf(unsigned warp) { return std::uint64_t{1} << warp % kFenceWarps; }

  std::vector<FencePins> pins_;  // of each tracker
  std::uint64_t cycle_ = 0;
  std::vector<Access> accesses_;  // outstanding, in the order in which they began
  WarpsByClass begun_{};          // in the cycle before
  std::uint64_t next_ = 1;        // number
  std::array<Asked, kMaxWarps> asked_{};
  std::uint64_t requests_ = 0;      // warps whose lanes wait for their tracker
  std::uint64_t acknowledged_ = 0;  // warps whose lanes may go on, and have not yet
  std::uint64_t drains_ = 0;
  std::uint64_t held_back_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_FENCE_PORT_H_
