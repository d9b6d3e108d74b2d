// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What wrong.ptx says in CUDA; its .loc lines name these.
#include <cuda/barrier>
#include <cuda/atomic>

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

__global__ void early_return_skips_arrive(unsigned *out, const unsigned *chain) {
  __shared__ cuda::barrier<cuda::thread_scope_block> done;
  __shared__ unsigned found;
  if (threadIdx.x == 0) {
    init(&done, 2);
    found = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  if (threadIdx.x == 0) {
    unsigned where = 0;
    do {
      where = chain[where];
    } while (where != 0);
    Flag(found).store(1, cuda::memory_order_relaxed);
    done.arrive_and_wait();
    *out = 1;
    return;
  }
  if (Flag(found).load(cuda::memory_order_relaxed)) return;
  (void)done.arrive();
}
