// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.cp and tcgen05.shift: which bytes of shared memory come to which lane and column, by
// loops over the rows that the shape names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_tensor_kernel.h"

namespace muster::ptx {
namespace {

constexpr unsigned kColumns = 32;  // allocated, and read back
constexpr unsigned kUntouched = 0xffffffff;

struct Form {
  const char* name;  // .shape.multicast
  unsigned rows;     // in shared memory
  unsigned bytes;    // of a row
  // Of each warp of four, the first of its 32 rows.
  std::array<unsigned, 4> first;
};
const Form kForms[] = {{"128x256b", 128, 32, {0, 32, 64, 96}},
                       {"128x128b", 128, 16, {0, 32, 64, 96}},
                       {"64x128b.warpx2::02_13", 64, 16, {0, 32, 0, 32}},
                       {"64x128b.warpx2::01_23", 64, 16, {0, 0, 32, 32}},
                       {"32x128b.warpx4", 32, 16, {0, 0, 0, 0}}};

std::vector<std::uint8_t> Bytes(unsigned count) {
  std::vector<std::uint8_t> bytes(count);
  std::uint32_t state = 7;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

// A matrix along K: rows of eight, 16 bytes each; `stride` to the next eight, `leading` to the next
// 16 bytes of a row. A swizzle of 128 bytes has rows of 128 bytes, whose units change places.
struct Source {
  unsigned leading;
  unsigned stride;
  bool swizzled = false;

  unsigned ByteOf(unsigned row, unsigned byte) const {
    const unsigned unit = byte / 16;
    return byte % 16 + (swizzled ? row / 8 * stride + row % 8 * 128 + (unit ^ row % 8) * 16
                                 : row / 8 * stride + row % 8 * 16 + unit * leading);
  }
  std::uint64_t Descriptor() const {
    return std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 |
           std::uint64_t{1} << 46 | std::uint64_t{swizzled ? 2U : 0U} << 61;
  }
};

std::string Copied(const std::string& instruction, std::uint64_t descriptor,
                   unsigned bytes = 32768) {
  return TensorPrologue(kColumns) + CopyToShared(bytes) +
         fmt::format(
             "  mov.u32 %r20, data; shr.u32 %r21, %r20, 4; cvt.u64.u32 %d5, %r21; or.b64 %d6, "
             "%d5, {:#x};\n  @%p1 tcgen05.cp.cta_group::1.{};\n",
             descriptor, instruction) +
         kCommitAndWait;
}

void ExpectRows(const Form& form, const Source& source) {
  const auto bytes = Bytes(32768);
  const auto got =
      TensorWords(Copied(fmt::format("{} [%r9+3], %d6", form.name), source.Descriptor()) +
                      TensorEpilogue(kColumns, kColumns),
                  bytes, kColumns);
  for (unsigned lane = 0; lane < kTensorThreads; ++lane) {
    for (unsigned column = 0; column < kColumns; ++column) {
      std::uint32_t wanted = kUntouched;
      if (column >= 3 && column < 3 + form.bytes / 4) {
        wanted = 0;
        for (unsigned k = 0; k < 4; ++k) {
          const unsigned row = form.first[lane / 32] + lane % 32;
          wanted |= std::uint32_t{bytes[source.ByteOf(row, 4 * (column - 3) + k)]} << 8 * k;
        }
      }
      ASSERT_EQ(got[lane * kColumns + column], wanted)
          << form.name << " lane " << lane << " column " << column;
    }
  }
}

TEST(PtxTensorMovement, CopiesRowsToTheirLanes) {
  for (const Form& form : kForms) {
    ExpectRows(form, {128, 256});
    ExpectRows(form, {4096, 160});
    ExpectRows(form, {16, 1024, true});
  }
}

// Four rows, each to a warp's lanes at the same place among them.
TEST(PtxTensorMovement, CopiesARowToALaneOfEachWarp) {
  const Source source{128, 256};
  const auto bytes = Bytes(1024);
  for (const unsigned place : {0U, 31U}) {
    const std::string instruction = fmt::format("4x256b [%r9+{}], %d6", (place << 16) + 8);
    const auto got = TensorWords(
        Copied(instruction, source.Descriptor(), 1024) + TensorEpilogue(kColumns, kColumns), bytes,
        kColumns);
    for (unsigned lane = 0; lane < kTensorThreads; ++lane) {
      for (unsigned column = 0; column < kColumns; ++column) {
        std::uint32_t wanted = kUntouched;
        if (lane % 32 == place && column >= 8 && column < 16) {
          wanted = 0;
          for (unsigned k = 0; k < 4; ++k) {
            wanted |= std::uint32_t{bytes[source.ByteOf(lane / 32, 4 * (column - 8) + k)]} << 8 * k;
          }
        }
        ASSERT_EQ(got[lane * kColumns + column], wanted) << "lane " << lane << " column " << column;
      }
    }
  }
}

// Of 16 bytes, 8 or 12 have 16 elements, and each element comes to a byte.
TEST(PtxTensorMovement, DecompressesToBytes) {
  const Source source{128, 256};
  const auto bytes = Bytes(32768);
  for (const unsigned bits : {4U, 6U}) {
    const std::string format = bits == 4 ? ".b8x16.b4x16_p64" : ".b8x16.b6x16_p32";
    const auto got = TensorWords(Copied("128x128b" + format + " [%r9], %d6", source.Descriptor()) +
                                     TensorEpilogue(4, kColumns),
                                 bytes, 4);
    for (unsigned lane = 0; lane < kTensorThreads; ++lane) {
      for (unsigned element = 0; element < 16; ++element) {
        unsigned value = 0;
        for (unsigned bit = 0; bit < bits; ++bit) {
          const unsigned at = element * bits + bit;
          value |= (bytes[source.ByteOf(lane, at / 8)] >> at % 8 & 1U) << bit;
        }
        const unsigned wanted = bits == 4 ? value << 2 : value;
        ASSERT_EQ(got[lane * 4 + element / 4] >> element % 4 * 8 & 0xff, wanted)
            << format << " lane " << lane << " element " << element;
      }
    }
  }
}

TEST(PtxTensorMovement, ShiftsTheRowsOfAWarp) {
  const std::string fill = R"(
  mov.u32 %r20, 0;
FILLED: shl.b32 %r22, %r1, 8; or.b32 %r22, %r22, %r20; add.u32 %r21, %r10, %r20;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r21], {%r22};
  add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 32; @%p5 bra FILLED;
  tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0;
  tcgen05.fence::after_thread_sync;
)";
  const auto got = TensorWords(TensorPrologue(kColumns) + fill +
                                   "  @%p1 tcgen05.shift.cta_group::1.down [%r9+0x400004];\n" +
                                   kCommitAndWait + TensorEpilogue(kColumns, kColumns),
                               {}, kColumns);
  for (unsigned lane = 0; lane < kTensorThreads; ++lane) {
    for (unsigned column = 0; column < kColumns; ++column) {
      const bool moved = lane >= 64 && lane < 95 && column >= 4 && column < 12;
      ASSERT_EQ(got[lane * kColumns + column], (lane + (moved ? 1 : 0)) << 8 | column)
          << "lane " << lane << " column " << column;
    }
  }
}

// One thread copies, shifts and copies again for both CTAs of a pair, each from its own memory.
TEST(PtxTensorMovement, ServesBothCtasOfAPair) {
  const std::string ptx = R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry test(.param .u64 out) .reqnctapercluster 2 {
  .reg .pred %p<8>; .reg .b16 %h<2>; .reg .b32 %r<32>; .reg .b64 %d<8>;
  .shared .align 8 .b64 mbar; .shared .align 4 .b32 place; .shared .align 128 .b32 data[256];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; ld.param.u64 %d1, [out];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [mbar], 1;
  tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], 32;
  mov.u32 %r3, data; shl.b32 %r4, %r1, 4; add.u32 %r5, %r3, %r4;
  mad.lo.u32 %r6, %r2, 1000, %r1;
  st.shared.v4.u32 [%r5], {%r6, %r6, %r6, %r6}; st.shared.v4.u32 [%r5+512], {%r6, %r6, %r6, %r6};
  fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared.u32 %r9, [place]; shr.b32 %r7, %r3, 4; cvt.u64.u32 %d2, %r7;
  or.b64 %d2, %d2, 0x400800200000;
  setp.eq.and.u32 %p2, %r2, 0, %p1;
  @%p2 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r9], %d2;
  @%p2 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r9+4], %d2;
  @%p2 tcgen05.shift.cta_group::2.down [%r9];
  @%p2 tcgen05.cp.cta_group::2.4x256b [%r9+0x1f0000], %d2;
  mov.b16 %h1, 3;
  @%p2 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [mbar], %h1;
