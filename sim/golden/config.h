// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The configurations that the program knows by name: those of scripts/configs.json, unless CMake
// was given another file.
#ifndef MUSTER_SIM_GOLDEN_CONFIG_H_
#define MUSTER_SIM_GOLDEN_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "sim/golden/operation.h"

namespace muster {

const std::vector<Config>& Configs();
const Config* FindConfig(std::string_view name);  // null: there is none of that name
std::string ConfigNames();                        // "small, default, ..."

}  // namespace muster

#endif  // MUSTER_SIM_GOLDEN_CONFIG_H_
