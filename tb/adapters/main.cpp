// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs random programs on a unit behind an adapter.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tb/adapters/adapter.h"
#include "tb/adapters/example/example.h"
#include "tb/adapters/run.h"
#include "tb/adapters/traffic.h"
#ifdef MUSTER_PEER_VENTUS
#include <Vventus.h>

#include "tb/adapters/peers/ventus.h"
#endif
#ifdef MUSTER_PEER_VORTEX_BAR
#include <Vvortex_bar.h>

#include "tb/adapters/peers/vortex_bar.h"
#endif
#ifdef MUSTER_PEER_VORTEX_MBARRIER
#include <Vvortex_mbarrier.h>

#include "tb/adapters/peers/vortex_mbarrier.h"
#endif

namespace muster::adapters {
namespace {

constexpr int kUsage = 2;  // exit code of wrong options

std::unique_ptr<Adapter> Make(const std::string& unit, const std::string& fault) {
  if (unit == "example") {
    for (unsigned i = 0; i < ExampleFaults().size(); ++i) {
      if (ExampleFaults()[i].name == fault) {
        return MakeExample(i);
      }
    }
    throw CLI::ValidationError("--fault", "the example has no fault " + fault);
  }
#ifdef MUSTER_PEER_VENTUS
  if (unit == "ventus") {
    return std::make_unique<Ventus<Vventus>>();
  }
#endif
#ifdef MUSTER_PEER_VORTEX_BAR
  if (unit == "vortex_bar") {
    return std::make_unique<VortexBar<Vvortex_bar>>();
  }
#endif
#ifdef MUSTER_PEER_VORTEX_MBARRIER
  if (unit == "vortex_mbarrier") {
    return std::make_unique<VortexMbarrier<Vvortex_mbarrier>>();
  }
#endif
  throw CLI::ValidationError("--unit", unit + " is not in this build (tb/adapters/README.md)");
}

void Switch(const std::vector<std::string>& names, bool on, Features* features) {
  for (const std::string& name : names) {
    const auto* const found =
        std::find_if(kSwitches.begin(), kSwitches.end(),
                     [&](const auto& feature) { return feature.first == name; });
    if (found == kSwitches.end()) {
      throw CLI::ValidationError("--with, --without", "there is no feature " + name);
    }
    features->*found->second = on;
  }
}

std::uint64_t NumberOf(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end || text.empty()) {
    throw CLI::ValidationError("'" + text + "' is no number");
  }
  return number;
}

// NAME=NUMBER. Of what pins have a width for, there may be less than the unit has.
void Set(const std::vector<std::string>& settings, Features* features) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const auto* const found = std::find_if(
        kNumbers.begin(), kNumbers.end(),
        [&](const auto& feature) { return feature.first == setting.substr(0, equals); });
    if (found == kNumbers.end() || equals == std::string::npos) {
      throw CLI::ValidationError("--set", setting + " is no NAME=NUMBER of a feature");
    }
    const std::uint64_t number = NumberOf(setting.substr(equals + 1));
    const bool is_bound = found->first == std::string("release_within") ||
                          found->first == std::string("accept_within");
    if (number > (is_bound ? 1000000 : features->*found->second)) {
      throw CLI::ValidationError("--set", setting + " is more than the unit has");
    }
    features->*found->second = static_cast<unsigned>(number);
  }
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Random programs on a barrier unit behind an adapter, each judged by the golden model.");
  std::string unit = "example", fault = "none";
  std::vector<std::string> with, without, settings;
  std::string seeds = "1-1000";
  std::vector<unsigned> kept;
  bool no_delays = false;
  app.add_option("--unit", unit, "example, or one whose sources this build was given");
  app.add_option("--fault", fault, "of the example");
  app.add_option("--with", with, "features that the unit's table does not name")->delimiter(',');
  app.add_option("--without", without, "features that are left out")->delimiter(',');
  app.add_option("--set", settings, "NAME=NUMBER: of warps, CTAs, cycles")->delimiter(',');
  app.add_option("--seeds", seeds, "the first and the last, or one");
  app.add_option("--keep", kept, "of the program of one seed, these operations alone")
      ->delimiter(',');
  app.add_flag("--no-delays", no_delays, "none of them waits before it is presented");
  std::unique_ptr<Adapter> adapter;
  std::uint64_t first = 0, last = 0;
  try {
    app.parse(argc, argv);
    const std::size_t dash = seeds.find('-');
    first = NumberOf(seeds.substr(0, dash));
    last = dash == std::string::npos ? first : NumberOf(seeds.substr(dash + 1));
    adapter = Make(unit, fault);
    Switch(with, true, adapter->mutable_features());
    Switch(without, false, adapter->mutable_features());
    Set(settings, adapter->mutable_features());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }

  std::string command = argv[0];
  const auto repeat = [&](const char* option, const std::string& value) {
    command += value.empty() ? "" : fmt::format(" {} {}", option, value);
  };
  repeat("--unit", unit == "example" ? "" : unit);
  repeat("--fault", fault == "none" ? "" : fault);
  repeat("--with", fmt::format("{}", fmt::join(with, ",")));
  repeat("--without", fmt::format("{}", fmt::join(without, ",")));
  repeat("--set", fmt::format("{}", fmt::join(settings, ",")));
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
    outcome.programs = 1;
    outcome.steps = outcome.last.steps;
    outcome.cycles = outcome.last.cycles;
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
