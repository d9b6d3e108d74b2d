// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pure word update, Verilated, against the lanes one by one.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

#include "Vmb_word_flat.h"
#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "tb/unit/mb_oracle.h"

namespace muster::mb {
namespace {

struct Vector {
  std::uint64_t word;
  Op op;
  unsigned lanes;
  std::uint32_t operand;
  bool phase;
};

struct Seen {
  std::uint64_t updates, completions, completions_with_drop, splits, passed;
  std::array<std::uint64_t, 20> causes;
};

class MbWord : public testing::Test {
 protected:
  // Applies the vector and compares everything with what the lanes do one by one.
  void Check(const Vector& v) {
    unit_.word_i = v.word;
    unit_.op_i = static_cast<unsigned>(v.op);
    unit_.lanes_i = v.lanes;
    unit_.operand_i = v.operand;
    unit_.phase_i = v.phase;
    unit_.cause_i = 0;
    unit_.eval();

    const Object before = Object::Decode(v.word);
    Object after = before;
    Outcome outcome;
    unsigned taken = 0;  // lanes that are carried out, up to the first completion or fault
    while (taken < v.lanes) {
      outcome = Step(after, v.op, v.operand);
      taken += outcome.cause == Cause::kNone ? 1 : 0;
      if (outcome.completed || outcome.cause != Cause::kNone) {
        break;
      }
    }
    const bool tx_alone = v.op == Op::kExpectTx || v.op == Op::kCompleteTx;
    const bool all_refused = outcome.cause == Cause::kWordExhausted && taken == 0;
    const bool split =
        v.lanes > 1 && !all_refused &&
        (taken < v.lanes || (tx_alone && before.pending == 0));  // the unit does not look further

    ASSERT_EQ(unit_.split_o, split) << What(v);
    ASSERT_EQ(unit_.split_o, split) << What(v);
    ASSERT_EQ(unit_.passed_o, Waits(v.op) && v.phase != before.phase) << What(v);
    if (split) {
      ASSERT_FALSE(unit_.write_o || unit_.completed_o) << What(v);
      ++seen_.splits;
      return;
    }
    ASSERT_EQ(unit_.cause_o, static_cast<unsigned>(outcome.cause)) << What(v);
    ASSERT_EQ(unit_.refused_o, outcome.cause != Cause::kNone) << What(v);
    ASSERT_EQ(unit_.completed_o, outcome.completed) << What(v);
    ASSERT_EQ(unit_.write_o, !Waits(v.op) && outcome.cause == Cause::kNone) << What(v);
    if (unit_.write_o) {
      ASSERT_EQ(unit_.word_o, after.Encode()) << What(v);
    }
    ++seen_.causes.at(unit_.cause_o);
    seen_.updates += unit_.write_o;
    seen_.completions += unit_.completed_o;
    seen_.completions_with_drop += unit_.completed_o && Drops(v.op);
    seen_.passed += unit_.passed_o;
  }

  static std::string What(const Vector& v) {
    std::ostringstream text;
    text << std::hex << "word 0x" << v.word << std::dec << ", operation "
         << static_cast<unsigned>(v.op) << ", " << v.lanes << " lanes, operand " << v.operand
         << ", phase " << v.phase;
    return text.str();
  }

  Vmb_word_flat unit_;
  Seen seen_ = {};
};

std::int64_t Corner(std::mt19937_64& random, std::int64_t near) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return 1 + below(3);
    case 2:
      return kMaxCount - below(3);
    case 3:
      return below(kMaxCount + 1);
    default:
      return std::min(kMaxCount, std::max<std::int64_t>(0, near + below(5) - 2));
  }
}

// Words that the operation brings to one of its limits, or past it.
Vector RandomVector(std::mt19937_64& random) {
  Vector v{};
  v.op = static_cast<Op>(random() % kNumOps);
  v.lanes = random() % 4 == 0 ? 32 : random() % 2 == 0 ? 1 : 1 + random() % 32;
  do {
    v.operand = random() % 4 != 0 ? 1 + random() % 4 : Corner(random, 100);
  } while (JudgeOperand(v.op, v.operand) != Cause::kNone);
  v.phase = random() % 2 != 0;
  if (random() % 16 == 0) {
    v.word = random();  // as an ordinary store may leave it
    return v;
  }
  const std::int64_t total = std::int64_t{v.lanes} * v.operand;
  const bool one_each = ExpectsTx(v.op) || v.op == Op::kCopyArrive;
  const std::int64_t near = one_each ? v.lanes : random() % 2 == 0 ? total : total / 2;
  Object object;
  object.phase = random() % 2 != 0;
  object.pending = v.op == Op::kCopyArrive && random() % 2 == 0 ? Corner(random, kMaxCount - near)
                                                                : Corner(random, near);
  object.expected = random() % 2 == 0 ? object.pending : Corner(random, near);
  if (random() % 2 != 0) {
    object.tx = Corner(random, random() % 2 == 0 ? total : total / 2);
    object.tx = random() % 2 == 0 ? object.tx : -object.tx;
  }
  v.word = object.Encode();
  return v;
}

