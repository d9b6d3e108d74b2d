// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Dynamic shared memory, cut in two by the kernel: 16-bit values and, behind them, 32-bit sums.
// Each block of 192 reverses its values and pairs them with the running differences.
#include "sim/kernels/cuda.h"

extern "C" __global__ void reverse(const short* in, short* reversed, int* difference) {
  extern __shared__ int memory[];
  const unsigned t = threadIdx.x;
  const unsigned n = blockDim.x;
  const unsigned i = blockIdx.x * n + t;
  int* wide = memory;
  short* narrow = reinterpret_cast<short*>(memory + n);
  narrow[t] = in[i];
  __syncthreads();
  reversed[i] = narrow[n - 1 - t];
  wide[n - 1 - t] = narrow[t] - narrow[t == 0 ? n - 1 : t - 1];
  __syncthreads();
  difference[i] = wide[t];
}
