// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What wrong.ptx says in CUDA; its .loc lines name these.
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void stage_reused_too_early(unsigned *out, const unsigned *chain) {
  __shared__ Barrier full[2], empty[2];
  __shared__ unsigned slots[2];
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], 1);
    init(&empty[threadIdx.x], 1);
  }
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  if (threadIdx.x == 0) {
    for (unsigned item = 0; item < 3; ++item) {
      unsigned where = 0;
      do where = chain[where]; while (where != 0);
      slots[item % 2] = item + 100;
      (void)full[item % 2].arrive();
    }
  } else {
    unsigned sum = 0;
    for (unsigned item = 0; item < 3; ++item) {
      full[item % 2].wait_parity(item / 2 % 2);
      sum = sum * 3 + slots[item % 2];
      (void)empty[item % 2].arrive();
    }
    *out = sum;
  }
}
