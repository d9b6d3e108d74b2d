// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/tensor_core.h"

#include <fmt/format.h>

#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/tensor_movement.h"
#include "sim/ptx/simt/tensor_product.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWarpLanes = 32;  // of tensor memory, that a warp can access
constexpr unsigned kWordBytes = 8;
constexpr std::uint32_t kLowerHalf = 0xffff;
constexpr const char* kNoPeer =
    "uses the tensor memory of a pair of CTAs, and no other CTA of its pair runs";

// Of a register of a thread: the lane of tensor memory, from the first of the access on, and the
// column, of registers that have one. PTX, "Matrix fragments for shape".
struct Cell {
  unsigned lane;
  unsigned column;
};
Cell CellOf(TensorShape shape, unsigned thread, unsigned index) {
  switch (shape) {
    case TensorShape::k32x32b:
      return {thread, index};
    case TensorShape::k16x32bx2:
      return {thread % 16, index};
    case TensorShape::k16x64b:
      return {thread / 4 + 8 * (thread % 2), 2 * index + thread / 2 % 2};
    case TensorShape::k16x128b:
      return {thread / 4 + 8 * (index % 2), 4 * (index / 2) + thread % 4};
    case TensorShape::k16x256b:
      return {thread / 4 + 8 * (index / 2 % 2), 8 * (index / 4) + 2 * (thread % 4) + index % 2};
  }
  return {0, 0};
}

unsigned ColumnsOf(const TensorAccess& i) {
  const unsigned once = i.shape == TensorShape::k16x64b    ? 2
                        : i.shape == TensorShape::k16x128b ? 4
                        : i.shape == TensorShape::k16x256b ? 8
                                                           : 1;
  return once * i.times * (i.halves ? 2 : 1);
}

}  // namespace

TensorCore::TensorCore(Execution* execution, Unknowns* unknowns, AsyncCopies* copies)
    : x_(*execution),
      unknowns_(*unknowns),
      copies_(*copies),
      awaits_reads_(
          std::any_of(x_.program.code.begin(), x_.program.code.end(), [](const Instruction& i) {
            return i.op == Op::kTensorCommit && i.As<TensorCommit>().of_reads;
          })) {}

// Any instruction of tcgen05 that the lanes of a warp execute together; nothing: it has to wait.
std::optional<StepEvent> TensorCore::ExecuteTensor(Warp* warp, const Group& group,
                                                   const Lanes& lanes) {
  switch (lanes.instruction.op) {
    case Op::kTensorAllocation:
      return ExecuteAllocation(warp, group, lanes);
    case Op::kTensorAccess:
      return AccessTensor(warp, group, lanes);
    default:
      return StepEvent::kNone;  // what it waits for has been done
  }
}

std::optional<StepEvent> TensorCore::ExecuteAllocation(Warp* warp, const Group& group,
                                                       const Lanes& lanes) {
  const auto& i = lanes.instruction.As<TensorAllocation>();
  const std::uint32_t line = lanes.instruction.line;
  Cta& cta = *warp->cta;
  const auto misuse = [&](const char* cause, const std::string& what) {
    return x_.Misuse(*warp, First(group.lanes), line, cause, what);
  };
  if (cta.tensor == nullptr) {
    cta.tensor = std::make_unique<TensorMemory>();
  }
  TensorMemory& memory = *cta.tensor;
  if (i.what == TensorAllocation::What::kRelinquish) {
    memory.relinquished = true;
    return StepEvent::kNone;
  }
  const std::uint32_t columns = x_.ValueOf(*warp, group, i.columns, First(group.lanes));
  if (!TensorMemory::IsSize(columns)) {
    return misuse("bad_tensor_size",
                  fmt::format("names {} columns of tensor memory: a power of two from {} to {} is "
                              "allocated",
                              columns, kLeastColumns, kTensorColumns));
  }
  unsigned first = 0;
  if (i.what == TensorAllocation::What::kAllocate) {
    if (memory.relinquished) {
      return misuse("tensor_permit_relinquished",
                    "allocates tensor memory after its CTA has relinquished the right to");
    }
    const std::optional<unsigned> free = memory.Free(columns);
    if (!free) {
      if (x_.accesses != nullptr) {
        x_.accesses->OnResource(*warp);
      }
      return std::nullopt;
    }
    first = *free;
    memory.Allocate(first, columns, line);
    for (unsigned lane = 0; lane < kTensorLanes; lane += kPieceLanes) {
      const TensorRange range = TensorPieces(&cta, lane, first, columns, true);
      memory.unknown.Set(range.first, range.bytes, 0);
    }
    lanes.ForEach([d = lanes.Write(i.d), first](unsigned lane) { d[lane] = first; });
  } else {
    const std::uint32_t address = x_.ValueOf(*warp, group, i.address, First(group.lanes));
    first = TensorColumn(address);
    if (const auto operation = memory.UnderWay(first, columns); operation != nullptr) {
      return misuse("tensor_memory_in_use",
                    fmt::format("releases tensor memory from column {} on, which the operation of "
                                "{} still uses",
                                first, x_.program.Place(operation->line)));
    }
    if (const auto why = memory.Release(first, columns, line)) {
      return misuse("tensor_memory_not_allocated", *why);
    }
    x_.changed = true;
    x_.released = true;
  }
  if (x_.accesses != nullptr) {
    std::vector<TensorRange> ranges;
    for (unsigned lane = 0; lane < kTensorLanes; lane += kPieceLanes) {
      ranges.push_back(TensorPieces(&cta, lane, first, columns, true));
    }
    x_.accesses->OnResource(*warp);
    x_.accesses->OnTensorAccess(*warp, ranges);
  }
  return StepEvent::kNone;
}

