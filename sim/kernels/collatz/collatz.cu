// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// __syncthreads_count, _and and _or as loop control: every thread follows its own Collatz sequence
// until all have reached 1, and the block notes how many were still under way in each round.
#include "sim/kernels/cuda.h"

extern "C" __global__ void collatz(unsigned* steps, unsigned* under_way, unsigned* above) {
  const unsigned t = threadIdx.x;
  unsigned n = t + 1;
  unsigned own = 0;
  unsigned rounds_above = 0;
  for (unsigned round = 0; !__syncthreads_and(n == 1); ++round) {
    const unsigned count = __syncthreads_count(n != 1);
    if (t == 0) under_way[round] = count;
    if (__syncthreads_or(n > 1000)) ++rounds_above;
    if (n != 1) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      ++own;
    }
  }
  steps[t] = own;
  above[t] = rounds_above;
}
