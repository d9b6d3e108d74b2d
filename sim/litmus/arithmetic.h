// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What operators and comparisons come to.
#ifndef MUSTER_SIM_LITMUS_ARITHMETIC_H_
#define MUSTER_SIM_LITMUS_ARITHMETIC_H_

#include <cstdint>

#include "sim/litmus/test.h"

namespace muster::litmus {

std::int64_t Compute(Operator op, std::int64_t a, std::int64_t b);
bool Compare(Comparison comparison, std::int64_t a, std::int64_t b);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_ARITHMETIC_H_
