// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An mbarrier as the 64-bit word of shared memory that an ordinary load reads, bit by bit as
// sim/golden/mbarrier.md draws it. To the golden model this is an encoding at its border.
#ifndef MUSTER_SIM_ISA_MBARRIER_WORD_H_
#define MUSTER_SIM_ISA_MBARRIER_WORD_H_

#include <cstdint>

namespace muster {

struct MbWord {
  bool phase = false;          // [63] parity of the current phase
  std::uint32_t pending = 0;   // [62:43] negated modulo 2^20
  bool lock = false;           // [42]
  std::int64_t tx = 0;         // [41:21] negated, two's complement
  std::uint32_t expected = 0;  // [20:1] negated modulo 2^20
  bool reserved = false;       // [0]
};

constexpr std::uint64_t Encode(const MbWord& word) {
  return std::uint64_t{word.phase} << 63 | (-std::uint64_t{word.pending} & 0xfffff) << 43 |
         std::uint64_t{word.lock} << 42 | (-static_cast<std::uint64_t>(word.tx) & 0x1fffff) << 21 |
         (-std::uint64_t{word.expected} & 0xfffff) << 1 | std::uint64_t{word.reserved};
}

constexpr MbWord DecodeMbWord(std::uint64_t word) {
  const auto tx = static_cast<std::int64_t>(-(word >> 21) & 0x1fffff);
  return {word >> 63 != 0,
          static_cast<std::uint32_t>(-(word >> 43) & 0xfffff),
          (word >> 42 & 1) != 0,
          tx <= 0x100000 ? tx : tx - 0x200000,
          static_cast<std::uint32_t>(-(word >> 1) & 0xfffff),
          (word & 1) != 0};
}

// mbarrier.pending_count: a token is the word before the arrive-on.
constexpr std::uint32_t PendingCount(std::uint64_t token) { return DecodeMbWord(token).pending; }

}  // namespace muster

#endif  // MUSTER_SIM_ISA_MBARRIER_WORD_H_
