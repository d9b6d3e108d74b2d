// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.mma: products by their definition, of operands that lie in shared memory by the canonical
// layouts of the text, spelled as it spells them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/alu/small_float.h"
#include "tb/unit/ptx_tensor_kernel.h"

namespace muster::ptx {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

struct Product {
  const char* kind;
  const char* a;
  const char* b;
  const char* d;
  unsigned m;
  unsigned n;
  const char* swizzle_a = "none";
  bool a_transposed = false;
  const char* swizzle_b = "none";
  bool b_transposed = false;
  bool a_in_tensor = false;
};
std::ostream& operator<<(std::ostream& out, const Product& p) {
  return out << p.kind << " " << p.a << " " << p.b << " " << p.d << " " << p.m << "x" << p.n << " "
             << p.swizzle_a << (p.a_transposed ? "^T " : " ") << p.swizzle_b
             << (p.b_transposed ? "^T" : "");
}

unsigned BitsOf(const std::string& type) {
  return type == "tf32"                     ? 32
         : type == "f16" || type == "bf16"  ? 16
         : type == "e2m3" || type == "e3m2" ? 6
         : type == "e2m1"                   ? 4
                                            : 8;
}
unsigned CodeOf(const std::string& type) {
  return type == "bf16" || type == "e5m2" || type == "s8" ? 1
         : type == "tf32"                                 ? 2
         : type == "e2m3"                                 ? 3
         : type == "e3m2"                                 ? 4
         : type == "e2m1"                                 ? 5
                                                          : 0;
}
Type FormatNamed(const std::string& type) {
  return type == "f16"    ? Type::kF16
         : type == "bf16" ? Type::kBF16
         : type == "e4m3" ? Type::kE4M3
         : type == "e5m2" ? Type::kE5M2
         : type == "e2m3" ? Type::kE2M3
         : type == "e3m2" ? Type::kE3M2
                          : Type::kE2M1;
}

// Small numbers, so that every sum is exact in each of the types.
std::int64_t Draw(const std::string& type, std::uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  const auto draw = static_cast<std::int64_t>(*state >> 33);
  return type == "u8" ? draw % 200 : type == "s8" ? draw % 255 - 127 : draw % 9 - 4;
}
std::uint64_t Encode(const std::string& type, std::int64_t value) {
  if (type == "u8" || type == "s8") {
    return static_cast<std::uint8_t>(value);
  }
  if (type == "tf32" || type == "f32") {
    const auto single = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &single, sizeof bits);
    return bits;
  }
  return ToSmall(FormatNamed(type), Round::kNearest, static_cast<double>(value));
}

Matrix Random(unsigned rows, unsigned columns, const std::string& type, std::uint64_t* state) {
  Matrix matrix(rows, std::vector<std::int64_t>(columns));
  for (auto& row : matrix) {
    for (std::int64_t& element : row) {
      element = Draw(type, state);
    }
  }
  return matrix;
}

// A matrix in shared memory: of units of 16 bytes, whose places are ((w, x), (y, z)) : the strides
// of the text, in bytes.
struct Laid {
  unsigned leading;
  unsigned stride;
  unsigned mode;                    // of the descriptor
  std::vector<std::uint8_t> bytes;  // from a multiple of 1024 on
};

unsigned WidthNamed(const std::string& swizzle) {
  return swizzle == "none" ? 16 : swizzle == "32" ? 32 : swizzle == "64" ? 64 : 128;
}

// Swizzle<bits, base, shift> of the text's functions, on byte addresses.
unsigned SwizzleOf(const std::string& name, unsigned address) {
  const unsigned bits = name == "none" ? 0 : name == "32" ? 1 : name == "128" ? 3 : 2;
  const unsigned base = name == "128a" ? 5 : 4;
  const unsigned shift = name == "128a" ? 2 : 3;
  return address ^ (address >> (base + shift) & ((1U << bits) - 1)) << base;
}

