// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A matrix product by tiles of 16 x 16, two of each matrix in shared memory: while one is used the
// next is on its way, by asynchronous copies of 16 bytes.
#include "sim/kernels/cuda.h"

using Tile = int[16][16];

__device__ void fetch(Tile tile, const int* matrix, unsigned n, unsigned row, unsigned column) {
  const unsigned t = threadIdx.y * 16 + threadIdx.x;
  if (t >= 64) return;
  const unsigned shared = __shared_address(&tile[t / 4][t % 4 * 4]);
  const int* const from = &matrix[(row + t / 4) * n + column + t % 4 * 4];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}

extern "C" __global__ void matmul_async(const int* a, const int* b, int* c, unsigned n) {
  __shared__ __attribute__((aligned(16))) Tile tile_a[2], tile_b[2];
  const unsigned row = 16 * blockIdx.y;
  const unsigned column = 16 * blockIdx.x;
  fetch(tile_a[0], a, n, row, 0);
  fetch(tile_b[0], b, n, 0, column);
  asm volatile("cp.async.commit_group;" ::: "memory");
  int sum = 0;
  for (unsigned tile = 0; tile < n / 16; ++tile) {
    if (tile + 1 < n / 16) {
      fetch(tile_a[(tile + 1) % 2], a, n, row, 16 * (tile + 1));
      fetch(tile_b[(tile + 1) % 2], b, n, 16 * (tile + 1), column);
    }
    asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) {
      sum += tile_a[tile % 2][threadIdx.y][k] * tile_b[tile % 2][k][threadIdx.x];
    }
    __syncthreads();
  }
  c[(row + threadIdx.y) * n + column + threadIdx.x] = sum;
}
