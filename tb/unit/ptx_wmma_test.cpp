// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// wmma: from matrices in memory, of any layout and stride, to the product in memory. Which lane has
// which elements in between the text leaves open.
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

struct Wmma {
  const char* shape;
  unsigned m, n, k;
  const char* d;
  const char* a;  // and B
  const char* c;
  unsigned of_a, of_b, of_c, of_d;  // registers of a lane, as the text has them
};
std::ostream& operator<<(std::ostream& out, const Wmma& p) {
  return out << p.shape << "." << p.d << "." << p.a << "." << p.c;
}

// A matrix in memory.
struct StoredMatrix {
  std::string type;
  bool by_columns;
  unsigned stride;  // elements

  std::uint64_t BitOf(unsigned row, unsigned column) const {
    return std::uint64_t{by_columns ? column * stride + row : row * stride + column} *
           ElementBits(type);
  }
  std::vector<std::uint64_t> Words(const ElementMatrix& matrix) const {
    const auto rows = static_cast<unsigned>(matrix.size());
    const auto columns = static_cast<unsigned>(matrix[0].size());
    std::vector<std::uint64_t> words(
        (by_columns ? columns : rows) * stride * ElementBits(type) / 64 + 1);
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned column = 0; column < columns; ++column) {
        const std::uint64_t bit = BitOf(row, column);
        words[bit / 64] |= EncodeElement(type, matrix[row][column]) << bit % 64;
      }
    }
    return words;
  }
};

