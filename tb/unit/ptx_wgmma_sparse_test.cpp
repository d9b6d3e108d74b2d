// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// wgmma of a sparse A. The places of indices are those of the text: of 16 bits and more a word has
// those of a row in its lower half, and those of the row eight further in its upper one; of 8 bits
// a word is of one row, and the next lane's of the other.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_matrix_values.h"

namespace muster::ptx {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kRows = 64;

struct Case {
  const char* d;
  const char* a;
  const char* b;
  unsigned n;
  unsigned selector;
  bool in_registers;
  bool b_across = false;  // imm-trans-b
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.d << c.a << c.b << c.n << c.selector << c.in_registers << c.b_across;
}

class Draws {
 public:
  unsigned Below(unsigned count) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<unsigned>(state_ >> 40) % count;
  }
  std::uint64_t* state() { return &state_; }

 private:
  std::uint64_t state_ = 3;
};

// A row: the elements that are there, and its indices, a few bits each, from the lowest on.
struct SparseRow {
  std::vector<std::int64_t> full;
  std::vector<std::int64_t> there;
  std::uint64_t indices = 0;
};
SparseRow Drawn(const std::string& type, unsigned k, Draws* draws) {
  SparseRow row;
  row.full.resize(k);
  unsigned bit = 0;
  const auto add = [&](unsigned column, unsigned index, unsigned bits) {
    row.full[column] = DrawElement(type, draws->state());
    row.there.push_back(row.full[column]);
    row.indices |= std::uint64_t{index} << bit;
    bit += bits;
  };
  for (unsigned column = 0; column < k; column += type == "tf32" ? 2 : 4) {
    if (type == "tf32") {
      const unsigned which = draws->Below(2);
      add(column + which, which == 0 ? 0x4 : 0xe, 4);
      continue;
    }
    const unsigned first = draws->Below(3);
    const unsigned second = first + 1 + draws->Below(3 - first);
    add(column + first, first, 2);
    add(column + second, second, 2);
  }
  return row;
}

// The metadata of a thread, beside which those of others are of no account.
std::uint32_t MetadataOf(const Case& c, const std::vector<SparseRow>& a, unsigned thread,
                         Draws* draws) {
  const unsigned lane = thread % 32;
  const unsigned row = thread / 32 * 16 + lane / 4;
  const unsigned place = lane % 4;
  if (ElementBits(c.a) == 8) {
    const std::uint64_t all = a[row + place % 2 * 8].indices;
    return static_cast<std::uint32_t>(all >> place / 2 * 32);
  }
  if (place / 2 != c.selector) {
    return draws->Below(1U << 24);
  }
  const auto half = [&](const SparseRow& of) {
    return static_cast<std::uint32_t>(of.indices >> place % 2 * 16 & 0xffff);
  };
  return half(a[row]) | half(a[row + 8]) << 16;
}

