// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Tensor memory: how it is allocated and released, who may access what of it, and where the
// registers of a warp go. The places are those of the text's figures, cell by cell.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_tensor_kernel.h"

namespace muster::ptx {
namespace {

constexpr unsigned kAllocated = 512;

struct Access {
  const char* shape;
  unsigned lanes;      // that it accesses
  unsigned columns;    // of one repetition
  unsigned registers;  // likewise
};
const Access kAccesses[] = {{"32x32b", 32, 1, 1},
                            {"16x64b", 16, 2, 1},
                            {"16x128b", 16, 4, 2},
                            {"16x256b", 16, 8, 4},
                            {"16x32bx2", 16, 1, 1}};

// Which thread has the cell of a figure, and in which register.
struct Holder {
  unsigned thread;
  unsigned index;
};
Holder HolderOf(const Access& access, unsigned row, unsigned column, bool second) {
  const std::string shape = access.shape;
  const unsigned repetition = column / access.columns;
  const unsigned in = column % access.columns;
  const unsigned block = row / 8;  // of the 16 rows
  if (shape == "32x32b") {
    return {row, column};
  }
  if (shape == "16x32bx2") {
    return {row + (second ? 16 : 0), column};
  }
  if (shape == "16x64b") {  // T0 and T2 have row 0, T1 and T3 row 8
    return {4 * (row % 8) + 2 * in + block, repetition};
  }
  if (shape == "16x128b") {  // T0 to T3 have row 0, and in their second registers row 8
    return {4 * (row % 8) + in, 2 * repetition + block};
  }
  return {4 * (row % 8) + in / 2, 4 * repetition + 2 * block + in % 2};
}

std::string Listed(unsigned count) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    names.push_back(fmt::format("%x{}", i));
  }
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

// The word that lane and column have before a load.
std::uint32_t WordOf(unsigned lane, unsigned column) {
  return (lane << 9 | column) * 0x10001U + (column << 24);
}

// ------------------------------------------------------------------------------------------------
// tcgen05.ld.red
// ------------------------------------------------------------------------------------------------

struct Reduced {
  const char* op;  // with its type
  bool greatest;
  bool is_float = false;
  bool is_signed = false;
  bool absolute = false;
  bool keeps_nan = false;
};
constexpr unsigned kReduced = 8;  // registers

float FloatIn(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// By the definition: numbers come before NaNs, unless a NaN is kept.
std::uint32_t ReducedWord(const Reduced& r, const std::vector<std::uint32_t>& words) {
  constexpr std::uint32_t kNan = 0x7fffffff;
  std::optional<std::uint32_t> best;
  bool has_nan = false;
  for (std::uint32_t word : words) {
    if (r.is_float && std::isnan(FloatIn(word))) {
      has_nan = true;
      continue;
    }
    word = r.absolute ? word & 0x7fffffff : word;
    const bool less = !best        ? false
                      : r.is_float ? FloatIn(word) < FloatIn(*best)
                      : r.is_signed
                          ? static_cast<std::int32_t>(word) < static_cast<std::int32_t>(*best)
                          : word < *best;
    if (!best || less != r.greatest) {
      best = word;
    }
  }
  return (has_nan && r.keeps_nan) || !best ? kNan : *best;
}

TEST(PtxTensorReduction, IsTheLeastOrTheGreatestOfAThread) {
  for (const Reduced& r : {Reduced{"max.f32", true, true}, Reduced{"min.f32", false, true},
                           Reduced{"max.NaN.f32", true, true, false, false, true},
                           Reduced{"min.abs.f32", false, true, false, true},
                           Reduced{"max.abs.NaN.f32", true, true, false, true, true},
                           Reduced{"min.u32", false}, Reduced{"max.s32", true, false, true}}) {
    std::uint64_t state = 3;
    std::vector<std::uint32_t> words(std::size_t{kTensorThreads} * kReduced);
    for (std::size_t i = 0; i < words.size(); ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      // In every other thread each fourth word is a NaN, in thread 5 all of them.
      const bool is_nan = i / kReduced == 5 || (i / kReduced % 2 == 0 && state >> 62 == 0);
      words[i] = r.is_float ? is_nan ? 0x7fc00001U
                                     : 0x3f800000U |
                                           (static_cast<std::uint32_t>(state >> 32) & 0x807fffffU)
                            : static_cast<std::uint32_t>(state >> 31);
    }
    std::vector<std::uint8_t> in(4 * words.size());
    std::memcpy(in.data(), words.data(), in.size());
    std::string ptx = TensorPrologue(kAllocated) + fmt::format(R"(
  mad.wide.u32 %d1, %r1, 32, %d1;
  ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [%d1]; ld.global.v4.b32 {{%x4, %x5, %x6, %x7}}, [%d1+16];
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r10+16], {0}; tcgen05.wait::st.sync.aligned;
  tcgen05.ld.red.sync.aligned.32x32b.x8.{1} {0}, %r25, [%r10+16];
  tcgen05.wait::ld.sync.aligned;
  xor.b32 %x0, %x0, %x7; xor.b32 %x0, %x0, %r25;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10], {{%x0}}; tcgen05.wait::st.sync.aligned;
)",
                                                               Listed(kReduced), r.op);
    ptx.replace(0, ptx.find(".address_size"), ".version 8.8\n.target sm_103a\n");
    const auto got = TensorWords(ptx + TensorEpilogue(1, kAllocated), in, 1);
    for (unsigned thread = 0; thread < kTensorThreads; ++thread) {
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(kReduced * thread);
      const std::vector<std::uint32_t> own(begin, begin + kReduced);
      ASSERT_EQ(got[thread] ^ own.front() ^ own.back(), ReducedWord(r, own))
          << r.op << " of thread " << thread;
    }
  }
}

