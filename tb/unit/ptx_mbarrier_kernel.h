// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The kernel around what tests of mbarriers have in its body.
#ifndef MUSTER_TB_UNIT_PTX_MBARRIER_KERNEL_H_
#define MUSTER_TB_UNIT_PTX_MBARRIER_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {

// A kernel with a u32 for each thread, at %d2, and two mbarriers, of which thread 0 initialises `a`
// with that count. The body begins in line 12; each thread's result is %r10.
inline Kernel Threads(std::uint32_t threads, const std::string& count, const std::string& body,
                      std::uint32_t ctas = 1) {
  Kernel kernel(Header("sm_90") + R"(.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .pred done; .reg .b32 %r<20>; .reg .b64 %d<12>; .reg .b64 state;
  .shared .align 8 .b64 a; .shared .align 8 .b64 b[4]; .shared .align 8 .b32 flag[64];
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; mov.u32 %r3, %warpid;
  mad.lo.u32 %r4, %ctaid.x, %ntid.x, %r1; mad.wide.u32 %d2, %r4, 4, %d1;
  cvta.shared.u64 %d3, a; mov.u32 %r5, a; mov.u32 %r6, b; mov.u32 %r10, 0;
  setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r3, 0; setp.lt.u32 %p3, %r2, 16;
  @%p1 mbarrier.init.shared.b64 [a], )" +
                    count + "; bar.sync 0;\n" + body + "\n  st.global.u32 [%d2], %r10; ret;\n}\n",
                threads, ctas);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, std::uint64_t{threads} * ctas)};
  return kernel;
}
inline constexpr std::uint32_t kBody = 12;  // line

inline std::vector<std::uint32_t> All(std::size_t count, std::uint32_t value) {
  std::vector<std::uint32_t> values(count, value);
  return values;
}

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_MBARRIER_KERNEL_H_
