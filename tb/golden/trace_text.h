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
