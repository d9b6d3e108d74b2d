// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Replays a log on the golden models, and compares the effects of each operation.
#ifndef MUSTER_SIM_LOG_REPLAY_H_
#define MUSTER_SIM_LOG_REPLAY_H_

#include <cstdint>
#include <string>
#include <vector>

namespace muster::log {

// The result of a log that the golden model has replayed.
struct Replayed {
  std::uint64_t operations = 0;   // lines
  std::uint64_t differences = 0;  // operations whose effects differ
  std::vector<std::string>
      reports;        // the first of them, each with file, line, cycle and both values
  std::string error;  // not empty: the log could not be read (to its end)
};
Replayed Replay(const std::string& path);

}  // namespace muster::log

#endif  // MUSTER_SIM_LOG_REPLAY_H_
