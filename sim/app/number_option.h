// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Options with numbers.
#ifndef MUSTER_SIM_APP_NUMBER_OPTION_H_
#define MUSTER_SIM_APP_NUMBER_OPTION_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "sim/ptx/syntax/error.h"

namespace muster::app {

// Parses the whole text as a number of at most 64 bits.
inline std::optional<std::uint64_t> WholeNumber(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return stopped == end && error == std::errc() ? std::optional(number) : std::nullopt;
}

// Adds an option with a range. CLI11 alone would read -1, and numbers that the type cannot hold, as
// the largest number.
template <typename Number>
CLI::Option* AddNumber(CLI::App* command, const std::string& name, Number* value,
                       const std::string& what, std::uint64_t least = 0,
                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  const auto check = [least, most](std::string& text) -> std::string {
    const std::optional<std::uint64_t> number = WholeNumber(text);
    if (!number || *number < least || *number > most) {
      return fmt::format("\"{}\" is not a whole number from {} to {}", ptx::Printable(text), least,
                         most);
    }
    text = fmt::format("{}", *number);
    return "";
  };
  return command->add_option(name, *value, what)
      ->transform(CLI::Validator(check, ""))
      ->type_name("NUMBER");
}

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_NUMBER_OPTION_H_
