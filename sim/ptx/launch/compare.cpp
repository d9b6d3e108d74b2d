// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/ptx/launch/element.h"
#include "sim/ptx/program/types.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kMaxDifferences = 20;  // shown of a buffer

// The place of a number among all of its type, 0 being that of both zeroes.
std::int64_t PlaceOf(Type type, const std::uint8_t* element) {
  const unsigned sign = 8 * Bytes(type) - 1;
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, Bytes(type));
  const auto magnitude = static_cast<std::int64_t>(bits & ~(std::uint64_t{1} << sign));
  return (bits >> sign & 1) != 0 ? -magnitude : magnitude;
}

bool IsRight(const Buffer& buffer, const std::uint8_t* there, const std::uint8_t* expected) {
  if (std::memcmp(there, expected, Bytes(buffer.type)) == 0) {
    return true;
  }
  if (!IsReal(buffer.type)) {
    return false;
  }
  if (std::isnan(RealOf(buffer.type, there)) && std::isnan(RealOf(buffer.type, expected))) {
    return true;
  }
  if (!buffer.tolerance || !std::isfinite(RealOf(buffer.type, there)) ||
      !std::isfinite(RealOf(buffer.type, expected))) {
    return false;
  }
  const Tolerance& most = *buffer.tolerance;
  const Error error = ErrorOf(buffer.type, there, expected);
  return (most.absolute && error.absolute <= *most.absolute) ||
         (most.relative && error.relative <= *most.relative) ||
         (most.ulps && error.ulps <= *most.ulps);
}

// What is beside the numbers, of those that have a distance. How many numbers lie between the two
// tells something where these are few, and the quotient where the expected one is not 0.
std::string ErrorText(Type type, const std::uint8_t* there, const std::uint8_t* expected) {
  if (!IsReal(type) || !std::isfinite(RealOf(type, there)) ||
      !std::isfinite(RealOf(type, expected))) {
    return "";
  }
  constexpr std::uint64_t kFewUlps = 1000;
  const Error error = ErrorOf(type, there, expected);
  std::string text = fmt::format(" (off by {:.3g}", error.absolute);
  if (std::isfinite(error.relative)) {
    text += fmt::format(", relative {:.3g}", error.relative);
  }
  if (error.ulps <= kFewUlps) {
    text += fmt::format(", {} ulp{}", error.ulps, error.ulps == 1 ? "" : "s");
  }
  return text + ")";
}

}  // namespace

Error ErrorOf(Type type, const std::uint8_t* there, const std::uint8_t* expected) {
  const double value = RealOf(type, there);
  const double wanted = RealOf(type, expected);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(value) || !std::isfinite(wanted)) {
    return {kInfinity, kInfinity, std::numeric_limits<std::uint64_t>::max()};
  }
  Error error;
  error.absolute = std::abs(value - wanted);
  error.relative = error.absolute == 0 ? 0 : error.absolute / std::abs(wanted);
  const std::int64_t from = PlaceOf(type, there);
  const std::int64_t to = PlaceOf(type, expected);
  error.ulps = static_cast<std::uint64_t>(std::max(from, to)) -
               static_cast<std::uint64_t>(std::min(from, to));
  return error;
}

std::string Difference(const Buffer& buffer, const std::vector<std::uint8_t>& contents,
                       const UnknownBytes& unknown, const Origins& origins) {
  const unsigned size = Bytes(buffer.type);
  std::uint64_t wrong = 0;
  std::string shown;
  std::uint64_t not_known = 0;
  for (std::uint64_t i = 0; buffer.expected && i < buffer.count; ++i) {
    const std::uint8_t* const there = &contents[i * size];
    const std::uint8_t* const wanted = &(*buffer.expected)[i * size];
    if (unknown.Find(i * size, size) != 0) {
      ++not_known;
      continue;
    }
    if (IsRight(buffer, there, wanted) || wrong++ >= kMaxDifferences) {
      continue;
    }
    shown += fmt::format("{}[{}] is {}, not {}{}", shown.empty() ? "" : "; ", i,
                         FormatElement(buffer.type, there), FormatElement(buffer.type, wanted),
                         ErrorText(buffer.type, there, wanted));
  }
  std::string text;
  if (not_known != 0) {
    text = fmt::format(
        "of {} {} {} of {} elements are not known, as they depend on what {} has written, which is "
        "not computed",
        buffer.Word(), buffer.name, not_known, buffer.count,
        origins.NameOf(unknown.Find(0, buffer.count * size)));
  }
  if (wrong != 0) {
    text += fmt::format("{}{} {} differs in {} of {} elements{}: {}", text.empty() ? "" : "; and ",
                        buffer.Word(), buffer.name, wrong, buffer.count,
                        buffer.tolerance ? " by more than its tolerance" : "", shown);
  }
  return text;
}

}  // namespace muster::ptx
