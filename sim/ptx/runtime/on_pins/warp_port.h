// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The core's side of the warp scope (rtl/warp/README.md): presents the requests of warps' lanes at
// the pins, one after the other, and returns the scope's answers. Knows nothing of the instructions
// behind the requests.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_WARP_PORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_WARP_PORT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/port/warp_pins.h"
#include "sim/ptx/simt/warp_unit.h"

namespace muster::ptx {

class WarpPort : public WarpUnit {
 public:
  WarpPins* pins() { return &pins_; }

  // The interface for the interpreter.
  void Reset(unsigned warp) override;
  void Request(const WarpRequest& request) override;
  bool IsUnderWay(unsigned warp) const override { return ((asked_ | due_) & Bit(warp)) != 0; }

  // Lanes exit, and `live` ones are left: tells the scope if lanes of the warp may wait there.
  void Exit(unsigned warp, unsigned cta, std::uint32_t lanes, std::uint32_t live);

  // The beginning of a cycle: takes what the scope showed in the cycle before.
  void Begin(std::uint64_t cycle);
  const std::optional<WarpAnswer>& answer() const { return answer_; }
  const std::optional<WarpArrival>& arrival() const { return arrival_; }
  const std::optional<WarpOutputs::Fault>& fault() const { return fault_; }
  // Warps whose request has ended: lanes that were to be answered have been.
  std::uint64_t settled() const { return settled_; }

  // The end of a cycle. Busy warps do not arrive; `ending`: nothing new is presented.
  void Present(std::uint64_t busy, bool ending);

  // Whether something proceeds by itself, if warps other than these may arrive.
  bool Moves(std::uint64_t busy) const { return asked_ != 0 || (due_ & ~busy) != 0; }
  // Lanes of the warp that may continue by themselves, if it may arrive.
  std::uint32_t LanesUnderWay(unsigned warp) const { return warps_[warp].asked | warps_[warp].due; }
  bool Presents() const { return pins_.in.valid; }

 private:
  struct Warp {
    unsigned requests = 0;       // requests that have not ended
    std::uint32_t asked = 0;     // lanes of these requests that have not been answered
    std::uint32_t gathered = 0;  // lanes that wait at a barrier for others
    // Gathered lanes that wait for no other lane: the warp is to arrive.
    std::uint32_t due = 0;
    std::uint32_t live = 0;
    bool used = false;  // whether the warp has made a request
  };
  struct Entry {
    bool clears = false;
    WarpRequest request;
  };
  struct Accepted {
    unsigned warp = 0;
    std::uint32_t lanes = 0;                  // lanes that have not been answered
    std::uint64_t until = ~std::uint64_t{0};  // the cycle by which its answers have been seen
  };

  void Judge(unsigned index);
  void NoteAnswered(const WarpAnswer& answer);
  void Take(const WarpOutputs& seen, std::uint64_t cycle);
  void PresentNext();
  bool MayClear(unsigned warp) const;

  WarpPins pins_;
  std::array<Warp, kMaxWarps> warps_;
  std::deque<Entry> queue_;  // in order for each warp
  // Of the presented request, that have not been accepted; the next one is the last.
  std::vector<unsigned> beats_;
  std::deque<Accepted> accepted_;
  std::uint64_t asked_ = 0;  // warps with requests that have not ended
  std::uint64_t due_ = 0;    // warps that are to arrive
  std::optional<WarpAnswer> answer_;
  std::optional<WarpArrival> arrival_;
  std::optional<WarpOutputs::Fault> fault_;
  std::uint64_t settled_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_WARP_PORT_H_
