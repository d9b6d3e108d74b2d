// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Verilated atomics on shared memory under the checker of the lockstep, with a bank of memory.
#ifndef TB_UNIT_ATOMICS_BENCH_H_
#define TB_UNIT_ATOMICS_BENCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "sim/isa/bits.h"
#include "sim/lockstep/atomics_checker.h"
#include "sim/lockstep/verilated_scope.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/bank.h"

namespace muster::atomics {

using Shape = lockstep::AtomicsShape;

// Of a Verilated model: its shape.
template <typename Unit>
extern const Shape kShape;

class Words : public lockstep::Bank::Words {
 public:
  std::uint64_t Load(MbPlace place) override { return At(place.cta, place.addr); }
  void Store(MbPlace place, std::uint64_t word) override { At(place.cta, place.addr) = word; }
  std::uint64_t& At(unsigned cta, std::uint32_t addr) {
    return words_[std::uint64_t{cta} << 32 | (addr & ~7U)];
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> words_;
};

template <typename Unit>
class AtomicsBench {
 public:
  explicit AtomicsBench(std::uint64_t seed = 1)
      : dut_(kShape<Unit>), checker_(kShape<Unit>), bank_(&words_, seed) {
    in_.memory = &words_;
    in_.fence_ack = ~std::uint64_t{0};
  }

  const Shape& shape() const { return kShape<Unit>; }
  Words& words() { return words_; }
  lockstep::Bank& bank() { return bank_; }
  const lockstep::AtomicsChecker& checker() const { return checker_; }
  std::uint64_t cycle() const { return cycle_; }
  AtomicInputs& in() { return in_; }
  const AtomicOutputs& out() const { return out_; }
  // To be presented, one after the other: of the core's warps, and of other CTAs.
  std::deque<AtomicUpdate>& queue() { return queue_; }
  std::deque<AtomicUpdate>& remote_queue() { return remote_queue_; }

  // The beginning of a cycle: the bank's pins. Between Begin and End the cores may store.
  void Begin() {
    bank_.Cycle(out_, &in_);
    if (in_.issue_valid && out_.issue_ready) {
      in_.issue_valid = false;
    }
    if (in_.remote_valid && out_.remote_ready) {
      in_.remote_valid = false;
    }
    Offer(&queue_, &in_.issue_valid, &in_.issue);
    Offer(&remote_queue_, &in_.remote_valid, &in_.remote);
  }
  // The end of a cycle, with what the block shows in it compared.
  void End() {
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
  }
  void Cycle() {
    Begin();
    End();
  }
  // Until all that was presented has come to its end.
  void Settle() {
    for (unsigned waited = 0;
         waited == 0 || !queue_.empty() || !remote_queue_.empty() || in_.issue_valid ||
         in_.remote_valid || !checker_.Settled() || out_.active;
         ++waited) {
      ASSERT_LT(waited, 100000U) << "something does not come";
      Cycle();
      if (::testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
  void Reset() {
    dut_.Reset();
    checker_.Reset();
    in_.issue_valid = in_.remote_valid = false;
    out_ = AtomicOutputs();
  }

 private:
  static void Offer(std::deque<AtomicUpdate>* queue, bool* valid, AtomicUpdate* update) {
    if (!*valid && !queue->empty()) {
      *valid = true;
      *update = queue->front();
      queue->pop_front();
    }
  }

  Words words_;
  lockstep::VerilatedAtomics<Unit> dut_;
  lockstep::AtomicsChecker checker_;
  lockstep::Bank bank_;
  AtomicInputs in_;
  AtomicOutputs out_;
  std::deque<AtomicUpdate> queue_;
  std::deque<AtomicUpdate> remote_queue_;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::atomics

#endif  // TB_UNIT_ATOMICS_BENCH_H_
