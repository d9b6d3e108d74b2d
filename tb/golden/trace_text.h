// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Words and numbers of traces.
#ifndef TB_GOLDEN_TRACE_TEXT_H_
#define TB_GOLDEN_TRACE_TEXT_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

namespace muster {

inline constexpr std::uint32_t kAllLanes = 0xffffffff;

// Single spaces between the words, and none around them.
inline std::string Trim(const std::string& text) {
  std::istringstream in(text);
  std::string trimmed;
  for (std::string word; in >> word;) {
    trimmed += (trimmed.empty() ? "" : " ") + word;
  }
  return trimmed;
}

// Calls `run` with each line that has more than a remark after #. A line that ends with \ goes on.
template <typename Run>
void ForEachLine(std::string_view text, Run run) {
  std::istringstream in{std::string(text)};
  std::string whole;
  for (std::string line; std::getline(in, line);) {
    const std::string kept = line.substr(0, line.find('#'));
    whole += kept.substr(0, kept.find('\\'));
    if (kept.find('\\') != std::string::npos) {
      continue;
    }
    whole = Trim(whole);
    if (!whole.empty()) {
      SCOPED_TRACE(whole);
      run(whole);
    }
    whole.clear();
  }
}

// In decimal, or in hexadecimal after 0x; anything else fails the test.
inline std::uint64_t Number(const std::string& text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 0);
  EXPECT_TRUE(!text.empty() && *end == '\0') << "no number: " << text;
  return value;
}

// A number of 32 bits.
inline std::uint32_t Number32(const std::string& text) {
  const std::uint64_t value = Number(text);
  EXPECT_LE(value, 0xffffffff) << text;
  return static_cast<std::uint32_t>(value);
}

}  // namespace muster

#endif  // TB_GOLDEN_TRACE_TEXT_H_
