// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A kernel on the Verilated unit, under lockstep.
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

// What the command line says; what it leaves open, the manifest says.
struct RunOptions {
  std::optional<std::string> config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> max_cycles;
  std::optional<std::uint64_t> progress;   // seconds from one sign of life to the next
  std::optional<std::uint64_t> wave_from;  // the cycles that the waveform shows
  std::optional<std::uint64_t> wave_to;
  std::string target = "verilated";  // or uart:DEVICE, cuda, cuda:N
  std::string wave;                  // files, or empty, here and below
  std::string schedule;
  std::string report;
  std::string log;
  std::string timeline;
  std::string trace;
  std::vector<std::string> show;     // buffers whose contents the text ends with
  std::vector<std::string> dumps;    // BUFFER=FILE: the bytes of the buffer, little-endian
  bool keeps_contents = false;       // of the buffers, in the result
  std::optional<double> time_limit;  // of a launch on a GPU, in seconds
};

// What is to be run.
struct Job {
  ptx::Manifest manifest;
  std::vector<std::string> inputs;  // the files that it is made of
};

// A hazard that a run has met at a line.
struct HazardMet {
  std::string what;   // "k.ptx:33: hazard repeated_arrival"
  std::string first;  // "warp 1 of CTA (0,0,0) at barrier 2"
};

struct RunResult {
  ptx::ExitCode code = ptx::ExitCode::kAsExpected;
  std::string outcome;
  std::string expected;  // as the manifest has it
  std::uint64_t cycles = 0;
  std::uint64_t skipped = 0;  // of these
  std::uint64_t commits = 0;
  ptx::Served served;
  std::vector<HazardMet> hazards;
  double seconds = 0;
  std::string text;  // for people
  nlohmann::ordered_json report;
  std::vector<std::vector<std::uint8_t>> contents;  // of each buffer, where that is asked for
};

// Runs a job and writes the files that the options name. Throws ptx::InputError.
RunResult Run(Job job, const RunOptions& options);
RunResult RunManifest(const std::string& path, const RunOptions& options);

// Runs a job with each of these seeds, and sums up: which hazards were met, how many seeds went
// otherwise than the manifest says, and how to run the first of them again. Returns the exit code
// of that one. Throws ptx::InputError.
ptx::ExitCode RunSeeds(const Job& job, std::uint64_t first, std::uint64_t last,
                       const RunOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_RUN_H_