// rows x k elements. K-major: ((8,m),(T,2k)):((wT,SBO),(1,T or LBO)). Transposed:
// ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO)), and without swizzle ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO)).
Laid Lay(const Matrix& matrix, const std::string& type, const std::string& swizzle,
         bool transposed) {
  const auto rows = static_cast<unsigned>(matrix.size());
  const auto depth = static_cast<unsigned>(matrix[0].size());
  const unsigned along = 16 * 8 / std::max(BitsOf(type), 8U);  // T
  const unsigned width = WidthNamed(swizzle);
  const unsigned w = width / 16;
  const bool plain = swizzle == "none";
  const unsigned eight = swizzle == "128a" ? 4 : 8;
  Laid laid;
  laid.mode = plain ? 0 : swizzle == "128a" ? 1 : swizzle == "128" ? 2 : swizzle == "64" ? 4 : 6;
  // Strides that leave a gap where the layout lets them.
  if (!transposed) {
    laid.stride = plain ? 256 + 128 : 8 * width;
    laid.leading = plain ? 128 : 16;
  } else if (plain) {
    laid.stride = 2 * 128;
    laid.leading = 128;
  } else {
    laid.stride = eight * width;
    laid.leading = (depth + eight - 1) / eight * laid.stride;
  }
  laid.bytes.resize(65536);
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned k = 0; k < depth; ++k) {
      unsigned unit = 0;  // its first byte
      unsigned in = 0;    // the element in it
      if (!transposed) {
        unit = row % 8 * width + row / 8 * laid.stride + k / along * (plain ? laid.leading : 16);
        in = k % along;
      } else if (plain) {
        unit = row / along * laid.stride + k % 8 * 16 + k / 8 * laid.leading;
        in = row % along;
      } else {
        unit = row / along % w * 16 + row / along / w * laid.leading + k % eight * width +
               k / eight * laid.stride;
        in = row % along;
      }
      unit = SwizzleOf(swizzle, unit);
      const std::uint64_t bits = Encode(type, matrix[row][k]) << in * BitsOf(type) % 8;
      for (unsigned byte = 0; byte < 5; ++byte) {
        if (const unsigned at = unit + in * BitsOf(type) / 8 + byte; at < laid.bytes.size()) {
          laid.bytes[at] |= static_cast<std::uint8_t>(bits >> 8 * byte);
        }
      }
    }
  }
  std::size_t used = laid.bytes.size();
  while (used > 0 && laid.bytes[used - 1] == 0) {
    --used;
  }
  laid.bytes.resize((used + 1023) / 1024 * 1024);
  return laid;
}

std::uint64_t Descriptor(const Laid& laid) {
  return std::uint64_t{laid.leading / 16} << 16 | std::uint64_t{laid.stride / 16} << 32 |
         std::uint64_t{1} << 46 | std::uint64_t{laid.mode} << 61;
}

std::uint32_t InstructionDescriptor(const Product& p) {
  const std::string d = p.d;
  return (d == "f16"   ? 0U
          : d == "f32" ? 1U
                       : 2U)
             << 4 |
         CodeOf(p.a) << 7 | CodeOf(p.b) << 10 | (p.a_transposed ? 1U : 0U) << 15 |
         (p.b_transposed ? 1U : 0U) << 16 | p.n / 8 << 17 | p.m / 16 << 24;
}

// Two products, of which the second adds to the first if `accumulates`.
struct Plan {
  std::string before;               // instructions before the products
  std::uint32_t descriptor_or = 0;  // more bits of the instruction descriptor
  std::string more;                 // operands after the descriptor, of the second product
  bool once = false;
};

