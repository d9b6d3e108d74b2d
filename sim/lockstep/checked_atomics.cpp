// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/checked_atomics.h"

namespace muster::lockstep {

bool CheckedAtomics::Clock(std::uint64_t cycle, bool checked) {
  if (!Awake()) {
    return true;
  }
  dut_->Skip(cycle);
  dut_->Settle(pins_.in, &pins_.out);
  const bool good = !checked || checker_.Check(cycle, pins_.in, pins_.out);
  dut_->Clock();
  return good;
}

void CheckedAtomics::RunEmpty() {
  pins_.in.fence_ack = ~std::uint64_t{0};
  pins_.in.response_ready = true;
}

}  // namespace muster::lockstep
