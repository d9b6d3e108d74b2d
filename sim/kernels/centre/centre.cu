// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Floating point: each row of 128 loses its mean, and is scaled by the block's largest deviation. A
// tree of sums, then a tree of maxima.
#include "sim/kernels/cuda.h"

extern "C" __global__ void centre(const float* in, float* out) {
  __shared__ float cell[128];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * 128 + t;
  cell[t] = in[i];
  __syncthreads();
  for (unsigned half = 64; half != 0; half /= 2) {
    if (t < half) cell[t] += cell[t + half];
    __syncthreads();
  }
  const float deviation = in[i] - cell[0] / 128;
  __syncthreads();
  cell[t] = deviation < 0 ? -deviation : deviation;
  __syncthreads();
  for (unsigned half = 64; half != 0; half /= 2) {
    if (t < half && cell[t] < cell[t + half]) cell[t] = cell[t + half];
    __syncthreads();
  }
  out[i] = deviation / cell[0];
}