std::string RegisterOfWmma(const std::string& type) {
  return type == "f64" || type == "f32" || type == "s32" ? type : "b32";
}
std::string ListOf(const char* name, unsigned count) {
  std::vector<std::string> names;
  for (unsigned r = 0; r < count; ++r) {
    names.push_back(fmt::format("%{}{}", name, r));
  }
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

struct WmmaLayouts {
  bool a, b, c, d;  // .col
};
const char* LayoutName(bool by_columns) { return by_columns ? "col" : "row"; }

// Of the kernel's operands, in this order: A, B, C, D. Each thread doubles what it has of C.
std::string WmmaKernel(const Wmma& p, const WmmaLayouts& layouts,
                       const std::vector<StoredMatrix>& stored, const std::string& op,
                       bool shared) {
  const bool halves = std::string(p.a) == "f16";
  std::string ptx = Header("sm_90") + R"(
.visible .entry test(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {
  .reg .b64 %x<8>; .reg .b32 %t<4>; .shared .align 128 .b8 s[8192];
)";
  for (const auto& [name, type] :
       {std::pair("a", p.a), std::pair("b", p.a), std::pair("c", p.c), std::pair("d", p.d)}) {
    ptx += fmt::format("  .reg .{} %{}<16>;\n", RegisterOfWmma(type), name);
  }
  for (unsigned i = 0; i < 4; ++i) {
    ptx += fmt::format("  ld.param.u64 %x{}, [p{}];\n", i, i);
  }
  std::string a = "%x0";
  std::string space = ".global";
  if (shared) {
    ptx +=
        R"(  mov.u32 %t0, %tid.x; mov.u32 %t1, s; mov.u32 %t3, s; shl.b32 %t0, %t0, 2;
  cvt.u64.u32 %x4, %t0;
  add.u64 %x4, %x4, %x0; add.u32 %t1, %t1, %t0; mov.u32 %t0, 0;
L: ld.global.u32 %t2, [%x4]; st.shared.u32 [%t1], %t2; add.u64 %x4, %x4, 128; add.u32 %t1, %t1, 128;
  add.u32 %t0, %t0, 1; .reg .pred %q; setp.lt.u32 %q, %t0, 32; @%q bra L; bar.warp.sync -1;
)";
    a = "%t3";
    space = ".shared";
  }
  const std::string forms = fmt::format("{}.{}", LayoutName(layouts.a), LayoutName(layouts.b));
  ptx += fmt::format("  wmma.load.a.sync.aligned.{}.{}{}.{} {}, [{}], {};\n", LayoutName(layouts.a),
                     p.shape, space, p.a, ListOf("a", p.of_a), a, stored[0].stride);
  ptx += fmt::format("  mov.u32 %t2, {}; wmma.load.b.sync.aligned.{}.{}.{} {}, [%x1], %t2;\n",
                     stored[1].stride, LayoutName(layouts.b), p.shape, p.a, ListOf("b", p.of_b));
  ptx += fmt::format("  wmma.load.c.sync.aligned.{}.{}.global.{} {}, [%x2+0], {};\n",
                     LayoutName(layouts.c), p.shape, p.c, ListOf("c", p.of_c), stored[2].stride);
  for (unsigned r = 0; r < p.of_c; ++r) {
    const std::string type = p.c;
    ptx += fmt::format("  add.{} %c{}, %c{}, %c{};\n", type == "f16" ? "f16x2" : type, r, r, r);
  }
  ptx += fmt::format(
      "  wmma.mma{}.sync.aligned.{}.{}.{} {}, {}, {}, {};\n", op, forms, p.shape,
      halves ? fmt::format("{}.{}", p.d, p.c) : fmt::format("{}.{}.{}.{}", p.d, p.a, p.a, p.c),
      ListOf("d", p.of_d), ListOf("a", p.of_a), ListOf("b", p.of_b), ListOf("c", p.of_c));
  ptx += fmt::format("  wmma.store.d.sync.aligned.{}.{}.{} [%x3], {}, {};\n  ret;\n}}\n",
                     LayoutName(layouts.d), p.shape, p.d, ListOf("d", p.of_d), stored[3].stride);
  return ptx;
}

void CheckWmma(const Wmma& p, const WmmaLayouts& layouts, unsigned slack, const std::string& op,
               bool shared) {
  std::uint64_t state = p.m * 64 + p.n + slack;
  const ElementMatrix a = RandomMatrix(p.m, p.k, p.a, &state);
  const ElementMatrix b = RandomMatrix(p.k, p.n, p.a, &state);
  const ElementMatrix c = RandomMatrix(p.m, p.n, p.c, &state);
  // Rows begin at multiples of 32 bytes.
  const auto stored = [&](const char* type, bool by_columns, unsigned rows, unsigned columns) {
    const unsigned unit = 256 / ElementBits(type);
    return StoredMatrix{type, by_columns,
                        ((by_columns ? rows : columns) + unit - 1) / unit * unit + slack * unit};
  };
  const std::vector<StoredMatrix> all = {
      stored(p.a, layouts.a, p.m, p.k), stored(p.a, layouts.b, p.k, p.n),
      stored(p.c, layouts.c, p.m, p.n), stored(p.d, layouts.d, p.m, p.n)};
  ElementMatrix product(p.m, std::vector<std::int64_t>(p.n));
  for (unsigned i = 0; i < p.m; ++i) {
    for (unsigned j = 0; j < p.n; ++j) {
      product[i][j] = 2 * c[i][j];
      for (unsigned k = 0; k < p.k; ++k) {
        product[i][j] += op == ".xor.popc" ? a[i][k] ^ b[k][j] : a[i][k] * b[k][j];
      }
    }
  }
  Kernel kernel(WmmaKernel(p, layouts, all, op, shared));
  auto words = all[0].Words(a);
  words.resize(1024);  // as many as are copied to shared memory
  Buffer d = MakeBuffer("d", all[3].Words(ElementMatrix(p.m, std::vector<std::int64_t>(p.n))));
  kernel.manifest.buffers = {MakeBuffer("a", words), MakeBuffer("b", all[1].Words(b)),
                             MakeBuffer("c", all[2].Words(c)), d};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Longs(3), all[3].Words(product)) << LayoutName(layouts.a) << LayoutName(layouts.b)
                                                 << LayoutName(layouts.c) << LayoutName(layouts.d);
}

class PtxWmma : public testing::TestWithParam<Wmma> {};

