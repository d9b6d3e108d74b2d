// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A timeline as files: a page that draws it, and a trace in the trace-event format, which Perfetto
// and Chrome's about:tracing show. A cycle is a microsecond there.
#ifndef MUSTER_SIM_PTX_LAUNCH_TIMELINE_OUTPUT_H_
#define MUSTER_SIM_PTX_LAUNCH_TIMELINE_OUTPUT_H_

#include <cstdint>
#include <string>

#include "sim/ptx/launch/session.h"

namespace muster::ptx {

// The page, in which a placeholder stands for the data (timeline.html).
extern const char* const kTimelinePage;

// The kernel's name, or which of several launches it is.
std::string TitleOf(const Session& session);

// Writes the timeline of a launch that was recorded and has ended after so many cycles.
std::string TimelinePage(const Session& session, std::uint64_t cycles);
std::string TimelineTrace(const Session& session, std::uint64_t cycles);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_TIMELINE_OUTPUT_H_
