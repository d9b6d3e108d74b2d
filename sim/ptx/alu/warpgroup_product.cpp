// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/alu/warpgroup_product.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/matrix_element.h"

namespace muster::ptx {
namespace {

constexpr unsigned kGroup = 4;  // lanes that share a row
constexpr unsigned kHalfRows = 8;

std::uint64_t ElementAt(const std::array<std::uint8_t, kOperandBytes>& row, Element type,
                        unsigned k) {
  const unsigned bytes = BitsOf(type) / 8;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &row[std::size_t{k} * bytes], bytes);
  return bits;
}

// The elements of `rows` as numbers; element k of row r at [k * step + r * across].
template <typename T>
std::vector<T> Numbers(const OperandBytes& rows, Element type, bool minus, std::size_t step,
                       std::size_t across) {
  const unsigned count = kOperandBytes * 8 / BitsOf(type);
  std::vector<T> numbers(rows.size() * count);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (unsigned k = 0; k < count; ++k) {
      const std::uint64_t bits = ElementAt(rows[r], type, k);
      T value{};
      if constexpr (std::is_floating_point_v<T>) {
        value = static_cast<T>(FloatOf(type, bits));
      } else {
        value = static_cast<T>(IntegerOf(type, bits));
      }
      numbers[k * step + r * across] = minus ? -value : value;
    }
  }
  return numbers;
}

// Adds A x B to `sums`, row by row of n.
template <typename T>
void AddProduct(const WarpgroupProduct& i, const WarpgroupOperands& of, std::vector<T>* sums) {
  const std::size_t depth = kOperandBytes * 8 / BitsOf(i.a_type);
  const std::vector<T> left = Numbers<T>(of.a, i.a_type, i.minus[0], 1, depth);
  std::vector<T> right;
  for (const OperandBytes& part : of.b) {
    const std::vector<T> numbers = Numbers<T>(part, i.b_type, i.minus[1], i.n, 1);
    right.insert(right.end(), numbers.begin(), numbers.end());
  }
  for (std::size_t row = 0; row < kWarpRows; ++row) {
    T* const d = &(*sums)[row * i.n];
    for (std::size_t k = 0; k < depth; ++k) {
      const T x = left[row * depth + k];
      const std::size_t of_b =
          of.columns ? of.columns->Of(static_cast<unsigned>(row), static_cast<unsigned>(k)) : k;
      const T* const y = &right[of_b * i.n];
      for (unsigned column = 0; column < i.n; ++column) {
        d[column] += x * y[column];
      }
    }
  }
}

// Of single bits: how many pairs are both set.
void AddCounts(const WarpgroupProduct& i, const OperandBytes& a, const OperandBytes& b,
               std::vector<std::int32_t>* sums) {
  for (std::size_t row = 0; row < kWarpRows; ++row) {
    for (std::size_t column = 0; column < i.n; ++column) {
      for (std::size_t byte = 0; byte < kOperandBytes; ++byte) {
        (*sums)[row * i.n + column] +=
            __builtin_popcount(static_cast<unsigned>(a[row][byte] & b[column][byte]));
      }
    }
  }
}

// Calls f with the index of each element of D, row by row, and its register, lane and first bit.
template <typename F>
void ForEachOfD(const WarpgroupProduct& i, F f) {
  const unsigned e = PackedIn(i.d_type);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned x = 0; x < i.n / 2U; ++x) {
      const unsigned row = lane / kGroup + kHalfRows * (x / 2 % 2);
      const unsigned column = 8 * (x / 4) + 2 * (lane % kGroup) + x % 2;
      f(std::size_t{row} * i.n + column,
        std::size_t{kWarpSize} * static_cast<std::uint32_t>(i.d[x / e]) + lane,
        x % e * BitsOf(i.d_type));
    }
  }
}

}  // namespace

OperandBytes FragmentOfA(const WarpgroupProduct& i, const std::uint64_t* registers) {
  OperandBytes rows(kWarpRows);
  for (unsigned r = 0; r < i.a.size(); ++r) {
    const std::uint64_t* const words =
        registers + std::size_t{kWarpSize} * static_cast<std::uint32_t>(i.a[r]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const auto word = static_cast<std::uint32_t>(words[lane]);
      constexpr std::size_t kHalfBytes = kOperandBytes / 2;
      std::memcpy(&rows[lane / kGroup + kHalfRows * (r % 2)]
                       [sizeof word * (lane % kGroup) + kHalfBytes * (r / 2)],
                  &word, sizeof word);
    }
  }
  return rows;
}

void Multiply(const WarpgroupProduct& i, const WarpgroupOperands& of, bool adds,
              std::uint64_t* registers) {
  const std::size_t count = std::size_t{kWarpRows} * i.n;
  if (IsInteger(i.d_type)) {
    std::vector<std::int32_t> sums(count);  // of 32 bytes at most: they fit
    if (i.a_type == Element::kB1) {
      AddCounts(i, of.a, of.b.front(), &sums);
    } else {
      AddProduct(i, of, &sums);
    }
    ForEachOfD(i, [&](std::size_t element, std::size_t at, unsigned /*first*/) {
      std::int64_t sum = sums[element];
      sum += adds ? static_cast<std::int32_t>(registers[at]) : 0;
      if (i.saturate) {
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
      }
      registers[at] = static_cast<std::uint32_t>(sum);
    });
    return;
  }
  std::vector<float> sums(count);
  if (adds) {
    ForEachOfD(i, [&](std::size_t element, std::size_t at, unsigned first) {
      const std::uint64_t bits = registers[at] >> first;
      sums[element] =
          static_cast<float>(FloatOf(i.d_type, i.d_type == Element::kF16 ? bits & 0xffff : bits));
    });
  }
  AddProduct(i, of, &sums);
  ForEachOfD(i, [&](std::size_t element, std::size_t at, unsigned first) {
    registers[at] = (first == 0 ? 0 : registers[at]) | BitsIn(i.d_type, sums[element]) << first;
  });
}

}  // namespace muster::ptx
