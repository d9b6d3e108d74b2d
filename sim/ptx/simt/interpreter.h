// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs threads, one warp instruction at a time, up to the barriers: those are handed out, to be
// carried out by the unit. Knows which part carries out an instruction, and the turns of a
// schedule; the parts know the instructions.
#ifndef MUSTER_SIM_PTX_SIMT_INTERPRETER_H_
#define MUSTER_SIM_PTX_SIMT_INTERPRETER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sim/isa/fault.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/access_sink.h"
#include "sim/ptx/simt/async_copies.h"
#include "sim/ptx/simt/collectives.h"
#include "sim/ptx/simt/control_flow.h"
#include "sim/ptx/simt/device_runtime.h"
#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/launch.h"
#include "sim/ptx/simt/livelock_detector.h"
#include "sim/ptx/simt/matrices.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/memory_access.h"
#include "sim/ptx/simt/multimem.h"
#include "sim/ptx/simt/printf.h"
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/simt/standing.h"
#include "sim/ptx/simt/tensor_core.h"
#include "sim/ptx/simt/texturing.h"
#include "sim/ptx/simt/unknowns.h"
#include "sim/ptx/simt/waits.h"
#include "sim/ptx/simt/warp.h"
#include "sim/ptx/simt/warp_barriers.h"
#include "sim/ptx/simt/warp_unit.h"
#include "sim/ptx/simt/warpgroup_unit.h"

namespace muster::ptx {

class Interpreter {
 public:
  // What the kernel prints is added to *printed.
  Interpreter(const Program& program, const Launch& launch, Memory* memory, Printed* printed,
              std::uint64_t seed);
  Interpreter(const Interpreter&) = delete;  // its parts refer to it
  Interpreter& operator=(const Interpreter&) = delete;

  // Before the first step: Execution says what each of them is.
  void set_warp_unit(WarpUnit* unit) { x_.warp_unit = unit; }
  void set_mbarriers(MbarrierSink* port) { x_.mbarriers = port; }
  void set_atomics() { x_.has_atomics = true; }
  void set_accesses(AccessSink* sink) { x_.accesses = sink; }
  void set_late(LateSink* late) { x_.late = late; }
  void set_whole_copies() { x_.whole_copies = true; }
  void set_livelock_detector(LivelockDetector* detector) { x_.livelock = detector; }
  void set_replay(ScheduleReplay* replay) { x_.replay = replay; }
  void set_clock_period_ps(std::uint64_t period) { x_.clock_period_ps = period; }
  void set_cancel(AsyncCopies::Cancel cancel) { copies_.set_cancel(std::move(cancel)); }

  // The threads from warp->first_thread on begin.
  void Start(Warp* warp);
  // Runs one instruction of one group of lanes.
  StepEvent Step(Warp* warp, std::uint64_t cycle);
  // Groups of the warp that sleep go on, if it is their time in that cycle.
  void Wake(Warp* warp, std::uint64_t cycle) {
    x_.cycle = cycle;
    waits_.WakeUp(warp);
  }
  // Answers of the units: lanes go on, or arrive at a barrier.
  void Answer(Warp* warp, const MbReply& reply) { waits_.Answer(warp, reply); }
  void Answer(Warp* warp, const WarpAnswer& answer) { collectives_.Answer(warp, answer); }
  void TakeArrival(Warp* warp, const WarpArrival& given) { barriers_.TakeArrival(warp, given); }
  void EndAtomic(Warp* warp) { access_.EndAtomic(warp); }
  // Returns whether memory that several threads see has changed since this was asked for.
  bool TakeChanged() { return std::exchange(x_.changed, false); }
  // Returns whether columns of tensor memory or registers have been released since this was asked
  // for: warps that are stuck may go on.
  bool TakeReleased() { return std::exchange(x_.released, false); }

  // Returns whether none of the group's lanes goes on by itself, for the sake of a schedule: they
  // wait for their turn, or for copies that do.
  bool IsHeldByReplay(Warp* warp, const Group& group) const;
  // Lanes of a group wait at an mbarrier. Returns whether each, whenever it is answered false,
  // would come back to that wait with the same state, and do nothing on the way but write its
  // registers.
  bool WouldReturn(const Warp& warp, const Group& group, std::uint32_t lanes) {
    return DryRun(warp, group, lanes, false);
  }
  // The same, though it counts, reads a clock or sleeps on the way: however often it is answered
  // false and however long that takes, it comes back.
  bool RetriesForEver(const Warp& warp, const Group& group, std::uint32_t lanes) {
    return DryRun(warp, group, lanes, true);
  }

  LateSink* late() const { return x_.late; }  // null: accesses are performed at once
  const Execution& execution() const { return x_; }
  const Standing& standing() const { return standing_; }
  std::uint32_t LineAt(std::uint32_t pc) const { return x_.program.code[pc].line; }

 private:
  StepEvent Execute(Warp* warp, std::size_t index);
  // An instruction after which the group does not simply go on. Nothing: it is none.
  std::optional<StepEvent> ExecuteMove(Warp* warp, std::size_t index, std::uint32_t active);
  // Any other instruction. Nothing: it has to wait, and comes again later.
  std::optional<StepEvent> ExecuteInPlace(Warp* warp, const Group& group, std::uint32_t active);
  // Instructions that all lanes of a warp may have to come to.
  StepEvent ReachBarrier(Warp* warp, std::size_t index, std::uint32_t active);
  StepEvent ReachMatrix(Warp* warp, std::size_t index, std::uint32_t active);
  StepEvent AwaitAll(Warp* warp, std::size_t index);
  StepEvent Meet(Warp* warp, std::size_t index);

  // replay.cpp: by a schedule.
  void TakeTurns(Warp* warp);
  std::uint32_t AwaitsTurn(const Warp& warp, const Group& group) const;
  std::uint32_t AtCopies(Warp* warp, const Group& group) const;
  StepEvent ExecuteReplayed(Warp* warp, std::size_t index);

  // dry_run.cpp
  bool DryRun(const Warp& warp, const Group& group, std::uint32_t lanes, bool retries);
  bool ReturnsToWait(Warp* alone, const Group& asked, const LivelockDetector& detector,
                     bool retries);

  Execution x_;
  Unknowns unknowns_;
  MemoryAccess access_;
  Multimem multimem_;
  Texturing texturing_;
  AsyncCopies copies_;
  TensorCore tensor_core_;
  WarpgroupUnit warpgroup_unit_;
  Matrices matrices_;
  ControlFlow control_;
  Collectives collectives_;
  WarpBarriers barriers_;
  Waits waits_;
  Standing standing_;
  DeviceRuntime runtime_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_INTERPRETER_H_
