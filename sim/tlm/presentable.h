// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a core may present to a unit at all (rtl/README.md, rtl/mbarrier/README.md: "What the core
// must do"). The models take what follows these rules, and judge it; the rest is an error of the
// platform.
#ifndef MUSTER_SIM_TLM_PRESENTABLE_H_
#define MUSTER_SIM_TLM_PRESENTABLE_H_

#include <string>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/tlm/barrier_extension.h"

namespace muster::tlm {

// Whether what `extension` asks may be presented to a unit of the configuration, whose state is
// *state. If not, *refusal becomes a sentence that says what is wrong. Without a state, only what
// does not depend on it is looked at: a harness that has seen an operation commit says so whether
// or not the core was right to present it then.
bool IsPresentable(const Config& config, const golden::Model* state,
                   const BarrierExtension& extension, std::string* refusal);

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_PRESENTABLE_H_
