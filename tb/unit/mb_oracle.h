// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What an mbarrier operation does, lane by lane and in plain integers: the naive oracle of the
// unit tests of rtl/mbarrier.
#ifndef MUSTER_TB_UNIT_MB_ORACLE_H_
#define MUSTER_TB_UNIT_MB_ORACLE_H_

#include <cstdint>

namespace muster::mb {

// As in rtl/muster_pkg.sv.
enum class Op : std::uint8_t {
  kInit,
  kInval,
  kArrive,
  kArriveNoComplete,
  kArriveExpectTx,
  kArriveDrop,
  kArriveDropNoComplete,
  kArriveDropExpectTx,
  kExpectTx,
  kCompleteTx,
  kTestWait,
  kTestWaitParity,
  kTryWait,
  kTryWaitParity,
  kCopyArrive,
};
inline constexpr unsigned kNumOps = 15;

enum class Cause : std::uint8_t {
  kNone = 0,
  kBadAddress = 11,
  kBadInitCount,
  kBadArriveCount,
  kTxOverflow,
  kPendingOverflow,
  kNocompleteCompleted,
  kWordExhausted,
  kRemoteNotAllowed,
};

inline constexpr std::int64_t kMaxCount = (1 << 20) - 1;

bool Waits(Op op);
bool Drops(Op op);
bool ExpectsTx(Op op);  // before anything else
bool Arrives(Op op);
bool NoComplete(Op op);

// An mbarrier object, as the PTX text has it.
struct Object {
  bool phase = false;
  std::int64_t pending = 0, expected = 0, tx = 0;

  static Object Decode(std::uint64_t word);
  std::uint64_t Encode() const;  // in the unit's layout
  bool Exhausted() const { return pending == 0 && expected == 0 && tx == 0; }
};

// What is wrong with the operand, whatever the word holds.
Cause JudgeOperand(Op op, std::uint32_t operand);

struct Outcome {
  Cause cause = Cause::kNone;
  bool completed = false;
};

// One lane; its operand has been judged. A refused one leaves the object as it is.
Outcome Step(Object& object, Op op, std::uint32_t operand);

}  // namespace muster::mb

#endif  // MUSTER_TB_UNIT_MB_ORACLE_H_
