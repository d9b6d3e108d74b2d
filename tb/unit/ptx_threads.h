// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Kernels whose threads store a number each.
#ifndef TB_UNIT_PTX_THREADS_H_
#define TB_UNIT_PTX_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx::threads {

// A kernel with a u32 for each thread, at %d2; the body begins in line 8.
inline Kernel Threads(std::uint32_t threads, const std::string& body,
                      const std::string& target = "sm_80", std::uint32_t ctas = 1) {
  Kernel kernel(Header(target) + R"(.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<8>; .shared .align 4 .b8 s[8192];
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; mov.u32 %r3, %warpid;
  mad.lo.u32 %r4, %ctaid.x, %ntid.x, %r1; mad.wide.u32 %d2, %r4, 4, %d1;
)" + body + "\n}\n",
                threads, ctas);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, std::uint64_t{threads} * ctas)};
  return kernel;
}

inline const std::string kStore = "  st.global.u32 [%d2], %r10; ret;\n";

inline std::vector<std::uint32_t> All(std::size_t count, std::uint32_t value) {
  std::vector<std::uint32_t> values(count, value);
  return values;
}

}  // namespace muster::ptx::threads

#endif  // TB_UNIT_PTX_THREADS_H_
