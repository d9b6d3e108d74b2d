// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The little of CUDA C++ that the kernels here use, without any vendor's header.
#ifndef MUSTER_SIM_KERNELS_CUDA_H_
#define MUSTER_SIM_KERNELS_CUDA_H_

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __noinline__ __attribute__((noinline))
#define __shared__ __attribute__((shared))

struct Dim3 {
  unsigned x, y, z;
};

#define MUSTER_SPECIAL_REGISTER(name)                                                             \
  (Dim3{unsigned(__nvvm_read_ptx_sreg_##name##_x()), unsigned(__nvvm_read_ptx_sreg_##name##_y()), \
        unsigned(__nvvm_read_ptx_sreg_##name##_z())})
#define threadIdx MUSTER_SPECIAL_REGISTER(tid)
#define blockDim MUSTER_SPECIAL_REGISTER(ntid)
#define blockIdx MUSTER_SPECIAL_REGISTER(ctaid)
#define gridDim MUSTER_SPECIAL_REGISTER(nctaid)

#define __threadfence() __nvvm_membar_gl()

#define __shared_address(pointer) \
  unsigned(reinterpret_cast<unsigned long>((__attribute__((address_space(3))) void*)(pointer)))

#define __cvta_generic_to_shared(pointer) static_cast<unsigned long>(__shared_address(pointer))

#define __syncthreads_count(predicate) __nvvm_bar0_popc(predicate)
#define __syncthreads_and(predicate) __nvvm_bar0_and(predicate)
#define __syncthreads_or(predicate) __nvvm_bar0_or(predicate)
#define __barrier_sync_count(id, threads) __nvvm_barrier_sync_cnt(id, threads)

__device__ inline void __syncwarp(unsigned mask = 0xffffffff) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

#endif  // MUSTER_SIM_KERNELS_CUDA_H_
