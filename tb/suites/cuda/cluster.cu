// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CTAs of a cluster add up their parts in each other's shared memory.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void cluster_all_reduce(const int* in, int* out) {
  __shared__ int part;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    part = 0;
  }
  __syncthreads();
  atomicAdd(&part, in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (threadIdx.x < cluster.num_blocks()) {
    const int theirs = *cluster.map_shared_rank(&part, threadIdx.x);
    atomicAdd(&out[blockIdx.x], theirs);
  }
  cluster.sync();
}

// Each CTA counts its elements in the histogram of the cluster, whose bins lie spread over it.
constexpr int kBins = 32;

extern "C" __global__ void cluster_histogram(const int* in, int* out) {
  __shared__ int bins[kBins];
  cg::cluster_group cluster = cg::this_cluster();
  const int mine = kBins / cluster.num_blocks();
  if (threadIdx.x < mine) {
    bins[threadIdx.x] = 0;
  }
  cluster.sync();
  const int bin = in[blockIdx.x * blockDim.x + threadIdx.x] % kBins;
  atomicAdd(cluster.map_shared_rank(&bins[bin % mine], bin / mine), 1);
  cluster.sync();
  if (threadIdx.x < mine) {
    out[cluster.block_rank() * mine + threadIdx.x] = bins[threadIdx.x];
  }
}