W: mbarrier.try_wait.parity.shared.b64 %p3, [mbar], 0; @!%p3 bra W;
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r8}, [%r9+5]; tcgen05.wait::ld.sync.aligned;
  mad.lo.u32 %r10, %r2, 32, %r1; mad.wide.u32 %d1, %r10, 4, %d1; st.global.u32 [%d1], %r8;
  tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r9, 32;
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
}
)";
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Kernel kernel(ptx, 32, 2);
    kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 64)};
    const Ended run(kernel, "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (unsigned cta = 0; cta < 2; ++cta) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(run.Words(0)[32 * cta + lane], 1000 * cta + (lane < 31 ? lane + 1 : 0)) << lane;
      }
    }
  }
}

// What is in shared memory when the copy is done counts: it is not read before.
TEST(PtxTensorMovement, IsDoneSomeTimeBeforeTheCommit) {
  const Source source{128, 256};
  const std::string ptx = TensorPrologue(kColumns) +
                          fmt::format(R"(
  mov.u32 %r20, data; shr.u32 %r21, %r20, 4; cvt.u64.u32 %d5, %r21; or.b64 %d6, %d5, {:#x};
  mov.u32 %r22, 0;
  @%p1 st.shared.u32 [data], %r22; fence.proxy.async; bar.sync 0;
  @%p1 tcgen05.cp.cta_group::1.4x256b [%r9], %d6;
  nanosleep.u32 40;
  @%p1 st.shared.u32 [data], 1;
)",
                                      source.Descriptor()) +
                          kCommitAndWait + TensorEpilogue(1, kColumns);
  unsigned ones = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Kernel kernel(ptx, kTensorThreads);
    kernel.manifest.buffers = {MakeBuffer("in", Type::kU32, 1),
                               MakeBuffer("out", Type::kU32, kTensorThreads)};
    const Ended run(kernel, "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    ones += run.Words(1)[0];
  }
  EXPECT_GT(ones, 0U);
  EXPECT_LT(ones, 20U);
}

