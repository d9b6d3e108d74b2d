// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Atomics on shared memory in kernels: what the unit carries out, and what is done in place.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "sim/golden/atomics.h"
#include "sim/ptx/alu/compute.h"
#include "tb/unit/float_values.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_schedule.h"
#include "tb/unit/ptx_threads.h"

namespace muster::ptx {
namespace {

using threads::kStore;
using threads::Threads;

// On golden models and where the unit does not reach, the interpreter does them.
TEST(PtxAtomic, InPlaceAsByTheGoldenModel) {
  constexpr std::pair<Atomic, AtomicOp> kOps[] = {
      {Atomic::kAdd, AtomicOp::kAdd},       {Atomic::kMin, AtomicOp::kMin},
      {Atomic::kMax, AtomicOp::kMax},       {Atomic::kAnd, AtomicOp::kAnd},
      {Atomic::kOr, AtomicOp::kOr},         {Atomic::kXor, AtomicOp::kXor},
      {Atomic::kExchange, AtomicOp::kExch}, {Atomic::kCompareSwap, AtomicOp::kCas},
      {Atomic::kIncrement, AtomicOp::kInc}, {Atomic::kDecrement, AtomicOp::kDec}};
  constexpr std::pair<Type, AtomicSize> kTypes[] = {{Type::kU32, AtomicSize::k32},
                                                    {Type::kS32, AtomicSize::k32},
                                                    {Type::kU64, AtomicSize::k64},
                                                    {Type::kS64, AtomicSize::k64}};
  std::mt19937_64 random(5);
  const auto value = [&] {
    const std::uint64_t some[] = {random(), random() % 4, ~std::uint64_t{0} - random() % 3,
                                  0x80000000, std::uint64_t{1} << 63};
    return some[random() % 5];
  };
  for (const auto& [in_place, op] : kOps) {
    for (const auto& [type, size] : kTypes) {
      const bool steps = op == AtomicOp::kInc || op == AtomicOp::kDec;
      for (unsigned i = 0; i < 500 && !(steps && type != Type::kU32); ++i) {
        const std::uint64_t old = value();
        const std::uint64_t b = i % 3 == 0 ? old : value();
        const std::uint64_t c = value();
        std::uint8_t memory[8];
        std::memcpy(memory, &old, sizeof memory);
        SwapInMemory(memory, type, in_place, b, c, false);
        std::uint64_t after = 0;
        std::memcpy(&after, memory, BytesOf(size));
        ASSERT_EQ(after, golden::CombineAtomic(op, size, IsSigned(type), old, b, c))
            << Name(op) << " of " << old << " and " << b << ", " << c;
      }
    }
  }
}

TEST(PtxAtomic, FloatsInPlaceAsByTheGoldenModel) {
  struct Row {
    Type type;
    AtomicOp op;
    AtomicSize size;
    FloatFormat format;
  };
  constexpr Row kRows[] = {{Type::kF32, AtomicOp::kFAdd, AtomicSize::k32, kFormatF32},
                           {Type::kF64, AtomicOp::kFAdd, AtomicSize::k64, kFormatF64},
                           {Type::kF16, AtomicOp::kHAdd, AtomicSize::k16, kFormatF16},
                           {Type::kF16x2, AtomicOp::kHAdd, AtomicSize::k32, kFormatF16},
                           {Type::kBF16, AtomicOp::kBAdd, AtomicSize::k16, kFormatBf16},
                           {Type::kBF16x2, AtomicOp::kBAdd, AtomicSize::k32, kFormatBf16}};
  std::mt19937 random(6);
  for (const Row& row : kRows) {
    for (unsigned i = 0; i < 20000; ++i) {
      std::uint64_t old = 0;
      std::uint64_t b = 0;
      for (unsigned at = 0; at < 8 * BytesOf(row.size); at += row.format.bits()) {
        const std::uint64_t one = FloatNear(row.format, 0, &random);
        old |= one << at;
        b |= FloatNear(row.format, one, &random) << at;
      }
      std::uint8_t memory[8] = {};
      std::memcpy(memory, &old, sizeof memory);
      SwapInMemory(memory, row.type, Atomic::kAdd, b, 0, false);
      std::uint64_t after = 0;
      std::memcpy(&after, memory, sizeof after);
      ASSERT_EQ(after, golden::CombineAtomic(row.op, row.size, false, old, b, 0))
          << row.format.name << std::hex << " " << old << " + " << b;
    }
  }
}

// Each lane of two warps gets a number of its own.
TEST(PtxAtomic, EachLaneItsOwnAnswer) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Ended run(Threads(64, R"(
  atom.shared.add.u32 %r10, [s], 1;)" +
                                    kStore),
                    "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    auto numbers = run.Words(0);
    std::sort(numbers.begin(), numbers.end());
    for (std::uint32_t i = 0; i < 64; ++i) {
      ASSERT_EQ(numbers[i], i);
    }
  }
}

