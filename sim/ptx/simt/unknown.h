// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Values that are not known, since an instruction is not computed, and where they come from. Kept
// only of what is unknown: a program without such instructions has none of it.
#ifndef MUSTER_SIM_PTX_SIMT_UNKNOWN_H_
#define MUSTER_SIM_PTX_SIMT_UNKNOWN_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/isa/warp_size.h"

namespace muster::ptx {

// Where an unknown value comes from, a number of Origins; 0: it is known.
using Origin = std::uint32_t;

// Instructions that are not computed, in words, of all programs that a device runs.
class Origins {
 public:
  Origin Number(const std::string& name);
  const std::string& NameOf(Origin origin) const { return names_[origin - 1]; }
  // Whether a program may write what is unknown, or a program before it may have.
  bool possible = false;

 private:
  std::vector<std::string> names_;
};

// Of a memory, or of the bytes that a transfer moves.
class UnknownBytes {
 public:
  bool empty() const { return runs_.empty(); }
  // Marks bytes as unknown, or (0) as known. Returns whether that changes anything.
  bool Set(std::uint64_t first, std::uint64_t size, Origin origin);
  // Returns the origin of the first of them that is unknown.
  Origin Find(std::uint64_t first, std::uint64_t size) const;
  // Bytes of another memory are copied here.
  void Copy(std::uint64_t to, const UnknownBytes& from, std::uint64_t first, std::uint64_t size);

 private:
  struct Run {
    std::uint64_t end = 0;
    Origin origin = 0;
  };
  std::map<std::uint64_t, Run> runs_;  // by their first bytes; none overlaps another one
};

// Of the registers of a warp, by frame and slot.
class UnknownRegisters {
 public:
  Origin At(std::uint32_t reg, unsigned lane) const {
    const auto found = origins_.find(reg);
    return found == origins_.end() ? 0 : found->second[lane];
  }
  void Set(std::uint32_t reg, unsigned lane, Origin origin) {
    if (origin != 0 || origins_.count(reg) != 0) {
      origins_[reg][lane] = origin;
    }
  }

 private:
  std::unordered_map<std::uint32_t, std::array<Origin, kWarpSize>> origins_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_UNKNOWN_H_
