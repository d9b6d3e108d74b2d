// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A run in words and in JSON.
#ifndef MUSTER_SIM_PTX_LAUNCH_REPORT_H_
#define MUSTER_SIM_PTX_LAUNCH_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/ptx/launch/session.h"
#include "sim/ptx/launch/wait_text.h"

namespace muster::ptx {

struct Timing {
  std::uint64_t cycles = 0;
  double seconds = 0;
  std::uint64_t skipped = 0;  // of the cycles

  double PerSecond(std::uint64_t count) const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
  double Khz() const { return PerSecond(cycles - skipped) / 1000; }
  void Add(const Timing& other) {
    cycles += other.cycles;
    seconds += other.seconds;
    skipped += other.skipped;
  }
};

// A line of the PTX file and, where that is known, its place in the source, as the text of a JSON
// object for logs: {"line":47,"source":[...]}.
std::string PlaceText(const Program& program, std::uint32_t line);

// Which warps wait for what: in a run, or in a grid on a GPU of which so much is known.
std::string WaitingText(const Program& program, const Launch& launch, const Waiting& waiting);
std::string WaitingText(const Session& session);
// What the barriers lack from which the others follow, a sentence each, and a hint if there is one.
std::vector<std::string> CausesIn(const Session& session);

// How many operations each scope of the hardware has carried out, as its checker saw them at the
// pins.
struct Served {
  std::uint64_t warp = 0;
  std::uint64_t cta = 0;
  std::uint64_t shared_memory = 0;
  std::uint64_t cluster = 0;  // requests of warps, operations through the network, cancels

  void Add(const Served& other) {
    warp += other.warp;
    cta += other.cta;
    shared_memory += other.shared_memory;
    cluster += other.cluster;
  }
  std::string Text() const;  // "warp scope 3, CTA scope 12, shared memory 0, cluster scope 0"
};

void to_json(nlohmann::ordered_json& json, const Served& served);

// Writes the report of the only launch of a manifest, or of one of several.
nlohmann::ordered_json JsonReport(const Session& session, const Verdict& verdict,
                                  const Timing& timing, const Served& served = {});
// Writes the report of several launches, of which these have run.
nlohmann::ordered_json JsonReport(const Session& last, const Verdict& verdict, const Timing& timing,
                                  const Served& served,
                                  std::vector<nlohmann::ordered_json> launches);
// What the kernel printed; then what ran, and what came of it.
std::string LaunchText(const Session& session, const std::string& outcome, const Timing& timing,
                       const Served& served = {});
// That it is as the manifest says, or where to look next.
std::string VerdictText(const Session& last, const Verdict& verdict);
// Both, of a single launch.
std::string TextReport(const Session& session, const Verdict& verdict, const Timing& timing,
                       const Served& served = {});

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_REPORT_H_
