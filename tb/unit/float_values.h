// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Floating-point numbers that make sums go wrong, and what of a sum is special.
#ifndef TB_UNIT_FLOAT_VALUES_H_
#define TB_UNIT_FLOAT_VALUES_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace muster {

struct FloatFormat {
  const char* name;
  unsigned exponent;  // bits
  unsigned fraction;

  unsigned bits() const { return 1 + exponent + fraction; }
  std::uint64_t sign() const { return std::uint64_t{1} << (exponent + fraction); }
  std::uint64_t infinity() const { return sign() - (std::uint64_t{1} << fraction); }
  std::uint64_t normal() const { return std::uint64_t{1} << fraction; }  // the least one
  bool IsNan(std::uint64_t value) const { return (value & (sign() - 1)) > infinity(); }
  bool IsInfinite(std::uint64_t value) const { return (value & (sign() - 1)) == infinity(); }
  bool IsZero(std::uint64_t value) const { return (value & (sign() - 1)) == 0; }
  bool IsSubnormal(std::uint64_t value) const {
    return !IsZero(value) && (value & (sign() - 1)) < normal();
  }
};
inline constexpr FloatFormat kFormatF16 = {"f16", 5, 10};
inline constexpr FloatFormat kFormatBf16 = {"bf16", 8, 7};
inline constexpr FloatFormat kFormatF32 = {"f32", 8, 23};
inline constexpr FloatFormat kFormatF64 = {"f64", 11, 52};

// A number to be added to `other`: special ones, neighbours of powers of two, `other` itself, ones
// near to it or to its negative, ones whose last bits are half of its last one, and any.
inline std::uint64_t FloatNear(const FloatFormat& format, std::uint64_t other,
                               std::mt19937* random) {
  const auto below = [random](unsigned n) { return static_cast<unsigned>((*random)() % n); };
  const std::uint64_t any = std::uint64_t{(*random)()} << 32 | (*random)();
  const std::uint64_t mask = format.sign() * 2 - 1;
  const std::uint64_t sign = below(2) == 0 ? format.sign() : 0;
  const std::uint64_t unit = std::uint64_t{1} << below(format.fraction);
  if (format.IsInfinite(other) && below(3) == 0) {
    return other ^ format.sign();
  }
  switch (below(3) == 0 ? 0 : below(9)) {
    case 0: {
      const std::uint64_t special[] = {0,
                                       1,
                                       format.normal() - 1,
                                       format.normal(),
                                       format.infinity() - 1,
                                       format.infinity(),
                                       format.infinity() + 1 + any % (format.normal() - 1),
                                       format.infinity() + format.normal() / 2};
      return special[below(8)] | sign;
    }
    case 1:  // a power of two, and its neighbours
      return ((std::uint64_t{below(1U << format.exponent)} << format.fraction) + below(3) - 1) &
             mask;
    case 2:  // subnormal
      return (any & (format.normal() - 1)) | sign;
    case 3:  // bits that differ from the other one's
      return (other ^ format.sign() ^ (any % unit)) & mask;
    case 4: {  // so many powers of two from the other one
      const std::uint64_t steps = below(2 * format.fraction + 6);
      const std::uint64_t bits = other ^ sign ^ (any % unit);
      return (bits + ((steps - format.fraction - 3) << format.fraction)) & mask;
    }
    case 5:  // with few bits
      return ((any & ~(unit - 1)) ^ sign) & mask;
    case 6: {  // below the other one's last bit, or half of it
      const std::uint64_t exponent = (other & (format.sign() - 1)) >> format.fraction;
      const unsigned less = format.fraction + below(3);
      return (exponent > less ? (exponent - less) << format.fraction : 0) | sign |
             (below(2) == 0 ? 0 : any % format.normal());
    }
    case 7:  // the same, or its negative
      return other ^ sign;
    default:
      return any & mask;
  }
}

// What is special of a sum, in words that begin with the format.
inline std::vector<std::string> FloatEvents(const FloatFormat& format, std::uint64_t a,
                                            std::uint64_t b, std::uint64_t sum) {
  const bool infinite = format.IsInfinite(a) || format.IsInfinite(b);
  const bool nan = format.IsNan(a) || format.IsNan(b);
  const std::int64_t apart =
      static_cast<std::int64_t>((a & (format.sign() - 1)) >> format.fraction) -
      static_cast<std::int64_t>((b & (format.sign() - 1)) >> format.fraction);
  std::vector<std::string> events;
  const auto add = [&](bool is, const char* name) {
    if (is) {
      events.push_back(format.name + std::string(".") + name);
    }
  };
  add(nan, "nan");
  add(format.IsNan(a) && format.IsNan(b) && a != b, "nan.both");
  add(!nan && format.IsNan(sum), "invalid");
  add(infinite && format.IsInfinite(sum), "infinite");
  add(!infinite && format.IsInfinite(sum), "overflow");
  add(format.IsSubnormal(a) && format.IsSubnormal(b), "subnormal.both");
  add(!format.IsSubnormal(a) && !format.IsSubnormal(b) && format.IsSubnormal(sum),
      "subnormal.of.normal");
  add(format.IsSubnormal(a) && format.IsSubnormal(b) && !format.IsZero(sum) &&
          !format.IsSubnormal(sum),
      "normal.of.subnormal");
  add(!format.IsZero(a) && sum == 0, "cancels");
  add(sum == format.sign(), "zero.negative");
  add(!nan && !infinite && (apart > 70 || apart < -70), "far");
  return events;
}
// All of these words.
inline std::vector<std::string> AllFloatEvents(const FloatFormat& format) {
  std::vector<std::string> events;
  for (const char* name :
       {"nan", "nan.both", "invalid", "infinite", "overflow", "subnormal.both",
        "subnormal.of.normal", "normal.of.subnormal", "cancels", "zero.negative"}) {
    events.push_back(format.name + std::string(".") + name);
  }
  if (format.exponent > 6) {  // the others have no such exponents
    events.push_back(format.name + std::string(".far"));
  }
  return events;
}

}  // namespace muster

#endif  // TB_UNIT_FLOAT_VALUES_H_
