// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Matrices that the lanes of a warp hold in parts: products, and the ways between memory and
// fragments. The places of elements are those of the text, element by element.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_matrix_values.h"

namespace muster::ptx {
namespace {

constexpr unsigned kLanes = 32;

struct Product {
  const char* shape;
  unsigned m, n, k;
  const char* d;
  const char* a;
  const char* b;
  const char* c;
  const char* target = "sm_90";
};
std::ostream& operator<<(std::ostream& out, const Product& p) {
  return out << p.shape << "." << p.d << "." << p.a << "." << p.b << "." << p.c;
}

struct Place {
  unsigned row;
  unsigned column;
};
// Of element i of a lane's fragment of A. With e elements in a register, the text has the first e
// in row groupID, the next e eight rows below (where there are sixteen), and then the same further
// to the right.
Place OfA(const Product& p, unsigned lane, unsigned i) {
  const unsigned e = ElementBits(p.a) > 32 ? 1 : 32 / ElementBits(p.a);
  const unsigned below = p.m == 16 && i / e % 2 == 1 ? 8 : 0;
  const unsigned block = p.m == 16 ? i / (2 * e) : i / e;
  return {lane / 4 + below, lane % 4 * e + i % e + 4 * e * block};
}
Place OfB(const Product& p, unsigned lane, unsigned i) {
  const unsigned e = ElementBits(p.b) > 32 ? 1 : 32 / ElementBits(p.b);
  return {lane % 4 * e + i % e + 4 * e * (i / e), lane / 4};
}
Place OfC(const Product& /*p*/, unsigned lane, unsigned i) {
  return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

// The registers of all lanes, each in 64 bits.
template <typename F>
std::vector<std::uint64_t> Fragments(const Product& p, const ElementMatrix& matrix,
                                     const std::string& type, F place) {
  const auto elements = static_cast<unsigned>(matrix.size() * matrix[0].size()) / kLanes;
  const unsigned bits = ElementBits(type);
  const unsigned e = bits > 32 ? 1 : 32 / bits;
  std::vector<std::uint64_t> registers(std::size_t{kLanes} * elements / e);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const Place at = place(p, lane, i);
      registers[lane * (elements / e) + i / e] |= EncodeElement(type, matrix[at.row][at.column])
                                                  << (i % e * bits);
    }
  }
  return registers;
}

std::string RegisterType(const std::string& type) {
  return type == "f64" || type == "f32" ? type : type == "s32" ? "s32" : "b32";
}

// Loads `count` registers for each lane from a buffer of u64.
std::string LoadAll(const std::string& name, const std::string& type, std::size_t count) {
  std::string text;
  for (std::size_t r = 0; r < count; ++r) {
    text +=
        fmt::format("  ld.global.{} %{}{}, [%d{}+{}];\n", RegisterType(type), name, r, name, 8 * r);
  }
  return text;
}
std::string Listed(const std::string& name, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < count; ++r) {
    names.push_back(fmt::format("%{}{}", name, r));
  }
  return count == 1 ? names[0] : fmt::format("{{{}}}", fmt::join(names, ", "));
}

