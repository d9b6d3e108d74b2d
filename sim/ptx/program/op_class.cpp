// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// No switch here has a default, and none that leaves a case out compiles (CMakeLists.txt): whoever
// adds an instruction decides what it is.
#include "sim/ptx/program/op_class.h"

#include <algorithm>
#include <cstddef>

#include "sim/isa/mbarrier_operation.h"

namespace muster::ptx {
namespace {

OpClass OpClassOf(Special special) {
  switch (special) {
    case Special::kClock:
    case Special::kClockHi:
    case Special::kClock64:
    case Special::kGlobalTimer:
    case Special::kGlobalTimerLo:
    case Special::kGlobalTimerHi:
      return OpClass::kVolatile;
    // A thread stays where it was launched: its warp, its SM and its sizes are the same all along.
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ:
    case Special::kNtidX:
    case Special::kNtidY:
    case Special::kNtidZ:
    case Special::kCtaidX:
    case Special::kCtaidY:
    case Special::kCtaidZ:
    case Special::kNctaidX:
    case Special::kNctaidY:
    case Special::kNctaidZ:
    case Special::kLaneId:
    case Special::kWarpId:
    case Special::kNumWarps:
    case Special::kLaneMaskEq:
    case Special::kLaneMaskLe:
    case Special::kLaneMaskLt:
    case Special::kLaneMaskGe:
    case Special::kLaneMaskGt:
    case Special::kSmId:
    case Special::kNumSm:
    case Special::kGridId:
    case Special::kDynamicShared:
    case Special::kTotalShared:
    case Special::kAggregateShared:
    case Special::kReservedBegin:
    case Special::kReservedEnd:
    case Special::kReservedCap:
    case Special::kReserved0:
    case Special::kReserved1:
    case Special::kClusterCtaidX:
    case Special::kClusterCtaidY:
    case Special::kClusterCtaidZ:
    case Special::kClusterNctaidX:
    case Special::kClusterNctaidY:
    case Special::kClusterNctaidZ:
    case Special::kClusterIdX:
    case Special::kClusterIdY:
    case Special::kClusterIdZ:
    case Special::kNumClustersX:
    case Special::kNumClustersY:
    case Special::kNumClustersZ:
    case Special::kClusterRank:
    case Special::kClusterCtas:
    case Special::kExplicitCluster:
    case Special::kWorkspaceHigh:
    case Special::kWorkspaceLow:
    case Special::kZero:
      return OpClass::kAlu;
  }
  return OpClass::kSideEffect;
}

}  // namespace

OpClass OpClassOf(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMulHi:
    case Op::kMulWide:
    case Op::kMad:
    case Op::kMadHi:
    case Op::kMadWide:
    case Op::kFma:
    case Op::kDiv:
    case Op::kRem:
    case Op::kMin:
    case Op::kMax:
    case Op::kAbs:
    case Op::kNeg:
    case Op::kSqrt:
    case Op::kRcp:
    case Op::kRsqrt:
    case Op::kSin:
    case Op::kCos:
    case Op::kLg2:
    case Op::kEx2:
    case Op::kTanh:
    case Op::kCopySign:
    case Op::kAddCarry:
    case Op::kSubCarry:
    case Op::kMadCarry:
    case Op::kMadHiCarry:
    case Op::kMul24:
    case Op::kMul24Hi:
    case Op::kMad24:
    case Op::kMad24Hi:
    case Op::kSad:
    case Op::kDot4:
    case Op::kDot2:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
    case Op::kCnot:
    case Op::kShl:
    case Op::kShr:
    case Op::kPopc:
    case Op::kClz:
    case Op::kBrev:
    case Op::kBfind:
    case Op::kFns:
    case Op::kSzext:
    case Op::kBmsk:
    case Op::kBfe:
    case Op::kBfi:
    case Op::kPrmt:
    case Op::kLop3:
    case Op::kShfLeft:
    case Op::kShfRight:
    case Op::kSetp:
    case Op::kSet:
    case Op::kSelp:
    case Op::kSlct:
    case Op::kTestp:
    case Op::kMov:
    case Op::kPack:
    case Op::kUnpack:
    case Op::kCvt:
    case Op::kCvtPack:
    case Op::kVideo:
    case Op::kCvta:
    case Op::kCvtaTo:
    case Op::kIsSpace:
    case Op::kFragmentPlace:
    case Op::kMapToRank:
    case Op::kRankOf:
    case Op::kPendingCount:
    case Op::kFence:  // all accesses are performed in order as it is
    case Op::kNop:
      return OpClass::kAlu;
    case Op::kSpecial:
      return OpClassOf(instruction.As<SpecialRead>().special);
    case Op::kActiveMask:  // which lanes are together is the scheduler's choice
      return OpClass::kVolatile;
    case Op::kLoad:
      return OpClass::kLoad;
    case Op::kSleep:
      return OpClass::kDelay;
    case Op::kStack:  // the frame's top is no register of the instruction
    case Op::kStore:
    case Op::kAtomic:
    case Op::kMultimem:
    case Op::kTexture:
    case Op::kTextureQuery:
    case Op::kSurface:
    case Op::kCopy:
    case Op::kCopyGroup:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kTensorReplace:
    case Op::kStoreBulk:
    case Op::kStoreAsync:
    case Op::kTensorProduct:
    case Op::kTensorMovement:
    case Op::kTensorCommit:
    case Op::kTryCancel:
    case Op::kQueryCancel:  // its CTA knows from then on whether a cluster is left
    case Op::kRuntime:
      return OpClass::kSideEffect;
    case Op::kBranch:
    case Op::kBranchIndexed:
    case Op::kCall:
    case Op::kReturn:
    case Op::kExit:
    case Op::kTrap:
      return OpClass::kControl;
    case Op::kExchange:
    case Op::kMatrixProduct:
    case Op::kMatrixLayout:
    case Op::kTensorAllocation:
    case Op::kTensorAccess:
    case Op::kTensorWait:
    case Op::kOpaque:
    case Op::kWarpgroupProduct:
    case Op::kWarpgroupOrder:
    case Op::kRegisterLimit:
    case Op::kBarrier:
    case Op::kClusterBarrier:
    case Op::kGridControl:
    case Op::kMbarrier:
      return OpClass::kSync;
  }
  return OpClass::kSideEffect;
}

