// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The coalescer of mbarrier instructions, Verilated, against the lanes in their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "Vmb_coalesce.h"
#include "Vmb_coalesce_small.h"
#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/port/structs.h"
#include "tb/unit/clocked.h"
#include "tb/unit/mb_oracle.h"

namespace muster::mb {
namespace {

constexpr unsigned kLanes = 32;

// What the block has.
template <typename Unit>
constexpr bool kHasAll = true;
template <>
constexpr bool kHasAll<Vmb_coalesce_small> = false;

struct Instruction {
  Op op;
  unsigned cta, warp;
  std::uint32_t lanes, live, phase;
  std::array<std::uint32_t, kLanes> addr, operand;
  bool has_token, has_hint, releasing;
  MbAsks asks = MbAsks::kPrimary;

  bool Has(unsigned lane) const { return (lanes >> lane & 1) != 0; }
  bool Phase(unsigned lane) const { return (phase >> lane & 1) != 0; }
  bool Hints() const { return (op == Op::kTryWait || op == Op::kTryWaitParity) && has_hint; }
};

struct Made {
  std::uint32_t lanes = 0, addr = 0, operand = 0;
  bool phase = false;
};

// Lane by lane: each joins the last group at its word, or opens one. With `alone` only waits join.
std::vector<Made> Groups(const Instruction& instruction, bool alone) {
  std::vector<Made> groups;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!instruction.Has(lane)) {
      continue;
    }
    const std::uint32_t addr = instruction.addr[lane];
    const bool ignored = instruction.op == Op::kInval || instruction.op == Op::kCopyArrive;
    const std::uint32_t operand = ignored ? 0 : instruction.operand[lane];
    const bool waits = Waits(instruction.op);
    const auto group = std::find_if(groups.rbegin(), groups.rend(), [&](const Made& made) {
      return made.addr == addr && (!waits || made.phase == instruction.Phase(lane));
    });
    if (group == groups.rend() || (!waits && (alone || group->operand != operand))) {
      groups.push_back({1U << lane, addr, operand, instruction.Phase(lane)});
    } else {
      group->lanes |= 1U << lane;
      group->operand = instruction.Hints() ? std::min(group->operand, operand) : group->operand;
    }
  }
  return groups;
}

template <typename Unit>
class MbCoalesce : public testing::Test {
 protected:
  MbCoalesce() {
    for (const int reset : {1, 0, 1}) {
      unit_.rst_ni = reset;
      unit_.eval();
    }
  }

  void Cycle() {
    EndCycle(&unit_);
    ++cycles_;
  }

  void Present(const Instruction& instruction) {
    sv::mb_instruction_t::Put(instruction, &unit_.instruction_i);
  }

  // Puts the instruction through, and compares the groups.
  void Check(const Instruction& instruction) {
    Present(instruction);
    unit_.valid_i = 1;
    const std::vector<Made> groups = Groups(instruction, !kHasAll<Unit>);
    std::size_t next = 0;
    for (bool done = false; !done;) {
      unit_.ready_i = !stalls_ || random_() % 4 != 0;
      unit_.eval();
      if (unit_.valid_o && unit_.ready_i) {
        ASSERT_LT(next, groups.size());
        const Made& group = groups[next++];
        MbOperation seen;
        sv::mb_group_t::Get(unit_.group_o, &seen);
        ASSERT_EQ(seen.lanes, group.lanes);
        ASSERT_EQ(seen.addr, group.addr);
        ASSERT_EQ(seen.phase, group.phase);
        if (!Waits(instruction.op) || instruction.Hints()) {
          ASSERT_EQ(seen.operand, group.operand);
        }
        const bool whole = kHasAll<Unit> ? groups.size() == 1 : group.lanes == instruction.live;
        ASSERT_EQ(seen.whole, whole);
        parts_ += groups.size() == 1 && !whole;
        ASSERT_EQ(static_cast<Op>(seen.op), instruction.op);
        ASSERT_EQ(seen.cta, instruction.cta);
        ASSERT_EQ(seen.warp, instruction.warp);
        ASSERT_EQ(seen.has_token, instruction.has_token);
        ASSERT_EQ(seen.has_hint, instruction.has_hint);
        ASSERT_EQ(seen.releasing, instruction.releasing);
        ASSERT_EQ(seen.asks, instruction.asks);
      }
      done = unit_.ready_o;
      Cycle();
    }
    ASSERT_EQ(next, groups.size());
    several_ += groups.size() > 1;
    reopened_ += groups.size() > 1 && groups.front().addr == groups.back().addr;
    unit_.valid_i = 0;
  }

  // The same, if its groups are taken at once. Returns the cycles that it takes.
  std::uint64_t CyclesOf(const Instruction& instruction) {
    stalls_ = false;
    const std::uint64_t before = cycles_;
    Check(instruction);
    return cycles_ - before;
  }

  // All lanes name one word, and have these hints.
  static Instruction Hints(const std::array<std::uint32_t, kLanes>& hints) {
    Instruction instruction{};
    instruction.op = Op::kTryWait;
    instruction.lanes = instruction.live = ~0U;
    instruction.has_hint = true;
    instruction.operand = hints;
    return instruction;
  }

  Unit unit_;
  bool stalls_ = true;  // groups are not always taken at once
  std::mt19937_64 random_{1};
  std::uint64_t cycles_ = 0, several_ = 0, reopened_ = 0;
  std::uint64_t parts_ = 0;  // one group, but not of all lanes of the warp
};

