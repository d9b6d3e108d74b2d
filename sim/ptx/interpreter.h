// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs threads, one warp instruction at a time, up to the barriers: those are handed out, to be
// carried out by the unit.
#ifndef MUSTER_SIM_PTX_INTERPRETER_H_
#define MUSTER_SIM_PTX_INTERPRETER_H_

#include <array>
#include <cstdint>
#include <string>

#include "sim/ptx/compute.h"
#include "sim/ptx/gather.h"
#include "sim/ptx/memory.h"
#include "sim/ptx/program.h"
#include "sim/ptx/random.h"
#include "sim/ptx/warp.h"

namespace muster::ptx {

struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::uint32_t shared_bytes = 0;  // of a CTA, all in all

  std::uint64_t Threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
  std::uint64_t Warps() const { return (Threads() + kWarpSize - 1) / kWarpSize; }
  std::uint64_t Ctas() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
};

// A point of a grid or a block, from its linear index.
std::array<std::uint32_t, 3> PointOf(std::uint64_t index,
                                     const std::array<std::uint32_t, 3>& extent);

class Interpreter {
 public:
  enum class Event : std::uint8_t {
    kNone,
    kAccess,   // of memory
    kBarrier,  // warp->arrival says which; its lanes have moved on
    kExit,     // warp->exited
    kStuck,    // no lane can go on by itself
    kFault,    // problem() and problem_line(): an access outside of memory, or a broken stack
    kAssert,   // likewise: __assertfail or trap
  };

  Interpreter(const Program& program, const Launch& launch, Memory* memory, LaneGather* gather,
              std::uint64_t seed);

  // The threads from warp->first_thread on begin.
  void Start(Warp* warp);
  // Runs one instruction of one group of lanes.
  Event Step(Warp* warp, std::uint64_t cycle);
  // Writes the result of the warp's latest barrier, a reduction.
  static void WriteResult(Warp* warp, std::uint32_t value);

  const std::string& problem() const { return problem_; }
  std::uint32_t problem_line() const { return problem_line_; }
  std::uint64_t warp_instructions() const { return warp_instructions_; }
  std::uint64_t thread_instructions() const { return thread_instructions_; }
  // "thread (3,0,0) of CTA (1,0,0)"
  std::string ThreadName(const Warp& warp, unsigned lane) const;
  std::uint32_t LineAt(std::uint32_t pc) const { return program_.code[pc].line; }

 private:
  Group* Pick(Warp* warp);
  void Merge(Warp* warp, std::size_t index);
  void Split(Warp* warp, std::size_t index, std::uint32_t lanes, std::uint32_t pc);
  void Remove(Warp* warp, std::size_t index);
  void Advance(Warp* warp, std::size_t index);

  Event Execute(Warp* warp, std::size_t index);
  std::uint32_t Active(const Warp& warp, const Group& group, const Instruction& i) const;
  Lanes LanesOf(Warp* warp, const Group& group, std::uint32_t lanes) const;

  // Barriers and what else needs several lanes.
  Event ComeToBarrier(Warp* warp, std::size_t index);
  Arrival ArrivalOf(Warp* warp, const Group& group) const;
  Event Arrive(Warp* warp, std::size_t index);
  Event TakeGathered(Warp* warp);
  bool LeaveWarpSync(Warp* warp, std::size_t index);
  void ExecuteVote(const Lanes& lanes);
  void ExecuteShuffle(const Lanes& lanes);

  // Control.
  void ExecuteBranch(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteCall(Warp* warp, std::size_t index, std::uint32_t active);
  void ExecuteReturn(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteExit(Warp* warp, std::size_t index, std::uint32_t active);
  Event Fault(const Warp& warp, unsigned lane, std::uint32_t line, const std::string& what);
  Event ExecuteAssert(Warp* warp, const Group& group, std::uint32_t active);

  // Memory.
  Event ExecuteAccess(Warp* warp, const Group& group, std::uint32_t active);
  std::uint8_t* Resolve(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                        unsigned bytes, bool write);
  std::string DescribeAccess(const Warp& warp, Space space, std::uint64_t address, unsigned bytes,
                             bool write) const;
  std::string TextAt(Warp* warp, unsigned lane, std::uint64_t address);
  void ExecuteSpecial(Warp* warp, const Lanes& lanes) const;

  const Program& program_;
  const Launch& launch_;
  Memory* memory_;
  LaneGather* gather_;
  Random random_;
  std::uint64_t cycle_ = 0;
  std::string problem_;
  std::uint32_t problem_line_ = 0;
  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_INTERPRETER_H_
