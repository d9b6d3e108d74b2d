// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which operations there are of which type.
#ifndef TB_UNIT_ATOMICS_TYPES_H_
#define TB_UNIT_ATOMICS_TYPES_H_

#include "sim/isa/atomic_operation.h"

namespace muster::atomics {

inline bool Orders(AtomicOp op) { return op == AtomicOp::kMin || op == AtomicOp::kMax; }
inline bool Steps(AtomicOp op) { return op == AtomicOp::kInc || op == AtomicOp::kDec; }

// Whether the text has the operation, and a block with these floats, and with 128 bits or not.
inline bool IsOne(AtomicOp op, AtomicSize size, bool is_signed, unsigned floats, bool has_128) {
  if (size == AtomicSize::k128) {
    return has_128 && !is_signed && (op == AtomicOp::kExch || op == AtomicOp::kCas);
  }
  switch (op) {
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return size == AtomicSize::k32 && !is_signed;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return size != AtomicSize::k16;
    case AtomicOp::kExch:
    case AtomicOp::kCas:
      return !is_signed;
    case AtomicOp::kFAdd:
      return !is_signed && size != AtomicSize::k16 && floats >= (size == AtomicSize::k64 ? 3U : 1U);
    case AtomicOp::kHAdd:
    case AtomicOp::kBAdd:
      return !is_signed && size != AtomicSize::k64 && floats >= 2;
    default:
      return size != AtomicSize::k16 && !is_signed;
  }
}

// One lane's update of the value at a byte address.
inline AtomicUpdate Update(AtomicOp op, AtomicSize size, std::uint32_t addr,
                           std::uint64_t operand) {
  AtomicUpdate update;
  update.op = op;
  update.size = size;
  update.addr = addr;
  update.operand = operand << 8 * (addr % 8);
  return update;
}

}  // namespace muster::atomics

#endif  // TB_UNIT_ATOMICS_TYPES_H_
