// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain as the load/store side answers it: the tracker alone, against its golden model;
// and in the template, where warps that go on after an arrival always have something on its way.
// The template's copies and their arrive-ons, too.
#include <Vtemplate_flat.h>
#include <Vtracker.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/lockstep/fence_checker.h"
#include "sim/lockstep/verilated_scope.h"
#include "sim/port/fence_pins.h"
#include "tb/unit/clocked.h"

namespace muster {
namespace {

// ------------------------------------------------------------------------------------------------
// The tracker
// ------------------------------------------------------------------------------------------------

constexpr lockstep::FenceShape kTracker{8, 2, 3};
constexpr unsigned kBoth = 0b11;  // classes

// The tracker under the checker of the lockstep.
class Tracker : public testing::Test {
 protected:
  // Ends a cycle, with what the tracker shows in it compared.
  void Cycle() {
    dut_.Settle(in_, &out_);
    went_ = in_.request & out_.acknowledge;
    if (!checker_.Check(in_, out_)) {
      const lockstep::Mismatch& wrong = *checker_.mismatch();
      FAIL() << "cycle " << cycle_ << ": " << wrong.field << ": " << wrong.unit << "; golden "
             << wrong.golden;
    }
    dut_.Clock();
    ++cycle_;
    in_.begun.clear();
    in_.done.clear();
    dut_.Settle(in_, &out_);
  }

  bool IsFull(unsigned warp, unsigned of) const { return (out_.full[of] >> warp & 1) != 0; }
  bool Acknowledges(unsigned warp) const { return (out_.acknowledge >> warp & 1) != 0; }

