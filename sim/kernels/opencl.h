// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The little of OpenCL C's library that the kernels here use.
#ifndef MUSTER_SIM_KERNELS_OPENCL_H_
#define MUSTER_SIM_KERNELS_OPENCL_H_

#define MUSTER_SPECIAL_REGISTER(name, dimension)          \
  ((dimension) == 0   ? __nvvm_read_ptx_sreg_##name##_x() \
   : (dimension) == 1 ? __nvvm_read_ptx_sreg_##name##_y() \
                      : __nvvm_read_ptx_sreg_##name##_z())
#define get_local_id(dimension) MUSTER_SPECIAL_REGISTER(tid, dimension)
#define get_local_size(dimension) MUSTER_SPECIAL_REGISTER(ntid, dimension)
#define get_group_id(dimension) MUSTER_SPECIAL_REGISTER(ctaid, dimension)
#define get_global_id(dimension) \
  (get_group_id(dimension) * get_local_size(dimension) + get_local_id(dimension))

#define barrier(fence) __syncthreads()

#endif  // MUSTER_SIM_KERNELS_OPENCL_H_
