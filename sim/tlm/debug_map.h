// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The addresses at which transport_dbg of a BarrierUnit reads what the unit holds, in bytes from
// the unit's own address:
//
//   kEntries + 64 * cta + 4 * bar     32 bits: the state word of barrier `bar` of a CTA slot, as
//                                     B2R.BAR reads it
//   kWarps + 8 * warp                 32 bits: the state word of a warp slot, as B2R.WARP reads it
//   kWarps + 8 * warp + 4             32 bits: bit 0 the warp is live, bit 1 it waits at a named
//                                     barrier, bit 2 lanes of it are parked at an mbarrier
//   kWords + kWordsStride * cta + a   64 bits: the word at byte `a` of the CTA's shared memory, if
//                                     an mbarrier has been there; else 0. `a` is a multiple of 8
//
// for the CTA slots, warps and bytes of shared memory that the configuration has. Words have the
// byte order of the host, as TLM-2.0 has it. rtl/README.md draws the state words, and
// sim/golden/mbarrier.md the words of mbarriers.
#ifndef MUSTER_SIM_TLM_DEBUG_MAP_H_
#define MUSTER_SIM_TLM_DEBUG_MAP_H_

#include <cstdint>
#include <optional>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"

namespace muster::tlm {

class DebugMap {
 public:
  static constexpr std::uint64_t kEntries = 0x0;
  static constexpr std::uint64_t kWarps = 0x1000;
  static constexpr std::uint64_t kWords = 0x0100'0000;
  static constexpr std::uint64_t kWordsStride = 0x0100'0000;  // 16 MiB
  // The bytes that a platform sets aside for the unit.
  static constexpr std::uint64_t kSize = kWords + kMaxCtas * kWordsStride;

  // `config` as that of the models, which are only read.
  DebugMap(const Config& config, const golden::Model& model, const golden::Mbarriers& mbarriers)
      : config_(config), model_(model), mbarriers_(mbarriers) {}

  // Copies `length` bytes from `address` on to `data`, as far as the map goes; returns how many.
  unsigned Read(std::uint64_t address, unsigned char* data, unsigned length) const;

 private:
  std::optional<unsigned char> ByteAt(std::uint64_t address) const;
  std::optional<std::uint32_t> StateWordAt(std::uint64_t address) const;  // of four aligned bytes

  const Config config_;
  const golden::Model& model_;
  const golden::Mbarriers& mbarriers_;
};

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_DEBUG_MAP_H_