std::vector<std::uint32_t> Multiply(const Product& p, const Laid& a, const Laid& b,
                                    const Plan& plan) {
  const unsigned allocated = p.n <= 32 ? 64 : 512;
  const unsigned of_a = allocated - 8;  // columns of A, if it is there
  std::vector<std::uint8_t> in = a.bytes;
  in.insert(in.end(), b.bytes.begin(), b.bytes.end());
  std::string ptx = TensorPrologue(allocated) + CopyToShared(static_cast<unsigned>(in.size()));
  ptx += fmt::format(
      "  mov.u32 %r20, data; shr.u32 %r21, %r20, 4; cvt.u64.u32 %d5, %r21; or.b64 %d6, %d5, "
      "{:#x};\n  add.u32 %r20, %r20, {}; shr.u32 %r21, %r20, 4; cvt.u64.u32 %d5, %r21; or.b64 %d7, "
      "%d5, {:#x};\n  mov.u32 %r22, {:#x}; setp.ne.u32 %p6, %r1, %r1; setp.eq.u32 %p7, %r1, %r1;\n",
      Descriptor(a), a.bytes.size(), Descriptor(b), InstructionDescriptor(p) | plan.descriptor_or);
  if (p.a_in_tensor) {
    // The 32 bytes of each row: from `in` after the operands.
    ptx += fmt::format(
        "  shl.b32 %r23, %r1, 5; add.u32 %r23, %r23, {}; cvt.u64.u32 %d8, %r23; add.u64 %d8, %d1, "
        "%d8;\n  ld.global.v4.u32 {{%x0, %x1, %x2, %x3}}, [%d8]; ld.global.v4.u32 {{%x4, %x5, %x6, "
        "%x7}}, [%d8+16];\n  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r10+{}], {{%x0, %x1, %x2, "
        "%x3, %x4, %x5, %x6, %x7}};\n  tcgen05.wait::st.sync.aligned;\n  "
        "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n",
        in.size(), of_a);
    const Laid rows = a;
    in.insert(in.end(), rows.bytes.end() - 32 * kTensorThreads, rows.bytes.end());
  }
  const std::string first = p.a_in_tensor ? fmt::format("[%r9+{}]", of_a) : "%d6";
  ptx += plan.before;
  ptx += fmt::format("  @%p1 tcgen05.mma.cta_group::1.kind::{} [%r9], {}, %d7, %r22, %p6;\n",
                     p.kind, first);
  if (!plan.once) {
    ptx += fmt::format("  @%p1 tcgen05.mma.cta_group::1.kind::{} [%r9], {}, %d7, %r22, {};\n",
                       p.kind, first, plan.more.empty() ? "%p7" : plan.more);
  }
  ptx += kCommitAndWait + TensorEpilogue(p.n, allocated);
  return TensorWords(ptx, in, p.n);
}

std::uint32_t WordOf(const Product& p, std::int64_t value) {
  return static_cast<std::uint32_t>(std::string(p.d) == "s32" ? static_cast<std::uint64_t>(value)
                                                              : Encode(p.d, value));
}

// The lane that has a row of D: all 128, or 16 of each 32.
unsigned LaneOf(const Product& p, unsigned row) {
  return p.m == 128 ? row : row / 16 * 32 + row % 16;
}

class PtxTensorProduct : public testing::TestWithParam<Product> {};

