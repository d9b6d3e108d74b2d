// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.mma with scaled blocks, and with .ws: by the definition, (A x scale_A) x (B x scale_B).
// The scales come from shared memory by tcgen05.cp: of 128 rows those of row r are a word, and the
// words of 32 rows lie 16 bytes apart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/alu/small_float.h"
#include "tb/unit/ptx_tensor_kernel.h"

namespace muster::ptx {
namespace {

constexpr unsigned kAllocated = 512;
constexpr unsigned kRows = 128;
// Columns of tensor memory behind D.
constexpr unsigned kOfA = 384;
constexpr unsigned kScalesOfA = 400;
constexpr unsigned kScalesOfB = 408;

struct Format {
  Type type;
  unsigned bits;
  unsigned code;  // of .kind::f8f6f4
};
Format FormatOf(const std::string& name) {
  return name == "e4m3"   ? Format{Type::kE4M3, 8, 0}
         : name == "e5m2" ? Format{Type::kE5M2, 8, 1}
         : name == "e2m3" ? Format{Type::kE2M3, 6, 3}
         : name == "e3m2" ? Format{Type::kE3M2, 6, 4}
                          : Format{Type::kE2M1, 4, 5};
}

struct Scaled {
  const char* kind;
  const char* vector;  // modifier
  unsigned count;      // scales of a row
  const char* a;
  const char* b;
  unsigned n;
  unsigned id_a = 0;
  unsigned id_b = 0;
  bool small_scales = false;  // ue4m3
  bool a_in_tensor = false;
  bool is_pair = false;  // of CTAs, each with 128 rows of A and D, and half of the columns of B
};
std::ostream& operator<<(std::ostream& out, const Scaled& s) {
  return out << s.kind << s.vector << " " << s.a << " " << s.b << " " << s.n << " ids " << s.id_a
             << s.id_b << (s.a_in_tensor ? " A in tensor memory" : "")
             << (s.is_pair ? " of a pair" : "");
}

class Draws {
 public:
  unsigned Below(unsigned count) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<unsigned>(state_ >> 40) % count;
  }

