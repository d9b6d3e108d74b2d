// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/compute.h"

#include <cmath>
#include <limits>

namespace muster::ptx {
namespace {

// Integers wrap: computed in 64 unsigned bits and cut to their type.
template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T>
std::uint64_t Wide(T value) {
  return static_cast<std::uint64_t>(value);
}

template <typename F>
void Unary(const Lanes& l, F f) {
  WithNumber(l.instruction.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.a(0);
    std::uint64_t* const d = l.d(0);
    l.ForEach([&](unsigned lane) { d[lane] = ToBits<T>(f(FromBits<T>(a[lane]))); });
  });
}

template <typename F>
void Binary(const Lanes& l, F f) {
  WithNumber(l.instruction.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.a(0);
    const auto b = l.a(1);
    std::uint64_t* const d = l.d(0);
    l.ForEach(
        [&](unsigned lane) { d[lane] = ToBits<T>(f(FromBits<T>(a[lane]), FromBits<T>(b[lane]))); });
  });
}

// On bits as they are, whatever their type; the result is cut to it.
template <typename F>
void Bits(const Lanes& l, F f) {
  const unsigned width = l.instruction.type == Type::kPred ? 1 : 8 * Bytes(l.instruction.type);
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - width);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) { d[lane] = f(lane) & keep; });
}

template <typename T>
T Divide(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a / b;
  } else {
    // The ISA leaves division by zero open; GPUs give all ones.
    if (b == 0) {
      return static_cast<T>(-1);
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        return static_cast<T>(-Wide(a));
      }
    }
    return static_cast<T>(a / b);
  }
}

template <typename T>
T Remainder(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) {
      return a;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        return 0;
      }
    }
    return static_cast<T>(a % b);
  }
}

// With one NaN the other operand; -0 is less than +0.
template <typename T>
T Least(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a)) {
      return b;
    }
    if (std::isnan(b)) {
      return a;
    }
    if (a == b) {
      return std::signbit(a) ? a : b;
    }
  }
  return a < b ? a : b;
}
template <typename T>
T Greatest(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a)) {
      return b;
    }
    if (std::isnan(b)) {
      return a;
    }
    if (a == b) {
      return std::signbit(a) ? b : a;
    }
  }
  return a < b ? b : a;
}

// The 128-bit product's upper half, of the type's width.
template <typename T>
T High(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a * b;
  } else {
    using Wider = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((Wider{a} * Wider{b}) >> (8 * sizeof(T)));
  }
}

// Products of twice the width, and their sums.
void WideProduct(const Lanes& l, bool accumulates) {
  const Instruction& i = l.instruction;
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - 16 * Bytes(i.type));
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto c = accumulates ? l.a(2) : a;
  std::uint64_t* const d = l.d(0);
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    l.ForEach([&](unsigned lane) {
      std::uint64_t sum = Wide(FromBits<T>(a[lane])) * Wide(FromBits<T>(b[lane]));
      if (accumulates) {
        sum += c[lane];
      }
      d[lane] = sum & keep;
    });
  });
}

void MultiplyAdd(const Lanes& l) {
  const Op op = l.instruction.op;
  WithNumber(l.instruction.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.a(0);
    const auto b = l.a(1);
    const auto c = l.a(2);
    std::uint64_t* const d = l.d(0);
    l.ForEach([&](unsigned lane) {
      const T x = FromBits<T>(a[lane]);
      const T y = FromBits<T>(b[lane]);
      const T z = FromBits<T>(c[lane]);
      if constexpr (kIsFloat<T>) {
        d[lane] = ToBits<T>(std::fma(x, y, z));
      } else if (op == Op::kMadHi) {
        d[lane] = ToBits<T>(static_cast<T>(Wide(High(x, y)) + Wide(z)));
      } else {
        d[lane] = ToBits<T>(static_cast<T>(Wide(x) * Wide(y) + Wide(z)));
      }
    });
  });
}

void Shift(const Lanes& l) {
  const bool left = l.instruction.op == Op::kShl;
  WithInteger(l.instruction.type, [&](auto zero) {
    using T = decltype(zero);
    constexpr unsigned kWidth = 8 * sizeof(T);
    const auto a = l.a(0);
    const auto b = l.a(1);
    std::uint64_t* const d = l.d(0);
    l.ForEach([&](unsigned lane) {
      const T value = FromBits<T>(a[lane]);
      const std::uint64_t amount = b[lane];  // more than the width counts as the width
      T result = 0;
      if (left) {
        result = amount >= kWidth ? T{0} : static_cast<T>(Wide(value) << amount);
      } else {
        result =
            amount >= kWidth ? static_cast<T>(value < 0 ? -1 : 0) : static_cast<T>(value >> amount);
      }
      d[lane] = ToBits<T>(result);
    });
  });
}