using Units = testing::Types<Vmb_coalesce, Vmb_coalesce_small>;
TYPED_TEST_SUITE(MbCoalesce, Units);

TYPED_TEST(MbCoalesce, RandomInstructions) {
  auto& random = this->random_;
  for (unsigned i = 0; i < 200'000 && !this->HasFatalFailure(); ++i) {
    Instruction instruction{};
    instruction.op = static_cast<Op>(random() % kNumOps);
    instruction.lanes = random() % 2 == 0 ? ~0U : static_cast<std::uint32_t>(random());
    instruction.lanes = random() % 64 == 0 ? 0 : instruction.lanes;
    const bool some = random() % 4 != 0;
    instruction.live =
        some ? instruction.lanes | static_cast<std::uint32_t>(random()) : instruction.lanes;
    instruction.phase = random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random());
    instruction.has_token = random() % 2 != 0;
    instruction.has_hint = random() % 2 != 0;
    instruction.releasing = random() % 2 != 0;
    instruction.asks = static_cast<MbAsks>(random() % 3);
    instruction.cta = random() % 32;
    instruction.warp = random() % 64;
    const unsigned words = 1 + random() % 4, operands = 1 + random() % 3;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      instruction.addr[lane] = 8 * (random() % words);
      instruction.operand[lane] = 1 + random() % operands;
    }
    this->Check(instruction);
  }
  EXPECT_GT(this->several_, 50'000);
  EXPECT_GT(this->reopened_, 10'000);
  if (!kHasAll<TypeParam>) {
    EXPECT_GT(this->parts_, 1'000);
  }
}

TYPED_TEST(MbCoalesce, OneWordIsOneGroupInOneCycle) {
  Instruction instruction{};
  instruction.op = kHasAll<TypeParam> ? Op::kArrive : Op::kTryWait;
  instruction.lanes = instruction.live = ~0U;
  instruction.operand.fill(1);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(this->CyclesOf(instruction), 1U);
  }
  EXPECT_EQ(this->several_, 0);
}

// Operands that are no hints, and hints that are all the same, take no time, whatever they are.
TYPED_TEST(MbCoalesce, OnlyOtherHintsTakeTime) {
  Instruction instruction = this->Hints({});
  EXPECT_EQ(this->CyclesOf(instruction), 1U);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    instruction.operand[lane] = lane;
  }
  EXPECT_EQ(this->CyclesOf(instruction), std::uint64_t{kLanes});
  std::vector<Op> without = {Op::kTestWait, Op::kTestWaitParity};
  if (kHasAll<TypeParam>) {
    without.insert(without.end(), {Op::kInval, Op::kCopyArrive});
  }
  for (const Op op : without) {
    instruction.op = op;
    EXPECT_EQ(this->CyclesOf(instruction), 1U) << static_cast<unsigned>(op);
  }
  instruction.op = Op::kTryWait;
  instruction.has_hint = false;
  EXPECT_EQ(this->CyclesOf(instruction), 1U);
}

// What stands at the port without valid makes no group, and is not remembered.
TYPED_TEST(MbCoalesce, NothingWithoutValid) {
  std::array<std::uint32_t, kLanes> hints;
  hints.fill(100);
  const Instruction same = this->Hints(hints);
  hints[3] = 10;
  const Instruction smaller = this->Hints(hints);
  hints[3] = 50;
  for (const Instruction& instruction : {same, smaller}) {
    this->Present(instruction);
    this->unit_.ready_i = 1;
    for (unsigned cycle = 0; cycle < 5; ++cycle) {
      this->unit_.eval();
      EXPECT_EQ(this->unit_.valid_o, 0);
      this->Cycle();
    }
    this->Check(this->Hints(hints));
  }
}

// A reset in each cycle of an instruction of three words with many hints. The next instruction is
// made into groups as ever.
TYPED_TEST(MbCoalesce, ResetAmidAnInstruction) {
  Instruction before = this->Hints({});
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    before.addr[lane] = 8 * (lane % 3);
    before.operand[lane] = 40 - lane;
  }
  std::array<std::uint32_t, kLanes> hints;
  hints.fill(100);
  hints[3] = 50;
  for (unsigned cycles = 0; cycles < 2 * kLanes; ++cycles) {
    this->Present(before);
    this->unit_.ready_i = 1;
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      this->unit_.valid_i = 1;
      this->Cycle();
    }
    this->unit_.valid_i = 0;
    this->unit_.rst_ni = 0;
    this->Cycle();
    this->unit_.rst_ni = 1;
    this->Check(this->Hints(hints));
    ASSERT_FALSE(this->HasFailure()) << "reset after " << cycles << " cycles";
  }
}

TYPED_TEST(MbCoalesce, ThirtyTwoWords) {
  Instruction instruction{};
  instruction.op = Op::kTryWait;
  instruction.lanes = instruction.live = ~0U;
  instruction.has_hint = true;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    instruction.addr[lane] = 8 * (kLanes - lane);
    instruction.operand[lane] = lane;
  }
  this->Check(instruction);
  instruction.addr.fill(64);  // and one word with 32 hints
  this->Check(instruction);
  EXPECT_EQ(this->several_, 1);
}

}  // namespace
}  // namespace muster::mb
