// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Bitonic sort of one block's signed keys in shared memory: 36 steps for 256 keys, a barrier each.
#include "sim/kernels/cuda.h"

extern "C" __global__ void bitonic_sort(int* keys) {
  __shared__ int key[256];
  const unsigned t = threadIdx.x;
  key[t] = keys[t];
  __syncthreads();
  for (unsigned run = 2; run <= blockDim.x; run *= 2) {
    for (unsigned distance = run / 2; distance != 0; distance /= 2) {
      const unsigned other = t ^ distance;
      if (other > t) {
        const bool ascending = (t & run) == 0;
        const int a = key[t];
        const int b = key[other];
        if ((a > b) == ascending) {
          key[t] = b;
          key[other] = a;
        }
      }
      __syncthreads();
    }
  }
  keys[t] = key[t];
}
