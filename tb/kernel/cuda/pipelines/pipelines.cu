// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <new>

namespace cg = cooperative_groups;

constexpr int kBatches = 8;

// Every thread fills and drains three stages; `in` counts up.
extern "C" __global__ void stages(const int* in, int* out) {
  __shared__ int stage[3][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int drained = 0, filled = 0; drained < kBatches; ++drained) {
    for (; filled < kBatches && filled < drained + 3; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[filled % 3], in + 128 * filled, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[drained % 3][127 - threadIdx.x] + threadIdx.x;
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// Odd lanes fill what even ones drain: one half of a warp parks while the other is woken.
extern "C" __global__ void roles(const int* in, int* out) {
  __shared__ int stage[4][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 4> state;
  const bool fills = threadIdx.x % 2 != 0;
  auto pipe =
      cuda::make_pipeline(cg::this_thread_block(), &state,
                          fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int pair = threadIdx.x / 2;
  if (fills) {
    for (int batch = 0; batch < kBatches; ++batch) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[batch % 4][pair], &in[64 * batch + pair], sizeof(int), pipe);
      pipe.producer_commit();
    }
    return;
  }
  int sum = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    pipe.consumer_wait();
    sum += stage[batch % 4][pair];
    pipe.consumer_release();
  }
  out[pair] = sum - kBatches * pair;
}

template <typename T>
struct Place {
  alignas(T) char memory[sizeof(T)];
  __device__ T& operator*() { return *reinterpret_cast<T*>(memory); }
};

// A queue of two places between two lanes of one warp, while all others contend for a lock.
extern "C" __global__ void queue(int* out) {
  using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;
  __shared__ Place<Semaphore> full;
  __shared__ Place<Semaphore> empty;
  __shared__ Place<cuda::binary_semaphore<cuda::thread_scope_block>> lock;
  __shared__ Place<cuda::latch<cuda::thread_scope_block>> done;
  __shared__ int places[2];
  __shared__ int held;
  if (threadIdx.x == 0) {
    new (&*full) Semaphore(0);
    new (&*empty) Semaphore(2);
    new (&*lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    new (&*done) cuda::latch<cuda::thread_scope_block>(blockDim.x);
    held = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 20; ++i) {
      (*empty).acquire();
      places[i % 2] = i * i;
      (*full).release();
    }
  } else if (threadIdx.x == 17) {
    int sum = 0;
    for (int i = 0; i < 20; ++i) {
      (*full).acquire();
      sum += places[i % 2];
      (*empty).release();
    }
    out[0] = sum;
  } else {
    (*lock).acquire();
    ++held;
    (*lock).release();
  }
  (*done).arrive_and_wait();
  if (threadIdx.x == 0) {
    out[1] = held;
  }
}
