// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs threads, one warp instruction at a time, up to the barriers: those are handed out, to be
// carried out by the unit.
#ifndef MUSTER_SIM_PTX_SIMT_INTERPRETER_H_
#define MUSTER_SIM_PTX_SIMT_INTERPRETER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/isa/warp_operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/access_sink.h"
#include "sim/ptx/simt/launch.h"
#include "sim/ptx/simt/livelock_detector.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/printf.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/simt/tensor_map.h"
#include "sim/ptx/simt/warp.h"
#include "sim/ptx/simt/warp_unit.h"

namespace muster::ptx {

// What the system keeps of shared memory, where a program asks for it: the headers of cooperative
// groups have their barriers there.
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

class Interpreter {
 public:
  enum class Event : std::uint8_t {
    kNone,
    kAccess,    // of memory
    kBarrier,   // warp->arrival says which; its lanes have moved on
    kMbarrier,  // warp->mbarrier says which
    kAtomic,    // warp->atomic says which; the warp stands still until it is performed
    kGrid,      // griddepcontrol: warp->grid_control says which; its lanes have moved on
    kExit,      // warp->exited
    kAsleep,    // no lane can go on before the unit answers, or its time has come
    kStuck,     // no lane can go on by itself
    kFault,     // problem() and problem_line(): an access outside of memory, or a broken stack
    kMisuse,    // likewise, and cause(): what the text leaves undefined
    kAssert,    // likewise: __assertfail or trap
  };

  // What the kernel prints is added to *printed.
  Interpreter(const Program& program, const Launch& launch, Memory* memory, Printed* printed,
              std::uint64_t seed);

  // The threads from warp->first_thread on begin.
  void Start(Warp* warp);
  // Runs one instruction of one group of lanes.
  Event Step(Warp* warp, std::uint64_t cycle);
  // Needed if lanes of the program may wait for each other (UsesWarpScope).
  void set_warp_unit(WarpUnit* unit) { warp_unit_ = unit; }
  // Accesses to shared memory heed the unit's; what they store is told.
  void set_mbarriers(MbarrierSink* port) { mbarriers_ = port; }
  // The unit carries out atomics on integers in shared memory.
  void set_atomics() { has_atomics_ = true; }
  // It is told of accesses.
  void set_accesses(AccessSink* sink) { accesses_ = sink; }
  // A bulk copy is one transfer, not several pieces.
  void set_whole_copies() { whole_copies_ = true; }
  // It is told of lanes that go back.
  void set_livelock_detector(LivelockDetector* detector) { livelock_ = detector; }
  // Lanes take their turns there; null: in any order.
  void set_replay(ScheduleReplay* replay) { replay_ = replay; }
  // None of the group's lanes goes on by itself, for the sake of a schedule: they wait for their
  // turn, or for copies that do.
  bool IsHeldByReplay(Warp* warp, const Group& group) const;
  void set_clock_period_ps(std::uint64_t period) { clock_period_ps_ = period; }
  // clusterlaunchcontrol.try_cancel of one lane of the warp sets out.
  using Cancel = std::function<void(const Warp& warp, const CancelCall& call)>;
  void set_cancel(Cancel cancel) { cancel_ = std::move(cancel); }
  // An update of the warp's latest atomic is answered: the word in which its value was.
  static void AnswerAtomic(Warp* warp, unsigned lane, std::uint64_t word);
  // The first cycle in which a group of the warp that sleeps goes on.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static std::uint64_t WakesAt(const Warp& warp);
  // Groups of the warp that sleep go on, if it is their time in that cycle.
  void Wake(Warp* warp, std::uint64_t cycle) {
    cycle_ = cycle;
    WakeUp(warp);
  }
  // Lanes of a group wait at an mbarrier: would each, whenever it is answered false, come back to
  // that wait with the same state, and do nothing on the way but write its registers?
  bool WouldReturn(const Warp& warp, const Group& group, std::uint32_t lanes) {
    return DryRun(warp, group, lanes, false);
  }
  // The same, though it counts, reads a clock or sleeps on the way: however often it is answered
  // false and however long that takes, it comes back.
  bool RetriesForEver(const Warp& warp, const Group& group, std::uint32_t lanes) {
    return DryRun(warp, group, lanes, true);
  }
  // Lanes that wait at mbarrier instructions go on.
  void Answer(Warp* warp, const MbReply& reply);
  // Lets lanes go on that wait for others of their warp.
  void Answer(Warp* warp, const WarpAnswer& answer);
  // Lets lanes that wait for others of their warp arrive at a barrier: warp->arrival says which.
  void TakeArrival(Warp* warp, const WarpArrival& given);
  // Whether memory that several threads see has changed since this was asked for.
  bool TakeChanged() { return std::exchange(changed_, false); }
  // Whether columns of tensor memory or registers have been released since this was asked for:
  // warps that are stuck may go on.
  bool TakeReleased() { return std::exchange(released_, false); }
  // Whether the group, which waits at tcgen05.alloc or setmaxnreg, can go on.
  bool MayTake(const Warp& warp, const Group& group) const;
  // Writes the result of the warp's latest barrier, a reduction.
  static void WriteResult(Warp* warp, std::uint32_t value);

