// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Integers; and which part of this folder an instruction is for.
#include "sim/ptx/alu/compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "sim/ptx/alu/integers.h"

namespace muster::ptx {
namespace {

template <typename T>
T Divide(T a, T b) {
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

template <typename T>
T Remainder(T a, T b) {
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

template <typename T>
T Distance(T a, T b) {
  return static_cast<T>(a < b ? Wide(b) - Wide(a) : Wide(a) - Wide(b));
}

template <typename T>
T Floor(T value, bool at_zero) {
  return at_zero && value < 0 ? T{0} : value;
}

// The nearest value that there is.
template <typename T>
T Clamp(__int128 value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp<__int128>(value, Limits::min(), Limits::max()));
}

// The 128-bit product's upper half, of the type's width.
template <typename T>
T High(T a, T b) {
  using Wider = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((Wider{a} * Wider{b}) >> (8 * sizeof(T)));
}

// Products of twice the width, and their sums.
void WideProduct(const Lanes& l, const Arithmetic& i, bool accumulates) {
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - 16 * Bytes(i.type));
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = accumulates ? l.Read(i.a[2]) : a;
  std::uint64_t* const d = l.Write(i.d);
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

void MultiplyAdd(const Lanes& l, const Arithmetic& i) {
  const bool high = l.instruction.op == Op::kMadHi;
  const bool saturate = i.saturate;
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    const auto c = l.Read(i.a[2]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) {
      const T x = FromBits<T>(a[lane]);
      const T y = FromBits<T>(b[lane]);
      const T z = FromBits<T>(c[lane]);
      if (saturate) {
        d[lane] = ToBits<T>(Clamp<T>(__int128{High(x, y)} + z));
      } else {
        d[lane] =
            ToBits<T>(static_cast<T>((high ? Wide(High(x, y)) : Wide(x) * Wide(y)) + Wide(z)));
      }
    });
  });
}

// The product of the low 24 bits: its lower or upper 32 of 48 bits, and a sum.
void Multiply24(const Lanes& l, const Arithmetic& i) {
  const Op op = l.instruction.op;
  const bool high = op == Op::kMul24Hi || op == Op::kMad24Hi;
  const bool accumulates = op == Op::kMad24 || op == Op::kMad24Hi;
  const bool is_signed = IsSigned(i.type);
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = accumulates ? l.Read(i.a[2]) : a;
  std::uint64_t* const d = l.Write(i.d);
  const auto low24 = [is_signed](std::uint64_t bits) -> std::int64_t {
    return is_signed ? static_cast<std::int32_t>(bits << 8) >> 8
                     : static_cast<std::int64_t>(bits & 0xffffffU);
  };
  l.ForEach([&](unsigned lane) {
    const std::int64_t product = (low24(a[lane]) * low24(b[lane])) >> (high ? 16 : 0);
    if (i.saturate) {
      d[lane] = ToBits(Clamp<std::int32_t>(__int128{static_cast<std::int32_t>(product)} +
                                           FromBits<std::int32_t>(c[lane])));
    } else {
      d[lane] = static_cast<std::uint32_t>(Wide(product) + (accumulates ? c[lane] : 0));
    }
  });
}

void SumOfDistances(const Lanes& l, const Arithmetic& i) {
  const auto c = l.Read(i.a[2]);
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) {
      const T distance = Distance(FromBits<T>(a[lane]), FromBits<T>(b[lane]));
      d[lane] = ToBits<T>(static_cast<T>(Wide(distance) + c[lane]));
    });
  });
}

// Payloads of instructions that only compute; the others are the interpreter's.
template <typename T, typename = void>
constexpr bool kComputes = false;
template <typename T>
constexpr bool
    kComputes<T, decltype(Compute(std::declval<const Lanes&>(), std::declval<const T&>()))> = true;

}  // namespace

// Sums and differences with a carry in and out. That of a difference is the carry of x + ~y + 1, so
// 1 where nothing is borrowed: compilers let `addc` take it in after `sub.cc`.
void Compute(const Lanes& l, const CarryArithmetic& i) {
  const Op op = l.instruction.op;
  const bool multiplies = op == Op::kMadCarry || op == Op::kMadHiCarry;
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = multiplies ? l.Read(i.a[2]) : a;
  const auto carry = i.carry_in == kNoSlot ? Lanes::View{nullptr, 0} : l.Read(i.carry_in);
  std::uint64_t* const d = l.Write(i.d);
  std::uint64_t* const carry_out = i.carry_out == kNoSlot ? nullptr : l.Write(i.carry_out);
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    using U = std::make_unsigned_t<T>;
    l.ForEach([&](unsigned lane) {
      const T x = FromBits<T>(a[lane]);
      const T y = FromBits<T>(b[lane]);
      const std::uint64_t none = op == Op::kSubCarry ? 1 : 0;
      const unsigned __int128 in = carry.first == nullptr ? none : carry[lane];
      unsigned __int128 sum = 0;
      if (op == Op::kSubCarry) {
        sum = static_cast<unsigned __int128>(static_cast<U>(x)) + static_cast<U>(~y) + in;
      } else if (op == Op::kAddCarry) {
        sum = static_cast<unsigned __int128>(static_cast<U>(x)) + static_cast<U>(y) + in;
      } else {
        const T product = op == Op::kMadHiCarry ? High(x, y) : static_cast<T>(Wide(x) * Wide(y));
        sum = static_cast<unsigned __int128>(static_cast<U>(product)) + FromBits<U>(c[lane]) + in;
      }
      d[lane] = static_cast<U>(sum);
      if (carry_out != nullptr) {
        carry_out[lane] = (sum >> (8 * sizeof(T))) & 1U;
      }
    });
  });
}