void FunnelShift(const Lanes& l) {
  const bool left = l.instruction.op == Op::kShfLeft;
  const bool clamp = l.instruction.mode == 1;
  const auto low = l.a(0);
  const auto high = l.a(1);
  const auto amounts = l.a(2);
  Bits(l, [&](unsigned lane) {
    const auto given = static_cast<std::uint32_t>(amounts[lane]);
    const std::uint32_t amount = clamp ? (given < 32 ? given : 32) : given & 31U;
    const std::uint64_t both = (high[lane] << 32) | low[lane];
    return left ? (both << amount) >> 32 : both >> amount;
  });
}

std::uint64_t Reverse(std::uint64_t value, unsigned width) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    result |= ((value >> bit) & 1U) << (width - 1 - bit);
  }
  return result;
}

void BitCount(const Lanes& l) {
  const Op op = l.instruction.op;
  const unsigned width = 8 * Bytes(l.instruction.type);
  const auto a = l.a(0);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) {
    const std::uint64_t value = a[lane];
    if (op == Op::kPopc) {
      d[lane] = static_cast<std::uint64_t>(__builtin_popcountll(value));
    } else if (op == Op::kClz) {
      d[lane] =
          value == 0 ? width : static_cast<std::uint64_t>(__builtin_clzll(value)) - (64 - width);
    } else {
      d[lane] = Reverse(value, width);
    }
  });
}

void ExtractField(const Lanes& l) {
  const bool is_signed = IsSigned(l.instruction.type);
  const unsigned width = 8 * Bytes(l.instruction.type);
  const auto a = l.a(0);
  const auto positions = l.a(1);
  const auto lengths = l.a(2);
  Bits(l, [&](unsigned lane) -> std::uint64_t {
    const unsigned position = positions[lane] & 0xffU;
    const unsigned length = lengths[lane] & 0xffU;
    if (length == 0) {
      return 0;
    }
    const unsigned last = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
    const bool sign = is_signed && ((a[lane] >> last) & 1U) != 0;
    std::uint64_t field = position >= width ? 0 : a[lane] >> position;
    const unsigned there =
        position >= width ? 0 : (length < width - position ? length : width - position);
    const std::uint64_t keep = there >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << there) - 1;
    field &= keep;
    return sign ? field | ~keep : field;
  });
}

void InsertField(const Lanes& l) {
  const unsigned width = 8 * Bytes(l.instruction.type);
  const auto field = l.a(0);
  const auto into = l.a(1);
  const auto positions = l.a(2);
  const auto lengths = l.a(3);
  Bits(l, [&](unsigned lane) {
    const unsigned position = positions[lane] & 0xffU;
    const unsigned length = lengths[lane] & 0xffU;
    if (position >= width || length == 0) {
      return into[lane];
    }
    const std::uint64_t ones = length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
    const std::uint64_t keep = ones << position;
    return (into[lane] & ~keep) | ((field[lane] << position) & keep);
  });
}

void Permute(const Lanes& l) {
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto selectors = l.a(2);
  Bits(l, [&](unsigned lane) {
    const std::uint64_t both = (b[lane] << 32) | a[lane];
    std::uint64_t result = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const unsigned selector = (selectors[lane] >> (4 * byte)) & 0xfU;
      std::uint64_t value = (both >> (8 * (selector & 7U))) & 0xffU;
      if ((selector & 8U) != 0) {
        value = (value & 0x80U) != 0 ? 0xff : 0;  // its sign, replicated
      }
      result |= value << (8 * byte);
    }
    return result;
  });
}

void Lookup(const Lanes& l) {
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto c = l.a(2);
  const auto tables = l.a(3);
  Bits(l, [&](unsigned lane) {
    std::uint64_t result = 0;
    for (unsigned row = 0; row < 8; ++row) {
      if (((tables[lane] >> row) & 1U) == 0) {
        continue;
      }
      result |= ((row & 4U) != 0 ? a[lane] : ~a[lane]) & ((row & 2U) != 0 ? b[lane] : ~b[lane]) &
                ((row & 1U) != 0 ? c[lane] : ~c[lane]);
    }
    return result;
  });
}

