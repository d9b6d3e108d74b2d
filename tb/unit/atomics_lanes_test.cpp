// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What makes updates of lanes, Verilated: the updates one after the other come to what the lanes
// come to one by one, and lanes whose order does not matter are one update.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "Vatomics_lanes.h"
#include "sim/golden/atomics.h"
#include "sim/isa/bits.h"
#include "sim/port/structs.h"
#include "tb/unit/atomics_types.h"
#include "tb/unit/clocked.h"

namespace muster::atomics {
namespace {

constexpr std::uint32_t kSmemBytes = 64;
constexpr unsigned kMostCycles = 100;
constexpr unsigned kFloats = 3;  // all

using Memory = std::map<std::uint32_t, std::uint64_t>;

class AtomicsLanes : public ::testing::Test {
 protected:
  AtomicsLanes() {
    unit_.clk_i = unit_.rst_ni = 0;
    unit_.eval();
    Clock();
    unit_.rst_ni = 1;
    unit_.eval();
  }
  ~AtomicsLanes() override { unit_.final(); }

  void Clock() {
    unit_.clk_i = 1;
    unit_.eval();
    unit_.clk_i = 0;
    unit_.eval();
  }
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  AtomicInstruction Random() {
    AtomicInstruction instruction;
    do {
      instruction.op = static_cast<AtomicOp>(Below(kNumAtomicOps));
      instruction.size = static_cast<AtomicSize>(Below(4));
      instruction.is_signed = Below(2) == 0;
    } while (!IsOne(instruction.op, instruction.size, instruction.is_signed, kFloats, true));
    instruction.cta = static_cast<std::uint8_t>(Below(32));
    instruction.warp = static_cast<std::uint8_t>(Below(64));
    instruction.lanes = Below(4) == 0 ? ~0U : static_cast<std::uint32_t>(random_());
    if (Below(3) == 0) {  // few
      instruction.lanes &= static_cast<std::uint32_t>(random_() & random_());
    }
    instruction.has_answer = Below(2) == 0;
    instruction.releasing = Below(2) == 0;
    const unsigned places = 1U << Below(4);
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      instruction.addr[lane] = Below(places) * BytesOf(instruction.size) % kSmemBytes;
      instruction.operand[lane] = Value();
      instruction.compare[lane] = Value();
      instruction.operand_upper[lane] = Value();
      instruction.compare_upper[lane] = Value();
    }
    return instruction;
  }
  std::uint64_t Value() {
    const std::uint64_t value = std::uint64_t{random_()} << 32 | random_();
    return Below(2) == 0 ? value : Below(3) | (Below(2) == 0 ? value & 0x8000000080000000 : 0);
  }

  // Presents the instruction, and returns its updates and the cycles that it took.
  unsigned Present(const AtomicInstruction& instruction, bool stalls,
                   std::vector<AtomicUpdate>* updates) {
    sv::at_instruction_t::Put(instruction, &unit_.instruction_i);
    if (Below(4) == 0) {
      Clock();  // it is there, and not presented
    }
    unit_.valid_i = 1;
    for (unsigned cycle = 1; cycle <= kMostCycles * (stalls ? 8 : 1); ++cycle) {
      unit_.ready_i = static_cast<std::uint8_t>(!stalls || Below(2) == 0);
      unit_.eval();
      if (unit_.valid_o != 0 && unit_.ready_i != 0) {
        sv::at_update_t::Get(unit_.update_o, &updates->emplace_back());
      }
      const bool done = unit_.ready_o != 0;
      Clock();
      if (done) {
        unit_.valid_i = 0;
        unit_.eval();
        EXPECT_EQ(unit_.valid_o, 0);
        return cycle;
      }
    }
    ADD_FAILURE() << "the instruction is not taken";
    return 0;
  }

