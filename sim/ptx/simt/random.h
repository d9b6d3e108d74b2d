// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A small generator (SplitMix64): the same seed gives the same run on every machine.
#ifndef MUSTER_SIM_PTX_SIMT_RANDOM_H_
#define MUSTER_SIM_PTX_SIMT_RANDOM_H_

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

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_RANDOM_H_
