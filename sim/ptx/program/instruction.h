// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded form of a PTX instruction: what the interpreter switches on. One flat array holds the
// code of all functions, and a program counter is an index into it.
#ifndef MUSTER_SIM_PTX_PROGRAM_INSTRUCTION_H_
#define MUSTER_SIM_PTX_PROGRAM_INSTRUCTION_H_

#include <array>
#include <cstdint>

#include "sim/ptx/program/types.h"

namespace muster::ptx {

inline constexpr unsigned kMaxClusterCtas = 16;

// Of barrier.cluster.
enum class ClusterOp : std::uint8_t { kNone, kArrive, kArriveRelaxed, kWait };

enum class Op : std::uint8_t {
  // Integers and floats alike.
  kAdd,
  kSub,
  kMul,
  kMulHi,
  kMulWide,
  kMad,
  kMadHi,
  kMadWide,
  kFma,
  kDiv,
  kRem,
  kMin,
  kMax,
  kAbs,
  kNeg,
  kSqrt,
  kRcp,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
  kCopySign,
  kAddCarry,  // a[3] and d[1]: the carry in and out, where there is one
  kSubCarry,
  kMadCarry,
  kMadHiCarry,
  kMul24,
  kMul24Hi,
  kMad24,
  kMad24Hi,
  kSad,
  kDot4,  // of bytes
  kDot2,  // of halves of a and bytes of b; mode: b's upper bytes
  // Bits.
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kShl,
  kShr,
  kPopc,
  kClz,
  kBrev,
  kBfind,
  kFns,
  kSzext,  // mode: wrap or clamp, here and in shf and bmsk
  kBmsk,
  kBfe,
  kBfi,
  kPrmt,
  kLop3,
  kShfLeft,
  kShfRight,
  // Comparison and choice.
  kSetp,
  kSet,
  kSelp,
  kSlct,
  kTestp,  // mode: FloatClass
  // Moves and conversions.
  kMov,
  kPack,
  kUnpack,
  kSpecial,
  kCvt,
  kCvtPack,  // mode: bits
  kVideo,    // mode: VideoOp (sim/ptx/program/video.h)
  kCvta,
  kCvtaTo,
  kIsSpace,
  kStack,      // mode: Stacked; offset: the alignment; target: the function
  kMapToRank,  // mapa; a[1]: the rank
  kRankOf,     // getctarank
  // Memory.
  kLoad,
  kStore,
  kAtomic,
  kCopy,         // cp.async; vector: bytes, of which a[2] are read, or none where a[3] holds
  kCopyGroup,    // mode: CopyGroupOp; combine: of bulk copies; a[0]: groups that may be left
  kBulk,         // to space, from shared memory if mode; a: to, from, size, mbarrier, mask of CTAs;
                 // combine, here and below: 0, or Atomic + 1
  kStoreAsync,   // a[1] to a[4]: values, a[5]: mbarrier; none: to global memory
  kTryCancel,    // a: the response, its mbarrier; mode: multicast
  kQueryCancel,  // a: the response's halves; d: whether there is one, its x, y, z
  kFence,        // a[0]: an address that must be in global memory, if there is one
  // Control.
  kBranch,
  kBranchIndexed,  // target: the table
  kCall,
  kReturn,
  kExit,
  kTrap,
  kRuntime,  // mode: Runtime; arguments and result: offsets in the frame's local memory
  kSleep,    // a[0]: ns
  kNop,
  // Warps.
  kActiveMask,
  kExchange,  // mode: WarpOp
  // CTAs.
  kBarrier,
  kClusterBarrier,  // mode: ClusterOp
  kMbarrier,  // mode: MbOp; a: the address, the operand or state, the hint; d: state or predicate
  kPendingCount,
};

enum class Compare : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,  // false with a NaN, save kNe of integers
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,  // true with a NaN
  kNum,
  kNan,
};

enum class FloatClass : std::uint8_t {
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal,
};

enum class Round : std::uint8_t {
  kNearest,
  kZero,
  kDown,
  kUp,  // to a float
  kIntegerNearest,
  kIntegerZero,
  kIntegerDown,
  kIntegerUp,
  kNearestAway,  // halfway cases away from zero
};

