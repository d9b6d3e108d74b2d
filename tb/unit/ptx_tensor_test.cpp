// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Tensor copies as kernels start them: bytes that are counted, mbarriers of a pair, changes of
// maps, and what is wrong with a map, a copy or a manifest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

// One map, m, of in: 16 x 8 words, in boxes of 8 x 4.
NamedMap Words() {
  NamedMap named;
  named.name = "m";
  named.buffer = "in";
  TensorMap& map = named.map;
  map.element = TensorElement::kU32;
  map.rank = 2;
  map.dims = {16, 8};
  map.strides = {64};
  map.box = {8, 4};
  map.steps.fill(1);
  return named;
}

// A kernel of one thread in each CTA with 128 words in, each its index, at %d1, 256 out at %d2, and
// the map at %d3 in global memory; s is of 512 bytes, bar a mbarrier of one arrival. The body
// begins in line 12.
Kernel Tensor(const std::string& body, const NamedMap& map = Words(), std::uint32_t ctas = 1) {
  Kernel kernel(R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out, .param .u64 maps) {
  .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %d<12>;
  .shared .align 1024 .b8 s[512]; .shared .align 8 .b64 bar; .shared .align 8 .b64 other;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [maps];
  mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, s; mov.u32 %r3, bar;
  mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive; barrier.cluster.wait;

)" + body + "\n  ret;\n}\n",
                1);
  kernel.manifest.grid = {ctas, 1, 1};
  kernel.manifest.cluster = {ctas, 1, 1};
  std::vector<std::uint64_t> words(128);
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    words[i] = i;
  }
  Buffer maps = MakeBuffer("maps", Type::kU64, 32);
  maps.maps = {"m", "m"};
  kernel.manifest.buffers = {MakeBuffer("in", words), MakeBuffer("out", Type::kU32, 256), maps};
  kernel.manifest.buffers[0].type = Type::kU32;
  kernel.manifest.buffers[0].count = 128;
  kernel.manifest.buffers[0].initial.clear();
  for (std::uint32_t i = 0; i < 128; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      kernel.manifest.buffers[0].initial.push_back(static_cast<std::uint8_t>(i >> 8 * k));
    }
  }
  kernel.manifest.maps = {map};
  return kernel;
}

std::string Expect(unsigned bytes) {
  return fmt::format("  mbarrier.arrive.expect_tx.shared.b64 _, [bar], {};\n", bytes);
}
std::string Load(const std::string& coordinates, const std::string& to = "%r2") {
  return "  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [" + to +
         "], [%d3, {" + coordinates + "}], [bar];\n";
}
const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n";
// Copies words of s to out: the first `count`.
std::string Show(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text +=
        fmt::format("  ld.shared.u32 %r9, [s+{}]; st.global.u32 [%d2+{}], %r9;\n", 4 * i, 4 * i);
  }
  return text;
}
std::string Store(const std::string& coordinates) {
  return "  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d3, {" + coordinates +
         "}], [%r2]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";
}

TEST(PtxTensor, ElementsOutsideCountAndAreZero) {
  const Kernel kernel = Tensor(Expect(128) + Load("12, 6") + kWait + Show(32));
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Ended run(kernel, seed % 2 == 0 ? "small" : "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t i = 0; i < 32; ++i) {
      const std::uint32_t x = 12 + i % 8;
      const std::uint32_t y = 6 + i / 8;
      EXPECT_EQ(run.Words(1)[i], x < 16 && y < 8 ? 16 * y + x : 0) << i;
    }
  }
  // One byte less, and the phase completes before all have come, or never.
  const Ended less(Tensor(Expect(112) + Load("12, 6") + kWait));
  EXPECT_EQ(less.outcome(), "deadlock");
}

TEST(PtxTensor, FillIsNanWhereTheMapSaysSo) {
  NamedMap map = Words();
  map.map.element = TensorElement::kF32;
  map.map.fills_nan = true;
  const Ended run(Tensor(Expect(128) + Load("-4, 0") + kWait + Show(8), map));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1)[3], 0x7ff77ff7U);
  EXPECT_EQ(run.Words(1)[4], 0U);
  EXPECT_EQ(run.Words(1)[5], 1U);
}

