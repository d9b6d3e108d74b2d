// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The generic address space: bits 63:36 number a segment, bits 35:0 a byte in it. Global and
// constant addresses are generic ones; shared and local addresses, and those of a kernel's
// parameters, are the byte alone.
#ifndef MUSTER_SIM_PTX_PROGRAM_ADDRESS_H_
#define MUSTER_SIM_PTX_PROGRAM_ADDRESS_H_

#include <cstdint>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

inline constexpr unsigned kSegmentBits = 36;
inline constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << kSegmentBits;

enum Segment : std::uint64_t {
  kNullSegment = 0,
  kGlobalSegment = 1,  // the file's own .global variables
  kConstSegment = 2,
  kParamSegment = 3,
  kSharedSegment = 4,
  kLocalSegment = 5,
  kCodeSegment = 6,   // addresses of functions, which cannot be read
  kFirstBuffer = 16,  // a segment for each buffer of the manifest, then for each malloc
};

// What .global accesses reach. Constants and the parameters of a kernel lie there, too: compilers
// take a pointer that a kernel finds in global memory for a global one.
constexpr bool IsInGlobalWindow(std::uint64_t segment) {
  return segment == kGlobalSegment || segment == kConstSegment || segment == kParamSegment ||
         segment >= kFirstBuffer;
}

constexpr std::uint64_t SegmentOf(std::uint64_t address) { return address >> kSegmentBits; }
constexpr std::uint64_t ByteOf(std::uint64_t address) { return address & (kSegmentBytes - 1); }
constexpr std::uint64_t GenericAddress(std::uint64_t segment, std::uint64_t byte) {
  return (segment << kSegmentBits) | byte;
}

// The address of a function is its index, as if each took a few bytes.
inline constexpr std::uint64_t kFunctionBytes = 16;
constexpr std::uint64_t FunctionAddress(std::uint64_t index) {
  return GenericAddress(kCodeSegment, (index + 1) * kFunctionBytes);
}
// The index of the function at an address; `count` or more if there is none.
constexpr std::uint64_t FunctionAt(std::uint64_t address, std::uint64_t count) {
  const std::uint64_t byte = ByteOf(address);
  const bool fits = SegmentOf(address) == kCodeSegment && byte != 0 && byte % kFunctionBytes == 0;
  return fits ? byte / kFunctionBytes - 1 : count;
}

// An address of shared memory that names a CTA of the cluster has its rank, plus 1, from this bit
// on; 0 there is the CTA's own memory. All of it fits 32 bits.
inline constexpr unsigned kRankBit = 24;
constexpr std::uint64_t RankField(std::uint64_t shared) { return shared >> kRankBit; }
constexpr std::uint64_t SharedByte(std::uint64_t shared) {
  return shared & ((std::uint64_t{1} << kRankBit) - 1);
}
constexpr std::uint64_t ClusterAddress(unsigned rank, std::uint64_t shared) {
  return ((std::uint64_t{rank} + 1) << kRankBit) | SharedByte(shared);
}
// What mapa makes of no address of shared memory, or for a rank that is larger yet: no cluster has
// it.
inline constexpr unsigned kNoRank = 254;

// Returns what cvta adds to an address of `space`.
constexpr std::uint64_t WindowOf(Space space) {
  return IsShared(space)          ? GenericAddress(kSharedSegment, 0)
         : space == Space::kLocal ? GenericAddress(kLocalSegment, 0)
         : space == Space::kParam ? GenericAddress(kParamSegment, 0)
                                  : 0;
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_ADDRESS_H_
