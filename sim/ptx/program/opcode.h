// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The instructions, and what their modifiers choose.
#ifndef MUSTER_SIM_PTX_PROGRAM_OPCODE_H_
#define MUSTER_SIM_PTX_PROGRAM_OPCODE_H_

#include <cstdint>

namespace muster::ptx {

inline constexpr unsigned kMaxClusterCtas = 32;

// Of barrier.cluster.
enum class ClusterForm : std::uint8_t { kNone, kArrive, kArriveRelaxed, kWait };

// Of the elements of a matrix.
enum class Element : std::uint8_t {
  kF16,
  kBF16,
  kTF32,
  kF32,
  kF64,
  kE4M3,
  kE5M2,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kS32,
  kE2M3,  // six bits, the lower ones of a byte
  kE3M2,
  kE2M1InByte,  // four bits, in the middle of a byte
  kE2M1,
};
// How many of them a register of a fragment has.
constexpr unsigned PackedIn(Element element) {
  switch (element) {
    case Element::kF16:
    case Element::kBF16:
      return 2;
    case Element::kE4M3:
    case Element::kE5M2:
    case Element::kS8:
    case Element::kU8:
    case Element::kE2M3:
    case Element::kE3M2:
    case Element::kE2M1InByte:
      return 4;
    case Element::kS4:
    case Element::kU4:
    case Element::kE2M1:
      return 8;
    case Element::kB1:
      return 32;
    case Element::kTF32:
    case Element::kF32:
    case Element::kF64:
    case Element::kS32:
      return 1;
  }
  return 1;
}
constexpr bool IsInteger(Element element) {
  return element == Element::kS8 || element == Element::kU8 || element == Element::kS4 ||
         element == Element::kU4 || element == Element::kB1 || element == Element::kS32;
}
// How the lanes of a warp hold 8x8 matrices of 16 bits: lane i of eight has row i, in four
// registers (memory), or each lane has two elements of a row in one (fragment).
enum class Relayout : std::uint8_t { kToFragments, kToRows, kTranspose };

// Each kind of instruction, by the payload that it has (instruction.h).
enum class Op : std::uint8_t {
  // Arithmetic.
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
  kMul24,
  kMul24Hi,
  kMad24,
  kMad24Hi,
  kSad,
  // CarryArithmetic.
  kAddCarry,
  kSubCarry,
  kMadCarry,
  kMadHiCarry,
  // DotProduct.
  kDot4,  // of bytes
  kDot2,  // of halves of a and bytes of b
  // BitOperation.
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
  kSzext,
  kBmsk,
  kBfe,
  kBfi,
  kPrmt,
  kLop3,
  kShfLeft,
  kShfRight,
  kPendingCount,
  // Comparison, Selection, FloatTest.
  kSetp,
  kSet,
  kSelp,
  kSlct,
  kTestp,
  // Move, Packing, Unpacking, SpecialRead, Conversion, PackedConversion, Video.
  kMov,
  kPack,
  kUnpack,
  kSpecial,
  kCvt,
  kCvtPack,
  kVideo,
  // AddressConversion: cvta, cvta.to, isspacep; StackChange; ClusterMapping: mapa, getctarank.
  kCvta,
  kCvtaTo,
  kIsSpace,
  kStack,
  kFragmentPlace,  // FragmentPlace
  kMapToRank,
  kRankOf,
  // Load, Store, AtomicAccess, MultimemAccess.
  kLoad,
  kStore,
  kAtomic,
  kMultimem,
  // TextureLookup, TextureQuery, SurfaceAccess.
  kTexture,
  kTextureQuery,
  kSurface,
  // SmallCopy (cp.async), CopyGroup, BulkCopy (cp.async.bulk), BulkStore (st.bulk), AsyncStore
  // (st.async, red.async).
  kCopy,
  kCopyGroup,
  kBulk,
  kStoreBulk,
  kStoreAsync,
  // TensorCopy (cp.async.bulk.tensor and its reductions and prefetches), TensorReplace.
  kTensor,
  kTensorReplace,
  // CancelRequest, CancelQuery, MemoryFence.
  kTryCancel,
  kQueryCancel,
  kFence,
  // Branch, IndexedBranch, FunctionCall, Return, and three that have no payload.
  kBranch,
  kBranchIndexed,
  kCall,
  kReturn,
  kExit,
  kTrap,
  kNop,
  // RuntimeCall, Nanosleep.
  kRuntime,
  kSleep,
  // ActiveMask, WarpExchange.
  kActiveMask,
  kExchange,
  // MatrixProduct (mma), MatrixLayout (ldmatrix, stmatrix, movmatrix).
  kMatrixProduct,
  kMatrixLayout,
  kOpaque,  // Opaque
  // WarpgroupProduct (wgmma.mma_async), WarpgroupOrder (wgmma.fence and those beside it).
  kWarpgroupProduct,
  kWarpgroupOrder,
  kRegisterLimit,  // setmaxnreg
  // TensorAllocation, TensorAccess, TensorWait; TensorProduct,
  // TensorMovement, TensorCommit: tcgen05.
  kTensorAllocation,
  kTensorAccess,
  kTensorWait,
  kTensorProduct,
  kTensorMovement,
  kTensorCommit,
  // CtaBarrier, ClusterBarrier, GridControl, Mbarrier.
  kBarrier,
  kClusterBarrier,
  kGridControl,
  kMbarrier,
};

// All lanes of a warp execute it together, on what they hold in parts.
constexpr bool IsOfWholeWarp(Op op) { return op >= Op::kMatrixProduct && op <= Op::kTensorWait; }
// And of four warps.
constexpr bool IsOfWarpgroup(Op op) {
  return op >= Op::kWarpgroupProduct && op <= Op::kRegisterLimit;
}
// A tensor core does it some time later: its transfer has no single place where it goes to.
constexpr bool IsOfTensorCore(Op op) {
  return op >= Op::kTensorProduct && op <= Op::kTensorMovement;
}

// Copies of the async proxy.
constexpr bool IsBulk(Op op) { return op == Op::kBulk || op == Op::kTensor; }

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

// With another predicate.
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };

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

// How a tensor copy finds its elements. kRows: .tile::gather4 or .tile::scatter4.
enum class TensorMode : std::uint8_t {
  kTile,
  kRows,
  kIm2col,
  kIm2colW,
  kIm2colW128,
  kIm2colNoOffsets,
};

// What tensormap.replace sets.
enum class TensorField : std::uint8_t {
  kGlobalAddress,
  kRank,
  kBoxDim,
  kGlobalDim,
  kGlobalStride,
  kElementStride,
  kElementType,
  kInterleave,
  kSwizzle,
  kAtomicity,
  kFill,
};

enum class CopyGroupOp : std::uint8_t { kCommit, kWait, kWaitRead, kWaitAll };

enum class WarpgroupOp : std::uint8_t { kFence, kCommit, kWait };

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

// Video instructions.
enum class VideoOp : std::uint8_t {
  kAdd,
  kSub,
  kAbsDiff,
  kMin,
  kMax,
  kAverage,
  kShl,
  kShr,
  kMad,
  kSet,
};

// What is done with the result and c.
enum class VideoSecond : std::uint8_t { kNone, kAdd, kMin, kMax };

// A part of a register: byte 0 to 3, then half 0 and 1.
inline constexpr unsigned kHalfPart = 4;
inline constexpr unsigned kWholePart = 6;

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_OPCODE_H_
