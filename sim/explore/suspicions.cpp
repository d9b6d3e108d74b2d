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

void Suspicions::AddUnawaited(const Side& arrival, const Range& object, int bar) {
  Suspicion note;
  note.kind = Kind::kUnawaited;
  note.first = note.second = arrival;
  note.object = object;
  note.bar = bar;
  note.why = "nobody waits for it";
  note.of_memory_model = true;
  Add(std::move(note));
}

}  // namespace muster::explore
