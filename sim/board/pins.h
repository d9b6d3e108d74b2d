// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit's pins as bytes of the link: rtl/fpga/muster_fpga_pkg.sv, from the last field to the
// first.
#ifndef MUSTER_SIM_BOARD_PINS_H_
#define MUSTER_SIM_BOARD_PINS_H_

#include "sim/board/frame.h"
#include "sim/board/link.h"
#include "sim/port/pins.h"

namespace muster::board {

// All pins of such a board; an operation that is not presented is left as it is in *pins.
void EncodePins(const Identity& identity, const Inputs& in, Bytes* pins);

// Outputs from the answer to a cycle. False: it is too short, or too long.
bool DecodeOutputs(const Identity& identity, const Bytes& report, Outputs* out);

}  // namespace muster::board

#endif  // MUSTER_SIM_BOARD_PINS_H_
