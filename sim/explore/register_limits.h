// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// setmaxnreg of the warps of a warpgroup: between two of them the warps must synchronize. Does not
// know how many registers there are.
#ifndef MUSTER_SIM_EXPLORE_REGISTER_LIMITS_H_
#define MUSTER_SIM_EXPLORE_REGISTER_LIMITS_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/explore/suspicions.h"
#include "sim/explore/threads.h"
#include "sim/explore/transfers.h"

namespace muster::explore {

class RegisterLimits {
 public:
  RegisterLimits(Threads* threads, Suspicions* suspicions)
      : threads_(*threads), suspicions_(*suspicions) {}

  // A warp executes setmaxnreg. Suspects it if nothing tells the warp that another one of its
  // warpgroup has executed the one before.
  void Set(const Side& now);

 private:
  void Suspect(const Side& first, const Side& second);

  Threads& threads_;
  Suspicions& suspicions_;
  std::map<std::pair<std::uint64_t, unsigned>, std::vector<Arrived>> by_warp_;  // CTA and warp
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_REGISTER_LIMITS_H_
