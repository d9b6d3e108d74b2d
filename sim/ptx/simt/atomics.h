// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Atomics on shared memory that a unit carries out, as the lanes of a warp and all others that
// store to that memory see them.
#ifndef MUSTER_SIM_PTX_SIMT_ATOMICS_H_
#define MUSTER_SIM_PTX_SIMT_ATOMICS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "sim/isa/atomic_operation.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// The unit's operation, and its size of a value; nothing: the unit has no such size.
AtomicOp AtomicOpOf(Atomic op, Type type);
std::optional<AtomicSize> AtomicSizeOf(unsigned bytes);

// An instruction of lanes of a warp. The warp stands still until the last of its updates has
// committed.
struct AtomicCall {
  AtomicInstruction instruction;
  // The value is in the memory of another CTA of the cluster: its rank.
  std::uint32_t away = 0;
  std::array<std::uint8_t, kMaxLanes> rank{};
  std::uint32_t line = 0;
  std::uint32_t pass = 0;   // of a schedule (ScheduleReplay::pass)
  std::uint32_t frame = 0;  // of the register that takes the answers
  Slot d = kNoSlot;
  Slot d_upper = kNoSlot;  // of 128 bits
};

// What is in front of the shared memory of a core's CTAs, if the program has atomics there.
class AtomicSink {
 public:
  AtomicSink() = default;
  AtomicSink(const AtomicSink&) = delete;
  AtomicSink& operator=(const AtomicSink&) = delete;
  virtual ~AtomicSink() = default;

  // Whether the unit has read some word and not written it.
  virtual bool HoldsAny() const = 0;
  // May these bytes of the CTA in that slot be stored to in this cycle? If not, the store is tried
  // again later.
  virtual bool MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_ATOMICS_H_
