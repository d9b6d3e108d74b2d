/* Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0 */

#include <stdint.h>
#include <stdio.h>

#include "muster_axil.h"

// Who waits, and where. The platform has uint32_t muster_read(uint32_t offset) and
// void muster_write(uint32_t offset, uint32_t value).
static inline void muster_hang(void) {
  const uint32_t warps = muster_read(MUSTER_AXIL_CONFIG) & MUSTER_AXIL_CONFIG_NUM_WARPS_MASK;
  uint32_t word;
  while ((word = muster_read(MUSTER_AXIL_FAULT)) & MUSTER_AXIL_FAULT_VALID_MASK)
    printf("fault %u: CTA %u, warp %u\n", word & 31, word >> 8 & 31, word >> 16 & 63);
  for (uint32_t cta = 0; cta < 32; ++cta) {
    for (uint32_t bar = 0; bar < 16; ++bar) {
      muster_write(MUSTER_AXIL_DEBUG_INDEX, cta << MUSTER_AXIL_DEBUG_INDEX_CTA_SHIFT | bar);
      word = muster_read(MUSTER_AXIL_DEBUG_ENTRY);
      if (word & MUSTER_AXIL_DEBUG_ENTRY_KIND_MASK)  // 0 expected: all live warps
        printf("CTA %u, barrier %u: %u warps of %u have arrived\n", cta, bar, word >> 12 & 127,
               word >> 19 & 127);
    }
  }
  for (uint32_t warp = 0; warp < warps; ++warp) {
    muster_write(MUSTER_AXIL_DEBUG_INDEX, warp << MUSTER_AXIL_DEBUG_INDEX_WARP_SHIFT);
    word = muster_read(MUSTER_AXIL_DEBUG_WARP);
    if (word & MUSTER_AXIL_DEBUG_WARP_LIVE_MASK)
      printf("CTA %u, warp %u %s\n", word & MUSTER_AXIL_DEBUG_WARP_CTA_MASK, warp,
             word & MUSTER_AXIL_DEBUG_WARP_WAITING_MASK ? "waits" : "does not wait");
  }
}