// Of each lane the registers of D.
std::vector<std::uint64_t> Multiply(const Product& p, const std::string& modifiers,
                                    const std::vector<std::uint64_t>& a,
                                    const std::vector<std::uint64_t>& b,
                                    const std::vector<std::uint64_t>& c, std::size_t d) {
  std::string ptx = ".version 8.7\n.target " + std::string(p.target) +
                    "\n.address_size 64\n.visible .entry test(.param .u64 pa, .param .u64 pb, "
                    ".param .u64 pc, .param .u64 pd) {\n  .reg .b64 %l<2>; .reg .b32 %t;\n";
  for (const auto& [name, type] :
       {std::pair<std::string, std::string>{"a", p.a}, {"b", p.b}, {"c", p.c}, {"d", p.d}}) {
    ptx += fmt::format("  .reg .{} %{}<8>; .reg .b64 %d{};\n", RegisterType(type), name, name);
  }
  const auto base = [&](const std::string& name, std::size_t count) {
    return fmt::format("  ld.param.u64 %d{}, [p{}]; mad.wide.u32 %d{}, %t, {}, %d{};\n", name, name,
                       name, 8 * count, name);
  };
  ptx += "  mov.u32 %t, %tid.x;\n" + base("a", a.size() / kLanes) + base("b", b.size() / kLanes) +
         base("c", c.size() / kLanes) + base("d", d) + LoadAll("a", p.a, a.size() / kLanes) +
         LoadAll("b", p.b, b.size() / kLanes) + LoadAll("c", p.c, c.size() / kLanes);
  ptx += fmt::format("  mma.sync.aligned.{}.row.col{}.{}.{}.{}.{}{} {}, {}, {}, {};\n", p.shape,
                     modifiers == ".satfinite" ? modifiers : "", p.d, p.a, p.b, p.c,
                     modifiers == ".satfinite" ? "" : modifiers, Listed("d", d),
                     Listed("a", a.size() / kLanes), Listed("b", b.size() / kLanes),
                     Listed("c", c.size() / kLanes));
  for (std::size_t r = 0; r < d; ++r) {
    ptx += fmt::format("  st.global.{} [%dd+{}], %d{};\n", RegisterType(p.d), 8 * r, r);
  }
  Kernel kernel(ptx + "  ret;\n}\n", kLanes);
  const auto buffer = [](const std::string& name, const std::vector<std::uint64_t>& elements) {
    return MakeBuffer(name, elements);
  };
  Buffer out = MakeBuffer("pd", Type::kU64, kLanes * d);
  kernel.manifest.buffers = {buffer("pa", a), buffer("pb", b), buffer("pc", c), out};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Longs(3);
}

class PtxMatrixProduct : public testing::TestWithParam<Product> {};

