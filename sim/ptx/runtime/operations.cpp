// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/isa/fault.h"
#include "sim/isa/warp_size.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxCount = 4095;
constexpr std::size_t kWordBytes = 8;

}  // namespace

Operation LaunchOf(const Launch& launch, unsigned slot, std::uint64_t warps) {
  Operation operation;
  operation.kind = OpKind::kLaunch;
  operation.cta = static_cast<std::uint8_t>(slot);
  operation.size = static_cast<std::uint8_t>(launch.Warps());
  operation.warps = warps;
  return operation;
}

Operation OperationOf(const Warp& warp, const Arrival& arrival) {
  Operation operation;
  operation.kind = arrival.kind;
  operation.cta = static_cast<std::uint8_t>(warp.cta->slot);
  operation.warp = static_cast<std::uint8_t>(warp.slot);
  operation.bar = static_cast<std::uint8_t>(arrival.bar);
  operation.count = static_cast<std::uint16_t>(arrival.count);
  operation.lanes = arrival.lanes;
  operation.operand = arrival.operand;
  return operation;
}

std::string WrongCount(FaultCause cause, unsigned count, std::uint64_t threads) {
  switch (cause) {
    case FaultCause::kArvWithoutCount:
      return "an arrival that does not wait needs a thread count";
    case FaultCause::kCountNotMultiple:
      return fmt::format("the thread count {} is not a multiple of {}", count, kWarpSize);
    case FaultCause::kCountAboveCta:
      return fmt::format("{} threads, of {} in the CTA", count, threads);
    default:
      return "";
  }
}

RefusedArrival Refused(const Config& config, const Arrival& arrival, std::uint64_t threads) {
  if (arrival.bar >= kNumBars) {
    return {"bad_barrier_id", fmt::format("the barriers are 0 to {}", kNumBars - 1)};
  }
  if (arrival.count > kMaxCount) {
    return {"bad_count", fmt::format("the thread count {} is above {}", arrival.count, kMaxCount)};
  }
  if (config.faults) {
    return {};
  }
  const auto refused = [&](FaultCause cause) {
    return RefusedArrival{Name(cause), WrongCount(cause, arrival.count, threads)};
  };
  if (arrival.kind == OpKind::kArrive && arrival.count == 0) {
    return refused(FaultCause::kArvWithoutCount);
  }
  if (arrival.count % kWarpSize != 0) {
    return refused(FaultCause::kCountNotMultiple);
  }
  return arrival.count / kWarpSize > (threads + kWarpSize - 1) / kWarpSize
             ? refused(FaultCause::kCountAboveCta)
             : RefusedArrival{};
}

Operation ExitOf(const Config& config, const Warp& warp) {
  Operation exit;
  exit.kind = OpKind::kExit;
  exit.cta = static_cast<std::uint8_t>(warp.cta->slot);
  exit.warp = static_cast<std::uint8_t>(warp.slot);
  exit.lanes = config.lanes ? warp.exited : ~0U;
  return exit;
}

ClusterRequest RequestOf(const Warp& warp, muster::ClusterOp op, std::uint32_t lanes) {
  return {op, static_cast<std::uint8_t>(warp.slot), static_cast<std::uint8_t>(warp.cta->slot),
          lanes, warp.live};
}

ClusterRequest RequestOf(const Warp& warp, ClusterForm form, std::uint32_t lanes) {
  return RequestOf(warp,
                   form == ClusterForm::kArrive          ? muster::ClusterOp::kArrive
                   : form == ClusterForm::kArriveRelaxed ? muster::ClusterOp::kArriveRelaxed
                                                         : muster::ClusterOp::kWait,
                   lanes);
}

muster::CancelRequest RequestOf(const Warp& warp, const CancelCall& call) {
  return {static_cast<std::uint8_t>(warp.cta->cluster->slot),
          static_cast<std::uint8_t>(warp.cta->rank),
          static_cast<std::uint8_t>(warp.slot),
          call.multicast,
          call.response,
          call.mbarrier};
}