  // In this cycle an access begins, is performed, or a fence asks.
  void Begin(unsigned warp, unsigned of) {
    FenceInputs::Access access;
    access.number = ++numbers_;
    access.warp = static_cast<std::uint8_t>(warp);
    access.of = static_cast<std::uint8_t>(of);
    access.epoch = (out_.epoch[of] >> warp & 1) != 0;
    in_.begun.push_back(access);
    outstanding_[warp].push_back(access);
  }
  void End(unsigned warp, std::size_t which) {
    std::vector<FenceInputs::Access>& accesses = outstanding_[warp];
    in_.done.push_back(accesses[which]);
    accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void Ask(unsigned warp, unsigned classes) {
    in_.request |= Bit(warp);
    for (unsigned of = 0; of < kTracker.num_classes; ++of) {
      in_.classes[of] = (in_.classes[of] & ~Bit(warp)) | std::uint64_t{classes >> of & 1} << warp;
    }
    dut_.Settle(in_, &out_);
  }
  void Go(unsigned warp) { in_.request &= ~Bit(warp); }

  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  void Drive(unsigned warp);

  lockstep::VerilatedFences<Vtracker> dut_{kTracker};
  lockstep::FenceChecker checker_{kTracker};
  FenceInputs in_;
  FenceOutputs out_;
  std::uint64_t went_ = 0;  // warps whose requests were acknowledged in the cycle before
  std::uint64_t cycle_ = 0;
  std::uint64_t numbers_ = 0;
  std::mt19937 random_{1};
  std::array<std::vector<FenceInputs::Access>, kTracker.num_warps> outstanding_;
};

TEST_F(Tracker, FenceWaitsForWhatIsOutstanding) {
  Begin(2, 0);
  Cycle();
  Ask(2, kBoth);
  for (unsigned waited = 0; waited < 3; ++waited) {
    EXPECT_FALSE(Acknowledges(2));
    Cycle();
  }
  End(2, 0);
  Cycle();
  EXPECT_TRUE(Acknowledges(2));
}

// A cycle of a warp. Warp 0 always has accesses of each class on its way, and those of warp 1 take
// so long that it is full.
void Tracker::Drive(unsigned warp) {
  if (!outstanding_[warp].empty() && Below(warp == 1 ? 40 : 3) == 0) {
    End(warp, Below(static_cast<unsigned>(outstanding_[warp].size())));
  }
  for (unsigned of = 0; of < kTracker.num_classes; ++of) {
    if (!IsFull(warp, of) && (warp < 2 || Below(6) == 0)) {
      Begin(warp, of);
    }
  }
}

// Accesses of two classes begin and are performed at random, in any order; fences of some classes
// ask at random, and are acknowledged exactly when what they found has been performed.
TEST_F(Tracker, AnswersAsItsGoldenModelDoes) {
  for (unsigned cycle = 0; cycle < 200000 && !HasFatalFailure(); ++cycle) {
    for (unsigned of = 0; of < kTracker.num_classes; ++of) {
      in_.busy[of] = Below(4) == 0 ? random_() & random_() & 0xff : 0;
    }
    for (unsigned warp = 0; warp < kTracker.num_warps; ++warp) {
      if ((went_ >> warp & 1) != 0) {
        Go(warp);
      } else if ((in_.request >> warp & 1) == 0 && Below(8) == 0) {
        Ask(warp, Below(kBoth + 1));
      }
      Drive(warp);
    }
    Cycle();
  }
  const lockstep::FenceChecker::Counts& counts = checker_.counts();
  EXPECT_GT(counts.drains, 50000U);
  EXPECT_GT(counts.at_once, 10000U);
  EXPECT_GT(counts.overtaken, 5000U);
  EXPECT_GT(counts.passed, 5000U);
  EXPECT_GT(counts.held_up, 5000U);
  EXPECT_GT(counts.full, 50000U);
  EXPECT_GT(counts.both_full, 5000U);
}

TEST_F(Tracker, SaysWhenAWarpIsFull) {
  for (unsigned of = 0; of < kTracker.num_classes; ++of) {
    for (unsigned k = 0; k < kTracker.most; ++k) {
      EXPECT_EQ(out_.full[of], 0U) << k;
      Begin(2, of);
      Cycle();
    }
    EXPECT_EQ(out_.full[of], Bit(2));
    // There is room for as many that the fence does not wait for.
    Ask(2, 1U << of);
    Cycle();
    EXPECT_EQ(out_.full[of], 0U);
    for (unsigned k = 0; k < kTracker.most; ++k) {
      Begin(2, of);
      Cycle();
    }
    EXPECT_EQ(out_.full[of], Bit(2));
    for (unsigned k = 0; k < kTracker.most; ++k) {
      EXPECT_FALSE(Acknowledges(2));
      End(2, 0);
      Cycle();
    }
    EXPECT_TRUE(Acknowledges(2));
    EXPECT_EQ(out_.full[of], Bit(2));
    Cycle();
    Go(2);
    while (!outstanding_[2].empty()) {
      End(2, 0);
      Cycle();
      EXPECT_EQ(out_.full[of], 0U);
    }
  }
}

// A reset while drains wait. Afterwards nothing is outstanding; a request in the first cycle waits
// for the accesses that begin in that cycle, too.
TEST_F(Tracker, ResetAmidADrain) {
  constexpr std::uint64_t kAllWarps = 0xff;
  const auto begin = [&] {
    for (unsigned warp = 0; warp < kTracker.num_warps; ++warp) {
      Begin(warp, 0);
      Begin(warp, 1);
    }
  };
  begin();
  Cycle();
  for (unsigned warp = 0; warp < kTracker.num_warps; ++warp) {
    Ask(warp, kBoth);
  }
  Cycle();
  Cycle();
  EXPECT_EQ(out_.acknowledge, 0U);
  in_ = FenceInputs();
  outstanding_ = {};
  dut_.Reset();
  checker_.Reset();
  dut_.Settle(in_, &out_);
  EXPECT_EQ(out_.acknowledge, kAllWarps);
  in_.busy = {kAllWarps, kAllWarps};
  for (unsigned warp = 0; warp < kTracker.num_warps; ++warp) {
    Ask(warp, kBoth);
  }
  begin();
  Cycle();
  in_.busy = {};
  for (unsigned waited = 0; waited < 4; ++waited) {
    Cycle();
    EXPECT_EQ(out_.acknowledge, 0U) << waited;
  }
  for (unsigned warp = 0; warp < kTracker.num_warps; ++warp) {
    End(warp, 1);
    End(warp, 0);
  }
  Cycle();
  EXPECT_EQ(out_.acknowledge, kAllWarps);
}

// ------------------------------------------------------------------------------------------------
// The template
// ------------------------------------------------------------------------------------------------

constexpr unsigned kSync = 0;
constexpr unsigned kArrive = 1;

class Template : public testing::Test {
 protected:
  Template() {
    dut_.rst_ni = 0;
    Cycle();
    dut_.rst_ni = 1;
    for (unsigned i = 0; i < 16; ++i) {
      Cycle();  // the slots are freed
    }
    dut_.lifecycle_valid_i = 1;
    dut_.warps_i = 3;
    while (!Accepts(dut_.lifecycle_ready_o)) {
    }
    dut_.lifecycle_valid_i = 0;
    Cycle();
  }

