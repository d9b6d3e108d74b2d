// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// multimem: what an address of a multicast object does to each of its buffers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/alu/small_float.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// %d1 is the address of the object over a, b and c; %d2 that of out, %r1 the thread.
std::string Body(const std::string& body) {
  return R"(.version 9.1
.target sm_100a
.address_size 64
.visible .entry test(.param .u64 m, .param .u64 out) {
  .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .f32 %f<8>;
  .reg .f64 %g<4>; .shared .align 16 .b32 s[16];
  ld.param.u64 %d1, [m]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x;
)" + body +
         "  ret;\n}\n";
}

Kernel Multicast(const std::string& body, const std::vector<std::vector<std::uint64_t>>& copies,
                 unsigned threads = 1) {
  Kernel kernel(Body(body), threads);
  struct Multicast multicast {
    "m", {}
  };
  for (std::size_t k = 0; k < copies.size(); ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    kernel.manifest.buffers.push_back(MakeBuffer(name, copies[k]));
    multicast.buffers.push_back(name);
  }
  kernel.manifest.buffers.push_back(MakeBuffer("out", Type::kU64, 8));
  kernel.manifest.multicasts = {multicast};
  kernel.manifest.arguments.resize(2);
  kernel.manifest.arguments[0].buffer = "m";
  kernel.manifest.arguments[1].buffer = "out";
  return kernel;
}

std::vector<std::uint64_t> Results(const std::string& body,
                                   const std::vector<std::vector<std::uint64_t>>& copies) {
  const Ended run(Multicast(body, copies));
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Longs(copies.size());
}

TEST(PtxMultimem, StoresToEachBuffer) {
  const Ended run(Multicast(R"(
  mov.u32 %r2, 7; mov.b64 %d3, 0x1122334455667788; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
  multimem.st.weak.global.u32 [%d1+4], %r2;
  multimem.st.release.gpu.global.b64 [%d1+8], %d3;
  multimem.st.global.v2.f32 [%d1+16], {%f1, %f2};
)",
                            {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  const std::uint64_t firsts[] = {1, 4, 7};
  for (unsigned k = 0; k < 3; ++k) {
    EXPECT_EQ(run.Longs(k), (std::vector<std::uint64_t>{firsts[k] | std::uint64_t{7} << 32,
                                                        0x1122334455667788, 0x400000003F800000}));
  }
}

TEST(PtxMultimem, ReducesIntoEachBuffer) {
  const Ended run(Multicast(R"(
  mov.b64 %d3, 10; mov.u32 %r2, 0x0f; mov.s32 %r3, -3;
  multimem.red.relaxed.sys.global.add.u64 [%d1], %d3;
  multimem.red.global.and.b32 [%d1+8], %r2;
  multimem.red.release.gpu.global.min.s32 [%d1+12], %r3;
)",
                            {{1, 0xfffffff8000000ff}, {20, 0x00000002000000f3}}, 32));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Longs(0), (std::vector<std::uint64_t>{321, 0xfffffff80000000f}));
  EXPECT_EQ(run.Longs(1), (std::vector<std::uint64_t>{340, 0xfffffffd00000003}));
}

TEST(PtxMultimem, LoadsWhatTheyMakeTogether) {
  const std::vector<std::vector<std::uint64_t>> copies = {
      {0x00000005fffffffe, 0xf0f0}, {0x0000000900000001, 0x0ff0}, {0x0000000700000003, 0x1111}};
  const auto got = Results(R"(
  multimem.ld_reduce.acquire.gpu.global.add.u32 %r2, [%d1+4]; st.global.u32 [%d2], %r2;
  multimem.ld_reduce.weak.global.max.s32 %r2, [%d1]; st.global.u32 [%d2+4], %r2;
  multimem.ld_reduce.relaxed.sys.global.min.u32 %r2, [%d1]; st.global.u32 [%d2+8], %r2;
  multimem.ld_reduce.global.xor.b64 %d3, [%d1+8]; st.global.u64 [%d2+16], %d3;
  multimem.ld_reduce.global.or.b32 %r2, [%d1+8]; st.global.u32 [%d2+24], %r2;
)",
                           copies);
  EXPECT_EQ(got[0], 0x0000000300000015U);
  EXPECT_EQ(got[1] & 0xffffffff, 1U);
  EXPECT_EQ(got[2], 0xf0f0U ^ 0x0ff0U ^ 0x1111U);
  EXPECT_EQ(got[3], 0xf0f0U | 0x0ff0U | 0x1111U);
}

// 2048 + 1 + 1 in f16 is 2048 after each sum, and 2050 in f32.
TEST(PtxMultimem, AccumulatesInTheTypeOrInF32) {
  const auto half = [](double value) { return ToSmall(Type::kF16, Round::kNearest, value); };
  const std::uint64_t small = half(1) << 16 | half(1);
  const std::vector<std::vector<std::uint64_t>> copies = {
      {half(2048) | half(4) << 16, 0}, {small, 0}, {small, 0}};
  const auto got = Results(R"(
  multimem.ld_reduce.global.add.f16x2 %r2, [%d1]; st.global.u32 [%d2], %r2;
  multimem.ld_reduce.global.add.acc::f32.f16x2 %r2, [%d1]; st.global.u32 [%d2+4], %r2;
  multimem.ld_reduce.global.max.v2.f16x2 {%r2, %r3}, [%d1]; st.global.u32 [%d2+8], %r2;
  multimem.ld_reduce.global.add.v4.f16 {%h1, %h2, %h3, %h4}, [%d1]; st.global.b16 [%d2+16], %h2;
)",
                           copies);
  EXPECT_EQ(got[0] & 0xffffffff, half(2048) | half(6) << 16);
  EXPECT_EQ(got[0] >> 32, half(2050) | half(6) << 16);
  EXPECT_EQ(got[1] & 0xffffffff, half(2048) | half(4) << 16);
  EXPECT_EQ(got[2] & 0xffff, half(6));
}

