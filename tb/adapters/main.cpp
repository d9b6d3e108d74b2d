// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs random programs on a unit behind an adapter.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tb/adapters/adapter.h"
#include "tb/adapters/example/example.h"
#include "tb/adapters/run.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {
namespace {

unsigned FaultNamed(const std::string& name) {
  for (unsigned i = 0; i < ExampleFaults().size(); ++i) {
    if (ExampleFaults()[i].name == name) {
      return i;
    }
  }
  throw CLI::ValidationError("--fault", "there is no fault " + name);
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Random programs on a barrier unit behind an adapter, each judged by the golden model.");
  std::string fault = "none";
  std::string seeds = "1-1000";
  std::vector<unsigned> kept;
  bool no_delays = false;
  app.add_option("--fault", fault, "of the example");
  app.add_option("--seeds", seeds, "the first and the last, or one");
  app.add_option("--keep", kept, "of the program of one seed, these operations alone")
      ->delimiter(',');
  app.add_flag("--no-delays", no_delays, "none of them waits before it is presented");
  CLI11_PARSE(app, argc, argv);

  const std::size_t dash = seeds.find('-');
  const std::uint64_t first = std::stoull(seeds);
  const std::uint64_t last =
      dash == std::string::npos ? first : std::stoull(seeds.substr(dash + 1));
  const std::unique_ptr<Adapter> adapter = MakeExample(FaultNamed(fault));
  std::string command = argv[0];
  if (fault != "none") {
    command += " --fault " + fault;
  }
  Outcome outcome;
  if (!kept.empty()) {
    Program program = Draw(adapter->features(), first);
    outcome.drawn = program.steps.size();
    Keep(kept, adapter->features(), &program);
    if (no_delays) {
      DropDelays(&program);
    }
    outcome.seed = first;
    outcome.shortest = {program, no_delays, 1};
    outcome.last = Execute(program, adapter.get(), true);
    outcome.failure = outcome.last.failure;
  } else {
    outcome = Regress(first, last, adapter.get());
  }
  if (outcome.passed()) {
    fmt::print("{}: {} programs, {} operations, {} cycles, nothing wrong\n",
               adapter->features().name, outcome.programs, outcome.steps, outcome.cycles);
    return 0;
  }
  std::fputs(Report(outcome, command).c_str(), stdout);
  return 1;
}

}  // namespace
}  // namespace muster::adapters

int main(int argc, char** argv) { return muster::adapters::Main(argc, argv); }
