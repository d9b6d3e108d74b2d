// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Writes kernels that keep to a witness by themselves, and compares them with the kernel as it is
// on a GPU.
#ifndef MUSTER_SIM_APP_EMIT_H_
#define MUSTER_SIM_APP_EMIT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/app/run.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::app {

struct EmitOptions {
  std::string file;                  // the first kernel; empty: none is written
  std::string target;                // cuda, cuda:N, or empty: none is run
  std::uint64_t times = 20;          // runs of each kernel
  double seconds = 60;               // for these, about
  std::optional<double> time_limit;  // of a launch, in seconds
};

// What was written and how it ran, as text and by explore.schema.json.
struct EmitReport {
  std::string text;
  nlohmann::ordered_json json;
};

class KernelWriter {
 public:
  KernelWriter(const Job& job, const Config& config, EmitOptions options);

  // Returns the files of the kernel with that number, from 1: its PTX, and its manifest.
  std::vector<std::string> FilesOf(std::size_t number) const;
  // Writes the kernel for a schedule of the world, and runs it if there is a target. Throws
  // ptx::InputError.
  EmitReport Write(explore::World* world, const ptx::Schedule& schedule, std::size_t number) const;

 private:
  // How the unit runs it.
  struct OnUnit {
    std::string outcome;
    bool is_wrong = false;
    bool is_kept = false;  // to the order
  };

  bool HasManifest() const;
  OnUnit RunOnUnit(const std::string& ptx) const;
  EmitReport Compare(const std::string& ptx) const;

  const Job& job_;
  const Config& config_;
  EmitOptions options_;
  std::size_t workers_ = 0;
};

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EMIT_H_