TEST_P(PtxWmma, IsTheProduct) {
  const Wmma& p = GetParam();
  const std::string type = p.a;
  const bool small = type == "s4" || type == "u4" || type == "b1";
  for (unsigned form = 0; form < 16; ++form) {
    const WmmaLayouts layouts{(form & 1) != 0, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0};
    if (small && (layouts.a || !layouts.b)) {
      continue;
    }
    const std::vector<std::string> ops = type == "b1"
                                             ? std::vector<std::string>{".xor.popc", ".and.popc"}
                                             : std::vector<std::string>{""};
    for (const std::string& op : ops) {
      CheckWmma(p, layouts, form % 3, op, form % 2 == 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxWmma,
    testing::Values(Wmma{"m16n16k16", 16, 16, 16, "f32", "f16", "f32", 8, 8, 8, 8},
                    Wmma{"m16n16k16", 16, 16, 16, "f16", "f16", "f16", 8, 8, 4, 4},
                    Wmma{"m16n16k16", 16, 16, 16, "f32", "f16", "f16", 8, 8, 4, 8},
                    Wmma{"m16n16k16", 16, 16, 16, "f16", "f16", "f32", 8, 8, 8, 4},
                    Wmma{"m32n8k16", 32, 8, 16, "f32", "f16", "f32", 8, 8, 8, 8},
                    Wmma{"m32n8k16", 32, 8, 16, "f16", "f16", "f16", 8, 8, 4, 4},
                    Wmma{"m8n32k16", 8, 32, 16, "f32", "f16", "f32", 8, 8, 8, 8},
                    Wmma{"m8n32k16", 8, 32, 16, "f16", "f16", "f16", 8, 8, 4, 4},
                    Wmma{"m16n16k16", 16, 16, 16, "f32", "bf16", "f32", 4, 4, 8, 8},
                    Wmma{"m32n8k16", 32, 8, 16, "f32", "bf16", "f32", 8, 2, 8, 8},
                    Wmma{"m8n32k16", 8, 32, 16, "f32", "bf16", "f32", 2, 8, 8, 8},
                    Wmma{"m16n16k8", 16, 16, 8, "f32", "tf32", "f32", 4, 4, 8, 8},
                    Wmma{"m8n8k4", 8, 8, 4, "f64", "f64", "f64", 1, 1, 2, 2},
                    Wmma{"m16n16k16", 16, 16, 16, "s32", "s8", "s32", 2, 2, 8, 8},
                    Wmma{"m32n8k16", 32, 8, 16, "s32", "s8", "s32", 4, 1, 8, 8},
                    Wmma{"m8n32k16", 8, 32, 16, "s32", "u8", "s32", 1, 4, 8, 8},
                    Wmma{"m8n8k32", 8, 8, 32, "s32", "s4", "s32", 1, 1, 2, 2},
                    Wmma{"m8n8k32", 8, 8, 32, "s32", "u4", "s32", 1, 1, 2, 2},
                    Wmma{"m8n8k128", 8, 8, 128, "s32", "b1", "s32", 1, 1, 2, 2}),
    [](const auto& info) {
      return fmt::format("{}_{}_{}_{}", info.param.shape, info.param.d, info.param.a, info.param.c);
    });

// Without a stride rows follow each other.
TEST(PtxWmmaForm, ARowFollowsTheOther) {
  Kernel kernel(Header("sm_90") + R"(
.visible .entry test(.param .u64 p0, .param .u64 p1) {
  .reg .b64 %x<2>; .reg .b32 %a<8>;
  ld.param.u64 %x0, [p0]; ld.param.u64 %x1, [p1];
  wmma.load.c.sync.aligned.row.m8n32k16.f16 {%a0, %a1, %a2, %a3}, [%x0];
  wmma.store.d.sync.aligned.col.m8n32k16.f16 [%x1], {%a0, %a1, %a2, %a3};
  ret; }
)");
  const StoredMatrix rows{"f16", false, 32};
  const StoredMatrix columns{"f16", true, 8};
  std::uint64_t state = 1;
  const ElementMatrix c = RandomMatrix(8, 32, "f16", &state);
  kernel.manifest.buffers = {
      MakeBuffer("c", rows.Words(c)),
      MakeBuffer("d", columns.Words(ElementMatrix(8, std::vector<std::int64_t>(32))))};
  const Ended run(kernel);
  EXPECT_EQ(run.Longs(1), columns.Words(c)) << run.grid().problem();
}

const std::string kEightRegisters = "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}";
std::string WmmaAlone(const std::string& instruction) {
  return Header("sm_90") +
         ".visible .entry test(.param .u64 p) {\n  .reg .b32 %r<8>; .reg .s32 %s<8>; "
         ".reg .f32 %f<8>; .reg .f64 %g<8>; .reg .b64 %x; .reg .pred %p; ld.param.u64 %x, [p];\n "
         " " +
         instruction + "\n  ret; }\n";
}

// Lanes that come later, and those that never do.
TEST(PtxWmmaForm, AllLanesComeTogether) {
  const std::string load =
      "wmma.load.a.sync.aligned.row.m16n16k16.f16 " + kEightRegisters + ", [%x];";
  const std::string part = "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 16; ";
  Kernel late(WmmaAlone(part + "@%p nanosleep.u32 100; " + load));
  late.manifest.buffers = {MakeBuffer("p", Type::kU32, 256)};
  EXPECT_EQ(Ended(late).outcome(), "completes");
  Kernel never(WmmaAlone(part + "@%p bra L; " + load + " L: bar.sync 0;"));
  never.manifest.buffers = late.manifest.buffers;
  EXPECT_EQ(Ended(never).outcome(), "deadlock");
  Kernel left(WmmaAlone(part + "@%p exit; " + load));
  left.manifest.buffers = late.manifest.buffers;
  EXPECT_EQ(Ended(left).outcome(), "fault:partial_warp");
}

TEST(PtxWmmaForm, SaturatesAndRounds) {
  const auto first = [](const std::string& body, std::size_t word) {
    Kernel kernel(WmmaAlone(body));
    kernel.manifest.buffers = {MakeBuffer("p", Type::kU32, 128)};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
    return run.Words(0)[word];
  };
  const auto sum = [&](const std::string& saturates) {
    std::string body = "mov.b32 %r0, 0x77777777; ";
    for (int i = 0; i < 2; ++i) {
      body += fmt::format("mov.s32 %s{}, 2147483647; ", i);
    }
    return first(
        body + "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32" + saturates +
            " {%s0, %s1}, {%r0}, {%r0}, {%s0, %s1}; wmma.store.d.sync.aligned.row.m8n8k32.s32 "
            "[%x], {%s0, %s1};",
        0);
  };
  EXPECT_EQ(sum(""), 0x7fffffffU + 32 * 49);
  EXPECT_EQ(sum(".satfinite"), 0x7fffffffU);
  const auto rounded = [&](const std::string& round) {
    return first(
        "mov.f64 %g0, 0d3CA0000000000000; mov.f64 %g1, 0d3FF0000000000000; mov.f64 %g2, %g1; "
        "wmma.mma.sync.aligned.row.col.m8n8k4" +
            round +
            ".f64.f64.f64.f64 {%g3, %g4}, {%g0}, {%g1}, {%g1, %g2}; "
            "wmma.store.d.sync.aligned.row.m8n8k4.f64 [%x], {%g3, %g4};",
        0);
  };
  EXPECT_EQ(rounded(".rz"), 0U);  // 1 + 4 * 2^-53, bit by bit
  EXPECT_GT(rounded(".rp"), rounded(".rz"));
}

TEST(PtxWmmaForm, OtherFormsAreRefused) {
  for (const std::string& instruction :
       {"wmma.load.a.sync.aligned.row.m16n16k16.f32 " + kEightRegisters + ", [%x];",
        "wmma.load.a.sync.row.m16n16k16.f16 " + kEightRegisters + ", [%x];",
        "wmma.load.d.sync.aligned.row.m16n16k16.f16 " + kEightRegisters + ", [%x];",
        "wmma.load.a.sync.aligned.m16n16k16.f16 " + kEightRegisters + ", [%x];",
        "wmma.load.a.sync.aligned.row.m16n16k8.f16 " + kEightRegisters + ", [%x];",
        std::string("wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r0}, [%x];"),
        std::string("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0, %r1}, [%x];"),
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0, %f1, %f2, %f3}, " + kEightRegisters +
            ", " + kEightRegisters + ", " + kEightRegisters + ";",
        "wmma.mma.sync.aligned.row.col.m16n16k16.rn.f16.f16 {%r0, %r1, %r2, %r3}, " +
            kEightRegisters + ", " + kEightRegisters + ", {%r0, %r1, %r2, %r3};",
        "wmma.mma.sync.aligned.row.m16n16k16.f16.f16 {%r0, %r1, %r2, %r3}, " + kEightRegisters +
            ", " + kEightRegisters + ", {%r0, %r1, %r2, %r3};",
        std::string("wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%s0, %s1}, {%r0}, "
                    "{%r0}, {%s0, %s1};"),
        std::string("wmma.mma.sync.aligned.col.row.m8n8k32.s32.s4.s4.s32 {%s0, %s1}, {%r0}, {%r0}, "
                    "{%s0, %s1};"),
        std::string("wmma.fill.sync.aligned.m16n16k16.f16 {%r0};")}) {
    try {
      const Ended run(Kernel(WmmaAlone(instruction)));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("wmma"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
