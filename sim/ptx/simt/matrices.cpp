// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/matrices.h"

#include <fmt/format.h>

#include "sim/isa/bits.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/sparse_matrix.h"

namespace muster::ptx {

// "Values 0b0000, 0b0101, 0b1010, 0b1111 are invalid values for metadata and will result in
// undefined behavior."
std::optional<StepEvent> Matrices::CheckMetadata(const Warp& warp, const Lanes& lanes,
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
  return x_.Misuse(warp, *lane, lanes.instruction.line, "bad_metadata", columns.Complaint(*lane));
}

// The text leaves a warp undefined of which a thread has exited. A warp that its block does not
// fill lacks threads, too.
StepEvent Matrices::ExecuteMatrix(Warp* warp, std::size_t index) {
  constexpr std::uint32_t kAllLanes = ~0U;
  const Group group = warp->groups[index];
  const Lanes lanes = x_.LanesOf(warp, group, group.lanes);
  if (group.lanes != kAllLanes) {
    return x_.Misuse(
        *warp, First(group.lanes), lanes.instruction.line, "partial_warp",
        fmt::format("comes to a matrix instruction with {} lanes of its warp, and not 32",
                    Ones(group.lanes)));
  }
  std::optional<StepEvent> event = StepEvent::kNone;
  switch (lanes.instruction.op) {
    case Op::kWarpgroupProduct:
    case Op::kWarpgroupOrder:
      return warpgroup_unit_.ExecuteWarpgroup(warp, index);
    case Op::kRegisterLimit:
      event = warpgroup_unit_.SetRegisters(warp, group);
      break;
    case Op::kOpaque:
      unknowns_.SpreadMatrix(warp, lanes, group.frame);
      break;
    case Op::kMatrixProduct:
    case Op::kMatrixLayout:
      if (x_.tracks_unknown) {
        unknowns_.SpreadMatrix(warp, lanes, group.frame);
      }
      if (const std::optional<StepEvent> refused = CheckMetadata(*warp, lanes, group.frame)) {
        return *refused;
      }
      Compute(lanes);
      break;
    default:
      event = tensor_core_.ExecuteTensor(warp, group, lanes);
  }
  if (!event) {
    warp->held += group.state == Group::State::kReady ? 1 : 0;
    warp->groups[index].state = Group::State::kAwaitsResource;
    return StepEvent::kNone;
  }
  if (*event != StepEvent::kNone) {
    return *event;
  }
  if (group.state != Group::State::kReady) {
    --warp->held;
    warp->groups[index].state = Group::State::kReady;
  }
  Advance(warp, index);
  return StepEvent::kNone;
}

}  // namespace muster::ptx