 private:
  std::uint64_t state_ = 5;
};

// A matrix of numbers that each of the formats has.
using Matrix = std::vector<std::vector<double>>;
Matrix Drawn(unsigned rows, unsigned columns, Draws* draws) {
  constexpr double kNumbers[] = {0, 0.5, 1, 1.5, 2, 3, 4, -0.5, -1, -1.5, -2, -3, -4};
  Matrix matrix(rows, std::vector<double>(columns));
  for (auto& row : matrix) {
    for (double& x : row) {
      x = kNumbers[draws->Below(std::size(kNumbers))];
    }
  }
  return matrix;
}
Matrix DrawnScales(unsigned rows, const Scaled& s, Draws* draws) {
  constexpr double kPowers[] = {0.25, 0.5, 1, 2, 4};
  constexpr double kOthers[] = {0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3};
  Matrix scales(rows, std::vector<double>(s.count));
  for (auto& row : scales) {
    for (double& x : row) {
      x = s.small_scales ? kOthers[draws->Below(8)] : kPowers[draws->Below(5)];
    }
  }
  return scales;
}

// Rows along K without a swizzle: eight rows of 16 bytes together, 128 bytes from one 16 bytes of a
// row to the next, 256 from eight rows to the next.
constexpr std::uint64_t kLayout =
    std::uint64_t{1} << 46 | std::uint64_t{256 / 16} << 32 | std::uint64_t{128 / 16} << 16;
std::vector<std::uint8_t> Laid(const Matrix& matrix, const Format& format, bool packed) {
  const unsigned along = packed ? 32 : 16;
  std::vector<std::uint8_t> bytes(matrix.size() * 32);
  for (unsigned row = 0; row < matrix.size(); ++row) {
    for (unsigned k = 0; k < matrix[row].size(); ++k) {
      const unsigned unit = row / 8 * 256 + k / along * 128 + row % 8 * 16;
      const std::uint64_t bits = ToSmall(format.type, Round::kNearest, matrix[row][k]);
      for (unsigned bit = 0; bit < format.bits; ++bit) {
        const unsigned at = k % along * format.bits + bit;
        bytes[unit + at / 8] |= static_cast<std::uint8_t>((bits >> bit & 1) << at % 8);
      }
    }
  }
  return bytes;
}
// The 32 bytes of each row in tensor memory.
std::vector<std::uint8_t> InTensor(const Matrix& matrix, const Format& format, bool packed) {
  std::vector<std::uint8_t> bytes(matrix.size() * 32);
  for (unsigned row = 0; row < matrix.size(); ++row) {
    for (unsigned k = 0; k < matrix[row].size(); ++k) {
      const auto bits =
          static_cast<unsigned>(ToSmall(format.type, Round::kNearest, matrix[row][k]));
      const unsigned shift = packed ? k % 2 * 4 : format.bits == 4 ? 2 : 0;
      bytes[32 * row + (packed ? k / 2 : k)] |= static_cast<std::uint8_t>(bits << shift);
    }
  }
  return bytes;
}
// Words of 128 rows each, of which the scales are some bytes; the others are NaN.
std::vector<std::uint8_t> ScaleWords(const Matrix& scales, const Scaled& s, unsigned id) {
  std::vector<std::uint8_t> bytes((scales.size() + 127) / 128 * 512, 0xff);
  for (unsigned row = 0; row < scales.size(); ++row) {
    for (unsigned i = 0; i < s.count; ++i) {
      const unsigned at = row / 128 * 512 + row % 32 * 16 + row / 32 % 4 * 4 + id + i;
      bytes[at] = static_cast<std::uint8_t>(
          s.small_scales ? ToSmall(Type::kE4M3, Round::kNearest, scales[row][i])
                         : 127 + static_cast<int>(std::log2(scales[row][i])));
    }
  }
  return bytes;
}

std::uint32_t DescriptorOf(const Scaled& s, bool packed) {
  const unsigned a = packed ? 1 : FormatOf(s.a).code;
  const unsigned b = packed ? 1 : FormatOf(s.b).code;
  return s.id_b << 4 | a << 7 | b << 10 | s.n / 8 << 17 | (s.small_scales ? 0U : 1U) << 23 |
         (s.is_pair ? 2U : 1U) << 27 | s.id_a << 29;
}

void Append(std::vector<std::uint8_t>* to, const std::vector<std::uint8_t>& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// The rows of one of several equal parts.
Matrix Part(const Matrix& matrix, unsigned parts, unsigned part) {
  const auto each = static_cast<std::ptrdiff_t>(matrix.size() / parts);
  const auto begin = matrix.begin() + each * part;
  return {begin, begin + each};
}

class PtxTensorScaled : public testing::TestWithParam<Scaled> {};

TEST_P(PtxTensorScaled, IsThatOfTheDefinition) {
  const Scaled& s = GetParam();
  const bool packed = std::string(s.kind) != "mxf8f6f4";
  const unsigned depth = packed ? 64 : 32;
  const unsigned ctas = s.is_pair ? 2 : 1;
  Draws draws;
  const Matrix a = Drawn(ctas * kRows, depth, &draws);
  const Matrix b = Drawn(s.n, depth, &draws);
  const Matrix scales_a = DrawnScales(ctas * kRows, s, &draws);
  const Matrix scales_b = DrawnScales(s.n, s, &draws);
  // What each CTA has: its part of A and B, and the scales of its rows and of all columns.
  std::vector<std::uint8_t> in;
  std::size_t at_b = 0;
  std::size_t at_scales = 0;
  std::size_t at_tensor = 0;
  std::size_t each = 0;
  for (unsigned rank = 0; rank < ctas; ++rank) {
    const std::size_t begin = in.size();
    const Matrix own_a = Part(a, ctas, rank);
    Append(&in, Laid(own_a, FormatOf(s.a), packed));
    at_b = in.size() - begin;
    Append(&in, Laid(Part(b, ctas, rank), FormatOf(s.b), packed));
    at_scales = in.size() - begin;
    Append(&in, ScaleWords(Part(scales_a, ctas, rank), s, s.id_a));
    Append(&in, ScaleWords(scales_b, s, s.id_b));
    in.resize(begin + (in.size() - begin + 511) / 512 * 512);
    at_tensor = in.size() - begin;
    if (s.a_in_tensor) {
      Append(&in, InTensor(own_a, FormatOf(s.a), packed));
    }
    each = in.size() - begin;
  }
  std::string ptx = TensorPrologue(kAllocated) + CopyToShared(static_cast<unsigned>(at_tensor));
  if (s.a_in_tensor) {
    ptx += fmt::format(R"(
  shl.b32 %r23, %r1, 5; add.u32 %r23, %r23, {}; cvt.u64.u32 %d8, %r23; add.u64 %d8, %d1, %d8;
  ld.global.v4.u32 {{%x0, %x1, %x2, %x3}}, [%d8]; ld.global.v4.u32 {{%x4, %x5, %x6, %x7}}, [%d8+16];
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r10+{}], {{%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}};
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
)",
                       at_tensor, kOfA);
  }
  const auto descriptor = [](unsigned target, std::size_t at, std::uint64_t layout) {
    return fmt::format(
        "  mov.u32 %r20, data; add.u32 %r20, %r20, {}; shr.u32 %r21, %r20, 4; cvt.u64.u32 %d5, "
        "%r21; or.b64 %d{}, %d5, {:#x};\n",
        at, target, layout);
  };
  constexpr std::uint64_t kScaleLayout = std::uint64_t{1} << 46 | std::uint64_t{128 / 16} << 32;
  ptx += descriptor(6, 0, kLayout) + descriptor(7, at_b, kLayout);
  for (unsigned block = 0; block < 1 + (s.n + 127) / 128; ++block) {
    ptx += descriptor(9, at_scales + 512 * std::size_t{block}, kScaleLayout);
    ptx += fmt::format("  @%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r9+{}], %d9;\n",
                       block == 0 ? kScalesOfA : kScalesOfB + 4 * (block - 1));
  }
  ptx +=
      fmt::format("  mov.u32 %r22, {:#x}; setp.ne.u32 %p6, %r1, %r1; setp.eq.u32 %p7, %r1, %r1;\n",
                  DescriptorOf(s, packed));
  for (const char* const counts : {"%p6", "%p7"}) {
    ptx += fmt::format(
        "  @%p1 tcgen05.mma.cta_group::1.kind::{}.block_scale{} [%r9], {}, %d7, %r22, [%r9+{}], "
        "[%r9+{}], {};\n",
        s.kind, s.vector, s.a_in_tensor ? fmt::format("[%r9+{}]", kOfA) : "%d6", kScalesOfA,
        kScalesOfB, counts);
  }
  ptx += kCommitAndWait + TensorEpilogue(s.n, kAllocated);
  if (s.is_pair) {
    ptx = ForPair(ptx, static_cast<unsigned>(each), 4 * s.n * kRows);
  }
  const auto got = TensorWords(ptx, in, s.n, ctas);
  for (unsigned row = 0; row < ctas * kRows; ++row) {
    for (unsigned n = 0; n < s.n; ++n) {
      double sum = 0;
      for (unsigned k = 0; k < depth; ++k) {
        const unsigned block = k / (depth / s.count);
        sum += a[row][k] * scales_a[row][block] * (b[n][k] * scales_b[n][block]);
      }
      const auto wanted = static_cast<float>(2 * sum);
      float value = 0;
      std::memcpy(&value, &got[row * s.n + n], sizeof value);
      ASSERT_EQ(value, wanted) << s << " row " << row << " column " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxTensorScaled,
    testing::Values(Scaled{"mxf8f6f4", "", 1, "e4m3", "e5m2", 64},
                    Scaled{"mxf8f6f4", ".scale_vec::1X", 1, "e2m1", "e3m2", 256, 3, 1},
                    Scaled{"mxf8f6f4", ".block32", 1, "e2m3", "e4m3", 8, 2, 0, false, true},
                    Scaled{"mxf8f6f4", "", 1, "e2m1", "e2m1", 192, 0, 3, false, true},
                    Scaled{"mxf4", "", 2, "e2m1", "e2m1", 128, 0, 2},
                    Scaled{"mxf4", ".scale_vec::2X", 2, "e2m1", "e2m1", 40, 2, 0, false, true},
                    Scaled{"mxf4nvf4", ".block32", 2, "e2m1", "e2m1", 136},
                    Scaled{"mxf4nvf4", ".scale_vec::4X", 4, "e2m1", "e2m1", 64},
                    Scaled{"mxf4nvf4", ".block16", 4, "e2m1", "e2m1", 256, 0, 0, true},
                    Scaled{"mxf4nvf4", ".scale_vec::4X", 4, "e2m1", "e2m1", 96, 0, 0, true, true},
                    Scaled{"mxf8f6f4", "", 1, "e4m3", "e3m2", 64, 1, 2, false, false, true},
                    Scaled{"mxf8f6f4", "", 1, "e2m1", "e5m2", 256, 0, 0, false, true, true},
                    Scaled{"mxf4", "", 2, "e2m1", "e2m1", 160, 2, 0, false, false, true},
                    Scaled{"mxf4nvf4", ".scale_vec::4X", 4, "e2m1", "e2m1", 192, 0, 0, true, false,
                           true}));

// ------------------------------------------------------------------------------------------------
// .ws
// ------------------------------------------------------------------------------------------------

// Rows of fewer than 128 lie several times side by side: row i has its columns in parts, the first
// in lane i, the next one in lane M + i.
TEST(PtxTensorStationary, LiesInAllLanes) {
  for (const unsigned m : {32U, 64U, 128U}) {
    for (const unsigned n : {64U, 128U, 256U}) {
      Draws draws;
      const Matrix a = Drawn(m, 16, &draws);
      const Matrix b = Drawn(n, 16, &draws);
      const Format half{Type::kF16, 16, 0};
      // Of f16 a unit of 16 bytes has eight.
      const auto lay = [&](const Matrix& matrix) {
        std::vector<std::uint8_t> bytes(matrix.size() * 32);
        for (unsigned row = 0; row < matrix.size(); ++row) {
          for (unsigned k = 0; k < 16; ++k) {
            const auto bits =
                static_cast<std::uint16_t>(ToSmall(half.type, Round::kNearest, matrix[row][k]));
            std::memcpy(&bytes[row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2], &bits, 2);
          }
        }
        return bytes;
      };
      std::vector<std::uint8_t> in = lay(a);
      const std::size_t at_b = in.size();
      Append(&in, lay(b));
      const unsigned columns = n * m / 128;
      std::string ptx = TensorPrologue(kAllocated) + CopyToShared(static_cast<unsigned>(in.size()));
      ptx += fmt::format(
          "  mov.u32 %r20, data; shr.u32 %r21, %r20, 4; cvt.u64.u32 %d5, %r21; or.b64 %d6, %d5, "
          "{0:#x}; add.u64 %d7, %d6, {1};\n  mov.u64 %d8, 0x0102030405060708;\n"
          "  @%p1 tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::fill [%r9], %d6, %d7, {2}, "
          "0;\n"
          "  @%p1 tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::use [%r9], %d6, %d7, {2}, "
          "1, %d8;\n",
          kLayout, at_b / 16, 1U << 4 | n / 8 << 17 | m / 16 << 24);
      const auto got =
          TensorWords(ptx + kCommitAndWait + TensorEpilogue(columns, kAllocated), in, columns);
      for (unsigned row = 0; row < m; ++row) {
        for (unsigned column = 0; column < n; ++column) {
          double sum = 0;
          for (unsigned k = 0; k < 16; ++k) {
            sum += a[row][k] * b[column][k];
          }
          float value = 0;
          std::memcpy(&value, &got[(column / columns * m + row) * columns + column % columns],
                      sizeof value);
          ASSERT_EQ(value, static_cast<float>(2 * sum))
              << m << "x" << n << " row " << row << " column " << column;
        }
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------

TEST(PtxTensorScaling, BadDescriptorsAreFaults) {
  struct Case {
    const char* kind;
    std::uint32_t instruction;
    const char* scales;
    const char* cause;
    const char* sentence;
  };
  constexpr std::uint32_t kShape = 8U << 17 | 1U << 23 | 1U << 27;  // 128x64
  const char* const scales = "[%r9+400], [%r9+408]";
  const Case cases[] = {
      {"mxf8f6f4.block_scale", kShape | 2U << 7, scales, "bad_instruction_descriptor",
       "the types 1 of D, 2 of A and 0 of B"},
      {"mxf8f6f4.block_scale", kShape | 1U << 2, scales, "bad_instruction_descriptor",
       "a sparse A"},
      {"mxf8f6f4.block_scale", kShape | 1U << 31, scales, "bad_instruction_descriptor",
       "zeroes in bits 0, 1, 3, 6, 24 to 26 and 31"},
      {"mxf8f6f4.block_scale", kShape & ~(1U << 23), scales, "bad_instruction_descriptor",
       "has scales of ue4m3"},
      {"mxf4.block_scale", kShape | 1U << 7 | 1U << 10 | 1U << 29, scales,
       "bad_instruction_descriptor", "the scales of A from byte 1 of a word on"},
      {"mxf4.block_scale", kShape | 5U << 7 | 1U << 10, scales, "bad_instruction_descriptor",
       "the types 1 of D, 5 of A and 1 of B"},
      {"mxf8f6f4.block_scale", kShape | 1U << 28, scales, "bad_instruction_descriptor",
       "M 384 and N 64"},
      {"mxf8f6f4.block_scale", kShape, "[%r9+400], [%r9+0x200198]", "bad_tensor_address",
       "the scales of B from lane 32 of tensor memory on"},
      {"mxf8f6f4.block_scale", kShape, "[%r9+512], [%r9+408]", "tensor_memory_not_allocated",
       "columns 512 to 515 of tensor memory, which has"}};
  for (const Case& one : cases) {
    std::string ptx = TensorPrologue(kAllocated) + CopyToShared(1024);
    ptx += fmt::format(
        "  mov.u64 %d6, {:#x}; mov.u32 %r22, {:#x};\n"
        "  @%p1 tcgen05.mma.cta_group::1.kind::{} [%r9], %d6, %d6, %r22, {}, %p1;\n",
        kLayout, one.instruction, one.kind, one.scales);
    Kernel kernel(ptx + kCommitAndWait + TensorEpilogue(1, kAllocated), kTensorThreads);
    kernel.manifest.buffers = {MakeBuffer("in", Type::kU32, 1024),
                               MakeBuffer("out", Type::kU32, kTensorThreads)};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), std::string("fault:") + one.cause) << one.sentence;
    EXPECT_NE(run.grid().problem().find(one.sentence), std::string::npos) << run.grid().problem();
  }
}

}  // namespace
}  // namespace muster::ptx
