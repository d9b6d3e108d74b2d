// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// mma of a sparse A, and of scaled blocks. The places are those of the text: an element, an index
// or a scale is put where the text has it, and the rest of each register is random.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_matrix_values.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kRowsOfA = 16;
constexpr unsigned kColumnsOfB = 8;

// Registers of all lanes, one of an operand after the other.
struct Held {
  Held(std::string its_name, std::string its_type, unsigned its_count)
      : name(std::move(its_name)),
        type(std::move(its_type)),
        count(its_count),
        words(std::size_t{kWarp} * its_count) {}

  std::uint64_t& At(unsigned lane, unsigned r) { return words[std::size_t{lane} * count + r]; }
  std::string List() const {
    std::vector<std::string> names;
    for (unsigned r = 0; r < count; ++r) {
      names.push_back(fmt::format("%{}{}", name, r));
    }
    return fmt::format("{{{}}}", fmt::join(names, ", "));
  }

  std::string name;
  std::string type;  // of the registers
  unsigned count;    // of a lane
  std::vector<std::uint64_t> words;
};

// A kernel that loads the registers of its operands, and stores those of the last one.
std::string KernelWith(const std::vector<Held>& operands, const std::string& instruction,
                       const std::string& target) {
  std::string ptx = fmt::format(".version 8.7\n.target {}\n.address_size 64\n", target);
  std::vector<std::string> parameters;
  for (const Held& held : operands) {
    parameters.push_back(".param .u64 p" + held.name);
  }
  ptx +=
      fmt::format(".visible .entry test({}) {{\n  .reg .b32 %t; .reg .b64 %p; .reg .b16 %h<4>;\n",
                  fmt::join(parameters, ", "));
  ptx += "  mov.u32 %t, %tid.x; mov.b16 %h0, 0; mov.b16 %h1, 1; mov.b16 %h2, 2; mov.b16 %h3, 3;\n";
  for (std::size_t k = 0; k <= operands.size(); ++k) {
    const Held& held = operands[std::min(k, operands.size() - 1)];
    const bool last = k == operands.size();
    if (last) {
      ptx += "  " + instruction + "\n";
    } else {
      ptx += fmt::format("  .reg .{} %{}<{}>;\n", held.type, held.name, held.count);
    }
    if (k + 1 != operands.size()) {
      ptx += fmt::format("  ld.param.u64 %p, [p{}]; mad.wide.u32 %p, %t, {}, %p;\n", held.name,
                         8 * held.count);
    }
    for (unsigned r = 0; r < held.count && k + 1 != operands.size(); ++r) {
      ptx += last ? fmt::format("  st.global.{} [%p+{}], %{}{};\n", held.type, 8 * r, held.name, r)
                  : fmt::format("  ld.global.{} %{}{}, [%p+{}];\n", held.type, held.name, r, 8 * r);
    }
  }
  return ptx + "  ret;\n}\n";
}

Kernel Filled(const std::vector<Held>& operands, const std::string& ptx) {
  Kernel kernel(ptx);
  for (const Held& held : operands) {
    kernel.manifest.buffers.push_back(MakeBuffer("p" + held.name, held.words));
  }
  return kernel;
}

std::string RegisterFor(const std::string& type) {
  return type == "f32" || type == "s32" ? type : "b32";
}

// C and D: row groupID and eight further, two columns each.
Held HeldSums(const std::string& name, const std::string& type, const ElementMatrix& sums) {
  const unsigned each = type == "f16" ? 2 : 1;
  Held held(name, RegisterFor(type), 4 / each);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned x = 0; x < 4; ++x) {
      held.At(lane, x / each) |=
          EncodeElement(type, sums[lane / 4 + x / 2 * 8][lane % 4 * 2 + x % 2]) << x % each * 16;
    }
  }
  return held;
}

