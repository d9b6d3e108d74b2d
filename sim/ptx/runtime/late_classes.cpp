// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/late_classes.h"

#include "sim/ptx/program/op_class.h"

namespace muster::ptx {
namespace {

// What a release or a fence of the generic proxy waits for. What is performed for the CTA is
// enough for a scope that has no other threads.
ClassSet GenericOf(Scope scope) {
  return SetOf(AccessClass::kGeneric) | (scope == Scope::kCta ? 0 : SetOf(AccessClass::kGlobal));
}

ClassSet AwaitedBy(const MemoryFence& fence) {
  const bool acquires = fence.ordering.Acquires() && !fence.ordering.Releases();
  if (fence.of_maps) {
    return acquires ? SetOf(AccessClass::kMap) : GenericOf(fence.ordering.scope);
  }
  if (fence.of_inits) {
    return SetOf(AccessClass::kGeneric);
  }
  const Scope scope =
      fence.of_shared || fence.space == Space::kShared ? Scope::kCta : fence.ordering.scope;
  if (!fence.async) {
    return fence.ordering.IsStrong() ? GenericOf(scope) : 0;
  }
  return !fence.ordering.IsStrong() ? GenericOf(scope) | SetOf(AccessClass::kAsync)
         : acquires                 ? SetOf(AccessClass::kAsync)
                                    : GenericOf(scope);
}

}  // namespace

bool Orders(const Instruction& i) {
  switch (i.op) {
    case Op::kLoad:
      return i.As<ptx::Load>().ordering.Acquires();
    case Op::kStore:
      return i.As<ptx::Store>().ordering.Releases();
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kStoreAsync:
    case Op::kBranch:
      return false;
    case Op::kFence:
      return true;
    default:
      return OpClassOf(i) != OpClass::kAlu && OpClassOf(i) != OpClass::kVolatile;
  }
}

ClassSet AwaitedBy(const Instruction& i) {
  switch (i.op) {
    case Op::kFence:
      return AwaitedBy(i.As<MemoryFence>());
    case Op::kStore:
    case Op::kAtomic: {
      const Ordering ordering = AccessOf(i).ordering;
      return ordering.Releases() ? GenericOf(ordering.scope) : 0;
    }
    case Op::kMultimem: {
      const Ordering ordering = i.As<MultimemAccess>().ordering;
      return ordering.Releases() ? GenericOf(ordering.scope) : 0;
    }
    default:
      return 0;
  }
}

ClassSet BegunBy(const Instruction& i) {
  switch (i.op) {
    case Op::kLoad:
      return SetOf(AccessClass::kGeneric);
    case Op::kStore:
      return SetOf(AccessClass::kGeneric) | SetOf(AccessClass::kGlobal);
    case Op::kBulk:
    case Op::kTensor:
      return SetOf(AccessClass::kAsync) | SetOf(AccessClass::kMap);
    default:
      return 0;
  }
}

}  // namespace muster::ptx
