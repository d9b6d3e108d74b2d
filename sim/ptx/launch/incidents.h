// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Says in words what a run has met.
#ifndef MUSTER_SIM_PTX_LAUNCH_INCIDENTS_H_
#define MUSTER_SIM_PTX_LAUNCH_INCIDENTS_H_

#include <string>

#include "sim/ptx/launch/session.h"

namespace muster::ptx {

// Each in lines, or nothing.
std::string FaultText(const Session& session);
std::string HazardText(const Session& session);
std::string NoteText(const Session& session);
std::string LateText(const Session& session);  // of a run that performs accesses late

// A hazard at a line, "k.ptx:33: hazard repeated_arrival", and who met it first, "warp 1 of CTA
// (0,0,0) at barrier 2".
std::string HazardAt(const Session& session, const Incident& hazard);
std::string FirstToMeet(const Session& session, const Incident& hazard);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_INCIDENTS_H_