// B: as many consecutive rows in a register as it has elements, the next ones four times as far.
template <typename F>
Held HeldB(const ElementMatrix& b, unsigned bits, F encode) {
  const unsigned each = 32 / bits;
  Held held("b", "b32", static_cast<unsigned>(b.size()) / 4 / each);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned x = 0; x < held.count * each; ++x) {
      const unsigned row = x / each * 4 * each + lane % 4 * each + x % each;
      held.At(lane, x / each) |= encode(b[row][lane / 4]) << x % each * bits;
    }
  }
  return held;
}
// A, likewise by columns; its registers take turns between the row and the one eight further.
template <typename F>
Held HeldA(const ElementMatrix& a, unsigned bits, F encode) {
  const unsigned each = 32 / bits;
  Held held("a", "b32", static_cast<unsigned>(a[0].size()) / 2 / each);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned r = 0; r < held.count; ++r) {
      for (unsigned x = 0; x < each; ++x) {
        const unsigned column = r / 2 * 4 * each + lane % 4 * each + x;
        held.At(lane, r) |= encode(a[lane / 4 + r % 2 * 8][column]) << x * bits;
      }
    }
  }
  return held;
}

std::uint64_t Junk(std::uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return *state >> 32;
}

struct Sparse {
  const char* shape;
  unsigned k;
  const char* d;
  const char* a;
  const char* b;
  unsigned lanes;         // of four, that have metadata
  bool has_kind = false;  // .kind::f8f6f4, whose elements have a byte each
};
std::ostream& operator<<(std::ostream& out, const Sparse& p) { return out << p.shape << p.a; }

// An element of .kind::f8f6f4 in its byte: one of four bits is in the middle.
std::uint64_t InByte(const std::string& type, std::int64_t value) {
  const Type format = type == "e4m3"   ? Type::kE4M3
                      : type == "e5m2" ? Type::kE5M2
                      : type == "e3m2" ? Type::kE3M2
                      : type == "e2m3" ? Type::kE2M3
                                       : Type::kE2M1;
  const std::uint64_t bits = ToSmall(format, Round::kNearest, static_cast<double>(value));
  return type == "e2m1" ? bits << 2 : bits;
}

// A random sparse matrix: the elements that are there, row by row, and in which columns.
struct SparseMatrix {
  ElementMatrix full;
  ElementMatrix there;
  std::vector<std::vector<unsigned>> indices;  // of a row, as the text writes them
};
SparseMatrix RandomSparse(const Sparse& p, bool ordered, std::uint64_t* state) {
  const std::string type = p.a;
  const bool single = type == "tf32";
  const unsigned unit = ElementBits(type) == 4 ? 2 : 1;
  SparseMatrix matrix;
  matrix.full = ElementMatrix(kRowsOfA, std::vector<std::int64_t>(p.k));
  matrix.there = ElementMatrix(kRowsOfA);
  matrix.indices.resize(kRowsOfA);
  for (unsigned row = 0; row < kRowsOfA; ++row) {
    const auto add = [&](unsigned first) {
      for (unsigned x = 0; x < unit; ++x) {
        const std::int64_t value = DrawElement(type, state);
        matrix.full[row][first + x] = value;
        matrix.there[row].push_back(value);
      }
    };
    for (unsigned chunk = 0; chunk < p.k / (single ? 2 : 4 * unit); ++chunk) {
      if (single) {
        const unsigned which = Junk(state) % 2;
        matrix.indices[row].push_back(which == 0 ? 0x4 : 0xe);
        add(2 * chunk + which);
        continue;
      }
      unsigned first = Junk(state) % 4;
      unsigned second = (first + 1 + Junk(state) % 3) % 4;
      if (ordered && first > second) {
        std::swap(first, second);
      }
      matrix.indices[row].insert(matrix.indices[row].end(), {first, second});
      add((4 * chunk + first) * unit);
      add((4 * chunk + second) * unit);
    }
  }
  return matrix;
}

