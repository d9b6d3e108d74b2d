// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A Verilated warp scope, checked in every cycle against the golden model: answers, arrivals,
// faults, and the cycles in which they come.
#ifndef TB_UNIT_WARP_BENCH_H_
#define TB_UNIT_WARP_BENCH_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/golden/warp_scope.h"
#include "sim/isa/warp_operation.h"
#include "tb/unit/clocked.h"

namespace muster::warp {

struct Shape {
  unsigned num_warps;
  unsigned warp_size;
  unsigned lanes_per_beat;
  bool collectives;
  bool faults;

  std::uint32_t Lanes() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << warp_size) - 1);
  }
  unsigned Beats() const { return warp_size / lanes_per_beat; }
};

// Of a Verilated model: its shape.
template <typename Unit>
extern const Shape kShape;

// Cycles from the acceptance of a collective whose members come together to its k-th answer, from 1
// (rtl/warp/README.md, "Latency").
inline unsigned Latency(const Shape& shape, WarpOp op, unsigned k) {
  const unsigned beats = shape.Beats();
  const unsigned more = beats > 1 ? 3 : 0;  // start, memory, register
  if (IsMatch(op)) {
    return 2 + more + beats * k;
  }
  return IsRedux(op) ? 3 + more + beats : 2;
}

template <typename Unit>
class WarpBench {
 public:
  WarpBench() : model_(kShape<Unit>.num_warps, kShape<Unit>.warp_size) { Reset(); }

  const Shape& shape() const { return kShape<Unit>; }
  // Cycles from the acceptance of a request to its last answer, without evaluations.
  static unsigned LongestWalk() { return 3 * kShape<Unit>.warp_size + 5; }
  const golden::WarpScope& model() const { return model_; }
  std::uint64_t cycle() const { return cycle_; }
  Unit& dut() { return dut_; }

  // All that is on its way is lost.
  void Reset() {
    dut_.valid_i = 0;
    dut_.clear_i = 0;
    dut_.busy_i = 0;
    dut_.rst_ni = 0;
    dut_.eval();
    EndCycle(&dut_);
    dut_.rst_ni = 1;
    dut_.eval();
    expected_.clear();
    due_.clear();
    arrival_held_ = false;
    for (unsigned warp = 0; warp < shape().num_warps; ++warp) {
      model_.Clear(warp);
      held_[warp] = 0;
    }
  }

  // Ends a cycle, with what the unit shows in it compared. Afterwards inputs may be changed.
  void Cycle() {
    dut_.eval();
    ASSERT_TRUE(dut_.active_o ||
                !(dut_.answer_valid_o || dut_.fault_valid_o || dut_.arrival_valid_o))
        << "something is shown, and nothing is active";
    CheckAnswer();
    CheckFault();
    CheckArrival();
    const Expected* const oldest = Oldest();
    if (oldest != nullptr && cycle_ > oldest->deadline) {
      ADD_FAILURE() << "cycle " << cycle_ << ": not answered: " << Describe(*oldest);
    }
    EndCycle(&dut_);
    ++cycle_;
    dut_.clear_i = 0;
  }

  // Presents one beat, or the whole request; returns whether it is accepted in this cycle, which
  // the caller ends. The model carries the request out with its last beat.
  bool Present(const WarpRequest& request, unsigned beat, bool last) {
    dut_.valid_i = 1;
    dut_.op_i = static_cast<unsigned>(request.op);
    dut_.mode_i = request.mode;
    dut_.abs_i = request.abs;
    dut_.nan_i = request.nan;
    dut_.warp_i = request.warp;
    dut_.cta_i = request.cta;
    dut_.lanes_i = request.lanes;
    dut_.live_i = request.live;
    dut_.key_i = request.key;
    dut_.preds_i = request.preds;
    dut_.beat_i = beat;
    dut_.last_i = last;
    for (unsigned l = 0; l < shape().lanes_per_beat; ++l) {
      dut_.values_i[l] = request.values[beat * shape().lanes_per_beat + l];
    }
    dut_.eval();
    if (!dut_.ready_o) {
      return false;
    }
    if (last) {
      Accept(request);
    }
    return true;
  }
  void Withdraw() { dut_.valid_i = 0; }