std::string Listed(const std::string& name, unsigned count) {
  std::vector<std::string> names;
  for (unsigned r = 0; r < count; ++r) {
    names.push_back(fmt::format("%{}{}", name, r));
  }
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

class PtxWgmmaSparse : public testing::TestWithParam<Case> {};

TEST_P(PtxWgmmaSparse, IsThatOfTheDefinition) {
  const Case& c = GetParam();
  Draws draws;
  const unsigned bytes = ElementBits(c.a) / 8;
  const unsigned k = 64 / bytes;
  const unsigned along = 16 / bytes;  // elements of a unit
  std::vector<SparseRow> a;
  for (unsigned row = 0; row < kRows; ++row) {
    a.push_back(Drawn(c.a, k, &draws));
  }
  const ElementMatrix b = RandomMatrix(c.n, k, c.b, draws.state());  // by columns
  // Without a swizzle: bricks of eight rows of 16 bytes. Of A two bricks are side by side, of B
  // four.
  std::vector<std::uint8_t> shared(kRows * 32 + c.n * 64);
  const auto put = [&](std::size_t at, const char* type, std::int64_t value) {
    const std::uint64_t bits = EncodeElement(type, value);
    std::memcpy(&shared[at], &bits, bytes);
  };
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned x = 0; x < k / 2; ++x) {
      put(row / 8 * 256 + x / along * 128 + row % 8 * 16 + x % along * bytes, c.a, a[row].there[x]);
    }
  }
  for (unsigned n = 0; n < c.n; ++n) {
    for (unsigned x = 0; x < k; ++x) {
      // ((8,m),(T,2k)) : ((1T,SBO),(1,LBO)); across ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO))
      const unsigned brick = c.b_across
                                 ? n / along * 512 + x / 8 * 128 + x % 8 * 16 + n % along * bytes
                                 : n / 8 * 512 + x / along * 128 + n % 8 * 16 + x % along * bytes;
      put(kRows * 32 + brick, c.b, b[n][x]);
    }
  }
  const unsigned each = std::string(c.d) == "f16" ? 2 : 1;
  const unsigned d_count = c.n / 2 / each;
  std::vector<std::uint64_t> words(std::size_t{kThreads} * 5);
  std::vector<std::uint64_t> wanted(std::size_t{kThreads} * d_count);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const unsigned row = thread / 32 * 16 + thread % 32 / 4;
    words[5 * thread + 4] = MetadataOf(c, a, thread, &draws);
    for (unsigned r = 0; r < 4; ++r) {
      for (unsigned e = 0; e < 4 / bytes; ++e) {
        const unsigned x = r / 2 * (16 / bytes) + thread % 4 * (4 / bytes) + e;
        words[5 * thread + r] |= EncodeElement(c.a, a[row + r % 2 * 8].there[x]) << 8 * bytes * e;
      }
    }
    for (unsigned i = 0; i < c.n / 2; ++i) {
      const unsigned column = 8 * (i / 4) + thread % 4 * 2 + i % 2;
      std::int64_t sum = 0;
      for (unsigned x = 0; x < k; ++x) {
        sum += a[row + i / 2 % 2 * 8].full[x] * b[column][x];
      }
      wanted[thread * d_count + i / each] |= EncodeElement(c.d, 2 * sum) << i % each * 16;
    }
  }
  const bool transposes = ElementBits(c.a) == 16;
  std::string ptx =
      fmt::format(R"(.version 8.2
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 pi, .param .u64 pr, .param .u64 po) {{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %l<8>; .reg .{0} %d<{1}>; .reg .b32 %a<5>;
  .shared .align 1024 .b8 s[{2}];
  ld.param.u64 %l1, [pi]; ld.param.u64 %l2, [pr]; ld.param.u64 %l3, [po];
  mov.u32 %r1, %tid.x; mov.u32 %r2, s; mul.lo.u32 %r3, %r1, 4;
FILL: cvt.u64.u32 %l4, %r3; add.u64 %l4, %l4, %l1; ld.global.u32 %r4, [%l4]; add.u32 %r5, %r3, %r2;
  st.shared.u32 [%r5], %r4; add.u32 %r3, %r3, 512; setp.lt.u32 %p1, %r3, {2}; @%p1 bra FILL;
  fence.proxy.async; bar.sync 0;
  mad.wide.u32 %l2, %r1, 40, %l2; mad.wide.u32 %l3, %r1, {3}, %l3;
  shr.u32 %r2, %r2, 4; cvt.u64.u32 %l5, %r2; or.b64 %l6, %l5, 0x1000080000; add.u64 %l7, %l5, {4};
  or.b64 %l7, %l7, 0x2000080000;
)",
                  each == 2 || std::string(c.d) == "f32" ? (each == 2 ? "b32" : "f32") : "s32",
                  d_count, shared.size(), 8 * d_count, kRows * 32 / 16);
  for (unsigned r = 0; r < 5; ++r) {
    ptx += fmt::format("  ld.global.b32 %a{}, [%l2+{}];\n", r, 8 * r);
  }
  ptx += "  wgmma.fence.sync.aligned;\n";
  for (const char* const adds : {"0", "1"}) {
    ptx +=
        fmt::format("  wgmma.mma_async.sp.sync.aligned.m64n{}k{}.{}.{}.{} {}, {}, %l7, %a4, {}, {}",
                    c.n, k, c.d, c.a, c.b, Listed("d", d_count),
                    c.in_registers ? Listed("a", 4) : "%l6", c.selector, adds);
    ptx += NamesInteger(c.a) ? "" : ", 1, 1";
    ptx += !transposes ? "" : c.in_registers ? "" : ", 0";
    ptx += !transposes ? ";\n" : c.b_across ? ", 1;\n" : ", 0;\n";
  }
  ptx += "  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
  for (unsigned r = 0; r < d_count; ++r) {
    ptx += fmt::format("  st.global.b32 [%l3+{}], %d{};\n", 8 * r, r);
  }
  Kernel kernel(ptx + "  ret;\n}\n", kThreads);
  Buffer image = MakeBuffer("pi", Type::kU32, shared.size() / 4);
  image.initial = shared;
  kernel.manifest.buffers = {image, MakeBuffer("pr", words),
                             MakeBuffer("po", Type::kU64, wanted.size())};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Longs(2), wanted);
}

