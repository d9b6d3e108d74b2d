// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Reads the litmus format that herd and Dat3M share, in its form for PTX.
#ifndef MUSTER_SIM_LITMUS_PARSER_H_
#define MUSTER_SIM_LITMUS_PARSER_H_

#include <string>
#include <string_view>

#include "sim/litmus/test.h"

namespace muster::litmus {

// Throws an InputError that names the line.
Test Parse(const std::string& file, std::string_view text);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_PARSER_H_