// Elements of 16 bits or more: a word has the indices of a row in its lower half, and those of the
// row eight further in its upper one. Others: a word is of one row, and the next lane's of the
// other.
Held Metadata(const Sparse& p, const SparseMatrix& a, unsigned selector, std::uint64_t* state) {
  Held held("e", "b32", 1);
  for (std::uint64_t& word : held.words) {
    word = Junk(state);
  }
  const std::string type = p.a;
  const unsigned bits = type == "tf32" ? 4 : 2;
  const bool halves = ElementBits(type) >= 16;
  const unsigned in_part = (halves ? 16 : 32) / bits;
  for (unsigned row = 0; row < kRowsOfA; ++row) {
    for (unsigned number = 0; number < a.indices[row].size(); ++number) {
      const unsigned part = number / in_part;
      const unsigned thread = halves ? part : 2 * part + row / 8;
      const unsigned shift = number % in_part * bits + (halves ? row / 8 * 16 : 0);
      std::uint64_t& word = held.At(row % 8 * 4 + selector * p.lanes + thread, 0);
      word = (word & ~((((std::uint64_t{1}) << bits) - 1) << shift)) |
             std::uint64_t{a.indices[row][number]} << shift;
    }
  }
  return held;
}

class PtxSparse : public testing::TestWithParam<Sparse> {};

