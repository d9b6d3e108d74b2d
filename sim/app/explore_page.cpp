// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explore_page.h"

#include <fmt/format.h>

#include <cstdint>

#include "sim/app/verify.h"
#include "sim/explore/story.h"
#include "sim/ptx/launch/page_output.h"
#include "sim/ptx/program/demangle.h"

namespace muster::app {

std::string StoryText(const explore::Finding& finding, const ptx::Program& program) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& sentence : explore::StoryOf(finding, program)) {
    text +=
        fmt::format("     {} {}. {}\n", count == 0 ? "order   " : "        ", count + 1, sentence);
    ++count;
  }
  if (!text.empty() && !finding.is_minimal && !finding.turns.empty()) {
    text += fmt::format(
        "              (of {} turns, not all of which matter: it could not be made "
        "shorter in the time)\n",
        finding.turns.size());
  }
  return text;
}

std::string ExplorePage(const Job& job, const Config& config, const ptx::Program& program,
                        const explore::Reporter& reporter, const explore::Causes& causes,
                        const ScheduleOfFinding& schedule_of, const std::string& summary) {
  ptx::ReportPage page;
  for (std::size_t i = 0; i < causes.findings.size(); ++i) {
    const explore::Finding& finding = causes.findings[i].told;
    const std::string text =
        reporter.Text(i + 1, causes.findings[i], "") + StoryText(finding, program);
    const auto add = [&](const ptx::Session& session, std::uint64_t cycles) {
      page.Add(fmt::format("Finding {}: {}", i + 1, Name(finding.what.kind)), text, "", session,
               cycles);
    };
    ReplayOnUnit(job.manifest, config, schedule_of(finding), add, true);
  }
  std::string rest;
  for (const explore::Cause<explore::Unconfirmed>& cause : causes.suspicions) {
    rest += "suspicion, which nothing has confirmed:\n" + reporter.Text(cause);
  }
  for (const explore::Cause<explore::Suspicion>& cause : causes.notes) {
    rest += "note, which is no finding:\n" + reporter.Text(cause);
  }
  if (!rest.empty() || causes.findings.empty()) {
    page.Add("Suspicions and notes", rest.empty() ? "There are none." : rest, program);
  }
  return page.Html(fmt::format("{}: other orders", ptx::Demangled(program.Kernel().name)), summary,
                   causes.findings.empty() && causes.suspicions.empty(),
                   "muster explore " + job.manifest.command, "");
}

}  // namespace muster::app
