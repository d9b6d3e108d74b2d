// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Virtual functions that no compiler can resolve, of objects from malloc: diverged lanes call each
// other's, and there is a barrier between building them and using them.
#include "sim/kernels/cuda.h"

extern "C" __device__ void* malloc(unsigned long bytes);
extern "C" __device__ void free(void* memory);
__device__ inline void* operator new(unsigned long, void* place) { return place; }

struct Shape {
  __device__ virtual unsigned Area() const = 0;
  __device__ virtual unsigned Corners() const { return 4; }
};

struct Square : Shape {
  unsigned side;
  __device__ explicit Square(unsigned s) : side(s) {}
  __device__ unsigned Area() const override { return side * side; }
};

struct Triangle : Shape {
  unsigned base, height;
  __device__ Triangle(unsigned b, unsigned h) : base(b), height(h) {}
  __device__ unsigned Area() const override { return base * height / 2; }
  __device__ unsigned Corners() const override { return 3; }
};

struct Frame : Shape {
  Square outer, inner;
  __device__ Frame(unsigned o, unsigned i) : outer(o), inner(i) {}
  __device__ unsigned Area() const override {
    const Shape* const parts[] = {&outer, &inner};
    return parts[0]->Area() - parts[1]->Area();
  }
  __device__ unsigned Corners() const override { return 2 * Shape::Corners(); }
};

extern "C" __global__ void shapes(unsigned* area, unsigned* corners) {
  __shared__ Shape* shape[64];
  const unsigned t = threadIdx.x;
  void* const memory = malloc(sizeof(Frame));
  switch (t % 3) {
    case 0:
      shape[t] = new (memory) Square(t);
      break;
    case 1:
      shape[t] = new (memory) Triangle(t, 2 * t);
      break;
    default:
      shape[t] = new (memory) Frame(t, t - 1);
  }
  __syncthreads();
  area[t] = shape[63 - t]->Area();
  corners[t] = shape[63 - t]->Corners();
  __syncthreads();
  free(shape[t]);
}
