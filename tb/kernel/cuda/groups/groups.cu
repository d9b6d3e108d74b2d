// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Tiles of 64 and 128 threads have their barriers in the system's part of shared memory.
extern "C" __global__ void tiles(int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  const auto block = cg::this_thread_block(memory);
  const auto quarter = cg::tiled_partition<64>(block);
  const auto half = cg::tiled_partition<128>(block);
  const auto warp = cg::tiled_partition<32>(block);
  const int of_quarter = cg::reduce(quarter, 1 << quarter.meta_group_rank(), cg::plus<int>());
  const int of_half = cg::reduce(half, of_quarter, cg::bit_or<int>());
  const int behind = cg::exclusive_scan(warp, 1) + cg::reduce(warp, 31, cg::less<int>());
  out[threadIdx.x] = (of_half >> (2 * half.meta_group_rank())) +
                     1000 * (behind - static_cast<int>(warp.thread_rank()));
}

// Groups of the lanes that are there: by branches, by labels, by a predicate.
extern "C" __global__ void apart(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned lane = warp.thread_rank();
  int sum = 0;
  if (lane % 3 == 0) {
    sum = cg::coalesced_threads().size();
  } else {
    sum = cg::coalesced_threads().size() - 10;
  }
  sum += cg::reduce(cg::labeled_partition(warp, lane / 8), 1, cg::plus<int>()) * 100;
  const auto two = cg::binary_partition(warp, lane < 16);
  sum += two.size() * 10000;
  out[threadIdx.x] = sum;
}

// Each batch is copied while the one before is added up; `in` counts up.
extern "C" __global__ void copies(const int* in, int* out) {
  __shared__ int batches[2][64];
  const auto block = cg::this_thread_block();
  int sum = 0;
  cg::memcpy_async(block, batches[0], in, sizeof batches[0]);
  for (int batch = 0; batch < 8; ++batch) {
    if (batch < 7) {
      cg::memcpy_async(block, batches[(batch + 1) % 2], in + 64 * (batch + 1), sizeof batches[0]);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += batches[batch % 2][63 - threadIdx.x] + threadIdx.x;
    block.sync();
  }
  out[threadIdx.x] = sum;
}

struct Shape {
  __device__ virtual int Area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int Area() const override { return side * side; }
};
struct Strip : Square {
  using Square::Square;
  __device__ int Area() const override { return side * 3; }
};

__constant__ int weights[4] = {3, 1, 4, 15};
__device__ const int* weight = weights + 2;

// What the compiler puts into a file besides: 128-bit division, tables of functions, the heap,
// recursion, a constant behind a pointer of global memory.
__device__ __noinline__ int Fibonacci(int n) {
  return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
}
extern "C" __global__ void language(int* out) {
  const int t = threadIdx.x;
  const Shape* const shape = t % 2 ? static_cast<Shape*>(new Square(t)) : new Strip(t);
  const int wrong = shape->Area() - (t % 2 ? t * t : 3 * t);
  delete shape;
  const unsigned __int128 product = (static_cast<unsigned __int128>(t + 7) << 90) * 1000003;
  const int remainder = static_cast<int>(product / 1000003 >> 90) - t;
  out[t] = wrong + remainder + *weight + Fibonacci(10);
}