TEST_P(PtxTensorProduct, IsThatOfTheDefinition) {
  const Product& p = GetParam();
  const unsigned depth = 256 / std::max(BitsOf(p.a), 8U);
  std::uint64_t state = 11;
  const Matrix a = Random(p.m, depth, p.a, &state);
  const Matrix b = Random(p.n, depth, p.b, &state);  // by columns
  Laid of_a = Lay(a, p.a, p.swizzle_a, p.a_transposed);
  if (p.a_in_tensor) {  // 32 bytes of each lane, at the end
    std::vector<std::uint8_t> rows(32 * kTensorThreads);
    for (unsigned row = 0; row < p.m; ++row) {
      for (unsigned k = 0; k < depth; ++k) {
        const unsigned bytes = std::max(BitsOf(p.a), 8U) / 8;
        const std::uint64_t bits = Encode(p.a, a[row][k]) << (std::string(p.a) == "e2m1" ? 2 : 0);
        std::memcpy(&rows[32 * LaneOf(p, row) + k * bytes], &bits, bytes);
      }
    }
    of_a.bytes.insert(of_a.bytes.end(), rows.begin(), rows.end());
  }
  const auto got = Multiply(p, of_a, Lay(b, p.b, p.swizzle_b, p.b_transposed), {});
  for (unsigned row = 0; row < p.m; ++row) {
    for (unsigned n = 0; n < p.n; ++n) {
      std::int64_t sum = 0;
      for (unsigned k = 0; k < depth; ++k) {
        sum += a[row][k] * b[n][k];
      }
      ASSERT_EQ(got[LaneOf(p, row) * p.n + n], WordOf(p, 2 * sum))
          << p << " row " << row << " column " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxTensorProduct,
    testing::Values(
        Product{"f16", "f16", "f16", "f32", 128, 64}, Product{"f16", "f16", "f16", "f16", 64, 8},
        Product{"f16", "bf16", "bf16", "f32", 64, 24, "32", false, "64", false},
        Product{"f16", "f16", "f16", "f32", 128, 256, "32", false, "128", false},
        Product{"f16", "f16", "f16", "f32", 128, 64, "64", true, "128", true},
        Product{"f16", "f16", "bf16", "f32", 64, 96, "32", true, "32", true},
        Product{"f16", "f16", "f16", "f32", 128, 128, "none", true, "64", true},
        Product{"f16", "f16", "f16", "f32", 128, 192, "128", true, "none", true},
        Product{"f16", "f16", "f16", "f32", 128, 40, "none", false, "128", false, true},
        Product{"f16", "bf16", "f16", "f32", 64, 64, "none", false, "128", true, true},
        Product{"tf32", "tf32", "tf32", "f32", 128, 64, "128", false, "32", false},
        Product{"tf32", "tf32", "tf32", "f32", 64, 64, "128a", true, "128a", true},
        Product{"tf32", "tf32", "tf32", "f32", 128, 16, "none", false, "64", false, true},
        Product{"f8f6f4", "e4m3", "e5m2", "f32", 128, 32, "128", false, "none", false},
        Product{"f8f6f4", "e5m2", "e4m3", "f16", 64, 48, "64", true, "32", true},
        Product{"f8f6f4", "e2m3", "e3m2", "f32", 128, 16, "64", false, "128", false},
        Product{"f8f6f4", "e2m1", "e2m1", "f32", 128, 64, "none", false, "32", false},
        Product{"f8f6f4", "e2m1", "e4m3", "f32", 128, 64, "none", false, "32", false, true},
        Product{"f8f6f4", "e3m2", "e2m3", "f16", 64, 64, "none", false, "32", false, true},
        Product{"i8", "s8", "s8", "s32", 128, 32, "none", false, "128", false},
        Product{"i8", "u8", "s8", "s32", 64, 24, "32", false, "64", false},
        Product{"i8", "u8", "u8", "s32", 128, 256, "128", true, "128", true},
        Product{"i8", "s8", "u8", "s32", 128, 48, "none", false, "32", true, true}));

TEST(PtxTensorCore, NegatesScalesSaturatesAndLeavesLanesOut) {
  const Product p{"f16", "f16", "f16", "f32", 128, 16};
  Matrix a(128, std::vector<std::int64_t>(16));
  Matrix b(16, std::vector<std::int64_t>(16));
  for (unsigned row = 0; row < 128; ++row) {
    a[row][0] = row;
  }
  for (unsigned n = 0; n < 16; ++n) {
    b[n][0] = n + 1;
  }
  const Laid of_a = Lay(a, p.a, "none", false);
  const Laid of_b = Lay(b, p.b, "none", false);
  const auto each = [&](const Plan& plan, auto wanted) {
    const auto got = Multiply(p, of_a, of_b, plan);
    for (unsigned row = 0; row < 128; ++row) {
      for (unsigned n = 0; n < 16; ++n) {
        ASSERT_EQ(got[row * 16 + n], WordOf(p, wanted(row, std::int64_t{row} * (n + 1))))
            << row << " " << n;
      }
    }
  };
  each({"", 1U << 13, "", true}, [](unsigned, std::int64_t x) { return -x; });
  each({"", 3U << 13, "", true}, [](unsigned, std::int64_t x) { return x; });
  each({"", 0, "%p7, 0"}, [](unsigned, std::int64_t x) { return 2 * x; });
  each({"", 0, "!%p7"}, [](unsigned, std::int64_t x) { return x; });
  // Lanes 0 to 31 and lane 97 of the second product stay as they are.
  each({"", 0, "{0xffffffff, 0, 0, 2}, %p7"},
       [](unsigned row, std::int64_t x) { return row < 32 || row == 97 ? x : 2 * x; });
  const auto halved = Multiply(p, of_a, of_b, {"", 0, "%p7, 1"});
  for (unsigned row = 0; row < 128; ++row) {  // of even numbers half is one
    ASSERT_EQ(halved[row * 16 + 1], WordOf(p, 3 * row));
  }
  const Product whole{"i8", "u8", "u8", "s32", 64, 8};
  const Matrix most(64, std::vector<std::int64_t>(32, 255));
  const Laid all = Lay(most, "u8", "none", false);
  for (const bool saturates : {false, true}) {
    std::string before = "  mov.u32 %r24, 0x7fffff00;\n";
    for (unsigned n = 0; n < 8; ++n) {
      before += fmt::format("  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10+{}], {{%r24}};\n", n);
    }
    before += "  tcgen05.wait::st.sync.aligned; bar.sync 0; setp.eq.u32 %p6, %r1, %r1;\n";
    const auto got = Multiply(whole, all, all, {before, saturates ? 1U << 3 : 0, "", true});
    EXPECT_EQ(got[0], saturates ? 0x7fffffffU : 0x7fffff00U + 32 * 255 * 255);
  }
}

// Where the operands lie wrong, or the descriptors say what there is not.
TEST(PtxTensorCore, BadDescriptorsAreFaults) {
  struct Case {
    std::uint64_t a;
    std::uint64_t b;
    std::uint32_t instruction;
    const char* cause;
    const char* sentence;
  };
  constexpr std::uint64_t kGood = std::uint64_t{1} << 46 | std::uint64_t{8} << 32;
  constexpr std::uint32_t kInstruction = 1U << 4 | 8U << 17 | 8U << 24;  // 128x64 of f16
  const Case cases[] = {
      {kGood, std::uint64_t{8} << 32, kInstruction, "bad_matrix_descriptor",
       "of B, which does not have 0b001 in bits 48:46"},
      {kGood | std::uint64_t{3} << 61, kGood, kInstruction, "bad_matrix_descriptor",
       "of A, which has the swizzling mode 3"},
      {kGood | std::uint64_t{1} << 52, kGood, kInstruction, "bad_matrix_descriptor",
       "absolute address"},
      {kGood | 0x3fff, kGood, kInstruction, "bad_matrix_descriptor",
       "a descriptor of A that reaches up to byte 0x"},
      {kGood | std::uint64_t{1} << 61, kGood, kInstruction, "bad_matrix_descriptor",
       "a swizzling mode that its elements do not have along K"},
      {kGood, kGood, kInstruction | 1U << 2, "bad_instruction_descriptor", "a sparse A"},
      {kGood, kGood, kInstruction | 3U << 7, "bad_instruction_descriptor",
       "the types 1 of D, 3 of"},
      {kGood, kGood, kInstruction | 1U << 6, "bad_instruction_descriptor", "zeroes in bits 6"},
      {kGood, kGood, kInstruction | 1U << 3, "bad_instruction_descriptor", "saturates"},
      {kGood, kGood, kInstruction | 1U << 24, "bad_instruction_descriptor", "M 144 and N 64"}};
  for (const Case& one : cases) {
    std::string ptx = TensorPrologue(64) + CopyToShared(1024);
    ptx += fmt::format(
        "  mov.u64 %d6, {:#x}; mov.u64 %d7, {:#x}; mov.u32 %r22, {:#x};\n"
        "  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r9], %d6, %d7, %r22, %p1;\n",
        one.a, one.b, one.instruction);
    Kernel kernel(ptx + kCommitAndWait + TensorEpilogue(64, 64), kTensorThreads);
    kernel.manifest.buffers = {MakeBuffer("in", Type::kU32, 1024),
                               MakeBuffer("out", Type::kU32, 64 * kTensorThreads)};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), std::string("fault:") + one.cause) << one.sentence;
    EXPECT_NE(run.grid().problem().find(one.sentence), std::string::npos) << run.grid().problem();
  }
}

}  // namespace
}  // namespace muster::ptx
