// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adder of floating-point numbers alone, Verilated: a pair of numbers in each cycle, and the
// sum of the golden model eight cycles later.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>

#include "Vatomics_float_all.h"
#include "Vatomics_float_single.h"
#include "Vatomics_float_to_single.h"
#include "sim/golden/float_sum.h"
#include "tb/unit/float_values.h"

namespace muster::atomics {
namespace {

constexpr unsigned kStages = 8;     // registers between numbers and sum
constexpr unsigned kSums = 400000;  // of each format

constexpr std::array<FloatFormat, 4> kFormats = {kFormatF16, kFormatBf16, kFormatF32, kFormatF64};

std::uint64_t Sum(unsigned format, std::uint64_t a, std::uint64_t b) {
  switch (format) {
    case 0:
      return golden::AddF16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
    case 1:
      return golden::AddBf16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
    case 2:
      return golden::AddF32(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    default:
      return golden::AddF64(a, b);
  }
}

template <typename Unit>
void RunSums(Unit* unit, unsigned format) {
  struct Pair {
    std::uint64_t a, b;
    unsigned quarter;
  };
  const FloatFormat& which = kFormats[format];
  std::mt19937 random(format);
  std::deque<Pair> under_way;
  std::map<std::string, std::uint64_t> met;
  for (const std::string& event : AllFloatEvents(which)) {
    met[event] = 0;
  }
  std::uint64_t last = 0;
  unit->format_i = static_cast<std::uint8_t>(format);
  for (unsigned i = 0; i < kSums; ++i) {
    Pair pair;
    pair.a = FloatNear(which, last, &random);
    pair.b = FloatNear(which, pair.a, &random);
    // Any place in the word, and anything beside.
    const unsigned places = 64 / which.bits();
    pair.quarter = static_cast<unsigned>(random() % places) * (4 / places);
    const std::uint64_t beside = std::uint64_t{random()} << 32 | random();
    const std::uint64_t mask = (which.sign() * 2 - 1) << 16 * pair.quarter;
    unit->quarter_i = static_cast<std::uint8_t>(pair.quarter);
    unit->a_i = (beside & ~mask) | pair.a << 16 * pair.quarter;
    unit->b_i = (~beside & ~mask) | pair.b << 16 * pair.quarter;
    unit->clk_i = 0;
    unit->eval();
    under_way.push_back(pair);
    if (under_way.size() > kStages) {
      const Pair& first = under_way.front();
      const std::uint64_t expected = Sum(format, first.a, first.b);
      const std::uint64_t sum = unit->sum_o >> 16 * first.quarter & (which.sign() * 2 - 1);
      ASSERT_EQ(sum, expected) << fmt::format("{}: {:#x} + {:#x}: {:#x}, golden {:#x}", which.name,
                                              first.a, first.b, sum, expected);
      last = sum;
      for (const std::string& event : FloatEvents(which, first.a, first.b, sum)) {
        ++met[event];
      }
      under_way.pop_front();
    }
    unit->clk_i = 1;
    unit->eval();
  }
  for (const auto& [event, times] : met) {
    EXPECT_NE(times, 0U) << event << " is never met";
  }
  unit->final();
}

TEST(AtomicsFloat, SumsOfAllFormats) {
  for (unsigned format = 0; format < kFormats.size() && !::testing::Test::HasFatalFailure();
       ++format) {
    VerilatedContext context;
    Vatomics_float_all unit(&context);
    RunSums(&unit, format);
  }
}

TEST(AtomicsFloat, SumsWithoutF64) {
  for (unsigned format = 0; format < 3 && !::testing::Test::HasFatalFailure(); ++format) {
    VerilatedContext context;
    Vatomics_float_to_single unit(&context);
    RunSums(&unit, format);
  }
}

TEST(AtomicsFloat, SumsOfF32Alone) {
  VerilatedContext context;
  Vatomics_float_single unit(&context);
  RunSums(&unit, 2);
}

}  // namespace
}  // namespace muster::atomics
