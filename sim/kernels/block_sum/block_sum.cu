// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The sum of each block's part of an array: a tree in shared memory, a barrier per level.
#include "sim/kernels/cuda.h"

extern "C" __global__ void block_sum(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned partial[256];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half != 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