// One warp adds to a word, another one stores to its neighbour in the same eight bytes.
TEST(PtxAtomic, StoresBesideAreNotLost) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Ended run(Threads(64, R"(
  mov.u32 %r5, 0; mov.u32 %r10, 0; setp.ne.u32 %p1, %r3, 0; @%p1 bra STORE;
ADD: red.shared.add.u32 [s], 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 40; @%p2 bra ADD;
  bra MEET;
STORE: setp.ne.u32 %p3, %r2, 0; @%p3 bra MEET;
AGAIN: add.u32 %r5, %r5, 1; st.volatile.shared.u32 [s+4], %r5;
  ld.volatile.shared.u32 %r6, [s+4]; setp.ne.u32 %p4, %r6, %r5; @%p4 add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r5, 60; @%p2 bra AGAIN;
MEET: bar.sync 0; ld.shared.u32 %r7, [s]; ld.shared.u32 %r8, [s+4];
  mad.lo.u32 %r10, %r10, 1000000, %r7; mad.lo.u32 %r10, %r8, 10000, %r10;)" +
                                    kStore),
                    "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.Words(0)[0], 60U * 10000 + 40 * 32) << "seed " << seed;
    EXPECT_EQ(run.Words(0)[32], 60U * 10000 + 40 * 32) << "seed " << seed;
  }
}

// Lanes that come apart, and lanes that a predicate leaves out.
TEST(PtxAtomic, SomeLanes) {
  const Ended run(Threads(32, R"(
  mov.u32 %r10, 77; setp.lt.u32 %p1, %r2, 5; setp.eq.u32 %p2, %r2, 9;
  @%p1 atom.shared.add.u32 %r10, [s], 2;
  @%p2 bra ONE; bra MEET;
ONE: atom.shared.exch.b32 %r10, [s], 100;
MEET: bar.warp.sync -1;)" + kStore));
  ASSERT_EQ(run.outcome(), "completes");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.Words(0)[lane], lane < 5 ? 2 * lane : lane == 9 ? 10 : 77) << lane;
  }
}

// Four words in one bank, and one in each of four.
TEST(PtxAtomic, BanksSideBySide) {
  std::uint64_t cycles[2] = {};
  for (const bool apart : {false, true}) {
    const Ended run(Threads(32, std::string("  and.b32 %r5, %r2, 3; shl.b32 %r5, %r5, ") +
                                    (apart ? "4" : "2") +
                                    R"(; mov.u32 %r6, s; add.u32 %r5, %r6, %r5;
  mov.u32 %r7, 0; mov.u32 %r10, 0;
AGAIN: atom.shared.add.u32 %r8, [%r5], 1; max.u32 %r10, %r10, %r8;
  add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 20; @%p1 bra AGAIN;)" +
                                    kStore));
    ASSERT_EQ(run.outcome(), "completes");
    cycles[apart] = run.cycles();
    const auto last = run.Words(0);
    EXPECT_EQ(*std::max_element(last.begin(), last.end()), 20U * 8 - 1);
  }
  EXPECT_LT(cycles[1], cycles[0] / 2);
}

// An atom whose answer no instruction reads is a red: its lanes are one update, without an answer.
TEST(PtxAtomic, AnswersThatNothingReads) {
  const auto cycles = [](const std::string& atomic) {
    const Ended run(Threads(64, "  mov.u32 %r7, 0;\nAGAIN: " + atomic + R"(
  add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 10; @%p1 bra AGAIN;
  bar.sync 0; ld.shared.u32 %r10, [s];)" +
                                    kStore));
    EXPECT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.Words(0)[63], 640U);
    return run.cycles();
  };
  const std::uint64_t unread = cycles("atom.shared.add.u32 %r8, [s], 1;");
  EXPECT_EQ(unread, cycles("red.shared.add.u32 [s], 1;"));
  EXPECT_GT(cycles("atom.shared.add.u32 %r8, [s], 1; add.u32 %r9, %r8, 1;"), 2 * unread);
}

// At the end of memory that is no multiple of eight bytes, in generic addresses, of no lane.
TEST(PtxAtomic, Places) {
  Kernel kernel = Threads(32, R"(
  cvta.shared.u64 %d3, s; atom.add.u32 %r5, [%d3+8], 3;
  atom.shared.add.u32 %r5, [s+8188], 1; setp.gt.u32 %p1, %r2, 99;
  @%p1 atom.shared.add.u32 %r5, [s+8], 1;
  bar.sync 0; ld.shared.u32 %r10, [s+8]; ld.shared.u32 %r6, [s+8188];
  mad.lo.u32 %r10, %r6, 1000, %r10;)" +
                                  kStore);
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0)[0], 32U * 1000 + 96);
}

// In both orders of two warps; the unit performs them there, too.
TEST(PtxAtomic, OfASchedule) {
  const Kernel kernel = Threads(64, R"(
  setp.ne.u32 %p1, %r2, 0; @%p1 bra END; add.u32 %r5, %r3, 1;
  atom.shared.exch.b32 %r6, [s], %r5; // SWAP
  st.global.u32 [%d2], %r6;
END: ret;)");
  for (const unsigned first : {0U, 1U}) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const Followed run(kernel, {{"SWAP", first}, {"SWAP", 1 - first}}, seed);
      ASSERT_EQ(run.outcome(), "completes");
      EXPECT_EQ(run.turns(), 2U) << run.session().grid().missed();
      EXPECT_EQ(run.updates(), 2U);
      EXPECT_EQ(run.Words(0)[std::size_t{32} * first], 0U);
      EXPECT_EQ(run.Words(0)[std::size_t{32} * (1 - first)], first + 1);
    }
  }
}

TEST(PtxAtomic, MisalignedEndsTheRun) {
  const Ended run(Threads(32, R"(
  mov.u32 %r5, s; add.u32 %r5, %r5, 2; atom.shared.add.u32 %r10, [%r5], 1;)" +
                                  kStore));
  EXPECT_EQ(run.outcome(), "memory_fault");
}

}  // namespace
}  // namespace muster::ptx
