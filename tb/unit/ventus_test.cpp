// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Ventus, driven as that core's dispatcher and warp scheduler do.
#include <Vventus.h>
#include <Vventus_odd.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "tb/unit/core_fixture.h"
#include "tb/unit/core_sim.h"

namespace muster {
namespace {

struct AsWritten {  // a core as its sources have it
  using Dut = Vventus;
  static constexpr unsigned kWarps = 8, kBlocks = 8, kWfIdWidth = 3;
};
struct Odd {
  using Dut = Vventus_odd;
  static constexpr unsigned kWarps = 12, kBlocks = 3, kWfIdWidth = 4;
};

template <typename Size>
class Ventus : public CoreDut<typename Size::Dut> {
 public:
  static constexpr unsigned kWarps = Size::kWarps;

  Ventus() { Reset(); }

  void Reset() {
    dut_.rst_ni = 0;
    Clock({});
    dut_.rst_ni = 1;
    dut_.eval();
  }

  // A cycle in which the core does this.
  void Clock(const CoreRequest& request) {
    dut_.warp_req_valid_i = request.dispatch ? 1 : 0;
    if (request.dispatch) {
      dut_.warp_req_wid_i = static_cast<unsigned char>(request.dispatch->warp);
      dut_.warp_req_wf_tag_i = static_cast<unsigned char>(
          request.dispatch->slot << Size::kWfIdWidth | request.dispatch->rank);
      dut_.warp_req_wf_count_i = static_cast<unsigned char>(request.dispatch->size);
    }
    dut_.warp_control_valid_i = request.control != CoreRequest::Control::kNone ? 1 : 0;
    dut_.warp_control_wid_i = static_cast<unsigned char>(request.warp);
    const bool none = request.control == CoreRequest::Control::kNone;  // the pin holds anything
    const bool ends = none ? ++turn_ % 2 == 0 : request.control == CoreRequest::Control::kEnd;
    dut_.warp_control_simt_stack_op_i = ends ? 1 : 0;
    dut_.eval();
    this->Tick(static_cast<unsigned>(__builtin_popcount(dut_.wg_end_o)));
  }

  std::uint64_t stalled() const { return dut_.warp_bar_data_o; }
  bool held(unsigned warp) const { return (stalled() >> warp & 1) != 0; }

 private:
  using CoreDut<typename Size::Dut>::dut_;

  unsigned turn_ = 0;
};

template <typename Size>
class VentusAdapter : public CoreAdapter<Ventus<Size>> {
 protected:
  void Barrier(unsigned warp) {
    CoreRequest request;
    request.control = CoreRequest::Control::kSync;
    request.warp = warp;
    this->core_.Clock(request);
  }

