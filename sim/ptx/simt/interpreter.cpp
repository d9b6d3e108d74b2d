// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The step of a warp. The instructions themselves are in control.cpp, barriers.cpp, access.cpp,
// runtime.cpp and sim/ptx/alu.
#include "sim/ptx/simt/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/warp_size.h"

namespace muster::ptx {

Interpreter::Interpreter(const Program& program, const Launch& launch, Memory* memory,
                         Printed* printed, std::uint64_t seed)
    : x_(program, launch, memory, seed),
      unknowns_(&x_),
      access_(&x_, &unknowns_),
      multimem_(&x_),
      texturing_(&x_),
      copies_(&x_, &unknowns_, &access_),
      tensor_core_(&x_, &unknowns_, &copies_),
      warpgroup_unit_(&x_, &copies_),
      matrices_(&x_, &unknowns_, &tensor_core_, &warpgroup_unit_),
      control_(&x_, &unknowns_, &warpgroup_unit_),
      collectives_(&x_),
      barriers_(&x_),
      waits_(&x_),
      standing_(&x_, &collectives_, &warpgroup_unit_),
      runtime_(&x_, printed) {}

void Interpreter::Start(Warp* warp) {
  const Launch& launch = *warp->cta->launch;
  const Function& kernel = x_.program.Kernel(launch.kernel);
  const std::uint64_t threads =
      std::min<std::uint64_t>(launch.Threads() - warp->first_thread, kWarpSize);
  warp->live = threads == kWarpSize ? ~0U : (1U << threads) - 1;
  warp->groups.assign(1, Group{kernel.entry, 0, warp->live});
  warp->held = 0;
  warp->sent.clear();
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
  if (x_.has_warpgroups && warp->first_thread == 0) {
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
  if (x_.warp_unit != nullptr) {
    x_.warp_unit->Reset(warp->slot);
  }
}

StepEvent Interpreter::Step(Warp* warp, std::uint64_t cycle) {
  x_.cycle = cycle;
  if (warp->held != 0) {
    waits_.WakeUp(warp);
  }
  if (x_.replay != nullptr) {
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
  Group* const group = Pick(warp, &x_.random);
  if (group == nullptr) {
    if (goes_on() || (x_.warp_unit != nullptr && x_.warp_unit->IsUnderWay(warp->slot))) {
      return StepEvent::kAsleep;
    }
    return StepEvent::kStuck;
  }
  const auto index = static_cast<std::size_t>(group - warp->groups.data());
  return x_.replay == nullptr ? Execute(warp, index) : ExecuteReplayed(warp, index);
}

StepEvent Interpreter::ReachBarrier(Warp* warp, std::size_t index, std::uint32_t active) {
  const Instruction& i = x_.program.code[warp->groups[index].pc];
  const bool aligned =
      i.op == Op::kBarrier ? i.As<CtaBarrier>().aligned : i.As<ClusterBarrier>().aligned;
  Part(warp, index, active);
  if (!aligned) {
    return barriers_.Gather(warp, index);
  }
  return active == warp->live ? barriers_.Arrive(warp, index) : AwaitAll(warp, index);
}

// "all threads in the warp must execute the same" instruction: lanes that come apart wait for the
// others, as at an aligned barrier.
StepEvent Interpreter::ReachMatrix(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  return active == warp->live ? matrices_.ExecuteMatrix(warp, index) : AwaitAll(warp, index);
}

// The group waits until all lanes of its warp stand there.
StepEvent Interpreter::AwaitAll(Warp* warp, std::size_t index) {
  Hold(warp, index, Group::State::kAligned);
  // With the lanes that stood here already, all may have come.
  for (std::size_t k = 0; k < warp->groups.size(); ++k) {
    if (warp->groups[k].state == Group::State::kAligned && warp->groups[k].lanes == warp->live) {
      return Meet(warp, k);
    }
  }
  return StepEvent::kNone;
}

// All lanes of the warp stand at an instruction that waits for them.
StepEvent Interpreter::Meet(Warp* warp, std::size_t index) {
  const Op op = x_.program.code[warp->groups[index].pc].op;
  return IsOfWholeWarp(op) ? matrices_.ExecuteMatrix(warp, index) : barriers_.Arrive(warp, index);
}

std::optional<StepEvent> Interpreter::ExecuteMove(Warp* warp, std::size_t index,
                                                  std::uint32_t active) {
  switch (x_.program.code[warp->groups[index].pc].op) {
    case Op::kSleep:
      return waits_.Sleep(warp, index, active);
    case Op::kBranch:
      control_.ExecuteBranch(warp, index, active);
      return StepEvent::kNone;
    case Op::kBranchIndexed:
      return control_.ExecuteBranchIndexed(warp, index, active);
    case Op::kCall:
      return control_.ExecuteCall(warp, index, active);
    case Op::kReturn:
      control_.ExecuteReturn(warp, index, active);
      return StepEvent::kNone;
    case Op::kExit:
      return control_.ExecuteExit(warp, index, active);
    case Op::kBarrier:
    case Op::kClusterBarrier:
      return ReachBarrier(warp, index, active);
    case Op::kGridControl:
      return barriers_.ReachGridControl(warp, index, active);
    case Op::kExchange:
      return collectives_.ReachExchange(warp, index, active);
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
      return waits_.ReachMbarrier(warp, index, active);
    case Op::kAtomic:
      return access_.ReachAtomic(warp, index, active);
    default:
      return std::nullopt;
  }
}

std::optional<StepEvent> Interpreter::ExecuteInPlace(Warp* warp, const Group& group,
                                                     std::uint32_t active) {
  const Lanes lanes = x_.LanesOf(warp, group, active);
  const Instruction& i = lanes.instruction;
  StepEvent event = StepEvent::kNone;
  switch (i.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic:
      if ((x_.mbarriers != nullptr && !access_.MayAccess(warp, lanes)) ||
          (x_.has_atomics && i.op != Op::kLoad && !access_.MayStoreBesideAtomics(warp, lanes))) {
        return std::nullopt;
      }
      event = access_.ExecuteAccess(warp, group, active);
      break;
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kStoreAsync:
      event = copies_.ExecuteAsync(warp, lanes, group.frame);
      break;
    case Op::kTensorProduct:
    case Op::kTensorMovement:
    case Op::kTensorCommit:
      event = tensor_core_.ExecuteTensorCore(warp, lanes);
      break;
    case Op::kStoreBulk:
      if (x_.mbarriers != nullptr && !access_.MayStoreBulk(*warp, lanes)) {
        return std::nullopt;
      }
      event = access_.ExecuteStoreBulk(warp, lanes);
      break;
    case Op::kTexture:
    case Op::kTextureQuery:
    case Op::kSurface:
      event = texturing_.ExecuteTexture(warp, lanes, group.frame);
      break;
    case Op::kMultimem:
      event = multimem_.ExecuteMultimem(warp, lanes, group.frame);
      break;
    case Op::kTensorReplace:
      event = copies_.ExecuteTensorReplace(warp, lanes);
      break;
    case Op::kTryCancel:
      event = copies_.ExecuteTryCancel(warp, lanes);
      break;
    case Op::kQueryCancel:
      event = copies_.ExecuteQueryCancel(warp, lanes);
      break;
    case Op::kCopyGroup:
      if (!copies_.ExecuteCopyGroup(warp, lanes)) {
        return std::nullopt;
      }
      break;
    case Op::kStack:
      event = control_.ExecuteStack(warp, group, active);
      break;
    case Op::kSpecial:
      runtime_.ExecuteSpecial(warp, lanes);
      break;
    case Op::kFence:
      event = access_.ExecuteFence(warp, lanes);
      break;
    case Op::kNop:
      break;
    case Op::kTrap:
      x_.Fault(*warp, First(active), i.line, "trap");
      return StepEvent::kAssert;
    case Op::kRuntime:
      event = runtime_.ExecuteRuntime(warp, group, active);
      x_.changed = true;
      break;
    case Op::kActiveMask:
      lanes.ForEach(
          [d = lanes.Write(i.As<ActiveMask>().d), active](unsigned lane) { d[lane] = active; });
      break;
    case Op::kCvta:
    case Op::kCvtaTo:
    case Op::kIsSpace:
      access_.ExecuteAddress(warp, lanes);
      break;
    case Op::kMapToRank:
    case Op::kRankOf:
      access_.ExecuteMap(*warp, lanes);
      break;
    default:
      Compute(lanes);
  }
  return event;
}

StepEvent Interpreter::Execute(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const Instruction& i = x_.program.code[group.pc];
  if (x_.late != nullptr && access_.AwaitLate(warp, group)) {
    return StepEvent::kNone;
  }
  const std::uint32_t active = x_.Active(*warp, group, i);
  if (x_.tracks_unknown) {
    if (const std::optional<StepEvent> refused = unknowns_.MeetUnknown(warp, group, active)) {
      return *refused;
    }
  }
  ++x_.warp_instructions;
  x_.thread_instructions += static_cast<unsigned>(__builtin_popcount(active));
  warp->timed += i.timed ? 1 : 0;
  if (active == 0) {
    Advance(warp, index);
    return StepEvent::kNone;
  }
  if (x_.late != nullptr) {
    x_.late->Reach(*warp, x_.LanesOf(warp, group, active));
  }
  if (i.fragments) {
    if (const std::optional<StepEvent> refused =
            warpgroup_unit_.TouchFragments(warp, group, active)) {
      return *refused;
    }
  }
  if (const std::optional<StepEvent> moved = ExecuteMove(warp, index, active)) {
    return *moved;
  }
  const std::optional<StepEvent> event = ExecuteInPlace(warp, group, active);
  if (!event) {
    --x_.warp_instructions;
    x_.thread_instructions -= static_cast<unsigned>(__builtin_popcount(active));
    return StepEvent::kNone;
  }
  if (event == StepEvent::kFault || event == StepEvent::kMisuse || event == StepEvent::kAssert) {
    return *event;
  }
  Advance(warp, index);
  return *event;
}

}  // namespace muster::ptx