// "The mbarrier signal is sent either to the destination CTA or its peer-CTA."
TEST(PtxTensor, ACopySignalsTheOtherCtaOfItsPair) {
  const std::string body =
      "  mapa.shared::cluster.u32 %r4, %r3, 0;\n  @%p1 bra LEAD;\n"
      "  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2"
      " [%r2], [%d3, {0, 0}], [%r4];\n  bra END;\nLEAD:\n" +
      Expect(128) + kWait +
      "  mapa.shared::cluster.u32 %r5, %r2, 1; ld.shared::cluster.u32 %r9, [%r5+36];\n"
      "  st.global.u32 [%d2], %r9;\nEND: barrier.cluster.arrive; barrier.cluster.wait;";
  const Ended run(Tensor(body, Words(), 2));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1)[0], 17U);
}

// It changes a map, or makes one of zeroes, with which compilers begin.
TEST(PtxTensor, ReplaceChangesEachField) {
  std::string zeroes;
  for (unsigned at = 0; at < 128; at += 8) {
    zeroes += "  st.global.u64 [%d3+" + std::to_string(at) + "], 0;\n";
  }
  const std::string replace = "  tensormap.replace.tile.";
  const std::string body =
      "  add.u64 %d4, %d1, 64;\n" + replace + "global_address.global.b1024.b64 [%d3], %d4;\n" +
      replace + "rank.global.b1024.b32 [%d3], 2;\n" + replace +
      "global_dim.global.b1024.b32 [%d3], 0, 10;\n" + replace +
      "global_dim.global.b1024.b32 [%d3], 1, 3;\n" + replace +
      "global_dim.global.b1024.b32 [%d3], 2, 1;\n" + replace +
      "global_stride.global.b1024.b64 [%d3], 0, 48;\n" + replace +
      "global_stride.global.b1024.b64 [%d3], 1, 256;\n" + replace +
      "box_dim.global.b1024.b32 [%d3], 0, 4;\n" + replace +
      "box_dim.global.b1024.b32 [%d3], 1, 4;\n" + replace +
      "box_dim.global.b1024.b32 [%d3], 2, 1;\n" + replace +
      "element_stride.global.b1024.b32 [%d3], 0, 1;\n" + replace +
      "element_stride.global.b1024.b32 [%d3], 1, 2;\n" + replace +
      "element_stride.global.b1024.b32 [%d3], 2, 1;\n" + replace +
      "elemtype.global.b1024.b32 [%d3], 7;\n" + replace +
      "interleave_layout.global.b1024.b32 [%d3], 0;\n" + replace +
      "swizzle_mode.global.b1024.b32 [%d3], 3;\n" + replace +
      "swizzle_atomicity.global.b1024.b32 [%d3], 3;\n" + replace +
      "fill_mode.global.b1024.b32 [%d3], 1;\n"
      "  fence.proxy.tensormap::generic.release.gpu;\n"
      "  fence.proxy.tensormap::generic.acquire.gpu [%d3], 128;\n" +
      Expect(32) +
      "  cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%r2], [%d3, {8, 1, 0}], [bar];\n" +
      kWait + Show(64);
  for (const std::string& prefix : {std::string(), zeroes}) {
    const Ended run(Tensor(prefix + body));
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    // Rows 1 and 3 of the new tensor, of which there are three: 16 + 12 x 1 + 8, and outside.
    EXPECT_EQ(run.Words(1)[0], 36U);
    EXPECT_EQ(run.Words(1)[1], 37U);
    EXPECT_EQ(run.Words(1)[2], 0x7ff77ff7U);
    EXPECT_EQ(run.Words(1)[32 + 16],
              0x7ff77ff7U);  // the second row is in the other half of its line
    EXPECT_EQ(run.Words(1)[32], 0U);
  }
}

TEST(PtxTensor, AMapIsChangedInSharedMemoryAndCopiedOut) {
  const std::string body =
      "  mov.u32 %r6, 0;\nC: cvt.u64.u32 %d5, %r6; add.u64 %d6, %d3, %d5; ld.global.u32 %r7, "
      "[%d6];\n"
      "  add.u32 %r8, %r2, %r6; st.shared.u32 [%r8], %r7; add.u32 %r6, %r6, 4;"
      " setp.lt.u32 %p3, %r6, 128; @%p3 bra C;\n"
      "  add.u64 %d4, %d1, 128;\n"
      "  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %d4;\n"
      "  add.u64 %d3, %d3, 128;\n"
      "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
      " [%d3], [%r2], 128;\n"
      "  fence.proxy.tensormap::generic.acquire.gpu [%d3], 128;\n" +
      Expect(128) + Load("0, 0") + kWait + Show(1);
  Kernel kernel = Tensor(body);
  kernel.manifest.block = {32, 1, 1};
  // Every lane of the warp copies the map; one starts the copy.
  const Ended run(Tensor(body));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1)[0], 32U);
}

