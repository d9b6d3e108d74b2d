// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of atomics on shared memory against rows written by hand from PTX ISA 9.7.13.5.
#include "sim/golden/atomics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace muster::golden {
namespace {

struct Row {
  AtomicOp op;
  AtomicSize size;
  bool is_signed;
  std::uint64_t old, b, c, after;
};

constexpr AtomicSize k16 = AtomicSize::k16;
constexpr AtomicSize k32 = AtomicSize::k32;
constexpr AtomicSize k64 = AtomicSize::k64;
constexpr std::uint64_t kMinus1 = ~std::uint64_t{0};

constexpr Row kRows[] = {
    {AtomicOp::kAdd, k32, false, 0xffffffff, 2, 0, 1},
    {AtomicOp::kAdd, k32, false, 5, 0xfffffffe, 0, 3},
    {AtomicOp::kAdd, k64, false, 0xffffffff, 1, 0, 0x100000000},
    {AtomicOp::kAdd, k64, false, kMinus1, 1, 0, 0},
    // "inc(r, s) = (r >= s) ? 0 : r+1"
    {AtomicOp::kInc, k32, false, 6, 7, 0, 7},
    {AtomicOp::kInc, k32, false, 7, 7, 0, 0},
    {AtomicOp::kInc, k32, false, 8, 7, 0, 0},
    {AtomicOp::kInc, k32, false, 0xffffffff, 0xffffffff, 0, 0},
    {AtomicOp::kInc, k32, false, 0x7fffffff, 0xffffffff, 0, 0x80000000},
    {AtomicOp::kInc, k32, false, 0, 0, 0, 0},
    // "dec(r, s) = (r==0 || r > s) ? s : r-1"
    {AtomicOp::kDec, k32, false, 7, 7, 0, 6},
    {AtomicOp::kDec, k32, false, 8, 7, 0, 7},
    {AtomicOp::kDec, k32, false, 0, 7, 0, 7},
    {AtomicOp::kDec, k32, false, 0x80000000, 0xffffffff, 0, 0x7fffffff},
    {AtomicOp::kDec, k32, false, 1, 0, 0, 0},
    {AtomicOp::kMin, k32, false, 0xffffffff, 1, 0, 1},
    {AtomicOp::kMin, k32, true, 0xffffffff, 1, 0, 0xffffffff},
    {AtomicOp::kMin, k32, true, 0x7fffffff, 0x80000000, 0, 0x80000000},
    {AtomicOp::kMin, k64, false, kMinus1, 1, 0, 1},
    {AtomicOp::kMin, k64, true, kMinus1, 1, 0, kMinus1},
    {AtomicOp::kMin, k64, false, 0x100000000, 0xffffffff, 0, 0xffffffff},
    {AtomicOp::kMax, k32, false, 0xffffffff, 1, 0, 0xffffffff},
    {AtomicOp::kMax, k32, true, 0xffffffff, 1, 0, 1},
    {AtomicOp::kMax, k64, false, 5, kMinus1, 0, kMinus1},
    {AtomicOp::kMax, k64, true, 5, kMinus1, 0, 5},
    {AtomicOp::kMax, k64, false, 0x100000000, 0xffffffff, 0, 0x100000000},
    {AtomicOp::kAnd, k32, false, 0xc, 0xa, 0, 0x8},
    {AtomicOp::kOr, k32, false, 0xc, 0xa, 0, 0xe},
    {AtomicOp::kXor, k32, false, 0xc, 0xa, 0, 0x6},
    {AtomicOp::kXor, k64, false, kMinus1, 0xff, 0, ~std::uint64_t{0xff}},
    // "exch(r, s) = s"
    {AtomicOp::kExch, k32, false, 1, 0x123456789, 0, 0x23456789},
    {AtomicOp::kExch, k64, false, 1, 0x123456789, 0, 0x123456789},
    // "cas(r,s,t) = (r == s) ? t : r"
    {AtomicOp::kCas, k32, false, 4, 4, 9, 9},
    {AtomicOp::kCas, k32, false, 5, 4, 9, 5},
    {AtomicOp::kCas, k32, false, 4, 0x100000004, 9, 9},
    {AtomicOp::kCas, k16, false, 0x14, 0xabcd0014, 0x12345, 0x2345},
    {AtomicOp::kCas, k64, false, 0x100000004, 4, 9, 0x100000004},
};

TEST(GoldenAtomic, Values) {
  for (const Row& row : kRows) {
    EXPECT_EQ(CombineAtomic(row.op, row.size, row.is_signed, row.old, row.b, row.c), row.after)
        << fmt::format("{} of {} bytes, {:#x} {:#x} {:#x}", Name(row.op), BytesOf(row.size),
                       row.old, row.b, row.c);
  }
}

AtomicUpdate Update(AtomicOp op, AtomicSize size, std::uint32_t addr, std::uint64_t operand) {
  AtomicUpdate update;
  update.op = op;
  update.size = size;
  update.addr = addr;
  update.operand = operand;
  return update;
}

// Bytes of the word outside the value stay.
TEST(GoldenAtomic, BytesOfTheWord) {
  constexpr std::uint64_t kWord = 0x1111222233334444;
  const auto after = [&](AtomicOp op, AtomicSize size, std::uint32_t addr, std::uint64_t operand) {
    return StepAtomic(Update(op, size, addr, operand), kWord, 64).after;
  };
  EXPECT_EQ(after(AtomicOp::kAdd, k32, 8, 0xffffffff), 0x1111222233334443U);
  EXPECT_EQ(after(AtomicOp::kAdd, k32, 12, 0xeeeedddeULL << 32), 0x0000000033334444U);
  EXPECT_EQ(after(AtomicOp::kExch, k16, 10, 0xabcd0000), 0x11112222abcd4444U);
  EXPECT_EQ(after(AtomicOp::kExch, k16, 14, std::uint64_t{0xabcd} << 48), 0xabcd222233334444U);
  AtomicUpdate swap = Update(AtomicOp::kCas, k16, 12, std::uint64_t{0xabcd} << 32);
  swap.compare = std::uint64_t{0x2222} << 32;
  EXPECT_EQ(StepAtomic(swap, kWord, 64).after, 0x1111abcd33334444U);
  EXPECT_EQ(StepAtomic(swap, kWord, 64).before, kWord);
}

TEST(GoldenAtomic, Misplaced) {
  const auto fault = [](AtomicSize size, std::uint32_t addr) {
    return StepAtomic(Update(AtomicOp::kExch, size, addr, 1), 7, 64).fault;
  };
  for (const std::uint32_t addr : {1U, 63U, 64U, 66U, 0x80000000U}) {
    EXPECT_EQ(fault(k16, addr), FaultCause::kBadAddress) << addr;
  }
  for (const std::uint32_t addr : {2U, 6U, 62U, 64U}) {
    EXPECT_EQ(fault(k32, addr), FaultCause::kBadAddress) << addr;
  }
  for (const std::uint32_t addr : {4U, 60U, 64U}) {
    EXPECT_EQ(fault(k64, addr), FaultCause::kBadAddress) << addr;
  }
  EXPECT_EQ(fault(k16, 62), FaultCause::kNone);
  EXPECT_EQ(fault(k32, 60), FaultCause::kNone);
  EXPECT_EQ(fault(k64, 56), FaultCause::kNone);
}

// "cas(r,s,t) = (r == s) ? t : r", of all 128 bits.
TEST(GoldenAtomic, HalvesOf128) {
  AtomicInstruction swap;
  swap.op = AtomicOp::kCas;
  swap.size = AtomicSize::k128;
  swap.lanes = 0x1f;
  swap.addr = {16, 16, 16, 16, 24};
  swap.compare = {1, 1, 9, 3, 5};
  swap.compare_upper = {2, 9, 2, 4, 6};
  swap.operand = {3, 7, 7, 5, 0};
  swap.operand_upper = {4, 8, 8, 6, 0};
  std::map<std::uint32_t, std::uint64_t> memory{{16, 1}, {24, 2}};
  const auto word = [&](std::uint32_t addr) -> std::uint64_t& { return memory[addr]; };
  const AtomicLanes done = PerformAtomic(swap, 64, word);
  EXPECT_EQ(done.before[1], 3U);
  EXPECT_EQ(done.before_upper[1], 4U);
  EXPECT_EQ(done.before[3], 3U);
  EXPECT_EQ(memory[16], 5U);
  EXPECT_EQ(memory[24], 6U);
  EXPECT_EQ(done.at_fault, 0x10U);

  AtomicUpdate half = Update(AtomicOp::kExch, AtomicSize::k128, 16, 7);
  EXPECT_EQ(StepAtomic(half, 5, 64).after, 7U);
  half.op = AtomicOp::kCas;
  half.compare = 5;
  half.upper = true;
  EXPECT_TRUE(IsAsWanted(half, 5));
  EXPECT_FALSE(IsAsWanted(half, 4));
  EXPECT_EQ(StepAtomic(half, 5, 64, true).after, 7U);
  EXPECT_EQ(StepAtomic(half, 5, 64, false).after, 5U);
}

// Lanes one by one, in lane order: each gets what the lane before it left.
TEST(GoldenAtomic, LanesInOrder) {
  std::map<std::uint32_t, std::uint64_t> memory;
  AtomicInstruction add;
  add.lanes = 0xf;
  add.addr = {4, 4, 8, 4};
  add.operand = {1, 10, 100, 1000};
  const auto word = [&](std::uint32_t addr) -> std::uint64_t& { return memory[addr]; };
  memory[0] = std::uint64_t{5} << 32 | 3;
  const AtomicLanes done = PerformAtomic(add, 64, word);
  EXPECT_EQ(memory[0], std::uint64_t{1016} << 32 | 3);
  EXPECT_EQ(memory[8], 100U);
  EXPECT_EQ(done.before[0], 5U);
  EXPECT_EQ(done.before[1], 6U);
  EXPECT_EQ(done.before[2], 0U);
  EXPECT_EQ(done.before[3], 16U);

  AtomicInstruction swap = add;
  swap.op = AtomicOp::kCas;
  swap.addr = {8, 8, 8, 9};
  swap.compare = {100, 7, 8, 0};
  swap.operand = {7, 8, 9, 1};
  const AtomicLanes swapped = PerformAtomic(swap, 64, word);
  EXPECT_EQ(memory[8], 9U);
  EXPECT_EQ(swapped.before[2], 8U);
  EXPECT_EQ(swapped.at_fault, 8U);
}

}  // namespace
}  // namespace muster::golden
