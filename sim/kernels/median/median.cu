// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A median filter over bytes: a called function with a barrier in it, a private array in local
// memory, byte loads and stores, pointers that are generic.
#include "sim/kernels/cuda.h"

__device__ __noinline__ unsigned Median(const unsigned char* line, unsigned n, unsigned at) {
  unsigned char window[5];
  for (unsigned i = 0; i < 5; ++i) {
    const unsigned char value = line[(at + n + i - 2) % n];
    unsigned j = i;
    for (; j != 0 && window[j - 1] > value; --j) window[j] = window[j - 1];
    window[j] = value;
  }
  return window[2];
}

__device__ __noinline__ void Filter(unsigned char* line, unsigned n, unsigned at) {
  const unsigned median = Median(line, n, at);
  __syncthreads();
  line[at] = median;
  __syncthreads();
}

extern "C" __global__ void median(const unsigned char* in, unsigned char* out, unsigned passes) {
  __shared__ unsigned char line[128];
  const unsigned t = threadIdx.x;
  line[t] = in[t];
  __syncthreads();
  for (unsigned pass = 0; pass < passes; ++pass) Filter(line, blockDim.x, t);
  out[t] = line[t];
}
