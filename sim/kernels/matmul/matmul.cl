// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A matrix product by tiles of 16 x 16 held in local memory.
#include "sim/kernels/opencl.h"

kernel void matmul(global const int* a, global const int* b, global int* c, uint n) {
  local int tile_a[16][16];
  local int tile_b[16][16];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  int sum = 0;
  for (uint tile = 0; tile < n; tile += 16) {
    tile_a[y][x] = a[row * n + tile + x];
    tile_b[y][x] = b[(tile + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
