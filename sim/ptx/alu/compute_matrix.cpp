// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Matrices that the 32 lanes of a warp hold in parts. With group = lane / 4 and in = lane % 4, and
// e elements in a register, register r of a fragment has
//   of A (m x k): row group + 8 (r % 2), columns e in + 4 e (r / 2) and on; r / 1 where m is 8
//   of B (k x n): rows e in + 4 e r and on, column group
//   of C and D:   row group + 8 (r / 2), column 2 in + r % 2; two to a register if they are f16
// Fragments of wmma have other places (decode_wmma.h).
// PTX, "Matrix Fragments for mma.m16n8k16" and the sections beside it. Sums are exact, or doubles
// that are rounded once: the text leaves the order of additions open.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/matrix_element.h"
#include "sim/ptx/alu/sparse_matrix.h"

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

// The same in the order of memory: `along` elements of a row, or of a column.
template <typename F>
void ForEachInOrder(unsigned count, unsigned of_lane, unsigned along, bool by_columns, Element type,
                    F f) {
  const unsigned e = PackedIn(type);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned j = 0; j < of_lane; ++j) {
      const unsigned i = (lane * of_lane + j) % count;
      f(by_columns ? i % along : i / along, by_columns ? i / along : i % along, j / e, lane,
        j % e * BitsOf(type));
    }
  }
}
// Elements of A or B that a lane has.
unsigned InOrder(Element type, unsigned count) {
  constexpr unsigned kHalves = 16;
  return type == Element::kF16 ? kHalves : count / kWarpSize;
}

// Calls f with row, column, register, lane and the first bit of each element of a fragment.
template <typename F>
void ForEachOfA(const MatrixProduct& i, F f) {
  const unsigned k = i.sparse ? i.k / 2U : i.k;  // that are there
  if (i.in_order) {
    return ForEachInOrder(i.m * i.k, InOrder(i.a_type, i.m * i.k), i.a_by_columns ? i.m : i.k,
                          i.a_by_columns, i.a_type, f);
  }
  const unsigned e = PackedIn(i.a_type);
  const unsigned halves = i.m / kHalfRows;
  const unsigned registers = i.m * k / kWarpSize / e;
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
  if (i.in_order) {
    return ForEachInOrder(i.k * i.n, InOrder(i.b_type, i.k * i.n), i.b_by_columns ? i.k : i.n,
                          i.b_by_columns, i.b_type, f);
  }
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
  if (i.in_order) {
    return ForEachInOrder(i.m * i.n, i.m * i.n / kWarpSize, i.n, false, type, f);
  }
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

// The operands of a product. Of a sparse row of A the elements that are not there are no zeroes:
// they make no NaN of an infinity.
struct Operands {
  explicit Operands(const MatrixProduct& i) : a(i.m, i.k), b(i.k, i.n), there(i.m, i.k) {}

  Matrix a;
  Matrix b;
  Matrix there;
};

double ScaleIn(const Lanes& lanes, const MatrixProduct& i, unsigned which, unsigned lane,
               unsigned block) {
  constexpr unsigned kByte = 8;
  const auto first = static_cast<unsigned>(lanes.Read(i.scale_bytes[which])[0]);
  const std::uint64_t bits = lanes.Read(i.scales[which])[lane] >> (first + block) % 4 * kByte;
  return i.has_small_scales ? FromSmall(Type::kE4M3, bits & 0x7f)
                            : FromSmall(Type::kUE8M0, bits & 0xff);
}
// Of a block, the product of the scales of a row of A and a column of B.
double ScaleOf(const Lanes& lanes, const MatrixProduct& i, unsigned row, unsigned column,
               unsigned block) {
  const auto thread = [&](unsigned which) {
    return static_cast<unsigned>(lanes.Read(i.scale_threads[which])[0]);
  };
  const unsigned of_a = row % kHalfRows * kGroup + thread(0) % 2 * 2 + row / kHalfRows;
  const unsigned of_b = column * kGroup + thread(1) % kGroup;
  return ScaleIn(lanes, i, 0, of_a, block) * ScaleIn(lanes, i, 1, of_b, block);
}

std::uint64_t SumOfIntegers(const MatrixProduct& i, Operands* of, unsigned row, unsigned column,
                            std::uint64_t c) {
  std::int64_t sum = IntegerOf(i.c_type, c);
  for (unsigned k = 0; k < i.k; ++k) {
    const std::int64_t x = IntegerOf(i.a_type, of->a.At(row, k));
    const std::int64_t y = IntegerOf(i.b_type, of->b.At(k, column));
    sum += i.exclusive ? x ^ y : x * y;  // of single bits x * y is their and
  }
  if (i.saturate) {
    sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max());
  }
  return static_cast<std::uint32_t>(sum);
}

std::uint64_t SumOfFloats(const Lanes& lanes, const MatrixProduct& i, Operands* of, unsigned row,
                          unsigned column, std::uint64_t c) {
  const RoundingScope scope(i.round);
  double sum = FloatOf(i.c_type, c);
  const unsigned block = i.blocks == 0 ? i.k : i.k / i.blocks;
  double scale = 1;
  for (unsigned k = 0; k < i.k; ++k) {
    if (i.blocks != 0 && k % block == 0) {
      scale = ScaleOf(lanes, i, row, column, k / block);
    }
    if (!i.sparse || of->there.At(row, k) != 0) {
      sum = std::fma(scale * FloatOf(i.a_type, of->a.At(row, k)),
                     FloatOf(i.b_type, of->b.At(k, column)), sum);
    }
  }
  return BitsIn(i.d_type, sum);
}

}  // namespace

void Compute(const Lanes& lanes, const MatrixProduct& i) {
  Operands of(i);
  std::optional<SparseColumns> columns;
  if (i.sparse) {
    columns.emplace(SparseRowsOf(lanes, i));
  }
  ForEachOfA(i, [&](unsigned row, unsigned x, unsigned r, unsigned lane, unsigned first) {
    const unsigned column = columns ? columns->Of(row, x) : x;
    of.a.At(row, column) = Part(lanes.Read(i.a[r])[lane], first, i.a_type);
    of.there.At(row, column) = 1;
  });
  ForEachOfB(i, [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
    of.b.At(row, column) = Part(lanes.Read(i.b[r])[lane], first, i.b_type);
  });
  Matrix sums(i.m, i.n);
  ForEachOfC(
      i, i.c_type, [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
        const std::uint64_t c = Part(lanes.Read(i.c[r])[lane], first, i.c_type);
        sums.At(row, column) = IsInteger(i.d_type) ? SumOfIntegers(i, &of, row, column, c)
                                                   : SumOfFloats(lanes, i, &of, row, column, c);
      });
  ForEachOfC(i, i.d_type,
             [&](unsigned row, unsigned column, unsigned r, unsigned lane, unsigned first) {
               std::uint64_t& d = lanes.Write(i.d[r])[lane];
               d = (first == 0 ? 0 : d) | sums.At(row, column) << first;
             });
}

void Compute(const Lanes& lanes, const FragmentPlace& i) {
  const auto base = lanes.Read(i.address.base);
  const auto stride = lanes.Read(i.stride);
  std::uint64_t* const d = lanes.Write(i.d);
  lanes.ForEach([&](unsigned lane) {
    const unsigned index = (lane * i.of_lane + i.first) % i.count;
    const unsigned line = i.across ? index % i.along : index / i.along;
    const unsigned in = i.across ? index / i.along : index % i.along;
    const std::uint64_t element = line * (stride[lane] & 0xffffffffU) + in;
    d[lane] = i.address.From(base[lane]) + element * i.bits / 8;
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
