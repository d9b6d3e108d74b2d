// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a run has left in buffers and symbols, as its options ask for it.
#ifndef MUSTER_SIM_APP_CONTENTS_H_
#define MUSTER_SIM_APP_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/app/run.h"
#include "sim/ptx/launch/manifest.h"

namespace muster::app {

// Throws ptx::InputError where --show or --dump names a buffer that is not there.
void CheckContents(const ptx::Manifest& manifest, const RunOptions& options);

// The files that a run writes when its last launch has ended.
std::vector<std::string> FinalOutputs(const RunOptions& options);

// Adds what --show asks for to the result's text, and writes the files of --dump and --report.
// Throws ptx::InputError. Of a buffer that is not known (nothing) only that is said.
using ContentsOf = std::function<std::optional<std::vector<std::uint8_t>>(std::size_t buffer)>;
void GiveContents(const ptx::Manifest& manifest, const RunOptions& options,
                  const ContentsOf& contents_of, RunResult* result);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_CONTENTS_H_
