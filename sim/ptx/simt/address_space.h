// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the addresses of a thread name: bytes of shared memory, of its cluster's CTAs too, of local
// memory, of global memory and of parameters (PTX ISA, 5.1). Knows where bytes are and whether
// they are the thread's; does not read or write them.
#ifndef MUSTER_SIM_PTX_SIMT_ADDRESS_SPACE_H_
#define MUSTER_SIM_PTX_SIMT_ADDRESS_SPACE_H_

#include <cstdint>
#include <string>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/launch.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/unknown.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

// In Warp::unknown_stacks, the bits of an index within the local memory of one lane.
inline constexpr unsigned kStackBits = 20;

// "reads 4 bytes"
std::string Moves(unsigned bytes, bool write);
// Returns the CTA in whose shared memory the address lies, or null if the cluster has no such CTA.
Cta* CtaAt(const Warp& warp, std::uint64_t shared);
// Returns where an address of parameters is in memory; any other address is there itself.
inline std::uint64_t InMemory(const Warp& warp, std::uint64_t address) {
  return SegmentOf(address) == kParamSegment ? warp.cta->launch->parameters + ByteOf(address)
                                             : address;
}

// What is unknown of a memory, and a byte of that memory.
struct UnknownPlace {
  UnknownBytes* bytes;
  std::uint64_t at;
};

class AddressSpace {
 public:
  explicit AddressSpace(Memory* memory) : memory_(memory) {}

  // Returns the bytes, or null where not all of them are the thread's.
  std::uint8_t* Reach(Warp* warp, unsigned lane, Space space, std::uint64_t address, unsigned bytes,
                      bool write) const;
  // The same, also null where they are misaligned.
  std::uint8_t* Resolve(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                        unsigned bytes, bool write) const;
  // Returns what is unknown of the memory that an address names.
  UnknownPlace UnknownAt(Warp* warp, unsigned lane, Space space, std::uint64_t address) const;
  // Say why Reach, or Resolve, returns null.
  std::string DescribeReach(const Warp& warp, Space space, std::uint64_t address, unsigned bytes,
                            bool write) const;
  std::string DescribeAccess(const Warp& warp, Space space, std::uint64_t address, unsigned bytes,
                             bool write) const;

 private:
  Memory* memory_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_ADDRESS_SPACE_H_