  // The beats in which lanes of the request have values, or all beats; without values, one.
  std::vector<unsigned> BeatsOf(const WarpRequest& request, bool all = false) const {
    const WarpOp op =
        request.op == WarpOp::kWrite ? DecodeInstruction(request.live).op : request.op;
    std::vector<unsigned> beats;
    for (unsigned b = 0; HasValues(op) && b < shape().Beats(); ++b) {
      const auto lanes = static_cast<std::uint32_t>(
          ((std::uint64_t{1} << shape().lanes_per_beat) - 1) << b * shape().lanes_per_beat);
      if (all || (request.lanes & lanes) != 0) {
        beats.push_back(b);
      }
    }
    if (beats.empty()) {
      beats.push_back(0);
    }
    return beats;
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
    for (unsigned waited = 0; !Settled() || dut_.active_o; ++waited) {
      ASSERT_LT(waited, 64 * LongestWalk()) << "something does not come";
      Cycle();
    }
  }
  // The model would refuse it.
  bool IsRefused(const WarpRequest& request) const {
    golden::WarpScope copy = model_;
    return copy.Step(request).fault != FaultCause::kNone;
  }

  bool Settled() const {
    return due_.empty() && std::all_of(expected_.begin(), expected_.end(),
                                       [](const Expected& request) { return request.Done(); });
  }
  bool SettledOf(unsigned warp) const {
    return std::none_of(due_.begin(), due_.end(),
                        [&](const WarpArrival& arrival) { return arrival.warp == warp; }) &&
           std::all_of(expected_.begin(), expected_.end(), [&](const Expected& request) {
             return request.given.warp != warp || request.Done();
           });
  }

  // The CTA of a warp.
  static std::uint8_t CtaOf(unsigned warp) { return static_cast<std::uint8_t>(warp % 3); }

  // Lanes of the warp that the core must not run: they have come somewhere, and nobody has let them
  // go.
  std::uint32_t held(unsigned warp) const { return held_[warp]; }

  void Clear(unsigned warp) {
    dut_.clear_i = dut_.clear_i | std::uint64_t{1} << warp;
    model_.Clear(warp);
    held_[warp] = 0;
  }

