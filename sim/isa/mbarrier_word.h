// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An mbarrier as the 64-bit word of shared memory that an ordinary load reads, bit by bit as
// sim/golden/mbarrier.md draws it. To the golden model this is an encoding at its border.
#ifndef MUSTER_SIM_ISA_MBARRIER_WORD_H_
#define MUSTER_SIM_ISA_MBARRIER_WORD_H_

#include <cstdint>

namespace muster {

// A payload report: the predicate in bit 8, and below it the value. 0: no asynchronous operation
// has reported anything.
using MbReport = std::uint16_t;
inline constexpr MbReport kMbReported = 0x100;
inline constexpr unsigned kMbReportBits = 9;

// Bits of layout v0; those of v1, where they differ, after the semicolon.
struct MbWord {
  bool phase = false;          // [63] parity of the current phase
  std::uint32_t pending = 0;   // [62:43] negated modulo 2^20; [51:43] modulo 2^9
  bool lock = false;           // [42]
  std::int64_t tx = 0;         // [41:21] negated, two's complement
  std::uint32_t expected = 0;  // [20:1] negated modulo 2^20; [9:1] modulo 2^9
  bool reserved = false;       // [0] of a unit without reports; of others this is the layout
  bool v1 = false;             // [0]

  // Of v1 alone.
  bool conditional = false;  // [62] parity of the current conditional phase
  MbReport report = 0;       // [61:53] of the current phase
  MbReport last = 0;         // [20:12] of the phase before
};

constexpr std::uint64_t Encode(const MbWord& word) {
  if (word.v1) {
    return std::uint64_t{word.phase} << 63 | std::uint64_t{word.conditional} << 62 |
           std::uint64_t{word.report} << 53 | (-std::uint64_t{word.pending} & 0x1ff) << 43 |
           std::uint64_t{word.lock} << 42 |
           (-static_cast<std::uint64_t>(word.tx) & 0x1fffff) << 21 |
           std::uint64_t{word.last} << 12 | (-std::uint64_t{word.expected} & 0x1ff) << 1 | 1;
  }
  return std::uint64_t{word.phase} << 63 | (-std::uint64_t{word.pending} & 0xfffff) << 43 |
         std::uint64_t{word.lock} << 42 | (-static_cast<std::uint64_t>(word.tx) & 0x1fffff) << 21 |
         (-std::uint64_t{word.expected} & 0xfffff) << 1 | std::uint64_t{word.reserved};
}

// `layouts`: the unit has both layouts, and bit 0 tells which it is.
constexpr MbWord DecodeMbWord(std::uint64_t word, bool layouts = false) {
  const auto tx = static_cast<std::int64_t>(-(word >> 21) & 0x1fffff);
  MbWord fields;
  fields.v1 = layouts && (word & 1) != 0;
  const std::uint64_t counts = fields.v1 ? 0x1ff : 0xfffff;
  fields.phase = word >> 63 != 0;
  fields.pending = static_cast<std::uint32_t>(-(word >> 43) & counts);
  fields.lock = (word >> 42 & 1) != 0;
  fields.tx = tx <= 0x100000 ? tx : tx - 0x200000;
  fields.expected = static_cast<std::uint32_t>(-(word >> 1) & counts);
  fields.reserved = !layouts && (word & 1) != 0;
  if (fields.v1) {
    fields.conditional = (word >> 62 & 1) != 0;
    fields.report = word >> 53 & 0x1ff;
    fields.last = word >> 12 & 0x1ff;
  }
  return fields;
}

// mbarrier.pending_count: a token is the word before the arrive-on, of layout v0.
constexpr std::uint32_t PendingCount(std::uint64_t token) { return DecodeMbWord(token).pending; }

}  // namespace muster

#endif  // MUSTER_SIM_ISA_MBARRIER_WORD_H_