INSTANTIATE_TEST_SUITE_P(All, PtxWgmmaSparse,
                         testing::Values(Case{"f32", "f16", "f16", 8, 0, false},
                                         Case{"f16", "f16", "f16", 64, 1, true},
                                         Case{"f32", "bf16", "bf16", 24, 1, false, true},
                                         Case{"f32", "tf32", "tf32", 16, 0, true},
                                         Case{"f32", "tf32", "tf32", 40, 1, false},
                                         Case{"f32", "e4m3", "e5m2", 32, 0, false},
                                         Case{"f16", "e5m2", "e4m3", 8, 0, true},
                                         Case{"s32", "s8", "u8", 16, 0, false},
                                         Case{"s32", "u8", "s8", 48, 0, true}));

TEST(PtxWgmmaSparsity, IndicesThatThereAreNotAreAFault) {
  const std::string ptx = R"(.version 8.2
.target sm_90a
.address_size 64
.visible .entry test() {
  .reg .b32 %r<4>; .reg .b64 %l<4>; .reg .f32 %f<4>; .shared .align 128 .b8 s[8192];
  mov.u32 %r1, META; mov.u64 %l1, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l1, %l1, %r1, 0, 0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  ret;
}
)";
  const auto with = [&](const std::string& metadata) {
    std::string text = ptx;
    return text.replace(text.find("META"), 4, metadata);
  };
  EXPECT_EQ(Ended(Kernel(with("0x44444444"), kThreads)).outcome(), "completes");
  const Ended run(Kernel(with("0x44444450"), kThreads));
  EXPECT_EQ(run.outcome(), "fault:bad_metadata");
  EXPECT_NE(run.grid().problem().find("the metadata 0x44444450 of a sparse matrix, where two "
                                      "indices must not be the same"),
            std::string::npos)
      << run.grid().problem();
}

TEST(PtxWgmmaSparsity, FormsThatThereAreNot) {
  const std::string d = "{%f0, %f1, %f2, %f3}";
  for (const std::string& instruction :
       {"m64n8k32.f32.f16.f16 " + d + ", %l1, %l1, %r1, 2, 0, 1, 1, 0, 0",
        "m64n8k64.f32.e4m3.e4m3 " + d + ", %l1, %l1, %r1, 1, 0, 1, 1",
        "m64n8k16.f32.f16.f16 " + d + ", %l1, %l1, %r1, 0, 0, 1, 1, 0, 0",
        "m64n8k32.f32.f16.f16 " + d + ", %l1, %l1, 0, 1, 1, 0, 0",
        "m64n8k512.s32.b1.b1.and.popc " + d + ", %l1, %l1, %r1, 0, 0"}) {
    const std::string ptx = R"(.version 8.2
.target sm_90a
.address_size 64
.visible .entry test() {
  .reg .b32 %r<4>; .reg .b64 %l<4>; .reg .f32 %f<4>;
  wgmma.mma_async.sp.sync.aligned.)" +
                            instruction + ";\n  ret;\n}\n";
    try {
      const Ended run(Kernel(ptx, kThreads));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":6:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