// Reductions have the type of the map: here of the last of three rows, of which two are outside.
TEST(PtxTensor, ReductionsHaveTheTypeOfTheMap) {
  struct Case {
    const char* op;
    TensorElement element;
    std::uint32_t there;
    std::uint32_t result;
  };
  constexpr std::uint32_t kBig = 0xfffffff0;
  const Case cases[] = {{"add", TensorElement::kU32, 5, kBig + 5},
                        {"add", TensorElement::kF32, 0x3f800000, 0x40400000},
                        {"min", TensorElement::kS32, 5, kBig},
                        {"max", TensorElement::kU32, 5, kBig},
                        {"and", TensorElement::kU32, 0xff, 0xf0},
                        {"or", TensorElement::kS32, 0xff, 0xffffffff},
                        {"xor", TensorElement::kU32, 0xff, 0xffffff0f},
                        {"inc", TensorElement::kU32, 7, 8},
                        {"dec", TensorElement::kU32, 7, 6},
                        {"add", TensorElement::kF16, 0x3c003c00, 0x40004000}};
  for (const Case& one : cases) {
    NamedMap map = Words();
    map.map.element = one.element;
    map.map.dims = {one.element == TensorElement::kF16 ? 32U : 16U, 3};
    map.map.box = {one.element == TensorElement::kF16 ? 16U : 8U, 4};
    const std::uint32_t value = one.element == TensorElement::kF32   ? 0x40000000
                                : one.element == TensorElement::kF16 ? 0x3c003c00
                                                                     : kBig;
    const std::string body =
        fmt::format("  mov.u32 %r9, {};\n", value) +
        [] {
          std::string stores;
          for (unsigned i = 0; i < 32; ++i) {
            stores += fmt::format("  st.shared.u32 [s+{}], %r9;\n", 4 * i);
          }
          return stores;
        }() +
        fmt::format("  mov.u32 %r9, {}; st.global.u32 [%d1+128], %r9; fence.proxy.async;\n",
                    one.there) +
        "  cp.reduce.async.bulk.tensor.2d.global.shared::cta." + one.op +
        ".bulk_group [%d3, {0, 2}], [%r2]; cp.async.bulk.commit_group;"
        " cp.async.bulk.wait_group 0;";
    const Ended run(Tensor(body, map));
    ASSERT_EQ(run.outcome(), "completes") << one.op << run.grid().problem();
    EXPECT_EQ(run.Words(0)[32], one.result) << one.op;
    EXPECT_EQ(run.Words(0)[40], 40U) << one.op;  // beside the box
    EXPECT_EQ(run.Words(0)[48], 48U) << one.op;  // below the tensor
  }
}

// What is wrong with a copy, as the run ends, and the sentence.
struct Wrong {
  std::string body;
  std::string outcome;
  std::string why;
  std::function<void(NamedMap*)> change = [](NamedMap*) {};
};

