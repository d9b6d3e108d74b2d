// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/ahead.h"

#include "sim/isa/mbarrier_operation.h"

namespace muster::ptx {

void Ahead::Add(const Instruction& instruction, Arrivals* arrivals) const {
  switch (instruction.op) {
    case Op::kBarrier: {
      const Slot id = instruction.As<CtaBarrier>().id;
      const bool known = id != kNoSlot && IsLiteral(id);
      const std::uint64_t number = known ? program_.literals[LiteralIndex(id)] : 0;
      arrivals->barriers |= known ? 1U << (number & 15U) : 0xffffU;
      break;
    }
    case Op::kMbarrier: {
      const MbOp op = instruction.As<Mbarrier>().op;
      arrivals->mbarriers = arrivals->mbarriers || IsMbArrival(op) || op == MbOp::kCopyArrive ||
                            op == MbOp::kCopyArriveNoInc;
      break;
    }
    case Op::kTensorCommit:
      arrivals->mbarriers = true;
      break;
    default:
      break;
  }
}

std::vector<std::uint32_t> Ahead::NextOf(std::uint32_t pc) const {
  const Instruction& i = program_.code[pc];
  std::vector<std::uint32_t> next;
  bool goes_on = true;
  if (i.op == Op::kBranch) {
    next.push_back(i.As<Branch>().target);
    goes_on = i.guard != kNoSlot;
  } else if (i.op == Op::kBranchIndexed) {
    next = program_.tables[i.As<IndexedBranch>().table];
    goes_on = i.guard != kNoSlot;
  } else if (i.op == Op::kCall) {
    const std::uint32_t callee = program_.calls[i.As<FunctionCall>().call].function;
    for (std::uint32_t k = 0; k < program_.functions.size(); ++k) {
      if (program_.functions[k].has_body && (k == callee || callee == Call::kIndirect)) {
        next.push_back(program_.functions[k].entry);
      }
    }
  } else if (i.op == Op::kReturn) {
    const std::uint32_t from = i.As<Return>().function;
    for (std::uint32_t at = 0; at + 1 < program_.code.size(); ++at) {
      if (program_.code[at].op == Op::kCall) {
        const std::uint32_t callee =
            program_.calls[program_.code[at].As<FunctionCall>().call].function;
        if (callee == from || callee == Call::kIndirect) {
          next.push_back(at + 1);
        }
      }
    }
    goes_on = i.guard != kNoSlot;
  } else if (i.op == Op::kExit || i.op == Op::kTrap) {
    goes_on = i.guard != kNoSlot;
  }
  if (goes_on && pc + 1 < program_.code.size()) {
    next.push_back(pc + 1);
  }
  return next;
}

const Arrivals& Ahead::From(std::uint32_t pc) const {
  const auto [found, fresh] = known_.try_emplace(pc);
  if (!fresh) {
    return found->second;
  }
  std::vector<bool> seen(program_.code.size());
  std::vector<std::uint32_t> open{pc};
  seen[pc] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    Add(program_.code[at], &found->second);
    for (const std::uint32_t next : NextOf(at)) {
      if (next < seen.size() && !seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
    }
  }
  return found->second;
}

}  // namespace muster::ptx
