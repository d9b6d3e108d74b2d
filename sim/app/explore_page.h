// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What `muster explore` finds, as a page.
#ifndef MUSTER_SIM_APP_EXPLORE_PAGE_H_
#define MUSTER_SIM_APP_EXPLORE_PAGE_H_

#include <string>
#include <vector>

#include "sim/app/run.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::app {

struct FindingOnPage {
  std::string title;
  std::string text;
  ptx::Schedule schedule;  // its witness, which runs on the unit for the timeline
};

// Returns a page with a part for each finding. `rest`: suspicions and notes, or empty; `summary`:
// a sentence.
std::string ExplorePage(const Job& job, const Config& config, const ptx::Program& program,
                        const std::vector<FindingOnPage>& findings, const std::string& rest,
                        const std::string& summary);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_PAGE_H_
