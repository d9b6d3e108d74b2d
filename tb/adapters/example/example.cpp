// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/adapters/example/example.h"

#include <Vexample.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "tb/adapters/adapter.h"

namespace muster::adapters {
namespace {

constexpr unsigned kWords = 2;  // mbarriers of a CTA
constexpr Features kFeatures = [] {
  Features features;
  features.name = "example";
  features.warps = 8;
  features.ctas = 2;
  features.lanes = 4;
  features.barriers = 8;
  features.all_warps = features.counts = features.arrivals = features.phases = true;
  features.reductions = features.exits = features.joins = features.late_joins =
      features.odd_counts = true;
  features.words = kWords;
  features.most_arrivals = features.arrivals_at_once = 12;
  features.transactions = features.early_bytes = features.remote = features.early_arrivals = true;
  features.most_bytes = 1000;
  features.bytes_at_once = 200;
  features.shown = true;
  features.release_from = features.release_within = 1;
  features.accept_within = 4;
  return features;
}();

// As example_pkg has them.
unsigned CodeOf(const Step& step) {
  enum : unsigned {
    kSync,
    kArrive,
    kAnd,
    kOr,
    kPopc,
    kWait,
    kExit,
    kInit,
    kMbArrive,
    kExpect,
    kMbWait
  };
  if (step.at_word) {
    return step.word.op == MbOp::kInit       ? kInit
           : step.word.op == MbOp::kArrive   ? kMbArrive
           : step.word.op == MbOp::kExpectTx ? kExpect
                                             : kMbWait;
  }
  switch (step.named.kind) {
    case OpKind::kSync:
      return kSync;
    case OpKind::kRedAnd:
      return kAnd;
    case OpKind::kRedOr:
      return kOr;
    case OpKind::kRedPopc:
      return kPopc;
    case OpKind::kWait:
      return kWait;
    case OpKind::kExit:
      return kExit;
    default:
      return kArrive;
  }
}

class Example : public Adapter {
 public:
  explicit Example(unsigned fault) : Adapter(kFeatures), fault_(fault) {}

  void Reset() override {
    dut_.fault_i = static_cast<unsigned char>(fault_);
    dut_.valid_i = dut_.tx_valid_i = dut_.open_valid_i = dut_.join_valid_i = 0;
    dut_.rst_ni = 0;
    Clock();
    dut_.rst_ni = 1;
    dut_.eval();
    asked_.reset();
    taken_ = 0;
  }

  void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) override {
    const auto [warps, transactions, lifecycle] = presented;
    Drive(warps, transactions, lifecycle);
    dut_.eval();
    ForEachBit(std::uint64_t{dut_.release_o}, [&](unsigned warp) {
      seen->releases.push_back({warp, dut_.result_o});
    });
    if (dut_.answer_valid_o != 0 && asked_) {
      seen->answers.push_back({*asked_, dut_.answer_phase_o != 0});
    }
    if (dut_.refused_o != 0) {
      seen->refused.push_back(taken_);
    }
    const std::array<bool, kPorts> ready = {dut_.ready_o != 0, dut_.tx_ready_o != 0, true};
    asked_.reset();
    for (unsigned port = 0; port < kPorts; ++port) {
      if (presented[port] != nullptr && ready[port]) {
        seen->accepted[port] = true;
        seen->effective.push_back(presented[port]->id);
      }
    }
    if (warps != nullptr && ready[0]) {
      taken_ = warps->warp();
      if (warps->at_word ? warps->word.has_token : warps->named.kind == OpKind::kArrivePhase) {
        asked_ = taken_;
      }
    }
    Clock();
  }

  WordState State(unsigned cta, unsigned index) override {
    const unsigned word = cta * kWords + index;
    const auto pending = static_cast<unsigned>(dut_.pending_o >> (5 * word) & 0x1f);
    const auto bytes = static_cast<int>(dut_.bytes_o >> (12 * word) & 0xfff);
    return {(dut_.phase_o >> word & 1) != 0, pending, bytes < 0x800 ? bytes : bytes - 0x1000};
  }

 private:
  void Drive(const Step* warps, const Step* transactions, const Step* lifecycle) {
    dut_.valid_i = warps != nullptr ? 1 : 0;
    if (warps != nullptr) {
      dut_.op_i = static_cast<unsigned char>(CodeOf(*warps));
      dut_.cta_i = static_cast<unsigned char>(warps->cta());
      dut_.warp_i = static_cast<unsigned char>(warps->warp());
      dut_.bar_i = static_cast<unsigned char>(warps->at_word ? warps->index() : warps->named.bar);
      dut_.count_i = static_cast<unsigned char>(warps->named.count);
      dut_.lanes_i = static_cast<unsigned char>(warps->named.lanes);
      const bool waits = warps->at_word && warps->word.op == MbOp::kTryWaitParity;
      const std::uint32_t operand = waits            ? (warps->word.phase ? 1 : 0)
                                    : warps->at_word ? warps->word.operand
                                                     : warps->named.operand;
      dut_.operand_i = static_cast<std::uint16_t>(operand);
    }
    dut_.tx_valid_i = transactions != nullptr ? 1 : 0;
    if (transactions != nullptr) {
      dut_.tx_arrive_i = transactions->word.op == MbOp::kArrive ? 1 : 0;
      dut_.tx_cta_i = static_cast<unsigned char>(transactions->cta());
      dut_.tx_word_i = static_cast<unsigned char>(transactions->index());
      dut_.tx_bytes_i = static_cast<std::uint16_t>(transactions->word.operand);
    }
    const bool opens = lifecycle != nullptr && lifecycle->named.kind == OpKind::kOpen;
    dut_.open_valid_i = opens ? 1 : 0;
    dut_.join_valid_i = lifecycle != nullptr && !opens ? 1 : 0;
    if (lifecycle != nullptr) {
      dut_.life_cta_i = static_cast<unsigned char>(lifecycle->cta());
      dut_.life_warp_i = static_cast<unsigned char>(lifecycle->warp());
      dut_.life_size_i = lifecycle->named.size;
    }
  }

  void Clock() {
    for (const unsigned char level : {1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
  }

  const unsigned fault_;
  VerilatedContext context_;
  Vexample dut_{&context_};
  std::optional<unsigned> asked_;  // the warp whose arrival is answered in this cycle
  unsigned taken_ = 0;             // the warp whose operation was taken last
};

}  // namespace

const std::vector<ExampleFault>& ExampleFaults() {
  static const std::vector<ExampleFault> faults = {
      {"none", "right"},
      {"1", "completion is judged against the waiters of all CTAs"},
      {"2a", "an exit completes nothing"},
      {"2b", "an exit completes a reduction without its result"},
      {"2c", "an exit also completes a barrier with a count"},
      {"3", "warps that have not joined are not waited for"},
      {"4a", "bytes that complete before any arrival complete the phase"},
      {"4b", "an arrival is taken while its phase lacks bytes alone"},
      {"5", "the phase just written at another barrier is read"},
      {"6", "a remote update is written to the word of a local one"},
      {"7", "an accumulator is not reset"},
      {"8", "arrivals are a set of warps"},
      {"9", "a count that is no multiple of the warp's size is taken"},
      {"10", "bytes that complete before they are expected underflow"},
      {"11", "transactions always win"},
  };
  return faults;
}

std::unique_ptr<Adapter> MakeExample(unsigned fault) { return std::make_unique<Example>(fault); }

}  // namespace muster::adapters
