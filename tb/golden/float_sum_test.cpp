// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model's sums of floating-point numbers: rows written by hand, and sums of 16 bits
// against a search for the nearest number of the format.
#include "sim/golden/float_sum.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

namespace muster::golden {
namespace {

struct SumRow {
  std::uint64_t a, b, sum;
};

template <typename Bits>
void CheckSums(Bits (*add)(Bits, Bits), std::initializer_list<SumRow> rows) {
  for (const SumRow& row : rows) {
    const auto sum = add(static_cast<Bits>(row.a), static_cast<Bits>(row.b));
    EXPECT_EQ(sum, row.sum) << fmt::format("{:#x} + {:#x}: {:#x}", row.a, row.b, sum);
  }
}

TEST(GoldenFloatSum, F32) {
  CheckSums(AddF32,
            {{0x3f800000, 0x3f800000, 0x40000000},  // 1 + 1
             {0x3f800000, 0x33800000, 0x3f800000},  // 1 + 2^-24: a tie, to even
             {0x3f800001, 0x33800000, 0x3f800002},  // likewise, up
             {0x3f800000, 0x33800001, 0x3f800001},  // above the tie
             {0x3f800000, 0xbf800000, 0},           // 1 - 1: +0
             {0x80000000, 0x80000000, 0x80000000},  // -0 - 0
             {0x00000000, 0x80000000, 0},           // 0 - 0
             {0x00000001, 0x00000001, 0x00000002},  // "supports subnormal inputs and results"
             {0x007fffff, 0x00000001, 0x00800000},  // to the least normal number
             {0x00800000, 0x80000001, 0x007fffff},  // and below it
             {0x7f7fffff, 0x73000000, 0x7f800000},  // half beyond the greatest: infinity
             {0x7f7fffff, 0x72ffffff, 0x7f7fffff},  // not quite
             {0x7f800000, 0x3f800000, 0x7f800000},  // infinity + 1
             {0x7f800000, 0xff800000, 0x7fffffff},  // infinity - infinity
             {0x7f800001, 0x3f800000, 0x7fffffff},  // NaN
             {0xffc00000, 0xff800000, 0x7fffffff}});
}

TEST(GoldenFloatSum, F64) {
  CheckSums(AddF64, {{0x3ff0000000000000, 0x3ca0000000000000, 0x3ff0000000000000},
                     {0x3ff0000000000001, 0x3ca0000000000000, 0x3ff0000000000002},
                     {0x0010000000000000, 0x8000000000000001, 0x000fffffffffffff},
                     {0x7fefffffffffffff, 0x7c90000000000000, 0x7ff0000000000000},
                     {0x8000000000000000, 0x8000000000000000, 0x8000000000000000},
                     {0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000},
                     {0x7ff0000000000123, 0xfff8000000000456, 0x7ff8000000000123},
                     {0xfff8000000000456, 0x7ff0000000000123, 0xfff8000000000456},
                     {0x3ff0000000000000, 0xfff0000000000123, 0xfff8000000000123}});
}

TEST(GoldenFloatSum, F16) {
  CheckSums(AddF16, {{0x3c00, 0x3c00, 0x4000},  // 1 + 1
                     {0x3c00, 0x1000, 0x3c00},  // 1 + 2^-11: a tie, to even
                     {0x3c01, 0x1000, 0x3c02},
                     {0x3c00, 0x1001, 0x3c01},
                     {0x0001, 0x0001, 0x0002},
                     {0x0400, 0x8001, 0x03ff},
                     {0x7bff, 0x4c00, 0x7c00},  // 65504 + 16
                     {0x7bff, 0x4bff, 0x7bff},
                     {0x3c00, 0xbc00, 0x0000},
                     {0x8000, 0x8000, 0x8000},
                     {0x7c00, 0xfc00, 0x7fff},
                     {0xfe00, 0x3c00, 0x7fff}});
}

TEST(GoldenFloatSum, Bf16) {
  CheckSums(AddBf16, {{0x3f80, 0x3f80, 0x4000},  // 1 + 1
                      {0x3f80, 0x3b80, 0x3f80},  // 1 + 2^-8: a tie, to even
                      {0x3f81, 0x3b80, 0x3f82},
                      {0x3f80, 0x3b81, 0x3f81},
                      {0x0001, 0x0001, 0x0002},
                      {0x0080, 0x8001, 0x007f},
                      {0x7f7f, 0x7b00, 0x7f80},
                      {0x7f7f, 0x7aff, 0x7f7f},
                      {0x7f80, 0x0001, 0x7f80},
                      {0x7f80, 0xff80, 0x7fff},
                      {0xffc0, 0x3f80, 0x7fff}});
}

// All numbers of a format of 16 bits that are not negative, in order: those of the bits, as f32.
template <typename Value>
std::vector<double> NumbersBelow(Value value_of, std::uint16_t infinity) {
  std::vector<double> numbers;
  for (unsigned bits = 0; bits < infinity; ++bits) {
    numbers.push_back(value_of(static_cast<std::uint16_t>(bits)));
  }
  return numbers;
}

// Which of the numbers is nearest to sum + rest, exactly: of two, the one with even bits. Where the
// next number would be beyond the greatest, it stands for infinity.
std::uint16_t Nearest(const std::vector<double>& numbers, double sum, double rest) {
  const auto above = std::upper_bound(numbers.begin(), numbers.end(), sum);
  auto low = static_cast<std::uint16_t>(above - numbers.begin() - 1);
  if (sum == numbers[low] && rest < 0) {
    --low;
  }
  const double step = low + 1U < numbers.size() ? numbers[low + 1U] - numbers[low]
                                                : numbers[low] - numbers[low - 1U];
  // The middle is a double, and `sum` is the double nearest to all of it.
  const double middle = numbers[low] + step / 2;
  if (sum != middle || rest != 0) {
    return sum > middle || (sum == middle && rest > 0) ? low + 1 : low;
  }
  return (low & 1U) != 0 ? low + 1 : low;
}

template <typename Value>
void SearchAll(std::uint16_t (*add)(std::uint16_t, std::uint16_t), Value value_of,
               std::uint16_t infinity) {
  const std::vector<double> numbers = NumbersBelow(value_of, infinity);
  std::mt19937 random(16);
  for (unsigned i = 0; i < 1000000; ++i) {
    const auto a = static_cast<std::uint16_t>(random());
    // Half of them are near.
    const auto b =
        static_cast<std::uint16_t>(i % 2 == 0 ? random() : a ^ 0x8000U ^ random() % 4096);
    if ((a & 0x7fff) >= infinity || (b & 0x7fff) >= infinity) {
      continue;
    }
    const double x = (a & 0x8000) != 0 ? -numbers[a & 0x7fff] : numbers[a];
    const double y = (b & 0x8000) != 0 ? -numbers[b & 0x7fff] : numbers[b];
    double sum = x + y;
    // What the sum of doubles lacks.
    double rest = std::fabs(x) > std::fabs(y) ? y - (sum - x) : x - (sum - y);
    const bool negative = std::signbit(sum);
    if (negative) {
      sum = -sum;
      rest = -rest;
    }
    const unsigned expected = Nearest(numbers, sum, rest) | (negative ? 0x8000U : 0);
    ASSERT_EQ(add(a, b), expected) << fmt::format("{:#x} + {:#x}", a, b);
  }
}

TEST(GoldenFloatSum, F16IsTheNearest) {
  SearchAll(
      AddF16,
      [](std::uint16_t bits) {
        const int exponent = bits >> 10;
        return exponent == 0 ? std::ldexp(bits, -24)
                             : std::ldexp((bits & 0x3ff) + 0x400, exponent - 25);
      },
      0x7c00);
}

// The upper half of an f32.
TEST(GoldenFloatSum, Bf16IsTheNearest) {
  SearchAll(
      AddBf16,
      [](std::uint16_t bits) {
        const std::uint32_t whole = std::uint32_t{bits} << 16;
        float value = 0;
        std::memcpy(&value, &whole, sizeof value);
        return static_cast<double>(value);
      },
      0x7f80);
}

}  // namespace
}  // namespace muster::golden
