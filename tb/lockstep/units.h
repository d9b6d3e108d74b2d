// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The base of tests that run on each unit of the program, or on those with a feature.
#ifndef MUSTER_TB_LOCKSTEP_UNITS_H_
#define MUSTER_TB_LOCKSTEP_UNITS_H_

#include <gtest/gtest.h>

#include "sim/isa/config.h"
#include "sim/isa/latency.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {

class OnUnits : public testing::TestWithParam<Config> {
 protected:
  const Config& config() const { return GetParam(); }
  Latency latency() const { return LatencyOf(config()); }  // in cycles, as published
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_UNITS_H_
