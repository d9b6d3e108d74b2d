// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Bits and moves.
#include <algorithm>
#include <limits>

#include "sim/isa/mbarrier_word.h"
#include "sim/ptx/alu/integers.h"

namespace muster::ptx {
namespace {

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

// The position of the highest bit that differs from the sign, or how far up it would have to move.
void FindHighest(const Lanes& l) {
  const unsigned width = 8 * Bytes(l.instruction.type);
  const bool shift_amount = l.instruction.mode != 0;
  WithInteger(l.instruction.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.a(0);
    std::uint64_t* const d = l.d(0);
    l.ForEach([&](unsigned lane) {
      const T value = FromBits<T>(a[lane]);
      const std::uint64_t bits = ToBits<T>(value < 0 ? static_cast<T>(~value) : value);
      const unsigned position = 63U - static_cast<unsigned>(__builtin_clzll(bits | 1));
      d[lane] = bits == 0 ? 0xffffffffU : shift_amount ? width - 1 - position : position;
    });
  });
}

// The position of the n-th one bit from a base upwards, or downwards where n is negative.
void FindNth(const Lanes& l) {
  const auto masks = l.a(0);
  const auto bases = l.a(1);
  const auto offsets = l.a(2);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) {
    const auto offset = FromBits<std::int32_t>(offsets[lane]);
    const int step = offset < 0 ? -1 : 1;
    std::int64_t left = offset == 0 ? 1 : std::abs(std::int64_t{offset});
    int at = static_cast<int>(bases[lane] & 31U);
    if (offset == 0) {
      d[lane] = ((masks[lane] >> at) & 1U) != 0 ? static_cast<unsigned>(at) : 0xffffffffU;
      return;
    }
    d[lane] = 0xffffffffU;
    for (; at >= 0 && at < 32; at += step) {
      if (((masks[lane] >> at) & 1U) != 0 && --left == 0) {
        d[lane] = static_cast<unsigned>(at);
        return;
      }
    }
  });
}

// What lies above b bits becomes their sign, or zero.
void ExtendBits(const Lanes& l) {
  const bool clamp = l.instruction.mode == 1;
  const bool is_signed = IsSigned(l.instruction.type);
  const auto a = l.a(0);
  const auto b = l.a(1);
  Bits(l, [&](unsigned lane) -> std::uint64_t {
    const auto given = static_cast<std::uint32_t>(b[lane]);
    const std::uint32_t bits = clamp ? std::min(given, 32U) : given & 31U;
    if (bits == 0) {
      return 0;
    }
    const unsigned shift = 64 - bits;
    const std::uint64_t top = a[lane] << shift;
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> shift)
                     : top >> shift;
  });
}

// b ones from position a on.
void MakeMask(const Lanes& l) {
  const bool clamp = l.instruction.mode == 1;
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto limit = [clamp](std::uint64_t bits) {
    const auto given = static_cast<std::uint32_t>(bits);
    return clamp ? std::min(given, 32U) : given & 31U;
  };
  Bits(l,
       [&](unsigned lane) { return ((std::uint64_t{1} << limit(b[lane])) - 1) << limit(a[lane]); });
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

// The selectors that the modes of prmt stand for, by the low two bits of c.
constexpr std::uint16_t kPermuteModes[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543},  // .f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // .b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // .rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // .ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // .ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // .rc16
};

void Permute(const Lanes& l) {
  const unsigned mode = l.instruction.mode;  // 0: the selector is c itself
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto c = l.a(2);
  Bits(l, [&](unsigned lane) {
    const std::uint64_t both = (b[lane] << 32) | a[lane];
    const std::uint64_t selectors = mode == 0 ? c[lane] : kPermuteModes[mode - 1][c[lane] & 3U];
    std::uint64_t result = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const unsigned selector = (selectors >> (4 * byte)) & 0xfU;
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

void ComputeBits(const Lanes& l) {
  const auto a = l.a(0);
  switch (l.instruction.op) {
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
    case Op::kPendingCount:
      return l.ForEach(
          [d = l.d(0), a = l.a(0)](unsigned lane) { d[lane] = PendingCount(a[lane]); });
    case Op::kBfind:
      return FindHighest(l);
    case Op::kFns:
      return FindNth(l);
    case Op::kSzext:
      return ExtendBits(l);
    case Op::kBmsk:
      return MakeMask(l);
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
