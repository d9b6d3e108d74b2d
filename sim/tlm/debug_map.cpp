// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/debug_map.h"

#include <cstring>

namespace muster::tlm {
namespace {

constexpr std::uint64_t kEntryBytes = 4;
constexpr std::uint64_t kWarpBytes = 8;
constexpr std::uint64_t kWordBytes = 8;

// A byte of a word in the host's order.
template <typename Word>
unsigned char ByteOf(Word word, std::uint64_t number) {
  unsigned char bytes[sizeof(Word)];
  std::memcpy(bytes, &word, sizeof(Word));
  return bytes[number];
}

}  // namespace

unsigned DebugMap::Read(std::uint64_t address, unsigned char* data, unsigned length) const {
  for (unsigned i = 0; i < length; ++i) {
    const std::optional<unsigned char> byte = ByteAt(address + i);
    if (!byte) {
      return i;
    }
    data[i] = *byte;
  }
  return length;
}

std::optional<unsigned char> DebugMap::ByteAt(std::uint64_t address) const {
  if (address < kWords) {
    const std::uint64_t within = address % sizeof(std::uint32_t);
    const std::optional<std::uint32_t> word = StateWordAt(address - within);
    return word ? std::optional(ByteOf(*word, within)) : std::nullopt;
  }
  const std::uint64_t cta = (address - kWords) / kWordsStride;
  const std::uint64_t at = (address - kWords) % kWordsStride;
  if (cta >= config_.num_ctas || at >= config_.smem_bytes) {
    return std::nullopt;
  }
  const std::uint64_t within = at % kWordBytes;
  return ByteOf(
      mbarriers_.Word(static_cast<unsigned>(cta), static_cast<std::uint32_t>(at - within)), within);
}

std::optional<std::uint32_t> DebugMap::StateWordAt(std::uint64_t address) const {
  const std::uint64_t entry = (address - kEntries) / kEntryBytes;
  if (address < kWarps) {
    return entry / kNumBars < config_.num_ctas
               ? std::optional(model_.EntryWord(static_cast<unsigned>(entry / kNumBars),
                                                static_cast<unsigned>(entry % kNumBars)))
               : std::nullopt;
  }
  const std::uint64_t warp = (address - kWarps) / kWarpBytes;
  if (warp >= config_.num_warps) {
    return std::nullopt;
  }
  if (address % kWarpBytes == 0) {
    return model_.WarpWord(static_cast<unsigned>(warp));
  }
  const auto bit = [&](golden::WarpSet warps) {
    return static_cast<std::uint32_t>(warps >> warp & 1);
  };
  return bit(model_.Live()) | bit(model_.Waiting()) << 1 | bit(mbarriers_.Parked()) << 2;
}

}  // namespace muster::tlm