TEST(PtxTensorMovement, MisuseIsAFaultWithItsName) {
  struct Case {
    const char* instruction;
    std::uint64_t descriptor;
    const char* cause;
    const char* sentence;
  };
  constexpr std::uint64_t kGood = std::uint64_t{1} << 46 | std::uint64_t{8} << 32;
  const Case cases[] = {
      {"cp.cta_group::1.128x256b [%r9+0x100000], %d6", kGood, "bad_tensor_address",
       "copies to tensor memory from lane 16 on, and not from lane 0"},
      {"cp.cta_group::1.4x256b [%r9+0x200000], %d6", kGood, "bad_tensor_address",
       "from lane 32 on, and not from one of the lanes 0 to 31"},
      {"cp.cta_group::1.128x256b [%r9+28], %d6", kGood, "tensor_memory_not_allocated",
       "column 32 of tensor memory, which is not allocated"},
      {"cp.cta_group::1.128x256b [%r9], %d6", kGood | 0x3fff, "bad_matrix_descriptor",
       "a descriptor of its source that reaches up to byte 0x"},
      {"cp.cta_group::1.128x256b [%r9], %d6", std::uint64_t{8} << 32, "bad_matrix_descriptor",
       "of its source, which does not have 0b001 in bits 48:46"},
      {"cp.cta_group::1.128x256b [%r9], %d6", kGood | std::uint64_t{1} << 61,
       "bad_matrix_descriptor", "a swizzling mode that there is not along K"},
      {"shift.cta_group::1.down [%r9+0x100000]", kGood, "bad_tensor_address",
       "shifts rows from lane 16 of tensor memory on"},
      {"shift.cta_group::1.down [%r9+28]", kGood, "tensor_memory_not_allocated",
       "column 32 of tensor memory, which is not allocated"},
      {"shift.cta_group::2.down [%r9]", kGood, "no_peer_cta", "no other CTA of its pair runs"}};
  for (const Case& one : cases) {
    Kernel kernel(TensorPrologue(kColumns) +
                      fmt::format("  mov.u64 %d6, {:#x};\n  @%p1 tcgen05.{};\n", one.descriptor,
                                  one.instruction) +
                      kCommitAndWait + TensorEpilogue(1, kColumns),
                  kTensorThreads);
    kernel.manifest.buffers = {MakeBuffer("in", Type::kU32, 1),
                               MakeBuffer("out", Type::kU32, kTensorThreads)};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), std::string("fault:") + one.cause) << one.instruction;
    EXPECT_NE(run.grid().problem().find(one.sentence), std::string::npos) << run.grid().problem();
  }
}

TEST(PtxTensorMovement, FormsThatThereAreNot) {
  for (const std::string instruction :
       {"cp.128x256b [%r9], %d6", "cp.cta_group::1 [%r9], %d6",
        "cp.cta_group::1.64x128b [%r9], %d6", "cp.cta_group::1.64x128b.warpx4 [%r9], %d6",
        "cp.cta_group::1.32x128b [%r9], %d6", "cp.cta_group::1.128x128b.warpx4 [%r9], %d6",
        "cp.cta_group::1.32x128b.warpx2::01_23 [%r9], %d6",
        "cp.cta_group::1.128x128b.b8x16 [%r9], %d6", "cp.cta_group::1.128x128b [%r9], %r9",
        "shift.cta_group::1 [%r9]", "shift.down [%r9]", "shift.cta_group::1.down [%r9], %d6"}) {
    try {
      const Ended run(Kernel(TensorPrologue(kColumns) + "  tcgen05." + instruction + ";\n" +
                                 TensorEpilogue(1, kColumns),
                             kTensorThreads));
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":18:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::ptx
