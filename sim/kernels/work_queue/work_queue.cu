// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A queue of work that makes more work: the nodes of a tree, whose children are queued by whoever
// has taken their parent. A thread that has drawn a place which is not filled yet spins on it, and it
// may be another lane of its own warp that will fill it.
#include "sim/kernels/cuda.h"

extern "C" __global__ void work_queue(volatile unsigned* queue, unsigned* ends,
                                      volatile unsigned* sums, unsigned nodes) {
  unsigned* const head = &ends[0];
  unsigned* const tail = &ends[1];
  for (;;) {
    const unsigned place = __atomic_fetch_add(head, 1, __ATOMIC_RELAXED);
    if (place >= nodes) return;
    unsigned node;
    while ((node = queue[place]) == 0) {
    }
    __threadfence();
    sums[node] = sums[node / 2] + node;
    __threadfence();
    for (unsigned child = 2 * node; child < 2 * node + 2 && child <= nodes; ++child) {
      queue[__atomic_fetch_add(tail, 1, __ATOMIC_RELAXED)] = child;
    }
  }
}
