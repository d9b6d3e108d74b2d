// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// More groups than any configuration has CTA slots, so that the grid runs in waves. The groups are
// of unequal length; each leaves the sum of a short sequence that its threads build together.
#include "sim/kernels/opencl.h"

kernel void waves(global uint* out) {
  local uint value[64];
  const uint t = get_local_id(0);
  const uint group = get_group_id(0);
  value[t] = t + group;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint round = 0; round < group % 5; ++round) {
    const uint next = value[(t + 1) % 64] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    value[t] = next;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    uint sum = 0;
    for (uint i = 0; i < 64; ++i) sum += value[i] * (i + 1);
    out[group] = sum;
  }
}
