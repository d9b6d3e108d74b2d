// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A persistent kernel takes further tiles by cancelling clusters that have not started.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void steal_tiles(const int* in, int* out, int tile) {
  __shared__ uint4 response;
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
  }
  __syncthreads();
  int block = blockIdx.x;
  for (int phase = 0;; phase ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                   ptx::scope_cluster);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &full,
                                     sizeof response);
      ptx::clusterlaunchcontrol_try_cancel(&response, &full);
    }
    for (int i = threadIdx.x; i < tile; i += blockDim.x) {
      out[block * tile + i] = 3 * in[block * tile + i] + 1;
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &full, phase)) {
    }
    const uint4 answer = response;
    __syncthreads();
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
      return;
    }
    block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
  }
}