  // Reads all slots of the warp, and compares them with the model's groups and values.
  void CompareGroups(unsigned warp) {
    std::vector<WarpGroup> left = model_.Groups(warp);
    ASSERT_TRUE(left.empty() || (dut_.open_o >> warp & 1) != 0) << "lanes wait, says nobody";
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
          ASSERT_EQ(value_ & mask, model_.Value(warp, lane) & mask) << "lane " << lane;
        }
      }
      left.erase(found);
    }
    ASSERT_TRUE(left.empty()) << "the unit lacks a group of warp " << warp;
  }

  struct Counts {
    unsigned together = 0, joined = 0, by_exit = 0, several_by_exit = 0, arrivals = 0;
    unsigned several_arrivals = 0, not_a_member = 0, mask_mismatch = 0, most_groups = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Expected {
    WarpRequest given;
    std::uint64_t accepted = 0, deadline = 0;
    bool together = false;
    bool refused = false;
    FaultCause cause = FaultCause::kNone;
    std::vector<WarpAnswer> answers;  // still to come
    unsigned answered = 0;

    bool Done() const { return answers.empty() && !refused; }
  };

  void Accept(const WarpRequest& presented) {
    while (!expected_.empty() && expected_.front().Done()) {
      expected_.pop_front();
    }
    const WarpEffects effects = model_.Step(presented);
    WarpRequest request = presented;  // of the lanes that the warp has
    request.lanes &= shape().Lanes();
    request.live &= shape().Lanes();
    Expected expected;
    expected.given = request;
    expected.accepted = cycle_;
    expected.deadline =
        cycle_ + LongestWalk() + effects.answers.size() * (std::size_t{shape().Beats()} + 6);
    expected.cause = effects.fault;
    expected.refused = effects.fault != FaultCause::kNone;
    expected.answers = effects.answers;
    expected.together = IsCollective(request.op) && !expected.refused && request.lanes != 0 &&
                        (request.key & request.live & ~request.lanes) == 0;
    if (IsRendezvous(request.op) || request.op == WarpOp::kWrite) {
      held_[request.warp] |= request.lanes;
    }
    due_.insert(due_.end(), effects.arrivals.begin(), effects.arrivals.end());
    Count(request, effects, expected.together);
    expected_.push_back(std::move(expected));
  }

  void Count(const WarpRequest& request, const WarpEffects& effects, bool together) {
    const bool exits = request.op == WarpOp::kExit;
    counts_.together += together ? 1 : 0;
    counts_.joined += !together && !exits && !effects.answers.empty() ? 1 : 0;
    counts_.by_exit += exits && !effects.answers.empty() ? 1 : 0;
    counts_.several_by_exit += exits && effects.answers.size() > 1 ? 1 : 0;
    counts_.several_arrivals += effects.arrivals.size() > 1 ? 1 : 0;
    counts_.not_a_member += effects.fault == FaultCause::kNotAMember ? 1 : 0;
    counts_.mask_mismatch += effects.fault == FaultCause::kMaskMismatch ? 1 : 0;
    counts_.most_groups =
        std::max(counts_.most_groups, static_cast<unsigned>(model_.Groups(request.warp).size()));
  }

  // The oldest request of which something is still to come.
  Expected* Oldest() {
    const auto found = std::find_if(expected_.begin(), expected_.end(),
                                    [](const Expected& request) { return !request.Done(); });
    return found == expected_.end() ? nullptr : &*found;
  }

  void CheckAnswer() {
    if (!dut_.answer_valid_o) {
      return;
    }
    WarpAnswer answer;
    answer.op = static_cast<WarpOp>(dut_.answer_op_o);
    answer.warp = dut_.answer_warp_o;
    answer.lanes = dut_.answer_lanes_o;
    answer.data = dut_.answer_data_o;
    answer.pred = dut_.answer_pred_o != 0;
    if (answer.op == WarpOp::kRead) {
      ASSERT_EQ(answer.lanes, 0U) << "a read lets lanes go on";
      ASSERT_EQ(dut_.group_open_o && dut_.group_cta_o != CtaOf(answer.warp), false);
      read_ = DecodeInstruction(dut_.group_code_o);
      read_.key = dut_.group_key_o;
      read_.preds = dut_.group_preds_o;
      read_.lanes = dut_.group_open_o ? dut_.group_lanes_o : 0;
      value_ = dut_.value_o;
      has_read_ = true;
      return;
    }
    Expected* const request = Oldest();
    ASSERT_NE(request, nullptr) << "cycle " << cycle_ << ": an answer that nobody waits for";
    const auto found = std::find(request->answers.begin(), request->answers.end(), answer);
    ASSERT_NE(found, request->answers.end())
        << fmt::format("cycle {}: {} is answered warp {} lanes {:#x} data {:#x} pred {}; expected ",
                       cycle_, Name(answer.op), answer.warp, answer.lanes, answer.data, answer.pred)
        << Describe(*request);
    ++request->answered;
    if (request->together) {
      ASSERT_EQ(found, request->answers.begin()) << "answers in another order";
      ASSERT_EQ(cycle_ - request->accepted, Latency(shape(), answer.op, request->answered))
          << Name(answer.op);
    }
    request->answers.erase(found);
    held_[answer.warp] &= ~answer.lanes;
  }

  static std::string Describe(const Expected& request) {
    std::string text = fmt::format(
        "{} of warp {} lanes {:#x} live {:#x} key {:#x}, accepted in {}:", Name(request.given.op),
        request.given.warp, request.given.lanes, request.given.live, request.given.key,
        request.accepted);
    for (const WarpAnswer& answer : request.answers) {
      text += fmt::format(" [{} lanes {:#x} data {:#x} pred {}]", Name(answer.op), answer.lanes,
                          answer.data, answer.pred);
    }
    return text;
  }

  void CheckFault() {
    if (!dut_.fault_valid_o) {
      return;
    }
    Expected* const request = Oldest();
    ASSERT_NE(request, nullptr) << "cycle " << cycle_ << ": a fault of nobody";
    ASSERT_TRUE(request->refused) << "cycle " << cycle_ << ": a fault; expected "
                                  << Describe(*request);
    ASSERT_EQ(dut_.fault_cause_o, static_cast<unsigned>(request->cause)) << Describe(*request);
    ASSERT_EQ(dut_.fault_warp_o, request->given.warp);
    ASSERT_EQ(dut_.fault_lanes_o, request->given.lanes);
    if (request->cause == FaultCause::kNotAMember) {
      ASSERT_EQ(cycle_ - request->accepted, 2U);
    }
    request->refused = false;
    held_[request->given.warp] &= ~request->given.lanes;
  }

  void CheckArrival() {
    if (!dut_.arrival_valid_o) {
      ASSERT_FALSE(arrival_held_) << "cycle " << cycle_ << ": an arrival is withdrawn";
      return;
    }
    WarpArrival arrival;
    arrival.warp = dut_.arrival_warp_o;
    arrival.cta = dut_.arrival_cta_o;
    arrival.lanes = dut_.arrival_lanes_o;
    arrival.key = dut_.arrival_key_o;
    arrival.preds = dut_.arrival_preds_o;
    ASSERT_FALSE(arrival_held_ && !(arrival == arrival_)) << "an arrival changes";
    ASSERT_EQ(dut_.busy_i >> arrival.warp & 1, 0U) << "an arrival of a warp that is busy";
    const auto found = std::find(due_.begin(), due_.end(), arrival);
    ASSERT_NE(found, due_.end()) << fmt::format(
        "cycle {}: warp {} arrives with lanes {:#x} at {:#x}, which is not due", cycle_,
        arrival.warp, arrival.lanes, arrival.key);
    arrival_ = arrival;
    arrival_held_ = !dut_.arrival_ready_i;
    if (dut_.arrival_ready_i) {
      ++counts_.arrivals;
      due_.erase(found);
      held_[arrival.warp] &= ~arrival.lanes;
    }
  }

  WarpGroup ReadGroup(unsigned warp, unsigned slot, unsigned lane) {
    WarpRequest request;
    request.op = WarpOp::kRead;
    request.warp = static_cast<std::uint8_t>(warp);
    request.key = slot | lane << 5;
    has_read_ = false;
    for (unsigned waited = 0; !Present(request, 0, true); ++waited) {
      if (waited > 4 * LongestWalk()) {
        ADD_FAILURE() << "a read is not accepted";
        return {};
      }
      Cycle();
    }
    Cycle();
    Withdraw();
    for (unsigned waited = 0; !has_read_ && waited < 8; ++waited) {
      Cycle();
    }
    EXPECT_TRUE(has_read_) << "no answer to a read";
    return read_;
  }

  golden::WarpScope model_;
  VerilatedContext context_;
  Unit dut_{&context_};
  std::uint64_t cycle_ = 0;
  std::deque<Expected> expected_;
  std::vector<WarpArrival> due_;
  WarpArrival arrival_;
  bool arrival_held_ = false;
  std::array<std::uint32_t, kMaxWarps> held_{};
  WarpGroup read_;
  std::uint64_t value_ = 0;
  bool has_read_ = false;
  Counts counts_;
};

}  // namespace muster::warp

#endif  // TB_UNIT_WARP_BENCH_H_
