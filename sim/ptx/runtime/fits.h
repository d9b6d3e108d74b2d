// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Whether a configuration can run a kernel, and which scopes a kernel needs. Knows instructions and
// configurations; has no state.
#ifndef MUSTER_SIM_PTX_RUNTIME_FITS_H_
#define MUSTER_SIM_PTX_RUNTIME_FITS_H_

#include "sim/isa/config.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {

// Throws InputError if the kernel cannot run on the configuration: the block is too large, or the
// configuration lacks an instruction.
void CheckFits(const Config& config, const Program& program, const Launch& launch);
// Does the same for mbarriers. The launch must have its shared memory.
void CheckMbarriersFit(const Config& config, const Program& program, const Launch& launch);
bool UsesWarpScope(const Program& program);
bool UsesClusterScope(const Program& program, const Launch& launch);
bool UsesMbarriers(const Program& program);
// Whether it has updates that may be those of shared memory: atomics, st.async, red.async.
bool UsesSharedAtomics(const Program& program);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_FITS_H_
