// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Vortex, driven as that core's CTA dispatcher and scheduler do.
#include <Vvortex.h>
#include <Vvortex_counts.h>
#include <Vvortex_large.h>
#include <Vvortex_sync.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>

#include "tb/unit/core_fixture.h"
#include "tb/unit/core_sim.h"

namespace muster {
namespace {

struct Eight {
  using Dut = Vvortex;
  static constexpr unsigned kWarps = 8;
  static constexpr bool kEndsCount = true;
};
struct ThirtyTwo {
  using Dut = Vvortex_large;
  static constexpr unsigned kWarps = 32;
  static constexpr bool kEndsCount = true;
};
struct CountsAsWritten {
  using Dut = Vvortex_counts;
  static constexpr unsigned kWarps = 8;
  static constexpr bool kEndsCount = false;
};
struct WithoutSplit {
  using Dut = Vvortex_sync;
  static constexpr unsigned kWarps = 8;
  static constexpr bool kEndsCount = true;
};

// The adapter, and the scheduler's register of stalled warps.
template <typename Size>
class Vortex : public CoreDut<typename Size::Dut> {
 public:
  static constexpr unsigned kWarps = Size::kWarps;

  Vortex() { Reset(); }

  void Reset() {
    dut_.rst_ni = 0;
    Clock({});
    dut_.rst_ni = 1;
    dut_.eval();
    stalled_ = 0;
  }

  // A cycle in which the core does this.
  void Clock(const CoreRequest& request) {
    dut_.cta_fire_i = request.dispatch ? 1 : 0;
    if (request.dispatch) {
      dut_.cta_wid_i = static_cast<unsigned char>(request.dispatch->warp);
      dut_.cta_id_i = static_cast<unsigned char>(request.dispatch->slot);
      dut_.cta_size_i = static_cast<unsigned char>(request.dispatch->size);
    } else {  // the pins hold anything
      dut_.cta_wid_i = static_cast<unsigned char>(random_() % Size::kWarps);
      dut_.cta_size_i = static_cast<unsigned char>(random_() % Size::kWarps);
    }
    using Control = CoreRequest::Control;
    const bool waits = request.control == Control::kWait;
    const bool barrier = request.control != Control::kNone && request.control != Control::kEnd;
    dut_.wid_i = static_cast<unsigned char>(request.warp);
    dut_.tmc_valid_i = !barrier && (request.control == Control::kEnd || Other()) ? 1 : 0;
    const bool clears = dut_.tmc_valid_i != 0 ? request.control == Control::kEnd : Other();
    dut_.tmc_tmask_i = clears ? 0 : 5;
    dut_.bar_valid_i = barrier ? 1 : 0;
    dut_.bar_id_i = static_cast<unsigned char>(request.bar);
    dut_.bar_is_sync_i = request.control == Control::kSync ? 1 : 0;
    // A sync is one whether it is said to arrive or not.
    const bool arrives = request.control != Control::kSync || request.expected % 2 != 0;
    dut_.bar_is_arrive_i = arrives && !waits ? 1 : 0;
    dut_.bar_is_global_i = global_ ? 1 : 0;
    // The phase and the size are of one register.
    const unsigned none = 1 + random_() % Size::kWarps;  // without a barrier it holds anything
    const unsigned operand = waits ? (request.phase ? 1 : 0) : barrier ? request.expected : none;
    dut_.bar_phase_i = operand & 1;
    dut_.bar_size_m1_i = static_cast<unsigned char>((operand - 1) & (2 * Size::kWarps - 1));
    dut_.phase_ready_i = results_wait_ && random_() % 2 == 0 ? 0 : 1;
    dut_.eval();
    stalled_ |= barrier ? std::uint64_t{1} << request.warp : 0;
    held_ = dut_.cta_hold_o != 0;
    stalled_ |= held_ ? std::uint64_t{1} << request.dispatch->warp : 0;
    unlocked_ = dut_.unlock_valid_o != 0 ? dut_.unlock_mask_o : 0;
    stalled_ &= ~unlocked_;
    refused_ = dut_.refused_o;
    refusals_ += static_cast<unsigned>(__builtin_popcountll(refused_));
    answer_.reset();
    if (dut_.phase_valid_o != 0 && dut_.phase_ready_i != 0) {
      answer_ = CoreAnswer{dut_.phase_wid_o, dut_.phase_o != 0};
    }
    this->Tick(dut_.ends_o);
  }

