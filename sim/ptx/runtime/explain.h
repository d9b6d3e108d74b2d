// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Sentences that explain faults and hazards.
#ifndef MUSTER_SIM_PTX_RUNTIME_EXPLAIN_H_
#define MUSTER_SIM_PTX_RUNTIME_EXPLAIN_H_

#include "sim/isa/fault.h"
#include "sim/isa/operation.h"

namespace muster::ptx {

const char* Explain(FaultCause cause);
const char* Explain(Hazard hazard);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_EXPLAIN_H_
