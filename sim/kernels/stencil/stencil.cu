// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A 1-D stencil in which groups of two warps wait for their neighbours only: between group g and
// group g + 1 stands barrier g + 1, of 128 threads. No barrier spans the block.
#include "sim/kernels/cuda.h"

extern "C" __global__ void stencil(const unsigned* in, unsigned* out, unsigned steps) {
  __shared__ unsigned cell[2][256 + 2];
  const unsigned t = threadIdx.x;
  const unsigned group = t / 64;
  const unsigned groups = blockDim.x / 64;
  cell[0][t + 1] = in[t];
  if (t == 0) cell[0][0] = cell[1][0] = 0;
  if (t + 1 == blockDim.x) cell[0][t + 2] = cell[1][t + 2] = 0;
  unsigned from = 0;
  for (unsigned step = 0; step <= steps; ++step) {
    if (group != 0) __barrier_sync_count(group, 128);
    if (group + 1 != groups) __barrier_sync_count(group + 1, 128);
    if (step == steps) break;
    cell[1 - from][t + 1] = cell[from][t] + 2 * cell[from][t + 1] + cell[from][t + 2];
    from = 1 - from;
  }
  out[t] = cell[from][t + 1];
}