  void set_global(bool global) { global_ = global; }
  // Now and then a result is not taken at once.
  void set_results_wait(bool wait) { results_wait_ = wait; }
  std::uint64_t stalled() const { return stalled_; }
  // In the last cycle: the warp that was dispatched is stalled; warps unlocked, refused; an arrival
  // answered.
  bool held(unsigned /*warp*/) const { return held_; }
  std::uint64_t unlocked() const { return unlocked_; }
  std::uint64_t refused() const { return refused_; }
  const std::optional<CoreAnswer>& answer() const { return answer_; }
  unsigned refusals() const { return refusals_; }  // in all cycles

 private:
  using CoreDut<typename Size::Dut>::dut_;

  // Now and then a warp changes its thread mask, and keeps some threads.
  bool Other() { return ++turn_ % 3 == 0; }

  bool global_ = false, results_wait_ = false, held_ = false;
  std::mt19937 random_;
  std::optional<CoreAnswer> answer_;
  std::uint64_t stalled_ = 0, unlocked_ = 0, refused_ = 0;
  unsigned turn_ = 0, refusals_ = 0;
};

template <typename Size>
class VortexAdapter : public CoreAdapter<Vortex<Size>> {
 protected:
  void RunAll(unsigned workgroups, unsigned seed, unsigned reset_one_in) {
    CoreOptions options;
    options.warps = options.slots = Size::kWarps;
    options.workgroups = workgroups;
    options.seed = seed;
    options.counts = true;
    options.early_ends = Size::kEndsCount;
    options.whole_arrive = !Size::kEndsCount;
    this->core_.set_results_wait(true);
    this->Run(options, reset_one_in);
    EXPECT_EQ(this->core_.refusals(), 0U);
  }

  void Present(CoreRequest::Control control, unsigned warp, unsigned bar, unsigned expected,
               bool phase = false) {
    CoreRequest request;
    request.control = control;
    request.warp = warp;
    request.bar = bar;
    request.expected = expected;
    request.phase = phase;
    this->core_.Clock(request);
  }
  void Barrier(unsigned warp, unsigned bar, unsigned expected) {
    Present(CoreRequest::Control::kSync, warp, bar, expected);
  }
  void Arrive(unsigned warp, unsigned bar, unsigned expected) {
    Present(CoreRequest::Control::kArrive, warp, bar, expected);
  }
  void Wait(unsigned warp, unsigned bar, bool phase) {
    Present(CoreRequest::Control::kWait, warp, bar, 0, phase);
  }

  // Arrives, and is unlocked with this phase after three cycles.
  void ArriveIn(bool phase, unsigned warp, unsigned bar, unsigned expected) {
    Arrive(warp, bar, expected);
    EXPECT_EQ(CyclesToUnlock(std::uint64_t{1} << warp), 3U);
    ASSERT_TRUE(this->core_.answer());
    EXPECT_EQ(this->core_.answer()->warp, warp);
    EXPECT_EQ(this->core_.answer()->phase, phase);
  }

  // Cycles from the request of the last call to the unlock of these warps.
  unsigned CyclesToUnlock(std::uint64_t warps) {
    unsigned cycles = 0;
    while (this->core_.unlocked() != warps && cycles < 100) {
      this->Idle(1);
      ++cycles;
    }
    return cycles;
  }

