// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/schedule.h"

#include <variant>

#include "sim/ptx/program/op_class.h"

namespace muster::ptx {

bool HasTurn(const Instruction& instruction, Turn::What what) {
  const Op op = instruction.op;
  const bool is_copy = op == Op::kCopy || IsBulk(op);
  const Mbarrier* const mbarrier = std::get_if<Mbarrier>(&instruction.payload);
  switch (what) {
    case Turn::What::kReads:
      return is_copy || op == Op::kTryCancel || op == Op::kWarpgroupProduct ||
             op == Op::kTensorProduct;
    case Turn::What::kPerforms:
      return is_copy || IsOfTensorCore(op) || op == Op::kTensorCommit || op == Op::kStoreAsync ||
             op == Op::kTryCancel ||
             (mbarrier != nullptr && (IsRemote(mbarrier->op) || mbarrier->op >= MbOp::kCopyArrive));
    case Turn::What::kStarts:
      return false;
    case Turn::What::kExecutes:
      break;
  }
  const OpClass op_class = OpClassOf(instruction);
  return op == Op::kExit || op == Op::kTrap || op == Op::kFence || op_class == OpClass::kLoad ||
         op_class == OpClass::kSideEffect || op_class == OpClass::kSync;
}

}  // namespace muster::ptx