TEST(PtxTensorReduction, OtherFormsAreRefused) {
  const std::string two = "{%x0, %x1}, %r25, [%r10]";
  const std::pair<std::string, const char*> wrong[] = {
      {"32x32b.x2.f32 " + two, "lacks .min or .max"},
      {"32x32b.x1.max.f32 {%x0}, %r25, [%r10]", "a reduction of one register"},
      {"16x32bx2.x2.max.f32 " + two + ", 2", "a reduction of this shape"},
      {"32x32b.x2.max.abs.u32 " + two, "abs"}};
  for (const auto& [form, says] : wrong) {
    std::string ptx = TensorPrologue(kAllocated) + "  tcgen05.ld.red.sync.aligned." + form + ";\n" +
                      TensorEpilogue(1, kAllocated);
    ptx.replace(0, ptx.find(".address_size"), ".version 8.8\n.target sm_103a\n");
    try {
      const Ended run(Kernel(ptx, kTensorThreads));
      ADD_FAILURE() << form << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
}

class PtxTensorAccess : public testing::TestWithParam<Access> {};

// Each thread fills its lane, loads, and stores the registers to `out`.
TEST_P(PtxTensorAccess, LoadsWhatTheFigureHas) {
  const Access& access = GetParam();
  const bool two = std::string(access.shape) == "16x32bx2";
  for (unsigned times = 1; access.registers * times <= 128; times *= 2) {
    for (const bool packs : {false, true}) {
      const unsigned each = packs ? 2 : 1;
      const unsigned wide = access.columns * times * each;
      const unsigned second = 3 + wide;
      if (3 + (two ? second : 0) + wide > kAllocated) {
        continue;
      }
      const unsigned count = access.registers * times;
      const unsigned lower = access.lanes == 16 ? 16 : 0;  // lanes 16 to 31 of the warp's
      std::string ptx = TensorPrologue(kAllocated);
      ptx += R"(
  mov.u32 %r20, 0; mov.u32 %r21, %r10; shl.b32 %r23, %r1, 9;
FILL: or.b32 %r22, %r23, %r20; mul.lo.u32 %r22, %r22, 65537; shl.b32 %r24, %r20, 24; add.u32 %r22, %r22, %r24;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r21], {%r22};
  add.u32 %r20, %r20, 1; add.u32 %r21, %r21, 1; setp.lt.u32 %p5, %r20, 512; @%p5 bra FILL;
  tcgen05.wait::st.sync.aligned;
)";
      ptx += fmt::format(
          "  tcgen05.ld.sync.aligned.{}.x{}{}.b32 {}, [%r10 + {}]{};\n"
          "  tcgen05.wait::ld.sync.aligned;\n  mul.lo.u32 %r11, %r1, {}; cvt.u64.u32 %d3, %r11; "
          "add.u64 %d2, %d2, %d3;\n",
          access.shape, times, packs ? ".pack::16b" : "", Listed(count), (lower << 16) + 3,
          two ? fmt::format(", {}", second) : "", 4 * count);
      for (unsigned i = 0; i < count; ++i) {
        ptx += fmt::format("  st.global.u32 [%d2+{}], %x{};\n", 4 * i, i);
      }
      ptx += fmt::format(
          "  bar.sync 0;\n  @%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, {};\n  "
          "ret;\n}}\n",
          kAllocated);
      const auto got = TensorWords(ptx, {}, count);
      for (unsigned warp = 0; warp < 4; ++warp) {
        for (unsigned row = 0; row < access.lanes; ++row) {
          for (unsigned column = 0; column < wide / each; ++column) {
            for (const bool other : {false, true}) {
              if (other && !two) {
                continue;
              }
              const unsigned lane = 32 * warp + lower + row;
              const unsigned at = 3 + (other ? second : 0) + each * column;
              const std::uint32_t wanted =
                  packs ? (WordOf(lane, at) & 0xffff) | WordOf(lane, at + 1) << 16
                        : WordOf(lane, at);
              const Holder holder = HolderOf(access, row, column, other);
              ASSERT_EQ(got[(32 * warp + holder.thread) * count + holder.index], wanted)
                  << access.shape << ".x" << times << (packs ? ".pack" : "") << " lane " << lane
                  << " column " << at;
            }
          }
        }
      }
    }
  }
}

