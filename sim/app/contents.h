// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The final contents of buffers and symbols, as the options ask for them.
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

// Throws ptx::InputError if --show or --dump names a buffer that does not exist.
void CheckContents(const ptx::Manifest& manifest, const RunOptions& options);

// The files that a run writes when its last launch has ended.
std::vector<std::string> FinalOutputs(const RunOptions& options);

// Adds the buffers of --show to the result's text, and writes the files of --dump and --report. If
// the contents of a buffer are not known, the text says so. Throws ptx::InputError.
using ContentsOf = std::function<std::optional<std::vector<std::uint8_t>>(std::size_t buffer)>;
void GiveContents(const ptx::Manifest& manifest, const RunOptions& options,
                  const ContentsOf& contents_of, RunResult* result);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_CONTENTS_H_
