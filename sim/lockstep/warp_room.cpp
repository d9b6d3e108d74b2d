// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/warp_room.h"

namespace muster::lockstep {

bool WarpRoom::Clock(std::uint64_t cycle, bool checked) {
  if (!Awake()) {
    return true;
  }
  dut_->Skip(cycle);
  dut_->Settle(pins_.in, &pins_.out);
  const bool good = !checked || checker_.Check(cycle, pins_.in, pins_.out);
  dut_->Clock();
  return good;
}

void WarpRoom::RunEmpty() {
  WarpInputs& in = pins_.in;
  in.valid = in.valid && !pins_.out.ready;
  in.clear = 0;
  in.busy = 0;
  in.arrival_ready = true;
}

}  // namespace muster::lockstep
