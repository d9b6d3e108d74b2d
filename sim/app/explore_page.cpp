// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explore_page.h"

#include <fmt/format.h>

#include <cstdint>

#include "sim/app/verify.h"
#include "sim/ptx/launch/page_output.h"
#include "sim/ptx/program/demangle.h"

namespace muster::app {

std::string ExplorePage(const Job& job, const Config& config, const ptx::Program& program,
                        const std::vector<FindingOnPage>& findings, const std::string& rest,
                        const std::string& summary) {
  ptx::ReportPage page;
  for (const FindingOnPage& finding : findings) {
    const auto add = [&](const ptx::Session& session, std::uint64_t cycles) {
      page.Add(finding.title, finding.text, "", session, cycles);
    };
    ReplayOnUnit(job.manifest, config, finding.schedule, add, true);
  }
  if (!rest.empty() || findings.empty()) {
    page.Add("Suspicions and notes", rest.empty() ? "There are none." : rest, program);
  }
  return page.Html(fmt::format("{}: other orders", ptx::Demangled(program.Kernel().name)), summary,
                   findings.empty() && rest.find("suspicion") == std::string::npos,
                   "muster explore " + job.manifest.command, "");
}

}  // namespace muster::app
