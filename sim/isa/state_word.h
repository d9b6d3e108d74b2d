// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The two 32-bit state words that B2R reads and R2B writes, field by field. rtl/README.md has
// the layout.
#ifndef MUSTER_SIM_ISA_STATE_WORD_H_
#define MUSTER_SIM_ISA_STATE_WORD_H_

#include <cstdint>

#include "sim/isa/operation.h"

namespace muster {

// An entry of the barrier table (B2R.BAR, R2B.BAR). Idle: all zeroes but for the phase.
struct BarState {
  unsigned value = 0;     // [11:0] POPC: true lanes so far; AND, OR: the result so far; SYNC: 0
  unsigned arrived = 0;   // [18:12] warps
  unsigned expected = 0;  // [25:19] warps, 0: all live warps
  unsigned kind = 0;      // [28:26] a BarKind, or 5 to 7 in an impossible word
  bool phase = false;     // [29] with split phases: the parity of the completions
  unsigned zero = 0;      // [31:30]
};

// A warp (B2R.WARP, R2B.WARP): the latest reduction that it took part in, and where it waits.
struct WarpState {
  unsigned value = 0;     // [11:0] the result, 0 while the warp waits for it
  unsigned bar = 0;       // [15:12] the barrier
  unsigned kind = 0;      // [18:16] a BarKind, kIdle: no reduction yet
  unsigned wait_bar = 0;  // [22:19] where the warp waits, 0 when it does not
  bool waiting = false;   // [23]
  bool apart = false;  // [24] with split phases: it waits for a phase, and has not arrived for it
  unsigned zero = 0;   // [31:25]
};

constexpr std::uint32_t Encode(const BarState& word) {
  return word.value | word.arrived << 12 | word.expected << 19 | word.kind << 26 |
         static_cast<std::uint32_t>(word.phase) << 29 | word.zero << 30;
}

constexpr std::uint32_t Encode(const WarpState& word) {
  return word.value | word.bar << 12 | word.kind << 16 | word.wait_bar << 19 |
         static_cast<std::uint32_t>(word.waiting) << 23 |
         static_cast<std::uint32_t>(word.apart) << 24 | word.zero << 25;
}

constexpr BarState DecodeBarWord(std::uint32_t word) {
  return {word & 0xfff,     word >> 12 & 0x7f,     word >> 19 & 0x7f,
          word >> 26 & 0x7, (word >> 29 & 1) != 0, word >> 30};
}

constexpr WarpState DecodeWarpWord(std::uint32_t word) {
  return {word & 0xfff,          word >> 12 & 0xf,      word >> 16 & 0x7, word >> 19 & 0xf,
          (word >> 23 & 1) != 0, (word >> 24 & 1) != 0, word >> 25};
}

}  // namespace muster

#endif  // MUSTER_SIM_ISA_STATE_WORD_H_
