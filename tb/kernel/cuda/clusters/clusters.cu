// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// A histogram of which each block of a cluster has a part.
extern "C" __global__ void histogram(int* out) {
  __shared__ int bins[4];
  const auto cluster = cg::this_cluster();
  if (threadIdx.x < 4) {
    bins[threadIdx.x] = 0;
  }
  cluster.sync();
  const unsigned bin = cluster.thread_rank() * 5 % 16;
  atomicAdd(cluster.map_shared_rank(bins, bin / 4) + bin % 4, 1);
  cluster.barrier_arrive();
  cluster.barrier_wait();
  if (threadIdx.x < 4) {
    out[4 * blockIdx.x + threadIdx.x] = bins[threadIdx.x];
  }
}

// Tiles that come by bulk copies, which a barrier counts, and leave by another; `in` counts up.
extern "C" __global__ void bulk(const int* in, int* out) {
  __shared__ alignas(128) int tile[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
  }
  __syncthreads();
  for (int at = 0; at < 1024; at += 256) {
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(tile, in + at, cuda::aligned_size_t<16>(sizeof tile), barrier);
      barrier.wait(cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile));
    } else {
      barrier.arrive_and_wait();
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
      tile[i] -= at + i - 5;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + at, tile, sizeof tile);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
}
