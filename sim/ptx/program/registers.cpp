// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A payload that is left out here does not compile.
#include "sim/ptx/program/registers.h"

#include <array>
#include <variant>

namespace muster::ptx {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

using Slots = std::vector<Slot>;

void Add(Slots* slots, Slot slot) {
  if (slot != kNoSlot) {
    slots->push_back(slot);
  }
}
void Add(Slots* slots, const Address& address) { Add(slots, address.base); }
void Add(Slots* slots, const Slots& more) { slots->insert(slots->end(), more.begin(), more.end()); }
template <std::size_t kCount>
void Add(Slots* slots, const std::array<Slot, kCount>& more) {
  for (const Slot slot : more) {
    Add(slots, slot);
  }
}

template <typename... Parts>
Slots All(const Parts&... parts) {
  Slots slots;
  (Add(&slots, parts), ...);
  return slots;
}

}  // namespace

std::vector<Slot> ResultsOf(const Instruction& instruction) {
  return std::visit(
      Overloaded{
          [](const std::monostate& /*i*/) { return All(); },
          [](const Arithmetic& i) { return All(i.d); },
          [](const CarryArithmetic& i) { return All(i.d, i.carry_out); },
          [](const DotProduct& i) { return All(i.d); },
          [](const BitOperation& i) { return All(i.d); },
          [](const Comparison& i) { return All(i.d, i.complement); },
          [](const Selection& i) { return All(i.d); },
          [](const FloatTest& i) { return All(i.d); },
          [](const Move& i) { return All(i.d); },
          [](const Packing& i) { return All(i.d); },
          [](const Unpacking& i) { return All(i.d); },
          [](const SpecialRead& i) { return All(i.d); },
          [](const Conversion& i) { return All(i.d); },
          [](const PackedConversion& i) { return All(i.d); },
          [](const Video& i) { return All(i.d); },
          [](const AddressConversion& i) { return All(i.d); },
          [](const ClusterMapping& i) { return All(i.d); },
          [](const StackChange& i) { return All(i.d); },
          [](const Load& i) { return All(i.d); },
          [](const Store& /*i*/) { return All(); },
          [](const AtomicAccess& i) { return All(i.d); },
          [](const SmallCopy& /*i*/) { return All(); },
          [](const CopyGroup& /*i*/) { return All(); },
          [](const BulkCopy& /*i*/) { return All(); },
          [](const BulkStore& /*i*/) { return All(); },
          [](const MultimemAccess& i) { return All(i.d); },
          [](const TextureLookup& i) { return All(i.d); },
          [](const TextureQuery& i) { return All(i.d); },
          [](const SurfaceAccess& i) { return All(i.d); },
          [](const TensorCopy& /*i*/) { return All(); },
          [](const TensorReplace& /*i*/) { return All(); },
          [](const AsyncStore& /*i*/) { return All(); },
          [](const CancelRequest& /*i*/) { return All(); },
          [](const CancelQuery& i) { return All(i.is_canceled, i.ctaid); },
          [](const MemoryFence& /*i*/) { return All(); },
          [](const Branch& /*i*/) { return All(); },
          [](const IndexedBranch& /*i*/) { return All(); },
          [](const FunctionCall& /*i*/) { return All(); },
          [](const Return& /*i*/) { return All(); },
          [](const RuntimeCall& /*i*/) { return All(); },
          [](const Nanosleep& /*i*/) { return All(); },
          [](const ActiveMask& i) { return All(i.d); },
          [](const WarpExchange& i) { return All(i.d, i.predicate); },
          [](const MatrixProduct& i) { return All(i.d); },
          [](const FragmentPlace& i) { return All(i.d); },
          [](const MatrixLayout& i) { return All(i.d); },
          [](const TensorAllocation& i) { return All(i.d); },
          [](const TensorAccess& i) { return i.stores ? All() : All(i.registers); },
          [](const TensorWait& /*i*/) { return All(); },
          [](const TensorProduct& /*i*/) { return All(); },
          [](const TensorMovement& /*i*/) { return All(); },
          [](const TensorCommit& /*i*/) { return All(); },
          [](const WarpgroupProduct& i) { return All(i.d); },
          [](const WarpgroupOrder& /*i*/) { return All(); },
          [](const RegisterLimit& /*i*/) { return All(); },
          [](const Opaque& i) { return All(i.d); },
          [](const CtaBarrier& i) { return All(i.d); },
          [](const ClusterBarrier& /*i*/) { return All(); },
          [](const GridControl& /*i*/) { return All(); },
          [](const Mbarrier& i) { return All(i.d, i.report_predicate, i.report_value); },
      },
      instruction.payload);
}

