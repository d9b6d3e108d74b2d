// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/mb_oracle.h"

namespace muster::mb {
namespace {

std::int64_t Count(std::uint64_t negated) {
  return static_cast<std::int64_t>(-negated & kMaxCount);
}
std::uint64_t Negated(std::int64_t count) { return static_cast<std::uint64_t>(-count) & kMaxCount; }

}  // namespace

bool Waits(Op op) {
  return op == Op::kTestWait || op == Op::kTestWaitParity || op == Op::kTryWait ||
         op == Op::kTryWaitParity;
}

bool Drops(Op op) {
  return op == Op::kArriveDrop || op == Op::kArriveDropNoComplete || op == Op::kArriveDropExpectTx;
}

bool ExpectsTx(Op op) {
  return op == Op::kArriveExpectTx || op == Op::kArriveDropExpectTx || op == Op::kExpectTx;
}

bool Arrives(Op op) {
  return Drops(op) || op == Op::kArrive || op == Op::kArriveNoComplete || op == Op::kArriveExpectTx;
}

bool NoComplete(Op op) { return op == Op::kArriveNoComplete || op == Op::kArriveDropNoComplete; }

Object Object::Decode(std::uint64_t word) {
  Object object;
  object.phase = (word >> 63 & 1) != 0;
  object.pending = Count(word >> 43);
  object.expected = Count(word >> 1);
  object.tx = -(static_cast<std::int64_t>(word << 22) >> 43);
  return object;
}

std::uint64_t Object::Encode() const {
  return std::uint64_t{phase} << 63 | Negated(pending) << 43 |
         (static_cast<std::uint64_t>(-tx) & 0x1fffff) << 21 | Negated(expected) << 1;
}

Cause JudgeOperand(Op op, std::uint32_t operand) {
  const bool above = operand > kMaxCount;
  if (op == Op::kInit) {
    return above || operand == 0 ? Cause::kBadInitCount : Cause::kNone;
  }
  if (ExpectsTx(op) || op == Op::kCompleteTx) {
    return above ? Cause::kTxOverflow : Cause::kNone;
  }
  if (Arrives(op)) {
    return above || operand == 0 ? Cause::kBadArriveCount : Cause::kNone;
  }
  return Cause::kNone;
}

Outcome Step(Object& object, Op op, std::uint32_t operand) {
  if (op == Op::kInit) {
    object = {false, operand, operand, 0};
    return {};
  }
  if (op == Op::kInval) {
    object = {};
    return {};
  }
  if (Waits(op)) {
    return {};
  }
  if (object.Exhausted()) {
    return {Cause::kWordExhausted, false};
  }
  Object next = object;
  if (ExpectsTx(op)) {
    next.tx += operand;
  }
  if (op == Op::kCompleteTx) {
    next.tx -= operand;
  }
  if (op == Op::kCopyArrive) {
    next.pending += 1;
  }
  const std::int64_t count = !Arrives(op) ? 0 : ExpectsTx(op) ? 1 : operand;
  next.pending -= count;
  next.expected -= Drops(op) ? count : 0;
  if (next.pending < 0 || next.expected < 0) {
    return {Cause::kBadArriveCount, false};
  }
  if ((ExpectsTx(op) || op == Op::kCompleteTx) && (next.tx > kMaxCount || next.tx < -kMaxCount)) {
    return {Cause::kTxOverflow, false};
  }
  if (next.pending > kMaxCount) {
    return {Cause::kPendingOverflow, false};
  }
  Outcome outcome;
  outcome.completed = op != Op::kCopyArrive && next.pending == 0 && next.tx == 0;
  if (outcome.completed) {
    if (NoComplete(op)) {
      return {Cause::kNocompleteCompleted, false};
    }
    next.phase = !next.phase;
    next.pending = next.expected;
  }
  object = next;
  return outcome;
}

}  // namespace muster::mb
