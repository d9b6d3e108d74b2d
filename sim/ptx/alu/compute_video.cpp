// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Video instructions.
#include <algorithm>
#include <limits>

#include "sim/ptx/alu/compute.h"

namespace muster::ptx {
namespace {

using Wide = __int128;

// Some bits of a word, as a number.
std::int64_t BitsAt(std::uint64_t word, unsigned from, unsigned width, bool is_signed) {
  const std::uint64_t bits = (word >> from) & (~std::uint64_t{0} >> (64 - width));
  const bool negative = is_signed && ((bits >> (width - 1)) & 1U) != 0;
  return static_cast<std::int64_t>(bits) - (negative ? std::int64_t{1} << width : std::int64_t{0});
}

unsigned WidthOf(unsigned part) { return part < kHalfPart ? 8 : part < kWholePart ? 16 : 32; }
unsigned PlaceOf(unsigned part) {
  return part < kHalfPart ? 8 * part : part < kWholePart ? 16 * (part - kHalfPart) : 0;
}

Wide Clamped(Wide value, unsigned width, bool is_signed) {
  const Wide most = (Wide{1} << (is_signed ? width - 1 : width)) - 1;
  return std::clamp(value, is_signed ? -most - 1 : Wide{0}, most);
}

bool Holds(Compare compare, std::int64_t a, std::int64_t b) {
  switch (compare) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

Wide Primary(VideoOp op, const Video& video, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMostShift = 32;
  const std::int64_t by = video.wraps ? b % kMostShift : std::min(b, kMostShift);
  switch (op) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kAbsDiff:
      return a < b ? b - a : a - b;
    case VideoOp::kMin:
      return std::min(a, b);
    case VideoOp::kMax:
      return std::max(a, b);
    case VideoOp::kAverage:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOp::kShl:
      return Wide{a} * (Wide{1} << by);
    case VideoOp::kShr:
      return a >> by;
    default:
      return Holds(video.compare, a, b) ? 1 : 0;
  }
}

// Intermediate results have 33 bits.
Wide Cut33(Wide value) { return BitsAt(static_cast<std::uint64_t>(value), 0, 33, true); }

std::uint64_t Scalar(const Video& video, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const bool is_signed = IsSigned(video.type);
  const auto part = [](std::uint64_t word, unsigned which, bool sign) {
    return BitsAt(word, PlaceOf(which), WidthOf(which), sign);
  };
  const unsigned width = WidthOf(video.to_part);
  Wide value = Primary(video.op, video, part(a, video.parts[0], video.is_signed[0]),
                       part(b, video.parts[1], video.is_signed[1]));
  value = video.saturate ? Clamped(value, width, is_signed) : Cut33(value);
  const Wide other = BitsAt(c, 0, 32, is_signed);
  switch (video.second) {
    case VideoSecond::kAdd:
      value += other;
      break;
    case VideoSecond::kMin:
      value = std::min(value, other);
      break;
    case VideoSecond::kMax:
      value = std::max(value, other);
      break;
    default:
      break;
  }
  const std::uint64_t field = (~std::uint64_t{0} >> (64 - width)) << PlaceOf(video.to_part);
  const std::uint64_t put = (static_cast<std::uint64_t>(value) << PlaceOf(video.to_part)) & field;
  return (put | (c & ~field)) & 0xffffffffU;
}

// The product or c may be negated: complemented, and a one added.
std::uint64_t MultiplyAdd(const Video& video, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const bool minus_product = video.minus_product;
  const bool minus_c = video.minus_c;
  const bool is_signed = video.is_signed[0] || video.is_signed[1] || minus_product || minus_c;
  Wide value =
      Wide{BitsAt(a, PlaceOf(video.parts[0]), WidthOf(video.parts[0]), video.is_signed[0])} *
      BitsAt(b, PlaceOf(video.parts[1]), WidthOf(video.parts[1]), video.is_signed[1]);
  value = (minus_product ? ~value : value) + BitsAt(minus_c ? ~c : c, 0, 32, is_signed) +
          (minus_product || minus_c || video.plus_one ? 1 : 0);
  value >>= video.shift;
  return static_cast<std::uint64_t>(video.saturate ? Clamped(value, 32, is_signed) : value) &
         0xffffffffU;
}

std::uint64_t Several(const Video& video, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const unsigned width = 32U / video.elements;
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - width);
  const std::uint64_t both = (b << 32) | a;
  std::uint64_t d = c;
  for (unsigned k = 0; k < video.elements; ++k) {
    if (((video.to_part >> k) & 1U) == 0) {
      continue;
    }
    const auto element = [&](unsigned digits, bool sign) {
      return BitsAt(both, ((digits >> (4 * k)) & 0xfU) * width, width, sign);
    };
    Wide value = Primary(video.op, video, element(video.parts[0], video.is_signed[0]),
                         element(video.parts[1], video.is_signed[1]));
    value = video.saturate ? Clamped(value, width, IsSigned(video.type)) : value;
    const auto bits = static_cast<std::uint64_t>(value);
    d = video.second == VideoSecond::kAdd
            ? d + bits
            : (d & ~(ones << (k * width))) | ((bits & ones) << (k * width));
  }
  return d & 0xffffffffU;
}

}  // namespace

void Compute(const Lanes& l, const Video& i) {
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.a[2]);
  std::uint64_t* const d = l.Write(i.d);
  const auto compute = i.elements > 1 ? Several : i.op == VideoOp::kMad ? MultiplyAdd : Scalar;
  l.ForEach([&](unsigned lane) { d[lane] = compute(i, a[lane], b[lane], c[lane]); });
}

}  // namespace muster::ptx