enum class Atomic : std::uint8_t {
  kAdd,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kCompareSwap,
  kIncrement,
  kDecrement,
};

enum class CopyGroupOp : std::uint8_t { kCommit, kWait, kWaitRead, kWaitAll };

// Instructions of several lanes of a warp: sim/ptx/simt/warp_unit.h carries them out.
enum class WarpOp : std::uint8_t {
  kSync,
  kAll,
  kAny,
  kUniform,
  kBallot,
  kMatchAny,
  kMatchAll,
  kShuffleUp,
  kShuffleDown,
  kShuffleButterfly,
  kShuffleIndex,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kElect,
};

enum class Stacked : std::uint8_t { kAllocate, kSave, kRestore };

// What a device program finds beyond its own functions.
enum class Runtime : std::uint8_t { kAssert, kPrint, kMalloc, kFree };

enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNumWarps,
  kLaneMaskEq,
  kLaneMaskLe,
  kLaneMaskLt,
  kLaneMaskGe,
  kLaneMaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobalTimer,
  kGlobalTimerLo,
  kGlobalTimerHi,
  kSmId,
  kNumSm,
  kGridId,
  kDynamicShared,
  kTotalShared,
  kAggregateShared,
  kReservedBegin,
  kReservedEnd,
  kReservedCap,
  kReserved0,
  kReserved1,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterIdX,
  kClusterIdY,
  kClusterIdZ,
  kNumClustersX,
  kNumClustersY,
  kNumClustersZ,
  kClusterRank,
  kClusterCtas,
  kExplicitCluster,
  kWorkspaceHigh,  // of a cooperative grid
  kWorkspaceLow,
  kZero,
};

// An operand: a register of the frame, or a literal of the program.
using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -0x40000000;
constexpr Slot LiteralSlot(std::uint32_t index) { return -1 - static_cast<Slot>(index); }
constexpr bool IsLiteral(Slot slot) { return slot < 0; }
constexpr std::uint32_t LiteralIndex(Slot slot) { return static_cast<std::uint32_t>(-1 - slot); }

template <std::size_t kCount>
constexpr std::array<Slot, kCount> NoSlots() {
  std::array<Slot, kCount> slots{};
  for (Slot& slot : slots) {
    slot = kNoSlot;
  }
  return slots;
}

// Where an access goes: what `base` holds, and `offset`.
struct Address {
  Space space = Space::kGeneric;
  bool narrow = false;  // the base is a register of 32 bits
  Slot base = kNoSlot;
  std::int64_t offset = 0;
};

struct Instruction {
  Op op = Op::kNop;
  Type type = Type::kNone;
  Type source = Type::kNone;  // cvt, set, slct: of the source; ld: of the destination register
  Space space = Space::kGeneric;
  std::uint8_t mode = 0;     // Compare, Atomic, WarpOp, Special, OpKind, ...
  std::uint8_t combine = 0;  // setp: 0, or Op::kAnd, kOr, kXor with the predicate d
  std::uint8_t vector = 1;   // elements of ld, st and mov
  bool guard_negated = false;
  bool negated = false;  // of the predicate source: !c
  bool aligned = false;  // barrier
  bool saturate = false;
  bool flush = false;      // subnormal numbers of single precision to zero
  bool magnitude = false;  // redux: of the absolute values
  bool keeps_nan = false;  // min, max, redux: a NaN is the result, not the other operand
  bool xor_sign = false;   // min, max: of the absolute values, with the product's sign
  bool relu = false;       // what is below zero becomes zero
  bool finite = false;     // cvt: what is out of range becomes the greatest number
  bool narrow = false;     // the address comes from a 32-bit register
  bool releasing = false;  // mbarrier
  bool timed = false;      // more than registers depends on a clock: spins.cpp
  Round round = Round::kNearest;
  Slot guard = kNoSlot;                  // the predicate, if any
  std::array<Slot, 8> d = NoSlots<8>();  // destinations
  std::array<Slot, 9> a = NoSlots<9>();  // sources; of an access the address is the first
  std::int64_t offset = 0;               // of an address
  std::uint32_t target = 0;              // branch: where to; call: which
  std::uint32_t line = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_INSTRUCTION_H_
