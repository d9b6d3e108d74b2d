// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A Verilated warp scope under the checker of the lockstep, and requests that are put through it.
#ifndef TB_UNIT_WARP_BENCH_H_
#define TB_UNIT_WARP_BENCH_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/golden/warp_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/verilated_scope.h"
#include "sim/lockstep/warp_checker.h"
#include "sim/port/warp_pins.h"

namespace muster::warp {

using Shape = lockstep::WarpShape;

// Of a Verilated model: its shape.
template <typename Unit>
extern const Shape kShape;

template <typename Unit>
class WarpBench {
 public:
  explicit WarpBench(const lockstep::PowerUp& power_up = {}) : dut_(kShape<Unit>, power_up) {
    Begin();
  }

  const Shape& shape() const { return kShape<Unit>; }
  unsigned LongestWalk() const { return checker_.LongestWalk(); }
  const golden::WarpScope& model() const { return checker_.model(); }
  std::uint64_t cycle() const { return cycle_; }
  WarpInputs& in() { return in_; }
  const WarpOutputs& out() const { return out_; }

  // All that is on its way is lost.
  void Reset() {
    dut_.Reset();
    checker_.Reset();
    Begin();
  }

  // Ends a cycle, with what the unit shows in it compared. Afterwards inputs may be changed.
  void Cycle() {
    if (checker_.mismatch()) {
      return;  // the first one counts
    }
    dut_.Settle(in_, &out_);
    if (!checker_.Check(cycle_, in_, out_)) {
      const lockstep::Mismatch& wrong = *checker_.mismatch();
      FAIL() << "cycle " << cycle_ << ": " << wrong.field << ": " << wrong.unit << "; golden "
             << wrong.golden;
    }
    dut_.Clock();
    ++cycle_;
    in_.clear = 0;
    dut_.Settle(in_, &out_);
  }

  // Presents one beat, or the whole request; returns whether it is accepted in this cycle, which
  // the caller ends. The model carries the request out with its last beat.
  bool Present(const WarpRequest& request, unsigned beat, bool last) {
    in_.valid = true;
    in_.request = request;
    in_.beat = beat;
    in_.last = last;
    dut_.Settle(in_, &out_);
    return out_.ready;
  }
  void Withdraw() { in_.valid = false; }

  std::vector<unsigned> BeatsOf(const WarpRequest& request, bool all = false) const {
    return muster::BeatsOf(request, shape().lanes_per_beat, all, shape().warp_size);
  }

  // Puts a request through, and waits until all that it leads to has come.
  void Send(const WarpRequest& request) {
    const std::vector<unsigned> beats = BeatsOf(request);
    for (const unsigned beat : beats) {
      for (unsigned waited = 0; !Present(request, beat, beat == beats.back()); ++waited) {
        ASSERT_LT(waited, 4 * LongestWalk()) << "a request is not accepted";
        Cycle();
      }
      Cycle();
    }
    Withdraw();
    Settle();
  }

  // Until all that is expected has come.
  void Settle() {
    dut_.Settle(in_, &out_);
    for (unsigned waited = 0; !checker_.Settled() || out_.active; ++waited) {
      ASSERT_LT(waited, 64 * LongestWalk()) << "something does not come";
      Cycle();
    }
  }
  // The model would refuse it.
  bool IsRefused(const WarpRequest& request) const {
    golden::WarpScope copy = model();
    return copy.Step(request).fault != FaultCause::kNone;
  }

  bool SettledOf(unsigned warp) const { return checker_.SettledOf(warp); }

  // The CTA of a warp.
  static std::uint8_t CtaOf(unsigned warp) { return static_cast<std::uint8_t>(warp % 3); }

  // Lanes of the warp that the core must not run: they have come somewhere, and have not been let
  // go.
  std::uint32_t held(unsigned warp) const { return checker_.held(warp); }

  // In the next cycle.
  void Clear(unsigned warp) { in_.clear |= Bit(warp); }

  // Reads all slots of the warp, and compares them with the model's groups and values.
  void CompareGroups(unsigned warp) {
    std::vector<WarpGroup> left = model().Groups(warp);
    ASSERT_TRUE(left.empty() || (out_.open & Bit(warp)) != 0) << "lanes wait, says nobody";
    for (unsigned slot = 0; slot < shape().warp_size; ++slot) {
      const WarpGroup read = ReadGroup(warp, slot, 0);
      if (read.lanes == 0) {
        continue;
      }
      const auto found = std::find_if(left.begin(), left.end(), [&](const WarpGroup& group) {
        return group.lanes == read.lanes && group.key == read.key && group.preds == read.preds &&
               EncodeInstruction(group) == EncodeInstruction(read);
      });
      ASSERT_TRUE(found != left.end()) << fmt::format(
          "cycle {}: slot {} of warp {} has a group that the model lacks: code {:#x} "
          "key {:#x} lanes {:#x} preds {:#x}",
          cycle_, slot, warp, EncodeInstruction(read), read.key, read.lanes, read.preds);
      for (unsigned lane = 0; HasValues(read.op) && lane < shape().warp_size; ++lane) {
        if ((read.lanes >> lane & 1) != 0) {
          ReadGroup(warp, slot, lane);
          const bool wide = IsMatch(read.op) && read.mode == 1;
          const std::uint64_t mask = wide ? ~std::uint64_t{0} : 0xffffffff;
          ASSERT_EQ(value_ & mask, model().Value(warp, lane) & mask) << "lane " << lane;
        }
      }
      left.erase(found);
    }
    ASSERT_TRUE(left.empty()) << "the unit lacks a group of warp " << warp;
  }

  const lockstep::WarpChecker::Counts& counts() const { return checker_.counts(); }

 private:
  void Begin() {
    in_ = WarpInputs();
    in_.arrival_ready = false;
    dut_.Settle(in_, &out_);
  }

  WarpGroup ReadGroup(unsigned warp, unsigned slot, unsigned lane) {
    WarpRequest request;
    request.op = WarpOp::kRead;
    request.warp = static_cast<std::uint8_t>(warp);
    request.key = slot | lane << 5;
    for (unsigned waited = 0; !Present(request, 0, true); ++waited) {
      if (waited > 4 * LongestWalk()) {
        ADD_FAILURE() << "a read is not accepted";
        return {};
      }
      Cycle();
    }
    Cycle();
    Withdraw();
    for (unsigned waited = 0; waited < 8; ++waited) {
      const bool answered = out_.answer_valid && out_.answer.op == WarpOp::kRead;
      const WarpGroup read = out_.group_open ? out_.group : WarpGroup();
      value_ = out_.value;
      Cycle();
      if (answered) {
        return read;
      }
    }
    ADD_FAILURE() << "no answer to a read";
    return {};
  }

  lockstep::VerilatedWarp<Unit> dut_;
  lockstep::WarpChecker checker_{kShape<Unit>};
  WarpInputs in_;
  WarpOutputs out_;
  std::uint64_t cycle_ = 0;
  std::uint64_t value_ = 0;  // that the latest read showed
};

}  // namespace muster::warp

#endif  // TB_UNIT_WARP_BENCH_H_
