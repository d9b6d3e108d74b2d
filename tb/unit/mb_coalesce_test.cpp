// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The coalescer of mbarrier instructions, Verilated, against the lanes in their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "Vmb_coalesce_flat.h"
#include "tb/unit/mb_oracle.h"

namespace muster::mb {
namespace {

constexpr unsigned kLanes = 32;

struct Instruction {
  Op op;
  std::uint32_t lanes, phase;
  std::array<std::uint32_t, kLanes> addr, operand;
  unsigned flags;  // has_token, has_hint, releasing

  bool Has(unsigned lane) const { return (lanes >> lane & 1) != 0; }
  bool Phase(unsigned lane) const { return (phase >> lane & 1) != 0; }
  bool Hints() const {
    return (op == Op::kTryWait || op == Op::kTryWaitParity) && (flags & 2) != 0;
  }
};

struct Made {
  std::uint32_t lanes = 0, addr = 0, operand = 0;
  bool phase = false;
};

// Lane by lane: each joins the last group at its word, or opens one.
std::vector<Made> Groups(const Instruction& instruction) {
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
    if (group == groups.rend() || (!waits && group->operand != operand)) {
      groups.push_back({1U << lane, addr, operand, instruction.Phase(lane)});
    } else {
      group->lanes |= 1U << lane;
      group->operand = instruction.Hints() ? std::min(group->operand, operand) : group->operand;
    }
  }
  return groups;
}

class MbCoalesce : public testing::Test {
 protected:
  MbCoalesce() {
    for (const int reset : {1, 0, 1}) {
      unit_.rst_ni = reset;
      unit_.eval();
    }
  }

  void Cycle() {
    unit_.clk_i = 1;
    unit_.eval();
    unit_.clk_i = 0;
    unit_.eval();
    ++cycles_;
  }

  // Puts the instruction through, and compares the groups.
  void Check(const Instruction& instruction) {
    unit_.valid_i = 1;
    unit_.op_i = static_cast<unsigned>(instruction.op);
    unit_.cta_i = instruction.lanes % 32;
    unit_.warp_i = instruction.phase % 64;
    unit_.lanes_i = instruction.lanes;
    unit_.phase_i = instruction.phase;
    unit_.flags_i = instruction.flags;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      unit_.addr_i[lane] = instruction.addr[lane];
      unit_.operand_i[lane] = instruction.operand[lane];
    }
    const std::vector<Made> groups = Groups(instruction);
    std::size_t next = 0;
    for (bool done = false; !done;) {
      unit_.ready_i = random_() % 4 != 0;
      unit_.eval();
      if (unit_.valid_o && unit_.ready_i) {
        ASSERT_LT(next, groups.size());
        const Made& group = groups[next++];
        ASSERT_EQ(unit_.lanes_o, group.lanes);
        ASSERT_EQ(unit_.addr_o, group.addr);
        ASSERT_EQ(unit_.phase_o, group.phase);
        if (!Waits(instruction.op) || instruction.Hints()) {
          ASSERT_EQ(unit_.operand_o, group.operand);
        }
        ASSERT_EQ(unit_.whole_o, groups.size() == 1);
        ASSERT_EQ(unit_.op_o, static_cast<unsigned>(instruction.op));
        ASSERT_EQ(unit_.cta_o, instruction.lanes % 32);
        ASSERT_EQ(unit_.warp_o, instruction.phase % 64);
        ASSERT_EQ(unit_.flags_o, instruction.flags);
      }
      done = unit_.ready_o;
      Cycle();
    }
    ASSERT_EQ(next, groups.size());
    several_ += groups.size() > 1;
    reopened_ += groups.size() > 1 && groups.front().addr == groups.back().addr;
    unit_.valid_i = 0;
  }

  Vmb_coalesce_flat unit_;
  std::mt19937_64 random_{1};
  std::uint64_t cycles_ = 0, several_ = 0, reopened_ = 0;
};

TEST_F(MbCoalesce, RandomInstructions) {
  for (unsigned i = 0; i < 200'000 && !HasFatalFailure(); ++i) {
    Instruction instruction{};
    instruction.op = static_cast<Op>(random_() % kNumOps);
    instruction.lanes = random_() % 2 == 0 ? ~0U : static_cast<std::uint32_t>(random_());
    instruction.lanes = random_() % 64 == 0 ? 0 : instruction.lanes;
    instruction.phase = random_() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random_());
    instruction.flags = random_() % 8;
    const unsigned words = 1 + random_() % 4, operands = 1 + random_() % 3;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      instruction.addr[lane] = 8 * (random_() % words);
      instruction.operand[lane] = 1 + random_() % operands;
    }
    Check(instruction);
  }
  EXPECT_GT(several_, 50'000);
  EXPECT_GT(reopened_, 10'000);
}

TEST_F(MbCoalesce, OneWordIsOneGroupInOneCycle) {
  Instruction instruction{};
  instruction.op = Op::kArrive;
  instruction.lanes = ~0U;
  instruction.operand.fill(1);
  const std::uint64_t before = cycles_;
  unit_.ready_i = 1;
  for (unsigned i = 0; i < 100; ++i) {
    Check(instruction);
  }
  EXPECT_EQ(several_, 0);
  EXPECT_LT(cycles_ - before, 200);  // it is not always taken at once
}

TEST_F(MbCoalesce, ThirtyTwoWords) {
  Instruction instruction{};
  instruction.op = Op::kTryWait;
  instruction.lanes = ~0U;
  instruction.flags = 2;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    instruction.addr[lane] = 8 * (kLanes - lane);
    instruction.operand[lane] = lane;
  }
  Check(instruction);
  instruction.addr.fill(64);  // and one word with 32 hints
  Check(instruction);
  EXPECT_EQ(several_, 1);
}

}  // namespace
}  // namespace muster::mb
