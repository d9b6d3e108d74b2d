// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Vortex, driven as that core's CTA dispatcher and scheduler do.
#include <Vvortex.h>
#include <Vvortex_counts.h>
#include <Vvortex_large.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <random>

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

// The adapter, and the scheduler's register of stalled warps.
template <typename Size>
class Vortex {
 public:
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
    }
    const bool barrier = request.control == CoreRequest::Control::kBarrier;
    dut_.wid_i = static_cast<unsigned char>(request.warp);
    dut_.tmc_valid_i =
        !barrier && (request.control == CoreRequest::Control::kEnd || Other()) ? 1 : 0;
    dut_.tmc_tmask_i = request.control == CoreRequest::Control::kEnd ? 0 : 5;
    dut_.bar_valid_i = barrier ? 1 : 0;
    dut_.bar_id_i = static_cast<unsigned char>(request.bar);
    dut_.bar_is_sync_i = request.waits ? 1 : 0;
    dut_.bar_is_arrive_i = waits_for_phase_ ? 0 : 1;
    dut_.bar_is_global_i = global_ ? 1 : 0;
    dut_.bar_size_m1_i =
        static_cast<unsigned char>((request.expected - 1) & (2 * Size::kWarps - 1));
    dut_.eval();
    stalled_ |= barrier ? std::uint64_t{1} << request.warp : 0;
    held_ = dut_.cta_hold_o != 0;
    stalled_ |= held_ ? std::uint64_t{1} << request.dispatch->warp : 0;
    unlocked_ = dut_.unlock_valid_o != 0 ? dut_.unlock_mask_o : 0;
    stalled_ &= ~unlocked_;
    refused_ = dut_.refused_o;
    joined_ = dut_.rst_ni != 0 && dut_.joins_o != 0 ? static_cast<int>(dut_.join_warp_o) : -1;
    opens_ += dut_.opens_o;
    joins_ += dut_.joins_o;
    exits_ += dut_.exits_o;
    ends_ += dut_.ends_o;
    for (const unsigned char level : {1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
  }

  void set_global(bool global) { global_ = global; }
  void set_waits_for_phase(bool waits) { waits_for_phase_ = waits; }
  std::uint64_t stalled() const { return stalled_; }
  // In the last cycle: the warp that was dispatched is stalled; warps unlocked, refused; who
  // joined.
  bool held() const { return held_; }
  std::uint64_t unlocked() const { return unlocked_; }
  std::uint64_t refused() const { return refused_; }
  int joined() const { return joined_; }
  unsigned opens() const { return opens_; }
  unsigned joins() const { return joins_; }
  unsigned exits() const { return exits_; }
  unsigned ends() const { return ends_; }

 private:
  // Now and then a warp changes its thread mask, and keeps some threads.
  bool Other() { return ++turn_ % 3 == 0; }

  VerilatedContext context_;
  typename Size::Dut dut_{&context_};
  bool global_ = false, waits_for_phase_ = false, held_ = false;
  std::uint64_t stalled_ = 0, unlocked_ = 0, refused_ = 0;
  int joined_ = -1;
  unsigned turn_ = 0, opens_ = 0, joins_ = 0, exits_ = 0, ends_ = 0;
};

template <typename Size>
class VortexAdapter : public testing::Test {
 protected:
  void Run(unsigned workgroups, unsigned seed, unsigned reset_one_in) {
    CoreOptions options;
    options.warps = options.slots = Size::kWarps;
    options.workgroups = workgroups;
    options.seed = seed;
    options.counts = true;
    options.early_ends = Size::kEndsCount;
    options.whole_arrive = !Size::kEndsCount;
    CoreSim core(options);
    std::mt19937 random(seed);
    while (!core.Done() && core.complaint().empty()) {
      const CoreRequest request = core.Step(~vortex_.stalled());
      vortex_.Clock(request);
      ASSERT_EQ(vortex_.refused(), 0U) << "cycle " << core.cycle();
      if (vortex_.joined() >= 0) {
        core.Joined(static_cast<unsigned>(vortex_.joined()));
      }
      if (vortex_.held()) {
        core.Held(request.dispatch->warp);
      }
      if (reset_one_in != 0 && random() % reset_one_in == 0) {
        vortex_.Reset();
        core.Reset();
        ++resets_;
      }
    }
    ASSERT_EQ(core.complaint(), "");
    for (unsigned i = 0; i < 5000; ++i) {  // the last ends
      vortex_.Clock({});
    }
    cover_ = core.cover();
    dispatched_ = core.dispatched();
    std::printf("longest: %u cycles to a release, %u cycles held at a dispatch\n", cover_.slowest,
                cover_.longest_held);
  }

  // A CTA of all warps of the core, all of which have joined.
  void DispatchAll() {
    for (unsigned w = 0; w < Size::kWarps; ++w) {
      CoreRequest request;
      request.dispatch = {w, 0, w, Size::kWarps};
      vortex_.Clock(request);
    }
    for (unsigned i = 0; i < 1000; ++i) {
      vortex_.Clock({});
    }
    ASSERT_EQ(vortex_.joins(), Size::kWarps);
  }