// Between a register of a thread and a piece of tensor memory.
void TensorCore::SpreadCell(Warp* warp, std::uint32_t frame, Slot slot, unsigned thread,
                            const TensorRange& piece) {
  UnknownBytes& memory = warp->cta->tensor->unknown;
  if (!piece.writes) {
    SetUnknown(warp, frame, {slot}, 1U << thread, memory.Find(piece.first, piece.bytes));
  } else if (const Origin origin = UnknownIn(*warp, frame, {slot}, 1U << thread, nullptr)) {
    memory.Set(piece.first, piece.bytes, origin);
  }
}

// The text lets ld and st be performed any time before the wait for them: here at once.
StepEvent TensorCore::AccessTensor(Warp* warp, const Group& group, const Lanes& lanes) {
  const auto& i = lanes.instruction.As<TensorAccess>();
  const std::uint32_t line = lanes.instruction.line;
  const std::uint32_t address = x_.ValueOf(*warp, group, i.address, First(group.lanes));
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (x_.ValueOf(*warp, group, i.address, lane) != address) {
      return x_.Misuse(*warp, lane, line, "divergent_operand",
                       fmt::format("names the address {:#010x} of tensor memory, and lane 0 of its "
                                   "warp {:#010x}, in one instruction",
                                   x_.ValueOf(*warp, group, i.address, lane), address));
    }
  }
  const unsigned first = TensorLane(address);
  const unsigned column = TensorColumn(address);
  const unsigned own = warp->first_thread / kWarpSize % 4 * kWarpLanes;
  const unsigned count = i.shape == TensorShape::k32x32b ? kWarpLanes : kPieceLanes;
  if (first != own && (count == kWarpLanes || first != own + kPieceLanes)) {
    return x_.Misuse(
        *warp, 0, line, "tensor_lane_not_accessible",
        fmt::format("accesses lanes of tensor memory from {} on: warp {} of its "
                    "warpgroup can access lanes {} to {}, from {} on",
                    first, own / kWarpLanes, own, own + kWarpLanes - 1,
                    count == kWarpLanes ? fmt::format("{}", own)
                                        : fmt::format("{} or {}", own, own + kPieceLanes)));
  }
  TensorMemory* const memory = warp->cta->tensor.get();
  const unsigned columns = ColumnsOf(i);
  const bool two = i.shape == TensorShape::k16x32bx2;
  std::vector<TensorRange> ranges;
  for (const unsigned begin : {column, column + i.second}) {
    if (begin == column || two) {
      const std::optional<std::string> why =
          memory == nullptr ? "accesses tensor memory, of which none is allocated"
                            : memory->Refusal(first, count, begin, columns);
      if (why) {
        return x_.Misuse(*warp, 0, line, "tensor_memory_not_allocated", *why);
      }
      for (unsigned lane = first; lane < first + count; lane += kPieceLanes) {
        ranges.push_back(TensorPieces(warp->cta, lane, begin, columns, i.stores));
      }
    }
  }
  const unsigned each = i.halves ? 2 : 1;
  if (x_.tracks_unknown && i.stores) {
    for (const TensorRange& range : ranges) {
      memory->unknown.Set(range.first, range.bytes, 0);
    }
  }
  for (unsigned index = 0; index < i.registers.size(); ++index) {
    for (unsigned thread = 0; thread < kWarpSize; ++thread) {
      const Cell cell = CellOf(i.shape, thread, index);
      const unsigned at = column + each * cell.column + (two && thread >= 16 ? i.second : 0);
      std::uint32_t& low = memory->At(first + cell.lane, at);
      if (x_.tracks_unknown) {
        SpreadCell(warp, group.frame, i.registers[index], thread,
                   TensorPieces(warp->cta, first + cell.lane, at, each, i.stores));
      }
      if (!i.stores && i.halves) {
        lanes.Write(i.registers[index])[thread] =
            (low & kLowerHalf) | (memory->At(first + cell.lane, at + 1) & kLowerHalf) << 16;
      } else if (!i.stores) {
        lanes.Write(i.registers[index])[thread] = low;
      } else {
        const auto value = static_cast<std::uint32_t>(lanes.Read(i.registers[index])[thread]);
        low = i.halves ? value & kLowerHalf : value;
        if (i.halves) {
          memory->At(first + cell.lane, at + 1) = value >> 16;
        }
      }
    }
  }
  x_.changed = x_.changed || i.stores;
  if (x_.accesses != nullptr) {
    x_.accesses->OnTensorAccess(*warp, ranges);
  }
  return StepEvent::kNone;
}