  const std::string& problem() const { return problem_; }
  std::uint32_t problem_line() const { return problem_line_; }
  std::uint32_t problem_lanes() const { return problem_lanes_; }
  const char* cause() const { return cause_; }
  std::uint64_t warp_instructions() const { return warp_instructions_; }
  // Of all threads: collectives, and barriers to which the lanes of a warp came apart.
  std::uint64_t rendezvous_lanes() const { return rendezvous_lanes_; }
  std::uint64_t thread_instructions() const { return thread_instructions_; }
  // "thread (3,0,0) of CTA (1,0,0)"
  std::string ThreadName(const Warp& warp, unsigned lane) const;
  std::uint32_t LineAt(std::uint32_t pc) const { return program_.code[pc].line; }
  // Why the warp unit refuses what lanes of the warp came to.
  struct Refusal {
    std::uint32_t line = 0;
    std::string why;
  };
  Refusal DescribeRefusal(const Warp& warp, FaultCause cause, std::uint32_t lanes) const;
  // Where a group of the warp stands: "lanes 0x0000ffff wait at barrier 2 (line 38)"
  std::string Standing(const Warp& warp, const Group& group) const;

 private:
  Group* Pick(Warp* warp);
  void Yield(Warp* warp, std::size_t index);
  void YieldSometimes(Warp* warp, std::size_t index);
  void GoBack(const Warp& warp, const Group& group);
  static bool SameCalls(Warp* warp, unsigned a, unsigned b, std::uint32_t frame);
  void Merge(Warp* warp, std::size_t index);
  void MergeAll(Warp* warp);
  void Split(Warp* warp, std::size_t index, std::uint32_t lanes, std::uint32_t pc);
  void Remove(Warp* warp, std::size_t index);
  void Advance(Warp* warp, std::size_t index);

  Event Execute(Warp* warp, std::size_t index);
  // replay.cpp: by a schedule.
  void TakeTurns(Warp* warp);
  std::uint32_t AwaitsTurn(const Warp& warp, const Group& group) const;
  std::uint32_t AtCopies(Warp* warp, const Group& group) const;
  Event ExecuteReplayed(Warp* warp, std::size_t index);
  // An instruction after which the group does not simply go on; nothing: it is none.
  std::optional<Event> ExecuteMove(Warp* warp, std::size_t index, std::uint32_t active);
  // Any other instruction; nothing: it has to wait, and comes again later.
  std::optional<Event> ExecuteInPlace(Warp* warp, const Group& group, std::uint32_t active);
  std::uint32_t Active(const Warp& warp, const Group& group, const Instruction& i) const;
  Lanes LanesOf(Warp* warp, const Group& group, std::uint32_t lanes) const;
  Event Fault(const Warp& warp, unsigned lane, std::uint32_t line, const std::string& what);
  Event Misuse(const Warp& warp, unsigned lane, std::uint32_t line, const char* cause,
               const std::string& what);

  // exchange.cpp: collectives.
  static WarpRequest RequestOf(const Warp& warp, WarpOp op);
  Event ReachExchange(Warp* warp, std::size_t index, std::uint32_t active);
  std::uint32_t MembersOf(const Warp& warp, const Group& group, unsigned lane) const;
  Origin GivenUnknown(const Warp& warp, std::uint32_t lanes) const;
  std::uint32_t CameTo(const Warp& warp, const Group& group, std::uint32_t members) const;

