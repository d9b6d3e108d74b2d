// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// wgmma: the places of elements in shared memory are those of the text's canonical layouts, written
// here as it has them; those in registers are those of its figures.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/alu/small_float.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr unsigned kThreads = 128;

// How an operand lies in shared memory.
enum class Major { kK, kMn, kRegisters };
struct Layout {
  Major major = Major::kK;
  unsigned swizzle = 0;  // bytes
  unsigned start = 0;    // where it begins, beyond a multiple of 1024
};
struct Case {
  const char* name;
  unsigned n;
  const char* d;
  const char* a;
  const char* b;
  Layout a_layout;
  Layout b_layout;
  unsigned steps = 1;     // along K
  const char* more = "";  // modifiers
  int scale_a = 1;
  int scale_b = 1;
  bool adds = true;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

unsigned BitsOf(const std::string& type) {
  return type == "f16" || type == "bf16"                  ? 16
         : type == "s8" || type == "u8" || type[0] == 'e' ? 8
         : type == "b1"                                   ? 1
                                                          : 32;
}
bool IsInteger(const std::string& type) { return type[0] == 's' || type[0] == 'u' || type == "b1"; }

std::uint64_t Encode(const std::string& type, std::int64_t value) {
  const auto single = static_cast<float>(value);
  std::uint32_t bits = 0;
  if (type == "f32" || type == "tf32") {
    std::memcpy(&bits, &single, sizeof single);
    return bits;
  }
  if (IsInteger(type)) {
    return static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - BitsOf(type)));
  }
  const Type format = type == "f16"    ? Type::kF16
                      : type == "bf16" ? Type::kBF16
                      : type == "e4m3" ? Type::kE4M3
                                       : Type::kE5M2;
  return ToSmall(format, Round::kNearest, static_cast<double>(value));
}

using Matrix = std::vector<std::vector<std::int64_t>>;

// Small numbers, so that every sum is exact.
Matrix Random(unsigned rows, unsigned columns, const std::string& type, std::uint64_t* state) {
  Matrix matrix(rows, std::vector<std::int64_t>(columns));
  for (auto& row : matrix) {
    for (std::int64_t& element : row) {
      *state = *state * 6364136223846793005U + 1442695040888963407U;
      const auto draw = static_cast<std::int64_t>(*state >> 33);
      element = type == "b1" ? draw % 2 : type[0] == 'u' ? draw % 8 : draw % 5 - 2;
    }
  }
  return matrix;
}

// "Canonical layouts": T elements are 128 bits; SBO and LBO are the offsets of the descriptor.
struct Placed {
  unsigned stride = 0;   // bytes
  unsigned leading = 0;  // bytes
};
// The bit of element (mn, k), counted from where the operand begins.
std::uint64_t BitOf(const Layout& layout, const Placed& at, unsigned bits, unsigned mn,
                    unsigned k) {
  const unsigned t = 128 / bits;
  const unsigned w = layout.swizzle / 16;
  std::uint64_t bit = 0;
  if (layout.major == Major::kK) {
    // ((8,m),(T,2k)) : ((1T,SBO),(1,LBO)), or ((wT,SBO),(1,T)) with a swizzle of w units
    const std::uint64_t row = w == 0 ? t : std::uint64_t{w} * t;
    bit = (mn % 8 * row + k % t) * bits + mn / 8 * 8 * at.stride +
          k / t * (w == 0 ? 8 * at.leading : t * bits);
  } else {
    // ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO)), or ((T,w,m),(8,k)) : ((1,T,LBO),(wT,SBO))
    const unsigned units = w == 0 ? 1 : w;
    bit = (mn % t + mn / t % units * t + k % 8 * units * t) * bits +
          mn / t / units * 8 * (w == 0 ? at.stride : at.leading) +
          k / 8 * 8 * (w == 0 ? at.leading : at.stride);
  }
  // Swizzle<b,4,3> of the byte: b bits from bit 7 on are added to those from bit 4 on.
  const std::uint64_t byte = bit / 8;
  const std::uint64_t mask = w == 0 ? 0 : w - 1;
  return (byte ^ ((byte >> 7 & mask) << 4)) * 8 + bit % 8;
}

struct Operand {
  Layout layout;
  Placed placed;
  std::string type;
  unsigned start = 0;  // in shared memory
  unsigned depth = 0;  // of one instruction
  unsigned extent = 0;