// ------------------------------------------------------------------------------------------------
// Operations of tensor cores, each of one thread
// ------------------------------------------------------------------------------------------------

StepEvent TensorCore::ExecuteTensorCore(Warp* warp, const Lanes& lanes) {
  StepEvent event = StepEvent::kNone;
  for (std::uint32_t rest = lanes.mask; rest != 0 && event == StepEvent::kNone; rest &= rest - 1) {
    const unsigned lane = First(rest);
    switch (lanes.instruction.op) {
      case Op::kTensorCommit:
        event = CommitTensor(warp, lanes, lane);
        break;
      case Op::kTensorMovement:
        event = StartMovement(warp, lanes, lane);
        break;
      default:
        event = StartProduct(warp, lanes, lane);
    }
  }
  return event;
}

// The CTA, or both of its pair, the even one first. Nothing: it has no peer.
std::vector<Cta*> TensorCore::TensorGroup(const Warp& warp, bool pair) {
  if (!pair) {
    return {warp.cta};
  }
  const std::vector<Cta*>& ctas = warp.cta->cluster->ctas;
  const unsigned even = warp.cta->rank & ~1U;
  if (even + 1 >= ctas.size() || ctas[even]->exited || ctas[even + 1]->exited) {
    return {};
  }
  return {ctas[even], ctas[even + 1]};
}

StepEvent TensorCore::StartTensor(Warp* warp, unsigned lane, const Instruction& instruction,
                                  std::shared_ptr<TensorOperation> operation) {
  operation->line = instruction.line;
  for (Cta* const cta : warp->cta->cluster->ctas) {
    if (cta->tensor != nullptr && operation->Touches(cta)) {
      cta->tensor->Begin(operation);
    }
  }
  Transfer transfer;
  transfer.kind = Transfer::Kind::kTensor;
  transfer.to = warp->cta;
  transfer.of_reads = awaits_reads_ && operation->HasA();
  transfer.tensor = std::move(operation);
  copies_.StartTransfer(warp, lane, instruction, &warp->tensor_operations[lane],
                        std::move(transfer));
  return StepEvent::kNone;
}