  void Barrier(unsigned warp, unsigned bar, unsigned expected, bool waits = true) {
    CoreRequest request;
    request.control = CoreRequest::Control::kBarrier;
    request.warp = warp;
    request.bar = bar;
    request.expected = expected;
    request.waits = waits;
    vortex_.Clock(request);
  }

  void End(unsigned warp) {
    CoreRequest request;
    request.control = CoreRequest::Control::kEnd;
    request.warp = warp;
    vortex_.Clock(request);
  }

  void Idle(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      vortex_.Clock({});
    }
  }

  // Cycles from the request of the last call to the unlock of these warps.
  unsigned CyclesToUnlock(std::uint64_t warps) {
    unsigned cycles = 0;
    while (vortex_.unlocked() != warps && cycles < 100) {
      vortex_.Clock({});
      ++cycles;
    }
    return cycles;
  }

  static constexpr std::uint64_t kAll = (std::uint64_t{1} << Size::kWarps) - 1;
  Vortex<Size> vortex_;
  CoreCover cover_;
  unsigned dispatched_ = 0, resets_ = 0;
};

using Sizes = testing::Types<Eight, ThirtyTwo, CountsAsWritten>;
TYPED_TEST_SUITE(VortexAdapter, Sizes);

TYPED_TEST(VortexAdapter, RandomWorkgroups) {
  constexpr unsigned kWorkgroups = 16000;
  this->Run(kWorkgroups, 1, 0);
  const auto& vortex = this->vortex_;
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
  EXPECT_GT(cover.arrived_early, 400U);
  EXPECT_GT(cover.ended_early, 300U);
  EXPECT_GT(cover.held, 300U);
  EXPECT_GT(cover.slot_at_once, 30U);
  EXPECT_GT(cover.warp_at_once, 1000U);
  EXPECT_GE(cover.most_workgroups, 4U);
}

TYPED_TEST(VortexAdapter, ResetAtAnyMoment) {
  this->Run(2000, 2, 400);
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
  ASSERT_EQ(this->vortex_.stalled(), this->kAll - 1);
  this->End(0);
  EXPECT_EQ(this->CyclesToUnlock(this->kAll - 1), TypeParam::kEndsCount ? 5U : 100U);
  if (TypeParam::kEndsCount) {
    this->Barrier(1, 3, 3);
    this->Barrier(2, 3, 3);
    for (unsigned w = 4; w < TypeParam::kWarps; ++w) {
      this->End(w);
    }
    this->Idle(200);
    EXPECT_EQ(this->vortex_.stalled(), 6U);
    this->Barrier(3, 3, 3);
    EXPECT_EQ(this->CyclesToUnlock(14), 3U);
  }
}

// What the unit does not have is refused at once, and the warp goes on; so is a count that is not
// that of the first arrival.
TYPED_TEST(VortexAdapter, RefusesWhatItDoesNotHave) {
  this->DispatchAll();
  this->vortex_.set_global(true);
  this->Barrier(1, 0, 2);
  EXPECT_EQ(this->vortex_.refused(), 2U);
  EXPECT_EQ(this->vortex_.unlocked(), 2U);
  this->vortex_.set_global(false);
  this->vortex_.set_waits_for_phase(true);
  this->Barrier(2, 0, 2, false);
  EXPECT_EQ(this->vortex_.refused(), 4U);
  EXPECT_EQ(this->vortex_.unlocked(), 4U);
  this->vortex_.set_waits_for_phase(false);
  this->Barrier(3, 0, 3);
  this->Barrier(4, 0, 2);
  EXPECT_EQ(this->CyclesToUnlock(16), 3U);
  EXPECT_EQ(this->vortex_.refused(), 16U);
  this->Idle(20);
  EXPECT_EQ(this->vortex_.stalled(), 8U);
  this->Barrier(4, 0, 3, false);
  EXPECT_EQ(this->CyclesToUnlock(16), 0U);  // accepted at once
  this->Barrier(5, 0, 3);
  EXPECT_EQ(this->CyclesToUnlock(40), 3U);
  EXPECT_EQ(this->vortex_.refused(), 0U);
  // An arrival that does not wait has a number; where the end of a warp counts, a wait for all has
  // none.
  this->Barrier(6, 9, TypeParam::kWarps, false);
  EXPECT_EQ(this->CyclesToUnlock(64), 0U);
  for (unsigned i = 0; i < 20; ++i) {
    this->Idle(1);
    EXPECT_EQ(this->vortex_.refused(), 0U);
  }
  this->Barrier(7, 9, TypeParam::kWarps);
  EXPECT_EQ(this->CyclesToUnlock(128), TypeParam::kEndsCount ? 3U : 100U);
  EXPECT_EQ(this->vortex_.refused(), TypeParam::kEndsCount ? 128U : 0U);
}

}  // namespace
}  // namespace muster
