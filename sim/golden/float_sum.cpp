// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/float_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace muster::golden {
namespace {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "floats of the host are those of IEEE 754");

constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51;
constexpr std::uint64_t kInvalid = 0xfff8000000000000;
constexpr std::uint32_t kNan32 = 0x7fffffff;
constexpr std::uint16_t kNan16 = 0x7fff;
constexpr std::uint16_t kSign16 = 0x8000;

template <typename To, typename From>
To Cast(From from) {
  static_assert(sizeof(To) == sizeof from, "bits are as many");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// A format of 16 bits: those of its fraction, and the exponent of its least normal number.
struct Format16 {
  unsigned fraction;
  int least;
};
constexpr Format16 kF16 = {10, -14};
constexpr Format16 kBf16 = {7, -126};

std::uint16_t InfinityOf(const Format16& format) {
  return static_cast<std::uint16_t>(0x7fffU >> format.fraction << format.fraction);
}

double ValueOf(const Format16& format, std::uint16_t bits) {
  const std::uint16_t magnitude = bits & 0x7fffU;
  const double sign = (bits & kSign16) != 0 ? -1 : 1;
  if (magnitude >= InfinityOf(format)) {
    return magnitude == InfinityOf(format) ? sign * std::numeric_limits<double>::infinity()
                                           : std::numeric_limits<double>::quiet_NaN();
  }
  const int exponent = magnitude >> format.fraction;
  const int hidden = exponent == 0 ? 0 : 1 << format.fraction;
  const int significand = (magnitude & ((1 << format.fraction) - 1)) | hidden;
  return sign * std::ldexp(significand, std::max(exponent, 1) - 1 + format.least -
                                            static_cast<int>(format.fraction));
}

// The sum of two such numbers as a double has more than twice their bits: where it is not exact, it
// rounds to the number to which the exact sum does.
std::uint16_t Add(const Format16& format, std::uint16_t a, std::uint16_t b) {
  const double sum = ValueOf(format, a) + ValueOf(format, b);
  if (std::isnan(sum)) {
    return kNan16;
  }
  const std::uint16_t sign = std::signbit(sum) ? kSign16 : 0;
  if (sum == 0 || std::isinf(sum)) {
    return sign | (sum == 0 ? 0 : InfinityOf(format));
  }
  const int exponent = std::max(std::ilogb(sum), format.least);
  const auto fraction = static_cast<int>(format.fraction);
  // To the nearest integer, of two to the even one.
  const double significand = std::nearbyint(std::ldexp(std::fabs(sum), fraction - exponent));
  const int bits = ((exponent - format.least) << fraction) + static_cast<int>(significand);
  return sign | static_cast<std::uint16_t>(std::min<int>(bits, InfinityOf(format)));
}

}  // namespace

std::uint64_t AddF64(std::uint64_t a, std::uint64_t b) {
  for (const std::uint64_t operand : {a, b}) {
    if (std::isnan(Cast<double>(operand))) {
      return operand | kQuiet;
    }
  }
  const double sum = Cast<double>(a) + Cast<double>(b);
  return std::isnan(sum) ? kInvalid : Cast<std::uint64_t>(sum);
}

std::uint32_t AddF32(std::uint32_t a, std::uint32_t b) {
  const float sum = Cast<float>(a) + Cast<float>(b);
  return std::isnan(sum) ? kNan32 : Cast<std::uint32_t>(sum);
}

std::uint16_t AddF16(std::uint16_t a, std::uint16_t b) { return Add(kF16, a, b); }
std::uint16_t AddBf16(std::uint16_t a, std::uint16_t b) { return Add(kBf16, a, b); }

}  // namespace muster::golden
