// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a kernel can come to: shared memory holds the variables of one kernel and of the functions
// that it calls, not those of its whole file.
#ifndef MUSTER_SIM_PTX_PROGRAM_REACH_H_
#define MUSTER_SIM_PTX_PROGRAM_REACH_H_

#include <string_view>
#include <unordered_set>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

// The names that the kernel's body mentions, those in the bodies and initialisers of what they
// name, and so on.
std::unordered_set<std::string_view> NamesReached(const syntax::Module& module,
                                                  const syntax::Function& kernel);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_REACH_H_
