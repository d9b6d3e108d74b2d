// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A block in three dimensions: each cell of a volume of 8 x 4 x 4 becomes the sum of its six
// neighbours, wrapping around at the faces, twice. The grid has two volumes, one per z.
#include "sim/kernels/cuda.h"

extern "C" __global__ void volume(const long long* in, long long* out) {
  __shared__ long long cell[4][4][8];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned z = threadIdx.z;
  const unsigned i = ((blockIdx.z * 4 + z) * 4 + y) * 8 + x;
  cell[z][y][x] = in[i];
  long long sum = 0;
  for (int step = 0; step < 2; ++step) {
    __syncthreads();
    sum = cell[z][y][(x + 7) % 8] + cell[z][y][(x + 1) % 8] + cell[z][(y + 3) % 4][x] +
          cell[z][(y + 1) % 4][x] + cell[(z + 3) % 4][y][x] + cell[(z + 1) % 4][y][x];
    __syncthreads();
    cell[z][y][x] = sum;
  }
  out[i] = sum;
}
