// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/alu/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/ptx/alu/compute.h"

namespace muster::ptx {
namespace {

constexpr unsigned kFractionBits = 52;  // of a double
constexpr int kBias = 1023;
constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << kFractionBits;

// Whether what is cut off, `rest` of `whole`, moves the number away from zero.
bool RoundsUp(Round round, bool negative, bool odd, std::uint64_t rest, std::uint64_t whole) {
  switch (round) {
    case Round::kNearest:
      return 2 * rest > whole || (2 * rest == whole && odd);
    case Round::kNearestAway:
      return 2 * rest >= whole;
    case Round::kDown:
      return negative && rest != 0;
    case Round::kUp:
      return !negative && rest != 0;
    default:
      return false;
  }
}

// A power of two, by its exponent; the sign is ignored.
constexpr std::uint64_t kNoScale = 0xff;
constexpr int kScaleBias = 127;
std::uint64_t ToScale(Round round, double value) {
  if (std::isnan(value)) {
    return kNoScale;
  }
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // from a half up to 1
  const int scale = std::isinf(value) ? kScaleBias + 1
                    : value == 0      ? -kScaleBias
                                      : exponent - (round == Round::kUp && fraction > 0.5 ? 0 : 1);
  return static_cast<std::uint64_t>(std::clamp(scale, -kScaleBias, kScaleBias) + kScaleBias);
}

}  // namespace

double FromSmall(Type type, std::uint64_t bits) {
  if (type == Type::kUE8M0) {
    return bits == kNoScale ? std::numeric_limits<double>::quiet_NaN()
                            : std::ldexp(1.0, static_cast<int>(bits) - kScaleBias);
  }
  const SmallFormat format = FormatOf(type);
  bits >>= format.shift;
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << format.sign_bit) - 1);
  const bool negative = ((bits >> format.sign_bit) & 1U) != 0;
  double value = 0;
  if (magnitude > format.greatest) {
    value = format.has_infinity && magnitude == format.greatest + 1
                ? std::numeric_limits<double>::infinity()
                : std::numeric_limits<double>::quiet_NaN();
  } else {
    const std::uint64_t field = magnitude >> format.fraction_bits;
    const unsigned shift = kFractionBits - format.fraction_bits;
    const std::uint64_t rebias = static_cast<std::uint64_t>(format.least_exponent - 1 + kBias)
                                 << kFractionBits;
    // A subnormal number is a normal one, less that number's hidden bit.
    value = field != 0 ? FromBits<double>((magnitude << shift) + rebias)
                       : FromBits<double>((magnitude << shift) + rebias + kHiddenBit) -
                             FromBits<double>(rebias + kHiddenBit);
  }
  return negative ? -value : value;
}

double OperandOf(Type type, bool flush, std::uint64_t bits) {
  const double value = FromSmall(type, bits);
  const bool flushes = flush && std::fabs(value) < std::ldexp(1.0, FormatOf(type).least_exponent);
  return flushes ? std::copysign(0.0, value) : value;
}

std::uint64_t ToSmall(Type type, Round round, double value, bool finite) {
  if (type == Type::kUE8M0) {
    return ToScale(round, value);
  }
  const SmallFormat format = FormatOf(type);
  const bool negative = std::signbit(value);
  const std::uint64_t sign = std::uint64_t{negative} << format.sign_bit;
  const std::uint64_t over = format.greatest + (finite ? 0 : 1);
  if (std::isnan(value)) {
    return ((std::uint64_t{1} << (format.sign_bit + format.shift)) - 1);
  }
  if (std::isinf(value)) {
    return (sign | over) << format.shift;
  }
  const std::uint64_t bits = ToBits(value) & ~(std::uint64_t{1} << 63);
  const int exponent = static_cast<int>(bits >> kFractionBits) - kBias;
  const std::uint64_t significand =
      (bits & (kHiddenBit - 1)) | (exponent == -kBias ? 0 : kHiddenBit);
  // What is far below the least number counts as a little of it.
  const int below = std::max(format.least_exponent - exponent, 0);
  const unsigned cut = std::min(kFractionBits - format.fraction_bits + static_cast<unsigned>(below),
                                kFractionBits + 2);
  const std::uint64_t whole = std::uint64_t{1} << cut;
  const std::uint64_t kept = significand >> cut;
  const bool up = RoundsUp(round, negative, (kept & 1U) != 0, significand & (whole - 1), whole);
  // The hidden bit moves on to the exponent, and so does a fraction that is full.
  const auto steps = static_cast<std::uint64_t>(exponent + below - format.least_exponent);
  const std::uint64_t magnitude = (steps << format.fraction_bits) + kept + (up ? 1 : 0);
  if (magnitude <= format.greatest) {
    return (sign | magnitude) << format.shift;
  }
  const bool to_infinity = round == Round::kNearest || round == Round::kNearestAway ||
                           round == (negative ? Round::kDown : Round::kUp);
  return (sign | (to_infinity ? over : format.greatest)) << format.shift;
}

double SumToOdd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) {
    return sum;
  }
  const double rest_of_a = sum - b;
  const double error = (a - rest_of_a) + (b - (sum - rest_of_a));
  const std::uint64_t bits = ToBits(sum);
  if (error == 0 || (bits & 1U) != 0) {
    return sum;
  }
  return FromBits<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace muster::ptx
