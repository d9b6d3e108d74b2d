// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <cuda/barrier>
#include <new>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Of shared memory, by mbarrier instructions, or of global memory, by atomics: the caller knows.
__device__ __noinline__ void Meet(Barrier& barrier, int how) {
  if (how == 0) {
    barrier.arrive_and_wait();
  } else if (how == 1) {
    barrier.wait(barrier.arrive());
  } else {
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
  }
}

__device__ alignas(Barrier) char in_global_memory[sizeof(Barrier)];

// All count, then all read, by turns at either barrier.
extern "C" __global__ void polymorphic(int* out) {
  __shared__ Barrier near;
  __shared__ int count;
  Barrier& far = *reinterpret_cast<Barrier*>(in_global_memory);
  if (threadIdx.x == 0) {
    init(&near, blockDim.x);
    init(&far, blockDim.x);
    count = 0;
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 6; ++round) {
    atomicAdd(&count, 1);
    Meet(round % 2 ? far : near, round % 3);
    sum += count;
    Meet(round % 2 ? near : far, 0);
  }
  out[threadIdx.x] = sum;
}

// An eighth of the threads leaves after each round.
extern "C" __global__ void leavers(int* out) {
  __shared__ Barrier barrier;
  __shared__ int count;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    count = 0;
  }
  __syncthreads();
  for (int round = 0; round < 8; ++round) {
    if (threadIdx.x % 8 == round) {
      barrier.arrive_and_drop();
      return;
    }
    atomicAdd(&count, 1);
    barrier.arrive_and_wait();
    if (threadIdx.x == 7) {
      out[round] = count;
    }
    barrier.arrive_and_wait();
  }
}

// Twelve lanes of different warps at each of eight barriers; one of them arrives for two.
extern "C" __global__ void lanes(int* out) {
  __shared__ Barrier barriers[8];
  __shared__ int counts[8];
  const int group = threadIdx.x % 8;
  if (threadIdx.x < 8) {
    init(&barriers[group], 13);
    counts[group] = 0;
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    atomicAdd(&counts[group], 1);
    barriers[group].wait(barriers[group].arrive(threadIdx.x / 8 == round ? 2 : 1));
    sum += counts[group];
    barriers[group].wait(barriers[group].arrive(threadIdx.x / 8 == 0 ? 2 : 1));
  }
  out[threadIdx.x] = sum;
}

struct Add {
  int* sum;
  __device__ void operator()() noexcept { *sum += 7; }
};

// The last one to arrive runs a function before the rest goes on.
extern "C" __global__ void completion(int* out) {
  using Completing = cuda::barrier<cuda::thread_scope_block, Add>;
  __shared__ alignas(Completing) char memory[sizeof(Completing)];
  __shared__ int sum;
  Completing& barrier = *reinterpret_cast<Completing*>(memory);
  if (threadIdx.x == 0) {
    sum = 0;
    new (&barrier) Completing(blockDim.x, Add{&sum});
  }
  __syncthreads();
  for (int round = 0; round < 10; ++round) {
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

// One thread never comes.
extern "C" __global__ void forgotten(int* out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
  }
  __syncthreads();
  if (threadIdx.x != 40) {
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = 1;
}
