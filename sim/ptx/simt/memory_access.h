// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that access memory themselves, and those that compute addresses: ld, st, atom, red,
// st.bulk, fence, cvta, isspacep, mapa, getctarank. Of these, PTX ISA 9.7.13.4 to 9.7.13.6 has
// fences, atom and red. Knows what a lane reads and writes; does not know what is started and
// performed later.
#ifndef MUSTER_SIM_PTX_SIMT_MEMORY_ACCESS_H_
#define MUSTER_SIM_PTX_SIMT_MEMORY_ACCESS_H_

#include <cstdint>
#include <optional>

#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/unknowns.h"

namespace muster::ptx {

class MemoryAccess {
 public:
  MemoryAccess(Execution* execution, Unknowns* unknowns) : x_(*execution), unknowns_(*unknowns) {}

  // Returns whether the units let all lanes access shared memory in this cycle.
  bool MayAccess(Warp* warp, const Lanes& lanes);
  bool MayStoreBesideAtomics(Warp* warp, const Lanes& lanes);
  bool MayStoreBulk(const Warp& warp, const Lanes& lanes) const;

  StepEvent ExecuteAccess(Warp* warp, const Group& group, std::uint32_t active);
  // Performs loads of the warp whose time has come. Returns whether the group's instruction has to
  // wait for others.
  bool AwaitLate(Warp* warp, const Group& group);
  StepEvent ExecuteStoreBulk(Warp* warp, const Lanes& lanes);
  StepEvent ExecuteFence(Warp* warp, const Lanes& lanes);
  static void ExecuteAddress(Warp* warp, const Lanes& lanes);
  static void ExecuteMap(const Warp& warp, const Lanes& lanes);

  // Hands an atomic to the unit: warp->atomic. Nothing: it is performed in place.
  std::optional<StepEvent> ReachAtomic(Warp* warp, std::size_t index, std::uint32_t active);
  // An update of the warp's latest atomic is answered: the word in which its value was, or a half
  // of it.
  static void AnswerAtomic(Warp* warp, unsigned lane, bool upper, std::uint64_t word);
  // All of it is performed.
  void EndAtomic(Warp* warp);

  // Tells of one lane's access to memory that others may access, too.
  void Tell(const Warp& warp, unsigned lane, const Instruction& i, const Access& access,
            std::uint64_t address, bool changed) const;

 private:
  struct Span {
    std::uint8_t* at = nullptr;
    unsigned own = 0;  // bytes from there on that are the thread's
  };
  Span SpanOf(Warp* warp, unsigned lane, Op op, const Access& access, std::uint64_t address);
  void LoadLate(Warp* warp, const Lanes& lanes, unsigned lane, std::uint64_t address,
                const Span& span);
  static const char* Misplaced(Op op, const Access& access, std::uint64_t address);
  void NoteStore(Warp* warp, const Lanes& lanes, unsigned lane, const std::uint8_t* before,
                 const Span& span);

  Execution& x_;
  Unknowns& unknowns_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_MEMORY_ACCESS_H_