StepEvent TensorCore::StartProduct(Warp* warp, const Lanes& lanes, unsigned lane) {
  const auto& i = lanes.instruction.As<TensorProduct>();
  const std::uint32_t line = lanes.instruction.line;
  const auto word = [&](Slot slot) { return static_cast<std::uint32_t>(lanes.Read(slot)[lane]); };
  ProductCall call;
  call.kind = i.kind;
  call.ctas = TensorGroup(*warp, i.pair);
  if (call.ctas.empty()) {
    return x_.Misuse(*warp, lane, line, "no_peer_cta", kNoPeer);
  }
  constexpr unsigned kMakesMask = 39;  // "Non-Zero Mask" of the descriptor
  const bool leaves_columns =
      i.zero_columns != kNoSlot && (lanes.Read(i.zero_columns)[lane] >> kMakesMask & 1) != 0;
  call.is_opaque = i.sparse || i.shifted || leaves_columns;
  call.origin = i.text ? unknowns_.OriginOf(*i.text, line) : 0;
  call.spread = i.spread;
  call.a_in_tensor = i.a_in_tensor;
  call.scale_count = i.scale_count;
  for (std::size_t k = 0; k < call.scales.size() && i.scale_count != 0; ++k) {
    call.scales[k] = word(i.scales[k]);
  }
  call.accumulates = (lanes.Read(i.accumulates)[lane] != 0) != i.negated;
  call.scale = i.scale;
  call.d = word(i.d);
  call.a = i.a_in_tensor ? word(i.a) : lanes.Read(i.a)[lane];
  call.b = lanes.Read(i.b)[lane];
  call.descriptor = word(i.descriptor);
  for (std::size_t k = 0; k < call.disabled.size(); ++k) {
    call.disabled[k] = i.disabled[k] == kNoSlot ? 0 : word(i.disabled[k]);
  }
  TensorRefusal refusal;
  std::shared_ptr<TensorOperation> operation = MakeProduct(call, &refusal);
  if (operation == nullptr) {
    return x_.Misuse(*warp, lane, line, refusal.cause, refusal.why);
  }
  return StartTensor(warp, lane, lanes.instruction, std::move(operation));
}

StepEvent TensorCore::StartMovement(Warp* warp, const Lanes& lanes, unsigned lane) {
  const auto& i = lanes.instruction.As<TensorMovement>();
  const std::uint32_t line = lanes.instruction.line;
  const std::vector<Cta*> ctas = TensorGroup(*warp, i.pair);
  if (ctas.empty()) {
    return x_.Misuse(*warp, lane, line, "no_peer_cta", kNoPeer);
  }
  TensorRefusal refusal;
  std::shared_ptr<TensorOperation> operation =
      MakeMovement(i, ctas, static_cast<std::uint32_t>(lanes.Read(i.address)[lane]),
                   i.source == kNoSlot ? 0 : lanes.Read(i.source)[lane], &refusal);
  if (operation == nullptr) {
    return x_.Misuse(*warp, lane, line, refusal.cause, refusal.why);
  }
  return StartTensor(warp, lane, lanes.instruction, std::move(operation));
}

// An arrival at the mbarrier of each CTA, when all that the thread has started before is done, or
// has read matrix A.
StepEvent TensorCore::CommitTensor(Warp* warp, const Lanes& lanes, unsigned lane) {
  const auto& i = lanes.instruction.As<TensorCommit>();
  const std::uint64_t address = lanes.Read(i.mbarrier)[lane];
  const std::vector<Cta*>& ctas = warp->cta->cluster->ctas;
  Transfer arrival;
  if (address % kWordBytes != 0 ||
      !copies_.Locate(warp, lane, i.space, address, kWordBytes, false, &arrival)) {
    return x_.Fault(
        *warp, lane, lanes.instruction.line,
        fmt::format("names an mbarrier at {:#x}, which is no word of shared memory of its "
                    "cluster",
                    address));
  }
  arrival.kind = Transfer::Kind::kArrive;
  arrival.of_reads = i.of_reads;
  arrival.mbarrier = static_cast<std::uint32_t>(arrival.target.front().address);
  arrival.target.clear();
  const std::uint64_t mask =
      i.ctas == kNoSlot ? std::uint64_t{1} << arrival.to->rank
                        : lanes.Read(i.ctas)[lane] & (i.wide ? ~std::uint32_t{0} : kLowerHalf);
  for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned rank = First(rest);
    if (rank >= ctas.size() || ctas[rank]->exited) {
      return x_.Fault(*warp, lane, lanes.instruction.line,
                      fmt::format("arrives at an mbarrier of the CTA with rank {} of the cluster, "
                                  "which {}",
                                  rank, rank >= ctas.size() ? "there is not" : "has exited"));
    }
  }
  ForEachBit(mask, [&](unsigned rank) {
    Transfer one = arrival;
    one.to = ctas[rank];
    copies_.StartTransfer(warp, lane, lanes.instruction, &warp->tensor_operations[lane],
                          std::move(one));
  });
  return StepEvent::kNone;
}

}  // namespace muster::ptx