  // Cycles from the request of the last call, which releases all that wait, to the first cycle in
  // which warp_bar_data holds none of them.
  unsigned CyclesToRelease() {
    unsigned cycles = 1;
    while (this->core_.stalled() != 0 && cycles < 100) {
      this->Idle(1);
      ++cycles;
    }
    return cycles;
  }
};

using VentusSizes = testing::Types<AsWritten, Odd>;
TYPED_TEST_SUITE(VentusAdapter, VentusSizes);

TYPED_TEST(VentusAdapter, RandomWorkgroups) {
  CoreOptions options;
  options.warps = TypeParam::kWarps;
  options.slots = TypeParam::kBlocks;
  options.workgroups = 20000;
  this->Run(options, 0);
  const auto& ventus = this->core_;
  EXPECT_EQ(ventus.opens(), 20000U);
  EXPECT_EQ(ventus.ends(), 20000U);
  EXPECT_EQ(ventus.joins(), this->dispatched_);
  EXPECT_EQ(ventus.exits(), this->dispatched_);
  EXPECT_EQ(ventus.stalled(), 0U);
  const CoreCover& cover = this->cover_;
  EXPECT_GT(cover.opened, 10000U);
  EXPECT_GT(cover.opened_by_end, 300U);
  EXPECT_GT(cover.waited_for_dispatch, 300U);
  EXPECT_GT(cover.arrived_early, 1000U);
  EXPECT_GT(cover.ended_early, 1000U);
  EXPECT_GT(cover.held, 300U);
  EXPECT_GT(cover.slot_at_once, 100U);
  EXPECT_GT(cover.warp_at_once, 1000U);
  EXPECT_GE(cover.most_workgroups, 3U);
}

TYPED_TEST(VentusAdapter, ResetAtAnyMoment) {
  CoreOptions options;
  options.warps = TypeParam::kWarps;
  options.slots = TypeParam::kBlocks;
  options.workgroups = 2000;
  options.seed = 2;
  this->Run(options, 400);
  EXPECT_GT(this->cover_.opened, 1000U);
  EXPECT_GT(this->resets_, 100U);
}

// The kernel that hangs in the original: one warp ends, and all others wait for all.
TYPED_TEST(VentusAdapter, EndOfAWarpOpensTheBarrier) {
  this->DispatchAll();
  for (unsigned w = 1; w < TypeParam::kWarps; ++w) {
    this->Barrier(w);
  }
  for (unsigned i = 0; i < 100; ++i) {
    this->Idle(1);
    ASSERT_EQ(this->core_.stalled(), (1U << TypeParam::kWarps) - 2);
  }
  this->End(0);
  EXPECT_EQ(this->CyclesToRelease(), 5U);
}

TYPED_TEST(VentusAdapter, LatencyOfTheLastArrival) {
  this->DispatchAll();
  for (unsigned w = 0; w < TypeParam::kWarps; ++w) {
    this->Idle(w + 1 == TypeParam::kWarps ? 10 : 0);
    this->Barrier(w);
  }
  EXPECT_EQ(this->CyclesToRelease(), 3U);
}

// From the dispatch of a workgroup's first warp to the cycle in which the unit accepts its join,
// and to the join of a warp after it.
TYPED_TEST(VentusAdapter, LatencyOfADispatch) {
  this->Idle(200);
  for (unsigned w = 0; w < 2; ++w) {
    this->Dispatch(w, 1, w, 2);
    EXPECT_FALSE(this->core_.held(w)) << "there was no warp before it";
    unsigned cycles = 0;
    for (; this->core_.joined() < 0 && cycles < 100; ++cycles) {
      this->Idle(1);
    }
    EXPECT_EQ(cycles, w == 0 ? 12U : 6U);
  }
}

// All warps of a workgroup are dispatched in a row: the cycle in which the last one joins.
TYPED_TEST(VentusAdapter, LatencyOfAWorkgroup) {
  this->Idle(200);
  unsigned cycles = 0;
  for (; this->core_.joins() < TypeParam::kWarps && cycles < 1000; ++cycles) {
    CoreRequest request;
    if (cycles < TypeParam::kWarps) {
      request.dispatch = {cycles, 0, cycles, TypeParam::kWarps};
    }
    this->core_.Clock(request);
  }
  EXPECT_EQ(cycles - 1, 12 + 7 * (TypeParam::kWarps - 1));
}

// Two workgroups end in a row: the cycles between their ends in the unit, which cleans a slot
// meanwhile.
TYPED_TEST(VentusAdapter, LatencyOfEnds) {
  for (unsigned w = 0; w < 2; ++w) {
    this->Dispatch(w, w, 0, 1);
  }
  this->Idle(200);
  this->End(0);
  this->End(1);
  unsigned cycles = 0;
  for (unsigned i = 0; this->core_.ends() < 2 && i < 1000; ++i) {
    this->Idle(1);
    cycles += this->core_.ends() == 1 ? 1 : 0;
  }
  EXPECT_EQ(cycles, 40U);
}

using VentusAdapterAsWritten = VentusAdapter<AsWritten>;

// Four workgroups end in a row, and a warp is dispatched to the slot of one of the last two. The
// ends of the first two are under way by then; of the other two the slot that the warp waits for
// ends first.
TEST_F(VentusAdapterAsWritten, SlotThatIsWaitedForEndsFirst) {
  for (const unsigned wanted : {0U, 1U}) {
    for (unsigned w = 0; w < 4; ++w) {
      Dispatch(w, w, 0, 1);
    }
    Idle(400);
    for (const unsigned w : {3U, 2U, 1U, 0U}) {
      End(w);
    }
    Dispatch(4, wanted, 0, 1);
    unsigned cycles = 0;
    for (; core_.joined() < 0 && cycles < 1000; ++cycles) {
      Idle(1);
    }
    EXPECT_EQ(cycles, 146U) << wanted;
    End(4);
    Idle(400);
  }
}

}  // namespace
}  // namespace muster
