// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What `muster explore` finds, as a page.
#ifndef MUSTER_SIM_APP_EXPLORE_PAGE_H_
#define MUSTER_SIM_APP_EXPLORE_PAGE_H_

#include <functional>
#include <string>

#include "sim/app/run.h"
#include "sim/explore/causes.h"
#include "sim/explore/report.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::app {

// The order of a finding, a sentence a line.
std::string StoryText(const explore::Finding& finding, const ptx::Program& program);

// Returns a page with a part for each finding, whose witness runs on the unit for its timeline.
// `summary`: a sentence.
using ScheduleOfFinding = std::function<ptx::Schedule(const explore::Finding&)>;
std::string ExplorePage(const Job& job, const Config& config, const ptx::Program& program,
                        const explore::Reporter& reporter, const explore::Causes& causes,
                        const ScheduleOfFinding& schedule_of, const std::string& summary);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_PAGE_H_