TEST_F(MbWord, WorkedExamples) {
  Check({0, Op::kInit, 1, 32, false});
  EXPECT_EQ(unit_.word_o, 0x7fff0000'001fffc0U);
  Check({0x7fff0000'001fffc0, Op::kArrive, 31, 1, false});
  EXPECT_EQ(unit_.word_o, 0x7ffff800'001fffc0U);
  Check({0x7ffff800'001fffc0, Op::kArrive, 1, 1, false});
  EXPECT_EQ(unit_.word_o, 0xffff0000'001fffc0U);
  Check({0xffff0000'001fffc0, Op::kArrive, 32, 1, false});
  EXPECT_EQ(unit_.word_o, 0x7fff0000'001fffc0U);
  Check({0x7fff0000'001fffc0, Op::kArriveExpectTx, 32, 16,
         false});  // no phase completes while bytes are due
  EXPECT_EQ(unit_.word_o, 0x000003ff'c01fffc0U);
  Check({0x000003ff'c01fffc0, Op::kCompleteTx, 1, 512, false});
  EXPECT_EQ(unit_.word_o, 0xffff0000'001fffc0U);
  Check({0x7fff0000'001fffc0, Op::kCompleteTx, 1, 4, false});  // may come before its expect-tx
  EXPECT_EQ(unit_.word_o, 0x7fff0000'009fffc0U);
}

TEST_F(MbWord, RandomWordsAndOperations) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000'000 && !HasFatalFailure(); ++i) {
    Check(RandomVector(random));
  }
  constexpr std::uint64_t kMany = 20'000;
  EXPECT_GT(seen_.updates, kMany);
  EXPECT_GT(seen_.completions, kMany);
  EXPECT_GT(seen_.completions_with_drop, kMany);
  EXPECT_GT(seen_.splits, kMany);
  EXPECT_GT(seen_.passed, kMany);
  for (const Cause cause : {Cause::kBadArriveCount, Cause::kTxOverflow, Cause::kPendingOverflow,
                            Cause::kNocompleteCompleted, Cause::kWordExhausted}) {
    EXPECT_GT(seen_.causes.at(static_cast<unsigned>(cause)), kMany) << static_cast<unsigned>(cause);
  }
}

// Every small object, with every operation, one lane and several.
TEST_F(MbWord, AllSmallObjects) {
  for (std::int64_t pending = 0; pending < 6; ++pending) {
    for (std::int64_t expected = 0; expected < 6; ++expected) {
      for (std::int64_t tx = -5; tx < 6; ++tx) {
        for (unsigned rest = 0; rest < kNumOps * 4 * 5 * 4 && !HasFatalFailure(); ++rest) {
          const auto op = static_cast<Op>(rest % kNumOps);
          const unsigned operand = rest / kNumOps % 4;
          if (JudgeOperand(op, operand) == Cause::kNone) {
            const unsigned flags = rest / kNumOps / 4 / 5;
            const Object object{(flags & 1) != 0, pending, expected, tx};
            Check({object.Encode(), op, 1 + rest / kNumOps / 4 % 5, operand, (flags & 2) != 0});
          }
        }
      }
    }
  }
}

// The same vectors, put to the golden model as groups at a word that a store has left.
TEST_F(MbWord, GoldenModelAgrees) {
  golden::Model core{Config()};
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.size = 1;
  launch.warps = 1;
  core.Step(launch);
  golden::Mbarriers golden(core, 8);

  std::mt19937_64 random(2);
  std::uint64_t compared = 0;
  for (int i = 0; i < 10'000'000 && !HasFatalFailure(); ++i) {
    const Vector v = RandomVector(random);
    unit_.word_i = v.word;
    unit_.op_i = static_cast<unsigned>(v.op);
    unit_.lanes_i = v.lanes;
    unit_.operand_i = v.operand;
    unit_.phase_i = v.phase;
    unit_.cause_i = 0;
    unit_.eval();
    if (unit_.split_o) {
      continue;
    }
    MbOperation operation;
    operation.op = static_cast<MbOp>(v.op);
    operation.lanes = ~0U >> (32 - v.lanes);
    operation.operand = v.operand;
    operation.phase = v.phase;
    operation.whole = false;
    golden.Store(0, 0, v.word);
    const MbEffects effects = golden.Step(operation);
    for (unsigned lane = 0; lane < v.lanes; ++lane) {
      ASSERT_EQ(unit_.cause_o, static_cast<unsigned>(effects.fault[lane])) << What(v);
    }
    ASSERT_EQ(unit_.write_o, effects.written) << What(v);
    ASSERT_EQ(unit_.word_o, effects.word) << What(v);
    ASSERT_EQ(unit_.completed_o, effects.completions != 0) << What(v);
    ASSERT_LE(effects.completions, 1) << What(v);
    ASSERT_EQ(unit_.passed_o != 0 ? operation.lanes : 0, effects.complete) << What(v);
    ++compared;
  }
  EXPECT_GT(compared, 5'000'000);
}

TEST_F(MbWord, RefusedBeforehandIsRefused) {
  for (unsigned cause = 11; cause < 19; ++cause) {
    for (unsigned op = 0; op < kNumOps; ++op) {
      for (const unsigned lanes : {1U, 32U}) {
        unit_.word_i = 0x7fff0000'001fffc0;
        unit_.op_i = op;
        unit_.lanes_i = lanes;
        unit_.operand_i = 32;
        unit_.cause_i = cause;
        unit_.eval();
        EXPECT_EQ(unit_.cause_o, cause);
        EXPECT_FALSE(unit_.write_o || unit_.completed_o || unit_.split_o);
      }
    }
  }
}

}  // namespace
}  // namespace muster::mb
