// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Kernels with tensor memory, as text: a block of 128 threads, so that each lane of tensor memory
// belongs to one thread.
#ifndef MUSTER_TB_UNIT_PTX_TENSOR_KERNEL_H_
#define MUSTER_TB_UNIT_PTX_TENSOR_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {

inline constexpr unsigned kTensorThreads = 128;

// Registers, parameters `in` and `out`, shared memory, and %r10: the address of `columns` columns
// of tensor memory at the thread's own lanes. %r1 is the thread, %p1 the first thread, %p2 the
// first warp, %d1 and %d2 the parameters.
std::string TensorPrologue(unsigned columns, const std::string& more = "");
// Each thread writes `columns` columns of its lane to `out`, from the first on; then the end.
std::string TensorEpilogue(unsigned columns, unsigned allocated);
// The threads copy `bytes` of `in` to shared memory, for the async proxy.
std::string CopyToShared(unsigned bytes);
// The first thread commits; all threads wait for that.
inline const std::string kCommitAndWait = R"(
  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [mbar];
WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [mbar], 0; @!%p3 bra WAIT;
  tcgen05.fence::after_thread_sync;
)";

// What `out` has after the run: of each lane so many words. The outcome must be "completes".
std::vector<std::uint32_t> TensorWords(const std::string& ptx, const std::vector<std::uint8_t>& in,
                                       unsigned columns, unsigned ctas = 1);
// The same kernel for a pair of CTAs, each of which has its own part of `in` and `out`. `in_bytes`
// and `out_bytes` are the sizes of a part.
std::string ForPair(std::string ptx, unsigned in_bytes, unsigned out_bytes);

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_TENSOR_KERNEL_H_
