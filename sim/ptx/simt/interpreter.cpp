// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Groups of lanes, and which of them runs. The instructions themselves are in control.cpp,
// barriers.cpp, access.cpp, runtime.cpp and compute*.cpp.
#include "sim/ptx/simt/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/warp_size.h"

namespace muster::ptx {
namespace {

// One in so many times the group that runs is a random one, so that lanes which spin let others go
// on; else it is the one that is furthest behind, so that lanes come together again.
constexpr std::uint32_t kRandomPick = 16;

// A group that loops may wait for another one: one in so many times that it goes back, another one
// gets so many turns.
constexpr std::uint32_t kYieldOneIn = 4;
constexpr std::uint32_t kTurns = 16;

// Lanes in a function have yet to come back to those that are not.
bool IsBehind(const Group& a, const Group& b) {
  return a.frame != b.frame ? a.frame > b.frame : a.pc < b.pc;
}

}  // namespace

Interpreter::Interpreter(const Program& program, const Launch& launch, Memory* memory,
                         Printed* printed, std::uint64_t seed)
    : program_(program),
      launch_(launch),
      memory_(memory),
      random_(seed),
      printed_(*printed),
      tracks_unknown_(memory->origins().possible =
                          memory->origins().possible || !program.opaque.empty()),
      has_warpgroups_(std::any_of(program.code.begin(), program.code.end(),
                                  [](const Instruction& i) { return IsOfWarpgroup(i.op); })) {}

void Interpreter::Start(Warp* warp) {
  const Launch& launch = *warp->cta->launch;
  const Function& kernel = program_.Kernel(launch.kernel);
  const std::uint64_t threads =
      std::min<std::uint64_t>(launch.Threads() - warp->first_thread, kWarpSize);
  warp->live = threads == kWarpSize ? ~0U : (1U << threads) - 1;
  warp->groups.assign(1, Group{kernel.entry, 0, warp->live});
  warp->held = 0;
  warp->copies.fill({});
  warp->bulk_copies.fill({});
  warp->tensor_operations.fill({});
  warp->products = {};
  warp->fragments = {};
  warp->unknown = {};
  warp->unknown_stacks = {};
  if (warp->first_thread == 0) {
    warp->cta->unknown = {};
  }
  if (has_warpgroups_ && warp->first_thread == 0) {
    warp->cta->warpgroups.clear();
    warp->cta->registers = {0, std::vector<std::uint32_t>(launch.Warps(), launch.registers)};
    for (std::uint64_t left = launch.Warps(); left != 0;) {
      const std::uint64_t warps = std::min<std::uint64_t>(left, kWarpgroupWarps);
      warp->cta->warpgroups.emplace_back(static_cast<unsigned>(warps));
      left -= warps;
    }
  }
  warp->registers.assign(std::size_t{kernel.slots} * kWarpSize, 0);
  for (auto& local : warp->local) {
    local.assign(kernel.local_bytes, 0);
  }
  if (warp_unit_ != nullptr) {
    warp_unit_->Reset(warp->slot);
  }
}

std::string Interpreter::ThreadName(const Warp& warp, unsigned lane) const {
  const auto thread = PointOf(warp.first_thread + lane, warp.cta->launch->block);
  return fmt::format("thread ({},{},{}) of CTA {}", thread[0], thread[1], thread[2],
                     launch_.CtaName(warp.cta->linear_id));
}

// ------------------------------------------------------------------------------------------------
// Groups
// ------------------------------------------------------------------------------------------------

Group* Interpreter::Pick(Warp* warp) {
  std::vector<Group>& groups = warp->groups;
  if (groups.size() == 1) {
    return groups.front().state == Group::State::kReady ? &groups.front() : nullptr;
  }
  if (warp->turns != 0) {
    --warp->turns;
    for (Group& group : groups) {
      if ((group.lanes & warp->favoured) != 0 && group.state == Group::State::kReady) {
        return &group;
      }
    }
    warp->turns = 0;
  }
  const bool any = random_.OneIn(kRandomPick);
  const std::size_t first = any ? random_.Below(static_cast<std::uint32_t>(groups.size())) : 0;
  Group* best = nullptr;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& group = groups[(first + i) % groups.size()];
    if (group.state != Group::State::kReady) {
      continue;
    }
    if (any) {
      return &group;
    }
    if (best == nullptr || IsBehind(group, *best)) {
      best = &group;
    }
  }
  return best;
}

// Gives another group of the warp the next turns.
void Interpreter::Yield(Warp* warp, std::size_t index) {
  const auto count = static_cast<std::uint32_t>(warp->groups.size());
  if (count == 1) {
    return;
  }
  const std::size_t other = (index + 1 + random_.Below(count - 1)) % count;
  warp->favoured = warp->groups[other].lanes & -warp->groups[other].lanes;
  warp->turns = kTurns;
}

void Interpreter::YieldSometimes(Warp* warp, std::size_t index) {
  if (warp->groups.size() > 1 && random_.OneIn(kYieldOneIn)) {
    Yield(warp, index);
  }
}

