// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Bits and moves.
#include <algorithm>
#include <limits>

#include "sim/isa/mbarrier_word.h"
#include "sim/ptx/alu/integers.h"

namespace muster::ptx {
namespace {

// On bits as they are, whatever their type; the result is cut to it.
template <typename Payload, typename F>
void Bits(const Lanes& l, const Payload& i, F f) {
  const unsigned width = i.type == Type::kPred ? 1 : 8 * Bytes(i.type);
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - width);
  std::uint64_t* const d = l.Write(i.d);
  l.ForEach([&](unsigned lane) { d[lane] = f(lane) & keep; });
}

void Shift(const Lanes& l, const BitOperation& i) {
  const bool left = l.instruction.op == Op::kShl;
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    constexpr unsigned kWidth = 8 * sizeof(T);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    std::uint64_t* const d = l.Write(i.d);
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

void FunnelShift(const Lanes& l, const BitOperation& i) {
  const bool left = l.instruction.op == Op::kShfLeft;
  const bool clamp = i.clamps;
  const auto low = l.Read(i.a[0]);
  const auto high = l.Read(i.a[1]);
  const auto amounts = l.Read(i.a[2]);
  Bits(l, i, [&](unsigned lane) {
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
void FindHighest(const Lanes& l, const BitOperation& i) {
  const unsigned width = 8 * Bytes(i.type);
  const bool shift_amount = i.shift_amount;
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) {
      const T value = FromBits<T>(a[lane]);
      const std::uint64_t bits = ToBits<T>(value < 0 ? static_cast<T>(~value) : value);
      const unsigned position = 63U - static_cast<unsigned>(__builtin_clzll(bits | 1));
      d[lane] = bits == 0 ? 0xffffffffU : shift_amount ? width - 1 - position : position;
    });
  });
}

// The position of the n-th one bit from a base upwards, or downwards where n is negative.
void FindNth(const Lanes& l, const BitOperation& i) {
  const auto masks = l.Read(i.a[0]);
  const auto bases = l.Read(i.a[1]);
  const auto offsets = l.Read(i.a[2]);
  std::uint64_t* const d = l.Write(i.d);
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
void ExtendBits(const Lanes& l, const BitOperation& i) {
  const bool clamp = i.clamps;
  const bool is_signed = IsSigned(i.type);
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  Bits(l, i, [&](unsigned lane) -> std::uint64_t {
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
void MakeMask(const Lanes& l, const BitOperation& i) {
  const bool clamp = i.clamps;
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto limit = [clamp](std::uint64_t bits) {
    const auto given = static_cast<std::uint32_t>(bits);
    return clamp ? std::min(given, 32U) : given & 31U;
  };
  Bits(l, i,
       [&](unsigned lane) { return ((std::uint64_t{1} << limit(b[lane])) - 1) << limit(a[lane]); });
}

void BitCount(const Lanes& l, const BitOperation& i) {
  const Op op = l.instruction.op;
  const unsigned width = 8 * Bytes(i.type);
  const auto a = l.Read(i.a[0]);
  std::uint64_t* const d = l.Write(i.d);
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

void ExtractField(const Lanes& l, const BitOperation& i) {
  const bool is_signed = IsSigned(i.type);
  const unsigned width = 8 * Bytes(i.type);
  const auto a = l.Read(i.a[0]);
  const auto positions = l.Read(i.a[1]);
  const auto lengths = l.Read(i.a[2]);
  Bits(l, i, [&](unsigned lane) -> std::uint64_t {
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

void InsertField(const Lanes& l, const BitOperation& i) {
  const unsigned width = 8 * Bytes(i.type);
  const auto field = l.Read(i.a[0]);
  const auto into = l.Read(i.a[1]);
  const auto positions = l.Read(i.a[2]);
  const auto lengths = l.Read(i.a[3]);
  Bits(l, i, [&](unsigned lane) {
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

void Permute(const Lanes& l, const BitOperation& i) {
  const unsigned mode = i.permutation;  // 0: the selector is c itself
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.a[2]);
  Bits(l, i, [&](unsigned lane) {
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

void Lookup(const Lanes& l, const BitOperation& i) {
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.a[2]);
  const auto tables = l.Read(i.a[3]);
  Bits(l, i, [&](unsigned lane) {
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

}  // namespace

void Compute(const Lanes& l, const BitOperation& i) {
  const auto a = l.Read(i.a[0]);
  switch (l.instruction.op) {
    case Op::kAnd:
      return Bits(l, i, [a, b = l.Read(i.a[1])](unsigned lane) { return a[lane] & b[lane]; });
    case Op::kOr:
      return Bits(l, i, [a, b = l.Read(i.a[1])](unsigned lane) { return a[lane] | b[lane]; });
    case Op::kXor:
      return Bits(l, i, [a, b = l.Read(i.a[1])](unsigned lane) { return a[lane] ^ b[lane]; });
    case Op::kNot:
      return Bits(l, i, [a](unsigned lane) { return ~a[lane]; });
    case Op::kCnot:
      return Bits(l, i, [a](unsigned lane) { return std::uint64_t{a[lane] == 0}; });
    case Op::kShl:
    case Op::kShr:
      return Shift(l, i);
    case Op::kShfLeft:
    case Op::kShfRight:
      return FunnelShift(l, i);
    case Op::kPopc:
    case Op::kClz:
    case Op::kBrev:
      return BitCount(l, i);
    case Op::kPendingCount:
      return l.ForEach([d = l.Write(i.d), a = l.Read(i.a[0])](unsigned lane) {
        d[lane] = PendingCount(a[lane]);
      });
    case Op::kBfind:
      return FindHighest(l, i);
    case Op::kFns:
      return FindNth(l, i);
    case Op::kSzext:
      return ExtendBits(l, i);
    case Op::kBmsk:
      return MakeMask(l, i);
    case Op::kBfe:
      return ExtractField(l, i);
    case Op::kBfi:
      return InsertField(l, i);
    case Op::kPrmt:
      return Permute(l, i);
    case Op::kLop3:
      return Lookup(l, i);
    default:
      NotExecuted(l.instruction);
  }
}

void Compute(const Lanes& l, const Move& i) {
  Bits(l, i, [a = l.Read(i.a), flip = std::uint64_t{i.negated}](unsigned lane) {
    return a[lane] ^ flip;
  });
}

void Compute(const Lanes& l, const Packing& i) {
  const unsigned width = 8 * Bytes(i.part);
  Bits(l, i, [&](unsigned lane) {
    std::uint64_t result = 0;
    for (unsigned k = 0; k < i.count; ++k) {
      result |= l.Read(i.a[k])[lane] << (k * width);
    }
    return result;
  });
}

void Compute(const Lanes& l, const Unpacking& i) {
  const unsigned width = 8 * Bytes(i.part);
  const std::uint64_t keep = (std::uint64_t{1} << width) - 1;
  const auto a = l.Read(i.a);
  l.ForEach([&](unsigned lane) {
    const std::uint64_t value = a[lane];
    for (unsigned k = 0; k < i.count; ++k) {
      l.Write(i.d[k])[lane] = (value >> (k * width)) & keep;
    }
  });
}

}  // namespace muster::ptx