  // A cycle; whether `ready` was high in it.
  bool Accepts(const unsigned char& ready) {
    dut_.eval();
    const bool taken = ready != 0;
    Cycle();
    return taken;
  }

  // One cycle of the core: each access is performed `kLatency` cycles after it began.
  void Cycle() {
    dut_.eval();
    const unsigned done = cycle_ % kLatency;
    dut_.access_begin_i = accessing_ & ~dut_.access_full_o;
    dut_.access_done_i = begun_[done];
    dut_.access_done_epoch_i = epochs_[done];
    begun_[done] = dut_.access_begin_i;
    epochs_[done] = dut_.access_epoch_o;
    released_ |= dut_.release_o;
    faulted_ = faulted_ || dut_.fault_o != 0;
    accepted_ += dut_.mb_valid_i != 0 && dut_.mb_ready_o != 0 ? 1 : 0;
    EndCycle(&dut_);
    ++cycle_;
  }

  void Issue(unsigned op, unsigned warp) {
    dut_.issue_valid_i = 1;
    dut_.op_i = static_cast<unsigned char>(op);
    dut_.warp_i = static_cast<unsigned char>(warp);
    dut_.count_i = 64;
    for (unsigned i = 0; i < 100 && !Accepts(dut_.issue_ready_o); ++i) {
    }
    dut_.issue_valid_i = 0;
  }

  // Warp 0 arrives and goes on, warp 1 waits. True if it is released within `cycles`.
  bool Meets(unsigned cycles) {
    Issue(kArrive, 0);
    Issue(kSync, 1);
    for (unsigned i = 0; i < cycles && released_ == 0; ++i) {
      Cycle();
    }
    return released_ == 2 && !faulted_;
  }

  // Arrivals that are pending at the mbarrier, fewer than at first.
  unsigned Arrived() const { return static_cast<unsigned>(dut_.word_o >> 43 & 0xfffff) - 1; }

  // A copy of the warp begins. Its epoch.
  unsigned BeginCopy(unsigned warp) {
    dut_.copy_begin_valid_i = 1;
    dut_.copy_begin_warp_i = static_cast<unsigned char>(warp);
    dut_.eval();
    const unsigned epoch = dut_.copy_begin_epoch_o;
    EXPECT_TRUE(Accepts(dut_.copy_begin_ready_o));
    dut_.copy_begin_valid_i = 0;
    return epoch;
  }

  void EndCopy(unsigned warp, unsigned epoch) {
    dut_.copy_done_valid_i = 1;
    dut_.copy_done_warp_i = static_cast<unsigned char>(warp);
    dut_.copy_done_epoch_i = static_cast<unsigned char>(epoch);
    Cycle();
    dut_.copy_done_valid_i = 0;
  }

  void ArriveAfterCopies(unsigned warp, std::uint32_t lanes) {
    dut_.copy_arrive_valid_i = 1;
    dut_.copy_arrive_warp_i = static_cast<unsigned char>(warp);
    dut_.copy_arrive_lanes_i = lanes;
    EXPECT_TRUE(Accepts(dut_.copy_arrive_ready_o));
    dut_.copy_arrive_valid_i = 0;
  }

  // One lane of warp 0 arrives, or announces an arrive-on of copies.
  void ArriveAtMbarrier(bool copy) {
    dut_.mb_valid_i = 1;
    dut_.mb_copy_arrive_i = copy ? 1 : 0;
    for (unsigned i = 0; i < 100 && !Accepts(dut_.mb_ready_o); ++i) {
    }
    dut_.mb_valid_i = 0;
    Idle();
  }

  void Idle() {
    for (unsigned i = 0; i < 2 * kLatency; ++i) {
      Cycle();
    }
  }

  static constexpr unsigned kLatency = 10;

