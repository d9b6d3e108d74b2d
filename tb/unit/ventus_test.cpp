// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit behind the adapter for Ventus, driven as that core's dispatcher and warp scheduler do.
#include <Vventus.h>
#include <Vventus_odd.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <random>

#include "tb/unit/core_sim.h"

namespace muster {
namespace {

struct Eight {  // a core as its sources have it
  using Dut = Vventus;
  static constexpr unsigned kWarps = 8, kBlocks = 8, kWfIdWidth = 3;
};
struct Odd {
  using Dut = Vventus_odd;
  static constexpr unsigned kWarps = 12, kBlocks = 3, kWfIdWidth = 4;
};

template <typename Size>
class Ventus {
 public:
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
    dut_.warp_control_simt_stack_op_i = request.control == CoreRequest::Control::kEnd ? 1 : 0;
    dut_.eval();
    joined_ = dut_.rst_ni != 0 && dut_.joins_o != 0 ? static_cast<int>(dut_.join_warp_o) : -1;
    opens_ += dut_.opens_o;
    joins_ += dut_.joins_o;
    exits_ += dut_.exits_o;
    ends_ += static_cast<unsigned>(__builtin_popcount(dut_.wg_end_o));
    for (const unsigned char level : {1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
  }

  std::uint64_t held() const { return dut_.warp_bar_data_o; }
  int joined() const { return joined_; }  // the warp that joined in the last cycle, or -1
  unsigned opens() const { return opens_; }
  unsigned joins() const { return joins_; }
  unsigned exits() const { return exits_; }
  unsigned ends() const { return ends_; }

 private:
  VerilatedContext context_;
  typename Size::Dut dut_{&context_};
  int joined_ = -1;
  unsigned opens_ = 0, joins_ = 0, exits_ = 0, ends_ = 0;
};

template <typename Size>
class VentusAdapter : public testing::Test {
 protected:
  // Runs the workgroups. The core looks at warp_bar_data, and at nothing else.
  void Run(const CoreOptions& options, unsigned reset_one_in) {
    CoreSim core(options);
    std::mt19937 random(options.seed);
    while (!core.Done() && core.complaint().empty()) {
      const CoreRequest request = core.Step(~ventus_.held());
      ventus_.Clock(request);
      if (ventus_.joined() >= 0) {
        core.Joined(static_cast<unsigned>(ventus_.joined()));
      }
      if (request.dispatch && (ventus_.held() >> request.dispatch->warp & 1) != 0) {
        core.Held(request.dispatch->warp);
      }
      if (reset_one_in != 0 && random() % reset_one_in == 0) {
        ventus_.Reset();
        core.Reset();
        ++resets_;
      }
    }
    ASSERT_EQ(core.complaint(), "");
    for (unsigned i = 0; i < 2000; ++i) {  // the last ends
      ventus_.Clock({});
    }
    cover_ = core.cover();
    dispatched_ = core.dispatched();
    cycles_ = core.cycle();
    std::printf("longest: %u cycles to a release, %u cycles held at a dispatch\n", cover_.slowest,
                cover_.longest_held);
  }

  // A workgroup of all warps of the core, all of which have joined.
  void DispatchAll() {
    for (unsigned w = 0; w < Size::kWarps; ++w) {
      CoreRequest request;
      request.dispatch = {w, 0, w, Size::kWarps};
      ventus_.Clock(request);
    }
    for (unsigned i = 0; i < 200; ++i) {
      ventus_.Clock({});
    }
    ASSERT_EQ(ventus_.joins(), Size::kWarps);
  }

  void Request(unsigned warp, CoreRequest::Control control) {
    CoreRequest request;
    request.control = control;
    request.warp = warp;
    ventus_.Clock(request);
  }

  // Cycles from the request of the last call, which releases all that wait, to the first cycle in
  // which warp_bar_data holds none of them.
  unsigned CyclesToRelease() {
    unsigned cycles = 1;
    while (ventus_.held() != 0 && cycles < 100) {
      ventus_.Clock({});
      ++cycles;
    }
    return cycles;
  }

