// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Producers and consumers: rings in shared memory, filled by copies that the threads do not wait for.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kStages = 4;
constexpr int kElements = 256;  // of a stage

// Two of the warps copy, the other two add up what has come.
extern "C" __global__ void pipeline_sum(const float* in, float* out, int batches) {
  __shared__ float stage[kStages][kElements];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < blockDim.x / 2;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int place = threadIdx.x % (blockDim.x / 2);
  float sum = 0;
  for (int batch = 0; batch < batches; ++batch) {
    float* const data = stage[batch % kStages];
    if (produces) {
      pipe.producer_acquire();
      for (int i = place; i < kElements; i += blockDim.x / 2) {
        cuda::memcpy_async(&data[i], &in[batch * kElements + i], sizeof(float), pipe);
      }
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (int i = place; i < kElements; i += blockDim.x / 2) {
        sum += data[i];
      }
      pipe.consumer_release();
    }
  }
  if (!produces) {
    out[place] = sum;
  }
}

#if __CUDA_ARCH__ >= 900
// One thread starts bulk copies; the other warps wait at the full barriers, and hand stages back at
// the empty ones.
extern "C" __global__ void bulk_ring(const float* in, float* out, int batches) {
  alignas(128) __shared__ float stage[kStages][kElements];
  __shared__ std::uint64_t full[kStages];
  __shared__ std::uint64_t empty[kStages];
  const int consumers = blockDim.x / 32 - 1;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&full[i], 1);
      ptx::mbarrier_init(&empty[i], consumers);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int batch = 0; batch < batches && threadIdx.x == 0; ++batch) {
      const int i = batch % kStages;
      while (!ptx::mbarrier_try_wait_parity(&empty[i], batch / kStages % 2 ^ 1)) {
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i],
                                     sizeof stage[i]);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[i], in + batch * kElements,
                         sizeof stage[i], &full[i]);
    }
    return;
  }
  float sum = 0;
  for (int batch = 0; batch < batches; ++batch) {
    const int i = batch % kStages;
    while (!ptx::mbarrier_try_wait_parity(&full[i], batch / kStages % 2)) {
    }
    for (int k = threadIdx.x - 32; k < kElements; k += blockDim.x - 32) {
      sum += stage[i][k];
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[i]);
    }
  }
  out[threadIdx.x - 32] = sum;
}
#endif

// Half of the block works one step behind the other half, with cuda::barrier.
extern "C" __global__ void two_barriers(const int* in, int* out, int steps) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ cuda::barrier<cuda::thread_scope_block> taken;
  __shared__ int data[64];
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    init(&taken, blockDim.x);
  }
  __syncthreads();
  const int place = threadIdx.x % 64;
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x < 64) {
      data[place] = in[step * 64 + place];
      (void)ready.arrive();
      taken.arrive_and_wait();
    } else {
      ready.arrive_and_wait();
      sum += data[63 - place];
      (void)taken.arrive();
    }
  }
  if (threadIdx.x >= 64) {
    out[place] = sum;
  }
}
