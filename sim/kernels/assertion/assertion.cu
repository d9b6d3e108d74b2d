// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An assertion that fails by design, in the form that the assert macro of CUDA takes: thread 40
// finds a value that is not what it should be.
#include "sim/kernels/cuda.h"

extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line,
                                        const char* function, unsigned long size);

#define ASSERT(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, "assertion.cu", __LINE__, __func__, 1))

extern "C" __global__ void assertion(const unsigned* in) {
  __shared__ unsigned cell[64];
  const unsigned t = threadIdx.x;
  cell[63 - t] = in[t];
  __syncthreads();
  ASSERT(cell[t] != 23);
}