  VerilatedContext context_;
  Vatomics_lanes unit_{&context_};
  std::mt19937 random_{3};
};

TEST_F(AtomicsLanes, AsOneByOne) {
  // Operations, types, answers, and how many lanes were at the word with the most.
  std::set<std::string> met;
  for (unsigned i = 0; i < 20000 && !HasFailure(); ++i) {
    const AtomicInstruction instruction = Random();
    Memory golden;
    for (std::uint32_t addr = 0; addr < kSmemBytes; addr += 8) {
      golden[addr] = Value();
    }
    Memory memory = golden;
    const golden::AtomicLanes expected =
        golden::PerformAtomic(instruction, kSmemBytes,
                              [&](std::uint32_t addr) -> std::uint64_t& { return golden[addr]; });
    std::vector<AtomicUpdate> updates;
    const unsigned cycles = Present(instruction, i % 3 == 0, &updates);
    const bool folds = !instruction.has_answer && IsFoldable(instruction.op);
    std::map<std::uint32_t, unsigned> lanes_at;
    ForEachBit(instruction.lanes, [&](unsigned lane) { ++lanes_at[instruction.addr[lane]]; });
    unsigned most = 0;
    for (const auto& [addr, lanes] : lanes_at) {
      most = std::max(most, lanes);
    }
    const unsigned halves = instruction.size == AtomicSize::k128 ? 2 : 1;
    const auto count = static_cast<unsigned>(__builtin_popcount(instruction.lanes));
    ASSERT_EQ(updates.size(), folds ? lanes_at.size() : halves * count);
    if (i % 3 != 0 && instruction.lanes != 0) {
      ASSERT_EQ(cycles, halves * count) << "a cycle for each lane, or half";
    }
    ASSERT_TRUE(updates.empty() || folds || updates[0].lane == __builtin_ctz(instruction.lanes))
        << "the lowest lane is not the first";
    std::uint32_t answered = 0;
    std::uint32_t addr_before = ~0U;
    std::set<std::uint32_t> left;  // addresses of updates before that of the last one
    bool lower_wanted = false;
    for (std::size_t u = 0; u < updates.size(); ++u) {
      const AtomicUpdate& update = updates[u];
      ASSERT_EQ(update.upper, halves == 2 && u % 2 == 1);
      ASSERT_TRUE(update.op == instruction.op && update.size == instruction.size &&
                  update.is_signed == instruction.is_signed && update.cta == instruction.cta &&
                  update.warp == instruction.warp && update.has_answer == instruction.has_answer &&
                  update.releasing == (instruction.releasing && !update.upper) &&
                  update.from == AtomicFrom() && !update.completes &&
                  update.addr == instruction.addr[update.lane]);
      if (update.addr != addr_before) {
        ASSERT_TRUE(left.insert(update.addr).second) << "lanes at one address are apart";
        addr_before = update.addr;
      }
      std::uint64_t& word = memory[WordAt(update)];
      bool also = !update.upper || lower_wanted;
      if (halves == 2 && !update.upper) {
        also = golden::IsAsWanted(updates[u + 1], memory[WordAt(updates[u + 1])]);
        lower_wanted = golden::IsAsWanted(update, word);
      }
      const golden::AtomicEffects effects = golden::StepAtomic(update, word, kSmemBytes, also);
      word = effects.after;
      if (!folds) {
        const unsigned bits = std::min(64U, 8 * BytesOf(instruction.size));
        const std::uint64_t before =
            effects.before >> 8 * (update.addr % 8) & (~std::uint64_t{0} >> (64 - bits));
        ASSERT_EQ(before,
                  update.upper ? expected.before_upper[update.lane] : expected.before[update.lane])
            << "lane " << unsigned{update.lane};
        ASSERT_EQ(answered >> update.lane & 1, update.upper ? 1U : 0U);
        answered |= 1U << update.lane;
      }
    }
    ASSERT_EQ(memory, golden) << Name(instruction.op);
    met.insert(fmt::format("{}.{}.{}.{}", Name(instruction.op),
                           TypeName(instruction.op, instruction.size, instruction.is_signed),
                           instruction.has_answer ? "answer" : "none",
                           most > 2 && most < kMaxLanes ? "some" : fmt::format("{}", most)));
  }
  // Each operation and type, with and without answers, of 1, 2, some and 32 lanes at one word.
  for (unsigned op = 0; op < kNumAtomicOps; ++op) {
    for (const AtomicSize size :
         {AtomicSize::k16, AtomicSize::k32, AtomicSize::k64, AtomicSize::k128}) {
      for (const bool is_signed : {false, true}) {
        const auto which = static_cast<AtomicOp>(op);
        for (const char* how :
             {"answer.2", "answer.some", "answer.32", "none.2", "none.some", "none.32"}) {
          const std::string point =
              fmt::format("{}.{}.{}", Name(which), TypeName(which, size, is_signed), how);
          EXPECT_TRUE(!IsOne(which, size, is_signed, kFloats, true) || met.count(point) != 0)
              << point;
        }
      }
    }
  }
}

// Of several banks, each has the updates that the whole instruction has there, in their order.
TEST_F(AtomicsLanes, BanksApart) {
  constexpr std::uint32_t kBankBytes = 16;
  for (unsigned i = 0; i < 2000; ++i) {
    const AtomicInstruction instruction = Random();
    std::vector<AtomicUpdate> whole;
    Present(instruction, false, &whole);
    for (std::uint32_t bank = 0; bank < kSmemBytes / kBankBytes; ++bank) {
      AtomicInstruction part = instruction;
      ForEachBit(instruction.lanes, [&](unsigned lane) {
        part.lanes &= ~(part.addr[lane] / kBankBytes == bank ? 0U : 1U << lane);
      });
      std::vector<AtomicUpdate> expected;
      std::copy_if(whole.begin(), whole.end(), std::back_inserter(expected),
                   [&](const AtomicUpdate& update) { return update.addr / kBankBytes == bank; });
      std::vector<AtomicUpdate> updates;
      Present(part, false, &updates);
      ASSERT_EQ(updates, expected);
    }
  }
}

// An instruction after a reset amid another one has the updates that it has without that.
TEST_F(AtomicsLanes, ResetAmidAnInstruction) {
  for (unsigned i = 0; i < 2000; ++i) {
    const AtomicInstruction instruction = Random();
    std::vector<AtomicUpdate> expected;
    Present(instruction, false, &expected);
    sv::at_instruction_t::Put(Random(), &unit_.instruction_i);
    unit_.valid_i = unit_.ready_i = 1;
    for (unsigned cycles = Below(8); cycles > 0; --cycles) {
      unit_.eval();
      Clock();
    }
    unit_.valid_i = unit_.rst_ni = 0;
    unit_.eval();
    Clock();
    unit_.rst_ni = 1;
    unit_.eval();
    std::vector<AtomicUpdate> updates;
    Present(instruction, false, &updates);
    ASSERT_EQ(updates, expected);
  }
}

TEST_F(AtomicsLanes, NoLanesNoUpdate) {
  AtomicInstruction instruction = Random();
  instruction.lanes = 0;
  std::vector<AtomicUpdate> updates;
  EXPECT_EQ(Present(instruction, false, &updates), 1U);
  EXPECT_TRUE(updates.empty());
}

}  // namespace
}  // namespace muster::atomics
