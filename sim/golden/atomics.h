// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of atomics on shared memory, written from PTX ISA 9.7.13.5 and .6: what an
// operation makes of a value, of the word around it, and of memory, lane by lane.
#ifndef MUSTER_SIM_GOLDEN_ATOMICS_H_
#define MUSTER_SIM_GOLDEN_ATOMICS_H_

#include <array>
#include <cstdint>
#include <functional>

#include "sim/isa/atomic_operation.h"
#include "sim/isa/fault.h"

namespace muster::golden {

// The value in memory after the operation; `b` and, of kCas, `c` are the operands in the order of
// the text: c takes the place of a value that equals b. Only the bits of the size count.
std::uint64_t CombineAtomic(AtomicOp op, AtomicSize size, bool is_signed, std::uint64_t old,
                            std::uint64_t b, std::uint64_t c);

struct AtomicEffects {
  FaultCause fault = FaultCause::kNone;
  std::uint64_t before = 0;  // the word around the value
  std::uint64_t after = 0;
};
// `word`: the eight bytes around the value, or those of the half. `also`: the other half, if there
// is one, is as kCas wants it.
AtomicEffects StepAtomic(const AtomicUpdate& update, std::uint64_t word, std::uint32_t smem_bytes,
                         bool also = true);
// Whether a half of 128 bits is as kCas wants it.
bool IsAsWanted(const AtomicUpdate& update, std::uint64_t word);

// An instruction, its lanes one by one in lane order. Lanes at fault change nothing and get 0.
struct AtomicLanes {
  std::uint32_t at_fault = 0;
  std::array<std::uint64_t, kMaxLanes> before{};
  std::array<std::uint64_t, kMaxLanes> before_upper{};  // of 128 bits
};
// `word`: access to the eight bytes at an address.
AtomicLanes PerformAtomic(const AtomicInstruction& instruction, std::uint32_t smem_bytes,
                          const std::function<std::uint64_t&(std::uint32_t addr)>& word);

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_ATOMICS_H_
