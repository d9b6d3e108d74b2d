// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Checks that the directives of a function agree with each other, before any launch.
#ifndef MUSTER_SIM_PTX_PROGRAM_DIRECTIVES_H_
#define MUSTER_SIM_PTX_PROGRAM_DIRECTIVES_H_

#include <string_view>
#include <vector>

#include "sim/ptx/program/diagnostic.h"
#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

// The digits of "sm_80" or "7.8".
unsigned NumberIn(std::string_view text);

// Checks .version and .target, which it places at the first function.
void CheckVersion(const syntax::Module& module, std::vector<Diagnostic>* diagnostics);

// How many registers a thread begins with: .maxnreg; or else as many as threads of so large a block
// can have (.reqntid or .maxntid, .minnctapersm). 0: no directive says so.
std::uint32_t RegistersAtLaunch(const syntax::Function& function);

void CheckDirectives(const syntax::Module& module, const syntax::Function& function,
                     std::vector<Diagnostic>* diagnostics);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DIRECTIVES_H_
