// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded form of a PTX instruction: what the interpreter switches on. One flat array holds the
// code of all functions, and a program counter is an index into it.
#ifndef MUSTER_SIM_PTX_INSTRUCTION_H_
#define MUSTER_SIM_PTX_INSTRUCTION_H_

#include <array>
#include <cstdint>

namespace muster::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF32,
  kF64,
};

constexpr unsigned Bytes(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
      return 2;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
      return 4;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return 8;
    default:
      return 1;
  }
}
constexpr bool IsFloat(Type type) { return type == Type::kF32 || type == Type::kF64; }
constexpr bool IsSigned(Type type) { return type >= Type::kS8 && type <= Type::kS64; }
constexpr bool IsBits(Type type) { return type >= Type::kB8 && type <= Type::kB64; }

enum class Space : std::uint8_t { kGeneric, kGlobal, kConst, kParam, kShared, kLocal };
const char* Name(Space space);

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
  // Moves and conversions.
  kMov,
  kPack,
  kUnpack,
  kSpecial,
  kCvt,
  kCvta,
  kCvtaTo,
  kIsSpace,
  // Memory.
  kLoad,
  kStore,
  kAtomic,
  kFence,
  // Control.
  kBranch,
  kCall,
  kReturn,
  kExit,
  kTrap,
  kAssert,
  kNop,
  // Warps.
  kActiveMask,
  kVote,
  kShuffle,
  kWarpSync,
  // CTAs.
  kBarrier,
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

enum class Round : std::uint8_t {
  kNearest,
  kZero,
  kDown,
  kUp,  // to a float
  kIntegerNearest,
  kIntegerZero,
  kIntegerDown,
  kIntegerUp,
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

enum class VoteMode : std::uint8_t { kAll, kAny, kUniform, kBallot };
enum class ShuffleMode : std::uint8_t { kUp, kDown, kButterfly, kIndex };

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
};

// An operand: a register of the frame, or a literal of the program.
using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -0x40000000;
constexpr Slot LiteralSlot(std::uint32_t index) { return -1 - static_cast<Slot>(index); }
constexpr bool IsLiteral(Slot slot) { return slot < 0; }
constexpr std::uint32_t LiteralIndex(Slot slot) { return static_cast<std::uint32_t>(-1 - slot); }

struct Instruction {
  Op op = Op::kNop;
  Type type = Type::kNone;
  Type source = Type::kNone;  // cvt, set, slct: of the source; ld: of the destination register
  Space space = Space::kGeneric;
  std::uint8_t mode = 0;     // Compare, Round, Atomic, VoteMode, ShuffleMode, Special or OpKind
  std::uint8_t combine = 0;  // setp: 0, or Op::kAnd, kOr, kXor with the predicate d
  std::uint8_t vector = 1;   // elements of ld, st and mov
  bool guard_negated = false;
  bool negated = false;  // of the predicate source: !c
  bool aligned = false;  // barrier
  bool saturate = false;
  bool narrow = false;   // the address comes from a 32-bit register
  Slot guard = kNoSlot;  // the predicate, if any
  std::array<Slot, 4> d{kNoSlot, kNoSlot, kNoSlot, kNoSlot};           // destinations
  std::array<Slot, 5> a{kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};  // sources; ld, st: address
  std::int64_t offset = 0;                                             // of an address
  std::uint32_t target = 0;  // branch: where to; call: which
  std::uint32_t line = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_INSTRUCTION_H_
