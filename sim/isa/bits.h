// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Sets of warps and lanes as the bits of a number.
#ifndef MUSTER_SIM_ISA_BITS_H_
#define MUSTER_SIM_ISA_BITS_H_

#include <cstdint>

namespace muster {

constexpr std::uint64_t Bit(unsigned index) { return std::uint64_t{1} << index; }
// How many there are.
constexpr unsigned Ones(std::uint64_t set) {
  return static_cast<unsigned>(__builtin_popcountll(set));
}
// The lowest of a set that is not empty.
constexpr unsigned First(std::uint64_t set) { return static_cast<unsigned>(__builtin_ctzll(set)); }

// Calls f for each, from the lowest on.
template <typename Set, typename F>
void ForEachBit(Set set, F f) {
  for (; set != 0; set &= set - 1) {
    f(First(set));
  }
}

}  // namespace muster

#endif  // MUSTER_SIM_ISA_BITS_H_
