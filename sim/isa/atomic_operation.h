// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of atomics on shared memory (PTX ISA 9.7.13.5 and .6).
#ifndef MUSTER_SIM_ISA_ATOMIC_OPERATION_H_
#define MUSTER_SIM_ISA_ATOMIC_OPERATION_H_

#include <array>
#include <cstdint>
#include <string>

#include "sim/isa/operation.h"

namespace muster {

enum class AtomicOp : std::uint8_t {
  kAdd = 0,
  kInc = 1,  // of 32 bits, as kDec
  kDec = 2,
  kMin = 3,
  kMax = 4,
  kAnd = 5,
  kOr = 6,
  kXor = 7,
  kExch = 8,
  kCas = 9,
  kFAdd = 10,  // f32, or f64
  kHAdd = 11,  // f16, or of 32 bits f16x2
  kBAdd = 12,  // bf16, or of 32 bits bf16x2
};
inline constexpr unsigned kNumAtomicOps = 13;
inline constexpr unsigned kNumIntegerAtomicOps = 10;  // the first ones
constexpr bool IsFloat(AtomicOp op) { return op >= AtomicOp::kFAdd; }
const char* Name(AtomicOp op);  // as PTX spells it

enum class AtomicSize : std::uint8_t { k128 = 0, k16 = 1, k32 = 2, k64 = 3 };  // log2 of the bytes
constexpr unsigned BytesOf(AtomicSize size) {
  return size == AtomicSize::k128 ? 16 : 1U << static_cast<unsigned>(size);
}

// Lanes at one address may be one update: their order does not matter.
constexpr bool IsFoldable(AtomicOp op) {
  return op == AtomicOp::kAdd || (op >= AtomicOp::kMin && op <= AtomicOp::kXor);
}

// Whose warp it is.
struct AtomicFrom {
  bool remote = false;    // of another CTA, through the network
  std::uint8_t unit = 0;  // of that
};
constexpr bool operator==(const AtomicFrom& a, const AtomicFrom& b) {
  return a.remote == b.remote && a.unit == b.unit;
}

// A read-modify-write of one value, as the unit takes it: the operands stand in the bytes of the
// eight-byte word in which the value stands. A value of 128 bits is two of them, the lower half
// first.
struct AtomicUpdate {
  AtomicOp op = AtomicOp::kAdd;
  AtomicSize size = AtomicSize::k32;
  bool is_signed = false;  // kMin, kMax
  std::uint8_t cta = 0;
  std::uint32_t addr = 0;  // of the value
  bool upper = false;      // k128: the upper half
  std::uint8_t warp = 0;
  std::uint8_t lane = 0;  // of several lanes, one
  AtomicFrom from;
  bool completes = false;     // red.async, st.async: an operation on an mbarrier follows its commit
  std::uint64_t operand = 0;  // kCas: the value that is swapped in
  std::uint64_t compare = 0;  // kCas
  bool has_answer = false;    // a register wants what was there
  bool releasing = false;     // enters after the warp's earlier accesses are performed
};
bool operator==(const AtomicUpdate& a, const AtomicUpdate& b);

// An update on its way to another CTA.
struct RemoteAtomic {
  bool valid = false;  // there is one
  AtomicOp op = AtomicOp::kAdd;
  AtomicSize size = AtomicSize::k32;
  bool is_signed = false;
  std::uint32_t addr = 0;  // in the shared memory of the other CTA
  std::uint8_t lane = 0;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
  std::uint64_t operand_upper = 0;  // k128
  std::uint64_t compare_upper = 0;
  bool has_answer = false;
};
bool operator==(const RemoteAtomic& a, const RemoteAtomic& b);

// The answer to a lane: the word as it was.
struct AtomicResponse {
  AtomicFrom from;
  std::uint8_t warp = 0;
  std::uint8_t lane = 0;
  bool upper = false;  // the upper half of 128 bits
  std::uint64_t word = 0;
};
bool operator==(const AtomicResponse& a, const AtomicResponse& b);

// An instruction of a warp; the operands of a lane from bit 0 on.
struct AtomicInstruction {
  AtomicOp op = AtomicOp::kAdd;
  AtomicSize size = AtomicSize::k32;
  bool is_signed = false;
  std::uint8_t cta = 0;
  std::uint8_t warp = 0;
  std::uint32_t lanes = 0;
  std::array<std::uint32_t, kMaxLanes> addr{};
  std::array<std::uint64_t, kMaxLanes> operand{};
  std::array<std::uint64_t, kMaxLanes> compare{};
  std::array<std::uint64_t, kMaxLanes> operand_upper{};  // k128
  std::array<std::uint64_t, kMaxLanes> compare_upper{};
  bool has_answer = false;
  bool releasing = false;
};

// The type as PTX spells it, "f16x2".
std::string TypeName(AtomicOp op, AtomicSize size, bool is_signed);
// The eight-byte word that the update changes.
constexpr std::uint32_t WordAt(const AtomicUpdate& update) {
  return (update.addr & ~7U) + (update.upper ? 8 : 0);
}
// In words: "min.s32 at 0x44 of CTA 1 by warp 3, lane 5: 0x7".
std::string Describe(const AtomicUpdate& update);

}  // namespace muster

#endif  // MUSTER_SIM_ISA_ATOMIC_OPERATION_H_