  // The descriptor of a step along K.
  std::uint64_t Descriptor(unsigned step) const {
    const unsigned bytes = step * 32;
    const std::uint64_t at =
        layout.major == Major::kMn
            ? start + step * depth / 8 * (layout.swizzle == 0 ? placed.leading : placed.stride)
        : layout.swizzle == 0 ? start + step * 2 * placed.leading
                              : start + bytes;
    const std::uint64_t mode = layout.swizzle == 128  ? 1
                               : layout.swizzle == 64 ? 2
                               : layout.swizzle == 32 ? 3
                                                      : 0;
    const std::uint64_t base = layout.swizzle == 0 ? 0 : start >> 7 & 7;
    return (at & 0x3ffff) >> 4 | std::uint64_t{placed.leading >> 4} << 16 |
           std::uint64_t{placed.stride >> 4} << 32 | base << 49 | mode << 62;
  }
};

// Places an operand behind what is there already, with gaps.
Operand Place(const Layout& layout, const std::string& type, unsigned extent, unsigned k,
              std::vector<std::uint8_t>* shared) {
  Operand o;
  o.layout = layout;
  o.type = type;
  o.depth = 256 / BitsOf(type);
  o.extent = extent;
  const unsigned row = layout.swizzle == 0 ? 16 : layout.swizzle;
  const unsigned brick = 8 * row + (layout.swizzle == 0 ? 16 : 0);  // eight rows, perhaps a gap
  const unsigned units = extent * BitsOf(type) / 128;
  if (layout.major == Major::kK) {
    o.placed = {brick, layout.swizzle == 0 ? extent / 8 * brick + 32 : 16};
  } else if (layout.swizzle == 0) {
    o.placed = {brick, units * brick + 48};
  } else {
    const unsigned rows = (k + 7) / 8;
    o.placed = {brick, rows * brick};
  }
  o.start = static_cast<unsigned>((shared->size() + 1023) / 1024 * 1024) + layout.start;
  return o;
}

void Fill(const Operand& o, const Matrix& by_mn, std::vector<std::uint8_t>* shared) {
  const unsigned bits = BitsOf(o.type);
  for (unsigned mn = 0; mn < by_mn.size(); ++mn) {
    for (unsigned k = 0; k < by_mn[mn].size(); ++k) {
      const std::uint64_t bit = BitOf(o.layout, o.placed, bits, mn, k);
      const std::uint64_t byte = o.start + bit / 8;
      if (shared->size() < byte + 4) {
        shared->resize(byte + 4);
      }
      const std::uint64_t value = Encode(o.type, by_mn[mn][k]);
      if (bits == 1) {
        (*shared)[byte] |= static_cast<std::uint8_t>(value << bit % 8);
      } else {
        std::memcpy(&(*shared)[byte], &value, bits / 8);
      }
    }
  }
}