bool IsMulticast(const Instruction& i) {
  return (i.op == Op::kBulk && i.As<BulkCopy>().ctas != kNoSlot) ||
         (i.op == Op::kTensor && i.As<TensorCopy>().ctas != kNoSlot) ||
         (i.op == Op::kTensorCommit && i.As<TensorCommit>().ctas != kNoSlot) ||
         (i.op == Op::kMbarrier && i.As<Mbarrier>().ctas != kNoSlot) ||
         (i.op == Op::kTryCancel && i.As<CancelRequest>().multicast);
}

bool TakesResource(const Instruction& i) {
  return (i.op == Op::kRegisterLimit && i.As<RegisterLimit>().more) ||
         (i.op == Op::kTensorAllocation &&
          i.As<TensorAllocation>().what == TensorAllocation::What::kAllocate);
}

bool OnlyWritesRegisters(const Instruction& instruction) {
  switch (OpClassOf(instruction)) {
    case OpClass::kAlu:
    case OpClass::kVolatile:
    case OpClass::kLoad:
    case OpClass::kDelay:
      return true;
    case OpClass::kSideEffect:
    case OpClass::kControl:
    case OpClass::kSync:
      return false;
  }
  return false;
}

std::vector<std::uint32_t> NextOf(const std::vector<Instruction>& code, std::uint32_t pc) {
  const Instruction& i = code[pc];
  std::vector<std::uint32_t> next;
  if (i.op == Op::kBranch) {
    next.push_back(i.As<Branch>().target);
  }
  if (i.op != Op::kBranch || i.guard != kNoSlot) {
    next.push_back(pc + 1);
  }
  return next;
}

std::vector<std::uint32_t> LoopOf(const std::vector<Instruction>& code, std::uint32_t pc,
                                  bool tries) {
  const auto contains = [](const std::vector<std::uint32_t>& pcs, std::uint32_t one) {
    return std::find(pcs.begin(), pcs.end(), one) != pcs.end();
  };
  const auto is_quiet = [&](const Instruction& i) {
    const bool waits = i.op == Op::kMbarrier && IsMbWait(i.As<Mbarrier>().op);
    return i.op == Op::kBranch || OnlyWritesRegisters(i) ||
           (tries && (i.op == Op::kAtomic || waits));
  };
  std::vector<std::uint32_t> reached{pc};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::uint32_t next : NextOf(code, reached[i])) {
      if (next < code.size() && is_quiet(code[next]) && !contains(reached, next)) {
        reached.push_back(next);
      }
    }
  }
  std::vector<std::uint32_t> loop{pc};
  for (std::size_t before = 0; before != loop.size();) {
    before = loop.size();
    for (const std::uint32_t at : reached) {
      const std::vector<std::uint32_t> next = NextOf(code, at);
      if (!contains(loop, at) && std::any_of(next.begin(), next.end(), [&](std::uint32_t one) {
            return contains(loop, one);
          })) {
        loop.push_back(at);
      }
    }
  }
  return loop;
}

}  // namespace muster::ptx
