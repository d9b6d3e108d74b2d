// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel on the Verilated unit, in lockstep.
#ifndef MUSTER_SIM_APP_RUN_H_
#define MUSTER_SIM_APP_RUN_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/launch/session.h"

namespace muster::app {

// Options of the command line. The manifest supplies those that are not set.
struct RunOptions {
  std::optional<std::string> config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> max_cycles;
  bool late = false;                       // accesses are performed late
  std::optional<std::uint64_t> progress;   // seconds between progress messages
  std::optional<std::uint64_t> wave_from;  // the first cycle of the waveform
  std::optional<std::uint64_t> wave_to;
  std::string target = "verilated";  // or uart:DEVICE, cuda, cuda:N
  std::string wave;                  // this and the following: files, or empty
  std::string schedule;
  std::string report;
  std::string log;
  std::string timeline;
  std::string trace;
  std::string page;
  std::string hang;                  // where threads stand at a deadlock or timeout
  std::vector<std::string> show;     // buffers to print at the end of the text
  std::vector<std::string> dumps;    // BUFFER=FILE: the bytes of the buffer, little-endian
  bool keeps_contents = false;       // whether the result has the contents of buffers
  std::optional<double> time_limit;  // of a launch on a GPU, in seconds
};

// What to run.
struct Job {
  ptx::Manifest manifest;
  std::vector<std::string> inputs;  // the files that the job consists of
  bool has_input = false;           // the command says which input to draw
};

// A hazard that a run met at a line.
struct HazardMet {
  std::string what;   // "k.ptx:33: hazard repeated_arrival"
  std::string first;  // "warp 1 of CTA (0,0,0) at barrier 2"
};

struct RunResult {
  ptx::ExitCode code = ptx::ExitCode::kAsExpected;
  std::string outcome;
  std::string expected;  // the outcome that the manifest expects
  std::uint64_t cycles = 0;
  std::uint64_t skipped = 0;  // skipped cycles among these
  std::uint64_t commits = 0;
  ptx::Served served;
  std::vector<HazardMet> hazards;
  double seconds = 0;
  std::string text;  // the text report
  nlohmann::ordered_json report;
  std::vector<std::vector<std::uint8_t>> contents;  // the contents of each buffer, if asked for
};

// Runs a job and writes the files that the options name. Throws ptx::InputError.
RunResult Run(Job job, const RunOptions& options);
RunResult RunManifest(const std::string& path, const RunOptions& options);

// Runs a job with each of these seeds, and prints a summary: the hazards that were met, how many
// seeds differ from the manifest, and how to repeat the first of these. Returns the exit code of
// that seed. Throws ptx::InputError.
ptx::ExitCode RunSeeds(const Job& job, std::uint64_t first, std::uint64_t last,
                       const RunOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_RUN_H_
