// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A litmus test as a kernel and its launch manifest, for `muster run` and `muster explore`.
#ifndef MUSTER_SIM_LITMUS_KERNEL_H_
#define MUSTER_SIM_LITMUS_KERNEL_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sim/litmus/answer.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

// The PTX. Each thread is a lane of a warp of its own; the last one to finish writes 1 to the
// buffer `outcome` if the outcome that the test asks for came to be. Throws an InputError of what a
// kernel cannot do.
std::string KernelOf(const Test& test);

// The manifest, of a kernel in that file. It expects of `outcome` what the model's answer says.
nlohmann::ordered_json ManifestOf(const Test& test, const Answer& answer, const std::string& ptx);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_KERNEL_H_
