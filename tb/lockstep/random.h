// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same everywhere: xoshiro256**, seeded by splitmix64 (Blackman and
// Vigna, public domain algorithms).
#ifndef MUSTER_TB_LOCKSTEP_RANDOM_H_
#define MUSTER_TB_LOCKSTEP_RANDOM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"

namespace muster::lockstep {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
      mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
      word = mixed ^ mixed >> 31;
    }
  }

  std::uint64_t Next() {
    const std::uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  std::uint32_t Word() { return static_cast<std::uint32_t>(Next() >> 32); }
  // 0 to n-1.
  unsigned Below(unsigned n) { return static_cast<unsigned>(std::uint64_t{Word()} * n >> 32); }
  unsigned Between(unsigned low, unsigned high) { return low + Below(high - low + 1); }
  bool Percent(unsigned percent) { return Below(100) < percent; }
  bool OneIn(unsigned n) { return Below(n) == 0; }

  template <typename T, std::size_t kSize>
  T Pick(const std::array<T, kSize>& from) {
    return from[Below(kSize)];
  }

  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[Below(static_cast<unsigned>(from.size()))];
  }

  // The index of one of the bits that are set; there must be one.
  unsigned Bit(std::uint64_t bits) {
    unsigned skip = Below(static_cast<unsigned>(__builtin_popcountll(bits)));
    for (; skip != 0; --skip) {
      bits &= bits - 1;
    }
    return static_cast<unsigned>(__builtin_ctzll(bits));
  }

  // A bit in 2^level is set; none from level 32 on.
  std::uint64_t Sparse(unsigned level) {
    std::uint64_t bits = level < 32 ? ~std::uint64_t{0} : 0;
    for (; level != 0 && bits != 0; --level) {
      bits &= Next();
    }
    return bits;
  }

 private:
  static std::uint64_t Rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

  std::array<std::uint64_t, 4> state_{};
};

// Lanes that no warp has, now and then: they take no part.
inline std::uint32_t LanesBeyond(const Config& config, Random* random) {
  return config.warp_size < kMaxLanes && random->OneIn(4) ? random->Word() & ~LanesOfWarp(config)
                                                          : 0;
}

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_RANDOM_H_
