// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What instructions access, and what they wait for, by the classes that fences name (rtl/README.md,
// Fences). Has no state.
#ifndef MUSTER_SIM_PTX_RUNTIME_LATE_CLASSES_H_
#define MUSTER_SIM_PTX_RUNTIME_LATE_CLASSES_H_

#include "sim/isa/access_class.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// Whether loads before the instruction are performed before it, whatever it accesses.
bool Orders(const Instruction& i);
// The classes whose accesses are performed before it: of a fence, and of what releases by itself.
// What barriers, mbarriers and atomics on shared memory wait for, units ask for.
ClassSet AwaitedBy(const Instruction& i);
// The classes of the accesses that it may begin.
ClassSet BegunBy(const Instruction& i);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_LATE_CLASSES_H_
