// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/checked_warp_scope.h"

namespace muster::lockstep {

bool CheckedWarpScope::Clock(std::uint64_t cycle, bool checked) {
  if (!Awake()) {
    return true;
  }
  dut_->Skip(cycle);
  dut_->Settle(pins_.in, &pins_.out);
  const bool good = !checked || checker_.Check(cycle, pins_.in, pins_.out);
  dut_->Clock();
  return good;
}

void CheckedWarpScope::RunEmpty() {
  WarpInputs& in = pins_.in;
  in.valid = in.valid && !pins_.out.ready;
  in.clear = 0;
  in.busy = 0;
  in.arrival_ready = true;
}

}  // namespace muster::lockstep
