// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A small generator (SplitMix64): the same seed gives the same run on every machine.
#ifndef MUSTER_SIM_PTX_RANDOM_H_
#define MUSTER_SIM_PTX_RANDOM_H_

#include <cstdint>

namespace muster::ptx {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // 0 to bound - 1.
  std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((Next() >> 32) * bound) >> 32);
  }
  bool OneIn(std::uint32_t n) { return Below(n) == 0; }

 private:
  std::uint64_t state_;
};

// The bits of a mask, lowest first.
template <typename Mask, typename F>
void ForEachBit(Mask mask, F f) {
  for (; mask != 0; mask &= mask - 1) {
    f(static_cast<unsigned>(__builtin_ctzll(mask)));
  }
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RANDOM_H_
