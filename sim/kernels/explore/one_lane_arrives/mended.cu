// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What mended.ptx says in CUDA; its .loc lines name these.
#include <cuda/barrier>

__global__ void one_lane_arrives(unsigned *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ unsigned slots[32];
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    slots[lane] = lane + 100;
    __syncwarp(); if (lane == 0) (void)full.arrive();
  } else {
    full.wait_parity(false);
    out[lane] = slots[31 - lane];
  }
}
