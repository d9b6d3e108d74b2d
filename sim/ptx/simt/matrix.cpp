// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that the lanes of a warp execute together, on matrices that they hold in parts.
#include <fmt/format.h>

#include "sim/isa/bits.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/sparse_matrix.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {

// "all threads in the warp must execute the same" instruction: lanes that come apart wait for the
// others, as at an aligned barrier.
Interpreter::Event Interpreter::ReachMatrix(Warp* warp, std::size_t index, std::uint32_t active) {
  Part(warp, index, active);
  return active == warp->live ? ExecuteMatrix(warp, index) : AwaitAll(warp, index);
}

// Whether the CTA has enough of what the group waits for.
bool Interpreter::MayTake(const Warp& warp, const Group& group) const {
  const Cta& cta = *warp.cta;
  const Instruction& i = program_.code[group.pc];
  if (i.op == Op::kRegisterLimit) {
    const std::uint32_t own = cta.registers.of_warp[warp.first_thread / kWarpSize];
    const std::uint32_t wanted = i.As<RegisterLimit>().count;
    return wanted <= own || wanted - own <= cta.registers.free;
  }
  const std::uint32_t columns =
      ValueOf(warp, group, i.As<TensorAllocation>().columns, First(group.lanes));
  return cta.tensor == nullptr || !TensorMemory::IsSize(columns) ||
         cta.tensor->Free(columns).has_value();
}

// "Values 0b0000, 0b0101, 0b1010, 0b1111 are invalid values for metadata and will result in
// undefined behavior."
std::optional<Interpreter::Event> Interpreter::CheckMetadata(const Warp& warp, const Lanes& lanes,
                                                             std::uint32_t frame) {
  const auto* const product = std::get_if<MatrixProduct>(&lanes.instruction.payload);
  if (product == nullptr || !product->sparse ||
      UnknownIn(warp, frame, {product->metadata}, lanes.mask, nullptr) != 0) {
    return std::nullopt;
  }
  const SparseColumns columns(SparseRowsOf(lanes, *product));
  const std::optional<unsigned> lane = columns.BadLane();
  if (!lane) {
    return std::nullopt;
  }
  return Misuse(warp, *lane, lanes.instruction.line, "bad_metadata", columns.Complaint(*lane));
}

// The text leaves a warp undefined of which a thread has exited. A warp that its block does not
// fill lacks threads, too.
Interpreter::Event Interpreter::ExecuteMatrix(Warp* warp, std::size_t index) {
  constexpr std::uint32_t kAllLanes = ~0U;
  const Group group = warp->groups[index];
  const Lanes lanes = LanesOf(warp, group, group.lanes);
  if (group.lanes != kAllLanes) {
    return Misuse(*warp, First(group.lanes), lanes.instruction.line, "partial_warp",
                  fmt::format("comes to a matrix instruction with {} lanes of its warp, and not 32",
                              Ones(group.lanes)));
  }
  std::optional<Event> event = Event::kNone;
  switch (lanes.instruction.op) {
    case Op::kWarpgroupProduct:
    case Op::kWarpgroupOrder:
      return ExecuteWarpgroup(warp, index);
    case Op::kRegisterLimit:
      event = SetRegisters(warp, group);
      break;
    case Op::kOpaque:
      SpreadMatrix(warp, lanes, group.frame);
      break;
    case Op::kMatrixProduct:
    case Op::kMatrixLayout:
      if (tracks_unknown_) {
        SpreadMatrix(warp, lanes, group.frame);
      }
      if (const std::optional<Event> refused = CheckMetadata(*warp, lanes, group.frame)) {
        return *refused;
      }
      Compute(lanes);
      break;
    default:
      event = ExecuteTensor(warp, group, lanes);
  }
  if (!event) {
    warp->held += group.state == Group::State::kReady ? 1 : 0;
    warp->groups[index].state = Group::State::kAwaitsResource;
    return Event::kNone;
  }
  if (*event != Event::kNone) {
    return *event;
  }
  if (group.state != Group::State::kReady) {
    --warp->held;
    warp->groups[index].state = Group::State::kReady;
  }
  Advance(warp, index);
  return Event::kNone;
}

}  // namespace muster::ptx