// Each thread stores registers that say whose they are, and the lanes are read one by one.
TEST_P(PtxTensorAccess, StoresWhereTheFigureHas) {
  const Access& access = GetParam();
  const bool two = std::string(access.shape) == "16x32bx2";
  for (const bool unpacks : {false, true}) {
    const unsigned times = 4;
    const unsigned each = unpacks ? 2 : 1;
    const unsigned wide = access.columns * times;
    const unsigned second = each * wide;
    const unsigned count = access.registers * times;
    std::string ptx = TensorPrologue(kAllocated);
    for (unsigned i = 0; i < count; ++i) {
      ptx += fmt::format("  shl.b32 %x{0}, %r1, 8; or.b32 %x{0}, %x{0}, {1};\n", i,
                         (i + 1) * 0x10000U + i);
    }
    const unsigned columns = each * wide * (two ? 2 : 1);
    ptx += fmt::format(
        "  tcgen05.st.sync.aligned.{}.x{}{}.b32 [%r10]{}, {};\n"
        "  tcgen05.wait::st.sync.aligned;\n",
        access.shape, times, unpacks ? ".unpack::16b" : "", two ? fmt::format(", {}", second) : "",
        Listed(count));
    const auto got = TensorWords(ptx + TensorEpilogue(columns, kAllocated), {}, columns);
    for (unsigned lane = 0; lane < kTensorThreads; ++lane) {
      const unsigned row = lane % 32;
      for (unsigned column = 0; column < columns && row < access.lanes; ++column) {
        const bool other = two && column >= second;
        const Holder holder = HolderOf(access, row, (column - (other ? second : 0)) / each, other);
        const std::uint32_t value =
            (lane / 32 * 32 + holder.thread) << 8 | ((holder.index + 1) * 0x10000U + holder.index);
        ASSERT_EQ(got[lane * columns + column], !unpacks          ? value
                                                : column % 2 == 0 ? value & 0xffff
                                                                  : value >> 16)
            << access.shape << " lane " << lane << " column " << column;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxTensorAccess, testing::ValuesIn(kAccesses),
                         [](const auto& info) { return fmt::format("of_{}", info.param.shape); });

// ------------------------------------------------------------------------------------------------
// Allocation
// ------------------------------------------------------------------------------------------------

std::string Body(const std::string& body) {
  return R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry test() {
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<4>;
  .shared .align 8 .b64 mbar;
  .shared .align 4 .b32 place[4];
  mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; setp.eq.u32 %p2, %r1, 0;
)" + body +
         "  ret;\n}\n";
}

const std::string kAllocate =
    "  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 64;\n"
    "  bar.warp.sync 0xffffffff; ld.shared.u32 %r2, [place];\n";
const std::string kRelease = "  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 64;\n";

void ExpectFault(const std::string& ptx, const std::string& cause, const std::string& sentence,
                 unsigned threads = 32) {
  const Ended run(Kernel(ptx, threads));
  EXPECT_EQ(run.outcome(), "fault:" + cause) << run.grid().problem();
  EXPECT_NE(run.grid().problem().find(sentence), std::string::npos) << run.grid().problem();
}

TEST(PtxTensorMemory, IsAllocatedAndReleased) {
  const Ended run(Kernel(Body(kAllocate + kRelease + kAllocate + kRelease)));
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
}

TEST(PtxTensorMemory, MisuseIsAFaultWithItsName) {
  ExpectFault(Body("  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 48;\n"),
              "bad_tensor_size", "names 48 columns");
  ExpectFault(Body(kAllocate), "tensor_memory_not_released", "64 columns of tensor memory");
  ExpectFault(Body(kAllocate + kRelease + kRelease), "tensor_memory_not_allocated",
              "where nothing is allocated");
  ExpectFault(Body(kAllocate + "  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;\n"),
              "tensor_memory_not_allocated", "the allocation there has 64 from 0 on");
  ExpectFault(Body("  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + kAllocate),
              "tensor_permit_relinquished", "after its CTA has relinquished");
  const std::string load = "  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3, %r4}, [%r2+63];\n";
  ExpectFault(Body("  mov.u32 %r2, 0;\n" + load), "tensor_memory_not_allocated",
              "of which none is allocated");
  ExpectFault(Body(kAllocate + load), "tensor_memory_not_allocated",
              "column 64 of tensor memory, which is not allocated");
  ExpectFault(Body(kAllocate + kRelease + load), "tensor_memory_not_allocated",
              "column 63 of tensor memory, which line 11 has released");
  ExpectFault(Body(kAllocate + "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2+512];\n"),
              "tensor_memory_not_allocated", "which has 128 lanes and 512 columns");
  ExpectFault(Body(kAllocate + "  add.u32 %r2, %r2, %r1;\n" + load), "divergent_operand",
              "names the address 0x00000040 of tensor memory, and lane 0");
}

TEST(PtxTensorMemory, EachWarpHasItsQuarterOfTheLanes) {
  const std::string load = R"(
  @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 64;
  bar.sync 0; ld.shared.u32 %r2, [place]; and.b32 %r4, %r1, 96; shl.b32 %r4, %r4, 16;
  add.u32 %r3, %r2, %r4;
  tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r5}, [%r3+1048576];
  tcgen05.wait::ld.sync.aligned; bar.sync 0;
  @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 64;
)";
  const auto from = [&](const std::string& where) {
    std::string text = load;
    return Body(text.replace(text.find("%r3+1048576"), 11, where));
  };
  EXPECT_EQ(Ended(Kernel(from("%r3+1048576"), 256)).outcome(), "completes");
  ExpectFault(from("%r2+1048576"), "tensor_lane_not_accessible",
              "accesses lanes of tensor memory from 16 on", 128);
  ExpectFault(from("%r3+524288"), "tensor_lane_not_accessible", "from 0 or 16 on", 32);
}

TEST(PtxTensorMemory, AnAllocationWaitsForColumns) {
  // The second warp allocates all columns while the first has some of them.
  const std::string body = R"(
  @!%p1 bra OTHER;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 128;
  bar.sync 0; ld.shared.u32 %r2, [place];
  nanosleep.u32 500;
  RELEASE
  ret;
OTHER: bar.sync 0;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place+4], 512;
  ld.shared.u32 %r3, [place+4];
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 512;
)";
  const auto with = [&](const std::string& release) {
    std::string text = body;
    return Body(text.replace(text.find("RELEASE"), 7, release));
  };
  const std::string release = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 128;";
  EXPECT_EQ(Ended(Kernel(with(release), 64)).outcome(), "completes");
  const Ended stuck(Kernel(with("mov.u32 %r4, 0;"), 64));
  EXPECT_EQ(stuck.outcome(), "deadlock");
  const std::vector<StuckWarp> warps = stuck.grid().StuckWarps();
  ASSERT_EQ(warps.size(), 1U);
  EXPECT_NE(warps[0].where.what.find("wait at tcgen05.alloc for 512 columns of tensor memory, of "
                                     "which 128 are allocated"),
            std::string::npos)
      << warps[0].where.what;
}

