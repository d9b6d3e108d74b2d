// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Explores a launch with the golden models, and replays the findings on the unit in lockstep.
#ifndef MUSTER_SIM_APP_EXPLORE_H_
#define MUSTER_SIM_APP_EXPLORE_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/app/emit.h"
#include "sim/app/run.h"

namespace muster::app {

struct ExploreOptions {
  std::optional<std::string> config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> bound;  // classes of orders
  double seconds = 60;                 // time limit, without the witnesses' runs on the unit
  std::uint64_t jobs = 0;              // 0: one for each processor
  std::string report;                  // files, or empty
  std::string page;
  std::string witness;
  bool needless = false;  // ask of each barrier, fence and wait whether the kernel needs it
  std::string schedule;   // to take instead of looking for one, or empty
  EmitOptions emit;
};

// The exit codes of `muster explore`, in addition to those shared with `run`.
enum class ExploreCode : int {
  kNothing = 0,
  kNeedless = 1,  // with --needless: a place that is not shown to be needed
  kDeadlock = 3,
  kMismatch = 4,    // RTL and golden model disagree
  kUnsearched = 6,  // no order was searched, and nothing found along the runs
  kFinding = 7,     // at least one finding
  kSuspicions = 8,  // suspicions, and no finding
};

// The configuration that the manifest or the options name. Throws ptx::InputError: there is none of
// that name.
const Config& ConfigOf(const ptx::Manifest& manifest, const ExploreOptions& options);

// The contents of all buffers.
using Contents = std::vector<std::vector<std::uint8_t>>;

// What came of exploring a launch.
struct Exploration {
  ExploreCode code = ExploreCode::kNothing;
  bool complete = false;
  std::uint64_t classes = 0;
  std::vector<std::string> left_out;
  std::size_t findings = 0;
  std::size_t suspicions = 0;
  std::string text;             // what `muster explore` prints; until a finding: of that alone
  nlohmann::ordered_json json;  // the same in the report
  Contents contents;            // after the first order
};

// Explores a launch, and writes the files that the options name. Throws ptx::InputError.
Exploration Explore(const Job& job, const ExploreOptions& options);

// Explores a launch until the first finding. If the manifest expects nothing and there is a
// `reference`, other contents are a bad end.
Exploration ExploreUntilFinding(const Job& job, const ExploreOptions& options,
                                const Contents& reference);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_H_
