// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What all parts of the interpreter share: the program and the memory, those that are told and
// asked, the time, and the problem that ends a run. Knows how operands are read; knows no
// instruction.
#ifndef MUSTER_SIM_PTX_SIMT_EXECUTION_H_
#define MUSTER_SIM_PTX_SIMT_EXECUTION_H_

#include <cstdint>
#include <string>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/access_sink.h"
#include "sim/ptx/simt/address_space.h"
#include "sim/ptx/simt/lane_groups.h"
#include "sim/ptx/simt/late_sink.h"
#include "sim/ptx/simt/launch.h"
#include "sim/ptx/simt/livelock_detector.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/simt/unknown_registers.h"
#include "sim/ptx/simt/warp.h"
#include "sim/ptx/simt/warp_unit.h"

namespace muster::ptx {

// What one instruction of a group of lanes brings about.
enum class StepEvent : std::uint8_t {
  kNone,
  kAccess,    // of memory
  kBarrier,   // warp->arrival says which; its lanes have moved on
  kMbarrier,  // warp->mbarrier says which
  kAtomic,    // warp->atomic says which; the warp stands still until it is performed
  kGrid,      // griddepcontrol: warp->grid_control says which; its lanes have moved on
  kExit,      // warp->exited
  kAsleep,    // no lane can go on before the unit answers, or its time has come
  kStuck,     // no lane can go on by itself
  kFault,     // the problem: an access outside of memory, or a broken stack
  kMisuse,    // likewise, with a cause: what the text leaves undefined
  kAssert,    // likewise: __assertfail or trap
};

struct Execution {
  Execution(const Program& of_program, const Launch& of_launch, Memory* in_memory,
            std::uint64_t seed);

  // Returns the lanes of the group whose guard lets them execute the instruction.
  std::uint32_t Active(const Warp& warp, const Group& group, const Instruction& i) const;
  // Returns the group's instruction and the registers of these lanes.
  Lanes LanesOf(Warp* warp, const Group& group, std::uint32_t lanes) const;
  // Returns the 32 bits of an operand of the group's instruction.
  std::uint32_t ValueOf(const Warp& warp, const Group& group, Slot slot, unsigned lane) const;
  // Returns whether the CTA has enough of what the group, at tcgen05.alloc or setmaxnreg, takes.
  bool MayTake(const Warp& warp, const Group& group) const;
  // "thread (3,0,0) of CTA (1,0,0)"
  std::string ThreadName(const Warp& warp, unsigned lane) const;

  // The run ends with a problem of one thread: what it does, in words that follow its name.
  StepEvent Fault(const Warp& warp, unsigned lane, std::uint32_t line, const std::string& what);
  // The same, of what the text leaves undefined.
  StepEvent Misuse(const Warp& warp, unsigned lane, std::uint32_t line, const char* cause,
                   const std::string& what);

  const Program& program;
  const Launch& launch;
  Memory* const memory;
  const AddressSpace space;
  WarpUnit* warp_unit = nullptr;         // if lanes of the program may wait for each other
  MbarrierSink* mbarriers = nullptr;     // if the program has mbarriers
  bool has_atomics = false;              // the unit carries out atomics on shared memory
  AccessSink* accesses = nullptr;        // is told of accesses
  LateSink* late = nullptr;              // performs accesses late; null: all are at once
  bool whole_copies = false;             // a bulk copy is one transfer, not several pieces
  LivelockDetector* livelock = nullptr;  // is told of lanes that go back
  ScheduleReplay* replay = nullptr;      // has the turns of lanes; null: they go in any order
  Random random;
  std::uint64_t cycle = 0;
  std::uint64_t clock_period_ps = 1000;
  bool changed = false;       // memory that several threads see
  bool released = false;      // columns of tensor memory, or registers
  const bool tracks_unknown;  // values may be unknown
  const bool has_warpgroups;  // the program has instructions of four warps
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t rendezvous_lanes = 0;

  struct Problem {
    std::string what;
    std::uint32_t line = 0;
    std::uint32_t lanes = 0;
    const char* cause = "";
  };
  Problem problem;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_EXECUTION_H_