  VerilatedContext context_;
  Vtemplate_flat dut_{&context_};
  std::uint32_t accessing_ = 0;  // warps that begin an access in every cycle
  std::array<std::uint32_t, kLatency> begun_{};
  std::array<std::uint64_t, kLatency> epochs_{};
  std::uint32_t released_ = 0;
  unsigned accepted_ = 0;  // groups at the mbarrier
  bool faulted_ = false;
  unsigned cycle_ = 0;
};

TEST_F(Template, WarpsMeet) { EXPECT_TRUE(Meets(20)); }

// A warp polls after its arrival: it never has nothing outstanding.
TEST_F(Template, WarpThatPollsDrains) {
  accessing_ = 1;
  for (unsigned i = 0; i < 2 * kLatency; ++i) {
    Cycle();
  }
  EXPECT_TRUE(Meets(4 * kLatency));
}

// It arrives at an mbarrier as fast as it can, with and without a drain of its own.
TEST_F(Template, WarpThatArrivesAtMbarriersDrains) {
  for (const bool releasing : {false, true}) {
    released_ = 0;
    accessing_ = releasing ? 1 : 0;
    dut_.mb_valid_i = 1;
    dut_.mb_releasing_i = releasing ? 1 : 0;
    for (unsigned i = 0; i < 2 * kLatency; ++i) {
      Cycle();
    }
    EXPECT_NE(dut_.mb_busy_o, 0U);
    EXPECT_TRUE(Meets(8 * kLatency)) << releasing;
    const std::uint64_t word = dut_.word_o;
    for (unsigned i = 0; i < 8 * kLatency; ++i) {
      Cycle();
    }
    EXPECT_NE(dut_.word_o, word);  // and goes on arriving afterwards
  }
}

// An arrive-on comes for each lane when the copies before it are performed, in whatever order;
// copies after it do not matter, and barriers do not wait for copies.
TEST_F(Template, CopiesArrive) {
  const std::array<unsigned, 2> before = {BeginCopy(2), BeginCopy(2)};
  ArriveAfterCopies(2, 0b111);
  const unsigned after = BeginCopy(2);
  Idle();
  EXPECT_EQ(Arrived(), 0U);
  EXPECT_EQ(dut_.copy_busy_o, 1U << 2);
  EXPECT_TRUE(Meets(20));
  EndCopy(2, before[1]);
  Idle();
  EXPECT_EQ(Arrived(), 0U);
  EndCopy(2, before[0]);
  Idle();
  EXPECT_EQ(Arrived(), 3U);
  EXPECT_EQ(dut_.copy_busy_o, 0U);
  ArriveAfterCopies(2, 1);
  EndCopy(2, after);
  Idle();
  EXPECT_EQ(Arrived(), 4U);
  EXPECT_FALSE(faulted_);
}

// Without .noinc an arrival more is pending from the instruction on, so that the arrive-on is
// made up for.
TEST_F(Template, CopiesArriveWithoutNoinc) {
  ArriveAtMbarrier(false);
  EXPECT_EQ(Arrived(), 1U);
  const unsigned epoch = BeginCopy(0);
  ArriveAtMbarrier(true);
  EXPECT_EQ(Arrived(), 0U);
  EXPECT_EQ(dut_.mb_busy_o, 0U);
  ArriveAfterCopies(0, 1);
  Idle();
  EXPECT_EQ(Arrived(), 0U);
  EndCopy(0, epoch);
  Idle();
  EXPECT_EQ(Arrived(), 1U);
  EXPECT_FALSE(faulted_);
}

// Arrive-ons of copies take their turn among the arrivals of warps in every cycle.
TEST_F(Template, CopiesArriveAmongWarps) {
  dut_.mb_valid_i = 1;
  for (unsigned i = 0; i < 4 * kLatency; ++i) {
    EndCopy(2, BeginCopy(2));
    ArriveAfterCopies(2, 0x80000001);
    for (unsigned j = 0; j < kLatency; ++j) {
      Cycle();
    }
    EXPECT_EQ(dut_.copy_busy_o, 0U) << i;
  }
  dut_.mb_valid_i = 0;
  Idle();
  EXPECT_GT(accepted_, 50U);
  EXPECT_EQ(Arrived(), accepted_ + 4 * kLatency * 2);
  EXPECT_FALSE(faulted_);
}

}  // namespace
}  // namespace muster
