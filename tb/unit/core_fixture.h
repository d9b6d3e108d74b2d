// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the tests of the adapters for cores share: the clock and the counts of an adapter with its
// unit, and runs of workgroups on it.
#ifndef TB_UNIT_CORE_FIXTURE_H_
#define TB_UNIT_CORE_FIXTURE_H_

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>

#include "tb/unit/clocked.h"
#include "tb/unit/core_sim.h"

namespace muster {

// The simulated adapter and unit, of which a core's class makes its pins.
template <typename Dut>
class CoreDut {
 public:
  int joined() const { return joined_; }  // the warp that joined in the last cycle, or -1
  std::optional<CoreAnswer> answer() const { return std::nullopt; }  // in the last cycle
  unsigned opens() const { return opens_; }
  unsigned joins() const { return joins_; }
  unsigned exits() const { return exits_; }
  unsigned ends() const { return ends_; }

 protected:
  // Counts what the unit accepts in this cycle, in which `ends` CTAs end, and ends the cycle.
  void Tick(unsigned ends) {
    joined_ = dut_.rst_ni != 0 && dut_.joins_o != 0 ? static_cast<int>(dut_.join_warp_o) : -1;
    opens_ += dut_.opens_o;
    joins_ += dut_.joins_o;
    exits_ += dut_.exits_o;
    ends_ += ends;
    EndCycle(&dut_);
  }

  VerilatedContext context_;
  Dut dut_{&context_};

 private:
  int joined_ = -1;
  unsigned opens_ = 0, joins_ = 0, exits_ = 0, ends_ = 0;
};

// A core's class derives from CoreDut and has kWarps, Reset(), Clock(request), stalled(): the warps
// that do not run, held(warp): that one was dispatched in the last cycle, and does not run, and an
// answer() of its own, if it answers arrivals.
template <typename Core>
class CoreAdapter : public testing::Test {
 protected:
  // Runs the workgroups. The core looks at `stalled`, and at nothing else.
  void Run(const CoreOptions& options, unsigned reset_one_in) {
    CoreSim sim(options);
    std::mt19937 random(options.seed);
    while (!sim.Done() && sim.complaint().empty()) {
      const CoreRequest request = sim.Step(~core_.stalled());
      core_.Clock(request);
      if (core_.joined() >= 0) {
        sim.Joined(static_cast<unsigned>(core_.joined()));
      }
      if (request.dispatch && core_.held(request.dispatch->warp)) {
        sim.Held(request.dispatch->warp);
      }
      if (core_.answer()) {
        sim.Answered(*core_.answer());
      }
      if (reset_one_in != 0 && random() % reset_one_in == 0) {
        core_.Reset();
        sim.Reset();
        ++resets_;
      }
    }
    ASSERT_EQ(sim.complaint(), "");
    Idle(5000);  // the last ends
    cover_ = sim.cover();
    dispatched_ = sim.dispatched();
    std::printf("longest: %u cycles to a release, %u cycles held at a dispatch\n", cover_.slowest,
                cover_.longest_held);
  }

  void Idle(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      core_.Clock({});
    }
  }

  void Dispatch(unsigned warp, unsigned slot, unsigned rank, unsigned size) {
    CoreRequest request;
    request.dispatch = {warp, slot, rank, size};
    core_.Clock(request);
  }

  // A workgroup of all warps of the core, all of which have joined.
  void DispatchAll() {
    for (unsigned w = 0; w < Core::kWarps; ++w) {
      Dispatch(w, 0, w, Core::kWarps);
    }
    Idle(1000);
    ASSERT_EQ(core_.joins(), Core::kWarps);
  }

  void End(unsigned warp) {
    CoreRequest request;
    request.control = CoreRequest::Control::kEnd;
    request.warp = warp;
    core_.Clock(request);
  }

  Core core_;
  CoreCover cover_;
  unsigned dispatched_ = 0, resets_ = 0;
};

}  // namespace muster

#endif  // TB_UNIT_CORE_FIXTURE_H_
