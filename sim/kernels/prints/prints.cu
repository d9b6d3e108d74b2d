// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// printf and assertions that hold: each block prints the largest of its numbers, and where it is.
#include "sim/kernels/cuda.h"

extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line,
                                        const char* function, unsigned long size);

#define ASSERT(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, "prints.cu", __LINE__, __func__, 1))

extern "C" __global__ void prints(const int* in, int* out) {
  __shared__ int best;
  const unsigned t = threadIdx.x;
  const int value = in[blockIdx.x * blockDim.x + t];
  if (t == 0) best = value;
  __syncthreads();
  __atomic_fetch_max(&best, value, __ATOMIC_RELAXED);
  __syncthreads();
  ASSERT(best >= value);
  if (best == value) {
    out[blockIdx.x] = printf("block %u: %d at %-3u (%5.1f%% of 1000)\n", blockIdx.x, best, t,
                             best / 10.0);
  }
}