std::string RegisterList(const std::string& name, unsigned first, unsigned count) {
  std::vector<std::string> names;
  for (unsigned r = 0; r < count; ++r) {
    names.push_back(fmt::format("%{}{}", name, first + r));
  }
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

std::string RegisterType(const std::string& type) {
  return type == "f32" ? "f32" : type == "s32" ? "s32" : "b32";
}

// The figures of the text: register elements of D by thread.
struct Where {
  unsigned row;
  unsigned column;
};
Where OfD(unsigned thread, unsigned i) {
  const unsigned warp = thread / 32;
  const unsigned lane = thread % 32;
  return {16 * warp + lane / 4 + (i / 2 % 2 == 0 ? 0 : 8), 8 * (i / 4) + lane % 4 * 2 + i % 2};
}
Where OfA(unsigned thread, unsigned i, unsigned e) {  // e elements to a register
  const unsigned warp = thread / 32;
  const unsigned lane = thread % 32;
  return {16 * warp + lane / 4 + (i / e % 2 == 0 ? 0 : 8),
          lane % 4 * e + i % e + (i / e / 2) * 4 * e};
}

class PtxWgmma : public testing::TestWithParam<Case> {};

TEST_P(PtxWgmma, IsThatOfTheDefinition) {
  const Case& c = GetParam();
  std::uint64_t state = 11;
  const unsigned depth = 256 / BitsOf(c.a);
  const unsigned k = depth * c.steps;
  const Matrix a = Random(64, k, c.a, &state);
  const Matrix b = Random(c.n, k, c.b, &state);  // by columns
  const bool clamps = std::string(c.more) == ".satfinite";
  const Matrix before = clamps ? Matrix(64, std::vector<std::int64_t>(c.n, 0x7ffffff8))
                               : Random(64, c.n, c.d, &state);
  Matrix wanted = before;
  for (unsigned row = 0; row < 64; ++row) {
    for (unsigned column = 0; column < c.n; ++column) {
      std::int64_t sum = c.adds ? before[row][column] : 0;
      for (unsigned i = 0; i < k; ++i) {
        sum += c.scale_a * a[row][i] * c.scale_b * b[column][i];
      }
      wanted[row][column] = clamps ? std::min<std::int64_t>(sum, 0x7fffffff) : sum;
    }
  }
  std::vector<std::uint8_t> shared(16);
  const bool in_registers = c.a_layout.major == Major::kRegisters;
  Operand oa;
  if (!in_registers) {
    oa = Place(c.a_layout, c.a, 64, k, &shared);
    Fill(oa, a, &shared);
  }
  const Operand ob = Place(c.b_layout, c.b, c.n, k, &shared);
  Fill(ob, b, &shared);
  shared.resize((shared.size() + 15) / 16 * 16);
  // Registers: of D, and of A for each step.
  const unsigned e_d = 32 / BitsOf(c.d);
  const unsigned e_a = 32 / BitsOf(c.a);
  const unsigned d_count = c.n / 2 / e_d;
  const unsigned a_count = in_registers ? 4 * c.steps : 0;
  std::vector<std::uint64_t> registers(std::size_t{kThreads} * (d_count + a_count));
  std::vector<std::uint64_t> results(std::size_t{kThreads} * d_count);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (unsigned i = 0; i < c.n / 2; ++i) {
      const Where at = OfD(thread, i);
      const unsigned shift = i % e_d * BitsOf(c.d);
      registers[thread * (d_count + a_count) + i / e_d] |= Encode(c.d, before[at.row][at.column])
                                                           << shift;
      results[thread * d_count + i / e_d] |= Encode(c.d, wanted[at.row][at.column]) << shift;
    }
    for (unsigned i = 0; i < a_count * e_a; ++i) {
      const Where at = OfA(thread, i % (4 * e_a), e_a);
      const std::uint64_t value = Encode(c.a, a[at.row][at.column + i / (4 * e_a) * depth]);
      registers[thread * (d_count + a_count) + d_count + i / e_a] |= value
                                                                     << (i % e_a * BitsOf(c.a));
    }
  }
  std::string ptx = fmt::format(R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 pi, .param .u64 pr, .param .u64 po) {{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %l<8>; .reg .b64 %ma; .reg .b64 %mb;
  .reg .{0} %d<{1}>; .reg .b32 %a<{2}>;
  .shared .align 1024 .b8 s[{3}];
  ld.param.u64 %l1, [pi]; ld.param.u64 %l2, [pr]; ld.param.u64 %l3, [po];
  mov.u32 %r1, %tid.x; mov.u32 %r2, s; mul.lo.u32 %r3, %r1, 4;
FILL:
  setp.ge.u32 %p1, %r3, {3}; @%p1 bra FULL;
  cvt.u64.u32 %l4, %r3; add.u64 %l4, %l4, %l1; ld.global.u32 %r4, [%l4]; add.u32 %r5, %r3, %r2;
  st.shared.u32 [%r5], %r4; add.u32 %r3, %r3, {4}; bra FILL;
FULL:
  fence.proxy.async; bar.sync 0;
  mad.wide.u32 %l2, %r1, {5}, %l2; mad.wide.u32 %l3, %r1, {6}, %l3;
)",
                                RegisterType(c.d), d_count, std::max(a_count, 1U), shared.size(),
                                4 * kThreads, 8 * (d_count + a_count), 8 * d_count);
  for (unsigned r = 0; r < d_count; ++r) {
    ptx += fmt::format("  ld.global.{} %d{}, [%l2+{}];\n", RegisterType(c.d), r, 8 * r);
  }
  for (unsigned r = 0; r < a_count; ++r) {
    ptx += fmt::format("  ld.global.b32 %a{}, [%l2+{}];\n", r, 8 * (d_count + r));
  }
  ptx += "  wgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step < c.steps; ++step) {
    if (!in_registers) {
      ptx += fmt::format("  mov.b64 %ma, {};\n", oa.Descriptor(step));
    }
    ptx += fmt::format("  mov.b64 %mb, {};\n  setp.eq.u32 %p2, {}, 1;\n", ob.Descriptor(step),
                       c.adds || step != 0 ? 1 : 0);
    ptx += fmt::format("  wgmma.mma_async.sync.aligned.m64n{}k{}{}.{}.{}.{}{} {}, {}, %mb, %p2",
                       c.n, depth, clamps ? c.more : "", c.d, c.a, c.b, clamps ? "" : c.more,
                       RegisterList("d", 0, d_count),
                       in_registers ? RegisterList("a", 4 * step, 4) : "%ma");
    if (!IsInteger(c.a)) {
      ptx += fmt::format(", {}, {}", c.scale_a, c.scale_b);
      if (BitsOf(c.a) == 16) {
        ptx += in_registers ? "" : c.a_layout.major == Major::kMn ? ", 1" : ", 0";
        ptx += c.b_layout.major == Major::kMn ? ", 1" : ", 0";
      }
    }
    ptx += ";\n";
  }
  ptx += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  for (unsigned r = 0; r < d_count; ++r) {
    ptx += fmt::format("  st.global.{} [%l3+{}], %d{};\n", RegisterType(c.d), 8 * r, r);
  }
  Kernel kernel(ptx + "  ret;\n}\n", kThreads);
  Buffer image = MakeBuffer("pi", Type::kU32, shared.size() / 4);
  image.initial = shared;
  kernel.manifest.buffers = {image, MakeBuffer("pr", registers),
                             MakeBuffer("po", Type::kU64, results.size())};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Longs(2), results);
}

