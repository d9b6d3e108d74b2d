// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Products of matrices: one warp by nvcuda::wmma, and a tile by threads that stage it with cp.async.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 16;

// c = a * b, of n x n, a warp for each tile of c.
extern "C" __global__ void wmma_product(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major> of_b;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
  wmma::fill_fragment(sum, 0.0F);
  const half* const row = a + blockIdx.x * kTile * n;
  const half* const column = b + blockIdx.y * kTile;
  for (int k = 0; k < n; k += kTile) {
    wmma::load_matrix_sync(of_a, row + k, n);
    wmma::load_matrix_sync(of_b, column + k * n, n);
    wmma::mma_sync(sum, of_a, of_b, sum);
  }
  wmma::store_matrix_sync(c + (blockIdx.x * n + blockIdx.y) * kTile, sum, n, wmma::mem_row_major);
}

// The same by single products, with two stages of tiles.
extern "C" __global__ void staged_product(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[2][kTile][kTile];
  __shared__ float of_b[2][kTile][kTile];
  const int row = blockIdx.x * kTile + threadIdx.y;
  const int column = blockIdx.y * kTile + threadIdx.x;
  const auto fetch = [&](int stage, int k) {
    __pipeline_memcpy_async(&of_a[stage][threadIdx.y][threadIdx.x], &a[row * n + k + threadIdx.x], 4);
    __pipeline_memcpy_async(&of_b[stage][threadIdx.y][threadIdx.x], &b[(k + threadIdx.y) * n + column], 4);
    __pipeline_commit();
  };
  fetch(0, 0);
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    const int stage = k / kTile % 2;
    if (k + kTile < n) {
      fetch(1 - stage, k + kTile);
    }
    __pipeline_wait_prior(k + kTile < n ? 1 : 0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) {
      sum += of_a[stage][threadIdx.y][i] * of_b[stage][i][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
