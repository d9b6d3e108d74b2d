// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A sum under a lock, which every lane of every warp takes on its own: the others spin, also those
// of the owner's warp.
#include "sim/kernels/cuda.h"

extern "C" __global__ void lock(unsigned* taken, volatile unsigned* total) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned expected = 0;
  while (!__atomic_compare_exchange_n(taken, &expected, 1, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
    expected = 0;
  }
  __threadfence();
  total[0] = total[0] + t;      // the sum,
  total[1] = total[1] + 1;      // how many have come,
  total[2 + t] = total[2 + t] + 1;  // and how often each
  __threadfence();
  __atomic_exchange_n(taken, 0, __ATOMIC_RELAXED);
}
