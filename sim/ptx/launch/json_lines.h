// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds where the members of a JSON text stand, so that messages can name the line.
#ifndef MUSTER_SIM_PTX_LAUNCH_JSON_LINES_H_
#define MUSTER_SIM_PTX_LAUNCH_JSON_LINES_H_

#include <string>
#include <string_view>
#include <unordered_map>

namespace muster::ptx {

// Says what is wrong with a text that should be JSON.
struct JsonError {
  unsigned line = 0;
  std::string what;  // goes on after "the manifest": "is not JSON: ..."
};

class JsonLines {
 public:
  // Throws JsonError for a text that is not JSON, or whose brackets are nested too deeply.
  explicit JsonLines(std::string_view text);

  // The line of a value, by its path: "buffers.in.type", "args[2]". 0: not there.
  unsigned LineOf(const std::string& path) const;
  // The path of a key that an object has twice; empty: none. Its line is that of the second.
  const std::string& duplicate() const { return duplicate_; }

 private:
  class Reader;

  std::unordered_map<std::string, unsigned> lines_;
  std::string duplicate_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_JSON_LINES_H_