constexpr Layout kRegisters{Major::kRegisters};
constexpr Layout K(unsigned swizzle, unsigned start = 0) { return {Major::kK, swizzle, start}; }
constexpr Layout Mn(unsigned swizzle, unsigned start = 0) { return {Major::kMn, swizzle, start}; }

INSTANTIATE_TEST_SUITE_P(
    All, PtxWgmma,
    testing::Values(
        Case{"f16_plain", 8, "f32", "f16", "f16", K(0), K(0), 2},
        Case{"f16_k_32", 24, "f32", "f16", "f16", K(32), K(32), 1},
        Case{"f16_k_64", 40, "f32", "f16", "f16", K(64), K(64), 2},
        Case{"f16_k_128", 64, "f32", "f16", "f16", K(128), K(128), 4},
        Case{"f16_k_128_elsewhere", 16, "f32", "f16", "f16", K(128, 384), K(64, 128), 2},
        Case{"f16_k_mixed", 256, "f32", "f16", "f16", K(64), K(128), 2},
        Case{"f16_mn_plain", 32, "f32", "f16", "f16", Mn(0), Mn(0), 2},
        Case{"f16_mn_32", 16, "f32", "f16", "f16", Mn(32), Mn(32), 1},
        Case{"f16_mn_64", 64, "f32", "f16", "f16", Mn(64), Mn(64), 2},
        Case{"f16_mn_128", 128, "f32", "f16", "f16", Mn(128), Mn(128), 2},
        Case{"f16_mn_128_elsewhere", 64, "f32", "f16", "f16", Mn(128, 640), Mn(64, 384), 2},
        Case{"f16_registers", 64, "f32", "f16", "f16", kRegisters, Mn(128), 2},
        Case{"f16_to_f16", 72, "f16", "f16", "f16", K(128), K(128), 2},
        Case{"f16_minus", 8, "f32", "f16", "f16", K(0), K(0), 1, "", -1, 1},
        Case{"f16_both_minus", 8, "f16", "f16", "f16", kRegisters, K(0), 1, "", -1, -1},
        Case{"f16_first", 16, "f32", "f16", "f16", K(64), K(64), 2, "", 1, -1, false},
        Case{"bf16", 104, "f32", "bf16", "bf16", K(128), Mn(64), 2},
        Case{"bf16_registers", 8, "f32", "bf16", "bf16", kRegisters, K(0), 2},
        Case{"tf32", 80, "f32", "tf32", "tf32", K(128), K(64), 2},
        Case{"tf32_registers", 8, "f32", "tf32", "tf32", kRegisters, K(32), 1},
        Case{"e4m3", 64, "f32", "e4m3", "e4m3", K(128), K(128), 4},
        Case{"e5m2_e4m3", 8, "f16", "e5m2", "e4m3", K(64), K(0), 2},
        Case{"e4m3_e5m2_registers", 16, "f32", "e4m3", "e5m2", kRegisters, K(32), 1},
        Case{"s8", 96, "s32", "s8", "s8", K(128), K(128), 4},
        Case{"u8_s8_registers", 24, "s32", "u8", "s8", kRegisters, K(0), 2},
        Case{"s8_u8_clamped", 32, "s32", "s8", "u8", K(32), K(64), 1, ".satfinite"},
        Case{"s8_first", 8, "s32", "s8", "u8", K(0), K(0), 2, "", 1, 1, false},
        Case{"b1", 48, "s32", "b1", "b1", K(64), K(128), 2, ".and.popc"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace muster::ptx