TEST(PtxTensorMemory, OtherFormsAreRefused) {
  for (const std::string instruction :
       {"tcgen05.alloc.sync.aligned.shared::cta.b32 [place], 64;",
        "tcgen05.alloc.cta_group::1.shared::cta.b32 [place], 64;",
        "tcgen05.ld.sync.aligned.32x32b.b32 {%r1}, [%r2];",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1}, [%r2];",
        "tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r1}, [%r2];",
        "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r1}, [%r2];",
        "tcgen05.ld.red.sync.aligned.16x64b.x2.max.u32 {%r1, %r2}, %r3, [%r2];",
        "tcgen05.st.sync.aligned.32x32b.x1.pack::16b.b32 [%r2], {%r1};",
        "tcgen05.wait::ld.sync;",
        "tcgen05.fence::before_thread_sync.sync;",
        "tcgen05.mma.sp.cta_group::1 [%r2], %d1, %d2, [%r3], %r3, %p1;",
        "tcgen05.mma.ws.cta_group::1.kind::f16 [%r2], %d1, %d2, %r3;",
        "tcgen05.mma.cta_group::1.kind::f16.ashift [%r2], %d1, %d2, %r3, %p1;",
        "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::use [%r2], [%r4], %d2, %r3, %p1;",
        "tcgen05.mma.cta_group::1.kind::f16.block_scale [%r2], %d1, %d2, %r3, [%r2], [%r2], %p1;",
        "tcgen05.mma.cta_group::1.kind::mxf4.scale_vec::1X [%r2], %d1, %d2, %r3, [%r2], [%r2], "
        "%p1;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r2], %d1, %d2, %r3, [%r2], [%r2], "
        "%p1;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block16 [%r2], %d1, %d2, %r3, [%r2], [%r2], %p1;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r2], %d1, %d2, %r3, %p1;",
        "tcgen05.mma.ws.cta_group::2.kind::f16 [%r2], %d1, %d2, %r3, %p1;",
        "tcgen05.mma.ws.cta_group::1.kind::f16.collector::a::use [%r2], %d1, %d2, %r3, %p1;",
        "tcgen05.mma.ws.cta_group::1.kind::mxf4 [%r2], %d1, %d2, %r3, [%r2], [%r2], %p1;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r2], %d1, %d2, %r3, %p1, 16;",
        "tcgen05.mma.cta_group::1.kind::i8 [%r2], %d1, %d2, %r3, %p1, 1;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r2], %d1, %d2, %r3, {%r1, %r2}, %p1;",
        "tcgen05.mma.kind::f16 [%r2], %d1, %d2, %r3, %p1;",
        "tcgen05.commit.cta_group::1.b64 [mbar];"}) {
    try {
      const Ended run(Kernel(Body("  " + instruction + "\n")));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":9:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
