// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A histogram of bytes: atomics in shared memory between two barriers, then atomics in global
// memory that add the blocks' histograms.
#include "sim/kernels/cuda.h"

extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, unsigned n) {
  __shared__ unsigned bin[16];
  const unsigned t = threadIdx.x;
  if (t < 16) bin[t] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
    __atomic_fetch_add(&bin[in[i] / 16], 1, __ATOMIC_RELAXED);
  }
  __syncthreads();
  if (t < 16) __atomic_fetch_add(&out[t], bin[t], __ATOMIC_RELAXED);
}