TEST(PtxTensor, WhatIsWrongIsNamedWithItsLine) {
  const std::string load = Load("0, 0");
  const Wrong all[] = {
      {Load("0, 0", "%r2+64"), "fault:bad_tensor_copy",
       "copies at byte 64 of shared memory, which is not a multiple of 128"},
      {"  cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], "
       "[%d3, {0}], [bar];",
       "fault:bad_tensor_copy", "copies in 1 dimension by a map of 2"},
      {"  st.global.u32 [%d3+40], 7;\n" + load, "fault:bad_tensor_map", "where there is none"},
      {"  mov.u64 %d3, %d1;\n" + load, "fault:bad_tensor_map", "where there is none"},
      {"  add.u64 %d3, %d3, 32;\n" + load, "fault:bad_tensor_map", "it is not aligned to 64 bytes"},
      {"  mov.u64 %d3, 64;\n" + load, "fault:bad_tensor_map",
       "there are no 128 bytes of parameters, constants or global memory"},
      {"  mov.u64 %d3, in;\n" + load, "fault:bad_tensor_map",
       "or global memory: cvta.param makes a generic address of a parameter's"},
      {"  tensormap.replace.tile.box_dim.global.b1024.b32 [%d3], 1, 300;\n" + load,
       "fault:bad_tensor_map",
       "copies by a tensor map that no driver makes: boxDim[1] is 300, not from 1 to 256"},
      {"  tensormap.replace.tile.box_dim.global.b1024.b32 [%d1], 1, 300;", "fault:bad_tensor_map",
       "where there is none"},
      {Store("-4, 0"), "fault:bad_tensor_copy",
       "writes to global memory from a negative coordinate on"},
      {Store("0, 0"), "fault:bad_tensor_copy", "swizzle swaps parts of 8 bytes",
       [](NamedMap* map) {
         map->map.swizzle = TensorSwizzle::k128;
         map->map.atom = TensorAtom::k32Flip8;
       }},
      {"  cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [%d3, {0, 0}], [%r2];",
       "fault:bad_tensor_copy", "reduces elements of a type that does not have this operation",
       [](NamedMap* map) { map->map.element = TensorElement::kS32; }},
      {load, "memory_fault", "buffer in, which has 512, by its tensor map",
       [](NamedMap* map) { map->map.strides = {256}; }},
      {"  cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes"
       " [%r2], [%d3, {0, 0, 0, 0, 0}], [bar];",
       "fault:bad_tensor_copy",
       "copies four rows by a map whose box is not one row of two dimensions"},
      {"  cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d1, {0, 0}];", "fault:bad_tensor_map",
       "where there is none"},
      {Load("0, 0", "%r2+384") + Load("0, 0", "%r2+512"), "memory_fault",
       "writes 128 bytes at byte 512 of shared memory"},
      {"  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], "
       "[%d3, {0, 0}], [%r2+4];",
       "memory_fault", "which is no word of the CTA that it copies to"},
  };
  for (const Wrong& wrong : all) {
    NamedMap map = Words();
    wrong.change(&map);
    const Ended run(Tensor(wrong.body, map));
    EXPECT_EQ(run.outcome(), wrong.outcome) << wrong.body;
    const std::string& told = run.grid().problem();
    EXPECT_NE(told.find(wrong.why), std::string::npos) << told;
  }
}

// A manifest with a map, changed by its text.
std::string Refusal(const std::string& map, const std::string& rest = "") {
  WriteTestFile("tensor.ptx",
                ".version 8.0\n.target sm_90\n.address_size 64\n"
                ".visible .entry k(.param .align 64 .b8 m[128]) { ret; }\n");
  return ManifestRefusal(R"({"ptx": "tensor.ptx", "block": [1,1,1],
 "args": [{"tensor_map": "m"}],
 "buffers": {"in": {"type": "u32", "count": 128})" +
                         rest + R"(},
 "tensor_maps": {"m": {)" +
                         map + "}}}");
}

TEST(PtxTensor, ManifestsDescribeMapsThatADriverMakes) {
  const std::string good = R"("buffer": "in", "type": "u32", "dims": [16, 8], "box": [8, 4])";
  EXPECT_EQ(Refusal(good), "accepted");
  EXPECT_NE(Refusal(good + R"(, "strides": [72])")
                .find("cuTensorMapEncodeTiled returns CUDA_ERROR_INVALID_VALUE, for "
                      "globalStrides[0] is 72, not a multiple of 16 below 2^40"),
            std::string::npos);
  const std::pair<std::string, std::string> wrong[] = {
      {R"("buffer": "on", "type": "u32", "dims": [16], "box": [8])", "names the buffer on"},
      {good + R"(, "offset": 8)", "globalAddress 0x8 is not a multiple of 16"},
      {good + R"(, "element_strides": [1])", "must have 2 numbers, and has 1"},
      {good + R"(, "swizzle": "96B")", "must be none, 32B, 64B, 128B"},
      {good + R"(, "fill": "nan")", "which only floating-point types have"},
      {good + R"(, "im2col": {"lower": [], "upper": [], "channels": 4})",
       "must have one of \"box\" and \"im2col\""},
      {R"("buffer": "in", "type": "u32", "dims": [4, 4, 4, 2], "im2col": {"lower": [0], "upper": [0,0], "channels": 4, "pixels": 4})",
       "must have 2 numbers, and has 1"},
      {R"("buffer": "in", "type": "u32", "dims": [4, 4, 4, 2], "im2col": {"lower": [0,0], "upper": [0,-4], "channels": 4, "pixels": 4})",
       "cuTensorMapEncodeIm2col returns CUDA_ERROR_INVALID_VALUE"},
  };
  for (const auto& [map, why] : wrong) {
    EXPECT_NE(Refusal(map).find(why), std::string::npos) << Refusal(map);
  }
  EXPECT_NE(Refusal(good, R"(, "b": {"type": "u8", "count": 100, "init": {"tensor_maps": ["m"]}})")
                .find("has 128 bytes of tensor maps, but b has 100"),
            std::string::npos);
  EXPECT_NE(Refusal(good, R"(, "b": {"type": "u8", "count": 128, "init": {"tensor_maps": ["n"]}})")
                .find("names the tensor map n, which is not there"),
            std::string::npos);
}

const std::string kIn = "cp.async.bulk.tensor.2d.shared::cluster.global";
const Form kTensorForms[] = {
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], "
     "[%d1, {%r1}], [s];",
     80, 90},
    {"cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
     "[%r1], [%d1, {%r1, %r2, %r3, %r4, 7}], [%r5], %d2;",
     80, 90},
    {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [%d1, {%r1, "
     "%r2}], [s];",
     86, 90},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
     "cluster [s], [%d1, {%r1, %r2}], [s], %h1;",
     80, 90},
    {"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [s], "
     "[%d1, {%r1, %r2, %r3, %r4}], [s], {%h1, %h2};",
     80, 90},
    {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], "
     "[%d1, {%r1, %r2, %r3, %r4, %r5}], [s];",
     86, 100},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes."
     "multicast::cluster.cta_group::2.L2::cache_hint [s], [%d1, {%r1, %r2, %r3}], [s], {%h1, %h2}, "
     "%h3, %d2;",
     86, 100, "a"},
    {"cp.async.bulk.tensor.5d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [s], "
     "[%d1, {%r1, %r2, %r3, %r4, %r5}], [s], {%h1, %h2};",
     88, 100, "f"},
    {"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%d1, {%r1, %r2, %r3}], [s];", 80, 90},
    {"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [%d1, "
     "{%r1, %r2, %r3}], [s], %d2;",
     80, 90},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r1, %r2, %r3, "
     "%r4, %r5}], [s];",
     86, 100, "a"},
    {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d1, {%r1}], [s];", 80,
     90},
    {"cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group [%d1, {%r1, "
     "%r2, %r3}], [s];",
     80, 90},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d1, {%r1}];", 80, 90},
    {"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint [%d1, {%r1, %r2, %r3}], "
     "{%h1}, %d2;",
     80, 90},
    {"tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], %d1;", 83, 90, "a"},
    {"tensormap.replace.tile.global_stride.b1024.b64 [%d1], 3, %d2;", 83, 90, "a"},
    {"tensormap.replace.tile.elemtype.global.b1024.b32 [%d1], 15;", 83, 90, "a"},
};