TEST_P(PtxMatrixProduct, IsThatOfTheDefinition) {
  const Product& p = GetParam();
  std::uint64_t state = 7;
  const std::vector<std::string> modifiers =
      std::string(p.a) == "b1" ? std::vector<std::string>{".xor.popc", ".and.popc"}
                               : std::vector<std::string>{""};
  for (const std::string& modifier : modifiers) {
    const ElementMatrix a = RandomMatrix(p.m, p.k, p.a, &state);
    const ElementMatrix b = RandomMatrix(p.k, p.n, p.b, &state);
    const ElementMatrix c = RandomMatrix(p.m, p.n, p.c, &state);
    ElementMatrix d = c;
    for (unsigned row = 0; row < p.m; ++row) {
      for (unsigned column = 0; column < p.n; ++column) {
        for (unsigned k = 0; k < p.k; ++k) {
          const std::int64_t x = a[row][k];
          const std::int64_t y = b[k][column];
          d[row][column] += modifier == ".xor.popc" ? (x != y ? 1 : 0) : x * y;
        }
      }
    }
    const auto wanted = Fragments(p, d, p.d, OfC);
    EXPECT_EQ(Multiply(p, modifier, Fragments(p, a, p.a, OfA), Fragments(p, b, p.b, OfB),
                       Fragments(p, c, p.c, OfC), wanted.size() / kLanes),
              wanted)
        << p << modifier;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxMatrixProduct,
    testing::Values(Product{"m16n8k8", 16, 8, 8, "f16", "f16", "f16", "f16"},
                    Product{"m16n8k8", 16, 8, 8, "f32", "f16", "f16", "f32"},
                    Product{"m16n8k16", 16, 8, 16, "f16", "f16", "f16", "f16"},
                    Product{"m16n8k16", 16, 8, 16, "f32", "f16", "f16", "f32"},
                    Product{"m16n8k8", 16, 8, 8, "f32", "bf16", "bf16", "f32"},
                    Product{"m16n8k16", 16, 8, 16, "f32", "bf16", "bf16", "f32"},
                    Product{"m16n8k4", 16, 8, 4, "f32", "tf32", "tf32", "f32"},
                    Product{"m16n8k8", 16, 8, 8, "f32", "tf32", "tf32", "f32"},
                    Product{"m8n8k4", 8, 8, 4, "f64", "f64", "f64", "f64"},
                    Product{"m16n8k4", 16, 8, 4, "f64", "f64", "f64", "f64"},
                    Product{"m16n8k8", 16, 8, 8, "f64", "f64", "f64", "f64"},
                    Product{"m16n8k16", 16, 8, 16, "f64", "f64", "f64", "f64"},
                    Product{"m16n8k32", 16, 8, 32, "f32", "e4m3", "e5m2", "f32"},
                    Product{"m16n8k16", 16, 8, 16, "f32", "e5m2", "e5m2", "f32"},
                    Product{"m16n8k32", 16, 8, 32, "f16", "e4m3", "e4m3", "f16"},
                    Product{"m8n8k16", 8, 8, 16, "s32", "s8", "u8", "s32"},
                    Product{"m16n8k16", 16, 8, 16, "s32", "u8", "s8", "s32"},
                    Product{"m16n8k32", 16, 8, 32, "s32", "s8", "s8", "s32"},
                    Product{"m8n8k32", 8, 8, 32, "s32", "s4", "u4", "s32"},
                    Product{"m16n8k32", 16, 8, 32, "s32", "u4", "u4", "s32"},
                    Product{"m16n8k64", 16, 8, 64, "s32", "s4", "s4", "s32"},
                    Product{"m8n8k128", 8, 8, 128, "s32", "b1", "b1", "s32"},
                    Product{"m16n8k128", 16, 8, 128, "s32", "b1", "b1", "s32"},
                    Product{"m16n8k256", 16, 8, 256, "s32", "b1", "b1", "s32"}),
    [](const auto& info) {
      const Product& p = info.param;
      return fmt::format("{}_{}_{}_{}_{}", p.shape, p.d, p.a, p.b, p.c);
    });

TEST(PtxMatrix, IntegersWrapOrClamp) {
  const Product p{"m8n8k16", 8, 8, 16, "s32", "u8", "u8", "s32"};
  const std::vector<std::uint64_t> ones(kLanes, 0x01010101);
  const std::vector<std::uint64_t> most(std::size_t{2} * kLanes, 0x7fffffff);
  EXPECT_EQ(Multiply(p, "", ones, ones, most, 2),
            std::vector<std::uint64_t>(std::size_t{2} * kLanes, 0x8000000f));
  EXPECT_EQ(Multiply(p, ".satfinite", ones, ones, most, 2),
            std::vector<std::uint64_t>(std::size_t{2} * kLanes, 0x7fffffff));
}

// 64 rows of eight elements in shared memory, each element its place; what the lanes get.
std::vector<std::uint32_t> Moved(const std::string& body, std::uint32_t threads = 32) {
  Kernel kernel(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b16 %h<4>; .reg .b64 %d<4>;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 16, %d1; mov.u32 %r2, s;
  mov.u32 %r3, %r1;
FILL: setp.lt.u32 %p1, %r3, 512; @!%p1 bra FULL; mad.lo.u32 %r4, %r3, 2, %r2; cvt.u16.u32 %h1, %r3;
  st.shared.u16 [%r4], %h1; add.u32 %r3, %r3, 32; bra FILL;
FULL: bar.warp.sync 0xffffffff; mad.lo.u32 %r5, %r1, 16, %r2;
  mov.u32 %r8, 0; mov.u32 %r9, 0; mov.u32 %r10, 0; mov.u32 %r11, 0;
)" + body + R"(
  st.global.v4.u32 [%d1], {%r8, %r9, %r10, %r11}; ret;
}
)",
                threads);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, std::uint64_t{4} * threads)};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Words(0);
}

// The element in that row and column of matrix k is 64 k + 8 row + column.
std::uint32_t PairAt(unsigned k, unsigned row, unsigned column, bool transposed) {
  const auto element = [&](unsigned c) {
    return 64 * k + (transposed ? 8 * c + row : 8 * row + c);
  };
  return element(column) | element(column + 1) << 16;
}

