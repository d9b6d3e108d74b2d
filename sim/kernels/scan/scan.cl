// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Inclusive scan of each group's part of an array, by doubling distances; two barriers per step,
// one between the reads and the writes and one behind the writes.
#include "sim/kernels/opencl.h"

kernel void scan(global const uint* in, global uint* out) {
  local uint sum[256];
  const uint t = get_local_id(0);
  const uint i = get_global_id(0);
  sum[t] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < get_local_size(0); distance *= 2) {
    const uint left = t >= distance ? sum[t - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[t] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum[t];
}