std::vector<Slot> SourcesOf(const Instruction& instruction) {
  return std::visit(
      Overloaded{
          [](const std::monostate& /*i*/) { return All(); },
          [](const Arithmetic& i) { return All(i.a); },
          [](const CarryArithmetic& i) { return All(i.a, i.carry_in); },
          [](const DotProduct& i) { return All(i.a); },
          [](const BitOperation& i) { return All(i.a); },
          [](const Comparison& i) { return All(i.a, i.c); },
          [](const Selection& i) { return All(i.a, i.c); },
          [](const FloatTest& i) { return All(i.a); },
          [](const Move& i) { return All(i.a); },
          [](const Packing& i) { return All(i.a); },
          [](const Unpacking& i) { return All(i.a); },
          [](const SpecialRead& /*i*/) { return All(); },
          [](const Conversion& i) { return All(i.a); },
          [](const PackedConversion& i) { return All(i.a); },
          [](const Video& i) { return All(i.a); },
          [](const AddressConversion& i) { return All(i.a); },
          [](const ClusterMapping& i) { return All(i.a, i.rank); },
          [](const StackChange& i) { return All(i.a); },
          [](const Load& i) { return All(i.address); },
          [](const Store& i) { return All(i.address, i.values); },
          [](const AtomicAccess& i) { return All(i.address, i.b, i.c); },
          [](const SmallCopy& i) { return All(i.to, i.from, i.read, i.ignores); },
          [](const CopyGroup& i) { return All(i.groups); },
          [](const BulkCopy& i) {
            return All(i.to, i.from, i.size, i.mbarrier, i.ctas, i.byte_mask, i.ignore_left,
                       i.ignore_right);
          },
          [](const MultimemAccess& i) { return All(i.address, i.values); },
          [](const TextureLookup& i) { return All(i.texture, i.layer, i.coordinates, i.offsets); },
          [](const TextureQuery& i) { return All(i.texture); },
          [](const SurfaceAccess& i) { return All(i.surface, i.layer, i.coordinates, i.values); },
          [](const BulkStore& i) { return All(i.address, i.size); },
          [](const TensorCopy& i) {
            return All(i.map, i.shared, i.coordinates, i.offsets, i.mbarrier, i.ctas);
          },
          [](const TensorReplace& i) { return All(i.address, i.value); },
          [](const AsyncStore& i) { return All(i.address, i.values, i.mbarrier); },
          [](const CancelRequest& i) { return All(i.response, i.mbarrier); },
          [](const CancelQuery& i) { return All(i.response); },
          [](const MemoryFence& i) { return All(i.address); },
          [](const Branch& /*i*/) { return All(); },
          [](const IndexedBranch& i) { return All(i.index); },
          [](const FunctionCall& i) { return All(i.function); },
          [](const Return& /*i*/) { return All(); },
          [](const RuntimeCall& i) { return All(i.arguments, i.result); },
          [](const Nanosleep& i) { return All(i.ns); },
          [](const ActiveMask& /*i*/) { return All(); },
          [](const WarpExchange& i) { return All(i.members, i.value, i.from, i.clamp); },
          [](const MatrixProduct& i) {
            return All(i.a, i.b, i.c, i.metadata, i.scales, i.scale_bytes, i.scale_threads);
          },
          [](const FragmentPlace& i) { return All(i.address, i.stride); },
          [](const MatrixLayout& i) { return All(i.a); },
          [](const TensorAllocation& i) { return All(i.address, i.columns); },
          [](const TensorAccess& i) {
            return i.stores ? All(i.address, i.registers) : All(i.address);
          },
          [](const TensorWait& /*i*/) { return All(); },
          [](const TensorProduct& i) {
            return All(i.d, i.a, i.b, i.metadata, i.descriptor, i.accumulates, i.zero_columns,
                       i.scales, i.disabled);
          },
          [](const TensorMovement& i) { return All(i.address, i.source); },
          [](const TensorCommit& i) { return All(i.mbarrier, i.ctas); },
          [](const WarpgroupProduct& i) {
            return All(i.a, i.a_matrix, i.b_matrix, i.metadata, i.scale, i.d);
          },
          [](const WarpgroupOrder& /*i*/) { return All(); },
          [](const RegisterLimit& /*i*/) { return All(); },
          [](const Opaque& i) { return All(i.a); },
          [](const CtaBarrier& i) { return All(i.id, i.count, i.predicate); },
          [](const ClusterBarrier& /*i*/) { return All(); },
          [](const GridControl& /*i*/) { return All(); },
          [](const Mbarrier& i) { return All(i.address, i.operand, i.hint, i.ctas); },
      },
      instruction.payload);
}

}  // namespace muster::ptx
