// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A core's part in mbarriers: instructions of warps, operations of other CTAs, and their effects.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/core.h"
#include "sim/ptx/runtime/grid.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {

void Core::ReachMbarrier(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  const MbInstruction& instruction = slot.warp.mbarrier;
  if (instruction.outside != 0) {
    Incident outside =
        IncidentOf(Name(FaultCause::kBadAddress), warp, instruction.outside, instruction.line);
    outside.mbarrier = fmt::format("{:#x}", instruction.outside_address);
    outside.explanation = fmt::format("{}: {}", Name(instruction.op), instruction.outside_what);
    grid_.EndWithFault(Outcome::kFault, std::move(outside));
    return;
  }
  // The unit sees nothing of it before the arrive-on.
  if (instruction.op == MbOp::kCopyArriveNoInc) {
    ForEachBit(instruction.lanes, [&](unsigned lane) {
      MbOperation announced;
      announced.tag = instruction.line;
      announced.op = instruction.op;
      announced.cta = static_cast<std::uint8_t>(slot.cta);
      announced.warp = static_cast<std::uint8_t>(warp);
      announced.lanes = 1U << lane;
      announced.addr = instruction.addr[lane];
      scopes_.Announce(announced);
    });
    StartArrivals(warp, instruction.lanes, instruction.addr, instruction.line, instruction.pass,
                  grid_.cycle());
    return;
  }
  residents_.SetPhase(warp, WarpPhase::kAsking);
  scopes_.Issue(warp);
}

// Starts the arrive-ons of the copies that each lane has started so far.
void Core::StartArrivals(unsigned warp, std::uint32_t lanes,
                         const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t line,
                         std::uint32_t pass, std::uint64_t cycle) {
  WarpSlot& slot = residents_.warps[warp];
  ForEachBit(lanes, [&](unsigned lane) {
    Transfer arrival = ArriveOn(&slot.warp, lane, addr[lane], line);
    arrival.pass = pass;
    if (ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
      replay->Start(pass, 1U << lane);
    }
    slot.warp.cta->engine->Post(std::move(arrival), cycle);
  });
}

void Core::SendRemote(unsigned rank, const MbOperation& operation) {
  if (!IsRemote(operation.op) || operation.has_token) {
    EndWithMbFault(FaultCause::kRemoteNotAllowed, operation.warp, operation, grid_.cycle());
    return;
  }
  Transfer sent = RemoteOf(residents_.warps[operation.warp].warp, rank, operation);
  const MbOperation& op = sent.operation;
  const MbInstruction& instruction = residents_.warps[operation.warp].warp.mbarrier;
  ScheduleReplay* const replay = grid_.replay();
  if (replay != nullptr && instruction.multicast) {  // its parts have been started
    replay->Commit(instruction.pass, LanesThatEndAt(instruction, rank, op.lanes));
  } else if (replay != nullptr) {
    replay->Start(op.pass, op.lanes);
    replay->Commit(op.pass, op.lanes);
  }
  sent.on_its_way = std::make_shared<char>();
  ForEachBit(op.lanes, [&](unsigned lane) {
    residents_.warps[sent.warp].warp.sent[{lane, sent.to}] = sent.on_its_way;
  });
  scopes_.Send(std::move(sent));
}

// An operation of a copy or another CTA is attributed to a warp of the CTA that owns the word.
unsigned Core::WarpOf(const MbOperation& operation) const {
  return operation.source == MbSource::kWarp
             ? operation.warp
             : static_cast<unsigned>(__builtin_ctzll(residents_.ctas[operation.cta].warps));
}

void Core::Reply(const MbReply& reply) {
  WarpSlot& slot = residents_.warps[reply.warp];
  const std::uint32_t excused = std::exchange(slot.excused, slot.excused & ~reply.lanes);
  MbReply answer = reply;
  answer.complete |= (excused & reply.lanes) != 0;
  if (interpreter_.late() != nullptr && answer.complete) {
    interpreter_.late()->EndWait(slot.warp, answer.lanes);
  }
  interpreter_.Answer(&slot.warp, answer);
  if (slot.phase == WarpPhase::kAsleep) {
    residents_.SetPhase(reply.warp, WarpPhase::kReady);
  }
}

void Core::Take(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  const MbOperation& operation = event.operation;
  switch (event.kind) {
    case MbEvent::Kind::kStep:
      if (Admit(cycle, operation, effects)) {
        Perform(cycle, operation, effects);
      }
      break;
    case MbEvent::Kind::kExpire:
      mbarrier_arrivals_.Expire(operation.warp);
      break;
    case MbEvent::Kind::kLeave: {
      const auto warp =
          static_cast<unsigned>(__builtin_ctzll(residents_.ctas[operation.cta].warps));
      AddMbHazards(effects.hazards, warp, operation, residents_.warps[warp].exit_line, cycle);
      break;
    }
    default:
      AddMbHazards(effects.hazards, operation.warp, operation, operation.tag, cycle);
      mbarrier_arrivals_.Overwrite(operation.cta, operation.addr);
  }
}

bool Core::Admit(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects) {
  const unsigned warp = WarpOf(operation);
  if (MeetsInval(operation, effects, warp, cycle)) {
    return false;
  }
  for (std::uint32_t left = operation.lanes; left != 0; left &= left - 1) {
    const FaultCause cause = effects.fault[First(left)];
    if (cause != FaultCause::kNone) {
      EndWithMbFault(cause, warp, operation, cycle);
      return false;
    }
  }
  AddMbHazards(effects.hazards, warp, operation, operation.tag, cycle);
  return true;
}

void Core::Perform(std::uint64_t cycle, const MbOperation& operation, const MbEffects& effects) {
  const unsigned warp = WarpOf(operation);
  mbarrier_arrivals_.Step(operation, effects, residents_.IndexInCta(warp), operation.tag);
  if (effects.written) {
    grid_.Change(cycle);
  }
  if (operation.op == MbOp::kCopyArrive) {
    std::array<std::uint32_t, kWarpSize> addr;
    addr.fill(operation.addr);
    StartArrivals(warp, operation.lanes, addr, operation.tag, operation.pass, cycle);
  }
}

// "Performing any mbarrier operation except mbarrier.init on a memory location that does not
// contain a valid mbarrier object, results in undefined behaviour." If another thread invalidated
// the object, the two threads raced: the run ends, unless the manifest makes this a hazard. Then
// the refused operation changes nothing, and a wait ends, because an object may be invalidated only
// when no thread waits for it.
bool Core::MeetsInval(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                      std::uint64_t cycle) {
  if (operation.op == MbOp::kInit || operation.op == MbOp::kInval ||
      operation.op == MbOp::kCopyArriveNoInc || InvalidatedByAnother(operation, warp) == nullptr) {
    return false;
  }
  const FaultCause cause = effects.fault[First(operation.lanes)];
  const bool waits = IsMbWait(operation.op);
  if (!waits && cause != FaultCause::kWordExhausted) {
    return false;  // refused for another reason
  }
  if (!launch_.inval_is_hazard) {
    EndWithMbFault(FaultCause::kWordExhausted, warp, operation, cycle);
    return true;
  }
  AddMbHazards(1U << static_cast<unsigned>(Hazard::kUninitialisedWord), warp, operation,
               operation.tag, cycle);
  if (waits) {
    residents_.warps[warp].excused |= operation.lanes;
    mbarrier_arrivals_.Step(operation, effects, residents_.IndexInCta(warp), operation.tag);
  } else if (operation.source == MbSource::kWarp && HasResponse(operation)) {
    scopes_.AnswerRefused(warp);
  }
  return true;
}

}  // namespace muster::ptx
