// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/schedule.h"

#include <variant>

#include "sim/ptx/program/nature.h"

namespace muster::ptx {

bool HasTurn(const Instruction& instruction, Turn::What what) {
  const Op op = instruction.op;
  const bool is_copy = op == Op::kCopy || op == Op::kBulk;
  const Mbarrier* const mbarrier = std::get_if<Mbarrier>(&instruction.payload);
  switch (what) {
    case Turn::What::kReads:
      return is_copy || op == Op::kTryCancel;
    case Turn::What::kPerforms:
      return is_copy || op == Op::kStoreAsync || op == Op::kTryCancel ||
             (mbarrier != nullptr && (IsRemote(mbarrier->op) || mbarrier->op >= MbOp::kCopyArrive));
    case Turn::What::kStarts:
      return false;
    case Turn::What::kExecutes:
      break;
  }
  const Nature nature = NatureOf(instruction);
  return op == Op::kExit || op == Op::kTrap || op == Op::kFence || nature == Nature::kLoads ||
         nature == Nature::kActs || nature == Nature::kMeets;
}

}  // namespace muster::ptx