  static constexpr std::uint64_t kAll = (std::uint64_t{1} << Size::kWarps) - 1;
};

using VortexSizes = testing::Types<Eight, ThirtyTwo, CountsAsWritten>;
TYPED_TEST_SUITE(VortexAdapter, VortexSizes);

TYPED_TEST(VortexAdapter, RandomWorkgroups) {
  constexpr unsigned kWorkgroups = 16000;
  this->RunAll(kWorkgroups, 1, 0);
  const auto& vortex = this->core_;
  EXPECT_EQ(vortex.opens(), kWorkgroups);
  EXPECT_EQ(vortex.ends(), kWorkgroups);
  EXPECT_EQ(vortex.joins(), this->dispatched_);
  EXPECT_EQ(vortex.exits(), this->dispatched_);
  EXPECT_EQ(vortex.stalled(), 0U);
  const CoreCover& cover = this->cover_;
  EXPECT_GT(cover.opened, 5000U);
  EXPECT_EQ(cover.opened_by_end > 300U, TypeParam::kEndsCount);
  EXPECT_GT(cover.waited_for_dispatch, 300U);
  EXPECT_GT(cover.passed, 2000U);
  EXPECT_GT(cover.passed_and_ended, 100U);
  EXPECT_GT(cover.odd, 1000U);
  EXPECT_GT(cover.waited, 1000U);
  EXPECT_GT(cover.waited_late, 1000U);
  EXPECT_GT(cover.arrived_early, 400U);
  EXPECT_GT(cover.ended_early, 300U);
  EXPECT_GT(cover.held, 300U);
  EXPECT_GT(cover.slot_at_once, 30U);
  EXPECT_GT(cover.warp_at_once, 1000U);
  EXPECT_GE(cover.most_workgroups, 4U);
}

TYPED_TEST(VortexAdapter, ResetAtAnyMoment) {
  this->RunAll(2000, 2, 400);
  EXPECT_GT(this->cover_.opened, 1000U);
  EXPECT_GT(this->resets_, 100U);
}

TYPED_TEST(VortexAdapter, LatencyOfTheLastArrival) {
  this->DispatchAll();
  for (unsigned w = 0; w < TypeParam::kWarps; ++w) {
    this->Idle(w + 1 == TypeParam::kWarps ? 10 : 0);
    this->Barrier(w, 3, TypeParam::kWarps);
  }
  EXPECT_EQ(this->CyclesToUnlock(this->kAll), 3U);
}

// The end of one warp opens a barrier of all, if the adapter is asked for that; a barrier of a
// smaller number of warps is not opened by it.
TYPED_TEST(VortexAdapter, EndOfAWarpOpensTheBarrier) {
  this->DispatchAll();
  for (unsigned w = 1; w < TypeParam::kWarps; ++w) {
    this->Barrier(w, 3, TypeParam::kWarps);
  }
  this->Idle(100);
  ASSERT_EQ(this->core_.stalled(), this->kAll - 1);
  this->End(0);
  EXPECT_EQ(this->CyclesToUnlock(this->kAll - 1), TypeParam::kEndsCount ? 5U : 100U);
  if (TypeParam::kEndsCount) {
    this->Barrier(1, 3, 3);
    this->Barrier(2, 3, 3);
    for (unsigned w = 4; w < TypeParam::kWarps; ++w) {
      this->End(w);
    }
    this->Idle(200);
    EXPECT_EQ(this->core_.stalled(), 6U);
    this->Barrier(3, 3, 3);
    EXPECT_EQ(this->CyclesToUnlock(14), 3U);
  }
}

// Two warps meet three times at one barrier. A wait is over with the last arrival if that comes
// later, and at once if it does not.
// A CTA that runs on keeps no other CTA from meeting.
TYPED_TEST(VortexAdapter, CtasMeetApart) {
  for (unsigned w = 0; w < 4; ++w) {
    this->Dispatch(w, w / 2, w % 2, 2);
  }
  this->Idle(1000);
  this->Barrier(2, 1, 2);
  this->Barrier(3, 1, 2);
  EXPECT_LE(this->CyclesToUnlock(0b1100), 5U);
}

TYPED_TEST(VortexAdapter, ArrivesAndWaitsLater) {
  this->DispatchAll();
  bool phase = false;
  for (unsigned round = 0; round < 3; ++round, phase = !phase) {
    this->ArriveIn(phase, 1, 5, 2);
    this->Wait(1, 5, phase);
    this->Idle(20);
    EXPECT_EQ(this->core_.stalled(), 2U);
    this->Arrive(2, 5, 2);
    EXPECT_EQ(this->CyclesToUnlock(6), 3U);  // the one with the phase, the other from its wait
    ASSERT_TRUE(this->core_.answer());
    EXPECT_EQ(this->core_.answer()->warp, 2U);
    EXPECT_EQ(this->core_.answer()->phase, phase);
    this->Wait(2, 5, phase);
    EXPECT_EQ(this->CyclesToUnlock(4), 3U);
    EXPECT_FALSE(this->core_.answer());
  }
  this->ArriveIn(phase, 3, 5, 2);  // meets one that waits at once
  this->Wait(3, 5, phase);
  this->Idle(20);
  this->Barrier(4, 5, 2);
  EXPECT_EQ(this->CyclesToUnlock(24), 3U);
  EXPECT_EQ(this->core_.refusals(), 0U);
}

// The end of a warp is no arrival: where all others have arrived by number, they wait on.
TYPED_TEST(VortexAdapter, ArrivalsHaveANumber) {
  this->DispatchAll();
  for (unsigned w = 1; w < TypeParam::kWarps; ++w) {
    this->ArriveIn(false, w, 7, TypeParam::kWarps);
    this->Wait(w, 7, false);
  }
  this->End(0);
  this->Idle(200);
  EXPECT_EQ(this->core_.stalled(), this->kAll - 1);
}

// What the unit does not have is refused at once, and the warp goes on; so is a count that is not
// that of the first arrival.
TYPED_TEST(VortexAdapter, RefusesWhatItDoesNotHave) {
  this->DispatchAll();
  this->core_.set_global(true);
  this->Barrier(1, 0, 2);
  EXPECT_EQ(this->core_.refused(), 2U);
  EXPECT_EQ(this->core_.unlocked(), 2U);
  this->Wait(2, 0, false);
  EXPECT_EQ(this->core_.refused(), 4U);
  EXPECT_EQ(this->core_.unlocked(), 4U);
  this->core_.set_global(false);
  this->Barrier(3, 0, 3);
  this->Barrier(4, 0, 2);
  EXPECT_EQ(this->CyclesToUnlock(16), 3U);
  EXPECT_EQ(this->core_.refused(), 16U);
  this->Idle(20);
  EXPECT_EQ(this->core_.stalled(), 8U);
  this->Arrive(4, 0, 2);  // unlocked by its refusal alone
  EXPECT_EQ(this->CyclesToUnlock(16), 3U);
  EXPECT_EQ(this->core_.refused(), 16U);
  EXPECT_FALSE(this->core_.answer());
  this->ArriveIn(false, 4, 0, 3);
  this->Barrier(5, 0, 3);
  EXPECT_EQ(this->CyclesToUnlock(40), 3U);
  EXPECT_EQ(this->core_.refused(), 0U);
  // An arrival that does not wait has a number; where the end of a warp counts, a wait for all has
  // none.
  this->ArriveIn(false, 6, 9, TypeParam::kWarps);
  this->Barrier(7, 9, TypeParam::kWarps);
  EXPECT_EQ(this->CyclesToUnlock(128), TypeParam::kEndsCount ? 3U : 100U);
  EXPECT_EQ(this->core_.refused(), TypeParam::kEndsCount ? 128U : 0U);
}

// A CTA of two warps: of every size that bar_size_m1_i can say, those above two are refused, also
// where no count of the unit can say them.
TYPED_TEST(VortexAdapter, RefusesSizesAboveTheCta) {
  this->Idle(1000);
  for (unsigned w = 0; w < 2; ++w) {
    this->Dispatch(w, 0, w, 2);
  }
  this->Idle(200);
  for (unsigned size = 3; size <= 2 * TypeParam::kWarps; ++size) {
    for (const bool waits : {true, false}) {
      if (waits) {
        this->Barrier(0, 1, size);
      } else {
        this->Arrive(0, 1, size);
      }
      EXPECT_EQ(this->CyclesToUnlock(1), size > TypeParam::kWarps ? 0U : 3U) << size;
      EXPECT_EQ(this->core_.refused(), 1U) << size;
      EXPECT_FALSE(this->core_.answer());
    }
  }
  this->Barrier(0, 1, 2);  // nothing has been counted
  this->Idle(20);
  EXPECT_EQ(this->core_.stalled(), 1U);
  this->Barrier(1, 1, 2);
  EXPECT_EQ(this->CyclesToUnlock(3), 3U);
}

using VortexAdapterWithoutSplit = VortexAdapter<WithoutSplit>;

TEST_F(VortexAdapterWithoutSplit, RefusesArriveAndWait) {
  DispatchAll();
  Arrive(1, 0, 2);
  EXPECT_EQ(core_.refused(), 2U);
  EXPECT_EQ(core_.unlocked(), 2U);
  Wait(2, 0, true);
  EXPECT_EQ(core_.refused(), 4U);
  EXPECT_EQ(core_.unlocked(), 4U);
  Idle(20);
  Barrier(1, 0, 2);
  Barrier(2, 0, 2);
  EXPECT_EQ(CyclesToUnlock(6), 3U);
  EXPECT_EQ(core_.refusals(), 2U);
}

}  // namespace
}  // namespace muster
