// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where the members of a JSON text stand, so that messages can name the line.
#ifndef MUSTER_SIM_PTX_LAUNCH_JSON_LINES_H_
#define MUSTER_SIM_PTX_LAUNCH_JSON_LINES_H_

#include <string>
#include <string_view>
#include <unordered_map>

namespace muster::ptx {

// The place at which brackets are nested deeper than `most`, or npos.
std::size_t TooDeep(std::string_view text, unsigned most);

class JsonLines {
 public:
  // `text` is valid JSON.
  explicit JsonLines(std::string_view text);

  // The line of a value, by its path: "buffers.in.type", "args[2]". 0: not there.
  unsigned LineOf(const std::string& path) const;
  // The path of a key that an object has twice; empty: none. Its line is that of the second.
  const std::string& duplicate() const { return duplicate_; }

 private:
  void Value(const std::string& path);
  void Space();
  std::string String();

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  std::unordered_map<std::string, unsigned> lines_;
  std::string duplicate_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_JSON_LINES_H_