void Interpreter::Remove(Warp* warp, std::size_t index) {
  warp->groups[index] = warp->groups.back();
  warp->groups.pop_back();
}

// Whether lanes that stand in the same function have come there by the same calls.
bool Interpreter::SameCalls(Warp* warp, unsigned a, unsigned b, std::uint32_t frame) {
  while (frame != 0 &&
         warp->Register(frame, kReturnSlot, a) == warp->Register(frame, kReturnSlot, b) &&
         warp->Register(frame, kFrameSlot, a) == warp->Register(frame, kFrameSlot, b)) {
    frame = static_cast<std::uint32_t>(warp->Register(frame, kFrameSlot, a));
  }
  return frame == 0;
}

// Joins the group with one that stands at the same place. Lanes that called a function at several
// places go through it apart, as the code after each call may rely on; but an aligned barrier is
// one for all.
void Interpreter::Merge(Warp* warp, std::size_t index) {
  std::vector<Group>& groups = warp->groups;
  if (groups.size() == 1) {
    return;
  }
  const Group group = groups[index];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& other = groups[i];
    if (i == index || other.pc != group.pc || other.frame != group.frame ||
        other.until != group.until || other.state != group.state ||
        (group.state != Group::State::kAligned &&
         !SameCalls(warp, First(group.lanes), First(other.lanes), group.frame))) {
      continue;
    }
    other.lanes |= group.lanes;
    if (group.state != Group::State::kReady) {
      --warp->held;
    }
    Remove(warp, index);
    return;
  }
}

void Interpreter::MergeAll(Warp* warp) {
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    if (i < warp->groups.size()) {
      Merge(warp, i);
    }
  }
}

// Some lanes of the group go their own way, to `pc`.
void Interpreter::Split(Warp* warp, std::size_t index, std::uint32_t lanes, std::uint32_t pc) {
  const Group fresh{pc, warp->groups[index].frame, lanes};
  warp->groups[index].lanes &= ~lanes;
  warp->groups.push_back(fresh);
  Merge(warp, warp->groups.size() - 1);
}

void Interpreter::Advance(Warp* warp, std::size_t index) {
  ++warp->groups[index].pc;
  Merge(warp, index);
}

std::uint32_t Interpreter::Active(const Warp& warp, const Group& group,
                                  const Instruction& i) const {
  if (i.guard == kNoSlot) {
    return group.lanes;
  }
  const std::uint64_t* const guard =
      &warp.registers[(std::size_t{group.frame} + static_cast<std::uint32_t>(i.guard)) * kWarpSize];
  std::uint32_t active = 0;
  ForEachBit(group.lanes, [&](unsigned lane) {
    if ((guard[lane] != 0) != i.guard_negated) {
      active |= 1U << lane;
    }
  });
  return active;
}

Lanes Interpreter::LanesOf(Warp* warp, const Group& group, std::uint32_t lanes) const {
  return {program_.code[group.pc], &warp->registers[std::size_t{group.frame} * kWarpSize],
          program_.literals.data(), lanes};
}

// ------------------------------------------------------------------------------------------------
// One step
// ------------------------------------------------------------------------------------------------

Interpreter::Event Interpreter::Step(Warp* warp, std::uint64_t cycle) {
  cycle_ = cycle;
  if (warp->held != 0) {
    WakeUp(warp);
  }
  if (replay_ != nullptr) {
    TakeTurns(warp);
  }
  // The lanes that an aligned barrier lacked have exited.
  if (warp->groups.size() == 1 && warp->groups.front().state == Group::State::kAligned) {
    return Meet(warp, 0);
  }
  const auto goes_on = [&] {
    return std::any_of(warp->groups.begin(), warp->groups.end(), [](const Group& group) {
      return group.state == Group::State::kAsked || group.state == Group::State::kAsleep ||
             group.state == Group::State::kAwaitsTurn;
    });
  };
  Group* const group = Pick(warp);
  if (group == nullptr) {
    if (goes_on() || (warp_unit_ != nullptr && warp_unit_->IsUnderWay(warp->slot))) {
      return Event::kAsleep;
    }
    return Event::kStuck;
  }
  const auto index = static_cast<std::size_t>(group - warp->groups.data());
  return replay_ == nullptr ? Execute(warp, index) : ExecuteReplayed(warp, index);
}