TEST_P(PtxSparse, IsTheProduct) {
  const Sparse& p = GetParam();
  std::uint64_t state = 11;
  for (unsigned selector = 0; selector < 4 / p.lanes; ++selector) {
    for (const bool ordered : {false, true}) {
      if (p.has_kind && !ordered) {
        continue;
      }
      const SparseMatrix a = RandomSparse(p, ordered, &state);
      const ElementMatrix b = RandomMatrix(p.k, kColumnsOfB, p.b, &state);
      const ElementMatrix c = RandomMatrix(kRowsOfA, kColumnsOfB, p.d, &state);
      ElementMatrix d = c;
      for (unsigned row = 0; row < kRowsOfA; ++row) {
        for (unsigned column = 0; column < kColumnsOfB; ++column) {
          for (unsigned k = 0; k < p.k; ++k) {
            d[row][column] += a.full[row][k] * b[k][column];
          }
        }
      }
      const auto as = [&](const char* type) {
        return [&p, type](std::int64_t value) {
          return p.has_kind ? InByte(type, value) : EncodeElement(type, value);
        };
      };
      const Held sums = HeldSums("d", p.d, d);
      const std::vector<Held> operands = {HeldA(a.there, ElementBits(p.a), as(p.a)),
                                          HeldB(b, ElementBits(p.b), as(p.b)),
                                          HeldSums("c", p.d, c), Metadata(p, a, selector, &state),
                                          Held("d", RegisterFor(p.d), sums.count)};
      const std::string instruction =
          fmt::format("mma.sp{}.sync.aligned.{}.row.col{}.{}.{}.{}.{} {}, {}, {}, {}, %e0, {};",
                      ordered ? "::ordered_metadata" : "", p.shape,
                      p.has_kind ? ".kind::f8f6f4" : "", p.d, p.a, p.b, p.d, operands[4].List(),
                      operands[0].List(), operands[1].List(), operands[2].List(), selector);
      const Ended run(
          Filled(operands, KernelWith(operands, instruction, p.has_kind ? "sm_120a" : "sm_90")));
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      EXPECT_EQ(run.Longs(4), sums.words) << instruction;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxSparse,
                         testing::Values(Sparse{"m16n8k16", 16, "f16", "f16", "f16", 1},
                                         Sparse{"m16n8k16", 16, "f32", "f16", "f16", 1},
                                         Sparse{"m16n8k16", 16, "f32", "bf16", "bf16", 1},
                                         Sparse{"m16n8k32", 32, "f16", "f16", "f16", 2},
                                         Sparse{"m16n8k32", 32, "f32", "bf16", "bf16", 2},
                                         Sparse{"m16n8k8", 8, "f32", "tf32", "tf32", 1},
                                         Sparse{"m16n8k16", 16, "f32", "tf32", "tf32", 2},
                                         Sparse{"m16n8k32", 32, "s32", "s8", "u8", 2},
                                         Sparse{"m16n8k64", 64, "s32", "u8", "s8", 4},
                                         Sparse{"m16n8k64", 64, "s32", "s4", "u4", 2},
                                         Sparse{"m16n8k128", 128, "s32", "u4", "u4", 4},
                                         Sparse{"m16n8k64", 64, "f32", "e4m3", "e5m2", 4},
                                         Sparse{"m16n8k64", 64, "f32", "e3m2", "e2m1", 4, true},
                                         Sparse{"m16n8k64", 64, "f16", "e2m1", "e2m3", 4, true},
                                         Sparse{"m16n8k64", 64, "f32", "e5m2", "e4m3", 4, true},
                                         Sparse{"m16n8k64", 64, "f16", "e2m3", "e3m2", 4, true}),
                         [](const auto& info) {
                           return fmt::format("{}_{}_{}{}", info.param.shape, info.param.d,
                                              info.param.a, info.param.has_kind ? "_kind" : "");
                         });

// Of m16n8k16 with a word of metadata in each lane: of the row, and of the one eight further.
std::string SparseOutcome(const std::string& form, const std::string& types, std::uint32_t word,
                          std::string* problem, std::uint32_t of_b = 0) {
  const Ended run(Kernel(fmt::format(
      ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry test() {{\n"
      "  .reg .b32 %r<8>; .reg .f32 %f<4>; mov.b32 %r0, 0; mov.b32 %r1, {}; mov.b32 %r2, {};\n"
      "  mov.f32 %f0, 0f00000000;\n  mma.{}.sync.aligned.{} {{%f0, %f1, %f2, %f3}}, {{%r0, %r0}}, "
      "{{%r2, %r2}}, {{%f0, %f0, %f0, %f0}}, %r1, 0;\n  .reg .pred %p; testp.finite.f32 %p, %f0; "
      "@!%p trap; ret;\n}}\n",
      word, of_b, form, types)));
  *problem = run.grid().problem();
  return run.outcome();
}

TEST(PtxSparseMetadata, IndicesThatThereAreNotAreRefused) {
  const std::string halves = "m16n8k16.row.col.f32.f16.f16.f32";
  const std::string singles = "m16n8k8.row.col.f32.tf32.tf32.f32";
  std::string problem;
  EXPECT_EQ(SparseOutcome("sp", halves, 0x44444444, &problem), "completes") << problem;
  EXPECT_EQ(SparseOutcome("sp", halves, 0x11111111, &problem), "completes") << problem;
  EXPECT_EQ(SparseOutcome("sp::ordered_metadata", halves, 0x44444444, &problem), "completes");
  EXPECT_EQ(SparseOutcome("sp::ordered_metadata", halves, 0x44144444, &problem),
            "fault:bad_metadata");
  EXPECT_NE(problem.find("thread (0,0,0) of CTA (0,0,0): has the metadata 0x44144444 of a sparse "
                         "matrix, where the second of two indices must be the larger one"),
            std::string::npos)
      << problem;
  EXPECT_EQ(SparseOutcome("sp", halves, 0x44444445, &problem), "fault:bad_metadata");
  EXPECT_NE(problem.find("two indices must not be the same"), std::string::npos) << problem;
  EXPECT_EQ(SparseOutcome("sp", singles, 0xe4e4e4e4, &problem), "completes") << problem;
  EXPECT_EQ(SparseOutcome("sp", singles, 0xe4e4e4e5, &problem), "fault:bad_metadata");
  EXPECT_NE(problem.find("must be 0b0100 or 0b1110"), std::string::npos) << problem;
}

// A zero times an infinity is no number, where the zero is there.
TEST(PtxSparseMetadata, WhatIsNotThereIsNoZero) {
  std::string problem;
  // Columns 0 and 1 of A are there. Rows 0 and 1 of B are in the lanes' lower halves and upper
  // ones.
  EXPECT_EQ(
      SparseOutcome("sp", "m16n8k16.row.col.f32.f16.f16.f32", 0x44444444, &problem, 0x7c000000),
      "assert");
}

struct Scaled {
  const char* kind;
  unsigned k;
  unsigned blocks;
  const char* scale;  // type
  const char* a;
  const char* b;
};
std::ostream& operator<<(std::ostream& out, const Scaled& p) { return out << p.kind << p.a; }

std::uint64_t EncodeSmall(const std::string& type, bool packed, std::int64_t value) {
  const Type format = type == "e4m3"   ? Type::kE4M3
                      : type == "e5m2" ? Type::kE5M2
                      : type == "e3m2" ? Type::kE3M2
                      : type == "e2m3" ? Type::kE2M3
                                       : Type::kE2M1;
  const std::uint64_t bits = ToSmall(format, Round::kNearest, static_cast<double>(value));
  return type == "e2m1" && !packed ? bits << 2 : bits;
}

class PtxScaled : public testing::TestWithParam<Scaled> {};

// Scales of A: of a row by its lanes' pair, the first of them; of the row eight further, the
// second. Of B: of a column by one of its four lanes. The value counts, not where it comes from.
TEST_P(PtxScaled, IsTheProduct) {
  const Scaled& p = GetParam();
  const bool packed = std::string(p.kind) != "mxf8f6f4" && std::string(p.kind) != "f8f6f4";
  const unsigned bits = packed ? 4 : 8;
  std::uint64_t state = 5;
  for (unsigned way = 0; way < 8; ++way) {
    const unsigned byte[2] = {p.blocks == 1   ? way % 4
                              : p.blocks == 2 ? way % 2 * 2
                                              : 0,
                              p.blocks == 1   ? way / 2 % 4
                              : p.blocks == 2 ? way / 2 % 2 * 2
                                              : 0};
    const unsigned thread[2] = {way % 2, way % 4};
    const ElementMatrix a = RandomMatrix(kRowsOfA, p.k, p.a, &state);
    const ElementMatrix b = RandomMatrix(p.k, kColumnsOfB, p.b, &state);
    const ElementMatrix c = RandomMatrix(kRowsOfA, kColumnsOfB, "f32", &state);
    Held of_a("x", "b32", 1);
    Held of_b("y", "b32", 1);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      of_a.At(lane, 0) = Junk(&state);
      of_b.At(lane, 0) = Junk(&state);
    }
    // Four times the scales, which are 1/2, 1, 2 and 4.
    const auto scale = [&](Held* held, unsigned lane, unsigned at) {
      constexpr std::uint64_t kPowers[] = {126, 127, 128, 129};
      constexpr std::uint64_t kSmall[] = {0x30, 0x38, 0x40, 0x48};
      const unsigned pick = Junk(&state) % 4;
      const std::uint64_t code = std::string(p.scale) == "ue8m0" ? kPowers[pick] : kSmall[pick];
      std::uint64_t& word = held->At(lane, 0);
      word = (word & ~(std::uint64_t{0xff} << 8 * at)) | code << 8 * at;
      return std::int64_t{1} << pick;
    };
    std::vector<std::vector<std::int64_t>> rows(kRowsOfA);
    std::vector<std::vector<std::int64_t>> columns(kColumnsOfB);
    for (unsigned block = 0; block < p.blocks; ++block) {
      for (unsigned row = 0; row < kRowsOfA; ++row) {
        rows[row].push_back(scale(&of_a, row % 8 * 4 + 2 * thread[0] + row / 8, byte[0] + block));
      }
      for (unsigned column = 0; column < kColumnsOfB; ++column) {
        columns[column].push_back(scale(&of_b, column * 4 + thread[1], byte[1] + block));
      }
    }
    Held sums("d", "f32", 4);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      for (unsigned x = 0; x < 4; ++x) {
        const unsigned row = lane / 4 + x / 2 * 8;
        const unsigned column = lane % 4 * 2 + x % 2;
        std::int64_t sum = 4 * c[row][column];
        for (unsigned k = 0; k < p.k; ++k) {
          const unsigned block = p.blocks == 0 ? 0 : k / (p.k / p.blocks);
          const std::int64_t by = p.blocks == 0 ? 4 : rows[row][block] * columns[column][block];
          sum += by * a[row][k] * b[k][column];
        }
        const float value = static_cast<float>(sum) / 4;
        std::memcpy(&sums.At(lane, x), &value, sizeof value);
      }
    }
    const auto as = [&](const char* type) {
      return [type, packed](std::int64_t value) { return EncodeSmall(type, packed, value); };
    };
    const std::vector<Held> operands = {
        HeldA(a, bits, as(p.a)), HeldB(b, bits, as(p.b)), HeldSums("c", "f32", c), of_a, of_b,
        Held("d", "f32", 4)};
    const std::string scaling =
        p.blocks == 0 ? "" : fmt::format(".block_scale.scale_vec::{}X", p.blocks);
    const std::string scales = p.blocks == 0 ? ""
                                             : fmt::format(", %x0, {{{}, {}}}, %y0, {{%h{}, %h{}}}",
                                                           byte[0], thread[0], byte[1], thread[1]);
    const std::string instruction = fmt::format(
        "mma.sync.aligned.m16n8k{}.row.col.kind::{}{}.f32.{}.{}.f32{} {}, {}, {}, {}{};", p.k,
        p.kind, scaling, p.a, p.b, p.blocks == 0 ? "" : std::string(".") + p.scale,
        operands[5].List(), operands[0].List(), operands[1].List(), operands[2].List(), scales);
    const Ended run(Filled(operands, KernelWith(operands, instruction, "sm_120a")));
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Longs(5), sums.words) << instruction;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxScaled,
                         testing::Values(Scaled{"f8f6f4", 32, 0, "", "e3m2", "e2m1"},
                                         Scaled{"f8f6f4", 32, 0, "", "e4m3", "e2m3"},
                                         Scaled{"mxf8f6f4", 32, 1, "ue8m0", "e4m3", "e5m2"},
                                         Scaled{"mxf8f6f4", 32, 1, "ue8m0", "e2m1", "e3m2"},
                                         Scaled{"mxf8f6f4", 32, 1, "ue8m0", "e2m3", "e2m1"},
                                         Scaled{"mxf4", 64, 2, "ue8m0", "e2m1", "e2m1"},
                                         Scaled{"mxf4nvf4", 64, 2, "ue8m0", "e2m1", "e2m1"},
                                         Scaled{"mxf4nvf4", 64, 4, "ue4m3", "e2m1", "e2m1"}),
                         [](const auto& info) {
                           return fmt::format("{}_{}X_{}_{}", info.param.kind, info.param.blocks,
                                              info.param.a, info.param.b);
                         });

TEST(PtxSparseMetadata, OtherFormsAreRefused) {
  const std::string sparse = " {%r0, %r1}, {%r2, %r3}, {%r4, %r5}, {%r6, %r7}, %r8, ";
  const std::string sums =
      "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}";
  for (const std::string& instruction :
       {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16" + sparse + "4;",
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16" + sparse + "%r1;",
        "mma.sp.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16" + sparse + "0;",
        std::string("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r2, %r3}, "
                    "{%r4, %r5}, {%r6, %r7}, %r8;"),
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.s8.e2m1.f32 " + sums + ";",
        std::string("mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e2m1.f16 {%r0, "
                    "%r1}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r6, %r7}, %r8, 0;"),
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32."
        "ue8m0 " +
            sums + ", %r6, {0, 0}, %r7, {0, 0};",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1."
        "f32.ue4m3 " +
            sums + ", %r6, {0, 0}, %r7, {0, 0};",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.f32.e2m1.e2m1.f32.ue8m0 " + sums +
            ", %r6, {0, 0}, %r7, {0, 0};",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 " + sums +
            ", %r6, 0, %r7, {0, 0};",
        "mma.sync.aligned.m16n8k32.row.col.f32.e2m1.e2m1.f32 " + sums + ";"}) {
    try {
      const Ended run(
          Kernel(".version 8.7\n.target sm_120a\n.address_size 64\n.visible .entry test() {\n"
                 "  .reg .b32 %r<9>; .reg .f32 %f<4>;\n  " +
                 instruction + "\n  ret; }\n"));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":6:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
