// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Matrices that the 32 lanes of a warp hold in parts. With group = lane / 4 and in = lane % 4, and
// e elements in a register, register r of a fragment has
//   of A (m x k): row group + 8 (r % 2), columns e in + 4 e (r / 2) and on; r / 1 where m is 8
//   of B (k x n): rows e in + 4 e r and on, column group
//   of C and D:   row group + 8 (r / 2), column 2 in + r % 2; two to a register if they are f16
// PTX, "Matrix Fragments for mma.m16n8k16" and the sections beside it. Sums are exact, or doubles
// that are rounded once: the text leaves the order of additions open.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/matrix_element.h"

namespace muster::ptx {
namespace {

constexpr unsigned kGroup = 4;  // lanes that share a row
constexpr unsigned kHalfRows = 8;

// A matrix, row by row, of the bits of its elements.
class Matrix {
 public:
  Matrix(unsigned rows, unsigned columns) : columns_(columns), bits_(std::size_t{rows} * columns) {}
  std::uint64_t& At(unsigned row, unsigned column) {
    return bits_[std::size_t{row} * columns_ + column];
  }

 private:
  unsigned columns_;
  std::vector<std::uint64_t> bits_;
};

// Calls f with row, column, register, lane and the first bit of each element of a fragment.
template <typename F>
void ForEachOfA(const MatrixProduct& i, F f) {
  const unsigned e = PackedIn(i.a_type);
  const unsigned halves = i.m / kHalfRows;
  const unsigned registers = i.m * i.k / kWarpSize / e;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned r = 0; r < registers; ++r) {
      for (unsigned x = 0; x < e; ++x) {
        f(lane / kGroup + kHalfRows * (r % halves),
          e * (lane % kGroup) + kGroup * e * (r / halves) + x, r, lane, x * BitsOf(i.a_type));
      }
    }
  }
}
template <typename F>
void ForEachOfB(const MatrixProduct& i, F f) {
  const unsigned e = PackedIn(i.b_type);
  const unsigned registers = i.k * i.n / kWarpSize / e;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned r = 0; r < registers; ++r) {
      for (unsigned x = 0; x < e; ++x) {
        f(e * (lane % kGroup) + kGroup * e * r + x, lane / kGroup, r, lane, x * BitsOf(i.b_type));
      }
    }
  }
}
template <typename F>
void ForEachOfC(const MatrixProduct& i, Element type, F f) {
  const unsigned e = PackedIn(type);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned x = 0; x < i.m * i.n / kWarpSize; ++x) {
      f(lane / kGroup + kHalfRows * (x / 2), 2 * (lane % kGroup) + x % 2, x / e, lane,
        x % e * BitsOf(type));
    }
  }
}

std::uint64_t Part(std::uint64_t bits, unsigned first, Element element) {
  return bits >> first & (~std::uint64_t{0} >> (64 - BitsOf(element)));
}

std::uint64_t SumOfIntegers(const MatrixProduct& i, Matrix* a, Matrix* b, unsigned row,
                            unsigned column, std::uint64_t c) {
  std::int64_t sum = IntegerOf(i.c_type, c);
  for (unsigned k = 0; k < i.k; ++k) {
    const std::int64_t x = IntegerOf(i.a_type, a->At(row, k));
    const std::int64_t y = IntegerOf(i.b_type, b->At(k, column));
    sum += i.exclusive ? x ^ y : x * y;  // of single bits x * y is their and
  }
  if (i.saturate) {
    sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max());
  }
  return static_cast<std::uint32_t>(sum);
}

std::uint64_t SumOfFloats(const MatrixProduct& i, Matrix* a, Matrix* b, unsigned row,
                          unsigned column, std::uint64_t c) {
  double sum = FloatOf(i.c_type, c);
  for (unsigned k = 0; k < i.k; ++k) {
    sum = std::fma(FloatOf(i.a_type, a->At(row, k)), FloatOf(i.b_type, b->At(k, column)), sum);
  }
  return BitsIn(i.d_type, sum);
}

}  // namespace

void Compute(const Lanes& lanes, const MatrixProduct& i) {
  Matrix a(i.m, i.k);
  ForEachOfA(i, [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
    a.At(row, column) = Part(lanes.Read(i.a[r])[lane], first, i.a_type);
  });
  Matrix b(i.k, i.n);
  ForEachOfB(i, [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
    b.At(row, column) = Part(lanes.Read(i.b[r])[lane], first, i.b_type);
  });
  Matrix sums(i.m, i.n);
  ForEachOfC(i, i.c_type,
             [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
               const std::uint64_t c = Part(lanes.Read(i.c[r])[lane], first, i.c_type);
               sums.At(row, column) = IsInteger(i.d_type) ? SumOfIntegers(i, &a, &b, row, column, c)
                                                          : SumOfFloats(i, &a, &b, row, column, c);
             });
  ForEachOfC(i, i.d_type,
             [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
               std::uint64_t& d = lanes.Write(i.d[r])[lane];
               d = (first == 0 ? 0 : d) | sums.At(row, column) << first;
             });
}

// Two elements of 16 bits in a word, and the eight rows of a matrix with four words each.
void Compute(const Lanes& lanes, const MatrixLayout& i) {
  constexpr unsigned kHalf = 16;
  const auto half = [](std::uint64_t word, unsigned which) {
    return word >> kHalf * which & 0xffff;
  };
  for (unsigned matrix = 0; matrix < i.count; ++matrix) {
    std::array<std::array<std::uint64_t, kHalfRows>, kHalfRows> elements;
    const auto each = [&](bool rows, bool transposed, auto f) {
      for (unsigned row = 0; row < kHalfRows; ++row) {
        for (unsigned column = 0; column < kHalfRows; ++column) {
          const unsigned word = column / 2;
          std::uint64_t& element = transposed ? elements[column][row] : elements[row][column];
          f(&element, rows ? word : matrix, rows ? kHalfRows * matrix + row : kGroup * row + word,
            column % 2);
        }
      }
    };
    const auto read = [&](std::uint64_t* element, unsigned r, unsigned lane, unsigned which) {
      *element = half(lanes.Read(i.a[r])[lane], which);
    };
    const auto write = [&](const std::uint64_t* element, unsigned r, unsigned lane,
                           unsigned which) {
      std::uint64_t& word = lanes.Write(i.d[r])[lane];
      word = (which == 0 ? 0 : word) | *element << kHalf * which;
    };
    each(i.to == Relayout::kToFragments, false, read);
    each(i.to == Relayout::kToRows, i.transposed || i.to == Relayout::kTranspose, write);
  }
}

}  // namespace muster::ptx
