// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A matrix transposed tile by tile through shared memory, 32 x 8 threads to a tile of 32 x 32, each
// of which moves four elements.
#include "sim/kernels/cuda.h"

extern "C" __global__ void transpose(const unsigned* in, unsigned* out, unsigned width,
                                     unsigned height) {
  __shared__ unsigned tile[32][33];
  const unsigned tx = threadIdx.x;
  const unsigned ty = threadIdx.y;
  const unsigned left = blockIdx.x * 32;
  const unsigned top = blockIdx.y * 32;
  for (unsigned row = ty; row < 32; row += 8) {
    tile[row][tx] = in[(top + row) * width + left + tx];
  }
  __syncthreads();
  for (unsigned row = ty; row < 32; row += 8) {
    out[(left + row) * height + top + tx] = tile[tx][row];
  }
}