  // barriers.cpp: barriers.
  Event ReachBarrier(Warp* warp, std::size_t index, std::uint32_t active);
  Event ReachGridControl(Warp* warp, std::size_t index, std::uint32_t active);
  Event Gather(Warp* warp, std::size_t index);
  std::optional<unsigned> Differing(Warp* warp, const Group& group) const;
  Event RefuseDiffering(Warp* warp, const Group& group, unsigned lane);
  std::uint32_t ValueOf(const Warp& warp, const Group& group, Slot slot, unsigned lane) const;
  void Part(Warp* warp, std::size_t index, std::uint32_t active);
  void Hold(Warp* warp, std::size_t index, Group::State state);
  Arrival ArrivalOf(Warp* warp, const Group& group) const;
  Event Arrive(Warp* warp, std::size_t index);
  Event AwaitAll(Warp* warp, std::size_t index);
  Event Meet(Warp* warp, std::size_t index);
  // tcgen05.cpp: tensor memory.
  std::optional<Event> ExecuteTensor(Warp* warp, const Group& group, const Lanes& lanes);
  std::optional<Event> ExecuteAllocation(Warp* warp, const Group& group, const Lanes& lanes);
  Event AccessTensor(Warp* warp, const Group& group, const Lanes& lanes);
  static void SpreadCell(Warp* warp, std::uint32_t frame, Slot slot, unsigned thread,
                         const TensorRange& piece);
  Event ExecuteTensorCore(Warp* warp, const Lanes& lanes);
  static std::vector<Cta*> TensorGroup(const Warp& warp, bool pair);
  Event StartTensor(Warp* warp, unsigned lane, const Instruction& instruction,
                    std::shared_ptr<TensorOperation> operation);
  Event StartProduct(Warp* warp, const Lanes& lanes, unsigned lane);
  Event StartMovement(Warp* warp, const Lanes& lanes, unsigned lane);
  Event CommitTensor(Warp* warp, const Lanes& lanes, unsigned lane);
  // texturing.cpp
  const Texture* TextureAt(Warp* warp, unsigned lane, std::uint64_t value);
  Event ExecuteTexture(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  static std::uint32_t PropertyOf(const Texture& texture, TextureProperty property);
  const std::uint8_t* ReadTexel(const Warp& warp, unsigned lane, const Texture& texture,
                                std::uint64_t address, Origin* origin);
  Event LookUp(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
               const Texture& texture);
  Event AccessSurface(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                      const Texture& texture);
  // multimem.cpp
  std::vector<std::uint64_t> PlacesOf(std::uint64_t address, std::uint64_t bytes) const;
  Event ExecuteMultimem(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  void AccessPlaces(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                    const std::vector<std::uint64_t>& addresses,
                    const std::vector<std::uint8_t*>& places);
  void SpreadPlaces(Warp* warp, const MultimemAccess& i, std::uint32_t frame, unsigned lane,
                    const std::vector<std::uint64_t>& addresses);
  // matrix.cpp
  Event ReachMatrix(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteMatrix(Warp* warp, std::size_t index);
  std::optional<Event> CheckMetadata(const Warp& warp, const Lanes& lanes, std::uint32_t frame);
  // wgmma.cpp
  Event ExecuteWarpgroup(Warp* warp, std::size_t index);
  std::optional<Event> JoinWarpgroup(Warp* warp, const Group& group,
                                     const std::array<std::uint64_t, 2>& matrices);
  std::optional<Event> SetRegisters(Warp* warp, const Group& group);
  std::string DescribeRegisters(const Warp& warp) const;
  std::optional<Event> LeaveWarpgroup(Warp* warp, std::uint32_t line);
  std::optional<Event> Prepare(Warp* warp, const Lanes& lanes, std::uint32_t frame,
                               StartedProduct* product);
  std::optional<Event> TakeFragments(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  void Start(Warp* warp, const Instruction& instruction, const StartedProduct& product);
  std::optional<Event> TouchFragments(Warp* warp, const Group& group, std::uint32_t active);
  template <typename F>
  void Resume(Warp* warp, std::uint32_t lanes, Group::State state, F leave);
  Event Sleep(Warp* warp, std::size_t index, std::uint32_t active);
  void WakeUp(Warp* warp);
  bool DryRun(const Warp& warp, const Group& group, std::uint32_t lanes, bool retries);
  bool ReturnsToWait(Warp* alone, const Group& asked, const LivelockDetector& detector,
                     bool retries);
  Event ReachMbarrier(Warp* warp, std::size_t index, std::uint32_t active);
  MbInstruction MbInstructionOf(Warp* warp, const Group& group) const;

  // atomics.cpp: atomics that the unit carries out.
  std::optional<Event> ReachAtomic(Warp* warp, std::size_t index, std::uint32_t active);
  bool MayStoreBesideAtomics(Warp* warp, const Lanes& lanes);

  // control.cpp: control flow.
  template <typename F>
  void Disperse(Warp* warp, std::size_t index, std::uint32_t active, F place);
  void ExecuteBranch(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteBranchIndexed(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteCall(Warp* warp, std::size_t index, std::uint32_t active);
  Event Enter(Warp* warp, std::size_t index, std::uint32_t active, std::uint32_t entering,
              std::uint32_t function);
  void ExecuteReturn(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteExit(Warp* warp, std::size_t index, std::uint32_t active);
  Event ExecuteStack(Warp* warp, const Group& group, std::uint32_t active);

  // spread.cpp: unknown values.
  struct UnknownPlace {
    UnknownBytes* bytes;
    std::uint64_t at;
  };
  UnknownPlace UnknownAt(Warp* warp, unsigned lane, Space space, std::uint64_t address) const;
  // The first of these registers that is unknown in one of the lanes, and in *where which.
  static Origin UnknownIn(const Warp& warp, std::uint32_t frame, const std::vector<Slot>& slots,
                          std::uint32_t lanes, unsigned* where);
  static void SetUnknown(Warp* warp, std::uint32_t frame, const std::vector<Slot>& slots,
                         std::uint32_t lanes, Origin origin);
  Event RefuseUnknown(const Warp& warp, unsigned lane, std::uint32_t line, const char* what,
                      Origin origin);
  Origin OriginOf(std::uint32_t opaque, std::uint32_t line);
  std::optional<Event> MeetUnknown(Warp* warp, const Group& group, std::uint32_t active);
  Origin UnknownOnStack(Warp* warp, const Group& group, unsigned lane) const;
  std::uint32_t SpreadAccess(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  void SpreadMatrix(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  struct FramePlace {
    std::uint32_t frame;
    Slot slot;
    std::uint32_t offset;
  };
  void SpreadValue(Warp* warp, unsigned lane, const FramePlace& to, const FramePlace& from,
                   std::uint32_t bytes);

  // access.cpp: memory.
  struct Span {
    std::uint8_t* at = nullptr;
    unsigned own = 0;  // bytes from there on that are the thread's
  };
  Event ExecuteAccess(Warp* warp, const Group& group, std::uint32_t active);
  void Tell(const Warp& warp, unsigned lane, const Instruction& i, const Access& access,
            std::uint64_t address, bool changed) const;
  Event ExecuteFence(Warp* warp, const Lanes& lanes);
  bool MayAccess(Warp* warp, const Lanes& lanes);
  void NoteStore(Warp* warp, const Lanes& lanes, unsigned lane, const std::uint8_t* before,
                 const Span& span);
  Span SpanOf(Warp* warp, unsigned lane, Op op, const Access& access, std::uint64_t address);
  static const char* Misplaced(Op op, const Access& access, std::uint64_t address);
  std::uint8_t* Resolve(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                        unsigned bytes, bool write);
  // Where an address of parameters is in memory; any other one is there itself.
  static std::uint64_t InMemory(const Warp& warp, std::uint64_t address) {
    return SegmentOf(address) == kParamSegment ? warp.cta->launch->parameters + ByteOf(address)
                                               : address;
  }
  std::uint8_t* Reach(Warp* warp, unsigned lane, Space space, std::uint64_t address, unsigned bytes,
                      bool write);
  std::string DescribeReach(const Warp& warp, Space space, std::uint64_t address, unsigned bytes,
                            bool write) const;
  std::string DescribeAccess(const Warp& warp, Space space, std::uint64_t address, unsigned bytes,
                             bool write) const;
  Cta* CtaAt(const Warp& warp, std::uint64_t shared) const;
  void ExecuteAddress(Warp* warp, const Lanes& lanes) const;
  void ExecuteMap(const Warp& warp, const Lanes& lanes) const;

  // async.cpp: what is started and not waited for.
  Event ExecuteAsync(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  Event StartCopy(Warp* warp, const Lanes& lanes, unsigned lane);
  Event StartStore(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane);
  Event StartBulk(Warp* warp, const Lanes& lanes, unsigned lane);
  void StartTransfer(Warp* warp, unsigned lane, const Instruction& instruction, CopyGroups* groups,
                     Transfer transfer);
  void StartInParts(Warp* warp, unsigned lane, const Instruction& instruction,
                    const Transfer& whole, std::uint64_t mask);
  bool Locate(Warp* warp, unsigned lane, Space space, std::uint64_t address, unsigned bytes,
              bool write, Transfer* transfer);
  bool LocateMbarrier(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                      Transfer* transfer);
  static bool ExecuteCopyGroup(Warp* warp, const Lanes& lanes);
  // Returns the mask of CTAs that a copy goes to, or nothing (problem()).
  std::optional<std::uint64_t> TargetsOf(const Warp& warp, const Lanes& lanes, unsigned lane,
                                         Slot ctas, const Transfer& whole);
  // tensor.cpp: copies by tensor maps.
  Event StartTensor(Warp* warp, const Lanes& lanes, unsigned lane);
  std::optional<TensorMap> MapAt(const Warp& warp, const Lanes& lanes, unsigned lane,
                                 std::uint64_t address);
  bool AimAtShared(Warp* warp, const Lanes& lanes, unsigned lane, Transfer* transfer);
  Event ExecuteTensorReplace(Warp* warp, const Lanes& lanes);
  Event ExecuteStoreBulk(Warp* warp, const Lanes& lanes);
  bool MayStoreBulk(const Warp& warp, const Lanes& lanes) const;
  Event ExecuteTryCancel(Warp* warp, const Lanes& lanes);
  Event ExecuteQueryCancel(Warp* warp, const Lanes& lanes);

  // runtime.cpp: special registers, and the functions that a device program finds.
  void ExecuteSpecial(Warp* warp, const Lanes& lanes) const;
  // Of a special register that is the same for all threads of the warp.
  std::uint64_t UniformSpecial(const Warp& warp, Special special) const;
  Event ExecuteRuntime(Warp* warp, const Group& group, std::uint32_t active);
  std::string TextAt(Warp* warp, unsigned lane, std::uint64_t address);
  std::uint32_t Print(Warp* warp, unsigned lane, std::uint64_t format, std::uint64_t arguments);

  const Program& program_;
  const Launch& launch_;
  Memory* memory_;
  WarpUnit* warp_unit_ = nullptr;
  MbarrierSink* mbarriers_ = nullptr;  // if the program has mbarriers
  bool has_atomics_ = false;
  AccessSink* accesses_ = nullptr;
  bool whole_copies_ = false;
  LivelockDetector* livelock_ = nullptr;
  ScheduleReplay* replay_ = nullptr;
  Cancel cancel_;
  bool changed_ = false;
  bool released_ = false;
  Random random_;
  std::uint64_t cycle_ = 0;
  std::uint64_t clock_period_ps_ = 1000;
  std::string problem_;
  std::uint32_t problem_line_ = 0;
  std::uint32_t problem_lanes_ = 0;
  const char* cause_ = "";
  std::uint64_t rendezvous_lanes_ = 0;
  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
  Printed& printed_;
  const bool tracks_unknown_;  // values may be unknown
  const bool has_warpgroups_;  // the program has instructions of four warps
};

// Lanes that stand in that state go on; `leave` is called before, for the lanes of each
// instruction.
template <typename F>
void Interpreter::Resume(Warp* warp, std::uint32_t lanes, Group::State state, F leave) {
  std::vector<Group> moved;
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    Group& group = warp->groups[i];
    const std::uint32_t here = group.lanes & lanes;
    if (group.state != state || here == 0) {
      continue;
    }
    leave(group, here);
    moved.push_back(Group{group.pc + 1, group.frame, here});
    group.lanes &= ~here;
    if (group.lanes == 0) {
      --warp->held;
      Remove(warp, i);
    }
  }
  for (const Group& group : moved) {
    warp->groups.push_back(group);
    Merge(warp, warp->groups.size() - 1);
  }
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_INTERPRETER_H_