void Pack(const Lanes& l) {
  const unsigned width = 8 * Bytes(l.instruction.source);
  Bits(l, [&](unsigned lane) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < l.instruction.vector; ++i) {
      result |= l.a(i)[lane] << (i * width);
    }
    return result;
  });
}

void Unpack(const Lanes& l) {
  const unsigned width = 8 * Bytes(l.instruction.source);
  const std::uint64_t keep = (std::uint64_t{1} << width) - 1;
  const auto a = l.a(0);
  l.ForEach([&](unsigned lane) {
    const std::uint64_t value = a[lane];
    for (unsigned i = 0; i < l.instruction.vector; ++i) {
      l.d(i)[lane] = (value >> (i * width)) & keep;
    }
  });
}

}  // namespace

void Compute(const Lanes& l) {
  const auto a = l.a(0);
  switch (l.instruction.op) {
    case Op::kAdd:
      return Binary(l, [](auto x, auto y) {
        using T = decltype(x);
        if constexpr (kIsFloat<T>) {
          return x + y;
        }
        return static_cast<T>(Wide(x) + Wide(y));
      });
    case Op::kSub:
      return Binary(l, [](auto x, auto y) {
        using T = decltype(x);
        if constexpr (kIsFloat<T>) {
          return x - y;
        }
        return static_cast<T>(Wide(x) - Wide(y));
      });
    case Op::kMul:
      return Binary(l, [](auto x, auto y) {
        using T = decltype(x);
        if constexpr (kIsFloat<T>) {
          return x * y;
        }
        return static_cast<T>(Wide(x) * Wide(y));
      });
    case Op::kMulHi:
      return Binary(l, [](auto x, auto y) { return High(x, y); });
    case Op::kMulWide:
      return WideProduct(l, false);
    case Op::kMadWide:
      return WideProduct(l, true);
    case Op::kMad:
    case Op::kMadHi:
    case Op::kFma:
      return MultiplyAdd(l);
    case Op::kDiv:
      return Binary(l, [](auto x, auto y) { return Divide(x, y); });
    case Op::kRem:
      return Binary(l, [](auto x, auto y) { return Remainder(x, y); });
    case Op::kMin:
      return Binary(l, [](auto x, auto y) { return Least(x, y); });
    case Op::kMax:
      return Binary(l, [](auto x, auto y) { return Greatest(x, y); });
    case Op::kAbs:
      return Unary(l, [](auto x) {
        using T = decltype(x);
        if constexpr (kIsFloat<T>) {
          return std::fabs(x);
        }
        return x < 0 ? static_cast<T>(-Wide(x)) : x;
      });
    case Op::kNeg:
      return Unary(l, [](auto x) {
        using T = decltype(x);
        if constexpr (kIsFloat<T>) {
          return -x;
        }
        return static_cast<T>(-Wide(x));
      });
    case Op::kSqrt:
      return Unary(l, [](auto x) { return static_cast<decltype(x)>(std::sqrt(x)); });
    case Op::kRcp:
      return Unary(l, [](auto x) { return Divide(decltype(x){1}, x); });
    case Op::kAnd:
      return Bits(l, [a, b = l.a(1)](unsigned lane) { return a[lane] & b[lane]; });
    case Op::kOr:
      return Bits(l, [a, b = l.a(1)](unsigned lane) { return a[lane] | b[lane]; });
    case Op::kXor:
      return Bits(l, [a, b = l.a(1)](unsigned lane) { return a[lane] ^ b[lane]; });
    case Op::kNot:
      return Bits(l, [a](unsigned lane) { return ~a[lane]; });
    case Op::kCnot:
      return Bits(l, [a](unsigned lane) { return std::uint64_t{a[lane] == 0}; });
    case Op::kMov:
      return Bits(l, [a, flip = std::uint64_t{l.instruction.negated}](unsigned lane) {
        return a[lane] ^ flip;
      });
    case Op::kShl:
    case Op::kShr:
      return Shift(l);
    case Op::kShfLeft:
    case Op::kShfRight:
      return FunnelShift(l);
    case Op::kPopc:
    case Op::kClz:
    case Op::kBrev:
      return BitCount(l);
    case Op::kBfe:
      return ExtractField(l);
    case Op::kBfi:
      return InsertField(l);
    case Op::kPrmt:
      return Permute(l);
    case Op::kLop3:
      return Lookup(l);
    case Op::kPack:
      return Pack(l);
    default:
      return Unpack(l);
  }
}

}  // namespace muster::ptx