TEST(PtxMatrix, LoadsFragments) {
  for (const bool transposed : {false, true}) {
    for (const unsigned count : {1U, 2U, 4U}) {
      const char* const registers[] = {"", "{%r8}", "{%r8, %r9}", "", "{%r8, %r9, %r10, %r11}"};
      // Lanes that hold no row may have any address.
      const auto got =
          Moved(fmt::format("  setp.ge.u32 %p2, %r1, {}; @%p2 mov.u32 %r5, 7;\n"
                            "  ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%r5];",
                            8 * count, count, transposed ? ".trans" : "", registers[count]));
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned k = 0; k < 4; ++k) {
          EXPECT_EQ(got[4 * lane + k],
                    k < count ? PairAt(k, lane / 4, lane % 4 * 2, transposed) : 0)
              << "lane " << lane << ", matrix " << k << " of " << count;
        }
      }
    }
  }
}

TEST(PtxMatrix, StoresFragments) {
  for (const char* const trans : {"", ".trans"}) {
    // Four matrices go to registers and to another place; and back.
    const auto got = Moved(fmt::format(
        "  ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {{%r12, %r13, %r14, %r15}}, [%r5];\n"
        "  stmatrix.sync.aligned.m8n8.x4{0}.shared.b16 [%r5+512], {{%r12, %r13, %r14, %r15}};\n"
        "  bar.warp.sync 0xffffffff;\n"
        "  ld.shared.v4.u32 {{%r8, %r9, %r10, %r11}}, [%r5+512];",
        trans));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned word = 0; word < 4; ++word) {
        EXPECT_EQ(got[4 * lane + word], PairAt(lane / 8, lane % 8, 2 * word, *trans != 0));
      }
    }
  }
}

TEST(PtxMatrix, Transposes) {
  const auto got = Moved(
      "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r5];\n"
      "  movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r12;");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(got[4 * lane], PairAt(0, lane / 4, lane % 4 * 2, true));
  }
}

TEST(PtxMatrix, LanesApartWaitForAll) {
  // Odd lanes come later.
  const auto got = Moved(
      "  and.b32 %r6, %r1, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra MEET; nanosleep.u32 100;\n"
      "MEET: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r5];");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(got[4 * lane + 3], PairAt(3, lane / 4, lane % 4 * 2, false));
  }
}

TEST(PtxMatrix, LanesThatNeverComeAreADeadlock) {
  const Kernel kernel(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry test() {
  .reg .pred %p1; .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bra OTHER;
  movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1; // line 7
  ret;
OTHER: bar.sync 0; // line 9
  ret;
}
)");
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "deadlock");
}

TEST(PtxMatrix, AWarpThatIsNotWholeIsRefused) {
  const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry test() {
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;
  ret;
}
)";
  EXPECT_EQ(Ended(Kernel(ptx, 32)).outcome(), "completes");
  const Ended partial(Kernel(ptx, 48));
  EXPECT_EQ(partial.outcome(), "fault:partial_warp");
  EXPECT_NE(partial.grid().problem().find("with 16 lanes of its warp, and not 32"),
            std::string::npos)
      << partial.grid().problem();
}

TEST(PtxMatrix, OtherFormsAreRefused) {
  for (const std::string instruction :
       {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r1, %r2}, "
        "{%r1, %r2};",
        "mma.sync.aligned.m16n8k8.col.row.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, "
        "%r2};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, "
        "%r2, "
        "%r3, %r3};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.bf16.f16 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, "
        "%r2};",
        "mma.sync.aligned.m16n8k8.row.col.satfinite.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, "
        "{%r1}, {%r1, %r2};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, %r2};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1}, {%r1, %r2}, {%r1}, {%r1, %r2};",
        "mma.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, %r2};",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1, %r2, %r3}, [%r3];",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r3];",
        "ldmatrix.aligned.m8n8.x1.shared.b16 {%r1}, [%r3];",
        "stmatrix.sync.aligned.m8n8.x1.global.b16 [%r3], {%r1};",
        "movmatrix.sync.aligned.m8n8.b16 %r1, %r2;"}) {
    try {
      const Ended run(Kernel(R"(.version 8.7
.target sm_90
.address_size 64
.visible .entry test() {
  .reg .b32 %r<4>;
  )" + instruction + "\n  ret;\n}\n"));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":6:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
