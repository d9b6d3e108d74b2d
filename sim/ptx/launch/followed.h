// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#ifndef MUSTER_SIM_PTX_LAUNCH_FOLLOWED_H_
#define MUSTER_SIM_PTX_LAUNCH_FOLLOWED_H_

#include <string>

#include "sim/ptx/launch/session.h"

namespace muster::ptx {

// How far the run has kept to its schedule, a line; empty: there was none.
std::string FollowedText(const Session& session);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_FOLLOWED_H_
