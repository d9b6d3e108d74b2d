// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace muster::ptx {
namespace {

constexpr std::size_t kMaxRows = 16;  // of each kind in the text

// "barrier 2", or "mbarrier full (0x8)".
std::string BarrierOf(const Incident& incident) {
  return incident.mbarrier.empty() ? fmt::format("barrier {}", incident.barrier)
                                   : "mbarrier " + incident.mbarrier;
}

std::string Times(std::uint64_t count) {
  return fmt::format("{} time{}", count, count == 1 ? "" : "s");
}

// The first of a list, a line each.
template <typename F>
std::string Lines(const std::vector<Incident>& incidents, const char* what, F line) {
  std::string text;
  for (std::size_t i = 0; i < std::min(incidents.size(), kMaxRows); ++i) {
    text += line(incidents[i]) + "\n";
  }
  if (incidents.size() > kMaxRows) {
    text += fmt::format("... and {} more {} (--report has them all)\n", incidents.size() - kMaxRows,
                        what);
  }
  return text;
}

}  // namespace

std::string FaultText(const Session& session) {
  const ClockedGrid& grid = session.grid();
  return Lines(grid.faults(), "faults", [&](const Incident& fault) {
    const std::string what =
        fmt::format("{}: {}: ", session.program().Where(fault.line), fault.name);
    if (fault.mbarrier.empty() && !grid.problem().empty()) {
      return what + grid.problem();
    }
    return fmt::format("{}warp {} of CTA {}, {}, lanes {:#010x}, cycle {}{}{}", what, fault.warp,
                       grid.CtaName(fault.cta), BarrierOf(fault), fault.lanes, fault.cycle,
                       fault.explanation.empty() ? "" : ": ", fault.explanation);
  });
}

std::string HazardAt(const Session& session, const Incident& hazard) {
  return fmt::format("{}: hazard {}", session.program().Where(hazard.line), hazard.name);
}

std::string FirstToMeet(const Session& session, const Incident& hazard) {
  return fmt::format("warp {} of CTA {} at {}{}{}", hazard.warp, session.grid().CtaName(hazard.cta),
                     BarrierOf(hazard), hazard.explanation.empty() ? "" : ": ", hazard.explanation);
}

std::string HazardText(const Session& session) {
  return Lines(session.grid().hazards(), "hazards", [&](const Incident& hazard) {
    return fmt::format("{}, {}, first by {}", HazardAt(session, hazard), Times(hazard.count),
                       FirstToMeet(session, hazard));
  });
}

std::string LateText(const Session& session) {
  const LateAccesses* const late = session.grid().late();
  if (late == nullptr) {
    return "";
  }
  const auto& missed = late->missed();
  std::string text;
  for (std::size_t i = 0; i < std::min(missed.size(), kMaxRows); ++i) {
    text +=
        fmt::format("{}: late, {}: not found was what {} has stored, first in cycle {} in CTA {}\n",
                    session.program().Where(missed[i].line), Times(missed[i].count),
                    session.program().Where(missed[i].store_line), missed[i].cycle,
                    session.grid().CtaName(missed[i].cta));
  }
  if (missed.size() > kMaxRows) {
    text += fmt::format("... and {} more pairs of lines (--report has them all)\n",
                        missed.size() - kMaxRows);
  }
  return text;
}

// Notes of copies that a compiler has made of one line of the source are one.
std::string NoteText(const Session& session) {
  std::vector<Incident> notes;
  std::vector<std::set<std::string>> barriers;  // of each
  std::map<std::string, std::size_t> known;
  for (const Incident& note : session.grid().notes()) {
    const std::string own = session.program().sources.OwnLine(note.line);
    const std::string key = fmt::format("{}\n{}\n{}", note.name, note.explanation,
                                        own.empty() ? std::to_string(note.line) : own);
    const auto [found, fresh] = known.try_emplace(key, notes.size());
    if (fresh) {
      notes.push_back(note);
      barriers.emplace_back();
    } else {
      notes[found->second].count += note.count;
    }
    barriers[found->second].insert(BarrierOf(note));
  }
  return Lines(notes, "notes", [&](const Incident& note) {
    const auto others = barriers[&note - notes.data()].size() - 1;
    return fmt::format("{}: note {}, {}: {}{} of CTA {}: {}", session.program().Where(note.line),
                       note.name, Times(note.count), BarrierOf(note),
                       others == 0 ? "" : fmt::format(" and {} more", others),
                       session.grid().CtaName(note.cta), note.explanation);
  });
}

}  // namespace muster::ptx