// a's four bytes or two halves times as many bytes of b, each signed or not.
void Compute(const Lanes& l, const DotProduct& i) {
  const bool four = l.instruction.op == Op::kDot4;
  const unsigned width = four ? 8 : 16;
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.a[2]);
  std::uint64_t* const d = l.Write(i.d);
  const auto part = [](std::uint64_t bits, unsigned at, unsigned size, Type type) {
    const unsigned shift = 64 - size;
    const std::uint64_t top = bits >> at << shift;
    return IsSigned(type) ? static_cast<std::int64_t>(top) >> shift
                          : static_cast<std::int64_t>(top >> shift);
  };
  l.ForEach([&](unsigned lane) {
    std::int64_t sum = 0;
    for (unsigned k = 0; k < (four ? 4U : 2U); ++k) {
      sum += part(a[lane], k * width, width, i.types[0]) *
             part(b[lane], 8 * k + (i.upper ? 16U : 0U), 8, i.types[1]);
    }
    d[lane] = static_cast<std::uint32_t>(Wide(sum) + c[lane]);
  });
}

void ComputeInteger(const Lanes& l, const Arithmetic& i) {
  const bool saturate = i.saturate;
  const bool relu = i.relu;
  switch (l.instruction.op) {
    case Op::kAdd:
      return Binary(l, i, [saturate](auto x, auto y) {
        using T = decltype(x);
        return saturate ? Clamp<T>(__int128{x} + y) : static_cast<T>(Wide(x) + Wide(y));
      });
    case Op::kSub:
      return Binary(l, i, [saturate](auto x, auto y) {
        using T = decltype(x);
        return saturate ? Clamp<T>(__int128{x} - y) : static_cast<T>(Wide(x) - Wide(y));
      });
    case Op::kMul:
      return Binary(l, i,
                    [](auto x, auto y) { return static_cast<decltype(x)>(Wide(x) * Wide(y)); });
    case Op::kMulHi:
      return Binary(l, i, [](auto x, auto y) { return High(x, y); });
    case Op::kMulWide:
      return WideProduct(l, i, false);
    case Op::kMadWide:
      return WideProduct(l, i, true);
    case Op::kMad:
    case Op::kMadHi:
      return MultiplyAdd(l, i);
    case Op::kMul24:
    case Op::kMul24Hi:
    case Op::kMad24:
    case Op::kMad24Hi:
      return Multiply24(l, i);
    case Op::kSad:
      return SumOfDistances(l, i);
    case Op::kDiv:
      return Binary(l, i, [](auto x, auto y) { return Divide(x, y); });
    case Op::kRem:
      return Binary(l, i, [](auto x, auto y) { return Remainder(x, y); });
    case Op::kMin:
      return Binary(l, i, [relu](auto x, auto y) { return Floor(std::min(x, y), relu); });
    case Op::kMax:
      return Binary(l, i, [relu](auto x, auto y) { return Floor(std::max(x, y), relu); });
    case Op::kAbs:
      return Unary(l, i, [](auto x) { return x < 0 ? static_cast<decltype(x)>(-Wide(x)) : x; });
    case Op::kNeg:
      return Unary(l, i, [](auto x) { return static_cast<decltype(x)>(-Wide(x)); });
    default:
      NotExecuted(l.instruction);
  }
}

void NotExecuted(const Instruction& instruction) {
  throw std::logic_error(fmt::format(
      "no function of sim/ptx/alu executes the instruction of PTX line {}", instruction.line));
}

void Compute(const Lanes& l, const Arithmetic& i) {
  if (IsPair(i.type)) {
    return ComputePair(l, i);
  }
  if (IsFloat(i.type)) {
    return ComputeFloat(l, i);
  }
  if (IsHalf(i.type)) {
    return ComputeHalf(l, i);
  }
  return ComputeInteger(l, i);
}

void Compute(const Lanes& l) {
  std::visit(
      [&](const auto& i) {
        if constexpr (kComputes<std::decay_t<decltype(i)>>) {
          Compute(l, i);
        } else {
          throw std::bad_variant_access();
        }
      },
      l.instruction.payload);
}

}  // namespace muster::ptx
