// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Verilator's sources print by this function (VL_PRINTF, which it leaves to be chosen), so that the
// words of an assertion that fails come into the report. CMake includes it in each of them.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_TEXT_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_TEXT_H_

[[gnu::format(printf, 1, 2)]] int PrintVerilated(const char* format, ...);

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_TEXT_H_