std::optional<Interpreter::Event> Interpreter::ExecuteMove(Warp* warp, std::size_t index,
                                                           std::uint32_t active) {
  switch (program_.code[warp->groups[index].pc].op) {
    case Op::kSleep:
      return Sleep(warp, index, active);
    case Op::kBranch:
      ExecuteBranch(warp, index, active);
      return Event::kNone;
    case Op::kBranchIndexed:
      return ExecuteBranchIndexed(warp, index, active);
    case Op::kCall:
      return ExecuteCall(warp, index, active);
    case Op::kReturn:
      ExecuteReturn(warp, index, active);
      return Event::kNone;
    case Op::kExit:
      return ExecuteExit(warp, index, active);
    case Op::kBarrier:
    case Op::kClusterBarrier:
      return ReachBarrier(warp, index, active);
    case Op::kGridControl:
      return ReachGridControl(warp, index, active);
    case Op::kExchange:
      return ReachExchange(warp, index, active);
    case Op::kMatrixProduct:
    case Op::kMatrixLayout:
    case Op::kTensorAllocation:
    case Op::kTensorAccess:
    case Op::kTensorWait:
    case Op::kOpaque:
    case Op::kWarpgroupProduct:
    case Op::kWarpgroupOrder:
    case Op::kRegisterLimit:
      return ReachMatrix(warp, index, active);
    case Op::kMbarrier:
      return ReachMbarrier(warp, index, active);
    case Op::kAtomic:
      return ReachAtomic(warp, index, active);
    default:
      return std::nullopt;
  }
}

std::optional<Interpreter::Event> Interpreter::ExecuteInPlace(Warp* warp, const Group& group,
                                                              std::uint32_t active) {
  const Lanes lanes = LanesOf(warp, group, active);
  const Instruction& i = lanes.instruction;
  Event event = Event::kNone;
  switch (i.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic:
      if ((mbarriers_ != nullptr && !MayAccess(warp, lanes)) ||
          (has_atomics_ && i.op != Op::kLoad && !MayStoreBesideAtomics(warp, lanes))) {
        return std::nullopt;
      }
      event = ExecuteAccess(warp, group, active);
      break;
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kStoreAsync:
      event = ExecuteAsync(warp, lanes, group.frame);
      break;
    case Op::kTensorProduct:
    case Op::kTensorMovement:
    case Op::kTensorCommit:
      event = ExecuteTensorCore(warp, lanes);
      break;
    case Op::kStoreBulk:
      if (mbarriers_ != nullptr && !MayStoreBulk(*warp, lanes)) {
        return std::nullopt;
      }
      event = ExecuteStoreBulk(warp, lanes);
      break;
    case Op::kTexture:
    case Op::kTextureQuery:
    case Op::kSurface:
      event = ExecuteTexture(warp, lanes, group.frame);
      break;
    case Op::kMultimem:
      event = ExecuteMultimem(warp, lanes, group.frame);
      break;
    case Op::kTensorReplace:
      event = ExecuteTensorReplace(warp, lanes);
      break;
    case Op::kTryCancel:
      event = ExecuteTryCancel(warp, lanes);
      break;
    case Op::kQueryCancel:
      event = ExecuteQueryCancel(warp, lanes);
      break;
    case Op::kCopyGroup:
      if (!ExecuteCopyGroup(warp, lanes)) {
        return std::nullopt;
      }
      break;
    case Op::kStack:
      event = ExecuteStack(warp, group, active);
      break;
    case Op::kSpecial:
      ExecuteSpecial(warp, lanes);
      break;
    case Op::kFence:
      event = ExecuteFence(warp, lanes);
      break;
    case Op::kNop:
      break;
    case Op::kTrap:
      Fault(*warp, First(active), i.line, "trap");
      return Event::kAssert;
    case Op::kRuntime:
      event = ExecuteRuntime(warp, group, active);
      changed_ = true;
      break;
    case Op::kActiveMask:
      lanes.ForEach(
          [d = lanes.Write(i.As<ActiveMask>().d), active](unsigned lane) { d[lane] = active; });
      break;
    case Op::kCvta:
    case Op::kCvtaTo:
    case Op::kIsSpace:
      ExecuteAddress(warp, lanes);
      break;
    case Op::kMapToRank:
    case Op::kRankOf:
      ExecuteMap(*warp, lanes);
      break;
    default:
      Compute(lanes);
  }
  return event;
}

Interpreter::Event Interpreter::Execute(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const Instruction& i = program_.code[group.pc];
  const std::uint32_t active = Active(*warp, group, i);
  if (tracks_unknown_) {
    if (const std::optional<Event> refused = MeetUnknown(warp, group, active)) {
      return *refused;
    }
  }
  ++warp_instructions_;
  thread_instructions_ += static_cast<unsigned>(__builtin_popcount(active));
  warp->timed += i.timed ? 1 : 0;
  if (active == 0) {
    Advance(warp, index);
    return Event::kNone;
  }
  if (i.fragments) {
    if (const std::optional<Event> refused = TouchFragments(warp, group, active)) {
      return *refused;
    }
  }
  if (const std::optional<Event> moved = ExecuteMove(warp, index, active)) {
    return *moved;
  }
  const std::optional<Event> event = ExecuteInPlace(warp, group, active);
  if (!event) {
    --warp_instructions_;
    thread_instructions_ -= static_cast<unsigned>(__builtin_popcount(active));
    return Event::kNone;
  }
  if (event == Event::kFault || event == Event::kMisuse || event == Event::kAssert) {
    return *event;
  }
  Advance(warp, index);
  return *event;
}

}  // namespace muster::ptx