  Ventus<Size> ventus_;
  CoreCover cover_;
  unsigned dispatched_ = 0, cycles_ = 0, resets_ = 0;
};

using Sizes = testing::Types<Eight, Odd>;
TYPED_TEST_SUITE(VentusAdapter, Sizes);

TYPED_TEST(VentusAdapter, RandomWorkgroups) {
  CoreOptions options;
  options.warps = TypeParam::kWarps;
  options.slots = TypeParam::kBlocks;
  options.workgroups = 20000;
  this->Run(options, 0);
  const auto& ventus = this->ventus_;
  EXPECT_EQ(ventus.opens(), 20000U);
  EXPECT_EQ(ventus.ends(), 20000U);
  EXPECT_EQ(ventus.joins(), this->dispatched_);
  EXPECT_EQ(ventus.exits(), this->dispatched_);
  EXPECT_EQ(ventus.held(), 0U);
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
    this->Request(w, CoreRequest::Control::kBarrier);
  }
  for (unsigned i = 0; i < 100; ++i) {
    this->ventus_.Clock({});
    ASSERT_EQ(this->ventus_.held(), (1U << TypeParam::kWarps) - 2);
  }
  this->Request(0, CoreRequest::Control::kEnd);
  EXPECT_EQ(this->CyclesToRelease(), 5U);
}

TYPED_TEST(VentusAdapter, LatencyOfTheLastArrival) {
  this->DispatchAll();
  for (unsigned w = 0; w < TypeParam::kWarps; ++w) {
    for (unsigned i = 0; w + 1 == TypeParam::kWarps && i < 10; ++i) {
      this->ventus_.Clock({});
    }
    this->Request(w, CoreRequest::Control::kBarrier);
  }
  EXPECT_EQ(this->CyclesToRelease(), 3U);
}

// From the dispatch of a workgroup's first warp to the cycle in which the unit accepts its join,
// and to the join of a warp after it.
TYPED_TEST(VentusAdapter, LatencyOfADispatch) {
  for (unsigned i = 0; i < 200; ++i) {
    this->ventus_.Clock({});
  }
  for (unsigned w = 0; w < 2; ++w) {
    CoreRequest request;
    request.dispatch = {w, 1, w, 2};
    this->ventus_.Clock(request);
    unsigned cycles = 0;
    for (; this->ventus_.joined() < 0 && cycles < 100; ++cycles) {
      this->ventus_.Clock({});
    }
    EXPECT_EQ(cycles, w == 0 ? 12U : 6U);
  }
}

// All warps of a workgroup are dispatched in a row: the cycle in which the last one joins.
TYPED_TEST(VentusAdapter, LatencyOfAWorkgroup) {
  for (unsigned i = 0; i < 200; ++i) {
    this->ventus_.Clock({});
  }
  unsigned cycles = 0;
  for (; this->ventus_.joins() < TypeParam::kWarps && cycles < 1000; ++cycles) {
    CoreRequest request;
    if (cycles < TypeParam::kWarps) {
      request.dispatch = {cycles, 0, cycles, TypeParam::kWarps};
    }
    this->ventus_.Clock(request);
  }
  EXPECT_EQ(cycles - 1, 12 + 7 * (TypeParam::kWarps - 1));
}

// Two workgroups end in a row: the cycles between their ends in the unit, which cleans a slot
// meanwhile.
TYPED_TEST(VentusAdapter, LatencyOfEnds) {
  for (unsigned w = 0; w < 2; ++w) {
    CoreRequest request;
    request.dispatch = {w, w, 0, 1};
    this->ventus_.Clock(request);
  }
  for (unsigned i = 0; i < 200; ++i) {
    this->ventus_.Clock({});
  }
  this->Request(0, CoreRequest::Control::kEnd);
  this->Request(1, CoreRequest::Control::kEnd);
  unsigned cycles = 0;
  for (unsigned i = 0; this->ventus_.ends() < 2 && i < 1000; ++i) {
    this->ventus_.Clock({});
    cycles += this->ventus_.ends() == 1 ? 1 : 0;
  }
  EXPECT_EQ(cycles, 40U);
}

}  // namespace
}  // namespace muster
