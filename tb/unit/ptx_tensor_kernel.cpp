// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/ptx_tensor_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

namespace muster::ptx {

std::string TensorPrologue(unsigned columns, const std::string& more) {
  return fmt::format(R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {{
  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b32 %x<128>; .reg .b64 %d<16>;
  .shared .align 8 .b64 mbar;
  .shared .align 4 .b32 place;
  .shared .align 1024 .b8 data[40960];
{}
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32;
  @%p1 mbarrier.init.shared.b64 [mbar], 1;
  @%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], {};
  @%p2 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  bar.sync 0;
  ld.shared.u32 %r9, [place];
  and.b32 %r10, %r1, 96; shl.b32 %r10, %r10, 16; add.u32 %r10, %r10, %r9;
)",
                     more, columns);
}

std::string TensorEpilogue(unsigned columns, unsigned allocated) {
  return fmt::format(R"(
  mul.lo.u32 %r11, %r1, {}; cvt.u64.u32 %d3, %r11; add.u64 %d3, %d2, %d3;
  mov.u32 %r12, 0; mov.u32 %r13, %r10;
READ: tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r14}}, [%r13];
  tcgen05.wait::ld.sync.aligned;
  st.global.u32 [%d3], %r14; add.u64 %d3, %d3, 4; add.u32 %r13, %r13, 1;
  add.u32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, {}; @%p4 bra READ;
  bar.sync 0;
  @%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, {};
  ret;
}}
)",
                     4 * columns, columns, allocated);
}

std::string CopyToShared(unsigned bytes) {
  return fmt::format(R"(
  shl.b32 %r15, %r1, 2; mov.u32 %r16, data;
FILL: cvt.u64.u32 %d4, %r15; add.u64 %d4, %d1, %d4; ld.global.u32 %r17, [%d4];
  add.u32 %r18, %r16, %r15; st.shared.u32 [%r18], %r17;
  add.u32 %r15, %r15, 512; setp.lt.u32 %p5, %r15, {}; @%p5 bra FILL;
  fence.proxy.async.shared::cta;
  bar.sync 0;
)",
                     bytes);
}

std::vector<std::uint32_t> TensorWords(const std::string& ptx, const std::vector<std::uint8_t>& in,
                                       unsigned columns, unsigned ctas) {
  Kernel kernel(ptx, kTensorThreads);
  kernel.manifest.grid = {ctas, 1, 1};
  if (ctas > 1) {
    kernel.manifest.cluster = {ctas, 1, 1};
  }
  std::vector<std::uint64_t> words((in.size() + 7) / 8 + 1);
  if (!in.empty()) {
    std::memcpy(words.data(), in.data(), in.size());
  }
  kernel.manifest.buffers = {MakeBuffer("in", words),
                             MakeBuffer("out", Type::kU32, ctas * kTensorThreads * columns)};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Words(1);
}

// The first thread of the first CTA works for both, and commits to the mbarriers of both. What each
// has in shared memory must be there before, and no CTA may end before the other.
std::string ForPair(std::string ptx, unsigned in_bytes, unsigned out_bytes) {
  const std::string meet =
      "\n  fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n";
  const auto replace = [&](const std::string& old, const std::string& by) {
    EXPECT_NE(ptx.find(old), std::string::npos) << old;
    for (std::size_t at = ptx.find(old); at != std::string::npos;
         at = ptx.find(old, at + by.size())) {
      ptx.replace(at, old.size(), by);
    }
  };
  replace("cta_group::1", "cta_group::2");
  replace("  ld.shared.u32 %r9, [place];\n",
          fmt::format("  ld.shared.u32 %r9, [place];\n  mov.u32 %r24, %cluster_ctarank; "
                      "mad.wide.u32 %d1, %r24, {}, %d1; mad.wide.u32 %d2, %r24, {}, %d2;\n"
                      "  setp.eq.and.u32 %p1, %r24, 0, %p1;\n",
                      in_bytes, out_bytes));
  replace("  fence.proxy.async.shared::cta;\n", "  fence.proxy.async.shared::cta;" + meet);
  replace("arrive::one.shared::cluster.b64 [mbar];",
          "arrive::one.shared::cluster.multicast::cluster.b64 [mbar], 3;");
  replace("  @%p2 tcgen05.dealloc", meet + "  @%p2 tcgen05.dealloc");
  return ptx;
}

}  // namespace muster::ptx