Transfer ArriveOn(Warp* warp, unsigned lane, std::uint32_t address, std::uint32_t line) {
  Transfer arrival;
  arrival.kind = Transfer::Kind::kArrive;
  arrival.to = arrival.issuer = warp->cta;
  arrival.mbarrier = address;
  arrival.warp = warp->slot;
  arrival.lane = lane;
  arrival.groups = &warp->copies[lane];
  arrival.number = arrival.groups->next();
  arrival.line = line;
  return arrival;
}

Transfer RemoteOf(const Warp& warp, unsigned rank, const MbOperation& operation) {
  Transfer sent;
  sent.kind = Transfer::Kind::kRemote;
  sent.issuer = warp.cta;
  sent.to = warp.cta->cluster->ctas[rank];
  sent.warp = warp.slot;
  sent.lane = static_cast<unsigned>(__builtin_ctz(operation.lanes));
  sent.line = operation.tag;
  sent.operation = operation;
  sent.operation.source = MbSource::kRemote;
  sent.operation.cta = static_cast<std::uint8_t>(sent.to->slot);
  sent.operation.warp = 0;
  sent.operation.releasing = false;  // its warp has drained
  return sent;
}

Transfer UpdateOf(const Warp& warp, unsigned lane) {
  const AtomicInstruction& instruction = warp.atomic.instruction;
  Transfer sent;
  sent.kind = Transfer::Kind::kRemote;
  sent.issuer = warp.cta;
  sent.to = warp.cta->cluster->ctas[warp.atomic.rank[lane]];
  sent.warp = warp.slot;
  sent.lane = lane;
  sent.line = warp.atomic.line;
  RemoteAtomic& update = sent.update;
  update.valid = true;
  update.op = instruction.op;
  update.size = instruction.size;
  update.is_signed = instruction.is_signed;
  update.addr = instruction.addr[lane];
  update.lane = static_cast<std::uint8_t>(lane);
  const unsigned shift = 8 * (update.addr % kWordBytes);
  update.operand = instruction.operand[lane] << shift;
  update.compare = instruction.compare[lane] << shift;
  update.operand_upper = instruction.operand_upper[lane];
  update.compare_upper = instruction.compare_upper[lane];
  update.has_answer = true;
  return sent;
}

Transfer MessageOf(const Transfer& transfer) {
  Transfer sent = transfer;
  sent.operation = CompletionOf(transfer);
  sent.operation.source = MbSource::kRemote;
  sent.operation.lanes = 1U << transfer.lane;
  const bool reduces = transfer.kind == Transfer::Kind::kReduce;
  const std::vector<std::uint8_t>& data = transfer.data;
  RemoteAtomic& update = sent.update;
  update.valid = true;
  update.op = reduces ? AtomicOpOf(transfer.atomic, transfer.type) : AtomicOp::kExch;
  update.size = *AtomicSizeOf(static_cast<unsigned>(data.size()));
  update.is_signed = reduces && IsSigned(transfer.type);
  update.addr = static_cast<std::uint32_t>(transfer.target.front().address);
  update.lane = static_cast<std::uint8_t>(transfer.lane);
  std::uint64_t lower = 0;
  std::memcpy(&lower, data.data(), std::min(data.size(), kWordBytes));
  update.operand = lower << 8 * (update.addr % kWordBytes);
  if (update.size == AtomicSize::k128) {
    std::memcpy(&update.operand_upper, &data[kWordBytes], kWordBytes);
  }
  return sent;
}

RemoteSend SendOf(const Transfer& sent) {
  const MbOperation& operation = sent.operation;
  return {static_cast<std::uint8_t>(sent.issuer->cluster->slot),
          static_cast<std::uint8_t>(sent.to->rank),
          static_cast<std::uint8_t>(sent.warp),
          operation.op,
          operation.addr,
          operation.lanes,
          operation.operand,
          operation.has_token,
          sent.update};
}

}  // namespace muster::ptx
