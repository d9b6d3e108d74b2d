// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The variants of the warp scope that tests run, and a test of one of them.
#ifndef TB_UNIT_WARP_FIXTURE_H_
#define TB_UNIT_WARP_FIXTURE_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "Vwarp_apart.h"
#include "Vwarp_bare.h"
#include "Vwarp_beat.h"
#include "Vwarp_few.h"
#include "Vwarp_full.h"
#include "Vwarp_half.h"
#include "Vwarp_lean.h"
#include "Vwarp_sixteen.h"
#include "Vwarp_small.h"
#include "sim/isa/bits.h"
#include "tb/traffic/warp_traffic.h"
#include "tb/unit/warp_bench.h"

namespace muster::warp {

template <>
inline const Shape kShape<Vwarp_small>{8, 32, 1, true, true};
template <>
inline const Shape kShape<Vwarp_beat>{6, 32, 8, true, true};
template <>
inline const Shape kShape<Vwarp_full>{64, 32, 32, true, true};
template <>
inline const Shape kShape<Vwarp_few>{5, 4, 2, true, true};
template <>
inline const Shape kShape<Vwarp_half>{12, 16, 4, true, true};
template <>
inline const Shape kShape<Vwarp_sixteen>{4, 32, 16, true, true};
template <>
inline const Shape kShape<Vwarp_apart>{8, 32, 1, false, true};
template <>
inline const Shape kShape<Vwarp_bare>{9, 16, 8, false, false};
template <>
inline const Shape kShape<Vwarp_lean>{7, 8, 2, true, false};

template <typename Unit>
class Warp : public testing::Test {
 protected:
  static constexpr std::uint32_t kKeys[] = {0x00041, 0x10402, 0x40003, 0x100000, 0x200000};

  explicit Warp(const lockstep::PowerUp& power_up = {}) : bench_(power_up) {
    live_.fill(kShape<Unit>.Lanes());
  }

  unsigned Below(unsigned n) { return traffic_.Below(n); }
  std::uint32_t Free(unsigned warp) const { return live_[warp] & ~bench_.held(warp); }
  Traffic::Warp Of(unsigned warp) const {
    return {warp, bench_.CtaOf(warp), live_[warp], Free(warp)};
  }
  WarpRequest Request(WarpOp op, unsigned warp, std::uint32_t lanes, std::uint32_t key) const {
    return Traffic::Request(op, Of(warp), lanes, key);
  }

  WarpRequest Exiting(unsigned warp) {
    const std::uint32_t lanes = traffic_.SomeOf(Free(warp));
    live_[warp] &= ~lanes;
    return Request(WarpOp::kExit, warp, lanes, 0);
  }

  // Saves the warp, and restores it.
  void SaveAndRestore(unsigned warp) {
    Calm();
    bench_.CompareGroups(warp);
    const std::vector<WarpRequest> writes = traffic_.Restore(Of(warp));
    bench_.Clear(warp);
    bench_.Cycle();
    ASSERT_EQ(bench_.out().open >> warp & 1, 0U);
    for (const WarpRequest& request : writes) {
      bench_.Send(request);
    }
    bench_.CompareGroups(warp);
  }

  // Random programs on all warps for so many cycles.
  void Run(unsigned cycles) {
    WarpRequest request;
    std::vector<unsigned> beats;  // still to be presented
    const std::uint64_t end = bench_.cycle() + cycles;
    while (bench_.cycle() < end && !testing::Test::HasFailure()) {
      if (beats.empty() && Below(6) != 0) {
        const unsigned warp = Below(kShape<Unit>.num_warps);
        request = live_[warp] != 0 && Below(24) == 0 ? Exiting(warp)
                                                     : traffic_.Coming(Of(warp), kKeys[Below(5)]);
        traffic_.Litter(&request);
        if ((request.lanes & kShape<Unit>.Lanes()) != 0 &&
            (kShape<Unit>.faults || !bench_.IsRefused(request))) {
          beats = bench_.BeatsOf(request, Below(4) == 0);
        }
      }
      bench_.in().arrival_ready = Below(3) != 0;
      // A warp becomes busy when it has arrived, and only then.
      std::uint64_t busy = bench_.in().busy & traffic_.Word();
      if (bench_.out().arrival_valid && bench_.in().arrival_ready) {
        next_busy_ = std::uint64_t{1} << bench_.out().arrival.warp;
      }
      if (beats.empty()) {
        bench_.Withdraw();
      } else if (bench_.Present(request, beats.front(), beats.size() == 1)) {
        beats.erase(beats.begin());
      }
      bench_.Cycle();
      bench_.in().busy = busy | next_busy_;
      next_busy_ = 0;
      if (Below(1500) == 0) {
        bench_.Reset();  // also between the beats of a request
        beats.clear();
        live_.fill(kShape<Unit>.Lanes());
      } else if (beats.empty()) {
        Tend(Below(kShape<Unit>.num_warps));
      }
    }
    bench_.in().busy = 0;
    bench_.in().arrival_ready = true;
    while (!beats.empty() && !testing::Test::HasFailure()) {
      if (bench_.Present(request, beats.front(), beats.size() == 1)) {
        beats.erase(beats.begin());
      }
      bench_.Cycle();
    }
    Calm();
  }

  // Until nothing is on its way.
  void Calm() {
    bench_.Withdraw();
    bench_.in().busy = 0;
    bench_.in().arrival_ready = 1;
    bench_.Settle();
  }

  // A warp that has ended, or whose lanes all wait, is replaced; now and then one is saved and
  // restored.
  void Tend(unsigned warp) {
    if (Free(warp) == 0 && bench_.SettledOf(warp) && Below(8) == 0) {
      Calm();
      bench_.CompareGroups(warp);
      bench_.Clear(warp);
      live_[warp] = kShape<Unit>.Lanes() & (Below(3) == 0 ? traffic_.Word() | 1 : ~0U);
      bench_.Cycle();
    } else if (Below(500) == 0) {
      SaveAndRestore(warp);
    }
  }

  WarpBench<Unit> bench_;
  std::array<std::uint32_t, kMaxWarps> live_{};
  Traffic traffic_{kShape<Unit>, bench_.model(), 20261123};
  std::uint64_t next_busy_ = 0;
};

using Units = testing::Types<Vwarp_small, Vwarp_beat, Vwarp_sixteen, Vwarp_full, Vwarp_half,
                             Vwarp_few, Vwarp_lean, Vwarp_apart, Vwarp_bare>;

}  // namespace muster::warp

#endif  // TB_UNIT_WARP_FIXTURE_H_