TEST(PtxMultimem, BulkCopiesGoToEachBuffer) {
  const std::string body = R"(
  mov.u32 %r2, 0;
FILL: mov.u32 %r3, s; mad.lo.u32 %r3, %r2, 4, %r3; add.u32 %r4, %r2, 1; st.shared.u32 [%r3], %r4;
  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8; @%p1 bra FILL;
  fence.proxy.async; mov.u32 %r3, s; mov.b16 %h1, 0x00f0;
  multimem.cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r3], 16;
  multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1+16], [%r3], 16;
  multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d1+32], [%r3], 16, %h1;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
)";
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const Ended run(Multicast(body, {{0, 0, 1, 1, 9, 9}, {0, 0, 2, 2, 8, 8}}), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Longs(0), (std::vector<std::uint64_t>{0x200000001, 0x400000003, 0x200000002,
                                                        0x400000004, 0x200000009, 9}));
    EXPECT_EQ(run.Longs(1), (std::vector<std::uint64_t>{0x200000001, 0x400000003, 0x200000003,
                                                        0x400000005, 0x200000008, 8}));
  }
}

TEST(PtxMultimem, OtherAddressesAreFaults) {
  const auto fault = [](const std::string& body, const std::string& sentence) {
    const Ended run(Multicast(body, {{1, 2}, {3, 4}}));
    EXPECT_EQ(run.outcome(), "memory_fault") << body;
    EXPECT_NE(run.grid().problem().find(sentence), std::string::npos) << run.grid().problem();
  };
  fault("  multimem.st.global.u32 [%d2], %r1;\n", "which are in no multicast object");
  fault("  multimem.st.global.u32 [%d1+16], %r1;\n", "which are in no multicast object");
  fault("  multimem.red.global.add.u64 [%d1+4], %d1;\n", "which is no multiple of that");
  fault("  st.global.u32 [%d1], %r1;\n",
        "writes 4 bytes of the multicast object m, which multimem instructions alone access");
  fault("  ld.global.u32 %r2, [%d1];\n", "reads 4 bytes of the multicast object m");
  fault(
      "  mov.u32 %r3, s; multimem.cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r3], 16;\n",
      "copies 16 bytes to ");
}

TEST(PtxMultimem, FormsThatThereAreNot) {
  for (const std::string instruction :
       {"st.global.v2.u32 [%d1], {%r1, %r1}", "red.global.add.v2.f64 [%d1], {%g0, %g1}",
        "red.global.max.f32 [%d1], %f1", "ld_reduce.global.u32 %r1, [%d1]",
        "ld_reduce.global.add.acc::f32.u32 %r1, [%d1]", "ld_reduce.release.gpu.add.u32 %r1, [%d1]",
        "st.global.f16 [%d1], %h1", "red.weak.global.add.u32 [%d1], %r1",
        "cp.async.bulk.global.shared::cta [%d1], [%r1], 16",
        "cp.async.bulk.shared::cluster.shared::cta.bulk_group [%r1], [%r1], 16"}) {
    try {
      const Ended run(Multicast("  multimem." + instruction + ";\n", {{1, 2}}));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":8:"), std::string::npos) << error.what();
    }
  }
}

TEST(PtxMultimem, ManifestsNameBuffersOfOneSize) {
  const auto with = [](const std::string& multicast, const std::string& argument) {
    WriteTestFile("k.ptx", "");
    return ManifestRefusal(
        R"({"ptx": "k.ptx", "block": [1, 1, 1], "args": [{"multicast": ")" + argument +
        R"("}], "buffers": {"a": {"type": "u32", "count": 4}, "b": {"type": "u64", "count": 2},
            "c": {"type": "u32", "count": 5}}, "multicast": )" +
        multicast + "}");
  };
  EXPECT_EQ(with(R"({"m": {"buffers": ["a", "b"]}})", "m"), "accepted");
  EXPECT_NE(with(R"({"m": {"buffers": ["a", "c"]}})", "m")
                .find("multicast.m is of buffers of 16 and of 20 bytes"),
            std::string::npos);
  EXPECT_NE(with(R"({"m": {"buffers": ["a", "d"]}})", "m").find("names the buffer d, which is not"),
            std::string::npos);
  EXPECT_NE(with(R"({"m": {"buffers": ["a", "a"]}})", "m").find("names the buffer a twice"),
            std::string::npos);
  EXPECT_NE(with(R"({"a": {"buffers": ["a", "b"]}})", "a").find("has the name of a buffer"),
            std::string::npos);
  EXPECT_NE(with(R"({"m": {"buffers": ["a", "b"]}})", "n")
                .find("names the multicast object n, which is not there"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::ptx
