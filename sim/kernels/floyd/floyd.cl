// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Shortest paths between all pairs of 16 nodes (Floyd and Warshall), two barriers per node.
#include "sim/kernels/opencl.h"

kernel void floyd(global const ushort* in, global ushort* out) {
  local ushort distance[16][16];
  const uint from = get_local_id(1);
  const uint to = get_local_id(0);
  distance[from][to] = in[from * 16 + to];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint via = 0; via < 16; ++via) {
    const uint through = distance[from][via] + distance[via][to];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (through < distance[from][to]) distance[from][to] = through;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[from * 16 + to] = distance[from][to];
}
