// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression of whole GPCs, as regress.cpp is that of units: random traffic that fits together,
// checked in every cycle in each block and between them. The tests regress.GPC.N of CTest run a
// shard of it each, and regress.cover.GPC puts the shards' files together.
#include "tb/gpc/gpc_regress.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <deque>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/lockstep/gpc.h"
#include "sim/lockstep/lockstep.h"
#include "tb/gpc/gpc_result.h"
#include "tb/gpc/gpc_traffic.h"
#include "tb/lockstep/regress_options.h"

namespace {

using muster::gpc::GpcResult;
using muster::lockstep::Complain;
using muster::lockstep::RegressOptions;

void RunSeed(const RegressOptions& arguments, std::uint64_t seed, GpcResult* result) {
  result->cover.NextRun();
  muster::lockstep::Options options = arguments.run;
  options.seed = seed;
  options.power_up = {seed, seed % 3 == 0};
  options.gates = seed % 2 == 0;
  options.rerun = fmt::format("build/tb/gpc/{}_regress --seed {} --cycles {}", result->name, seed,
                              options.max_cycles);
  const auto make = [&](const muster::lockstep::GpcShape& shape,
                        const muster::lockstep::GpcChecks& checks) {
    return std::make_unique<muster::gpc::GpcTraffic>(shape, checks, seed, &result->cover);
  };
  const muster::lockstep::Result run = muster::lockstep::RunGpc(make, options);
  result->Add(run);
  if (!run.report.empty()) {
    const std::string end = run.report.back() == '\n' ? "" : "\n";
    result->failures.push_back({seed, run.cycles, run.what, run.report + end});
  }
}

// Adds the results of a file that --json wrote.
void Merge(const std::string& path, std::deque<GpcResult>* results) {
  muster::lockstep::MergeResults(path, results, [&](const std::string& name) -> GpcResult& {
    const auto result = std::find_if(results->begin(), results->end(),
                                     [&](const GpcResult& of) { return of.name == name; });
    return result != results->end() ? *result : results->emplace_back(name);
  });
}

}  // namespace

int muster::gpc::Regress(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // what is written beyond the limit fails, and is said
  RegressOptions arguments;
  CLI::App app("Constrained-random traffic on Verilated GPCs, checked every cycle");
  muster::lockstep::Define(&app, &arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : muster::lockstep::kUsageError;
  }
  const std::string own = muster::lockstep::GpcName();
  for (const std::string& name : arguments.names) {
    if (name != own) {
      return Complain(fmt::format("--config {}: this program has {}", name, own));
    }
  }
  const std::string wrong = muster::lockstep::Check(1, &arguments);
  if (!wrong.empty()) {
    return Complain(wrong);
  }
  std::deque<GpcResult> results;
  if (arguments.merge.empty()) {
    results.emplace_back(own);
    results.back().part = arguments.shards > 1;
    muster::lockstep::ForEachSeed(
        arguments, own, [&](std::uint64_t seed) { RunSeed(arguments, seed, &results.back()); });
  }
  for (const std::string& path : arguments.merge) {
    try {
      Merge(path, &results);
    } catch (const std::exception& error) {
      return Complain(fmt::format("--merge {}: {}", path, error.what()));
    }
  }
  fmt::print("{}", Summary(results));
  if (!arguments.json.empty() && !muster::lockstep::WriteResults(arguments.json, Json(results))) {
    return Complain(fmt::format("{}: cannot be written", arguments.json));
  }
  return Passed(results) ? 0 : 1;
}
