// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/suspicions.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

namespace muster::explore {
namespace {

constexpr std::size_t kMost = 1000;

}  // namespace

std::string ActionText::Text() const {
  return bytes == 0 ? fmt::format("{}{}", does, what)
                    : fmt::format("{} {} byte{}", does, bytes, bytes == 1 ? "" : "s");
}

const char* Name(Kind kind) {
  constexpr const char* kNames[] = {"data_race",        "proxy_race",   "source_overwritten",
                                    "other_phase",      "late_wait",    "expected_bytes",
                                    "shared_barrier",   "lifetime",     "setmaxnreg_order",
                                    "collective_order", "unawaited",    "before_first",
                                    "passed_without",   "deadlock",     "fault",
                                    "hazard",           "wrong_result", "differing_result"};
  return kNames[static_cast<unsigned>(kind)];
}

bool Suspicions::IsNews(Kind kind, const Place& first, const Place& second) const {
  return all_.size() < kMost && told_.count({kind, first.pc, second.pc}) == 0;
}

void Suspicions::Add(Suspicion suspicion) {
  if (IsNews(suspicion.kind, suspicion.first.at, suspicion.second.at)) {
    told_.insert({suspicion.kind, suspicion.first.at.pc, suspicion.second.at.pc});
    all_.push_back(std::move(suspicion));
  }
}

void Suspicions::AddUnawaited(const Side& arrival, const Range& object, int bar,
                              const ComesBefore& comes_before) {
  for (Suspicion& race : all_) {
    if (IsRace(race.kind) && !race.unawaited &&
        comes_before(race.first, race.first_event) !=
            comes_before(race.second, race.second_event)) {
      race.unawaited = arrival.at.pc;
    }
  }
  Suspicion note;
  note.kind = Kind::kUnawaited;
  note.first = note.second = arrival;
  note.object = object;
  note.bar = bar;
  note.why = "no thread waits for it";
  note.of_memory_model = true;
  Add(std::move(note));
}

void Suspicions::AddHint(const Range& object, std::uint32_t pc, const std::string& hint) {
  for (Suspicion& one : all_) {
    if (one.kind == Kind::kOtherPhase && one.object.owner == object.owner &&
        one.object.address == object.address && one.first.at.pc == pc && one.second.at.pc == pc) {
      one.hint = hint;
    }
  }
}

}  // namespace muster::explore
