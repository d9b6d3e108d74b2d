// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Bad input: what a user gave that cannot be run. The program prints it and exits with code 2.
#ifndef MUSTER_SIM_PTX_SYNTAX_ERROR_H_
#define MUSTER_SIM_PTX_SYNTAX_ERROR_H_

#include <stdexcept>
#include <string>
#include <string_view>

namespace muster::ptx {

// One sentence per problem, a line each, with file, line and column where there are any.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

// A kernel that other configurations of the unit can run, and this one cannot.
class DoesNotFit : public InputError {
 public:
  using InputError::InputError;
};

// Text from the input as a message can show it: in ASCII, and in one line.
inline std::string Printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    if (c >= ' ' && c <= '~') {
      shown += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    shown.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 0xf]});
  }
  return shown;
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SYNTAX_ERROR_H_