TEST(PtxTensor, Forms) { CheckForms(std::begin(kTensorForms), std::end(kTensorForms)); }

TEST(PtxTensor, FormsThatThereAreNot) {
  const std::string forms[] = {
      "cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1, {%r1}], "
      "[s];",
      "cp.async.bulk.tensor.1d.shared::cluster.global.bulk_group [s], [%d1, {%r1}], [s];",
      kIn + ".mbarrier::complete_tx::bytes [s], [%d1, {%r1}], [s];",
      kIn + ".mbarrier::complete_tx::bytes [s], [%d1], [s];",
      kIn + ".mbarrier::complete_tx::bytes [s], [%d1, %r1, %r2], [s];",
      kIn + ".im2col.mbarrier::complete_tx::bytes [s], [%d1, {%r1, %r2}], [s], {%h1};",
      kIn +
          ".tile::scatter4.mbarrier::complete_tx::bytes [s], [%d1, {%r1, %r2, %r3, %r4, %r5}], "
          "[s];",
      "cp.async.bulk.tensor.3d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], "
      "[%d1, {%r1, %r2, %r3, %r4, %r5}], [s];",
      "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[s], [%d1, {%r1, %r2}], [s], %h1;",
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.cta_group::1 [%d1, {%r1, %r2}], [s];",
      "cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d1, {%r1}], [s];",
      "cp.reduce.async.bulk.tensor.1d.shared::cluster.global.add.mbarrier::complete_tx::bytes [s], "
      "[%d1, {%r1}], [s];",
      "tensormap.replace.tile.rank.global.b1024.b64 [%d1], %d2;",
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%d1], 5, %r1;",
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%d1], %r1;",
      "tensormap.replace.tile.elemtype.global.b1024.b32 [%d1], 16;",
      "tensormap.replace.tile.elemtype.global.b1024.b32 [%d1], %r1;",
      "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d1], 4;",
      "tensormap.replace.im2col.rank.global.b1024.b32 [%d1], 1;",
  };
  for (const std::string& form : forms) {
    EXPECT_EQ(Judge(form), FormVerdict::kRefused) << form;
  }
}

}  // namespace
}  // namespace muster::ptx
