// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Who waits for what in a hung grid, as far as the places of its threads and the words of its
// barriers tell: registers are not known, nor what came before.
#ifndef MUSTER_SIM_PTX_LAUNCH_HANG_REPORT_H_
#define MUSTER_SIM_PTX_LAUNCH_HANG_REPORT_H_

#include <cstdint>
#include <vector>

#include "sim/ptx/launch/hang_file.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/launch.h"

namespace muster::ptx {

Waiting WaitingIn(const Hang& hang, const Program& program, const Launch& launch);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_HANG_REPORT_H_
