// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What wgmma needs to be remembered: of four warps, that each executes the same instructions; of a
// warp, which registers its products in flight have, and what has touched them since the latest
// fence; of a product, where its operands are.
#ifndef MUSTER_SIM_PTX_SIMT_WARPGROUP_H_
#define MUSTER_SIM_PTX_SIMT_WARPGROUP_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/sparse_matrix.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

struct Warp;

inline constexpr unsigned kWarpgroupWarps = 4;
inline constexpr unsigned kWarpgroupThreads = kWarpgroupWarps * kWarpSize;

// The instructions that four warps have to execute together (.aligned), in their order. They need
// not wait for each other.
class Warpgroup {
 public:
  struct Step {
    std::uint32_t pc = 0;
    std::array<std::uint64_t, 2> matrices{};  // the descriptors, of wgmma.mma_async
    std::optional<RegisterLimit> limit{};     // of setmaxnreg

    // Warps of different roles each have a setmaxnreg at a place of their own, as Triton's compiler
    // writes it: the same one is one that does the same.
    bool IsSameAs(const Step& other) const {
      return limit || other.limit ? limit == other.limit
                                  : pc == other.pc && matrices == other.matrices;
    }
  };
  // What another warp has done instead: it executed that step, or exited (null).
  struct Difference {
    unsigned warp = 0;
    std::optional<Step> step;
  };

  explicit Warpgroup(unsigned warps) : warps_(warps) {}
  unsigned warps() const { return warps_; }  // fewer than four, where the block is not so large

  // The warp executes its next step.
  std::optional<Difference> Join(unsigned warp, const Step& step);
  // The warp ends. Returns what another has executed without it.
  std::optional<Difference> Leave(unsigned warp);

 private:
  struct Entry {
    Step step;
    unsigned by = 0;  // the first warp to come
  };

  unsigned warps_;
  std::deque<Entry> steps_;  // from number first_ on: those that not all have executed
  std::uint64_t first_ = 0;
  std::array<std::uint64_t, kWarpgroupWarps> taken_{};  // steps, by warp
  std::array<bool, kWarpgroupWarps> left_{};
};

// The registers of a CTA, in registers of a thread for each lane of a warp.
struct RegisterPool {
  std::uint32_t free = 0;
  std::vector<std::uint32_t> of_warp;
};

// The registers of a warp that products in flight have.
class Fragments {
 public:
  struct Use {
    std::uint32_t pc = 0;     // the product
    std::uint32_t group = 0;  // that it is of
    std::uint16_t n = 0;      // its shape, with the depth
    unsigned depth = 0;
    bool accumulates = false;  // or it is of A
    bool fenced = false;       // a wgmma.fence has come since
  };

  void Fence();
  void Commit() { ++group_; }
  void Wait(std::uint32_t groups);
  // An instruction that is no product reads or writes the register. Returns the product in flight
  // that has it, if any.
  std::optional<Use> Touch(std::uint32_t reg, std::uint32_t pc);
  // A product has the register.
  void Take(std::uint32_t reg, Use use);
  bool IsFenced() const { return fenced_; }  // there was a fence at all
  // What has touched the register since the latest fence, and the product in flight that has it.
  std::optional<std::uint32_t> TouchedBy(std::uint32_t reg) const;
  std::optional<Use> InFlight(std::uint32_t reg) const;

 private:
  std::unordered_map<std::uint32_t, Use> in_flight_;          // by register
  std::unordered_map<std::uint32_t, std::uint32_t> touched_;  // pc, by register
  std::uint32_t group_ = 0;
  bool fenced_ = false;
};

// A product that a warp has started.
struct StartedProduct {
  const WarpgroupProduct* instruction = nullptr;
  Warp* warp = nullptr;
  std::uint32_t frame = 0;
  std::array<std::uint64_t, 2> matrices{};          // descriptors of A and B
  std::array<std::uint32_t, kWarpSize> metadata{};  // of a sparse A
  bool adds = false;

  SparseRows Rows() const;  // of a sparse A
  // Where its operands lie in shared memory, as ranges of bytes in ascending order.
  std::vector<std::pair<std::uint64_t, unsigned>> Ranges() const;
  // Reads them, and writes the warp's part of D.
  void Perform(const std::vector<std::uint8_t>& shared) const;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARPGROUP_H_
